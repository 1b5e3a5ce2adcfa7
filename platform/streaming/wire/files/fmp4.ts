import type { ParameterSets } from '../codecs/h264-parameters.ts';

/**
 * Fragmented MP4 (ISO/IEC 14496-12, -14 and -15): one H.264 track in ticks of 90 kHz, one AAC track in
 * samples of 48 kHz. An initialisation segment, then any number of independent fragments.
 */

export const VIDEO_TIMESCALE = 90_000;
const SOUND_TIMESCALE = 48_000;
export const VIDEO_TRACK = 1;
export const SOUND_TRACK = 2;
const MOVIE_TIMESCALE = 1_000;

export interface SoundForm {
  /** AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1), up to a hundred bytes. */
  readonly config: Buffer;
  readonly channels: number;
  readonly bitsPerSecond: number;
}

export interface Sample {
  readonly parts: readonly Buffer[];
  /** In the timescale of its track. */
  readonly duration: number;
  /** How much later than decoded it is shown; may be negative. */
  readonly composition: number;
  readonly keyframe: boolean;
}

/** Consecutive samples of one track, in decoding order. */
export interface TrackRun {
  readonly track: number;
  /** Decoding time of the first sample since the start of the track, in the track's timescale. */
  readonly decodeTime: number;
  readonly samples: readonly Sample[];
}

const u8 = (...values: number[]): Buffer => Buffer.from(values);

function u16(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2);
  return bytes;
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, i * 4);
  return bytes;
}

function u64(value: number): Buffer {
  return u32(Math.floor(value / 2 ** 32), value % 2 ** 32);
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const size = parts.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(size), Buffer.from(type, 'latin1'), ...parts], size);
}

const fullBox = (type: string, version: number, flags: number, ...parts: readonly Buffer[]): Buffer =>
  box(type, u32(version * 0x1000000 + flags), ...parts);

/** The identity matrix, in fixed-point numbers of 16.16 and 2.30 bits. */
const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const UNDETERMINED_LANGUAGE = 0x55c4;
/** Flags of samples (§8.8.3.1): one that is independent, and one that depends on others. */
const STANDS_ALONE = 0x02000000;
const NEEDS_OTHERS = 0x01010000;
/** Flags of a `trun` (§8.8.8): a data offset, and for each sample its duration, size and flags. */
const PLAIN_RUN = 0x701;
/** The same, with a composition offset. */
const COMPOSED_RUN = PLAIN_RUN | 0x800;

/**
 * The initialisation segment.
 *
 * @param durationMs of a complete file; 0 while it is not known
 */
export function writeInit(video: ParameterSets, sound: SoundForm | null, durationMs = 0): Buffer {
  const tracks = [videoTrack(video, durationMs), ...(sound ? [soundTrack(sound, durationMs)] : [])];
  const defaults = tracks.map((_, i) => fullBox('trex', 0, 0, u32(i + 1, 1, 0, 0, 0)));
  const extension = box('mvex', fullBox('mehd', 0, 0, u32(durationMs)), ...defaults);
  const movie = fullBox(
    'mvhd',
    0,
    0,
    u32(0, 0, MOVIE_TIMESCALE, durationMs, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    MATRIX,
    u32(0, 0, 0, 0, 0, 0, tracks.length + 1),
  );
  const brands = Buffer.from('iso5\0\0\x02\0iso5iso6mp41', 'latin1');
  return Buffer.concat([box('ftyp', brands), box('moov', movie, ...tracks, extension)]);
}

function videoTrack(video: ParameterSets, durationMs: number): Buffer {
  const { width, height } = video;
  const head = fullBox(
    'tkhd',
    0,
    3,
    u32(0, 0, VIDEO_TRACK, 0, durationMs, 0, 0),
    u16(0, 0, 0, 0),
    MATRIX,
    u32(width * 0x10000, height * 0x10000),
  );
  const entry = box(
    'avc1',
    u16(0, 0, 0, 1),
    u32(0, 0, 0, 0),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(0x18, 0xffff),
    box('avcC', avcConfiguration(video)),
  );
  return box('trak', head, media(VIDEO_TIMESCALE, 'vide', fullBox('vmhd', 0, 1, u16(0, 0, 0, 0)), entry));
}

function soundTrack(sound: SoundForm, durationMs: number): Buffer {
  const head = fullBox(
    'tkhd',
    0,
    3,
    u32(0, 0, SOUND_TRACK, 0, durationMs, 0, 0),
    u16(0, 1, 0x100, 0),
    MATRIX,
    u32(0, 0),
  );
  const entry = box(
    'mp4a',
    u16(0, 0, 0, 1),
    u32(0, 0),
    u16(sound.channels, 16, 0, 0),
    u32(SOUND_TIMESCALE * 0x10000),
    fullBox('esds', 0, 0, soundDescriptor(sound)),
  );
  return box('trak', head, media(SOUND_TIMESCALE, 'soun', fullBox('smhd', 0, 0, u16(0, 0)), entry));
}

function media(timescale: number, handler: string, header: Buffer, entry: Buffer): Buffer {
  const reference = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)));
  const table = box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), entry),
    fullBox('stts', 0, 0, u32(0)),
    fullBox('stsc', 0, 0, u32(0)),
    fullBox('stsz', 0, 0, u32(0, 0)),
    fullBox('stco', 0, 0, u32(0)),
  );
  return box(
    'mdia',
    fullBox('mdhd', 0, 0, u32(0, 0, timescale, 0), u16(UNDETERMINED_LANGUAGE, 0)),
    fullBox('hdlr', 0, 0, u32(0), Buffer.from(handler, 'latin1'), u32(0, 0, 0), u8(0)),
    box('minf', header, reference, table),
  );
}

/** AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1). */
function avcConfiguration(video: ParameterSets): Buffer {
  const { profile, constraints, level, chroma, lumaBits, chromaBits, sequences, pictures } = video;
  const listed = (units: readonly Buffer[]): Buffer[] => units.flatMap((unit) => [u16(unit.length), unit]);
  const isHigh = ![66, 77, 88].includes(profile);
  return Buffer.concat([
    u8(1, profile, constraints, level, 0xff, 0xe0 | sequences.length),
    ...listed(sequences),
    u8(pictures.length),
    ...listed(pictures),
    ...(isHigh ? [u8(0xfc | chroma, 0xf8 | (lumaBits - 8), 0xf8 | (chromaBits - 8), 0)] : []),
  ]);
}

/** ES_Descriptor of AAC (ISO/IEC 14496-1 §7.2.6.5, -14 §3.1.2). */
function soundDescriptor({ config, bitsPerSecond }: SoundForm): Buffer {
  const described = (tag: number, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    return Buffer.concat([u8(tag, content.length), content]);
  };
  const decoder = described(
    4,
    u8(0x40, 0x15, 0, 0, 0),
    u32(bitsPerSecond, bitsPerSecond),
    described(5, config),
  );
  return described(3, u16(SOUND_TRACK), u8(0), decoder, described(6, u8(2)));
}

/**
 * One fragment: `moof` and `mdat`. Runs without samples are left out.
 *
 * @param sequence from 1, counting up
 */
export function writeFragment(sequence: number, runs: readonly TrackRun[]): Buffer {
  const filled = runs.filter(({ samples }) => samples.length > 0);
  const data = filled.map(({ samples }) => samples.flatMap(({ parts }) => parts));
  const sizes = data.map((parts) => parts.reduce((sum, part) => sum + part.length, 0));
  const head = (dataAt: number): Buffer => {
    let at = dataAt;
    const tracks = filled.map((run, i) => {
      const track = trackFragment(run, at);
      at += sizes[i]!;
      return track;
    });
    return box('moof', fullBox('mfhd', 0, 0, u32(sequence)), ...tracks);
  };
  // Offsets count from the start of `moof`, whose length does not depend on them.
  const size = head(0).length;
  const total = sizes.reduce((sum, number) => sum + number, 8);
  return Buffer.concat([head(size + 8), u32(total), Buffer.from('mdat', 'latin1'), ...data.flat()]);
}

function trackFragment({ track, decodeTime, samples }: TrackRun, dataAt: number): Buffer {
  const isComposed = samples.some(({ composition }) => composition !== 0);
  const table = samples.map(({ parts, duration, composition, keyframe }) => {
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const entry = u32(duration, size, keyframe ? STANDS_ALONE : NEEDS_OTHERS);
    return isComposed ? Buffer.concat([entry, u32(composition)]) : entry;
  });
  // Version 1 has signed offsets.
  const [version, flags] = isComposed ? [1, COMPOSED_RUN] as const : [0, PLAIN_RUN] as const;
  return box(
    'traf',
    fullBox('tfhd', 0, 0x20000, u32(track)),
    fullBox('tfdt', 1, 0, u64(decodeTime)),
    fullBox('trun', version, flags, u32(samples.length, dataAt), ...table),
  );
}

/** A picture's units, each after its length, as in a sample. */
export function sampleParts(units: readonly Buffer[]): Buffer[] {
  return units.flatMap((unit) => [u32(unit.length), unit]);
}
