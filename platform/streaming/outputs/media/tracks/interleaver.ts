import { MAX_WAITING_PICTURES, MAX_WAITING_SOUNDS } from '../../limits.ts';
import type { Picture } from '../stream-reader.ts';
import type { SoundFrame } from './sound-track.ts';

const TICKS_PER_MS = 48;

export interface InterleaverEvents {
  readonly picture: (picture: Picture) => void;
  readonly sound: (frame: SoundFrame) => void;
}

/** Puts video and audio into one order of time: each waits until the other has come as far. */
export class Interleaver {
  readonly #events: InterleaverEvents;
  readonly #pictures: Picture[] = [];
  readonly #sounds: SoundFrame[] = [];

  constructor(events: InterleaverEvents) {
    this.#events = events;
  }

  addPicture(picture: Picture): void {
    this.#pictures.push(picture);
    this.#drain();
    // Missing audio is filled with silence: this is reached only when that fails.
    if (this.#pictures.length > MAX_WAITING_PICTURES) this.#events.picture(this.#pictures.shift()!);
  }

  addSound(frame: SoundFrame): void {
    this.#sounds.push(frame);
    this.#drain();
    if (this.#sounds.length > MAX_WAITING_SOUNDS) this.#sounds.shift();
  }

  /** Releases everything that waits. */
  flush(): void {
    this.#drain();
    for (const picture of this.#pictures.splice(0)) this.#events.picture(picture);
    for (const frame of this.#sounds.splice(0)) this.#events.sound(frame);
  }

  #drain(): void {
    for (;;) {
      const [picture, sound] = [this.#pictures[0], this.#sounds[0]];
      if (!picture || !sound) return;
      if (picture.timeMs * TICKS_PER_MS <= sound.at) {
        this.#pictures.shift();
        this.#events.picture(picture);
      } else {
        this.#sounds.shift();
        this.#events.sound(sound);
      }
    }
  }
}
