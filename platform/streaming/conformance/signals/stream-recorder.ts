import type { LocalMedia } from '../../engine.ts';
import { FRAME } from '../../local/frames.ts';
import { LocalLink } from '../../local/local-link.ts';
import { joinUnits } from '../../wire/codecs/h264.ts';
import { readRtcp, type SenderReport } from '../../wire/rtcp.ts';
import { hasMarker, RTP_HEADER_BYTES, timestampOf } from '../../wire/rtp.ts';
import type { Timed } from '../processes/media-protocol.ts';
import { Watched } from './watched.ts';

export interface Recorded {
  /** Frames in Annex B and Opus packets, timed by the wall clock of the sender reports. */
  readonly pictures: readonly Timed[];
  readonly sounds: readonly Timed[];
}

export interface RecorderView {
  readonly pictures: number;
  readonly sounds: number;
  /** Tracks that had a sender report. */
  readonly reports: number;
}

interface Received {
  readonly timestamp: number;
  readonly data: Buffer;
}

const STAP_A = 24;
const FU_A = 28;
const VIDEO_TICKS_PER_MS = 90;
const AUDIO_TICKS_PER_MS = 48;
const NTP_OFFSET_SECONDS = 2_208_988_800;

/** A local reader that records the video and audio of a stream, with their times. */
export class StreamRecorder {
  /** Counts of what came. */
  readonly seen = new Watched<RecorderView>();
  readonly #link: LocalLink;
  readonly #pictures: Received[] = [];
  readonly #sounds: Received[] = [];
  readonly #reports = new Map<'video' | 'audio', SenderReport>();
  #units: Buffer[] = [];
  #fragments: Buffer[] = [];

  private constructor(ticket: { readonly session: string; readonly socketPath: string }) {
    this.#link = new LocalLink(ticket, {
      ready: () => undefined,
      media: (type, packet) => this.#take(type, packet),
      gone: () => undefined,
    });
    this.#notify();
  }

  /** Rejects as `LocalMedia.tap` does. */
  static async at(local: LocalMedia, stream: string): Promise<StreamRecorder> {
    return new StreamRecorder(await local.tap(stream));
  }

  /** Needs a sender report of each track that has media. */
  recorded(): Recorded {
    const timed = (received: readonly Received[], track: 'video' | 'audio', ticksPerMs: number): Timed[] => {
      if (received.length === 0) return [];
      const report = this.#reports.get(track);
      if (!report) throw new Error(`no report of ${track}`);
      const wallMs = (report.ntpSeconds - NTP_OFFSET_SECONDS + report.ntpFraction / 2 ** 32) * 1_000;
      return received.map(({ timestamp, data }) => ({
        data,
        ms: wallMs + ((timestamp - report.timestamp) | 0) / ticksPerMs,
      }));
    };
    return {
      pictures: timed(this.#pictures, 'video', VIDEO_TICKS_PER_MS),
      sounds: timed(this.#sounds, 'audio', AUDIO_TICKS_PER_MS),
    };
  }

  close(): void {
    this.#link.close();
  }

  #notify(): void {
    this.seen.set({
      pictures: this.#pictures.length,
      sounds: this.#sounds.length,
      reports: this.#reports.size,
    });
  }

  #take(type: number, packet: Buffer): void {
    const payload = packet.subarray(RTP_HEADER_BYTES);
    if (type === FRAME.video) this.#takePicture(payload, timestampOf(packet), hasMarker(packet));
    else if (type === FRAME.audio) this.#sounds.push({ timestamp: timestampOf(packet), data: payload });
    else {
      const report = readRtcp(packet).find((item) => item.kind === 'sender_report');
      if (report) this.#reports.set(type === FRAME.videoReport ? 'video' : 'audio', report);
    }
    this.#notify();
  }

  #takePicture(payload: Buffer, timestamp: number, isLast: boolean): void {
    const type = payload[0]! & 31;
    if (type === STAP_A) this.#takeAggregate(payload);
    else if (type === FU_A) this.#takeFragment(payload);
    else this.#units.push(payload);
    if (!isLast) return;
    this.#pictures.push({ timestamp, data: joinUnits(this.#units) });
    this.#units = [];
  }

  #takeAggregate(payload: Buffer): void {
    for (let at = 1; at + 2 < payload.length;) {
      const length = payload.readUInt16BE(at);
      this.#units.push(payload.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
  }

  #takeFragment(payload: Buffer): void {
    const [first, second] = [payload[0]!, payload[1]!];
    if ((second & 0x80) !== 0) this.#fragments = [Buffer.from([(first & 0xe0) | (second & 31)])];
    this.#fragments.push(payload.subarray(2));
    if ((second & 0x40) !== 0) this.#units.push(Buffer.concat(this.#fragments));
  }
}
