import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import type { DirectoryEntry } from './entry.ts';
import { NEW_DAYS } from './filters.ts';

export const SORTS = ['recommended', 'viewers', 'newest', 'cheapest', 'rating', 'random'] as const;
export type Sort = (typeof SORTS)[number];
/** Orders of the directory. `privateRating` is for listings of performers with rated private shows only. */
export type DirectorySort = Sort | 'privateRating';

/** Why a tile is at its position: the parts of the formula that weigh most for it. */
export const REASONS = ['viewers', 'tips', 'rating', 'fresh', 'followers', 'newcomer'] as const;
export type Reason = (typeof REASONS)[number];

/** Maximum reasons that a tile names. */
export const MAX_REASONS = 2;

/**
 * The published formula of "recommended" (docs/ranking.md): maximum points of each part. Every part except
 * freshness grows logarithmically, so that the tenth viewer counts more than the thousandth.
 */
export const WEIGHTS = {
  viewers: 40,
  tips: 20,
  rating: 15,
  fresh: 15,
  followers: 10,
} as const;
/** Amounts that earn a part's full points. */
const FULL = { viewers: 1_000, tips: 5_000, followers: 50_000 } as const;
/** Points for having just come online are gone after this long. */
const FRESH_MS = 2 * HOUR_MS;
/**
 * At least every ninth tile is a newcomer's, while there are some: a tenth of a page of 20, 40, 48, 60 or 98.
 */
export const NEWCOMER_EVERY = 9;

const logPart = (value: number, full: number): number => Math.min(1, Math.log1p(value) / Math.log1p(full));

/** Points of each part, of a performer who is online. */
function pointsOf(entry: DirectoryEntry, now: number): Readonly<Record<keyof typeof WEIGHTS, number>> {
  const onlineMs = entry.startedAt === null ? FRESH_MS : now - entry.startedAt;
  return {
    viewers: WEIGHTS.viewers * logPart(entry.viewerCount, FULL.viewers),
    tips: WEIGHTS.tips * logPart(entry.recentTips, FULL.tips),
    rating: WEIGHTS.rating * ((entry.rating ?? 0) / 5),
    fresh: WEIGHTS.fresh * Math.max(0, 1 - onlineMs / FRESH_MS),
    followers: WEIGHTS.followers * logPart(entry.followers, FULL.followers),
  };
}

export function scoreOf(entry: DirectoryEntry, now: number): number {
  const { viewers, tips, rating, fresh, followers } = pointsOf(entry, now);
  return viewers + tips + rating + fresh + followers;
}

export const isNewcomer = (entry: DirectoryEntry, now: number): boolean =>
  now - entry.registeredAt < NEW_DAYS * DAY_MS;

/** The two heaviest parts of a score, or `newcomer`: shown as "why here". */
export function reasonsOf(entry: DirectoryEntry, now: number): readonly Reason[] {
  const parts = (Object.entries(pointsOf(entry, now)) as [keyof typeof WEIGHTS, number][])
    .filter(([, points]) => points >= 1)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
  return [...(isNewcomer(entry, now) ? ['newcomer' as const] : []), ...parts].slice(0, MAX_REASONS);
}

/** An integer that looks random, the same for the same seed and id (a mix of Murmur3's finisher). */
export function mixed(seed: number, id: number): number {
  let hash = Math.imul(seed ^ id, 0x85_eb_ca_6b) ^ (seed >>> 7);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

type Compare = (a: DirectoryEntry, b: DirectoryEntry) => number;

/** Ties are broken by id, so that every order is total and the same for everybody. */
const byId: Compare = (a, b) => a.id - b.id;
const byViewers: Compare = (a, b) =>
  b.viewerCount - a.viewerCount || (a.startedAt ?? 0) - (b.startedAt ?? 0) || byId(a, b);

/** Sorts online performers. `seed` (any integer) fixes the random order for one visit. */
export function sorted(
  entries: readonly DirectoryEntry[],
  sort: DirectorySort,
  now: number,
  seed = 0,
): readonly DirectoryEntry[] {
  switch (sort) {
    case 'recommended':
      return sortedBy(entries, (entry) => scoreOf(entry, now), byId);
    case 'viewers':
      return sortedBy(entries, ({ viewerCount }) => viewerCount, byViewers);
    case 'newest':
      return sortedBy(entries, ({ registeredAt }) => registeredAt, byId);
    case 'cheapest':
      return sortedBy(entries, ({ privatePrice }) => -(privatePrice ?? NO_PRICE), byViewers);
    case 'rating':
      return sortedBy(entries, ({ rating }) => rating ?? 0, byViewers);
    case 'privateRating':
      return sortedBy(entries, ({ privateRating }) => privateRating ?? 0, byViewers);
    case 'random':
      return sortedBy(entries, ({ id }) => -mixed(seed, id), byId);
  }
}

/** More than any price per minute, so that performers without a price come last. */
const NO_PRICE = 2 ** 31;
/** Numbers are scaled to integers of this many steps, each packed with its index in the list. */
const STEPS = 2 ** 31 - 1;
const PLACES = 2 ** 21;

/**
 * Sorts by a number, greatest first, and by `ties` among equals. Plain numbers sort in a tenth of the time
 * that comparing entries takes; entries are compared only where numbers are nearly equal.
 */
function sortedBy(
  entries: readonly DirectoryEntry[],
  numberOf: (entry: DirectoryEntry) => number,
  ties: Compare,
): DirectoryEntry[] {
  const numbers = Float64Array.from(entries, numberOf);
  let [least, most] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > most) most = number;
  }
  const scale = most > least ? STEPS / (most - least) : 0;
  const keys = numbers.map((number, at) => Math.floor((most - number) * scale) * PLACES + at).sort();
  return Array.from(keys, (key) => key % PLACES)
    .sort((a, b) =>
      (numbers[b] as number) - (numbers[a] as number)
      || ties(entries[a] as DirectoryEntry, entries[b] as DirectoryEntry)
    )
    .map((at) => entries[at] as DirectoryEntry);
}

/**
 * Moves newcomers forward so that every {@link NEWCOMER_EVERY} entries in a row have one, while there are
 * any. Runs after filters; otherwise a filtered page could have none. Looks ahead only to the next newcomer.
 * @param ranked iterated twice, unless `newcomers` are given
 * @param newcomers contains the newcomers in order; may contain others
 */
export function* withNewcomers<T>(
  ranked: Iterable<T>,
  isNewcomer: (one: T) => boolean,
  newcomers: Iterable<T> = ranked,
): Generator<T, void> {
  const ahead = newcomersOf(newcomers, isNewcomer);
  /** Newcomers shown so far: always the first ones in order. */
  let shown = 0;
  let passed = 0;
  let since = 0;
  for (const one of ranked) {
    if (isNewcomer(one)) {
      passed += 1;
      if (passed <= shown) continue;
    } else if (since >= NEWCOMER_EVERY - 1) {
      const newcomer = ahead(shown);
      if (newcomer !== undefined) {
        yield newcomer;
        shown += 1;
        since = 0;
      }
    }
    yield one;
    if (passed > shown) {
      shown = passed;
      since = 0;
    } else since += 1;
  }
}

/** Finds newcomers in order: the one after the first `after`, which must never decrease. */
function newcomersOf<T>(
  ranked: Iterable<T>,
  isNewcomer: (one: T) => boolean,
): (after: number) => T | undefined {
  const iterator = ranked[Symbol.iterator]();
  let found = 0;
  return (after) => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      if (!isNewcomer(next.value)) continue;
      found += 1;
      if (found > after) return next.value;
    }
    return undefined;
  };
}
