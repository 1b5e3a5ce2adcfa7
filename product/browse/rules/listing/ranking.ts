import { DAY_MS, HOUR_MS } from '../../../../platform/time/units.ts';
import type { DirectoryEntry } from './entry.ts';
import { NEW_DAYS } from './filters.ts';

export const SORTS = ['recommended', 'viewers', 'newest', 'cheapest', 'rating', 'random'] as const;
export type Sort = (typeof SORTS)[number];

/** Why a tile stands where it stands: the parts of the formula that weigh most for it. */
export const REASONS = [
  'viewers', 'tips', 'rating', 'fresh', 'followers', 'newcomer', 'followed', 'watched',
] as const;
export type Reason = (typeof REASONS)[number];

/** A tile names this many at most. */
export const MAX_REASONS = 2;

/**
 * The published formula of "recommended" (docs/ranking.md): points of each part, at most this many. Each part
 * but freshness grows with the logarithm, so that the tenth viewer counts more than the thousandth.
 */
export const WEIGHTS = {
  viewers: 40, tips: 20, rating: 15, fresh: 15, followers: 10,
} as const;
/** Where a part has its full points. */
const FULL = { viewers: 1_000, tips: 5_000, followers: 50_000 } as const;
/** Points for having just come online are gone after this long. */
const FRESH_MS = 2 * HOUR_MS;
/** At least every tenth tile of a page is a newcomer's, while there are some. */
export const NEWCOMER_SHARE = 10;

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

export const scoreOf = (entry: DirectoryEntry, now: number): number =>
  Object.values(pointsOf(entry, now)).reduce((sum, points) => sum + points, 0);

const isNewcomer = (entry: DirectoryEntry, now: number): boolean =>
  now - entry.registeredAt < NEW_DAYS * DAY_MS;

/** The two heaviest parts of a score, or that this is a newcomer: what "why here" shows. */
export function reasonsOf(entry: DirectoryEntry, now: number): readonly Reason[] {
  const parts = (Object.entries(pointsOf(entry, now)) as [keyof typeof WEIGHTS, number][])
    .filter(([, points]) => points >= 1)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
  return [...(isNewcomer(entry, now) ? ['newcomer' as const] : []), ...parts].slice(0, MAX_REASONS);
}

/** A whole number that looks random, the same for the same seed and id (a mix of Murmur3's finisher). */
export function mixed(seed: number, id: number): number {
  let hash = Math.imul(seed ^ id, 0x85_eb_ca_6b) ^ (seed >>> 7);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

type Compare = (a: DirectoryEntry, b: DirectoryEntry) => number;

/** Ties are in the order of ids, so that every order is total and the same for everybody. */
const byId: Compare = (a, b) => a.id - b.id;
const byViewers: Compare = (a, b) =>
  b.viewerCount - a.viewerCount || (a.startedAt ?? 0) - (b.startedAt ?? 0) || byId(a, b);

/** Sorts who is online. `seed` (any whole number) fixes the random order for one visit. */
export function sorted(
  entries: readonly DirectoryEntry[], sort: Sort, now: number, seed = 0,
): readonly DirectoryEntry[] {
  switch (sort) {
    case 'recommended': return recommended(entries, now);
    case 'viewers': return entries.toSorted(byViewers);
    case 'newest': return entries.toSorted((a, b) => b.registeredAt - a.registeredAt || byId(a, b));
    case 'cheapest': return entries.toSorted((a, b) =>
      (a.privatePrice ?? Number.MAX_SAFE_INTEGER) - (b.privatePrice ?? Number.MAX_SAFE_INTEGER)
      || byViewers(a, b));
    case 'rating': return entries.toSorted((a, b) => (b.rating ?? 0) - (a.rating ?? 0) || byViewers(a, b));
    case 'random': return entries.toSorted((a, b) => mixed(seed, a.id) - mixed(seed, b.id) || byId(a, b));
  }
}

/** By score; every tenth tile is the best newcomer not yet shown, while there are some. */
function recommended(entries: readonly DirectoryEntry[], now: number): readonly DirectoryEntry[] {
  const scored = entries.map((entry) => ({ entry, score: scoreOf(entry, now) }))
    .sort((a, b) => b.score - a.score || byId(a.entry, b.entry)).map(({ entry }) => entry);
  return withNewcomers(scored, (entry) => isNewcomer(entry, now));
}

/** Moves newcomers forward so that each ten in a row have one, while there are some. */
export function withNewcomers<T>(ranked: readonly T[], isNewcomer: (one: T) => boolean): readonly T[] {
  const newcomers = ranked.filter(isNewcomer);
  const shown = new Set<T>();
  const result: T[] = [];
  let next = 0;
  let since = 0;
  const show = (one: T): void => {
    shown.add(one);
    result.push(one);
    since = isNewcomer(one) ? 0 : since + 1;
  };
  for (const one of ranked) {
    if (shown.has(one)) continue;
    if (since >= NEWCOMER_SHARE - 1) {
      while (next < newcomers.length && shown.has(newcomers[next] as T)) next += 1;
      const newcomer = newcomers[next];
      if (newcomer !== undefined && newcomer !== one) show(newcomer);
    }
    if (!shown.has(one)) show(one);
  }
  return result;
}
