import type { Clock } from '#platform/data/clock.ts';
import type { Serializable } from 'node:child_process';
import type { ChildEntry } from '../child-entry.ts';
import { EngineRefused, type LocalMedia, type LocalTicket } from '../engine.ts';
import type { VideoCodec } from '../wire/rtp.ts';
import {
  RESTART_FIRST_MS,
  RESTART_FORGIVEN_AFTER_MS,
  RESTART_LONGEST_MS,
  RETAP_LIMIT_MS,
  RETAP_MS,
} from './limits.ts';
import { MediaChild } from './media-child.ts';
import { OutputRefused } from './outputs.ts';

/** Messages to every child of a stream. */
export interface TapOrder {
  readonly kind: 'attach';
  readonly ticket: LocalTicket;
}

/** Messages from every child of a stream. */
export type TapNews =
  | { readonly kind: 'attached'; readonly codec: VideoCodec }
  /** Its session is over. */
  | { readonly kind: 'detached' };

/** A ticket to read a stream. Rejects with {@link OutputRefused}. */
export async function tapStream(local: LocalMedia, stream: string): Promise<LocalTicket> {
  return refusing(() => local.tap(stream));
}

/** Turns a refusal of the engine into one of the outputs. */
export async function refusing<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error;
    const code = error.code === 'stream_offline' || error.code === 'overloaded' ? error.code : 'unavailable';
    throw new OutputRefused(code, error.message);
  }
}

export interface StreamChildOptions<News> {
  readonly stream: string;
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly settings: unknown;
  readonly clock: Clock;
  /** Whether it is restarted when it dies; otherwise its death is its end. */
  readonly restarts: boolean;
  readonly attached: (codec: VideoCodec) => void;
  readonly news: (news: News) => void;
  /** The child died. */
  readonly onError: (detail: string) => void;
  /**
   * No more media will come: the stream has ended or moved, or the child died for good. Called once; what is
   * left of the child should then be closed.
   */
  readonly ended: (reason: 'source' | 'fault') => void;
}

/**
 * A child that reads one stream: attached again when the relay was lost, restarted when it dies, until the
 * stream ends or the child is closed.
 */
export class StreamChild<Order extends Serializable, News> {
  readonly #options: StreamChildOptions<News>;
  #child: MediaChild<Order | TapOrder, News | TapNews> | null = null;
  #session: string | null = null;
  #startedAtMs = 0;
  #backOffMs = RESTART_FIRST_MS;
  #cancelRetry: (() => void) | null = null;
  #over = false;

  constructor(options: StreamChildOptions<News>) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it. Rejects with {@link OutputRefused} when the stream cannot be read. */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      this.#over = true;
      throw error;
    }
  }

  send(order: Order): void {
    this.#child?.send(order);
  }

  /** Asks it to finish its work, and waits until it has exited. */
  async close(): Promise<void> {
    await this.#leave((child) => child.close());
  }

  /** Ends it at once, and waits until it has exited. */
  async kill(): Promise<void> {
    await this.#leave((child) => child.kill());
  }

  async #leave(end: (child: MediaChild<Order | TapOrder, News | TapNews>) => Promise<void>): Promise<void> {
    this.#over = true;
    this.#cancelRetry?.();
    const child = this.#child;
    this.#child = null;
    if (child) await end(child);
    this.#release();
  }

  /** The relay notices by itself when a process is gone, but would hold an unused ticket for a while. */
  #release(): void {
    const session = this.#session;
    this.#session = null;
    if (session) this.#options.local.end(session).catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const { local, stream, clock } = this.#options;
    const ticket = await tapStream(local, stream);
    this.#session = ticket.session;
    if (this.#over) {
      this.#release();
      throw new OutputRefused('unavailable', 'it was let go meanwhile');
    }
    if (!this.#child) {
      this.#startedAtMs = clock.now().getTime();
      this.#child = this.#fork();
    }
    this.#child.send({ kind: 'attach', ticket });
  }

  #fork(): MediaChild<Order | TapOrder, News | TapNews> {
    const { entry, settings, clock } = this.#options;
    return new MediaChild({
      entry,
      settings,
      clock,
      news: (news) => this.#onMessage(news),
      died: (detail) => this.#died(detail),
    });
  }

  #onMessage(news: News | TapNews): void {
    const said = news as TapNews;
    if (said.kind === 'attached') this.#options.attached(said.codec);
    else if (said.kind === 'detached') this.#recover(this.#options.clock.now().getTime(), false);
    else this.#options.news(news as News);
  }

  /**
   * Attaches again. A stream that is offline right away has ended or moved; after the loss of a relay its
   * publisher gets time to return.
   */
  #recover(sinceMs: number, relayLost: boolean): void {
    this.#connect().catch((error: unknown) => {
      if (this.#over) return;
      if (!(error instanceof OutputRefused)) throw error;
      const { clock } = this.#options;
      const waits = relayLost || error.code !== 'stream_offline';
      if (!waits || clock.now().getTime() - sinceMs > RETAP_LIMIT_MS) return this.#end('source');
      this.#cancelRetry = clock.after('attach again', RETAP_MS, () => this.#recover(sinceMs, true));
    });
  }

  #died(detail: string): void {
    const { clock, restarts, onError } = this.#options;
    this.#child = null;
    this.#release();
    onError(detail);
    if (!restarts) return this.#end('fault');
    const nowMs = clock.now().getTime();
    if (nowMs - this.#startedAtMs > RESTART_FORGIVEN_AFTER_MS) this.#backOffMs = RESTART_FIRST_MS;
    const waitMs = this.#backOffMs;
    this.#backOffMs = Math.min(RESTART_LONGEST_MS, waitMs * 2);
    this.#cancelRetry = clock.after('child restart', waitMs, () => this.#recover(nowMs, false));
  }

  #end(reason: 'source' | 'fault'): void {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#options.ended(reason);
  }
}
