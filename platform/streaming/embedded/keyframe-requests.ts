import type { Clock } from '../../data/clock.ts';
import { KEYFRAME_RETRY_MS, KEYFRAME_SPACING_MS } from '../limits.ts';

export interface KeyframeRequestsOptions {
  readonly clock: Clock;
  /** Sends one request to the publisher. */
  readonly send: () => void;
  /** True while somebody still waits for a keyframe. */
  readonly wanted: () => boolean;
}

/** Keyframe requests to one publisher: spaced, deferred and repeated until nobody waits any more. */
export class KeyframeRequests {
  readonly #options: KeyframeRequestsOptions;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(options: KeyframeRequestsOptions) {
    this.#options = options;
  }

  /** Asks as soon as the spacing allows. Asking again meanwhile changes nothing. */
  ask(): void {
    if (this.#cancel) return;
    const waitMs = this.#sentAtMs + KEYFRAME_SPACING_MS - this.#options.clock.now().getTime();
    if (waitMs <= 0) this.#send();
    else this.#cancel = this.#options.clock.after('keyframe request', waitMs, () => this.#send());
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #send(): void {
    const { clock, send, wanted } = this.#options;
    this.#sentAtMs = clock.now().getTime();
    send();
    this.#cancel = clock.after('keyframe retry', KEYFRAME_RETRY_MS, () => {
      this.#cancel = null;
      if (wanted()) this.ask();
    });
  }
}
