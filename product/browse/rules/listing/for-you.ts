import type { DirectoryEntry } from './entry.ts';
import { isNewcomer, scoreOf, withNewcomers } from './ranking.ts';

/** Points that "for you" adds to or subtracts from the published ranking: see docs/ranking.md. */
export const FOR_YOU = {
  followed: 40,
  watched: 30,
  followedTags: 20,
  watchedTags: 20,
  sameGender: 10,
  avoidedTags: -20,
  avoidedLanguages: -10,
} as const;
/** Shared tags that earn full points for likeness to a followed performer. */
const FULL_TAGS = 3;
/** Watch time that earns full points, for a performer or for the tags of a room together. */
const FULL_MINUTES = 120;
/** Less watch time is not named as a reason: a moment is not "often watches". */
const OFTEN_SECONDS = 600;
/** Hidden performers who must share a tag or a language, and outnumber the followed ones, for it to count. */
const MIN_HIDES = 3;
/** Avoided tags that earn the full deduction. */
const FULL_AVOIDED = 2;

/** Why "for you" shows a performer. Gender alone is not named as a reason. */
export const BECAUSE = ['followed', 'watched', 'likeFollowed', 'watchedTag'] as const;
export interface Because {
  readonly kind: (typeof BECAUSE)[number];
  /** Name of a performer the viewer follows, or a tag they watch; null where the tile says it all. */
  readonly value: string | null;
}

/** What is known about one viewer's taste. Only performers they may perceive, because reasons name them. */
export interface Taste {
  /** Newest first. */
  readonly followed: readonly DirectoryEntry[];
  readonly hidden: readonly DirectoryEntry[];
  /** Seconds that still count. */
  readonly watched: ReadonlyMap<DirectoryEntry, number>;
  readonly watchedTags: ReadonlyMap<string, number>;
  /** The language of their pages: speaking it never counts against a performer. */
  readonly language: string;
}

/** A performer in "for you", and which of the viewer's choices put them there. */
export interface Chosen {
  readonly entry: DirectoryEntry;
  readonly because: readonly Because[];
}

/** A taste, indexed for looking up performers. */
interface Known {
  readonly followed: ReadonlySet<number>;
  readonly followedTags: ReadonlyMap<string, readonly DirectoryEntry[]>;
  readonly watched: ReadonlyMap<number, number>;
  readonly watchedTags: ReadonlyMap<string, number>;
  readonly genders: ReadonlySet<string>;
  readonly avoidedTags: ReadonlySet<string>;
  readonly avoidedLanguages: ReadonlySet<string>;
}

/** Values that more hidden performers have than followed ones, and enough of them to be no accident. */
function avoided(
  { hidden, followed }: Taste,
  of: (entry: DirectoryEntry) => readonly string[],
): ReadonlySet<string> {
  const counts = new Map<string, { hidden: number; followed: number }>();
  for (const [kind, entries] of [['hidden', hidden], ['followed', followed]] as const) {
    for (const value of entries.flatMap((entry) => [...new Set(of(entry))])) {
      const count = counts.get(value) ?? { hidden: 0, followed: 0 };
      count[kind] += 1;
      counts.set(value, count);
    }
  }
  return new Set(
    [...counts].filter(([, count]) => count.hidden >= MIN_HIDES && count.hidden > count.followed).map((
      [value],
    ) => value),
  );
}

function knownOf(taste: Taste): Known {
  const followedTags = new Map<string, DirectoryEntry[]>();
  for (const entry of taste.followed) {
    for (const tag of entry.tags) followedTags.set(tag, [...followedTags.get(tag) ?? [], entry]);
  }
  const avoidedTags = new Set(avoided(taste, ({ tags }) => tags));
  for (const tag of taste.watchedTags.keys()) avoidedTags.delete(tag);
  const avoidedLanguages = new Set(avoided(taste, ({ languages }) => languages));
  avoidedLanguages.delete(taste.language);
  return {
    followed: new Set(taste.followed.map(({ id }) => id)),
    followedTags,
    watched: new Map([...taste.watched].map(([{ id }, seconds]) => [id, seconds])),
    watchedTags: taste.watchedTags,
    avoidedTags,
    avoidedLanguages,
    genders: new Set([...taste.followed, ...taste.watched.keys()].flatMap(({ gender }) => gender ?? [])),
  };
}

/** From 0 to 1; the first minutes count more than later ones. */
const timePart = (seconds: number): number =>
  Math.min(1, Math.log1p(seconds / 60) / Math.log1p(FULL_MINUTES));

type Points = Readonly<Record<keyof typeof FOR_YOU, number>>;

/** Points of each part for one performer. */
function pointsOf(entry: DirectoryEntry, known: Known): Points {
  const isFollowed = known.followed.has(entry.id);
  const seconds = known.watched.get(entry.id) ?? 0;
  const shared = entry.tags.filter((tag) => known.followedTags.has(tag)).length;
  const tagSeconds = entry.tags.reduce((sum, tag) => sum + (known.watchedTags.get(tag) ?? 0), 0);
  // The viewer chose these performers, so what they share with hidden ones does not count against them.
  const isChosen = isFollowed || seconds > 0;
  const tags = isChosen ? 0 : entry.tags.filter((tag) => known.avoidedTags.has(tag)).length;
  const speaksAvoided = !isChosen && entry.languages.length > 0
    && entry.languages.every((language) => known.avoidedLanguages.has(language));
  return {
    followed: isFollowed ? FOR_YOU.followed : 0,
    watched: FOR_YOU.watched * timePart(seconds),
    followedTags: FOR_YOU.followedTags * Math.min(1, shared / FULL_TAGS),
    watchedTags: FOR_YOU.watchedTags * timePart(tagSeconds),
    sameGender: entry.gender !== null && known.genders.has(entry.gender) ? FOR_YOU.sameGender : 0,
    avoidedTags: FOR_YOU.avoidedTags * Math.min(1, tags / FULL_AVOIDED),
    avoidedLanguages: speaksAvoided ? FOR_YOU.avoidedLanguages : 0,
  };
}

/** The followed performer with most tags of this one; ties go by order of tags, then the newest follow. */
function likestOf(entry: DirectoryEntry, { followedTags }: Known): DirectoryEntry | undefined {
  const shared = new Map<DirectoryEntry, number>();
  for (const tag of entry.tags) {
    for (const one of followedTags.get(tag) ?? []) shared.set(one, (shared.get(one) ?? 0) + 1);
  }
  let best: DirectoryEntry | undefined;
  for (const [one, count] of shared) if (!best || count > (shared.get(best) ?? 0)) best = one;
  return best;
}

/** The parts that put a performer here, the weightiest first. */
function becauseOf(entry: DirectoryEntry, points: Points, known: Known): readonly Because[] {
  const found: (Because & { readonly weight: number })[] = [];
  if (points.followed > 0) found.push({ kind: 'followed', value: null, weight: points.followed });
  if ((known.watched.get(entry.id) ?? 0) >= OFTEN_SECONDS) {
    found.push({ kind: 'watched', value: null, weight: points.watched });
  }
  const like = points.followed > 0 ? undefined : likestOf(entry, known);
  if (like) found.push({ kind: 'likeFollowed', value: like.displayName, weight: points.followedTags });
  const secondsOf = (tag: string): number => known.watchedTags.get(tag) ?? 0;
  const [tag] = entry.tags.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  if (tag !== undefined && secondsOf(tag) >= OFTEN_SECONDS) {
    found.push({ kind: 'watchedTag', value: tag, weight: points.watchedTags });
  }
  return found.toSorted((a, b) => b.weight - a.weight).map(({ kind, value }) => ({ kind, value }));
}

/**
 * The published ranking adjusted by what one viewer follows, watches and hides; newcomers get their share.
 * @param entries performers whom the viewer may perceive and does not hide
 */
export function forYou(
  entries: readonly DirectoryEntry[],
  taste: Taste,
  now: number,
): readonly DirectoryEntry[] {
  const known = knownOf(taste);
  const scored = entries.map((entry) => ({
    entry,
    score: Object.values(pointsOf(entry, known)).reduce((sum, points) => sum + points, scoreOf(entry, now)),
  }));
  const ranked = scored.toSorted((a, b) => b.score - a.score || a.entry.id - b.entry.id)
    .map(({ entry }) => entry);
  return [...withNewcomers(ranked, (entry) => isNewcomer(entry, now))];
}

/** Why these performers are here; called for those on one page only. */
export function chosenBy(taste: Taste, entries: readonly DirectoryEntry[]): readonly Chosen[] {
  const known = knownOf(taste);
  return entries.map((entry) => ({ entry, because: becauseOf(entry, pointsOf(entry, known), known) }));
}
