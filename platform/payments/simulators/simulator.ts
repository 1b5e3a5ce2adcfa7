import type { BillerName } from '#platform/contract/payment.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { SimulatorEvent, Till } from './checkout/till.ts';
import type { WireCallback } from './courier.ts';

/** One simulated processor: its wire format over its records. */
export interface Simulator {
  readonly name: BillerName;
  readonly till: Till;
  /** Answers a request; `path` is the rest after the simulator's name, with its leading slash. */
  readonly handle: (path: string, request: Request) => Promise<Response>;
  /** The callback for an event; null when this processor sends none. */
  readonly speak: (event: SimulatorEvent) => WireCallback | null;
  /** Makes a forged callback like `callback`, which this processor never sent. */
  readonly forge: (callback: WireCallback) => WireCallback;
  /** Changes a callback that is sent again. */
  readonly again: (callback: WireCallback) => WireCallback;
  /** Waits between tries, in milliseconds. */
  readonly retryMs: readonly number[];
}

export interface SimulatorOutside {
  readonly clock: Clock;
  /** Called with each event, to send a callback about it. */
  readonly notify: (event: SimulatorEvent) => void;
}

/** The answer is lost on its way: the server cuts the connection. */
export class LostAnswer extends Error {
  constructor() {
    super('the answer is lost');
    this.name = 'LostAnswer';
  }
}

/** Most processors document no schedule; this one grows over a day. */
export const USUAL_RETRY_MS: readonly number[] = [10, 60, 300, 1800, 7200, 43_200].map((s) => s * 1000);

export const json = (value: unknown, status = 200): Response => Response.json(value, { status });
export const text = (body: string, status = 200): Response => new Response(body, { status });
export const seeOther = (url: string): Response =>
  new Response(null, { status: 303, headers: { location: url } });

/** The decoded last segment of a path that is `prefix` and one more segment; null for any other path. */
export function segmentAfter(path: string, prefix: string): string | null {
  if (!path.startsWith(prefix)) return null;
  const rest = path.slice(prefix.length);
  try {
    return rest !== '' && !rest.includes('/') ? decodeURIComponent(rest) : null;
  } catch {
    return null;
  }
}
