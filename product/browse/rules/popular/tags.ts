import { GENDERS, type GenderCode } from '#product/accounts/rules.ts';
import type { DirectoryEntry } from '../listing/entry.ts';
import { GENDER_SLUGS } from '../listing/listings.ts';

export const TAG_SORTS = ['popular', 'name', 'viewers'] as const;
export type TagSort = (typeof TAG_SORTS)[number];

/** Tags on one page that a person can still read; the rest follow on the next. */
export const TAGS_PAGE = 100;
export const MAX_TAG_PAGES = 1_000;
/** Pairs of tags in one answer: two rows on a desktop. */
const COMBOS = 24;
/** A single performer with both tags is not a pattern. */
const MIN_COMBO = 2;

export interface TagCount {
  readonly tags: readonly string[];
  readonly name: string;
  readonly count: number;
  readonly viewers: number;
  /** Address of the tag's listing, in the section with most of its performers. */
  readonly path: string;
}

interface Tally {
  readonly tags: readonly string[];
  count: number;
  viewers: number;
  readonly genders: Map<GenderCode, number>;
}

const emptyTally = (tags: readonly string[]): Tally => ({ tags, count: 0, viewers: 0, genders: new Map() });

/** The words of a slug, for people to read. */
const nameOf = (tag: string): string => tag.replaceAll('-', ' ');

/** The most frequent gender; on a tie, the first of the list. */
const mainGender = (genders: ReadonlyMap<GenderCode, number>): GenderCode =>
  GENDERS.reduce((best, text) => ((genders.get(text) ?? 0) > (genders.get(best) ?? 0) ? text : best));

const countOf = ({ tags, count, viewers, genders }: Tally): TagCount => ({
  tags,
  count,
  viewers,
  name: tags.map(nameOf).join(' + '),
  path: `/${GENDER_SLUGS[mainGender(genders)]}/tag/${tags.join('/')}`,
});

function tallied(
  entries: readonly DirectoryEntry[],
  groupsOf: (tags: readonly string[]) => readonly (readonly string[])[],
): readonly TagCount[] {
  const tallies = new Map<string, Tally>();
  for (const { tags, gender, viewerCount } of entries) {
    // Listings by tag are below a section, so a performer without a section is in none.
    if (gender === null) continue;
    for (const group of groupsOf(tags)) {
      const key = group.join('/');
      const tally = tallies.get(key) ?? emptyTally(group);
      tally.count += 1;
      tally.viewers += viewerCount;
      tally.genders.set(gender, (tally.genders.get(gender) ?? 0) + 1);
      tallies.set(key, tally);
    }
  }
  return [...tallies.values()].map(countOf);
}

const byName = (a: TagCount, b: TagCount): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
const COMPARE: Readonly<Record<TagSort, (a: TagCount, b: TagCount) => number>> = {
  popular: (a, b) => b.count - a.count || b.viewers - a.viewers || byName(a, b),
  name: byName,
  viewers: (a, b) => b.viewers - a.viewers || b.count - a.count || byName(a, b),
};

/** The tags of these performers, sorted. */
export const tagsOf = (entries: readonly DirectoryEntry[], sort: TagSort): readonly TagCount[] =>
  tallied(entries, (tags) => [...new Set(tags)].map((tag) => [tag])).toSorted(COMPARE[sort]);

/** Pairs of tags that at least two of these performers share, most frequent first. */
export const combosOf = (entries: readonly DirectoryEntry[]): readonly TagCount[] =>
  tallied(entries, (tags) => pairsOf([...new Set(tags)].sort()))
    .filter(({ count }) => count >= MIN_COMBO).toSorted(COMPARE.popular).slice(0, COMBOS);

const pairsOf = (tags: readonly string[]): readonly (readonly string[])[] =>
  tags.flatMap((first, at) => tags.slice(at + 1).map((second) => [first, second]));
