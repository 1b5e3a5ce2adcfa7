import { join } from 'node:path';
import type { Clock } from '../../../data/clock.ts';
import { randomId } from '../../../data/ids.ts';
import type { ChildEntry } from '../../child-entry.ts';
import type { LocalMedia } from '../../engine.ts';
import { IDLE_MS } from '../limits.ts';
import { OutputRefused, type HlsFile, type HlsWindow } from '../outputs.ts';
import { HlsRoom } from './hls-room.ts';

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
}

/** HLS of all streams that somebody watches. */
export class HlsRooms {
  readonly #options: HlsRoomsOptions;
  readonly #rooms = new Map<string, Open>();

  constructor(options: HlsRoomsOptions) {
    this.#options = options;
  }

  /** Process ids by stream, for operators and tests. */
  get pids(): ReadonlyMap<string, number> {
    return new Map([...this.#rooms].flatMap(([stream, { room: { pid } }]) => (pid ? [[stream, pid]] : [])));
  }

  async open(stream: string): Promise<HlsWindow> {
    const open = this.#rooms.get(stream) ?? this.#begin(stream);
    open.neededAtMs = this.#nowMs();
    await open.started;
    return open.room.window();
  }

  async read(stream: string, name: string): Promise<HlsFile | null> {
    const open = this.#rooms.get(stream);
    if (!open) return null;
    open.neededAtMs = this.#nowMs();
    return open.room.read(name);
  }

  /** Ends those nobody needed lately. */
  async sweep(): Promise<void> {
    const idle = [...this.#rooms].filter(([, { neededAtMs }]) => this.#nowMs() - neededAtMs > IDLE_MS);
    await Promise.all(idle.map(([stream, { room }]) => this.#close(stream, room)));
  }

  /** Ends those whose stream this says; nothing of them is left when it resolves. */
  async forget(isMeant: (stream: string) => boolean): Promise<void> {
    const meant = [...this.#rooms].filter(([stream]) => isMeant(stream));
    await Promise.all(meant.map(([stream, { room }]) => this.#close(stream, room)));
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  #begin(stream: string): Open {
    const { local, entry, clock, directory, maxRooms, onError } = this.#options;
    if (this.#rooms.size >= maxRooms) throw new OutputRefused('overloaded', 'too many streams are segmented');
    const room = new HlsRoom({
      stream, local, entry, clock, directory: join(directory, randomId()),
      onError: (detail) => onError(stream, detail),
      ended: () => void this.#close(stream, room),
    });
    const started = room.start();
    started.catch(() => this.#close(stream, room));
    const open = { room, started, neededAtMs: this.#nowMs() };
    this.#rooms.set(stream, open);
    return open;
  }

  async #close(stream: string, room: HlsRoom): Promise<void> {
    if (this.#rooms.get(stream)?.room === room) this.#rooms.delete(stream);
    await room.close();
  }
}
