import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PARAMETER_SET_BYTES, MAX_UNITS_PER_PICTURE } from '../../rtmp/limits.ts';
import { readAacConfig } from '../codecs/aac.ts';
import {
  isBSlice,
  joinPicture,
  readAvcConfig,
  readSequenceSet,
  splitPicture,
  UNIT,
  writeAvcConfig,
} from '../codecs/avc-config.ts';
import { MAX_PAYLOAD_BYTES, picturePayloads } from '../codecs/h264.ts';
import { readSoundTag, readVideoTag, writeSoundTag, writeVideoTag, type VideoTag } from './flv.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const anyBytes = (maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ maxLength, size: 'max' }).map((bytes) => Buffer.from(bytes));

describe('video tags', () => {
  const picture = (compositionMs: number): VideoTag => ({
    kind: 'picture',
    compositionMs,
    units: hex('0102'),
  });

  it('read back as they were written, composition times of either sign included', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.integer({ min: -0x800000, max: 0x7fffff }),
        anyBytes(40),
        (keyframe, compositionMs, units) => {
          expect(readVideoTag(writeVideoTag(keyframe, 'picture', compositionMs, units)))
            .toEqual({ kind: 'picture', compositionMs, units });
          expect(readVideoTag(writeVideoTag(keyframe, 'config', 0, units)))
            .toEqual({ kind: 'config', record: units });
        },
      ),
    );
  });

  it.each([
    ['an enhanced header of H.264', '90617663310102', { kind: 'config', record: hex('0102') }],
    ['an enhanced picture', '9161766331ffffff0102', picture(-1)],
    ['an enhanced picture without a time', '93617663310102', picture(0)],
    ['the end of a sequence', '9261766331', { kind: 'nothing' }],
    ['metadata of colours', '9468766331', { kind: 'nothing' }],
    ['a command of a player', '5700', { kind: 'nothing' }],
    ['the end of a legacy sequence', '1702000000', { kind: 'nothing' }],
    ['HEVC', '906876633101', { kind: 'foreign', codec: 'hvc1' }],
    ['AV1', '916176303101', { kind: 'foreign', codec: 'av01' }],
    ['codec letters that are none', '91000a1b2201', { kind: 'foreign', codec: '....' }],
    ['several tracks', '9600', { kind: 'foreign', codec: 'multitrack' }],
    ['H.263', '1200', { kind: 'foreign', codec: 'flv 2' }],
    ['HEVC as some encoders write it', '1c01000000', { kind: 'foreign', codec: 'flv 12' }],
    ['nothing at all', '', null],
    ['a tag cut short', '17010000', null],
    ['an enhanced tag cut short', '91617663', null],
    ['an enhanced picture cut short', '91617663310000', null],
  ])('name %s', (_name, body, expected) => {
    expect(readVideoTag(hex(body))).toEqual(expected);
  });

  it('never throw, whatever the bytes', () => {
    fc.assert(
      fc.property(anyBytes(60), (bytes) => {
        readVideoTag(bytes);
        readSoundTag(bytes);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('sound tags', () => {
  it('read back as they were written', () => {
    const record = hex('1210');
    expect(readSoundTag(writeSoundTag('config', record))).toEqual({ kind: 'config', record });
    expect(readSoundTag(writeSoundTag('frame', record))).toEqual({ kind: 'frame', aac: record });
  });

  it.each([
    ['an enhanced header of AAC', '906d7034611210', { kind: 'config', record: hex('1210') }],
    ['an enhanced frame of AAC', '916d70346121', { kind: 'frame', aac: hex('21') }],
    ['a description of speakers', '946d703461', { kind: 'nothing' }],
    ['Opus', '914f70757300', { kind: 'foreign', codec: 'Opus' }],
    ['several tracks', '9500', { kind: 'foreign', codec: 'multitrack' }],
    ['MP3', '2fff', { kind: 'foreign', codec: 'flv 2' }],
    ['a tag cut short', 'af', null],
    ['nothing at all', '', null],
  ])('name %s', (_name, body, expected) => {
    expect(readSoundTag(hex(body))).toEqual(expected);
  });

  it.each([
    ['LC, 44.1 kHz, stereo', '1210', { objectType: 2, sampleRate: 44_100, channels: 2 }],
    ['LC, 48 kHz, mono', '1188', { objectType: 2, sampleRate: 48_000, channels: 1 }],
    ['LC, 48 kHz, 7.1', '11b8', { objectType: 2, sampleRate: 48_000, channels: 8 }],
    ['HE-AAC', '2b920800', { objectType: 5, sampleRate: 22_050, channels: 2 }],
    ['a rate written out', '17805dc010', { objectType: 2, sampleRate: 48_000, channels: 2 }],
    ['a rate nobody has', '1780000090', null],
    ['speakers described in the stream', '1200', null],
    ['AAC Main', '0a10', null],
    ['a rate that does not exist', '1690', null],
    ['a record cut short', '12', null],
  ])('describe %s', (_name, record, expected) => {
    expect(readAacConfig(hex(record))).toEqual(expected);
  });
});

/** Sequence parameter sets as x264 writes them. */
const SETS = {
  'High, B-frames': '67640028acd940780227e5c044000003000400000300f03c60c658',
  'High, none': '67640028acb200f0044fcb8088000003000800000301e078c19240',
  'High, interlaced': '67640028acd94078044fde0220000003002000000783e2c5b2c0',
  'High, scaling lists': '6764001eacb201407b6022000003000200000300781e2c5c90',
  'Baseline': '6742c01ed900a02ff970110000030001000003003c0f162e48',
  'Main, timing of a decoder':
    '674d401feca06c1ef37ff82800280880000003008000001e3130007a12000f427261803c60c658',
  'High 4:2:2': '677a001fbcd9405005bb0110000003001000000303c0f1831960',
  'High 10': '676e001fa6cd9405005bb0110000030001000003003c0f183196',
  'High 4:4:4': '67f4001e919b281407b60220000003002000000781e2c5b2c0',
} as const;

describe('sequence parameter sets', () => {
  it.each(
    [
      ['High, B-frames', 100, 1_920, 1_080, true, true, 2],
      ['High, none', 100, 1_920, 1_080, true, false, 0],
      ['High, interlaced', 100, 1_920, 1_080, true, true, 2],
      ['High, scaling lists', 100, 640, 480, true, false, 0],
      ['Baseline', 66, 640, 360, true, false, 0],
      ['Main, timing of a decoder', 77, 854, 480, true, true, 2],
      ['High 4:2:2', 122, 1_280, 720, false, true, 2],
      ['High 10', 110, 1_280, 720, false, true, 2],
      ['High 4:4:4', 244, 640, 480, false, true, 2],
    ] as const,
  )('of %s are understood', (name, profile, width, height, isCommonFormat, mayReorder, reorder) => {
    expect(readSequenceSet(hex(SETS[name])))
      .toMatchObject({ profile, width, height, isCommonFormat, mayReorder, reorder });
  });

  it('cut short, or of something else, are none', () => {
    const whole = hex(SETS['High, B-frames']);
    expect(readSequenceSet(whole.subarray(0, 8))).toBeNull();
    expect(readSequenceSet(hex('68ebe3cb22c0'))).toBeNull();
    expect(readSequenceSet(hex('67640028ffffffff'))).toBeNull();
  });

  it('never throw and never run on, whatever the bytes', () => {
    fc.assert(
      fc.property(anyBytes(80), (bytes) => {
        const read = readSequenceSet(Buffer.concat([hex('67'), bytes]));
        if (read) expect(read.width * read.height).toBeGreaterThan(0);
        isBSlice(Buffer.concat([hex('41'), bytes]));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('slices', () => {
  it.each([
    ['an IDR slice', '65888402bf', false],
    ['a P slice', '419a236c42', false],
    ['a B slice', '419e626a42', true],
    ['a B slice others refer to', '019e417884', true],
    ['a slice cut short', '41', false],
  ])('%s', (_name, unit, isB) => {
    expect(isBSlice(hex(unit))).toBe(isB);
  });
});

describe('decoder configuration records', () => {
  const [sequence, picture] = [hex(SETS['High, none']), hex('68ebe3cb22c0')];
  const record = writeAvcConfig(sequence, picture);

  it('read back as they were written', () => {
    expect(readAvcConfig(record))
      .toEqual({ lengthBytes: 4, sequenceSets: [sequence], pictureSets: [picture] });
  });

  it('cut at any place are none, and no other byte makes them throw', () => {
    for (let at = 0; at < record.length; at++) expect(readAvcConfig(record.subarray(0, at))).toBeNull();
    fc.assert(
      fc.property(fc.nat(record.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(record);
        changed[at] = byte;
        readAvcConfig(changed);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['another version', 0, 2],
    ['lengths of three bytes', 4, 0xfe],
    ['no sequence set', 5, 0xe0],
    ['more sequence sets than there are', 5, 0xff],
  ])('with %s are none', (_name, at, byte) => {
    const changed = Buffer.from(record);
    changed[at] = byte;
    expect(readAvcConfig(changed)).toBeNull();
  });

  it('with a parameter set of absurd length are none', () => {
    const long = Buffer.alloc(MAX_PARAMETER_SET_BYTES + 1, 0x67);
    expect(readAvcConfig(writeAvcConfig(long, picture))).toBeNull();
  });
});

describe('pictures', () => {
  const unit = fc.uint8Array({ minLength: 1, maxLength: 3_000 }).map((bytes) => Buffer.from(bytes));

  it('are split where they were joined', () => {
    fc.assert(fc.property(fc.array(unit, { maxLength: 6 }), (units) => {
      expect(splitPicture(joinPicture(units), 4)).toEqual(units);
    }));
  });

  it.each([
    ['a length beyond the end', '000000ff00', 4],
    ['a length cut short', '0000', 4],
    ['a length beyond the end, in two bytes', '00020a', 2],
  ])('with %s are broken', (_name, picture, lengthBytes) => {
    expect(splitPicture(hex(picture), lengthBytes)).toBeNull();
  });

  it('of more units than any encoder makes are broken', () => {
    const tiny = Array.from({ length: MAX_UNITS_PER_PICTURE + 1 }, () => hex('41'));
    expect(splitPicture(joinPicture(tiny), 4)).toBeNull();
  });

  it('become packets with their parameter sets before them, and nothing that is no picture', () => {
    fc.assert(fc.property(fc.array(unit, { minLength: 1, maxLength: 4 }), (units) => {
      const sets = [hex(SETS['High, none']), hex('68ebe3cb22c0')];
      const slices = units.map((item) => Buffer.concat([hex('65'), item]));
      const [head, ...rest] = picturePayloads(sets, [hex('0910'), hex('0605'), ...slices, hex('0cff')]);
      expect(head![0]! & 31).toBe(24);
      expect(rest.every((payload) => payload.length <= MAX_PAYLOAD_BYTES)).toBe(true);
      const types = new Set(rest.map((payload) => payload[0]! & 31));
      expect([...types].every((type) => type === UNIT.idr || type === 28)).toBe(true);
    }));
    expect(picturePayloads([hex(SETS['High, none'])], [hex('0605')])).toEqual([]);
  });

  it('with parameter sets that fill no packet are sent set by set', () => {
    const sets = [Buffer.alloc(1_000, 0x67), Buffer.alloc(1_000, 0x68)];
    const types = picturePayloads(sets, [hex('6588')]).map((payload) => payload[0]! & 31);
    expect(types).toEqual([7, 8, 5]);
  });
});
