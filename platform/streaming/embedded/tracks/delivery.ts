import { LOSSY_PAUSE_MS, LOSSY_REPORTS, LOSSY_SHARE, MAX_UNREPORTED_SECONDS } from '../../limits.ts';
import type { ReaderHealth } from '../../engine.ts';
import type { ReportBlock } from '../../wire/rtcp.ts';
import type { MediaKind } from '../../wire/sdp.ts';

/** The last sequence number that each track was sent in a second; none for a track that was sent nothing. */
export type SecondSent = Partial<Record<MediaKind, number>>;

/** Parts of `ReportBlock.fractionLost`. */
const ALL_LOST = 256;

interface Unreported {
  /** Which of the seconds that have ended, from 1. */
  readonly second: number;
  readonly sent: SecondSent;
}

/**
 * What a metered reader received. A second was received when a receiver report (RFC 3550 §6.4.2) has reached
 * its last packet. A reader that reports nothing, or that much is lost, is sent nothing for a while: what it
 * says saves it nothing, for it gets no picture either.
 */
export class Delivery {
  /** Seconds that have ended, whether something was sent in them or not. */
  #seconds = 0;
  #isSent = false;
  /** Seconds sent that no report has reached, the oldest first. */
  #unreported: readonly Unreported[] = [];
  #received: number[] = [];
  #lost: number[] = [];
  /** Reports in a row that say that much was lost. */
  #lossyReports = 0;
  /** Nothing is sent before this; null while it is sent. */
  #pausedUntilMs: number | null = null;

  get isPaused(): boolean {
    return this.#pausedUntilMs !== null;
  }

  /** A second is over, and what was sent in it; pauses when too many have no report. */
  endSecond(sent: SecondSent, nowMs: number): void {
    this.#seconds += 1;
    this.#isSent = Object.keys(sent).length > 0;
    if (!this.#isSent) return;
    this.#unreported = [...this.#unreported, { second: this.#seconds, sent }];
    const isVideo = this.#unreported.some((one) => one.sent.video !== undefined);
    if (this.isPaused) this.settle();
    else if (this.#unreported.length >= MAX_UNREPORTED_SECONDS[isVideo ? 'video' : 'audio']) {
      this.#pause(nowMs);
    }
  }

  /** The reader reports on a track. */
  reported(kind: MediaKind, { highestSequence, fractionLost }: ReportBlock, nowMs: number): void {
    const isIn = ({ sent }: Unreported): boolean => isReached(sent[kind], highestSequence);
    const reached = this.#unreported.filter(isIn).map(({ second }) => second);
    this.#unreported = this.#unreported.filter((one) => !isIn(one));
    const received = Math.round(reached.length * (1 - fractionLost / ALL_LOST));
    this.#received.push(...reached.slice(0, received));
    this.#lost.push(...reached.slice(received));
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

  /** Nothing more is reported: the seconds that no report has reached are lost. */
  settle(): void {
    this.#lost.push(...this.#unreported.map(({ second }) => second));
    this.#unreported = [];
  }

  /** What was sent in the second that ended last, and what became known of seconds since the last call. */
  take(): Omit<ReaderHealth, 'session'> {
    const agesOf = (seconds: readonly number[]): number[] => seconds.map((second) => this.#seconds - second);
    const taken = { isSent: this.#isSent, received: agesOf(this.#received), lost: agesOf(this.#lost) };
    this.#isSent = false;
    this.#received = [];
    this.#lost = [];
    return taken;
  }

  #pause(untilMs: number): void {
    this.settle();
    this.#lossyReports = 0;
    this.#pausedUntilMs = untilMs;
  }
}

/** Whether a sequence number of 16 bits is at or before a reported one, which has 32. */
const isReached = (sequence: number | undefined, reported: number): boolean =>
  sequence !== undefined && ((reported - sequence) & 0xffff) < 0x8000;
