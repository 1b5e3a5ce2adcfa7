import { BitReader } from './bit-reader.ts';

/** AudioSpecificConfig (ISO 14496-3 §1.6.2.1): describes an AAC stream; RTMP sends it before the audio. */

export interface AacConfig {
  readonly objectType: number;
  readonly sampleRate: number;
  readonly channels: number;
}

const RATES = [
  96_000,
  88_200,
  64_000,
  48_000,
  44_100,
  32_000,
  24_000,
  22_050,
  16_000,
  12_000,
  11_025,
  8_000,
  7_350,
] as const;
/** Channels by channel configuration; 0 would describe them in the stream, which encoders do not use. */
const CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8] as const;
const EXPLICIT_RATE = 15;
/** LC, and HE-AAC in its two versions: what encoders send. */
const KNOWN_TYPES: ReadonlySet<number> = new Set([2, 5, 29]);
/** Longer ones carry extensions that we do not need. */
const MAX_BYTES = 64;

/** Null when it is not AAC that we can decode. */
export function readAacConfig(record: Buffer): AacConfig | null {
  if (record.length > MAX_BYTES) return null;
  const bits = new BitReader(record);
  const objectType = bits.bits(5);
  const rate = bits.bits(4);
  const sampleRate = rate === EXPLICIT_RATE ? bits.bits(24) : RATES[rate] ?? 0;
  const channels = CHANNELS[bits.bits(4)] ?? 0;
  if (bits.overrun || !KNOWN_TYPES.has(objectType) || channels === 0) return null;
  if (sampleRate < RATES.at(-1)! || sampleRate > RATES[0]) return null;
  return { objectType, sampleRate, channels };
}
