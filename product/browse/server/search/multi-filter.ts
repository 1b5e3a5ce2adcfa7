import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { matcherOf, type Filter } from '../../rules/listing/filters.ts';
import { sorted } from '../../rules/listing/ranking.ts';
import type { Search } from '../../rules/search/facets.ts';
import type { BioWords } from '../../store/bios.ts';
import type { BrowseViewer } from '../dependencies.ts';
import { bioMatches, isRefusedSearch } from './bios.ts';
import { Counting, tallyOnline, type Tally } from './counting.ts';
import type { Match } from './searchable-words.ts';
import type { Searched } from './searched.ts';

interface SearchResult extends Tally {
  readonly entries: readonly DirectoryEntry[];
}

interface Window {
  readonly offset: number;
  readonly limit: number;
}

const NOBODY: Filter = { ids: new Set() };
const allOf = (filters: readonly Filter[]): Filter =>
  filters.reduce((also, filter) => ({ ...filter, also }), {});

/**
 * One page of a search, with counts of what further filters would leave: from memory, without a query.
 * @param bios performers that a query found by their bios; those found by nothing else come last
 */
export function multiFilterOf(
  search: Search,
  searched: Searched,
  viewer: BrowseViewer,
  now: number,
  { offset, limit }: Window,
  bios: readonly BioWords[] = [],
): SearchResult {
  const { directory, index, isBlocked } = searched;
  const isRefused = isRefusedSearch(search, isBlocked);
  const isShown = (tag: string): boolean => !isBlocked(tag.replaceAll('-', ' '));
  const filter = allOf([
    { hidden: search.hidden, withoutIds: viewer.hidden },
    ...(isRefused ? [NOBODY] : []),
    ...search.without.map((words) => ({ withoutIds: index.having(words) })),
  ]);
  if (search.words.length === 0) {
    const { passing, ...tally } = tallyOnline(search, directory, { filter, sees: viewer.sees, now }, isShown);
    return { ...tally, entries: directory.page(passing, { sort: search.sort, offset, limit, now }) };
  }
  const matches = matcherOf(filter, now);
  const counting = new Counting(search, now);
  const answering = index.find(search.words, isBlocked);
  const [found, ofBios] = [answering, bioMatches(search, searched, answering, bios)].map((some) =>
    some.filter(({ entry }) => matches(entry) && viewer.sees(entry) && counting.takes(entry))
  );
  const all = [...ranked(found ?? [], search, now), ...ranked(ofBios ?? [], search, now)];
  return { ...counting.tally(isShown), entries: all.slice(offset, offset + limit) };
}

/** Live before offline. The recommended order puts better matches first. */
function ranked(found: readonly Match[], { sort }: Search, now: number): readonly DirectoryEntry[] {
  const quality = new Map(found.map((match) => [match.entry.id, match.quality]));
  const qualityOf = ({ id }: DirectoryEntry): number => quality.get(id) ?? 0;
  const all = found.map(({ entry }) => entry);
  const live = sorted(all.filter(isOnline), sort, now);
  const away = all.filter((entry) => !isOnline(entry)).sort((a, b) =>
    qualityOf(a) - qualityOf(b)
    || (b.lastLiveAt ?? 0) - (a.lastLiveAt ?? 0) || a.id - b.id
  );
  return [
    ...(sort === 'recommended' ? live.toSorted((a, b) => qualityOf(a) - qualityOf(b)) : live),
    ...away,
  ];
}
