import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { boxesOf, inside, readFragment } from '../../outputs/trial/read-fragment.ts';
import { parametersOf } from '../codecs/h264-parameters.ts';
import { splitUnits } from '../codecs/h264.ts';
import {
  sampleParts,
  SOUND_TRACK,
  VIDEO_TRACK,
  writeFragment,
  writeInit,
  type Sample,
  type TrackRun,
} from './fmp4.ts';

const loops = fileURLToPath(new URL('../../../../product/testkit/loops/', import.meta.url));
const parameters = parametersOf(splitUnits(readFileSync(`${loops}candle.h264`)).slice(0, 2), null)!;
const sound = { config: Buffer.from([0x11, 0x90]), channels: 2, bitsPerSecond: 128_000 };

const typesOf = (bytes: Buffer): string[] => boxesOf(bytes).map(({ type }) => type);

describe('an initialisation segment', () => {
  it('describes both tracks, in boxes that fill each other to the byte', () => {
    const init = writeInit(parameters, sound);
    expect(typesOf(init)).toEqual(['ftyp', 'moov']);
    expect(typesOf(inside(init, 'moov'))).toEqual(['mvhd', 'trak', 'trak', 'mvex']);
    const table = inside(init, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd');
    const entry = boxesOf(table.subarray(8))[0]!;
    expect(entry.type).toBe('avc1');
    const record = boxesOf(entry.content.subarray(78))[0]!;
    expect(record.type).toBe('avcC');
    expect(record.content.includes(parameters.sequences[0]!)).toBe(true);
    expect(record.content.includes(parameters.pictures[0]!)).toBe(true);
  });

  it('is as long with a duration as without, so that one can be put over the other', () => {
    const [open, whole] = [writeInit(parameters, sound), writeInit(parameters, sound, 3_600_000)];
    expect(whole.length).toBe(open.length);
    expect(whole.equals(open)).toBe(false);
    expect(typesOf(inside(writeInit(parameters, null, 5), 'moov'))).toEqual(['mvhd', 'trak', 'mvex']);
  });
});

describe('a fragment', () => {
  it('gives every sample back, with its time and whether it stands alone', () => {
    const part = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes));
    const sample = fc.record({
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
      duration: fc.integer({ min: 1, max: 1e6 }),
      composition: fc.oneof(fc.constant(0), fc.integer({ min: -1e5, max: 1e6 })),
      keyframe: fc.boolean(),
    });
    const samples = fc.array(sample, { maxLength: 12 });
    const time = fc.integer({ min: 0, max: 2 ** 45 });
    fc.assert(
      fc.property(samples, samples, time, time, (pictures, sounds, videoTime, soundTime) => {
        const runs: TrackRun[] = [
          { track: VIDEO_TRACK, decodeTime: videoTime, samples: pictures },
          { track: SOUND_TRACK, decodeTime: soundTime, samples: sounds },
        ];
        const fragment = writeFragment(1, runs);
        expect(typesOf(fragment)).toEqual(['moof', 'mdat']);
        const given = runs.filter(({ samples: some }) => some.length > 0);
        const back = readFragment(fragment);
        expect(back.map(({ track, decodeTime }) => [track, decodeTime]))
          .toEqual(given.map(({ track, decodeTime }) => [track, decodeTime]));
        const shown = (
          data: Buffer,
          { duration, composition, keyframe }: Omit<Sample, 'parts'>,
        ): string => `${data.toString('hex')} ${duration} ${composition} ${keyframe}`;
        expect(back.flatMap(({ samples: some }) => some.map((item) => shown(item.data, item))))
          .toEqual(
            given.flatMap(({ samples: some }) =>
              some.map((item) => shown(Buffer.concat([...item.parts]), item))
            ),
          );
      }),
      { numRuns: 200 },
    );
  });

  it('writes composition offsets as ISO/IEC 14496-12 §8.8.8 has them, only where there are any', () => {
    const sample = (composition: number, keyframe = false) => ({
      parts: [Buffer.of(1)],
      duration: 3_000,
      composition,
      keyframe,
    });
    const runOf = (samples: readonly Sample[]): string => {
      const fragment = writeFragment(1, [{ track: VIDEO_TRACK, decodeTime: 0, samples }]);
      return inside(fragment, 'moof', 'traf', 'trun').toString('hex');
    };
    // Version 1, flags 0xf01; count and data offset; then duration, size, flags and offset of each sample.
    expect(runOf([sample(6_000, true), sample(-3_000)]))
      .toBe([
        '01000f01',
        '00000002',
        '00000080',
        '00000bb8',
        '00000001',
        '02000000',
        '00001770',
        '00000bb8',
        '00000001',
        '01010000',
        'fffff448',
      ].join(''));
    expect(runOf([sample(0, true)])).toMatch(/^00000701/u);
  });

  it('holds units with their lengths before them', () => {
    expect(Buffer.concat(sampleParts([Buffer.from([0x65, 1, 2]), Buffer.from([0x41])])).toString('hex'))
      .toBe('000000036501020000000141');
  });
});
