import { describe, expect, it } from 'vitest';
import { RECORDED_FRAGMENT_MS } from '../limits.ts';
import { FRAME_MS, loopPictures, play, soundBetween } from '../trial/loop-pictures.ts';
import { boxesOf, fragmentsOf, readFragment } from '../trial/read-fragment.ts';
import { Recorder, type Recorded } from './recorder.ts';

const START = 1_800_000_000_000;

function recording(limits: { maxBytes?: number; maxMs?: number } = {}): {
  recorder: Recorder;
  file: () => Buffer;
  received: Recorded[];
  full: () => number;
} {
  const [parts, received]: [Buffer[], Recorded[]] = [[], []];
  let full = 0;
  const recorder = new Recorder({
    form: { config: Buffer.of(0x11, 0x90), channels: 2, bitsPerSecond: 128_000 },
    maxBytes: 1e9,
    maxMs: 1e9,
    ...limits,
    append: (bytes, recorded) => {
      parts.push(bytes);
      received.push(recorded);
    },
    full: () => full++,
  });
  return { recorder, file: () => Buffer.concat(parts), received, full: () => full };
}

const picturesIn = (file: Buffer): number =>
  fragmentsOf(file).reduce((sum, fragment) => sum + readFragment(fragment)[0]!.samples.length, 0);

describe('a recording', () => {
  it('begins with a keyframe, is cut every second and before keyframes, and loses no picture', () => {
    const { recorder, file, received } = recording();
    const pictures = loopPictures('candle', START).slice(7);
    play(pictures, soundBetween(START, START + 10_000), recorder);
    recorder.flush();
    const fragments = fragmentsOf(file());
    expect(picturesIn(file())).toBe(120);
    expect(readFragment(fragments[0]!)[0]!.samples[0]!.keyframe).toBe(true);
    for (const fragment of fragments) {
      const [video] = readFragment(fragment);
      const ticks = video!.samples.reduce((sum, { duration }) => sum + duration, 0);
      expect(ticks / 90).toBeLessThanOrEqual(RECORDED_FRAGMENT_MS + FRAME_MS);
      expect(video!.samples.slice(1).every(({ keyframe }) => !keyframe)).toBe(true);
    }
    expect(received.at(-1)).toMatchObject({ bytes: file().length, width: 640, height: 360 });
    expect(Math.abs(received.at(-1)!.durationMs - 8_000)).toBeLessThan(2);
  });

  it('is whole at every moment: what was written last is a whole fragment', () => {
    const { recorder, file, received } = recording();
    play(loopPictures('candle', START), soundBetween(START, START + 10_000), recorder);
    for (const { bytes } of received) {
      const types = boxesOf(file().subarray(0, bytes)).map(({ type }) => type);
      expect(types.slice(0, 2)).toEqual(['ftyp', 'moov']);
      expect(types.length % 2).toBe(0);
    }
  });

  it('goes on in time over an absence and over other parameter sets', () => {
    const { recorder, file } = recording();
    const again = loopPictures('neon', START + 25_000);
    play([...loopPictures('candle', START).slice(0, 60), ...again], [], recorder);
    recorder.flush();
    const read = fragmentsOf(file()).map((fragment) => readFragment(fragment)[0]!);
    const neon = read.find(({ decodeTime }) => decodeTime === 25_000 * 90)!;
    expect(neon.samples[0]!.keyframe).toBe(true);
    expect(neon.samples[0]!.data.includes(again[0]!.parameters.sequences[0]!)).toBe(true);
    expect(picturesIn(file())).toBe(210);
  });

  it('never grows beyond its limits, and says so once', () => {
    const bytes = recording({ maxBytes: 100_000 });
    play(loopPictures('candle', START), soundBetween(START, START + 10_000), bytes.recorder);
    bytes.recorder.flush();
    expect(bytes.file().length).toBeLessThanOrEqual(100_000);
    expect(bytes.file().length).toBeGreaterThan(60_000);
    expect(bytes.full()).toBe(1);
    const time = recording({ maxMs: 3_500 });
    play(loopPictures('candle', START), [], time.recorder);
    time.recorder.flush();
    expect(time.full()).toBe(1);
    expect(Math.abs(time.received.at(-1)!.durationMs - 3_500)).toBeLessThanOrEqual(FRAME_MS);
    const none = recording({ maxBytes: 100 });
    play(loopPictures('candle', START), [], none.recorder);
    expect([none.file().length, none.full()]).toEqual([0, 1]);
  });

  it('knows its length at the end, in as many bytes as stood there at the beginning', () => {
    const { recorder, file } = recording();
    expect(recorder.finalInit).toBeNull();
    play(loopPictures('candle', START), [], recorder);
    const final = recorder.finalInit!;
    const init = file().subarray(0, final.length);
    expect(boxesOf(init).map(({ type }) => type)).toEqual(['ftyp', 'moov']);
    expect(boxesOf(final).map(({ type }) => type)).toEqual(['ftyp', 'moov']);
    expect(final.equals(init)).toBe(false);
  });
});
