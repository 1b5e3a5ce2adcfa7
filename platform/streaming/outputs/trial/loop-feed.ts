import { systemClock } from '#platform/data/clock.ts';
import { fileURLToPath } from 'node:url';
import type { LocalMedia } from '../../engine.ts';
import { FRAME } from '../../local/frames.ts';
import { LocalLink } from '../../local/local-link.ts';
import { readLoop, type LoopMedia } from '../../loop-publisher/loop-media.ts';
import { LoopSender } from '../../loop-publisher/loop-sender.ts';
import { isRtcp } from '../../wire/rtp.ts';

const LOOPS = fileURLToPath(new URL('../../../../product/testkit/loops/', import.meta.url));
const PERIOD_MS = 20;

export interface LoopFeedOptions {
  /** A recorded loop by name, or a generated one; `candle` by default. */
  readonly loop?: string | LoopMedia;
  /** 15 by default, as recorded. */
  readonly framesPerSecond?: number;
  /** How much later than its video the audio is sent. */
  readonly soundDelayMs?: number;
  /** Receives every video packet before it is sent, and returns what is sent instead. */
  readonly video?: (packet: Buffer) => readonly Buffer[];
  readonly silent?: boolean;
  /** Whether it sends no sender reports. */
  readonly unreported?: boolean;
}

const readNamed = (name: string): Promise<LoopMedia> =>
  readLoop(`${LOOPS}${name}.h264`, `${LOOPS}${name}.opus`);

/** A publisher that sends a loop through a local socket, in real time. */
export class LoopFeed {
  readonly session: string;
  readonly #link: LocalLink;
  #cancel: () => void = () => undefined;

  private constructor(session: string, link: LocalLink) {
    this.session = session;
    this.#link = link;
  }

  /** Publishes; resolves when packets flow. Rejects as `LocalMedia.feed` does. */
  static async at(local: LocalMedia, stream: string, options: LoopFeedOptions = {}): Promise<LoopFeed> {
    const { loop = 'candle' } = options;
    const media = typeof loop === 'string' ? await readNamed(loop) : loop;
    const ticket = await local.feed(stream, { owner: 'trial' });
    return new Promise((resolve) => {
      const link: LocalLink = new LocalLink(ticket, {
        ready: () => {
          feed.#send(media, options);
          resolve(feed);
        },
        media: () => undefined,
        gone: () => feed.stop(),
      });
      const feed = new LoopFeed(ticket.session, link);
    });
  }

  /** Stops sending; the session stays. */
  stop(): void {
    this.#cancel();
  }

  /** Ends the session. */
  close(): void {
    this.stop();
    this.#link.close();
  }

  #send(media: LoopMedia, options: LoopFeedOptions): void {
    const { framesPerSecond = 15, soundDelayMs = 0, silent = false, unreported = false } = options;
    const sendVideo = (packet: Buffer): void => {
      if (isRtcp(packet)) return void (unreported || this.#link.send(FRAME.videoReport, packet));
      for (const one of options.video?.(packet) ?? [packet]) this.#link.send(FRAME.video, one);
    };
    const sendSound = (packet: Buffer): void =>
      void this.#link.send(isRtcp(packet) ? FRAME.audioReport : FRAME.audio, packet);
    const sender = new LoopSender({
      media,
      framesPerSecond,
      videoSsrc: 1,
      audioSsrc: 2,
      sendVideo,
      sendAudio: (packet) => {
        if (silent || (unreported && isRtcp(packet))) return;
        if (soundDelayMs === 0) sendSound(packet);
        else systemClock.after('late sound', soundDelayMs, () => sendSound(packet));
      },
    }, performance.now());
    this.#cancel = systemClock.every('loop', PERIOD_MS, () => {
      const nowMs = performance.now();
      sender.advance(nowMs, performance.timeOrigin + nowMs);
    });
  }
}
