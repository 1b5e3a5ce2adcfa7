import type { EncoderSettings, PictureSize } from '../media/codecs.ts';

/** Bits per second up to a height; enough for clean faces at 30 frames a second. */
const LADDER: readonly (readonly [height: number, bitsPerSecond: number])[] = [
  [180, 250_000],
  [240, 350_000],
  [360, 650_000],
  [480, 1_000_000],
  [720, 1_800_000],
];
const MOST_BITS_PER_SECOND = 2_500_000;
/** Frame rate for which the encoder plans its budget; the actual rate may differ. */
const USUAL_FRAMES_PER_SECOND = 30;

/** The source scaled to this height, never enlarged; sides are even, as 4:2:0 requires. */
export function sizeAt(source: PictureSize, height: number): PictureSize {
  const scale = Math.min(1, height / source.height);
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(source.width), height: even(source.height) };
}

/** Encoder settings for this size. */
export function encodingOf(size: PictureSize): EncoderSettings {
  const step = LADDER.find(([height]) => size.height <= height);
  return {
    ...size,
    bitsPerSecond: step?.[1] ?? MOST_BITS_PER_SECOND,
    framesPerSecond: USUAL_FRAMES_PER_SECOND,
  };
}
