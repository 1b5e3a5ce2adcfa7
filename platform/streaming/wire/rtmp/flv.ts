/**
 * FLV tag bodies as RTMP carries them (Adobe, "Video File Format 10.1" §E.4; Veovera, "Enhanced RTMP" 2 for
 * codecs named by four letters). Readers return null for invalid bytes, and never throw.
 */

export type VideoTag =
  /** AVCDecoderConfigurationRecord: parameter sets. */
  | { readonly kind: 'config'; readonly record: Buffer }
  /** One picture, in units after their lengths; shown `compositionMs` after its decoding time. */
  | { readonly kind: 'picture'; readonly compositionMs: number; readonly units: Buffer }
  /** A codec that cannot be shown, by its name. */
  | { readonly kind: 'foreign'; readonly codec: string }
  /** Nothing to show: end of sequence, metadata, commands. */
  | { readonly kind: 'nothing' };

export type SoundTag =
  /** AudioSpecificConfig. */
  | { readonly kind: 'config'; readonly record: Buffer }
  | { readonly kind: 'frame'; readonly aac: Buffer }
  | { readonly kind: 'foreign'; readonly codec: string }
  | { readonly kind: 'nothing' };

const AVC = 7;
const AAC = 10;
/** Frame type "video info/command frame": one byte for a player's seeking, no picture. */
const COMMAND_FRAME = 5;
const SEQUENCE_START = 0;
const CODED = 1;
/** Enhanced RTMP: coded frames without a composition time. */
const CODED_NO_OFFSET = 3;
const MULTITRACK = 6;
/** Enhanced RTMP: sound format 9 names its codec by four letters. */
const ENHANCED_SOUND = 9;
const SOUND_MULTITRACK = 5;
const NOTHING = { kind: 'nothing' } as const;

export function readVideoTag(body: Buffer): VideoTag | null {
  const first = body[0];
  if (first === undefined) return null;
  if ((first & 0x80) !== 0) return readEnhancedVideo(body, first);
  if (first >> 4 === COMMAND_FRAME) return NOTHING;
  const codec = first & 15;
  if (codec !== AVC) return { kind: 'foreign', codec: `flv ${codec}` };
  if (body.length < 5) return null;
  if (body[1] === SEQUENCE_START) return { kind: 'config', record: body.subarray(5) };
  if (body[1] !== CODED) return NOTHING;
  return { kind: 'picture', compositionMs: body.readIntBE(2, 3), units: body.subarray(5) };
}

function readEnhancedVideo(body: Buffer, first: number): VideoTag | null {
  const packet = first & 15;
  if (((first >> 4) & 7) === COMMAND_FRAME) return NOTHING;
  if (packet === MULTITRACK) return { kind: 'foreign', codec: 'multitrack' };
  if (body.length < 5) return null;
  const codec = fourLetters(body);
  if (codec !== 'avc1') return packet <= CODED_NO_OFFSET ? { kind: 'foreign', codec } : NOTHING;
  if (packet === SEQUENCE_START) return { kind: 'config', record: body.subarray(5) };
  if (packet === CODED_NO_OFFSET) return { kind: 'picture', compositionMs: 0, units: body.subarray(5) };
  if (packet !== CODED) return NOTHING;
  if (body.length < 8) return null;
  return { kind: 'picture', compositionMs: body.readIntBE(5, 3), units: body.subarray(8) };
}

export function readSoundTag(body: Buffer): SoundTag | null {
  const first = body[0];
  if (first === undefined) return null;
  const format = first >> 4;
  if (format === ENHANCED_SOUND) return readEnhancedSound(body, first & 15);
  if (format !== AAC) return { kind: 'foreign', codec: `flv ${format}` };
  if (body.length < 2) return null;
  return body[1] === SEQUENCE_START
    ? { kind: 'config', record: body.subarray(2) }
    : { kind: 'frame', aac: body.subarray(2) };
}

function readEnhancedSound(body: Buffer, packet: number): SoundTag | null {
  if (packet === SOUND_MULTITRACK) return { kind: 'foreign', codec: 'multitrack' };
  if (body.length < 5) return null;
  const codec = fourLetters(body);
  if (codec !== 'mp4a') return packet <= CODED ? { kind: 'foreign', codec } : NOTHING;
  if (packet === SEQUENCE_START) return { kind: 'config', record: body.subarray(5) };
  return packet === CODED ? { kind: 'frame', aac: body.subarray(5) } : NOTHING;
}

/** Letters, digits and the like; any other character becomes a dot, since the name is shown to people. */
const fourLetters = (body: Buffer): string => body.toString('latin1', 1, 5).replaceAll(/[^\w.-]/g, '.');

/** The body of a legacy H.264 tag, as encoders send it. */
export function writeVideoTag(
  keyframe: boolean,
  packet: 'config' | 'picture',
  compositionMs: number,
  content: Buffer,
): Buffer {
  const kind = packet === 'config' ? SEQUENCE_START : CODED;
  const head = Buffer.from([(keyframe ? 0x10 : 0x20) | AVC, kind, 0, 0, 0]);
  head.writeIntBE(compositionMs, 2, 3);
  return Buffer.concat([head, content]);
}

/** The body of a legacy AAC tag; the rate and size in its first byte are fixed for AAC. */
export function writeSoundTag(packet: 'config' | 'frame', content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xaf, packet === 'config' ? SEQUENCE_START : CODED]), content]);
}
