/** So many counts without a new picture, and it stands still. */
const STILL_COUNTS = 4;
/** So many counts with new pictures in a row, and the session has proved itself. */
const STEADY_COUNTS = 10;

/** How the pictures of a session go on. */
export interface FrameProgress {
  /** The first picture came. */
  readonly isPlaying: boolean;
  /** Pictures counted so far. */
  readonly counted: number;
  /** Counts in a row without a new one though they were due, and with one. */
  readonly still: number;
  readonly moving: number;
}

export const NO_FRAMES: FrameProgress = { isPlaying: false, counted: 0, still: 0, moving: 0 };

/**
 * The pulse after one more count. Told once each: `steady` when pictures came for a while without a break,
 * `frozen` when they stay away though they are due.
 */
export function countFrames(
  frames: FrameProgress, counted: number, isExpected: boolean,
): { readonly frames: FrameProgress; readonly change: 'steady' | 'frozen' | null } {
  const isMoving = counted > frames.counted;
  const still = isMoving || !isExpected ? 0 : frames.still + 1;
  const moving = isMoving ? frames.moving + 1 : 0;
  const change = still === STILL_COUNTS ? 'frozen' : moving === STEADY_COUNTS ? 'steady' : null;
  return { frames: { ...frames, counted, still, moving }, change };
}
