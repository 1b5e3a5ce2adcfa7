import { FRAME } from '../../local/frames.ts';
import { ntpOf, readRtcp, writeSenderReport } from '../../wire/rtcp.ts';
import { OWN_REPORT_MS } from '../limits.ts';
import type { Picture } from '../media/stream-reader.ts';

export interface OwnReportsOptions {
  readonly videoSsrc: number;
  readonly soundSsrc: number;
  readonly send: (type: typeof FRAME.videoReport | typeof FRAME.audioReport, report: Buffer) => void;
}

/**
 * Sender reports of a rendition: those of its source, which synchronise video and audio. Where the source
 * sends none, the rendition reports the arrival of its pictures, before scaling them: otherwise its segments
 * would be placed later than those of the source by the time scaling takes.
 */
export class OwnReports {
  readonly #options: OwnReportsOptions;
  /** Whether the source reports on its video. */
  #isReported = false;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: OwnReportsOptions) {
    this.#options = options;
  }

  /** Passes on a report of the source. An audio report is useless while the video has another clock. */
  pass(type: typeof FRAME.videoReport | typeof FRAME.audioReport, packet: Buffer): void {
    const isOfVideo = type === FRAME.videoReport;
    this.#isReported ||= isOfVideo;
    if (!this.#isReported) return;
    const { videoSsrc, soundSsrc, send } = this.#options;
    for (const item of readRtcp(packet)) {
      if (item.kind !== 'sender_report') continue;
      send(type, writeSenderReport({ ...item, ssrc: isOfVideo ? videoSsrc : soundSsrc }));
    }
  }

  /**
   * A picture of the source, before it is scaled.
   * @param isOut whether an earlier picture has left: before that nobody receives a report
   */
  picture({ sent, timeMs, timestamp, jumped }: Picture, isOut: boolean): void {
    if (sent !== null || (!jumped && timeMs - this.#reportedAtMs < OWN_REPORT_MS)) return;
    if (isOut) this.#reportedAtMs = timeMs;
    const { videoSsrc: ssrc, send } = this.#options;
    send(FRAME.videoReport, writeSenderReport({ ssrc, ...ntpOf(timeMs), timestamp, packets: 0, octets: 0 }));
  }
}
