/** How often the gauge expects its tick. */
export const TICK_MS = 100;
/** Share of a past lag that remains after each tick: a lag of one second fades in about two. */
const DECAY = 0.9;

/**
 * How far the event loop is behind. Media waits in the native queue and comes in batches of up to a thousand
 * packets between two turns of the loop, so an old tick is also noticed in the middle of a batch.
 */
export class LagGauge {
  #lastTickMs: number;
  #recentMs = 0;

  constructor(nowMs: number) {
    this.#lastTickMs = nowMs;
  }

  /** Called every {@link TICK_MS}. Returns how late this tick is, in milliseconds. */
  tick(nowMs: number): number {
    const late = this.#late(nowMs);
    this.#recentMs = Math.max(late, this.#recentMs * DECAY);
    this.#lastTickMs = nowMs;
    return late;
  }

  /** Milliseconds behind, the recent past included. */
  lagMs(nowMs: number): number {
    return Math.max(this.#late(nowMs), this.#recentMs);
  }

  #late(nowMs: number): number {
    return Math.max(0, nowMs - this.#lastTickMs - TICK_MS);
  }
}
