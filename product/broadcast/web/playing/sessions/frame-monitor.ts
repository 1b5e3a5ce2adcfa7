/** Counts without a new frame after which playback is frozen. */
const STILL_COUNTS = 4;
/** Counts in a row with new frames after which playback is steady. */
const STEADY_COUNTS = 10;

/** Frames of a session, counted at intervals. */
export interface FrameProgress {
  /** The first frame has arrived. */
  readonly isPlaying: boolean;
  /** Frames counted so far. */
  readonly counted: number;
  /** Counts in a row without an expected frame, and with one. */
  readonly still: number;
  readonly moving: number;
}

export const NO_FRAMES: FrameProgress = { isPlaying: false, counted: 0, still: 0, moving: 0 };

/**
 * Progress after one more count. `change` is returned once each: `steady` after frames without a break,
 * `frozen` when expected frames stop.
 */
export function countFrames(
  frames: FrameProgress,
  counted: number,
  isExpected: boolean,
): { readonly frames: FrameProgress; readonly change: 'steady' | 'frozen' | null } {
  const isMoving = counted > frames.counted;
  const still = isMoving || !isExpected ? 0 : frames.still + 1;
  const moving = isMoving ? frames.moving + 1 : 0;
  const change = still === STILL_COUNTS ? 'frozen' : moving === STEADY_COUNTS ? 'steady' : null;
  return { frames: { ...frames, counted, still, moving }, change };
}
