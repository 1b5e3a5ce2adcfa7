import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parametersOf } from '../codecs/h264-parameters.ts';
import { splitUnits } from '../codecs/h264.ts';
import { sampleParts, SOUND_TRACK, VIDEO_TIMESCALE, VIDEO_TRACK, writeFragment, writeInit } from './fmp4.ts';
import { readRecordedFile } from './recorded-file.ts';

const SECONDS = 6;
const LOOPS = new URL('../../../../product/testkit/loops/', import.meta.url);
const SOUND = { config: Buffer.of(0x11, 0x90), channels: 2, bitsPerSecond: 96_000 };

/** A header, and the fragments after it: a second of video and slightly less audio each. */
function movie(): { head: Buffer; fragments: Buffer[] } {
  const units = splitUnits(readFileSync(new URL('candle.h264', LOOPS))).slice(0, 12);
  const video = parametersOf(units, null);
  if (!video) throw new Error('the loop has no parameter sets');
  const picture = sampleParts([units.at(-1) ?? Buffer.alloc(1)]);
  const fragments = Array.from({ length: SECONDS }, (_, at) =>
    writeFragment(at + 1, [
      {
        track: VIDEO_TRACK,
        decodeTime: at * VIDEO_TIMESCALE,
        samples: [1, 2].map((number) => ({
          parts: picture,
          duration: VIDEO_TIMESCALE / 2,
          composition: 0,
          keyframe: number === 1,
        })),
      },
      {
        track: SOUND_TRACK,
        decodeTime: at * 46 * 1_024,
        samples: Array.from({ length: 46 }, () => ({
          parts: [Buffer.alloc(9)],
          duration: 1_024,
          composition: 0,
          keyframe: true,
        })),
      },
    ]));
  return { head: writeInit(video, SOUND), fragments };
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorded-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const read = (bytes: Uint8Array): ReturnType<typeof readRecordedFile> => {
  const file = join(folder, 'one.mp4');
  writeFileSync(file, bytes);
  return readRecordedFile(file);
};

describe('a recorded file', () => {
  const { head, fragments } = movie();
  const whole = Buffer.concat([head, ...fragments]);

  it('has its length, size and picture read', async () => {
    expect(await read(whole)).toEqual({
      bytes: whole.length,
      durationMs: SECONDS * 1_000,
      width: 640,
      height: 360,
    });
  });

  it('is good up to its last whole fragment, wherever it was cut off', async () => {
    let end = head.length;
    for (const [at, fragment] of fragments.entries()) {
      for (const cut of [1, 7, 8, 100, fragment.length - 1]) {
        const found = await read(whole.subarray(0, end + cut));
        if (at === 0) expect(found).toBeNull();
        else expect(found).toMatchObject({ bytes: end, durationMs: at * 1_000 });
      }
      end += fragment.length;
    }
  });

  it('is nothing without a fragment, without a header, and when it is not there', async () => {
    for (const none of [Buffer.alloc(0), head, head.subarray(0, 20), Buffer.from('not a film at all')]) {
      expect(await read(none)).toBeNull();
    }
    expect(await readRecordedFile(join(folder, 'absent.mp4'))).toBeNull();
    expect(await read(fragments[0] ?? Buffer.alloc(0))).toBeNull();
  });

  it('never breaks the reader, whatever stands in it', async () => {
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    const changes = fc.array(change, { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(changes, fc.nat(whole.length), async (list, length) => {
        const bytes = Buffer.from(whole.subarray(0, length));
        for (const [at, value] of list) bytes[at] = value;
        const found = await read(bytes);
        expect(found === null || (found.bytes <= length && found.durationMs >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
