import type { CountsView } from '../../contract/search.ts';
import type { DirectoryEntry } from '../../rules/listing/entry.ts';
import type { Filter } from '../../rules/listing/filters.ts';
import { GENDER_SLUGS } from '../../rules/listing/listings.ts';
import {
  failsOf,
  MAX_TAG_COUNTS,
  rangeOf,
  RATE_RANGES,
  SEARCH_CATEGORIES,
  valuesOf,
  type Search,
  type SearchCategory,
} from '../../rules/search/facets.ts';
import type { Bits } from '../directory/bits.ts';
import type { Directory, Sees } from '../directory/directory.ts';

/** Counts of an advanced search. */
export interface Tally {
  readonly total: number;
  readonly counts: CountsView;
  /** Number of performers without the filter of a category. */
  readonly withoutFilter: Readonly<Record<string, number>>;
}

/** Whether a tag may be shown: the operator blocked none of its words. */
type IsShown = (tag: string) => boolean;
type Counts = readonly (readonly [string, number])[];

/** Most frequent first; ties in alphabetical order. */
const inOrder = (counts: Iterable<readonly [string, number]>): Counts =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));

const viewOf = (countsOf: (category: SearchCategory) => Counts): CountsView =>
  Object.fromEntries(
    SEARCH_CATEGORIES.map((category) => [category, Object.fromEntries(countsOf(category))]),
  ) as CountsView;

/** Counts by category, one performer of a search at a time: used when words found them. */
export class Counting {
  readonly #fails: (entry: DirectoryEntry) => readonly SearchCategory[];
  readonly #counts = new Map(SEARCH_CATEGORIES.map((category) => [category, new Map<string, number>()]));
  readonly #missed = new Map<SearchCategory, number>();
  readonly #search: Search;
  #total = 0;

  constructor(search: Search, now: number) {
    this.#search = search;
    this.#fails = failsOf(search, now);
  }

  /** Counts a performer in each category if they pass all other filters; returns whether they pass all. */
  takes(entry: DirectoryEntry): boolean {
    const fails = this.#fails(entry);
    const [only, ...more] = fails;
    if (more.length > 0) return false;
    if (only === undefined) this.#total += 1;
    else this.#missed.set(only, (this.#missed.get(only) ?? 0) + 1);
    for (const category of only === undefined ? SEARCH_CATEGORIES : [only]) {
      const counts = this.#counts.get(category);
      for (const value of valuesOf(entry, category)) counts?.set(value, (counts.get(value) ?? 0) + 1);
    }
    return only === undefined;
  }

  tally(isShown: IsShown): Tally {
    const { tags, filters } = this.#search;
    const countsOf = (category: SearchCategory): Counts => {
      const counts = inOrder(this.#counts.get(category) ?? []);
      return category !== 'tag' ? counts : counts.filter(([tag]) => isShown(tag))
        .filter(([tag], at) => at < MAX_TAG_COUNTS || tags.includes(tag));
    };
    return {
      total: this.#total,
      counts: viewOf(countsOf),
      withoutFilter: Object.fromEntries(
        SEARCH_CATEGORIES.filter((category) => filters[category].length > 0)
          .map((category) => [category, this.#total + (this.#missed.get(category) ?? 0)]),
      ),
    };
  }
}

/** Performers of an advanced search before its own filters. */
export interface Among {
  readonly filter: Filter;
  readonly sees: Sees;
  readonly now: number;
}

/** The same counts and results for everybody online, computed from sets (`Directory`). */
export function tallyOnline(
  { filters, tags }: Pick<Search, 'filters' | 'tags'>,
  directory: Directory,
  { filter, sees, now }: Among,
  isShown: IsShown,
): Tally & { readonly passing: Bits } {
  const basic = directory.select(filter, sees, now);
  const filtered = SEARCH_CATEGORIES.filter((category) => filters[category].length > 0);
  const passes = new Map(filtered.map((category) => [
    category,
    filters[category]
      .map((item) => directory.select(item, sees, now)).reduce((any, bits) => any.or(bits)),
  ]));
  const passingAllBut = (category: SearchCategory | null): Bits => {
    const left = basic.copy();
    for (const [other, passing] of passes) if (other !== category) left.and(passing);
    return left;
  };
  const passing = passingAllBut(null);
  const without = new Map(filtered.map((category) => [category, passingAllBut(category)]));
  return {
    passing,
    total: passing.count(),
    counts: viewOf((category) => {
      const left = without.get(category) ?? passing;
      return category === 'tag'
        ? tagCounts(left, directory, tags, isShown)
        : inOrder(countsAmong(left, directory, category));
    }),
    withoutFilter: Object.fromEntries([...without].map(([category, left]) => [category, left.count()])),
  };
}

/** The most frequent tags, and the chosen ones. */
function tagCounts(
  among: Bits,
  { counts }: Directory,
  chosen: readonly string[],
  isShown: IsShown,
): Counts {
  const most = counts.mostFrequent(among, 'tag', MAX_TAG_COUNTS, isShown);
  const more = chosen.filter((tag) => isShown(tag) && !most.some(([one]) => one === tag))
    .map((tag) => [tag, counts.countOf(among, 'tag', tag)] as const).filter(([, count]) => count > 0);
  return inOrder([...most, ...more]);
}

const RANGES = RATE_RANGES.map((range) => rangeOf(range) ?? { from: 0, to: 0 });

/** Number of these performers per value of a category, as by `valuesOf`. */
function countsAmong(
  among: Bits,
  { counts }: Directory,
  category: Exclude<SearchCategory, 'tag'>,
): Iterable<readonly [string, number]> {
  const within = (amount: 'privatePrice' | 'controlRate'): Counts =>
    counts.countWithin(among, amount, RANGES)
      .flatMap((count, at) => (count > 0 ? [[RATE_RANGES[at] ?? '', count] as const] : []));
  switch (category) {
    case 'gender':
      return [...counts.countBy(among, 'gender')]
        .map(([gender, count]) => [GENDER_SLUGS[gender as keyof typeof GENDER_SLUGS], count]);
    case 'language':
      return counts.countBy(among, 'language');
    case 'location':
      return counts.countBy(among, 'region');
    case 'privateRate':
      return within('privatePrice');
    case 'controlHerRate':
      return within('controlRate');
  }
}
