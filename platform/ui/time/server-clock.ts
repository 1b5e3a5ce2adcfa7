import { createContext, useContext } from 'react';

/** How far the two clocks of a device may run apart before the server is asked for its time again. */
const DOUBT_MS = 2_000;
/** The least time between two such requests: an unreachable server is not asked each second. */
const ASK_EVERY_MS = 10_000;

/** Milliseconds since the page was opened, by a clock that cannot be set: for measurements within a page. */
export const runningMs = (): number => performance.now();

/**
 * The server's time, as far as a page can know it. A browser's clock may be an hour off, or be set while the
 * page lives, so it is never compared with a time of the server. Each answer states the server's time at some
 * moment between request and response. This limits the server's lead over the page's running time to a range,
 * and each further answer narrows it. An answer outside the range (the device slept, the server's clock was
 * set) starts a new one.
 */
export class ServerClock {
  /** The server's time when the document was made; the same on the server and while the browser hydrates. */
  readonly startMs: number;
  /** Bounds of the server's time less {@link runningMs}. */
  #low: number;
  #high = Number.POSITIVE_INFINITY;
  /** How far the browser's clock was ahead of the running time when the server last stated its time. */
  #wallLeadMs = Date.now() - runningMs();
  #askedAtMs = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Set<() => void>();
  /** Makes any call, because its answer states the time. */
  #ask: (() => void) | null = null;

  /** @param documentMs the server's time in the document; when absent, unknown until a call is answered */
  constructor(documentMs?: number) {
    this.startMs = documentMs ?? Date.now();
    this.#low = this.startMs - runningMs();
  }

  /** The server's time now, in ms since 1970. */
  readonly now = (): number => {
    const ahead = Number.isFinite(this.#high) ? (this.#low + this.#high) / 2 : this.#low;
    return runningMs() + ahead;
  };

  /** Begins to measure a request: call the result with the time its answer says, in ms since 1970. */
  readonly begin = (): (serverTime: string | null) => void => {
    const sentAtMs = runningMs();
    return (serverTime) => {
      const serverMs = serverTime === null ? Number.NaN : Number(serverTime);
      if (Number.isFinite(serverMs)) this.#measured(serverMs, sentAtMs);
    };
  };

  #measured(serverMs: number, sentAtMs: number): void {
    const receivedAtMs = runningMs();
    const [low, high] = [serverMs - receivedAtMs, serverMs - sentAtMs];
    const fits = low <= this.#high && high >= this.#low;
    this.#low = fits ? Math.max(low, this.#low) : low;
    this.#high = fits ? Math.min(high, this.#high) : high;
    this.#wallLeadMs = Date.now() - receivedAtMs;
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
    for (const notify of this.#listeners) notify();
  }

  /** Sets the function that asks the server for its time, until the returned function is called. */
  asksBy(ask: () => void): () => void {
    this.#ask = ask;
    return () => {
      if (this.#ask === ask) this.#ask = null;
    };
  }

  /**
   * Asks the server again when the two clocks of the device disagree: one was set, or stopped while the
   * device slept. Only the server can say which of them is wrong.
   */
  readonly check = (): void => {
    const atMs = runningMs();
    if (Math.abs(Date.now() - atMs - this.#wallLeadMs) < DOUBT_MS) return;
    if (atMs - this.#askedAtMs < ASK_EVERY_MS) return;
    this.#askedAtMs = atMs;
    this.#ask?.();
  };

  /** Calls `listener` after each answer that said the time, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Converts the time at which the server read data into the browser's clock, which the cache uses. */
  readonly storedAt = (atMs: number): number => Date.now() - Math.max(0, this.now() - atMs);
}

const ServerClockContext = createContext<ServerClock | null>(null);
export const ServerClockProvider = ServerClockContext.Provider;

/** The server's clock, for all comparisons with a time of the server. */
export function useServerClock(): ServerClock {
  const clock = useContext(ServerClockContext);
  if (!clock) throw new Error('useServerClock needs a ServerClockProvider above it');
  return clock;
}
