import type { DirectoryEntry } from './entry.ts';
import { scoreOf, type Reason } from './ranking.ts';

/** Points that "for you" adds to the published ranking: see docs/ranking.md. */
export const FOR_YOU = { followed: 40, sharedTags: 30, sameGender: 10 } as const;
/** Points for shared tags are full from this many on. */
const FULL_TAGS = 3;

interface Tastes {
  readonly ids: ReadonlySet<number>;
  readonly tags: ReadonlySet<string>;
  readonly genders: ReadonlySet<string>;
}

const tastesOf = (entries: readonly DirectoryEntry[]): Tastes => ({
  ids: new Set(entries.map(({ id }) => id)), tags: new Set(entries.flatMap(({ tags }) => tags)),
  genders: new Set(entries.flatMap(({ gender }) => gender ?? [])),
});

const nearness = (entry: DirectoryEntry, { ids, tags, genders }: Tastes): number => {
  const shared = entry.tags.filter((tag) => tags.has(tag)).length;
  return (ids.has(entry.id) ? FOR_YOU.followed : 0)
    + FOR_YOU.sharedTags * Math.min(1, shared / FULL_TAGS)
    + (entry.gender !== null && genders.has(entry.gender) ? FOR_YOU.sameGender : 0);
};

/** A performer in "for you", and what of the viewer's own choices put them there. */
export interface Chosen {
  readonly entry: DirectoryEntry;
  readonly reasons: readonly Reason[];
}

/**
 * The published ranking, and on top whom somebody follows and who resembles them or those they watched. A
 * gender alone is no reason to name.
 */
export function forYou(
  entries: readonly DirectoryEntry[], followed: readonly DirectoryEntry[], watched: readonly DirectoryEntry[],
  now: number,
): readonly Chosen[] {
  const tastes = { followed: tastesOf(followed), watched: tastesOf(watched) };
  const scored = entries.map((entry) => {
    const near = { followed: nearness(entry, tastes.followed), watched: nearness(entry, tastes.watched) };
    const reasons = (['followed', 'watched'] as const)
      .filter((one) => near[one] > FOR_YOU.sameGender)
      .sort((a, b) => near[b] - near[a]);
    return { entry, reasons, score: scoreOf(entry, now) + Math.max(near.followed, near.watched) };
  });
  return scored.sort((a, b) => b.score - a.score || a.entry.id - b.entry.id);
}
