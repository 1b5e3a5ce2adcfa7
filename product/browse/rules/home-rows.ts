import type { GenderCode } from '#product/accounts/rules.ts';
import { ROW_CANDIDATES, SEE_MORE_FROM, VALUES_PER_SECTION, type HomeSectionId } from './home.ts';
import type { DirectoryEntry } from './listing/entry.ts';
import { isNew } from './listing/filters.ts';
import { GENDER_SLUGS, LANGUAGE_SLUGS } from './listing/listings.ts';
import { sorted } from './listing/ranking.ts';

/** One row of the home page. */
export interface HomeRow {
  readonly id: HomeSectionId;
  /** The value of the row, e.g. the language `de`; null where the id says it all. */
  readonly value: string | null;
  /** The best, at most {@link ROW_CANDIDATES}: the page omits performers already shown above the row. */
  readonly entries: readonly DirectoryEntry[];
  /** Total number of performers. */
  readonly total: number;
  /** Address of the whole list; null for too few, and where no listing shows exactly these performers. */
  readonly seeMore: string | null;
}

export interface RowsQuery {
  readonly sections: readonly HomeSectionId[];
  /** The gender whose listing a link leads to, where several genders are equally frequent in a row. */
  readonly gender: GenderCode;
  readonly followed: ReadonlySet<number>;
  /** Performers whose rooms the viewer was in, latest first. */
  readonly viewed: readonly number[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Each performer's position in the ranking, where it is known. */
  readonly positions?: ReadonlyMap<number, number>;
}

/** Each performer's position in a ranking, by id. */
export const positionsOf = (ranked: readonly DirectoryEntry[]): ReadonlyMap<number, number> =>
  new Map(ranked.map(({ id }, at) => [id, at]));

/** The ranked entries of these performers. */
const rankedOf = (
  ranked: readonly DirectoryEntry[],
  positions: ReadonlyMap<number, number>,
  ids: Iterable<number>,
): DirectoryEntry[] => [...ids].flatMap((id) => ranked[positions.get(id) ?? -1] ?? []);

const some = (value: string | null): readonly string[] => (value === null ? [] : [value]);
/** The one row of a section without values. */
const WHOLE = '';
const whole = (isIn: boolean): readonly string[] => (isIn ? [WHOLE] : []);

/** The non-empty rows of a section: one for each value, or the single row of the section. */
function rowsWith(id: HomeSectionId, entry: DirectoryEntry, now: number): readonly string[] {
  switch (id) {
    case 'favorites_and_history':
      return [];
    case 'new_and_trending':
      return whole(isNew(entry.registeredAt, now));
    case 'top_rated':
      return whole(entry.rating !== null);
    case 'top_rated_privates':
      return whole(entry.privateRating !== null && entry.privatePrice !== null);
    case 'near_goal':
      return whole(entry.goal !== null);
    case 'language':
      return entry.languages;
    case 'tags':
      return entry.tags;
    case 'age_range':
      return some(entry.ageRange);
    case 'ethnicity':
      return some(entry.ethnicity);
    case 'continent':
      return some(entry.region);
    case 'country':
      return some(entry.country);
    case 'voyeur_cams':
      return whole(entry.voyeur !== null);
  }
}

/** The order of a section; by the ranking unless the section has its own. */
function ordered(
  id: HomeSectionId,
  entries: readonly DirectoryEntry[],
  now: number,
): readonly DirectoryEntry[] {
  if (id === 'top_rated') return sorted(entries, 'rating', now);
  if (id === 'top_rated_privates') {
    return entries.toSorted((a, b) => (b.privateRating ?? 0) - (a.privateRating ?? 0));
  }
  if (id === 'near_goal') return entries.toSorted((a, b) => (a.goal?.left ?? 0) - (b.goal?.left ?? 0));
  return entries;
}

/** Path of the listing that shows a whole row; null when there is none. */
export function listingPath(id: HomeSectionId, value: string | null, gender: GenderCode): string | null {
  const section = `/${GENDER_SLUGS[gender]}`;
  switch (id) {
    case 'favorites_and_history':
      return value === null ? null : `/${value}`;
    case 'new_and_trending':
      return `${section}/new`;
    case 'top_rated':
      return `${section}/top-rated`;
    case 'top_rated_privates':
      return `${section}/private-shows/top-rated`;
    case 'near_goal':
      return `${section}?goal=1`;
    case 'language': {
      const slug = Object.entries(LANGUAGE_SLUGS).find(([, code]) => code === value)?.[0];
      return slug === undefined ? null : `${section}/language/${slug}`;
    }
    case 'tags':
      return `${section}/tag/${value ?? ''}`;
    case 'age_range':
      return `${section}?age=${encodeURIComponent(value ?? '')}`;
    case 'ethnicity':
      return `${section}?ethnicity=${value ?? ''}`;
    case 'continent':
      return `${section}/region/${value ?? ''}`;
    case 'country':
      return `${section}?country=${value ?? ''}`;
    case 'voyeur_cams':
      return '/voyeur-cams';
  }
}

/**
 * The gender whose listing shows most of a row: the most frequent gender in it. On a tie, the gender that
 * leads the page, else the first in the row.
 */
function mostOf(entries: readonly DirectoryEntry[], lead: GenderCode): GenderCode {
  const counts = { f: 0, m: 0, t: 0, c: 0 };
  for (const { gender } of entries) if (gender !== null) counts[gender] += 1;
  const most = Math.max(...Object.values(counts));
  if (counts[lead] === most) return lead;
  return entries.find(({ gender }) => gender !== null && counts[gender] === most)?.gender ?? lead;
}

const linked = (total: number, path: string | null): string | null => (total >= SEE_MORE_FROM ? path : null);

/** Followed performers by the ranking, then performers whose rooms were visited, latest first. */
function favoritesRow(
  ranked: readonly DirectoryEntry[],
  { followed, viewed, gender, positions = positionsOf(ranked) }: RowsQuery,
): readonly HomeRow[] {
  const id = 'favorites_and_history';
  const rankOf = ({ id: one }: DirectoryEntry): number => positions.get(one) ?? 0;
  const favorites = rankedOf(ranked, positions, followed).sort((a, b) => rankOf(a) - rankOf(b));
  const history = rankedOf(ranked, positions, [...new Set(viewed)].filter((number) => !followed.has(number)));
  const all = [...favorites, ...history];
  if (all.length === 0) return [];
  const listing = favorites.length >= history.length ? 'followed' : 'view-history';
  return [{
    id,
    value: null,
    entries: all.slice(0, ROW_CANDIDATES),
    total: all.length,
    seeMore: linked(all.length, listingPath(id, listing, gender)),
  }];
}

/**
 * The rows of sections in the order of `sections`; for a section with values, the values that most performers
 * have. Sections without performers have no row.
 * @param ranked everybody online whom this viewer may perceive and does not hide, in the order of the ranking
 */
export function rowsOf(ranked: readonly DirectoryEntry[], query: RowsQuery): readonly HomeRow[] {
  const { sections, gender, now } = query;
  return [...new Set(sections)].flatMap((id) => {
    if (id === 'favorites_and_history') return favoritesRow(ranked, query);
    const rows = new Map<string, DirectoryEntry[]>();
    for (const entry of ranked) {
      for (const value of rowsWith(id, entry, now)) {
        const row = rows.get(value);
        if (row) row.push(entry);
        else rows.set(value, [entry]);
      }
    }
    return [...rows]
      .sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
      .slice(0, VALUES_PER_SECTION)
      .map(([name, entries]) => {
        const value = name === WHOLE ? null : name;
        return {
          id,
          value,
          entries: ordered(id, entries, now).slice(0, ROW_CANDIDATES),
          total: entries.length,
          seeMore: linked(entries.length, listingPath(id, value, mostOf(entries, gender))),
        };
      });
  });
}

/** The featured show: the best of the ranking that everybody may watch, else the best of all. */
export const featuredOf = (ranked: readonly DirectoryEntry[]): DirectoryEntry | null =>
  ranked.find(({ status, isLocked, stream }) => status === 'online' && !isLocked && stream !== null)
    ?? ranked[0] ?? null;
