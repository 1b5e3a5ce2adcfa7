import { HOME_LAYOUTS } from '../../accounts/rules/settings.ts';
import type { GenderCode } from '../../accounts/rules.ts';

export type Layout = (typeof HOME_LAYOUTS)[number];
/** What somebody sees who chose no layout. */
export const DEFAULT_LAYOUT: Layout = 'classic';
/** Name of the cookie that holds a browser's choice, without the prefix of hosts. */
export const LAYOUT_COOKIE = 'home_layout';

/** Sections of the home page (spec 2 §2.3), in their usual order. */
export const HOME_SECTIONS = [
  'favorites_and_history', 'new_and_trending', 'top_rated', 'top_rated_privates', 'near_goal', 'language',
  'tags', 'age_range', 'ethnicity', 'continent', 'country', 'voyeur_cams',
] as const;
export type HomeSectionId = (typeof HOME_SECTIONS)[number];
export const MAX_HOME_SECTIONS = HOME_SECTIONS.length;

/** A section links to its whole list from this many performers on (spec 2 §9). */
export const SEE_MORE_FROM = 5;
/** Performers in one row. */
export const ROW_LENGTH = 12;
/**
 * Best of the ranking among whom the row of "for you" looks, beside those one follows and watches: a home
 * page is asked for every few seconds, and ranking everybody for each member would take most of a processor.
 */
export const FOR_YOU_CANDIDATES = 1_000;
/** Rows of a section about values, e.g. languages: more would hide the sections below. */
export const VALUES_PER_SECTION = 3;

/** Sections whose order is what they are about: their tiles move when it changes. */
const IN_ORDER: ReadonlySet<HomeSectionId> = new Set(['top_rated', 'top_rated_privates', 'near_goal']);
export const isInOrder = (id: HomeSectionId): boolean => IN_ORDER.has(id);

export const isLayout = (value: string | null): value is Layout =>
  (HOME_LAYOUTS as readonly (string | null)[]).includes(value);

export const isHomeSection = (value: string): value is HomeSectionId =>
  (HOME_SECTIONS as readonly string[]).includes(value);

/** The sections in their order, each once. */
export const sectionsOnce = (sections: readonly HomeSectionId[]): readonly HomeSectionId[] =>
  [...new Set(sections)];

interface Numbered {
  readonly id: number;
}

/** A list without those who stand elsewhere on the screen before everybody else: they come last. */
export const seenLast = <E extends Numbered>(
  entries: readonly E[], seen: ReadonlySet<number>,
): readonly E[] =>
  (seen.size === 0 ? entries
    : [...entries.filter(({ id }) => !seen.has(id)), ...entries.filter(({ id }) => seen.has(id))]);

/** A row without those who stand elsewhere on the screen; all of it where too few others would be left. */
export function unseen<E extends Numbered>(row: readonly E[], seen: ReadonlySet<number>): readonly E[] {
  const others = row.filter(({ id }) => !seen.has(id));
  return others.length < SEE_MORE_FROM ? row : others;
}

/** Order in which the genders that a visitor sees decide where links of the home page lead. */
const LEADING: readonly GenderCode[] = ['f', 'c', 'm', 't'];

/** Whose listings the links of the home page lead to, for who hides these genders. */
export const leadingGender = (hidden: readonly GenderCode[]): GenderCode =>
  LEADING.find((gender) => !hidden.includes(gender)) ?? 'f';
