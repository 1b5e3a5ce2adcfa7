import type { Clock } from '#platform/data/clock.ts';
import type { ChildEntry } from '../../child-entry.ts';
import type { LocalMedia } from '../../engine.ts';
import { MAX_PREVIEWS, MAX_WAITING_PREVIEWS, PREVIEW_JOB_MS, PREVIEW_RETAINED_MS } from '../limits.ts';
import { MediaChild } from '../media-child.ts';
import { OutputRefused } from '../outputs.ts';
import { tapStream } from '../stream-child.ts';
import type { PictureNews, PictureOrder } from './picture-messages.ts';

export interface PreviewsOptions {
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  readonly onError: (stream: string, detail: string) => void;
}

interface Retained {
  readonly clip: Buffer;
  readonly untilMs: number;
}

interface Job {
  readonly stream: string;
  readonly number: number;
  readonly clip: Promise<Buffer | null>;
  readonly resolve: (clip: Buffer | null) => void;
  readonly reject: (error: OutputRefused) => void;
}

/** Preview clips of streams, made on request, one at a time, and cached for a while. */
export class Previews {
  readonly #options: PreviewsOptions;
  readonly #retained = new Map<string, Retained>();
  readonly #jobs: Job[] = [];
  #running: Job | null = null;
  #cancelLimit: () => void = () => undefined;
  #child: MediaChild<PictureOrder, PictureNews> | null = null;
  #nextJob = 1;

  constructor(options: PreviewsOptions) {
    this.#options = options;
  }

  /** Process id, while there is a process. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The clip of a stream; null when none can be made. Rejects with {@link OutputRefused}. */
  async clip(stream: string): Promise<Buffer | null> {
    const retained = this.#retained.get(stream);
    if (retained && retained.untilMs > this.#nowMs()) return retained.clip;
    const present = [this.#running, ...this.#jobs].find((job) => job?.stream === stream);
    return present ? present.clip : this.#enqueue(stream).clip;
  }

  /** Drops the clips of these streams, also clips that are being made. */
  async forget(isMeant: (stream: string) => boolean): Promise<void> {
    for (const stream of this.#retained.keys()) if (isMeant(stream)) this.#retained.delete(stream);
    const gone = new OutputRefused('stream_offline', 'the stream has ended');
    for (const job of this.#jobs.splice(0)) {
      if (isMeant(job.stream)) job.reject(gone);
      else this.#jobs.push(job);
    }
    if (this.#running && isMeant(this.#running.stream)) await this.#abandon(gone);
  }

  /** Drops old clips, and ends the process when nobody waits. */
  async rest(): Promise<void> {
    for (const [
      stream,
      { untilMs },
    ] of this.#retained) if (untilMs <= this.#nowMs()) this.#retained.delete(stream);
    if (this.#running) return;
    const child = this.#child;
    this.#child = null;
    await child?.close();
  }

  async close(): Promise<void> {
    await this.forget(() => true);
    await this.rest();
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  #enqueue(stream: string): Job {
    if (this.#jobs.length >= MAX_WAITING_PREVIEWS) {
      throw new OutputRefused('overloaded', 'too many clips are waited for');
    }
    let [resolve, reject]: [Job['resolve'], Job['reject']] = [() => undefined, () => undefined];
    const clip = new Promise<Buffer | null>((fulfil, fail) => {
      [resolve, reject] = [fulfil, fail];
    });
    const job = { stream, number: this.#nextJob++, clip, resolve, reject };
    this.#jobs.push(job);
    this.#next();
    return job;
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#jobs.shift();
    if (!job) return;
    this.#running = job;
    // Longer than the process takes to give up by itself.
    this.#cancelLimit = this.#options.clock.after(
      'preview',
      2 * PREVIEW_JOB_MS,
      () => void this.#abandon(new OutputRefused('unavailable', 'the clip was not made in time')),
    );
    this.#begin(job).catch((error: unknown) => {
      if (this.#running !== job) return;
      this.#over();
      job.reject(error instanceof OutputRefused ? error : new OutputRefused('unavailable', String(error)));
    });
  }

  async #begin(job: Job): Promise<void> {
    const { local, entry, clock } = this.#options;
    const ticket = await tapStream(local, job.stream);
    if (this.#running !== job) return void await local.end(ticket.session);
    this.#child ??= new MediaChild({
      entry,
      clock,
      settings: {},
      news: (news) => this.#onMessage(news),
      died: (detail) => this.#died(detail),
    });
    this.#child.send({ job: job.number, ticket });
  }

  #onMessage({ job: number, picture }: PictureNews): void {
    const job = this.#running;
    if (job?.number !== number) return;
    this.#over();
    const clip = picture && Buffer.from(picture);
    if (clip) this.#keep(job.stream, clip);
    job.resolve(clip);
  }

  #keep(stream: string, clip: Buffer): void {
    this.#retained.set(stream, { clip, untilMs: this.#nowMs() + PREVIEW_RETAINED_MS });
    // A map keeps the order of insertion: its first entry is the oldest.
    const [oldest] = this.#retained.keys();
    if (this.#retained.size > MAX_PREVIEWS && oldest !== undefined) this.#retained.delete(oldest);
  }

  #died(detail: string): void {
    const job = this.#running;
    this.#child = null;
    this.#options.onError(job?.stream ?? 'none', detail);
    if (!job) return;
    this.#over();
    job.reject(new OutputRefused('unavailable', 'the process that made the clip died'));
  }

  /** Abandons the running job and ends its process, which would go on reading. */
  async #abandon(refusal: OutputRefused): Promise<void> {
    const [job, child] = [this.#running, this.#child];
    this.#child = null;
    job?.reject(refusal);
    await child?.kill();
    this.#over();
  }

  #over(): void {
    this.#cancelLimit();
    this.#running = null;
    this.#next();
  }
}
