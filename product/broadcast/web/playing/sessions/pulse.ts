/** So many counts without a new picture, and it stands still. */
const STILL_COUNTS = 4;
/** So many counts with new pictures in a row, and the session has proved itself. */
const STEADY_COUNTS = 10;

/** How the pictures of a session go on. */
export interface Pulse {
  /** The first picture came. */
  readonly isPlaying: boolean;
  /** Pictures counted so far. */
  readonly counted: number;
  /** Counts in a row without a new one though they were due, and with one. */
  readonly still: number;
  readonly moving: number;
}

export const REST: Pulse = { isPlaying: false, counted: 0, still: 0, moving: 0 };

/**
 * The pulse after one more count. Told once each: `steady` when pictures came for a while without a break,
 * `frozen` when they stay away though they are due.
 */
export function beat(
  pulse: Pulse, counted: number, isExpected: boolean,
): { readonly pulse: Pulse; readonly told: 'steady' | 'frozen' | null } {
  const isMoving = counted > pulse.counted;
  const still = isMoving || !isExpected ? 0 : pulse.still + 1;
  const moving = isMoving ? pulse.moving + 1 : 0;
  const told = still === STILL_COUNTS ? 'frozen' : moving === STEADY_COUNTS ? 'steady' : null;
  return { pulse: { ...pulse, counted, still, moving }, told };
}
