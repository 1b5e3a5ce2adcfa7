import { LOSSY_PAUSE_MS, LOSSY_REPORTS, LOSSY_SHARE, MAX_UNREPORTED_SECONDS } from '../../limits.ts';
import type { ReportBlock } from '../../wire/rtcp.ts';
import type { MediaKind } from '../../wire/sdp.ts';

/** The last sequence number that each track was sent in a second; none for a track that was sent nothing. */
export type SecondSent = Partial<Record<MediaKind, number>>;

/** Parts of `ReportBlock.fractionLost`. */
const ALL_LOST = 256;

/**
 * What a metered reader received. A second was received when a receiver report (RFC 3550 §6.4.2) has reached
 * its last packet. A reader that reports nothing, or that much is lost, is sent nothing for a while: what it
 * says saves it nothing, for it gets no picture either.
 */
export class Delivery {
  /** Seconds sent that no report has reached, the oldest first. */
  #unreported: SecondSent[] = [];
  #received = 0;
  #lost = 0;
  /** Reports in a row that say that much was lost. */
  #lossyReports = 0;
  /** Nothing is sent before this; null while it is sent. */
  #pausedUntilMs: number | null = null;

  get isPaused(): boolean {
    return this.#pausedUntilMs !== null;
  }

  /** A second is over in which something was sent; pauses when too many have no report. */
  sent(second: SecondSent, nowMs: number): void {
    if (this.isPaused) return;
    this.#unreported.push(second);
    const kind = this.#unreported.some(({ video }) => video !== undefined) ? 'video' : 'audio';
    if (this.#unreported.length >= MAX_UNREPORTED_SECONDS[kind]) this.#pause(nowMs);
  }

  /** The reader reports on a track. */
  reported(kind: MediaKind, { highestSequence, fractionLost }: ReportBlock, nowMs: number): void {
    const before = this.#unreported.length;
    this.#unreported = this.#unreported.filter((second) => !isReached(second[kind], highestSequence));
    const reached = before - this.#unreported.length;
    const received = Math.round(reached * (1 - fractionLost / ALL_LOST));
    this.#received += received;
    this.#lost += reached - received;
    if (kind !== 'video') return;
    this.#lossyReports = fractionLost >= LOSSY_SHARE * ALL_LOST ? this.#lossyReports + 1 : 0;
    // One such report is also the first after a cut, which is over.
    if (this.#lossyReports >= LOSSY_REPORTS && !this.isPaused) this.#pause(nowMs + LOSSY_PAUSE_MS);
  }

  /** The reader gave a sign of life; true when it is sent media again from now on. */
  resumes(nowMs: number): boolean {
    if (this.#pausedUntilMs === null || nowMs < this.#pausedUntilMs) return false;
    this.#pausedUntilMs = null;
    return true;
  }

  /** Seconds that were reported, and seconds that were lost, since the last call. */
  take(): { readonly secondsReceived: number; readonly secondsLost: number } {
    const taken = { secondsReceived: this.#received, secondsLost: this.#lost };
    this.#received = 0;
    this.#lost = 0;
    return taken;
  }

  #pause(untilMs: number): void {
    this.#lost += this.#unreported.length;
    this.#unreported = [];
    this.#lossyReports = 0;
    this.#pausedUntilMs = untilMs;
  }
}

/** Whether a sequence number of 16 bits is at or before a reported one, which has 32. */
const isReached = (sequence: number | undefined, reported: number): boolean =>
  sequence !== undefined && ((reported - sequence) & 0xffff) < 0x8000;
