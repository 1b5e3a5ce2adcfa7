import { MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';

/** A stretch of a stream's time, in milliseconds since 1970: from `from` up to, not including, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * What became of a second that a person was sent over WHEP, by any of their players. It is `sent` until a
 * report reaches it, or none can arrive any more. A lost second is `forgiven`, or else it `counts`.
 */
export type SecondState = 'sent' | 'received' | 'forgiven' | 'counts';

/** Media of one stream that one person was sent. Each millisecond of the stream counts once. */
export interface MediaCount {
  readonly sentMs: number;
  /** Time received as HLS segments, in order and without overlap. */
  readonly segments: readonly Span[];
  /** Time received over WHEP, in order and without overlap. */
  readonly seconds: readonly Span[];
  /** Seconds received over WHEP, as the receiver reported. */
  readonly received: number;
  /** Seconds sent over WHEP that were lost and do not count. */
  readonly forgiven: number;
  /** The newest seconds over WHEP, by their number; bounded by {@link REMEMBERED_SECONDS}. */
  readonly states: ReadonlyMap<number, SecondState>;
}

export const NO_MEDIA: MediaCount = {
  sentMs: 0,
  segments: [],
  seconds: [],
  received: 0,
  forgiven: 0,
  states: new Map(),
};

/** Reports on a second arrive within 8 s or not at all: older seconds have been decided. */
const REMEMBERED_SECONDS = 20;
/** Segments can be fetched for 50 s at most: older ones cannot be sent once more. */
export const MEDIA_MEMORY_MS = 2 * MINUTE_MS;
/** Stretches remembered of each kind: a player that skips every other segment makes 30. */
export const MAX_SPANS = 64;
/** Reports arrive a second apart, give or take this: seconds closer than that are contiguous. */
const REPORT_JITTER_MS = 500;
/**
 * Seconds of one stream that a person may lose before lost ones count, and how many received seconds add
 * another. This limits what a client gains by reporting received media as lost.
 */
const FORGIVEN_SECONDS = 10;
const RECEIVED_FOR_ONE_FORGIVEN = 30;
/**
 * Sessions that one person may open on a stream that is paid by the second: a player tries again every few
 * seconds on a bad network, and no browser needs more.
 */
export const MAX_PLAYS = { points: 20, seconds: 60 } as const;
/**
 * How long the seconds of a stream can be read after it has lost its name: the last ones must still be paid.
 */
export const MEDIA_SECONDS_RETAINED_MS = 2 * MINUTE_MS;
/** People whose seconds of one stream are counted: more than a relay and HLS can serve of a paid show. */
export const MAX_METERED_PEOPLE = 10_000;

const overlapMs = (span: Span, other: Span): number =>
  Math.max(0, Math.min(span.to, other.to) - Math.max(span.from, other.from));

/**
 * Adds `span` to stretches that are in order and without overlap; merges those at most `gapMs` apart.
 * Stretches far from `span` are dropped: after a jump of the clock, those are of the other time.
 */
function withSpan(spans: readonly Span[], span: Span, gapMs: number): readonly Span[] {
  const merged: Span[] = [];
  for (const one of [...spans, span].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && one.from - last.to <= gapMs) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, one.to) };
    } else merged.push(one);
  }
  return merged
    .filter(({ from, to }) => to > span.to - MEDIA_MEMORY_MS && from < span.to + MEDIA_MEMORY_MS)
    .slice(-MAX_SPANS);
}

/** How much of a stretch is not covered by `spans`, which do not overlap. */
const uncoveredMs = (span: Span, spans: readonly Span[]): number =>
  spans.reduce((left, item) => left - overlapMs(span, item), span.to - span.from);

/** A second of the stream: its number, and when it was over. */
export interface StreamSecond {
  readonly number: number;
  readonly endsAtMs: number;
}

const withState = (count: MediaCount, number: number, state: SecondState): MediaCount => ({
  ...count,
  states: new Map([...count.states, [number, state]]),
});

/** The second counts, except for what was fetched of it as segments. */
function counting(count: MediaCount, { endsAtMs }: StreamSecond): MediaCount {
  const span = { from: endsAtMs - SECOND_MS, to: endsAtMs };
  return {
    ...count,
    sentMs: count.sentMs + uncoveredMs(span, count.segments),
    seconds: withSpan(count.seconds, span, REPORT_JITTER_MS),
  };
}

/** A second in which something was sent; whether it arrived is not known yet. */
export function countSent(count: MediaCount, second: StreamSecond): MediaCount {
  if (count.states.has(second.number)) return count;
  const old = second.number - REMEMBERED_SECONDS;
  const decided = [...count.states.keys()].filter((number) => number <= old)
    .reduce((before, number) => countLost(before, numbered(second, number)), count);
  const states = new Map([...decided.states].filter(([number]) => number > old));
  return { ...decided, states: states.set(second.number, 'sent') };
}

/** A second that arrived, as the receiver reported: once, whatever other players report of it. */
export function countReceived(count: MediaCount, second: StreamSecond): MediaCount {
  const before = count.states.get(second.number);
  if (before === 'received') return count;
  const known = withState({ ...count, received: count.received + 1 }, second.number, 'received');
  if (before === 'counts') return known;
  return counting({ ...known, forgiven: known.forgiven - (before === 'forgiven' ? 1 : 0) }, second);
}

/** A second that was lost or never reported: it counts once too many were lost. */
export function countLost(count: MediaCount, second: StreamSecond): MediaCount {
  if ((count.states.get(second.number) ?? 'sent') !== 'sent') return count;
  if (count.forgiven < forgivable(count)) {
    return withState({ ...count, forgiven: count.forgiven + 1 }, second.number, 'forgiven');
  }
  return counting(withState(count, second.number, 'counts'), second);
}

/** The end of the count: seconds without a report were lost. */
export const countRest = (count: MediaCount, now: StreamSecond): MediaCount =>
  [...count.states.keys()].reduce((before, number) => countLost(before, numbered(now, number)), count);

/** How many lost seconds do not count. */
const forgivable = ({ received }: Pick<MediaCount, 'received'>): number =>
  FORGIVEN_SECONDS + Math.floor(received / RECEIVED_FOR_ONE_FORGIVEN);

/** Another second of the same stream, whose reports come a second apart. */
export const numbered = ({ number, endsAtMs }: StreamSecond, other: number): StreamSecond => ({
  number: other,
  endsAtMs: endsAtMs - (number - other) * SECOND_MS,
});

/** How much of a segment this person has neither fetched nor received over WHEP. */
export function freshMs(count: MediaCount, startsAt: number, durationMs: number): number {
  const all = count.seconds.reduce((spans, second) => withSpan(spans, second, 0), count.segments);
  return uncoveredMs({ from: startsAt, to: startsAt + durationMs }, all);
}

/**
 * Counts a fetched HLS segment: once, in whatever order segments are fetched, and without what was already
 * received over WHEP.
 */
export function countSegment(count: MediaCount, startsAt: number, durationMs: number): MediaCount {
  return {
    ...count,
    sentMs: count.sentMs + freshMs(count, startsAt, durationMs),
    segments: withSpan(count.segments, { from: startsAt, to: startsAt + durationMs }, 0),
  };
}

/**
 * How far ahead of time somebody may fetch a stream that is paid by the second. A player that joins fetches
 * three segments; somebody whose tokens run out does not watch what was fetched ahead.
 */
const LOOK_AHEAD_MS = 10 * SECOND_MS;

/** How far ahead somebody had fetched at a moment. */
export interface LookAhead {
  readonly aheadMs: number;
  readonly atMs: number;
}

/** The state after `freshMs` more was fetched; null when that is too far ahead for now. */
export function lookAhead(before: LookAhead | undefined, freshMs: number, atMs: number): LookAhead | null {
  const passedMs = before ? Math.max(0, atMs - before.atMs) : 0;
  const aheadMs = Math.max(0, (before?.aheadMs ?? 0) - passedMs) + freshMs;
  return aheadMs > LOOK_AHEAD_MS && freshMs > 0 ? null : { aheadMs, atMs };
}
