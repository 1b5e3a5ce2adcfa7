import type { Clock } from '#platform/data/clock.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { FaultScript } from './faults.ts';

/** A callback as it is sent. */
export interface WireCallback {
  readonly method: 'GET' | 'POST';
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Delivers a callback to the shop and returns the status of the answer; rejects when it cannot be delivered.
 */
export type Carry = (callback: WireCallback) => Promise<number>;

export interface CourierOptions {
  readonly clock: Clock;
  readonly carry: Carry;
  readonly script: FaultScript;
  /** Makes a forged callback like this one, which the processor never sent. */
  readonly forge: (callback: WireCallback) => WireCallback;
  /** Changes a callback that is sent again, e.g. the number of its delivery. */
  readonly again: (callback: WireCallback) => WireCallback;
  /** Waits between tries, in milliseconds; after the last one it gives up. */
  readonly retryMs: readonly number[];
}

/** How long a callback is held back to be sent after the next one; then it goes by itself. */
const HELD_MS = 5_000;
const LATE_MS = 72 * HOUR_MS;

/**
 * Sends callbacks as processors do: again until the shop answers 2xx, with growing waits, and with injected
 * faults on the way.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #inFlight = new Set<Promise<void>>();
  #held: { readonly callback: WireCallback; readonly release: () => void } | null = null;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  send(callback: WireCallback): void {
    const { script, clock, forge } = this.#options;
    const fault = script.take('callback');
    if (fault === 'lost') return;
    if (fault === 'delay') {
      clock.after('late callback', LATE_MS, () => this.#start(callback));
      return;
    }
    if (fault === 'reorder') {
      this.#hold(callback);
      return;
    }
    if (fault === 'forged') this.#start(forge(callback), this.#options.retryMs.length);
    if (fault === 'truncated') this.#start(callback, 0, halved(callback));
    else this.#start(callback);
    if (fault === 'duplicate') this.#start(this.#options.again(callback));
    this.#release();
  }

  /** Waits until nothing is in flight; callbacks that wait for a later time are not waited for. */
  async settle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #hold(callback: WireCallback): void {
    this.#release();
    const cancel = this.#options.clock.after('held callback', HELD_MS, () => this.#release());
    this.#held = { callback, release: cancel };
  }

  #release(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = null;
    held.release();
    this.#start(held.callback);
  }

  #start(callback: WireCallback, tried = 0, first: WireCallback = callback): void {
    const flight = this.#try(callback, tried, first).finally(() => this.#inFlight.delete(flight));
    this.#inFlight.add(flight);
  }

  /** One attempt; if it fails, the next one is scheduled. */
  async #try(callback: WireCallback, tried: number, sent: WireCallback): Promise<void> {
    const status = await this.#options.carry(sent).catch(() => 0);
    if (status >= 200 && status < 300) return;
    const waitMs = this.#options.retryMs[tried];
    if (waitMs === undefined) return;
    const again = this.#options.again(callback);
    this.#options.clock.after('callback again', waitMs, () => this.#start(again, tried + 1));
  }
}

/** Cuts the body, or the query of a GET, in half, as a broken connection does. */
const halved = (callback: WireCallback): WireCallback => (callback.method === 'POST'
  ? { ...callback, body: callback.body.slice(0, Math.floor(callback.body.length / 2)) }
  : { ...callback, query: callback.query.slice(0, Math.floor(callback.query.length / 2)) });
