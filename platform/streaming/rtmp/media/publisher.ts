import type { Clock } from '#platform/data/clock.ts';
import type { IngestTrouble, LocalTicket } from '../../engine.ts';
import { MESSAGE, type RtmpMessage } from '../../wire/rtmp/rtmp-chunks.ts';
import type { BFramePolicy } from '../ingest.ts';
import { NO_PICTURE_AFTER_MS } from '../limits.ts';
import { RelayFeed } from './relay-feed.ts';
import { PictureTrack, type PictureTrackOptions } from './tracks/picture-track.ts';
import { SoundTrack, type SoundTrackOptions } from './tracks/sound-track.ts';
import { Timeline } from './tracks/timeline.ts';

export interface PublisherOptions {
  readonly clock: Clock;
  readonly bFrames: BFramePolicy;
  readonly sound: Pick<SoundTrackOptions, 'decoder' | 'encoder'>;
  readonly transcoder: PictureTrackOptions['transcoder'];
  readonly readmit: (lost: string) => Promise<LocalTicket | null>;
  readonly trouble: (session: string, trouble: IngestTrouble | null) => void;
  readonly gone: (reason: string) => void;
  /** The client stops on purpose while no relay carries its session. */
  readonly finished: (session: string) => void;
}

/** The media of one admitted client, from its tags to the packets of a relay. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #feed: RelayFeed;
  readonly #pictures: PictureTrack;
  readonly #sound: SoundTrack;
  readonly #timeline = new Timeline();
  readonly #beganAtMs = performance.now();
  #trouble: IngestTrouble | null = null;
  #closed = false;
  /** Whether video is sent, or none will come: until then audio waits, so that a stream begins with video. */
  #isOnAir = false;
  /** Time of the first tag. */
  #firstMs: number | null = null;

  constructor(options: PublisherOptions) {
    this.#options = options;
    const { bFrames, transcoder, clock, readmit, gone, sound } = options;
    this.#feed = new RelayFeed({
      clock,
      readmit,
      gone,
      keyframe: () => this.#pictures.requestKeyframe(),
    });
    this.#pictures = new PictureTrack({
      bFrames,
      transcoder,
      send: (picture) => {
        this.#isOnAir = true;
        this.#feed.bFrames(this.#pictures.bFrames);
        this.#feed.picture(picture);
      },
    });
    this.#sound = new SoundTrack({
      ...sound,
      send: (payload) => {
        if (this.#isOnAir) this.#feed.sound(payload);
      },
    });
  }

  /** Attaches with its ticket; false when the ticket is not valid. */
  attach(ticket: LocalTicket): Promise<boolean> {
    return this.#feed.attach(ticket);
  }

  take({ type, timestamp, payload }: RtmpMessage): void {
    const track = type === MESSAGE.video ? 'video' : 'audio';
    const ms = this.#timeline.place(track, timestamp, performance.now() - this.#beganAtMs);
    this.#firstMs ??= ms;
    this.#feed.mark(ms);
    // `mark` may have found that this publisher can attach nowhere any more.
    if (this.#closed) return;
    // Audio without video is better than nothing.
    if (!this.#pictures.hasBegun && ms - this.#firstMs > NO_PICTURE_AFTER_MS) this.#isOnAir = true;
    if (track === 'video') this.#pictures.take(payload, ms);
    else this.#sound.take(payload, ms);
    this.#reportTrouble();
  }

  /** @param isMeant whether the client said that it stops, rather than just disconnecting */
  close(isMeant = false): void {
    if (isMeant && !this.#closed && !this.#feed.finish()) this.#options.finished(this.#feed.session);
    this.#closed = true;
    this.#feed.close();
    this.#pictures.close();
    this.#sound.close();
  }

  #reportTrouble(): void {
    const trouble = this.#pictures.trouble ?? (this.#sound.isForeign ? 'audio_codec' : null);
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    if (trouble === 'b_frames' || trouble === 'video_codec') this.#isOnAir = false;
    this.#feed.trouble(trouble);
    this.#options.trouble(this.#feed.session, trouble);
  }
}
