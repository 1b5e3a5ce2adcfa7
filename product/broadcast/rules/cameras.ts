import { SECOND_MS } from '#platform/time/units.ts';

/**
 * The most bits a second of a viewer's camera, video and audio: a face at 640x480, not a second broadcast.
 */
const MAX_CAMERA_BITS = 1_000_000;
/** Video bit rate at which a page publishes a camera, in kbit/s; audio takes up to 64 more. */
export const CAMERA_VIDEO_BITRATE = 700;
/** Seconds above the limit before a camera is cut: encoders overshoot for a moment when the scene changes. */
export const MAX_EXCESS_SECONDS = 5;
/** Cameras open at once in one process. Each has one reader, so this is a relay's share next to the rooms. */
export const MAX_CAMERAS = 500;

/** Claim of a token to see one camera; sealed by the server, for one person in one log-in session. */
export interface CameraClaim {
  readonly operatorId: number;
  readonly stream: string;
  readonly personId: number;
  /** Digest of the session. */
  readonly holder: string;
  /** ms since 1970. */
  readonly expires: number;
}

/** Parses an unsealed token; null if it is no claim. */
export function readCameraClaim(opened: unknown): CameraClaim | null {
  const claim = opened as Partial<CameraClaim> | null;
  if (!claim || typeof claim.stream !== 'string' || typeof claim.holder !== 'string') return null;
  const numbers = [claim.operatorId, claim.personId, claim.expires];
  return numbers.every((number) => Number.isSafeInteger(number)) ? (claim as CameraClaim) : null;
}

/** Seconds in a row above the limit, after one more second of measured bits. */
export const excessAfter = (
  seconds: number,
  bitsPerSecond: number,
): number => (bitsPerSecond > MAX_CAMERA_BITS ? seconds + 1 : 0);

/** How long a token to see a camera is valid: it is used at once, and a call gets a new one. */
export const CAMERA_TOKEN_MS = 60 * SECOND_MS;
