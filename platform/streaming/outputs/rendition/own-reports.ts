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
 * Sender reports of a rendition: those of its source, which keep picture and sound in step. Where the source
 * sends none, the rendition reports when its pictures came, before it makes them smaller: else its segments
 * would stand later than those of the source by what that takes.
 */
export class OwnReports {
  readonly #options: OwnReportsOptions;
  /** The source reports on its pictures. */
  #isReported = false;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: OwnReportsOptions) {
    this.#options = options;
  }

  /** A report of the source. One of its sound ties it to nothing while the pictures go by another clock. */
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
   * A picture of the source that is not made smaller yet.
   * @param isOut whether one of before has left: nobody takes a report sooner
   */
  picture({ sent, timeMs, timestamp, jumped }: Picture, isOut: boolean): void {
    if (sent !== null || (!jumped && timeMs - this.#reportedAtMs < OWN_REPORT_MS)) return;
    if (isOut) this.#reportedAtMs = timeMs;
    const { videoSsrc: ssrc, send } = this.#options;
    send(FRAME.videoReport, writeSenderReport({ ssrc, ...ntpOf(timeMs), timestamp, packets: 0, octets: 0 }));
  }
}
