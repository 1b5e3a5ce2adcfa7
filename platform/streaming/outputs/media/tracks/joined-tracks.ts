import { BREAK_MS, JITTER_WAIT_MS, SOUND_PATIENCE_MS } from '../../limits.ts';
import { StreamReader } from '../stream-reader.ts';
import { Interleaver, type InterleaverEvents } from './interleaver.ts';
import { SoundTrack, type SoundCodec } from './sound-track.ts';

export interface JoinedTracksOptions extends InterleaverEvents {
  readonly codec: SoundCodec;
  readonly keyframeWanted: () => void;
  /** No picture came for a while; all earlier ones have been passed on. Called once. */
  readonly paused: () => void;
}

/** Video as it came and audio as AAC, in one order of time; silence fills gaps in the audio. */
export class JoinedTracks {
  readonly #options: JoinedTracksOptions;
  readonly #reader: StreamReader;
  readonly #interleaver: Interleaver;
  #pictureAtMs: number | null = null;

  constructor(options: JoinedTracksOptions) {
    this.#options = options;
    this.#interleaver = new Interleaver(options);
    const sound = new SoundTrack(options.codec, (frame) => this.#interleaver.addSound(frame));
    let begun = false;
    this.#reader = new StreamReader({
      waitMs: JITTER_WAIT_MS,
      keyframeWanted: options.keyframeWanted,
      picture: (picture) => {
        sound.fillTo(begun ? picture.timeMs - SOUND_PATIENCE_MS : picture.timeMs);
        begun = true;
        this.#pictureAtMs = picture.arrivedMs;
        this.#interleaver.addPicture(picture);
      },
      // Audio before the first picture has no video to be played with.
      sound: (payload, timeMs) => {
        if (begun) sound.push(payload, timeMs);
      },
    });
  }

  /** As {@link StreamReader.take}. */
  take(type: number, packet: Buffer, nowMs: number): void {
    this.#reader.take(type, packet, nowMs);
  }

  advance(nowMs: number): void {
    this.#reader.advance(nowMs);
    if (this.#pictureAtMs !== null && nowMs - this.#pictureAtMs > BREAK_MS) this.pause();
  }

  /** No more media comes for a while. */
  pause(): void {
    this.#pictureAtMs = null;
    this.#interleaver.flush();
    this.#options.paused();
  }
}
