import type { Clock } from '#platform/data/clock.ts';
import type { ChildEntry } from '../../child-entry.ts';
import type { LocalMedia } from '../../engine.ts';
import {
  MAX_PICTURE_BYTES,
  MAX_STRIKES,
  MAX_THUMBNAIL_JOBS,
  MAX_WATCHED,
  RESTART_FIRST_MS,
  RESTART_LONGEST_MS,
  SUSPECT_MS,
  THUMBNAIL_EVERY_MS,
  THUMBNAIL_JOB_MS,
  THUMBNAIL_SELDOM_MS,
  THUMBNAIL_STEP_MS,
} from '../limits.ts';
import { MediaChild } from '../media-child.ts';
import { tapStream } from '../stream-child.ts';
import type { PictureNews, PictureOrder } from './picture-messages.ts';

export interface ThumbnailsOptions {
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  /** A stream has a new thumbnail. */
  readonly made: (stream: string) => void;
  readonly onError: (detail: string) => void;
}

interface WatchedStream {
  readonly name: string;
  dueAtMs: number;
  picture: Buffer | null;
  /** How many times in a row the process died while it read this stream. */
  strikes: number;
  /** How many times in a row this stream gave no thumbnail. */
  failures: number;
}

interface Job {
  readonly watched: WatchedStream;
  readonly untilMs: number;
}

/** Thumbnails of all watched streams, made by one process. */
export class Thumbnails {
  readonly #options: ThumbnailsOptions;
  #watched = new Map<string, WatchedStream>();
  readonly #jobs = new Map<number, Job>();
  #child: MediaChild<PictureOrder, PictureNews> | null = null;
  #nextJob = 1;
  #notBeforeMs = 0;
  #backOffMs = RESTART_FIRST_MS;
  readonly #cancelTick: () => void;

  constructor(options: ThumbnailsOptions) {
    this.#options = options;
    this.#cancelTick = options.clock.every('thumbnails', THUMBNAIL_STEP_MS, () => this.#tick());
  }

  /** Process id, while there is a process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Watches exactly these streams; known ones retain their thumbnail and schedule. */
  watch(streams: readonly string[]): void {
    const nowMs = this.#nowMs();
    this.#watched = new Map(
      [...new Set(streams)].slice(0, MAX_WATCHED).map((
        name,
      ) => [
        name,
        this.#watched.get(name) ?? { name, dueAtMs: nowMs, picture: null, strikes: 0, failures: 0 },
      ]),
    );
  }

  picture(stream: string): Buffer | null {
    return this.#watched.get(stream)?.picture ?? null;
  }

  /** Drops the thumbnails of these streams, also thumbnails that are being made. */
  forget(isMeant: (stream: string) => boolean): void {
    for (const [name, watched] of this.#watched) {
      // A new entry: the result of a running job belongs to the old one.
      if (isMeant(name)) this.#watched.set(name, { ...watched, picture: null });
    }
  }

  /** Ends its process when nothing is watched. */
  async rest(): Promise<void> {
    if (this.#watched.size > 0 || this.#jobs.size > 0) return;
    await this.#dismiss();
  }

  async close(): Promise<void> {
    this.#cancelTick();
    this.#watched.clear();
    await this.#dismiss();
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  /** Starts the jobs that are due: several at once, but a suspect stream alone. */
  #tick(): void {
    const nowMs = this.#nowMs();
    for (const [job, { untilMs }] of this.#jobs) if (nowMs > untilMs) this.#jobs.delete(job);
    if (nowMs < this.#notBeforeMs) return;
    const looks = (): WatchedStream[] => [...this.#jobs.values()].map(({ watched }) => watched);
    const due = [...this.#watched.values()].filter(({ dueAtMs }) => dueAtMs <= nowMs)
      .sort((a, b) => a.dueAtMs - b.dueAtMs);
    for (const watched of due) {
      if (this.#jobs.size >= MAX_THUMBNAIL_JOBS || looks().some(({ strikes }) => strikes > 0)) return;
      const isBusy = looks().some(({ name }) => name === watched.name);
      if (!isBusy && (watched.strikes === 0 || this.#jobs.size === 0)) void this.#look(watched, nowMs);
    }
  }

  async #look(watched: WatchedStream, nowMs: number): Promise<void> {
    const job = this.#nextJob++;
    // Longer than the process takes to give up by itself.
    this.#jobs.set(job, { watched, untilMs: nowMs + 2 * THUMBNAIL_JOB_MS });
    watched.dueAtMs = nowMs + THUMBNAIL_EVERY_MS;
    try {
      const ticket = await tapStream(this.#options.local, watched.name);
      if (this.#watched.get(watched.name) === watched) return this.#started().send({ job, ticket });
      this.#jobs.delete(job);
      await this.#options.local.end(ticket.session);
    } catch {
      // Offline, or the relay is restarting: it is tried again at its next turn.
      this.#jobs.delete(job);
    }
  }

  #started(): MediaChild<PictureOrder, PictureNews> {
    const { entry, clock } = this.#options;
    this.#child ??= new MediaChild({
      entry,
      clock,
      settings: {},
      news: (news) => this.#onMessage(news),
      died: (detail) => this.#died(detail),
    });
    return this.#child;
  }

  #onMessage({ job, picture }: PictureNews): void {
    const watched = this.#jobs.get(job)?.watched;
    this.#jobs.delete(job);
    this.#backOffMs = RESTART_FIRST_MS;
    if (!watched) return;
    watched.strikes = 0;
    if (picture && picture.length <= MAX_PICTURE_BYTES) this.#keep(watched, picture);
    else {
      watched.failures += 1;
      const waitMs = Math.min(THUMBNAIL_SELDOM_MS, THUMBNAIL_EVERY_MS * 2 ** watched.failures);
      watched.dueAtMs = this.#nowMs() + waitMs;
    }
    this.#tick();
  }

  #keep(watched: WatchedStream, picture: Uint8Array): void {
    watched.failures = 0;
    watched.picture = Buffer.from(picture);
    // A stream that was forgotten or is no longer watched gets no thumbnail.
    if (this.#watched.get(watched.name) === watched) this.#options.made(watched.name);
  }

  #died(detail: string): void {
    this.#child = null;
    const nowMs = this.#nowMs();
    for (const { watched } of this.#jobs.values()) {
      watched.strikes += 1;
      watched.dueAtMs = nowMs + (watched.strikes >= MAX_STRIKES ? SUSPECT_MS : 0);
    }
    this.#jobs.clear();
    this.#notBeforeMs = nowMs + this.#backOffMs;
    this.#backOffMs = Math.min(RESTART_LONGEST_MS, this.#backOffMs * 2);
    this.#options.onError(detail);
  }

  async #dismiss(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    this.#jobs.clear();
    await child?.close();
  }
}
