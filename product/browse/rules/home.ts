import { DEFAULT_SETTINGS, HOME_LAYOUTS } from '#product/accounts/rules/settings.ts';
import type { GenderCode } from '#product/accounts/rules.ts';

export type Layout = (typeof HOME_LAYOUTS)[number];
/** What somebody sees who chose no layout. */
export const DEFAULT_LAYOUT: Layout = DEFAULT_SETTINGS.home_layout;
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
const ROW_LENGTH = 12;
/** Rows that the first screen of a large display has; further ones need not know what stands above them. */
const FIRST_SCREEN_ROWS = 5;
/** Best of a row that is enough to fill it, whoever of them stands above it already. */
export const ROW_CANDIDATES = (FIRST_SCREEN_ROWS + 1) * ROW_LENGTH + 1;
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

/** How rows of a screen give way to what stands above them. */
export interface ScreenRule {
  /** Rows keep whoever stands above them. */
  readonly isWhole: boolean;
  /** Performers in one row. */
  readonly length: number;
}

/** Rows stay whole only where fewer than five others than the featured one are live. */
const isWhole = (live: number): boolean => live - 1 < SEE_MORE_FROM;

/**
 * By sections nobody is twice on the first screen.
 * @param live performers that this viewer may see on the page
 */
export const sectionsRule = (live: number): ScreenRule => ({ isWhole: isWhole(live), length: ROW_LENGTH });

/**
 * Above the listing of everybody nobody is twice, and the rows leave their share for the listing.
 * @param live performers that this viewer may see on the page
 * @param rows how many stand between the featured show and the listing
 */
export function everyoneRule(live: number, rows: number): ScreenRule {
  if (isWhole(live)) return sectionsRule(live);
  const share = Math.max(1, Math.floor((live - 1) / (rows + 1)));
  return { isWhole: false, length: Math.min(ROW_LENGTH, share) };
}

/** A list without those who stand above it; all of it where rows stay whole. */
export const belowThem = <E extends Numbered>(
  row: readonly E[], above: ReadonlySet<number>, rule: Pick<ScreenRule, 'isWhole'>,
): readonly E[] => (rule.isWhole ? row : row.filter(({ id }) => !above.has(id)));

/**
 * The rows of a screen from the top, each without whom the ones above it show.
 * @param rows best first, longer than what is shown: whoever is left out is made up for
 */
export function onceEach<E extends Numbered>(
  featured: Numbered | null, rows: readonly (readonly E[])[], rule: ScreenRule,
): readonly (readonly E[])[] {
  const above = new Set(featured ? [featured.id] : []);
  return rows.map((row) => {
    const shown = belowThem(row, above, rule).slice(0, rule.length);
    for (const { id } of shown) above.add(id);
    return shown;
  });
}

/**
 * Rows below the top of a page by sections: those of the first screen without whom it shows already, and
 * none that has nobody left. Further ones are about something, whoever stands above them.
 * @param above ids of everybody in the top
 * @param room how many rows the first screen has below the top
 */
export function sectionsBelow<R extends { readonly entries: readonly Numbered[] }>(
  rows: readonly R[], above: ReadonlySet<number>, rule: ScreenRule, room = FIRST_SCREEN_ROWS - 1,
): readonly R[] {
  const shownIds = new Set(above);
  const shown: R[] = [];
  for (const row of rows) {
    const isBelow = shown.length >= room;
    const entries = (isBelow ? row.entries : belowThem(row.entries, shownIds, rule)).slice(0, rule.length);
    if (entries.length > 0) shown.push({ ...row, entries });
    for (const { id } of entries) shownIds.add(id);
  }
  return shown;
}

/** Order in which the genders that a visitor sees decide where links of the home page lead. */
const LEADING: readonly GenderCode[] = ['f', 'c', 'm', 't'];

/** Whose listings the links of the home page lead to, for who hides these genders. */
export const leadingGender = (hidden: readonly GenderCode[]): GenderCode =>
  LEADING.find((gender) => !hidden.includes(gender)) ?? 'f';
