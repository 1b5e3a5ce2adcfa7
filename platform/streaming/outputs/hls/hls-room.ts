import type { Clock } from '#platform/data/clock.ts';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildEntry } from '../../child-entry.ts';
import type { LocalMedia } from '../../engine.ts';
import { FIRST_SEGMENT_MS, LAST_SEGMENT_MS, UNSUPPORTED_MS } from '../limits.ts';
import { OutputRefused, type HlsFile, type HlsWindow } from '../outputs.ts';
import { StreamChild } from '../stream-child.ts';
import { SegmentList } from './segment-list.ts';
import type { WrittenSegment } from './segmenter.ts';

/** What an HLS child is started with. */
export interface HlsSettings {
  /** An existing directory for its files. */
  readonly directory: string;
}

/** What an HLS child sends besides {@link TapNews}. */
export interface HlsNews {
  readonly kind: 'segment';
  readonly segment: WrittenSegment;
}

export interface HlsRoomOptions {
  readonly stream: string;
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  /** A directory of its own, under a name never used before. */
  readonly directory: string;
  /** When a segment begins, on the timeline that the stream shares with its renditions. */
  readonly place: (segment: WrittenSegment) => number;
  readonly onError: (detail: string) => void;
  /** The stream has ended. Its last window is readable until `close`. */
  readonly ended: () => void;
  /** The room is useless now and should be closed. */
  readonly failed: () => void;
}

interface Waiting {
  readonly resolve: (window: HlsWindow) => void;
  readonly reject: (error: OutputRefused) => void;
  readonly cancel: () => void;
}

/** HLS of one stream: its child, its files and its window. */
export class HlsRoom {
  readonly #options: HlsRoomOptions;
  readonly #child: StreamChild<never, HlsNews>;
  readonly #list: SegmentList;
  readonly #waiting = new Set<Waiting>();
  #refusal: OutputRefused | null = null;
  #cancelForget: (() => void) | null = null;
  /** Callers that wait for the last segment. */
  readonly #whenOver = new Set<() => void>();
  #isOver = false;

  constructor(options: HlsRoomOptions) {
    this.#options = options;
    const { stream, local, entry, clock, directory, onError } = options;
    this.#list = new SegmentList(clock.now().getTime());
    this.#child = new StreamChild({
      stream,
      local,
      entry,
      clock,
      onError,
      restarts: true,
      settings: { directory } satisfies HlsSettings,
      attached: (codec) => {
        if (codec !== 'H264') this.#refuse(new OutputRefused('unsupported_codec', `${codec} has no HLS`));
      },
      news: ({ segment }) => this.#add(segment),
      ended: () => this.#end(),
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Starts its child. Rejects with {@link OutputRefused}. */
  async start(): Promise<void> {
    try {
      await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
      await this.#child.start();
    } catch (error) {
      const refusal = error instanceof OutputRefused
        ? error
        : new OutputRefused('unavailable', String(error));
      this.#fail(refusal);
      throw refusal;
    }
  }

  /** The window; waits for the first segment if there is none. Rejects with {@link OutputRefused}. */
  window(): Promise<HlsWindow> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    const window = this.#list.window();
    if (window) return Promise.resolve(window);
    return new Promise((resolve, reject) => {
      const cancel = this.#options.clock.after('first segment', FIRST_SEGMENT_MS, () => {
        this.#waiting.delete(waiting);
        reject(new OutputRefused('unavailable', 'no segment in time'));
      });
      const waiting: Waiting = { resolve, reject, cancel };
      this.#waiting.add(waiting);
    });
  }

  /** The last window, once the stream has ended and its last segment is written; null without one. */
  async last(): Promise<HlsWindow | null> {
    if (!this.#isOver) {
      await new Promise<void>((resolve) => {
        const cancel = this.#options.clock.after('last segment', LAST_SEGMENT_MS, () => over());
        const over = (): void => {
          this.#whenOver.delete(over);
          cancel();
          resolve();
        };
        this.#whenOver.add(over);
      });
    }
    return this.#list.window();
  }

  /** A file that is in the window or left it recently. */
  async read(name: string): Promise<HlsFile | null> {
    if (!this.#list.has(name)) return null;
    const bytes = await readFile(join(this.#options.directory, name)).catch(() => null);
    // It may have been dropped during the read.
    return bytes && this.#list.has(name) ? { bytes, segment: this.#list.segment(name) } : null;
  }

  /** Closes the room: nothing of it is readable from now on, nor on disk when this resolves. */
  async close(): Promise<void> {
    this.#cancelForget?.();
    this.#setOver();
    this.#fail(new OutputRefused('stream_offline', 'the stream has ended'));
    await this.#child.kill();
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  #add(segment: WrittenSegment): void {
    for (const name of this.#list.add({ ...segment, startsAt: this.#options.place(segment) })) {
      // A file that is missing already is fine.
      rm(join(this.#options.directory, name), { force: true }).catch(() => undefined);
    }
    const window = this.#list.window();
    if (!window) return;
    for (const { resolve, cancel } of this.#waiting) {
      cancel();
      resolve(window);
    }
    this.#waiting.clear();
  }

  /** The stream has ended: refuses callers that wait for a first segment; existing segments stay. */
  #end(): void {
    void this.#child.kill();
    this.#refuseWaiting(new OutputRefused('stream_offline', 'the stream has ended'));
    this.#setOver();
    this.#options.ended();
  }

  #setOver(): void {
    this.#isOver = true;
    for (const resolve of this.#whenOver) resolve();
  }

  /** The stream cannot be segmented. The refusal is cached for a while, so that a retry costs nothing. */
  #refuse(refusal: OutputRefused): void {
    this.#fail(refusal);
    void this.#child.kill();
    this.#cancelForget = this.#options.clock.after('unsupported', UNSUPPORTED_MS, this.#options.failed);
  }

  #fail(refusal: OutputRefused): void {
    this.#list.clear();
    this.#refuseWaiting(refusal);
  }

  #refuseWaiting(refusal: OutputRefused): void {
    this.#refusal ??= refusal;
    for (const { reject, cancel } of this.#waiting) {
      cancel();
      reject(this.#refusal);
    }
    this.#waiting.clear();
  }
}
