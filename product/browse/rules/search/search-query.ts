import type { DirectoryEntry } from '../listing/entry.ts';
import { matcherOf } from '../listing/filters.ts';
import { failsOf, SEARCH_CATEGORIES, type Search } from './facets.ts';
import { likeness, wordsOf } from './search-words.ts';

/** Whether a search excludes nobody. */
export const isEmptySearch = ({ filters, words, without }: Search): boolean =>
  words.length === 0 && without.length === 0 && SEARCH_CATEGORIES.every((text) => filters[text].length === 0);

/** Whether a performer matches a search exactly, without tolerating typing errors. `now` in milliseconds. */
export function matchesSearch(search: Search, entry: DirectoryEntry, now: number): boolean {
  if (!matcherOf({ hidden: search.hidden }, now)(entry)) return false;
  if (failsOf(search, now)(entry).length > 0) return false;
  const words = wordsOf(`${entry.username} ${entry.displayName} ${entry.topic} ${entry.tags.join(' ')}`);
  return search.words.every((term) => words.some((word) => likeness(term, word) !== null))
    && !search.without.some((group) => group.every((word) => words.includes(word)));
}
