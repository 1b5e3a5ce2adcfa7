import fc from 'fast-check';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { childEntry } from '../../../child-entry.ts';
import { SOUND_PATIENCE_MS, SOUND_TOLERANCE_MS } from '../../limits.ts';
import type { ToneNews } from '../../trial/left-tone-child.ts';
import { SOUND_FRAME, SoundTrack, type SoundCodec, type SoundFrame } from './sound-track.ts';

const START = 1_800_000_000_000;
const TICKS = 48;
const PACKET_MS = 20;

/** A codec with readable audio: a packet is as many samples as its first byte says, a frame its samples. */
function plainCodec(): SoundCodec {
  const inside: Buffer[] = [];
  let primed = false;
  return {
    form: { config: Buffer.of(0x11, 0x90), channels: 2, bitsPerSecond: 128_000 },
    decode: (payload) => {
      const plane = new Float32Array(payload.length).fill(payload[0]!);
      return payload[0] === 255 ? null : { planes: [plane, plane], length: payload.length };
    },
    encode: (frame) => {
      inside.push(Buffer.from(Uint8Array.from(frame.subarray(0, SOUND_FRAME))));
      // As with AAC: two frames late, the first one without audio.
      if (inside.length < 2) return [];
      if (primed) return [inside.shift()!];
      primed = true;
      return [Buffer.alloc(SOUND_FRAME)];
    },
  };
}

const packet = (value: number, ms = PACKET_MS): Buffer => Buffer.alloc(ms * TICKS, value);

/** All output, as samples from the first frame on. */
function playedOf(frames: readonly SoundFrame[]): { from: number; samples: Buffer } {
  for (const [i, frame] of frames.entries()) {
    if (i > 0) expect(frame.at).toBe(frames[i - 1]!.at + SOUND_FRAME);
  }
  return { from: frames[0]?.at ?? 0, samples: Buffer.concat(frames.map(({ data }) => data)) };
}

/** Counts samples of each value, between two times. */
function valuesBetween(frames: readonly SoundFrame[], fromMs: number, toMs: number): Set<number> {
  const { from, samples } = playedOf(frames);
  return new Set(samples.subarray((START + fromMs) * TICKS - from, (START + toMs) * TICKS - from));
}

describe('sound that keeps to its time', () => {
  it('goes on as it came, in frames without holes, where it belongs', () => {
    const frames: SoundFrame[] = [];
    const track = new SoundTrack(plainCodec(), (frame) => frames.push(frame));
    for (let i = 0; i < 100; i++) track.push(packet(1 + (i % 50)), START + i * PACKET_MS);
    const { from, samples } = playedOf(frames);
    expect(from).toBe(START * TICKS);
    for (const at of [0, 500, 1_000, 1_500]) {
      expect(samples[at * TICKS + 10]).toBe(1 + ((at / PACKET_MS) % 50));
    }
  });

  it('has silence where packets are missing, and what follows stands where it belongs', () => {
    const frames: SoundFrame[] = [];
    const track = new SoundTrack(plainCodec(), (frame) => frames.push(frame));
    for (let i = 0; i < 200; i++) {
      if (i < 50 || i >= 80) track.push(packet(i < 50 ? 1 : 2), START + i * PACKET_MS);
    }
    expect(valuesBetween(frames, 0, 1_000)).toEqual(new Set([1]));
    expect(valuesBetween(frames, 1_000, 1_600)).toEqual(new Set([0]));
    expect(valuesBetween(frames, 1_600, 3_000)).toEqual(new Set([2]));
  });

  it('leaves out what comes twice or too late, and never goes back', () => {
    const frames: SoundFrame[] = [];
    const track = new SoundTrack(plainCodec(), (frame) => frames.push(frame));
    for (let i = 0; i < 50; i++) track.push(packet(1), START + i * PACKET_MS);
    for (let i = 0; i < 45; i++) track.push(packet(9), START + i * PACKET_MS);
    track.push(packet(3, 400), START + 800);
    for (let i = 60; i < 100; i++) track.push(packet(2), START + i * PACKET_MS);
    expect(valuesBetween(frames, 0, 1_000)).toEqual(new Set([1]));
    expect(valuesBetween(frames, 1_000, 1_200)).toEqual(new Set([3]));
    expect(valuesBetween(frames, 1_200, 1_800)).toEqual(new Set([2]));
  });

  it('is filled up to the pictures when nothing comes at all, and survives what cannot be decoded', () => {
    const frames: SoundFrame[] = [];
    const track = new SoundTrack(plainCodec(), (frame) => frames.push(frame));
    track.fillTo(START);
    for (let at = 0; at <= 2_000; at += 40) track.fillTo(START + at - SOUND_PATIENCE_MS);
    track.push(packet(255), START + 1_800);
    track.push(packet(4, 500), START + 1_800);
    expect(valuesBetween(frames, 0, 1_600)).toEqual(new Set([0]));
    expect(valuesBetween(frames, 1_800, 2_200)).toEqual(new Set([4]));
  });

  it('is never further from its time than the tolerance, however times jitter and drift', () => {
    const jitter = fc.array(fc.integer({ min: -25, max: 25 }), { minLength: 150, maxLength: 150 });
    fc.assert(
      fc.property(jitter, fc.integer({ min: -20, max: 20 }), (errors, driftMs) => {
        const frames: SoundFrame[] = [];
        const track = new SoundTrack(plainCodec(), (frame) => frames.push(frame));
        const times = errors.map((error, i) => i * PACKET_MS + error + (driftMs * i) / 10);
        errors.forEach((_, i) => track.push(packet(1 + i), START + times[i]!));
        const { from, samples } = playedOf(frames);
        times.forEach((time, i) => {
          const at = samples.indexOf(1 + i);
          if (at < 0) return;
          const error = Math.abs((from + at) / TICKS - START - time);
          expect(error).toBeLessThanOrEqual(SOUND_TOLERANCE_MS + PACKET_MS + 1);
        });
      }),
      { numRuns: 100 },
    );
  });

  it('leaves a hole that would take too long to fill', () => {
    const frames: SoundFrame[] = [];
    const track = new SoundTrack(plainCodec(), (frame) => frames.push(frame));
    for (let i = 0; i < 10; i++) track.push(packet(1), START + i * PACKET_MS);
    const count = frames.length;
    for (let i = 0; i < 10; i++) track.push(packet(2), START + 3_600_000 + i * PACKET_MS);
    expect(frames.length).toBeLessThan(count + 12);
    expect(frames.at(-1)!.at).toBeGreaterThan((START + 3_600_000) * TICKS - SOUND_FRAME);
  });
});

/** Far below the tone itself, which mono would have on both sides. */
const QUIETER = 20;

it('of an encoder on its left channel is on the left of viewers, over WebRTC and HLS', async () => {
  const { path, execArgv } = childEntry(import.meta.url, '../../trial/left-tone-child');
  const child = fork(path, [], { execArgv: [...execArgv] });
  const [{ webrtc, hls, isStereo }] = await once(child, 'message') as [ToneNews];
  child.disconnect();
  expect(isStereo).toBe(true);
  for (const [left, right] of [webrtc, hls]) {
    expect(left).toBeGreaterThan(0.2);
    expect(left, `left ${left}, right ${right}`).toBeGreaterThan(right * QUIETER);
  }
});
