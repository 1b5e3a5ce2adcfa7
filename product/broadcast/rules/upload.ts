import { DEFAULT_VIDEO_BITRATE, WEBCAM_CONSTRAINTS } from '../rules.ts';

/** What a page can publish: a bit rate of the video in kbit/s, and the lines that it shows sharp. */
export const SHARP = 3_500;
export const SHARPEST = 6_000;
export const VIDEO_FORMATS = [
  { kilobits: 600, lines: 480 }, { kilobits: 1_200, lines: 480 },
  { kilobits: DEFAULT_VIDEO_BITRATE, lines: 480 },
  { kilobits: SHARP, lines: 720 }, { kilobits: SHARPEST, lines: 1_080 },
] as const;

/** Upload beyond the bit rate that sharper video needs: sound, headers, and the rest of the household. */
const HEADROOM = 1.3;

/**
 * Whether an upload carries a bit rate.
 * @param uploadKilobits as measured; null where it was not, which is enough for the usual rates alone
 */
export const uploadCarries = (uploadKilobits: number | null, kilobits: number): boolean =>
  kilobits <= DEFAULT_VIDEO_BITRATE || (uploadKilobits !== null && uploadKilobits >= kilobits * HEADROOM);

/** Lines of the video at a bit rate, which need not be one of the offered. */
export const linesAt = (kilobits: number): number =>
  VIDEO_FORMATS.findLast((format) => format.kilobits <= kilobits)?.lines ?? VIDEO_FORMATS[0].lines;

/** What the camera is asked for at a bit rate: never more lines than it shows sharp. */
export function videoConstraints(kilobits: number) {
  const lines = linesAt(kilobits);
  if (lines === WEBCAM_CONSTRAINTS.height.max) return WEBCAM_CONSTRAINTS;
  const { width, height, frameRate } = WEBCAM_CONSTRAINTS;
  const across = (lines * 16) / 9;
  return {
    width: { min: width.min, ideal: across, max: across },
    height: { min: height.min, ideal: lines, max: lines }, frameRate,
  };
}

/** The bit rate to publish with: the chosen one, or the usual one where the upload does not carry it. */
export const bitrateFor = (chosen: number | null, uploadKilobits: number | null): number =>
  (chosen !== null && uploadCarries(uploadKilobits, chosen) ? chosen : DEFAULT_VIDEO_BITRATE);

/** Parts of an upload check: a small one first, so that a slow line is not busy for long, then large ones. */
export const UPLOAD_FIRST_BYTES = 128 * 1_024;
export const UPLOAD_PART_BYTES = 512 * 1_024;
/** A part that takes as long as this is the measure by itself. */
export const UPLOAD_SLOW_MS = 1_000;
/** How long the check goes on: longer than the burst that many lines allow themselves. */
export const UPLOAD_CHECK_MS = 3_000;
/** At most so many parts, about 12 MB: enough to measure what the sharpest video needs. */
export const MAX_UPLOAD_PARTS = 24;
