import type { Clock } from '#platform/data/clock.ts';
import { randomId } from '#platform/data/ids.ts';
import { stat } from 'node:fs/promises';
import type { ChildEntry } from '../../child-entry.ts';
import type { LocalMedia } from '../../engine.ts';
import { RECORDING_START_MS, RECORDING_STOP_MS } from '../limits.ts';
import { OutputRefused, type Recording, type RecordingEnd, type RecordingOptions } from '../outputs.ts';
import { StreamChild } from '../stream-child.ts';
import type { Recorded } from './recorder.ts';

/** What a recording child is started with. */
export type RecordingSettings = RecordingOptions;

export interface RecordingOrder {
  readonly kind: 'stop';
}

/** What a recording child sends besides {@link TapNews}. */
export type RecordingNews =
  /** The file cannot be written at all. */
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'recorded'; readonly recorded: Recorded }
  /** The file is complete and closed. */
  | { readonly kind: 'finished'; readonly reason: 'full' | 'stopped'; readonly recorded: Recorded };

export interface RecordingsOptions {
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  readonly maxRecordings: number;
  readonly onError: (stream: string, detail: string) => void;
  readonly ended: (end: RecordingEnd) => void;
}

/** All running recordings. */
export class Recordings {
  readonly #options: RecordingsOptions;
  readonly #running = new Set<RunningRecording>();

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  /** Process ids by recording, for operators and tests. */
  get pids(): ReadonlyMap<string, number> {
    return new Map([...this.#running].flatMap(({ id, pid }) => (pid ? [[id, pid]] : [])));
  }

  async record(stream: string, options: RecordingOptions): Promise<Recording> {
    if (this.#running.size >= this.#options.maxRecordings) {
      throw new OutputRefused('overloaded', 'too many streams are recorded');
    }
    const running = new RunningRecording(stream, options, this.#options, () => this.#running.delete(running));
    this.#running.add(running);
    await running.start();
    return { id: running.id, stop: () => running.stop() };
  }

  /** Ends them all; their files are complete when this resolves. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.stop()));
  }
}

/** One recording: a child that is started once and asked to finish, whatever ends the recording. */
class RunningRecording {
  readonly id = randomId();
  readonly #file: string;
  readonly #options: RecordingsOptions;
  readonly #forget: () => void;
  readonly #child: StreamChild<RecordingOrder, RecordingNews>;
  readonly #over: Promise<void>;
  #settle: () => void = () => undefined;
  #begun: { resolve: () => void; reject: (error: OutputRefused) => void } | null = null;
  #recorded: Recorded = { bytes: 0, durationMs: 0, width: 0, height: 0 };
  #asked: RecordingEnd['reason'] | null = null;
  #ended = false;

  constructor(stream: string, options: RecordingOptions, all: RecordingsOptions, forget: () => void) {
    this.#file = options.file;
    this.#options = all;
    this.#forget = forget;
    this.#over = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const { local, entry, clock, onError } = all;
    this.#child = new StreamChild({
      stream,
      local,
      entry,
      clock,
      restarts: false,
      settings: options satisfies RecordingSettings,
      attached: (codec) => this.#attached(codec),
      news: (news) => this.#onMessage(news),
      onError: (detail) => {
        onError(stream, detail);
        void this.#end('fault');
      },
      ended: (reason) => void (reason === 'source' ? this.#finish('source') : this.#end('fault')),
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when it reads the stream. Rejects with {@link OutputRefused}; then no end is reported. */
  async start(): Promise<void> {
    const begun = new Promise<void>((resolve, reject) => {
      this.#begun = { resolve, reject };
    });
    const cancel = this.#options.clock.after(
      'recording start',
      RECORDING_START_MS,
      () => this.#begun?.reject(new OutputRefused('unavailable', 'the recording did not start in time')),
    );
    try {
      await Promise.all([begun, this.#child.start()]);
    } catch (error) {
      this.#ended = true;
      this.#forget();
      this.#settle();
      await this.#child.kill();
      throw error;
    } finally {
      cancel();
      this.#begun = null;
    }
  }

  /** Asks the child to finish the file; resolves when it is complete. */
  async stop(): Promise<void> {
    await this.#finish('stopped');
    await this.#over;
  }

  async #finish(reason: RecordingEnd['reason']): Promise<void> {
    if (this.#asked || this.#ended) return;
    this.#asked = reason;
    this.#child.send({ kind: 'stop' });
    const cancel = this.#options.clock.after(
      'recording stop',
      RECORDING_STOP_MS,
      () => void this.#end('fault'),
    );
    await this.#over;
    cancel();
  }

  #attached(codec: 'H264' | 'VP8'): void {
    if (codec === 'H264') this.#begun?.resolve();
    else this.#begun?.reject(new OutputRefused('unsupported_codec', `${codec} is not recorded`));
  }

  #onMessage(news: RecordingNews): void {
    if (news.kind === 'failed') {
      this.#begun?.reject(new OutputRefused('unavailable', news.detail));
    } else {
      this.#recorded = news.recorded;
      if (news.kind !== 'finished') return;
      void this.#end(news.reason === 'full' ? 'full' : this.#asked ?? 'stopped');
    }
  }

  /** Reports the end, once, with the file as it is. */
  async #end(reason: RecordingEnd['reason']): Promise<void> {
    if (this.#ended) return;
    // A recording that never began reports no end: the caller gets the error.
    if (this.#begun) {
      this.#begun.reject(new OutputRefused('unavailable', 'the recording process died'));
      return;
    }
    this.#ended = true;
    this.#forget();
    await this.#child.close();
    const { durationMs, width, height } = this.#recorded;
    const bytes = await stat(this.#file).then(({ size }) => size, () => 0);
    this.#options.ended({
      recording: this.id,
      bytes,
      durationMs: Math.round(durationMs),
      width,
      height,
      reason,
    });
    this.#settle();
  }
}
