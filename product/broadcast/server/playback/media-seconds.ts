import type { Clock } from '../../../../platform/data/clock.ts';
import { baseOf, type ReaderHealth, type StreamHealth } from '../../../../platform/streaming/engine.ts';
import type { HlsSegment } from '../../../../platform/streaming/outputs/outputs.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../platform/time/units.ts';
import {
  countSeconds, countSegment, MAX_METERED_PEOPLE, MEDIA_SECONDS_RETAINED_MS, NO_MEDIA, type MediaCount,
  type WhepSeconds,
} from '../../rules/media-seconds.ts';

/** Media of a stream in whole seconds, since it has this name. */
export interface MediaSeconds {
  /** Seconds in which the relay received media of the performer. */
  readonly received: number;
  /** How many of them came to the person: as packets of WHEP that they reported, or as segments of HLS. */
  readonly sent: number;
}

/**
 * Seconds that can become known at once. Two players of a person report at different moments: without this
 * bound what one reports late would count beside what the other reported in time.
 */
const MOST_AT_ONCE = 3;
const NONE: MediaSeconds = { received: 0, sent: 0 };

interface Metered {
  received: number;
  readonly people: Map<number, MediaCount>;
  /** Who was sent packets of the stream or a rendition of it, until the next report of the stream itself. */
  readonly sentNow: Map<number, WhepSeconds>;
  /** Reports of the stream itself. */
  reports: number;
  /** Seconds that may count for a person, as of a report; each report adds one. */
  readonly mayCount: Map<number, { readonly seconds: number; readonly report: number }>;
  /** When its name was over; null while it has it. */
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
  of({ streamName, personId }: { readonly streamName: string; readonly personId: number }): MediaSeconds {
    const metered = this.#streams.get(streamName);
    if (!metered) return NONE;
    const sentMs = metered.people.get(personId)?.sentMs ?? 0;
    return { received: metered.received, sent: Math.floor(sentMs / SECOND_MS) };
  }

  /**
   * Counts a second of a private stream or of a rendition of it. The report of the stream itself ends the
   * second for both, so a person with two players is not counted twice.
   * @param personOf the person of a play session; null for guests and for sessions of another stream
   */
  measured(
    health: StreamHealth, readers: readonly ReaderHealth[], personOf: (session: string) => number | null,
  ): void {
    const stream = baseOf(health.stream);
    const metered = this.#open(stream);
    if (metered.overAtMs !== null) return;
    for (const { session, secondsReceived, secondsLost } of readers) {
      const personId = secondsReceived + secondsLost > 0 ? personOf(session) : null;
      if (personId === null) continue;
      const { received, lost } = metered.sentNow.get(personId) ?? { received: 0, lost: 0 };
      metered.sentNow.set(personId, {
        received: Math.max(received, secondsReceived), lost: Math.max(lost, secondsLost),
      });
    }
    if (health.stream !== stream) return;
    metered.reports += 1;
    if (health.videoBitsPerSecond + health.audioBitsPerSecond > 0) metered.received += 1;
    const nowMs = this.#nowMs();
    for (const [personId, seconds] of metered.sentNow) {
      const counted = this.#bounded(metered, personId, seconds);
      this.#count(metered, personId, (count) => countSeconds(count, counted, nowMs));
    }
    metered.sentNow.clear();
  }

  /** Counts a segment of a private stream that a person has fetched. */
  fetched(stream: string, personId: number, { startsAt, durationMs }: HlsSegment): void {
    const metered = this.#open(stream);
    if (metered.overAtMs !== null) return;
    this.#count(metered, personId, (one) => countSegment(one, startsAt, durationMs));
  }

  /** Ends the count of a stream that has ended or has another name; it can be read for a while. */
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
      received: 0, people: new Map(), sentNow: new Map(), reports: 0, mayCount: new Map(), overAtMs: null,
    };
    this.#streams.set(stream, fresh);
    return fresh;
  }

  /** As many of these seconds as have passed, whatever a person's players say together. */
  #bounded({ reports, mayCount }: Metered, personId: number, { received, lost }: WhepSeconds): WhepSeconds {
    const known = mayCount.get(personId);
    if (!known && mayCount.size >= MAX_METERED_PEOPLE) return { received: 0, lost: 0 };
    const most = known ? Math.min(MOST_AT_ONCE, known.seconds + reports - known.report) : MOST_AT_ONCE;
    const counted = {
      received: Math.min(received, most), lost: Math.min(lost, Math.max(0, most - received)),
    };
    mayCount.set(personId, { seconds: most - counted.received - counted.lost, report: reports });
    return counted;
  }

  #count({ people }: Metered, personId: number, add: (count: MediaCount) => MediaCount): void {
    const before = people.get(personId);
    if (!before && people.size >= MAX_METERED_PEOPLE) return;
    people.set(personId, add(before ?? NO_MEDIA));
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
