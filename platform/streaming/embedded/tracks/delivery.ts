import type { ReaderHealth } from '../../engine.ts';
import { LOSSY_PAUSE_MS, LOSSY_REPORTS, LOSSY_SHARE, MAX_UNREPORTED_SECONDS } from '../../limits.ts';
import type { ReportBlock } from '../../wire/rtcp.ts';
import type { MediaKind } from '../../wire/sdp.ts';

/** The last sequence number sent on each track in a second; absent for a track that was sent nothing. */
export type SecondSent = Partial<Record<MediaKind, number>>;

/** `ReportBlock.fractionLost` counts in 256ths. */
const ALL_LOST = 256;

interface Unreported {
  /** Number of the second, counted from 1. */
  readonly second: number;
  readonly sent: SecondSent;
}

/**
 * What a metered reader received. A second counts as received when a receiver report (RFC 3550 §6.4.2) has
 * reached its last packet. A reader that sends no reports, or reports much loss, is sent nothing for a while:
 * false reports save it nothing, since it gets no video either.
 */
export class Delivery {
  /** Seconds that have ended, with or without media. */
  #seconds = 0;
  #isSent = false;
  /** Sent seconds that no report has reached, oldest first. */
  #unreported: readonly Unreported[] = [];
  #received: number[] = [];
  #lost: number[] = [];
  /** Consecutive reports of heavy loss. */
  #lossyReports = 0;
  /** No media is sent before this time; null while media is sent. */
  #pausedUntilMs: number | null = null;

  get isPaused(): boolean {
    return this.#pausedUntilMs !== null;
  }

  /** Ends a second with what was sent in it; pauses when too many seconds have no report. */
  endSecond(sent: SecondSent, nowMs: number): void {
    this.#seconds += 1;
    this.#isSent = Object.keys(sent).length > 0;
    if (!this.#isSent) return;
    this.#unreported = [...this.#unreported, { second: this.#seconds, sent }];
    const isVideo = this.#unreported.some((item) => item.sent.video !== undefined);
    if (this.isPaused) this.settle();
    else if (this.#unreported.length >= MAX_UNREPORTED_SECONDS[isVideo ? 'video' : 'audio']) {
      this.#pause(nowMs);
    }
  }

  /** The reader reports on a track. */
  reported(kind: MediaKind, { highestSequence, fractionLost }: ReportBlock, nowMs: number): void {
    const isIn = ({ sent }: Unreported): boolean => isReached(sent[kind], highestSequence);
    const reached = this.#unreported.filter(isIn).map(({ second }) => second);
    this.#unreported = this.#unreported.filter((item) => !isIn(item));
    const received = Math.round(reached.length * (1 - fractionLost / ALL_LOST));
    this.#received.push(...reached.slice(0, received));
    this.#lost.push(...reached.slice(received));
    if (kind !== 'video') return;
    this.#lossyReports = fractionLost >= LOSSY_SHARE * ALL_LOST ? this.#lossyReports + 1 : 0;
    // A single such report is also the first one after a short network cut, so one is not enough.
    if (this.#lossyReports >= LOSSY_REPORTS && !this.isPaused) this.#pause(nowMs + LOSSY_PAUSE_MS);
  }

  /** The reader gave a sign of life; true when sending resumes. */
  resumes(nowMs: number): boolean {
    if (this.#pausedUntilMs === null || nowMs < this.#pausedUntilMs) return false;
    this.#pausedUntilMs = null;
    return true;
  }

  /** No more reports will come: unreported seconds count as lost. */
  settle(): void {
    this.#lost.push(...this.#unreported.map(({ second }) => second));
    this.#unreported = [];
  }

  /** Whether the last second was sent, and what became known of earlier ones since the last call. */
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

/** Whether a 16-bit sequence number is at or before a reported 32-bit one. */
const isReached = (sequence: number | undefined, reported: number): boolean =>
  sequence !== undefined && ((reported - sequence) & 0xffff) < 0x8000;
