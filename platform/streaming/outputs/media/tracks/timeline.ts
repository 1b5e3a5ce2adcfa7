import type { SenderReport } from '../../../wire/rtcp.ts';
import { CLOCK_DRIFT_PART, CLOCK_JUMP_MS, MAX_SOUND_SHIFT_MS, REPORT_AGREEMENT_MS } from '../../limits.ts';

const VIDEO_TICKS_PER_MS = 90;
const SOUND_TICKS_PER_MS = 48;
/** Only differences of NTP times are used, so the epoch (1900 rather than 1970) does not matter. */
const NTP_FRACTIONS_PER_MS = 2 ** 32 / 1_000;

/** `later` minus `earlier` for 32-bit timestamps that wrap, as a signed number. */
const ticksBetween = (earlier: number, later: number): number => (later - earlier) | 0;

interface Report {
  readonly timestamp: number;
  /** The sender's time of day. */
  readonly senderMs: number;
}

/** When something was sent, by its sender's clock; a rendition passes on that of its source. */
export interface SentTime {
  /** Milliseconds of the sender's time of day. */
  readonly atMs: number;
  /** How far that clock is behind ours, as the least delayed packet or report shows. */
  readonly behindMs: number;
}

/** Turns RTP timestamps of one source into time of day: begins at a packet's arrival, then follows them. */
class TrackClock {
  readonly #ticksPerMs: number;
  #timestamp: number | null = null;
  #timeMs = 0;
  #report: Report | null = null;
  /** See {@link SentTime}; null before a report, and after a jump. */
  #behindMs: number | null = null;

  constructor(ticksPerMs: number) {
    this.#ticksPerMs = ticksPerMs;
  }

  get timeMs(): number {
    return this.#timeMs;
  }

  /** The sender's time of day at a timestamp, by default the newest; null before a report. */
  senderMs(timestamp: number | null = this.#timestamp): number | null {
    if (!this.#report || timestamp === null) return null;
    return this.#report.senderMs + ticksBetween(this.#report.timestamp, timestamp) / this.#ticksPerMs;
  }

  /** When the newest packet was sent; null before a report. */
  get sent(): SentTime | null {
    const atMs = this.senderMs();
    return atMs === null || this.#behindMs === null ? null : { atMs, behindMs: this.#behindMs };
  }

  /** Moves on to a packet; true when its time does not continue that of the packet before it. */
  advance(timestamp: number, arrivedMs: number): boolean {
    const before = this.#timestamp;
    this.#timestamp = timestamp;
    if (before === null) {
      this.#timeMs = arrivedMs;
      return false;
    }
    const passedMs = ticksBetween(before, timestamp) / this.#ticksPerMs;
    const errorMs = arrivedMs - (this.#timeMs + passedMs);
    if (Math.abs(errorMs) > CLOCK_JUMP_MS) {
      this.#timeMs = arrivedMs;
      this.#report = null;
      this.#behindMs = null;
      return true;
    }
    const most = Math.abs(passedMs) * CLOCK_DRIFT_PART;
    this.#timeMs += passedMs + Math.max(-most, Math.min(most, errorMs));
    this.#compare(this.senderMs(), arrivedMs);
    return false;
  }

  /** Notes a report; false when it contradicts the one before it, so that the source must be a new one. */
  note(report: Report, arrivedMs: number): boolean {
    const expectedMs = this.senderMs(report.timestamp);
    const agrees = expectedMs === null || Math.abs(report.senderMs - expectedMs) <= REPORT_AGREEMENT_MS;
    if (!agrees) this.#behindMs = null;
    this.#report = report;
    // Reports are not delayed by an encoder, as pictures are.
    this.#compare(report.senderMs, arrivedMs);
    return agrees;
  }

  forgetReport(): void {
    this.#report = null;
    this.#behindMs = null;
  }

  #compare(senderMs: number | null, arrivedMs: number): void {
    if (senderMs !== null) this.#behindMs = Math.min(this.#behindMs ?? Infinity, arrivedMs - senderMs);
  }
}

export interface PictureTime {
  /** Milliseconds since 1970, by this machine's clock. */
  readonly timeMs: number;
  /** Whether it does not continue the time of the picture before it. */
  readonly jumped: boolean;
  /** Null before the source has reported. */
  readonly sent: SentTime | null;
}

/**
 * One timeline for video and audio. Video leads: the first picture has the time its packet arrived, later
 * ones follow by their timestamps. Audio is placed beside it by the sender reports of both sources (RFC 3550
 * §6.4.1), or by its arrival while reports are missing or implausible.
 */
export class Timeline {
  readonly #video = new TrackClock(VIDEO_TICKS_PER_MS);
  readonly #sound = new TrackClock(SOUND_TICKS_PER_MS);

  /** @param arrivedMs milliseconds since 1970, as in the other calls, of a clock that never goes back */
  picture(timestamp: number, arrivedMs: number): PictureTime {
    const jumped = this.#video.advance(timestamp, arrivedMs);
    if (jumped) this.#sound.forgetReport();
    return { timeMs: this.#video.timeMs, jumped, sent: this.#video.sent };
  }

  /** When the audio of a packet should be played. */
  sound(timestamp: number, arrivedMs: number): number {
    this.#sound.advance(timestamp, arrivedMs);
    const [sound, picture] = [this.#sound.senderMs(), this.#video.senderMs()];
    if (sound === null || picture === null) return this.#sound.timeMs;
    const timeMs = this.#video.timeMs + sound - picture;
    return Math.abs(timeMs - this.#sound.timeMs) <= MAX_SOUND_SHIFT_MS ? timeMs : this.#sound.timeMs;
  }

  noteVideoReport(report: SenderReport, arrivedMs: number): void {
    if (!this.#video.note(reportOf(report), arrivedMs)) this.#sound.forgetReport();
  }

  noteSoundReport(report: SenderReport, arrivedMs: number): void {
    if (!this.#sound.note(reportOf(report), arrivedMs)) this.#video.forgetReport();
  }
}

const reportOf = ({ timestamp, ntpSeconds, ntpFraction }: SenderReport): Report => ({
  timestamp,
  senderMs: ntpSeconds * 1_000 + ntpFraction / NTP_FRACTIONS_PER_MS,
});
