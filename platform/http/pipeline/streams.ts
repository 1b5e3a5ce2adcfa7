import type { StreamedAnswer } from '#platform/contract/bind.ts';
import { CallerGone } from '#platform/contract/refusal.ts';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** A client that reads nothing for this long is gone, or holds the answer open on purpose. */
export const STALL_MS = 60_000;
/** Streamed answers of one caller at once: each holds two parts in memory for as long as it is open. */
export const MAX_STREAMS_PER_CALLER = 3;

export interface StreamsOptions {
  readonly stallMs: number;
  /** Logs an error that occurred after the status had been sent. */
  readonly failed: (error: unknown, callName: string) => void;
}

export const isStreamed = (value: unknown): value is StreamedAnswer =>
  typeof value === 'object' && value !== null && 'parts' in value;

/** Streamed answers that are open in this process. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new Map<string, number>();

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** Whether the owner may open another one. */
  hasRoom(owner: string): boolean {
    return (this.#open.get(owner) ?? 0) < MAX_STREAMS_PER_CALLER;
  }

  /**
   * A stream that reads the next part after the client has taken the one before. Reading ends when the client
   * goes away or stalls.
   */
  open(owner: string, callName: string, parts: AsyncIterable<string>, response: ServerResponse): Readable {
    this.#open.set(owner, (this.#open.get(owner) ?? 0) + 1);
    const source = Readable.from(this.#reported(callName, parts), { highWaterMark: 1 });
    source.once('close', () => this.#closed(owner));
    response.setTimeout(this.#options.stallMs, () => response.destroy());
    return source;
  }

  #closed(owner: string): void {
    const left = (this.#open.get(owner) ?? 1) - 1;
    if (left > 0) this.#open.set(owner, left);
    else this.#open.delete(owner);
  }

  /**
   * Errors are logged once and without user text; the client sees a broken connection, as does a caller who
   * was logged out meanwhile.
   */
  async *#reported(callName: string, parts: AsyncIterable<string>): AsyncGenerator<string> {
    let isCut = false;
    try {
      yield* parts;
    } catch (error) {
      if (!(error instanceof CallerGone)) this.#options.failed(error, callName);
      isCut = true;
    }
    if (isCut) throw new Error('the streamed answer was cut');
  }
}
