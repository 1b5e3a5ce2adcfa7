import { CLOCK_DRIFT_PART, CLOCK_JUMP_MS, MAX_SOUND_SHIFT_MS, REPORT_AGREEMENT_MS } from '../../limits.ts';
import type { SenderReport } from '../../../wire/rtcp.ts';

const VIDEO_TICKS_PER_MS = 90;
const SOUND_TICKS_PER_MS = 48;
/** Seconds between the eras of NTP (1900) and Unix (1970) do not matter here: only differences do. */
const NTP_FRACTIONS_PER_MS = 2 ** 32 / 1_000;

/** `later` minus `earlier` in the circle of 32-bit timestamps, as a signed number. */
const ticksBetween = (earlier: number, later: number): number => (later - earlier) | 0;

interface Report {
  readonly timestamp: number;
  /** The sender's time of day. */
  readonly senderMs: number;
}

/** When something was sent by its sender's clock, which a rendition has from its source. */
export interface SentTime {
  /** Milliseconds of the sender's time of day. */
  readonly atMs: number;
  /** How much earlier that clock is than ours, as the packet or report that was least late shows. */
  readonly behindMs: number;
}

/** RTP timestamps of one source as time of day, tied to when packets came and then followed by their own. */
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

  /** The sender's time of day of a timestamp, the newest when none is given; null before a report. */
  senderMs(timestamp: number | null = this.#timestamp): number | null {
    if (!this.#report || timestamp === null) return null;
    return this.#report.senderMs + ticksBetween(this.#report.timestamp, timestamp) / this.#ticksPerMs;
  }

  /** When the newest packet was sent; null before a report. */
  get sent(): SentTime | null {
    const atMs = this.senderMs();
    return atMs === null || this.#behindMs === null ? null : { atMs, behindMs: this.#behindMs };
  }

  /** Moves on to a packet; true when its time has nothing to do with that of the one before it. */
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

  /** Notes a report; false when it contradicts the one before it, so that the source is another one. */
  note(report: Report, arrivedMs: number): boolean {
    const expectedMs = this.senderMs(report.timestamp);
    const agrees = expectedMs === null || Math.abs(report.senderMs - expectedMs) <= REPORT_AGREEMENT_MS;
    if (!agrees) this.#behindMs = null;
    this.#report = report;
    // Reports pass an encoder, which pictures wait for.
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
  /** It does not continue the time of the picture before it. */
  readonly jumped: boolean;
  /** Null before its source has reported. */
  readonly sent: SentTime | null;
}

/**
 * One time for pictures and sound. Pictures lead: the first one is as old as its packet, the others follow by
 * their timestamps. Sound is placed beside them by both sources' sender reports (RFC 3550 §6.4.1); until
 * those are there, or when they cannot be true, by its arrival.
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

  /** When the sound of a packet is to be played. */
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

const reportOf = ({ timestamp, ntpSeconds, ntpFraction }: SenderReport): Report =>
  ({ timestamp, senderMs: ntpSeconds * 1_000 + ntpFraction / NTP_FRACTIONS_PER_MS });
