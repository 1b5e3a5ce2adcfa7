import { MINUTE_MS, SECOND_MS } from '../../../platform/time/units.ts';

/** A stretch of a stream's time, in milliseconds since 1970: from `from` up to, not including, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Media of one stream that one person was sent. Each millisecond of the stream counts once. */
export interface MediaCount {
  readonly sentMs: number;
  /** What came as segments of HLS, in order and without overlap. */
  readonly segments: readonly Span[];
  /** What came over WHEP, in order and without overlap. */
  readonly seconds: readonly Span[];
  /** Seconds that came over WHEP, as the receiver reported. */
  readonly received: number;
  /** Seconds that were sent over WHEP and did not come, and do not count. */
  readonly forgiven: number;
}

export const NO_MEDIA: MediaCount = { sentMs: 0, segments: [], seconds: [], received: 0, forgiven: 0 };

/** Segments can be fetched for 50 s at most: what is older cannot be sent once more. */
export const MEDIA_MEMORY_MS = 2 * MINUTE_MS;
/** Stretches remembered of each kind: a player that leaves out every other segment makes 30. */
export const MAX_SPANS = 64;
/** Reports come a second apart, give or take this: seconds closer than that follow each other. */
const REPORT_JITTER_MS = 500;
/**
 * Seconds of one stream that a person may have lost before they count all the same, and how many received
 * seconds add one: whoever says to have lost what came has no more than these for nothing.
 */
const FORGIVEN_SECONDS = 10;
const RECEIVED_FOR_ONE_FORGIVEN = 30;
/** How long the seconds of a stream can be read after its name is over: the last of them must be paid. */
export const MEDIA_SECONDS_RETAINED_MS = 2 * MINUTE_MS;
/** People whose seconds of one stream are counted: more than a relay and HLS serve of a paid show. */
export const MAX_METERED_PEOPLE = 10_000;

const overlapMs = (one: Span, other: Span): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));

/**
 * Stretches in order and without overlap, `span` among them; those at most `gapMs` apart are one. Those far
 * from it are forgotten: after a jump of the clock, those of the other time.
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

/** How much of a stretch none of these covers, which do not overlap. */
const uncoveredMs = (span: Span, spans: readonly Span[]): number =>
  spans.reduce((left, one) => left - overlapMs(span, one), span.to - span.from);

/** Seconds that were sent over WHEP: those that came, and those that did not or were never reported. */
export interface WhepSeconds {
  readonly received: number;
  readonly lost: number;
}

/**
 * Counts seconds in which packets were sent over WHEP, without what was fetched of them as segments. Lost
 * ones count when too many were. The engine reports no second twice, so seconds are not held against each
 * other, however late a report comes.
 * @param atMs when they were reported
 */
export function countSeconds(count: MediaCount, { received, lost }: WhepSeconds, atMs: number): MediaCount {
  const allReceived = count.received + received;
  const forgivable = FORGIVEN_SECONDS + Math.floor(allReceived / RECEIVED_FOR_ONE_FORGIVEN) - count.forgiven;
  const forgiven = Math.max(0, Math.min(lost, forgivable));
  const counted = { ...count, received: allReceived, forgiven: count.forgiven + forgiven };
  const length = (received + lost - forgiven) * SECOND_MS;
  if (length === 0) return counted;
  const span = { from: atMs - length, to: atMs };
  return {
    ...counted, sentMs: count.sentMs + uncoveredMs(span, count.segments),
    seconds: withSpan(count.seconds, span, REPORT_JITTER_MS),
  };
}

/**
 * Counts a segment of HLS that was fetched: once, in whatever order they are fetched, and without what came
 * over WHEP already.
 */
export function countSegment(count: MediaCount, startsAt: number, durationMs: number): MediaCount {
  const span = { from: startsAt, to: startsAt + durationMs };
  const all = count.seconds.reduce((spans, one) => withSpan(spans, one, 0), count.segments);
  return {
    ...count, sentMs: count.sentMs + uncoveredMs(span, all), segments: withSpan(count.segments, span, 0),
  };
}
