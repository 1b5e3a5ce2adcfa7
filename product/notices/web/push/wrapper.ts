/** Where a browser remembers the id of its registration. */
export const PLAYER_ID = 'pushPlayerId';

/** Whether this browser can receive push messages at all. */
export const isPushPossible = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** A push SDK: that of the operator's provider, or ours on top of the browser's own push. */
export interface PushSdk {
  /** The id of this browser's registration; null without one. */
  readonly current: () => Promise<string | null>;
  /** Asks the person, then registers; null when the person or the browser refuses. */
  readonly register: () => Promise<string | null>;
  readonly end: () => Promise<void>;
}

/**
 * Wraps a push SDK that is loaded on first use. Calls made before that wait in a queue, and run in order once
 * it is loaded. If it cannot be loaded they resolve to undefined (spec 3 §7), and the next call tries again,
 * because the network may be back.
 */
export class PushWrapper {
  readonly #load: () => Promise<PushSdk>;
  #sdk: Promise<PushSdk | null> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(load: () => Promise<PushSdk>) {
    this.#load = load;
  }

  /** Runs after the calls before it; `undefined` where the SDK failed to load. */
  async call<Answer>(run: (sdk: PushSdk) => Promise<Answer>): Promise<Answer | undefined> {
    this.#sdk ??= this.#load().catch(() => {
      this.#sdk = null;
      return null;
    });
    const [sdk, before] = [this.#sdk, this.#last];
    const answer = (async () => {
      await before;
      const loaded = await sdk;
      return loaded === null ? undefined : run(loaded);
    })();
    // A failed call rejects for its caller, and does not block the calls after it.
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}
