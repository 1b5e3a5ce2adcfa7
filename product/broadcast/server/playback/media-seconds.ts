import type { Clock } from '#platform/data/clock.ts';
import { baseOf, type ReaderHealth, type StreamHealth } from '#platform/streaming/engine.ts';
import type { HlsSegment } from '#platform/streaming/outputs/outputs.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import {
  countLost,
  countReceived,
  countRest,
  countSegment,
  countSent,
  freshMs,
  lookAhead,
  MAX_METERED_PEOPLE,
  MEDIA_SECONDS_RETAINED_MS,
  NO_MEDIA,
  numbered,
  type LookAhead,
  type MediaCount,
  type StreamSecond,
} from '../../rules/media-seconds.ts';

/** Whole seconds of a stream's media since it got its name. */
export interface MediaSeconds {
  /** Seconds in which the relay received media from the performer. */
  readonly received: number;
  /** How many of them the person received: as WHEP packets that they reported, or as HLS segments. */
  readonly sent: number;
}

const NONE: MediaSeconds = { received: 0, sent: 0 };
/** Reports remembered per rendition: reports about a second arrive within 8 s. */
const REMEMBERED_REPORTS = 20;

/** A stream and the person who is sent it. */
interface Sent {
  readonly streamName: string;
  readonly personId: number;
}

interface Metered {
  received: number;
  readonly people: Map<number, MediaCount>;
  /** How far ahead each person fetches segments. */
  readonly ahead: Map<number, LookAhead>;
  /** The last second that the stream itself reported, from 1. Renditions have no seconds of their own. */
  second: number;
  /** The seconds of the stream in which it and each of its renditions reported last, by name. */
  readonly reports: Map<string, readonly number[]>;
  /** When the stream lost its name; null while it has it. */
  overAtMs: number | null;
}

/**
 * Seconds of private streams, as the relay and HLS measured them: no report means no media, and what a client
 * says counts for nothing. In memory: after a restart of the process the media engine has no sessions, and
 * all counts begin at 0. Five hundred shows of three people took 3 ms of each second.
 *
 * In tests `site.engine.measure(stream)` is a second, and `site.engine.sends(session, 0)` sends a session
 * nothing.
 */
export class MediaMeter {
  readonly #clock: Clock;
  /** By base stream. */
  readonly #streams = new Map<string, Metered>();
  readonly #cancelTimer: () => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#cancelTimer = clock.every('broadcast media seconds', MINUTE_MS, () => this.#sweep());
  }

  /** See `BroadcastService.mediaSeconds`. */
  of({ streamName, personId }: Sent): MediaSeconds {
    const metered = this.#streams.get(streamName);
    if (!metered) return NONE;
    const sentMs = metered.people.get(personId)?.sentMs ?? 0;
    return { received: metered.received, sent: Math.floor(sentMs / SECOND_MS) };
  }

  /** See `BroadcastService.lastMediaSeconds`. */
  lastOf(sent: Sent): MediaSeconds {
    const metered = this.#streams.get(sent.streamName);
    const count = metered?.people.get(sent.personId);
    if (metered && count) {
      const now = { number: metered.second, endsAtMs: this.#nowMs() };
      metered.people.set(sent.personId, countRest(count, now));
    }
    return this.of(sent);
  }

  /**
   * Counts a second of a private stream or of a rendition of it. A second of the stream counts once for a
   * person, whichever of their players got it. A rendition reports after its stream, of the same second.
   * @param personOf the person of a play session; null for guests and for sessions of another stream
   */
  measured(
    health: StreamHealth,
    readers: readonly ReaderHealth[],
    personOf: (session: string) => number | null,
  ): void {
    const stream = baseOf(health.stream);
    const metered = this.#open(stream);
    if (metered.overAtMs !== null) return;
    if (health.stream === stream) {
      metered.second += 1;
      if (health.videoBitsPerSecond + health.audioBitsPerSecond > 0) metered.received += 1;
    }
    const reports = [...metered.reports.get(health.stream) ?? [], metered.second];
    metered.reports.set(health.stream, reports.slice(-REMEMBERED_REPORTS));
    this.#known(metered, reports, readers, personOf);
  }

  /** Counts what a session received before it ended, in the second that its stream has not reported yet. */
  gone(name: string, last: ReaderHealth, personOf: (session: string) => number | null): void {
    // The session may end before the first second of its stream is over.
    const metered = this.#open(baseOf(name));
    if (metered.overAtMs !== null) return;
    const reports = [...metered.reports.get(name) ?? [], metered.second + 1];
    this.#known(metered, reports, [last], personOf);
  }

  /** Counts a segment of a private stream that a person fetches; false when it is too far ahead for now. */
  fetched(stream: string, personId: number, { startsAt, durationMs }: HlsSegment): boolean {
    const metered = this.#open(stream);
    if (metered.overAtMs !== null) return true;
    const fresh = freshMs(metered.people.get(personId) ?? NO_MEDIA, startsAt, durationMs);
    const ahead = lookAhead(metered.ahead.get(personId), fresh, this.#nowMs());
    if (ahead === null) return false;
    // Media that cannot be counted is not sent.
    if (!this.#count(metered, personId, (count) => countSegment(count, startsAt, durationMs))) return false;
    metered.ahead.set(personId, ahead);
    return true;
  }

  /** Ends the count of a stream that has ended or moved; it can be read for a while. */
  over(stream: string): void {
    const metered = this.#streams.get(stream);
    if (metered) metered.overAtMs ??= this.#nowMs();
  }

  close(): void {
    this.#cancelTimer();
  }

  #open(stream: string): Metered {
    const present = this.#streams.get(stream);
    if (present) return present;
    const fresh: Metered = {
      received: 0,
      people: new Map(),
      ahead: new Map(),
      second: 0,
      reports: new Map(),
      overAtMs: null,
    };
    this.#streams.set(stream, fresh);
    return fresh;
  }

  /** @param reports the seconds in which the stream or rendition reported, the present one last */
  #known(
    metered: Metered,
    reports: readonly number[],
    readers: readonly ReaderHealth[],
    personOf: (session: string) => number | null,
  ): void {
    const now = { number: reports.at(-1) ?? metered.second, endsAtMs: this.#nowMs() };
    // An age counts reports. A rendition whose process was started again left out some seconds of its stream.
    const aged = (age: number): StreamSecond => numbered(now, reports.at(-1 - age) ?? now.number - age);
    for (const { session, isSent, received, lost } of readers) {
      if (!isSent && received.length + lost.length === 0) continue;
      const personId = personOf(session);
      if (personId === null) continue;
      this.#count(metered, personId, (before) => {
        let count = isSent ? countSent(before, now) : before;
        for (const age of received) count = countReceived(count, aged(age));
        for (const age of lost) count = countLost(count, aged(age));
        return count;
      });
    }
  }

  /** False when too many people are counted already. */
  #count({ people }: Metered, personId: number, add: (count: MediaCount) => MediaCount): boolean {
    const before = people.get(personId);
    if (!before && people.size >= MAX_METERED_PEOPLE) return false;
    people.set(personId, add(before ?? NO_MEDIA));
    return true;
  }

  #sweep(): void {
    const beforeMs = this.#nowMs() - MEDIA_SECONDS_RETAINED_MS;
    for (const [stream, { overAtMs }] of this.#streams) {
      if (overAtMs !== null && overAtMs <= beforeMs) this.#streams.delete(stream);
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}
