import type { Clock } from '#platform/data/clock.ts';
import { randomId } from '#platform/data/ids.ts';
import { join } from 'node:path';
import type { ChildEntry } from '../../child-entry.ts';
import type { LocalMedia } from '../../engine.ts';
import { IDLE_MS, TAIL_MS } from '../limits.ts';
import { OutputRefused, type HlsFile, type HlsWindow } from '../outputs.ts';
import { HlsRoom } from './hls-room.ts';
import { StreamTimes } from './stream-times.ts';

export interface HlsRoomsOptions {
  readonly local: LocalMedia;
  readonly entry: ChildEntry;
  readonly clock: Clock;
  /** Holds the directories of all rooms. */
  readonly directory: string;
  readonly maxRooms: number;
  readonly onError: (stream: string, detail: string) => void;
}

interface Open {
  readonly room: HlsRoom;
  readonly started: Promise<void>;
  neededAtMs: number;
  /** When its stream ended; null while it runs. */
  overAtMs: number | null;
}

/** The HLS of all streams that somebody watches that way. */
export class HlsRooms {
  readonly #options: HlsRoomsOptions;
  readonly #rooms = new Map<string, Open>();
  readonly #times = new StreamTimes();

  constructor(options: HlsRoomsOptions) {
    this.#options = options;
  }

  /** Process ids by stream, for operators and tests. */
  get pids(): ReadonlyMap<string, number> {
    return new Map([...this.#rooms].flatMap(([stream, { room: { pid } }]) => (pid ? [[stream, pid]] : [])));
  }

  async open(stream: string): Promise<HlsWindow> {
    const before = this.#rooms.get(stream);
    // The stream had ended and is published again.
    if (before && before.overAtMs !== null) await this.#close(stream, before.room);
    const open = this.#rooms.get(stream) ?? this.#begin(stream);
    open.neededAtMs = this.#nowMs();
    await open.started;
    return open.room.window();
  }

  async read(stream: string, name: string): Promise<HlsFile | null> {
    const open = this.#rooms.get(stream);
    if (!open || this.#isPast(open)) return null;
    open.neededAtMs = this.#nowMs();
    return open.room.read(name);
  }

  /** The last window of a stream that has ended. Rejects with {@link OutputRefused}. */
  async last(stream: string): Promise<HlsWindow> {
    const open = this.#rooms.get(stream);
    const window = open && !this.#isPast(open) ? await open.room.last() : null;
    if (!window) throw new OutputRefused('stream_offline', 'nothing is left of the stream');
    return window;
  }

  /** Closes rooms that nobody used recently, and removes ended streams once their time is over. */
  async sweep(): Promise<void> {
    const idle = [...this.#rooms].filter(([, open]) =>
      this.#isPast(open) || (open.overAtMs === null && this.#nowMs() - open.neededAtMs > IDLE_MS)
    );
    await Promise.all(idle.map(([stream, { room }]) => this.#close(stream, room)));
  }

  /** These streams have ended. Their last windows stay for players that are behind. */
  async finish(isMeant: (stream: string) => boolean): Promise<void> {
    for (const [stream, open] of this.#rooms) if (isMeant(stream)) open.overAtMs ??= this.#nowMs();
    await this.#dropOldest();
  }

  /** Closes the rooms of these streams; nothing of them is left when this resolves. */
  async forget(isMeant: (stream: string) => boolean): Promise<void> {
    const meant = [...this.#rooms].filter(([stream]) => isMeant(stream));
    await Promise.all(meant.map(([stream, { room }]) => this.#close(stream, room)));
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  #begin(stream: string): Open {
    const { local, entry, clock, directory, maxRooms, onError } = this.#options;
    const running = [...this.#rooms.values()].filter(({ overAtMs }) => overAtMs === null);
    if (running.length >= maxRooms) throw new OutputRefused('overloaded', 'too many streams are segmented');
    const room = new HlsRoom({
      stream,
      local,
      entry,
      clock,
      directory: join(directory, randomId()),
      place: (segment) => this.#times.place(stream, segment),
      onError: (detail) => onError(stream, detail),
      ended: () => this.#over(stream, room),
      failed: () => void this.#close(stream, room),
    });
    const started = room.start();
    started.catch(() => this.#close(stream, room));
    const open = { room, started, neededAtMs: this.#nowMs(), overAtMs: null };
    this.#rooms.set(stream, open);
    return open;
  }

  #over(stream: string, room: HlsRoom): void {
    const open = this.#rooms.get(stream);
    if (open?.room !== room) return;
    open.overAtMs ??= this.#nowMs();
    void this.#dropOldest();
  }

  #isPast({ overAtMs }: Open): boolean {
    return overAtMs !== null && this.#nowMs() - overAtMs > TAIL_MS;
  }

  /** At most `maxRooms` ended streams are retained. */
  async #dropOldest(): Promise<void> {
    const over = [...this.#rooms].filter(([, { overAtMs }]) => overAtMs !== null)
      .sort(([, a], [, b]) => (a.overAtMs ?? 0) - (b.overAtMs ?? 0));
    const tooMany = over.slice(0, Math.max(0, over.length - this.#options.maxRooms));
    await Promise.all(tooMany.map(([stream, { room }]) => this.#close(stream, room)));
  }

  async #close(stream: string, room: HlsRoom): Promise<void> {
    if (this.#rooms.get(stream)?.room === room) this.#rooms.delete(stream);
    this.#times.retain(this.#rooms.keys());
    await room.close();
  }
}
