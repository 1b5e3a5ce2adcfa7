import type { SuggestionView } from '../../contract/search.ts';
import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { MAX_SUGGESTIONS } from '../../rules/search/facets.ts';
import { likeness, wordsOf } from '../../rules/search/search-words.ts';
import type { Sees } from '../directory/directory.ts';
import type { Match, SearchIndex } from './searchable-words.ts';
import type { Searched } from './searched.ts';

/** Maximum tags and topics among the suggestions; performers get the rest. */
const MAX_TAGS = 3;
const MAX_TOPICS = 2;
/** Tags tried for a count, because all performers with the first ones may be hidden from the viewer. */
const MAX_COUNTED = 12;

/** Live before offline, then by match quality, then by viewers and followers. */
const byRank = (a: Match, b: Match): number =>
  Number(isOnline(b.entry)) - Number(isOnline(a.entry)) || a.quality - b.quality
  || b.entry.viewerCount - a.entry.viewerCount || b.entry.followers - a.entry.followers
  || a.entry.id - b.entry.id;

/** The best matches that may be shown. Sorts only as many as needed. */
function best(matches: readonly Match[], max: number, mayShow: (entry: DirectoryEntry) => boolean) {
  const live = matches.filter(({ entry }) => isOnline(entry)).sort(byRank);
  const shown: DirectoryEntry[] = [];
  const take = (ranked: readonly Match[]): void => {
    for (const { entry } of ranked) {
      if (shown.length >= max) return;
      if (mayShow(entry)) shown.push(entry);
    }
  };
  take(live);
  if (shown.length < max) take(matches.filter(({ entry }) => !isOnline(entry)).sort(byRank));
  return shown;
}

const performerView = (entry: DirectoryEntry): SuggestionView => ({
  kind: 'performer',
  text: entry.displayName,
  path: `/${entry.username}`,
  username: entry.username,
  thumbUrl: entry.avatarUrl,
  isLive: isOnline(entry),
  count: isOnline(entry) ? entry.viewerCount : 0,
});

const nameOf = (tag: string): string => tag.replaceAll('-', ' ');

/** The first tags with an online performer whom the viewer may see, with counts. */
function tagsFor(ranked: readonly string[], index: SearchIndex, sees: Sees): readonly SuggestionView[] {
  const tags: SuggestionView[] = [];
  for (const tag of ranked.slice(0, MAX_COUNTED)) {
    if (tags.length >= MAX_TAGS) break;
    const count = index.countOf(tag, sees);
    if (count === 0) continue;
    tags.push({
      kind: 'tag',
      text: nameOf(tag),
      path: `/multi-filter?tag=${encodeURIComponent(tag)}`,
      username: null,
      thumbUrl: null,
      isLive: true,
      count,
    });
  }
  return tags;
}

/** Suggestions for a text being typed. `sees` also excludes performers whom the viewer hides. */
export function suggestionsFor(
  typed: string,
  { index, isBlocked }: Pick<Searched, 'index' | 'isBlocked'>,
  sees: Sees,
): SuggestionView[] {
  const terms = wordsOf(typed);
  if (terms.length === 0 || isBlocked(typed) || terms.some(isBlocked)) return [];
  const isClean = (text: string): boolean => !isBlocked(text);
  const tags = tagsFor(index.tags(terms).filter((tag) => isClean(nameOf(tag))), index, sees);
  const named = best(
    index.find(terms, isBlocked, ['name']),
    MAX_SUGGESTIONS,
    (entry) => sees(entry) && isClean(`${entry.username} ${entry.displayName}`),
  );
  const shown = new Set(named.map(({ id }) => id));
  const topics = best(
    index.find(terms, isBlocked, ['text']),
    MAX_TOPICS,
    (entry) => !shown.has(entry.id) && saysAll(entry.topic, terms) && sees(entry) && isClean(entry.topic),
  );
  const performers = named.slice(0, MAX_SUGGESTIONS - tags.length - topics.length);
  return [
    ...performers.map(performerView),
    ...tags,
    ...topics.map((entry): SuggestionView => ({ ...performerView(entry), kind: 'topic', text: entry.topic })),
  ];
}

/** Whether the topic itself matches, rather than a tag. */
function saysAll(topic: string, terms: readonly string[]): boolean {
  const words = wordsOf(topic);
  return terms.every((term) => words.some((word) => likeness(term, word) !== null));
}
