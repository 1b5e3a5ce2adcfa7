import type { IngestTrouble, LocalMedia } from '../../engine.ts';
import { FRAME, type LocalReady } from '../../local/frames.ts';
import { LocalLink } from '../../local/local-link.ts';
import { isRtcp } from '../../wire/rtp.ts';
import { Tally, type TallyView } from '../load/tally.ts';
import { PacketSource } from '../network/packet-source.ts';
import { Watched } from '../signals/watched.ts';

export interface TapView extends TallyView {
  readonly ready: LocalReady | null;
  readonly gone: boolean;
}

/** A local reader that counts packets and sends nothing by itself. */
export class TestTap {
  readonly session: string;
  readonly seen = new Watched<TapView>();
  readonly #link: LocalLink;
  #tally: Tally | null = null;
  #ready: LocalReady | null = null;
  #gone = false;

  private constructor(ticket: { readonly session: string; readonly socketPath: string }) {
    this.session = ticket.session;
    this.#link = new LocalLink(ticket, {
      ready: (ready) => this.#begin(ready),
      media: (type, packet) => this.#take(type, packet),
      gone: () => {
        this.#gone = true;
        this.#notify();
      },
    });
  }

  /** Attaches to a stream. Rejects as `LocalMedia.tap` does. */
  static async at(local: LocalMedia, stream: string): Promise<TestTap> {
    return new TestTap(await local.tap(stream));
  }

  requestKeyframe(): void {
    this.#link.requestKeyframe();
  }

  close(): void {
    this.#link.close();
  }

  #begin(ready: LocalReady): void {
    this.#ready = ready;
    this.#tally = new Tally({
      codec: ready.videoCodec,
      videoType: ready.videoPayloadType,
      audioType: ready.audioPayloadType,
    });
    this.#notify();
  }

  #take(type: number, packet: Buffer): void {
    const tally = this.#tally;
    if (!tally) throw new Error('media before ready');
    const isVideo = type === FRAME.video || type === FRAME.videoReport;
    tally.take(isVideo ? tally.video : tally.audio, packet);
    this.#notify();
  }

  #notify(): void {
    const none = { codec: 'H264', videoType: 0, audioType: 0 } as const;
    const tally = (this.#tally ?? new Tally(none)).view();
    this.seen.set({ ...tally, ready: this.#ready, gone: this.#gone });
  }
}

export interface FeedView {
  readonly isReady: boolean;
  readonly keyframeRequests: number;
  readonly gone: boolean;
}

/** A local publisher that obeys keyframe requests. */
export class TestFeed {
  readonly session: string;
  readonly seen = new Watched<FeedView>();
  readonly #link: LocalLink;
  #source: PacketSource | null = null;
  #isReady = false;
  #keyframeRequests = 0;
  #gone = false;

  private constructor(
    ticket: { readonly session: string; readonly socketPath: string },
    sendsMedia: boolean,
  ) {
    this.session = ticket.session;
    this.#link = new LocalLink(ticket, {
      ready: () => {
        this.#isReady = true;
        if (sendsMedia) this.begin();
        this.#notify();
      },
      media: () => {
        throw new Error('a publisher is sent no media');
      },
      keyframe: () => {
        this.#keyframeRequests += 1;
        this.#source?.requestKeyframe();
        this.#notify();
      },
      gone: () => {
        this.#gone = true;
        this.#source?.stop();
        this.#notify();
      },
    });
    this.#notify();
  }

  /** Attaches to a stream. Rejects as `LocalMedia.feed` does. */
  static async at(
    local: LocalMedia,
    stream: string,
    owner: string,
    sendsMedia = true,
  ): Promise<TestFeed> {
    return new TestFeed(await local.feed(stream, { owner }), sendsMedia);
  }

  reportTrouble(trouble: IngestTrouble | null): void {
    this.#link.reportTrouble(trouble);
  }

  /** Stops sending media; its process goes on. */
  fallSilent(): void {
    this.#source?.stop();
  }

  /** Reports that it stops on purpose. */
  finish(): void {
    this.#link.finish();
  }

  close(): void {
    this.#link.close();
  }

  /** Begins to send media. */
  begin(): void {
    this.#source = new PacketSource({
      codec: 'H264',
      framesPerSecond: 30,
      videoBitsPerSecond: 400_000,
      keyframeEveryMs: 0,
      loseEvery: 0,
      sendVideo: (packet) => this.#link.send(isRtcp(packet) ? FRAME.videoReport : FRAME.video, packet),
      sendAudio: (packet) => this.#link.send(isRtcp(packet) ? FRAME.audioReport : FRAME.audio, packet),
    });
  }

  #notify(): void {
    this.seen.set({
      isReady: this.#isReady,
      keyframeRequests: this.#keyframeRequests,
      gone: this.#gone,
    });
  }
}
