import type { CountsView } from '../../contract/search.ts';
import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { matcherOf } from '../../rules/listing/filters.ts';
import { sorted } from '../../rules/listing/ranking.ts';
import {
  failsOf, MAX_TAG_COUNTS, SEARCH_CATEGORIES, valuesOf, type Search, type SearchCategory,
} from '../../rules/search/facets.ts';
import type { BrowseViewer } from '../dependencies.ts';
import type { Match } from './searchable-words.ts';
import type { Searched } from './searched.ts';

export interface SearchResult {
  readonly entries: readonly DirectoryEntry[];
  readonly total: number;
  readonly counts: CountsView;
  /** How many there would be without the filter of a category. */
  readonly withoutFilter: Readonly<Record<string, number>>;
}

interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** Counts by category while the performers of a search pass by. */
class Counting {
  readonly #fails: (entry: DirectoryEntry) => readonly SearchCategory[];
  readonly #counts = new Map(SEARCH_CATEGORIES.map((category) => [category, new Map<string, number>()]));
  readonly #missed = new Map<SearchCategory, number>();
  readonly #search: Search;
  #total = 0;

  constructor(search: Search, now: number) {
    this.#search = search;
    this.#fails = failsOf(search, now);
  }

  /** Counts a performer; whether they pass every filter. A category counts who passes all the others. */
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

  counts(isBlocked: (word: string) => boolean): CountsView {
    const { tags } = this.#search;
    const all = Object.fromEntries(SEARCH_CATEGORIES.map((category) => {
      const counted = [...this.#counts.get(category) ?? []]
        .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
      const shown = category === 'tag'
        ? counted.filter(([tag]) => !isBlocked(tag.replaceAll('-', ' ')))
          .filter(([tag], at) => at < MAX_TAG_COUNTS || tags.includes(tag))
        : counted;
      return [category, Object.fromEntries(shown)];
    }));
    return all as CountsView;
  }

  withoutFilter(): Record<string, number> {
    const { filters } = this.#search;
    return Object.fromEntries(SEARCH_CATEGORIES.filter((category) => filters[category].length > 0)
      .map((category) => [category, this.#total + (this.#missed.get(category) ?? 0)]));
  }
}

/** One page of a search, and what further filters would leave: one pass over who is online, no query. */
export function multiFilterOf(
  search: Search, { directory, index, isBlocked }: Searched, viewer: BrowseViewer, now: number,
  { offset, limit }: Window,
): SearchResult {
  const counting = new Counting(search, now);
  const said = [
    search.words.join(' '), ...search.words, ...search.tags.map((tag) => tag.replaceAll('-', ' ')),
  ];
  const isRefused = said.some((text) => text !== '' && isBlocked(text));
  const unwanted = search.without.map((words) => index.having(words));
  const basic = matcherOf({ hidden: search.hidden, withoutIds: viewer.hidden }, now);
  const passes = (entry: DirectoryEntry): boolean => !isRefused && basic(entry) && viewer.sees(entry)
    && !unwanted.some((ids) => ids.has(entry.id)) && counting.takes(entry);
  const page = (): { readonly entries: readonly DirectoryEntry[]; readonly total: number } => {
    if (search.words.length === 0)
      return directory.list({ filter: {}, sort: search.sort, sees: passes, offset, limit, now });
    const found = index.find(search.words, isBlocked).filter(({ entry }) => passes(entry));
    return { entries: ranked(found, search, now).slice(offset, offset + limit), total: found.length };
  };
  const { entries, total } = page();
  return { entries, total, counts: counting.counts(isBlocked), withoutFilter: counting.withoutFilter() };
}

/** Live before offline. In the recommended order, who answers better comes first. */
function ranked(found: readonly Match[], { sort }: Search, now: number): readonly DirectoryEntry[] {
  const quality = new Map(found.map((match) => [match.entry.id, match.quality]));
  const qualityOf = ({ id }: DirectoryEntry): number => quality.get(id) ?? 0;
  const all = found.map(({ entry }) => entry);
  const live = sorted(all.filter(isOnline), sort, now);
  const away = all.filter((entry) => !isOnline(entry)).sort((a, b) => qualityOf(a) - qualityOf(b)
    || (b.lastLiveAt ?? 0) - (a.lastLiveAt ?? 0) || a.id - b.id);
  return [
    ...(sort === 'recommended' ? live.toSorted((a, b) => qualityOf(a) - qualityOf(b)) : live), ...away,
  ];
}
