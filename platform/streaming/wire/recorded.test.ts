import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD_BYTES, readFrames, splitUnits } from './codecs/h264.ts';
import { opusTicks, readOpus } from './files/ogg-opus.ts';

const unit = (type: number, length: number): Buffer =>
  Buffer.concat([Buffer.from([0x60 | type]), Buffer.alloc(length, 7)]);
const annexB = (...units: Buffer[]): Buffer =>
  Buffer.concat(units.flatMap((unit) => [Buffer.from([0, 0, 0, 1]), unit]));

describe('H.264 files', () => {
  it('are split at their start codes, whatever they hold', () => {
    const content = fc.uint8Array({ minLength: 1, maxLength: 40 })
      .map((bytes) => Buffer.from(bytes.map((byte) => Math.max(2, byte))));
    fc.assert(fc.property(fc.array(content, { minLength: 1, maxLength: 8 }), (units) => {
      expect(splitUnits(annexB(...units))).toEqual(units);
    }));
    const junk = fc.uint8Array({ maxLength: 200, size: 'max' });
    fc.assert(fc.property(junk, (bytes) => void readFrames(Buffer.from(bytes))));
  });

  it('become frames whose payloads fit a packet and hold every byte of the slice', () => {
    const frames = readFrames(annexB(unit(7, 10), unit(8, 4), unit(5, 3_000), unit(6, 20), unit(1, 50)));
    const shapes = frames.map(({ keyframe, payloads }) => [keyframe, payloads.length]);
    expect(shapes).toEqual([[true, 4], [false, 1]]);
    const [parameters, ...fragments] = frames[0]!.payloads;
    expect(parameters![0]! & 31).toBe(24);
    expect(fragments.every((fragment) => fragment.length <= MAX_PAYLOAD_BYTES)).toBe(true);
    expect(fragments.reduce((sum, fragment) => sum + fragment.length - 2, 1)).toBe(3_001);
    expect(fragments.map((fragment) => fragment[1]! & 0xc0)).toEqual([0x80, 0, 0x40]);
  });
});

describe('Opus files', () => {
  it('show the length of a packet in its first bytes (RFC 6716)', () => {
    expect(opusTicks(Uint8Array.of(1 << 3))).toBe(960);
    expect(opusTicks(Uint8Array.of((11 << 3) | 0))).toBe(2_880);
    expect(opusTicks(Uint8Array.of((15 << 3) | 1))).toBe(1_920);
    expect(opusTicks(Uint8Array.of((31 << 3) | 3, 3))).toBe(2_880);
  });

  it('that are none are refused', () => {
    expect(() => readOpus(Buffer.from('RIFF and more of it'))).toThrow(/no Ogg page/);
  });
});

describe('the demo loops', () => {
  const folder = fileURLToPath(new URL('../../../product/testkit/loops/', import.meta.url));
  const names = readdirSync(folder);

  const pictures = names.filter((name) => name.endsWith('.h264'));
  it.each(pictures)('%s has a keyframe every two seconds and no B-frame', (name) => {
    const file = readFileSync(folder + name);
    const frames = readFrames(file);
    expect(frames).toHaveLength(150);
    expect(frames.flatMap(({ keyframe }, i) => (keyframe ? [i] : []))).toEqual([0, 30, 60, 90, 120]);
    // The profile is in the first parameter set: constrained baseline has no B-frames.
    const parameters = splitUnits(file)[0]!;
    expect([parameters[1], parameters[2]! & 0xc0]).toEqual([66, 0xc0]);
  });

  it.each(names.filter((name) => name.endsWith('.opus')))('%s holds some ten seconds of sound', (name) => {
    const ticks = readOpus(readFileSync(folder + name)).reduce((sum, packet) => sum + packet.ticks, 0);
    expect(ticks / 48_000).toBeGreaterThan(9.9);
    expect(ticks / 48_000).toBeLessThan(10.2);
  });
});
