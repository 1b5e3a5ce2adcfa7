import { DEFAULT_VIDEO_BITRATE, WEBCAM_CONSTRAINTS } from '../rules.ts';

/** What a page can publish: a video bit rate in kbit/s, and the lines that look sharp at it. */
export const SHARP = 3_500;
export const SHARPEST = 6_000;
export const VIDEO_FORMATS = [
  { kilobits: 600, lines: 480 },
  { kilobits: 1_200, lines: 480 },
  { kilobits: DEFAULT_VIDEO_BITRATE, lines: 480 },
  { kilobits: SHARP, lines: 720 },
  { kilobits: SHARPEST, lines: 1_080 },
] as const;

/** Upload needed beyond the video bit rate: audio, headers, and the rest of the household. */
const HEADROOM = 1.3;

/**
 * Whether an upload carries a bit rate.
 * @param uploadKilobits as measured; null if unmeasured, which suffices only for the usual rates
 */
export const uploadCarries = (uploadKilobits: number | null, kilobits: number): boolean =>
  kilobits <= DEFAULT_VIDEO_BITRATE || (uploadKilobits !== null && uploadKilobits >= kilobits * HEADROOM);

/** Lines of the video at any bit rate, also one that is not offered. */
export const linesAt = (kilobits: number): number =>
  VIDEO_FORMATS.findLast((format) => format.kilobits <= kilobits)?.lines ?? VIDEO_FORMATS[0].lines;

/** What the camera is asked for at a bit rate: never more lines than look sharp at it. */
export function videoConstraints(kilobits: number) {
  const lines = linesAt(kilobits);
  if (lines === WEBCAM_CONSTRAINTS.height.max) return WEBCAM_CONSTRAINTS;
  const { width, height, frameRate } = WEBCAM_CONSTRAINTS;
  const across = (lines * 16) / 9;
  return {
    width: { min: width.min, ideal: across, max: across },
    height: { min: height.min, ideal: lines, max: lines },
    frameRate,
  };
}

/** The bit rate to publish with: the chosen one, or the usual one if the upload does not carry that. */
export const bitrateFor = (
  chosen: number | null,
  uploadKilobits: number | null,
): number => (chosen !== null && uploadCarries(uploadKilobits, chosen) ? chosen : DEFAULT_VIDEO_BITRATE);

/** Parts of an upload check: a small one first, so that a slow line is not busy for long, then large ones. */
export const UPLOAD_FIRST_BYTES = 128 * 1_024;
export const UPLOAD_PART_BYTES = 512 * 1_024;
/** A part that takes at least this long is a sufficient measurement by itself. */
export const UPLOAD_SLOW_MS = 1_000;
/** Duration of the check: longer than the initial burst that many lines allow. */
export const UPLOAD_CHECK_MS = 3_000;
/** The most parts, about 12 MB: enough to measure what the sharpest video needs. */
export const MAX_UPLOAD_PARTS = 24;
