import type { Clock } from '#platform/data/clock.ts';
import type { ChildEntry } from '../../child-entry.ts';
import { baseOf, DERIVED, type LocalMedia, type LocalTicket } from '../../engine.ts';
import type { VideoCodec } from '../../wire/rtp.ts';
import {
  IDLE_MS,
  MAX_RENDITION_HEIGHT,
  MIN_RENDITION_HEIGHT,
  RENDITION_START_MS,
  UNSUPPORTED_MS,
} from '../limits.ts';
import { MediaChild } from '../media-child.ts';
import { OutputRefused } from '../outputs.ts';
import { refusing, tapStream } from '../stream-child.ts';

/** What a rendition child is started with. */
export interface RenditionSettings {
  readonly height: number;
}

/** Tickets to read the source and to publish the rendition. */
export interface RenditionOrder {
  readonly source: LocalTicket;
  readonly target: LocalTicket;
}

export type RenditionNews =
  /** Its first picture was sent. */
  | { readonly kind: 'up' }
  | { readonly kind: 'unfit'; readonly codec: VideoCodec }
  /** The source or its own session is gone. */
  | { readonly kind: 'gone' };

export interface RenditionsOptions {
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  readonly maxRenditions: number;
  readonly onError: (stream: string, detail: string) => void;
}

/** Owner of renditions: our session replaces a dead one of ours, and nobody else does. */
const OWNER = 'rendition';

/** All running lower renditions, by stream name. */
export class Renditions {
  readonly #options: RenditionsOptions;
  readonly #running = new Map<string, Rendition>();

  constructor(options: RenditionsOptions) {
    this.#options = options;
  }

  /** Process ids by name, for operators and tests. */
  get pids(): ReadonlyMap<string, number> {
    return new Map([...this.#running].flatMap(([name, { pid }]) => (pid ? [[name, pid]] : [])));
  }

  async need(stream: string, height: number): Promise<string> {
    const fits = height >= MIN_RENDITION_HEIGHT && height <= MAX_RENDITION_HEIGHT;
    if (!fits || !Number.isInteger(height)) throw new RangeError(`no rendition has ${height} lines`);
    if (baseOf(stream) !== stream) throw new RangeError('a rendition is made of a whole stream');
    const name = `${stream}${DERIVED}${height}`;
    const present = this.#running.get(name) ?? this.#begin(name, stream, height);
    present.neededAtMs = this.#nowMs();
    await present.up;
    return name;
  }

  /** A stream is read: if it is a rendition, it is still needed. */
  touch(name: string): void {
    const rendition = this.#running.get(name);
    if (rendition) rendition.neededAtMs = this.#nowMs();
  }

  /** Ends renditions nobody needed recently. */
  async sweep(): Promise<void> {
    await this.#close(({ neededAtMs }) => this.#nowMs() - neededAtMs > IDLE_MS);
  }

  /** Ends the renditions of these streams. */
  async forget(isMeant: (stream: string) => boolean): Promise<void> {
    await this.#close(({ name }) => isMeant(name));
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  #begin(name: string, stream: string, height: number): Rendition {
    if (this.#running.size >= this.#options.maxRenditions) {
      throw new OutputRefused('overloaded', 'too many renditions are made');
    }
    const rendition = new Rendition({
      ...this.#options,
      name,
      stream,
      height,
      onError: (detail) => this.#options.onError(name, detail),
      over: () => {
        if (this.#running.get(name) === rendition) this.#running.delete(name);
      },
    });
    rendition.neededAtMs = this.#nowMs();
    this.#running.set(name, rendition);
    return rendition;
  }

  async #close(isMeant: (rendition: Rendition) => boolean): Promise<void> {
    const meant = [...this.#running.values()].filter(isMeant);
    for (const { name } of meant) this.#running.delete(name);
    await Promise.all(meant.map((rendition) => rendition.close()));
  }
}

interface RenditionOptions {
  readonly name: string;
  readonly stream: string;
  readonly height: number;
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  readonly onError: (detail: string) => void;
  /** The rendition is over. */
  readonly over: () => void;
}

/** One rendition. It ends with its source; a viewer who still needs it asks again. */
class Rendition {
  readonly name: string;
  /** Resolves with the first picture. Rejects with {@link OutputRefused}. */
  readonly up: Promise<void>;
  neededAtMs = 0;
  readonly #options: RenditionOptions;
  readonly #cancelStart: () => void;
  #cancelForget: () => void = () => undefined;
  #rise: () => void = () => undefined;
  #fall: (refusal: OutputRefused) => void = () => undefined;
  #child: MediaChild<RenditionOrder, RenditionNews> | null = null;
  #sessions: readonly string[] = [];
  #closed = false;

  constructor(options: RenditionOptions) {
    this.#options = options;
    this.name = options.name;
    this.up = new Promise((resolve, reject) => {
      this.#rise = resolve;
      this.#fall = reject;
    });
    // Waiting callers get the rejection now; later ones get it when they ask.
    this.up.catch(() => undefined);
    this.#cancelStart = options.clock.after(
      'rendition start',
      RENDITION_START_MS,
      () => this.#end(new OutputRefused('unavailable', 'the rendition did not start in time')),
    );
    this.#start().catch((error: unknown) =>
      this.#end(
        error instanceof OutputRefused ? error : new OutputRefused('unavailable', String(error)),
      )
    );
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelStart();
    this.#cancelForget();
    this.#fall(new OutputRefused('stream_offline', 'the stream has ended'));
    const sessions = this.#sessions;
    this.#sessions = [];
    await this.#child?.kill();
    // The relay notices by itself that the process is gone, but would hold an unused ticket for a while.
    await Promise.all(sessions.map((session) => this.#options.local.end(session).catch(() => false)));
  }

  async #start(): Promise<void> {
    const { local, stream, name, entry, height, clock } = this.#options;
    const source = await tapStream(local, stream);
    this.#sessions = [source.session];
    const target = await refusing(() => local.feed(name, { owner: OWNER }));
    this.#sessions = [source.session, target.session];
    if (this.#closed) return this.close();
    this.#child = new MediaChild({
      entry,
      clock,
      settings: { height } satisfies RenditionSettings,
      news: (news) => this.#onMessage(news),
      died: (detail) => {
        this.#options.onError(detail);
        this.#end(new OutputRefused('unavailable', 'the rendition process died'));
      },
    });
    this.#child.send({ source, target });
  }

  #onMessage(news: RenditionNews): void {
    if (news.kind === 'gone') return this.#end(new OutputRefused('stream_offline', 'the stream has ended'));
    this.#cancelStart();
    if (news.kind === 'up') return this.#rise();
    // Remembered for a while, so that asking again costs nothing.
    this.#fall(new OutputRefused('unsupported_codec', `${news.codec} has no renditions`));
    void this.#child?.kill();
    this.#cancelForget = this.#options.clock.after('unsupported', UNSUPPORTED_MS, () => this.#end(null));
  }

  #end(refusal: OutputRefused | null): void {
    if (this.#closed) return;
    if (refusal) this.#fall(refusal);
    this.#options.over();
    void this.close();
  }
}
