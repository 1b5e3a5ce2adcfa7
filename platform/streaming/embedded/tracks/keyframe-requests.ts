import type { Clock } from '#platform/data/clock.ts';
import { KEYFRAME_SPACING_MS } from '../../limits.ts';

export interface KeyframeRequestsOptions {
  readonly clock: Clock;
  /** Sends one request to the publisher. */
  readonly send: () => void;
  /** Whether somebody still waits for a keyframe. */
  readonly wanted: () => boolean;
}

/** Keyframe requests to one publisher: spaced, deferred, and repeated until nobody waits any more. */
export class KeyframeRequests {
  readonly #options: KeyframeRequestsOptions;
  #cancel: (() => void) | null = null;

  constructor(options: KeyframeRequestsOptions) {
    this.#options = options;
  }

  /**
   * Asks now, or, so soon after another request, when the spacing is over and the keyframe still did not
   * come.
   */
  ask(): void {
    if (this.#cancel) return;
    const { clock, send, wanted } = this.#options;
    send();
    this.#cancel = clock.after('keyframe request', KEYFRAME_SPACING_MS, () => {
      this.#cancel = null;
      if (wanted()) this.ask();
    });
  }

  /** Forgets everything, because the publisher changed. */
  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
