/** Where a browser remembers the id of its registration. */
export const PLAYER_ID = 'pushPlayerId';

/** Whether this browser can receive push messages at all. */
export const isPushPossible = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** What a push SDK does: that of the operator's provider, or ours, which stands on the browser's own push. */
export interface PushSdk {
  /** The id of this browser's registration; null without one. */
  readonly current: () => Promise<string | null>;
  /** Asks the person, registers; null when they or the browser say no. */
  readonly register: () => Promise<string | null>;
  readonly end: () => Promise<void>;
}

/**
 * Stands in front of a push SDK that is loaded when it is first needed: calls made before it is there wait
 * in a queue and run, in order, once it is. If it cannot be loaded they resolve empty (spec 3 §7), and the
 * next call tries again: the network may be back.
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
    // One that fails says so to its caller, and holds up nobody behind it.
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}
