import type { GenderCode } from '#product/accounts/rules.ts';
import { DEFAULT_SETTINGS, HOME_LAYOUTS } from '#product/accounts/rules/settings.ts';

export type Layout = (typeof HOME_LAYOUTS)[number];
/** The default layout. */
export const DEFAULT_LAYOUT: Layout = DEFAULT_SETTINGS.home_layout;
/** Name of the cookie that holds a browser's choice, without the `__Host-` prefix. */
export const LAYOUT_COOKIE = 'home_layout';

/** Sections of the home page (spec 2 §2.3), in their usual order. */
export const HOME_SECTIONS = [
  'favorites_and_history',
  'new_and_trending',
  'top_rated',
  'top_rated_privates',
  'near_goal',
  'language',
  'tags',
  'age_range',
  'ethnicity',
  'continent',
  'country',
  'voyeur_cams',
] as const;
export type HomeSectionId = (typeof HOME_SECTIONS)[number];
export const MAX_HOME_SECTIONS = HOME_SECTIONS.length;

/** A section links to its whole list from this number of performers (spec 2 §9). */
export const SEE_MORE_FROM = 5;
/** Performers in one row. */
const ROW_LENGTH = 12;
/** Rows on the first screen of a large display; later rows may repeat performers shown above them. */
const FIRST_SCREEN_ROWS = 5;
/** Candidates per row: enough to fill it even if rows above show some of them. */
export const ROW_CANDIDATES = (FIRST_SCREEN_ROWS + 1) * ROW_LENGTH + 1;
/**
 * Best of the ranking that "for you" considers, besides performers the viewer follows and watches: home pages
 * are requested every few seconds, and ranking everybody for each member would take most of a CPU.
 */
export const FOR_YOU_CANDIDATES = 1_000;
/** Rows per section with values, e.g. languages: more would hide the sections below. */
export const VALUES_PER_SECTION = 3;

/** Sections defined by their order: their tiles move when it changes. */
const IN_ORDER: ReadonlySet<HomeSectionId> = new Set(['top_rated', 'top_rated_privates', 'near_goal']);
export const isInOrder = (id: HomeSectionId): boolean => IN_ORDER.has(id);

export const isLayout = (value: string | null): value is Layout =>
  (HOME_LAYOUTS as readonly (string | null)[]).includes(value);

export const isHomeSection = (value: string): value is HomeSectionId =>
  (HOME_SECTIONS as readonly string[]).includes(value);

/** The sections in their order, each once. */
export const sectionsOnce = (
  sections: readonly HomeSectionId[],
): readonly HomeSectionId[] => [...new Set(sections)];

interface Numbered {
  readonly id: number;
}

/** How rows of a screen avoid repeating performers shown above them. */
export interface ScreenRule {
  /** Rows keep performers shown above them. */
  readonly isWhole: boolean;
  /** Performers in one row. */
  readonly length: number;
}

/** Rows stay whole only where fewer than five performers are live besides the featured one. */
const isWhole = (live: number): boolean => live - 1 < SEE_MORE_FROM;

/**
 * On a home page by sections, nobody appears twice on the first screen.
 * @param live performers that this viewer may see on the page
 */
export const sectionsRule = (live: number): ScreenRule => ({ isWhole: isWhole(live), length: ROW_LENGTH });

/**
 * Above the listing of everybody nobody appears twice, and the rows leave a share for the listing.
 * @param live performers that this viewer may see on the page
 * @param rows number of rows between the featured show and the listing
 */
export function everyoneRule(live: number, rows: number): ScreenRule {
  if (isWhole(live)) return sectionsRule(live);
  const share = Math.max(1, Math.floor((live - 1) / (rows + 1)));
  return { isWhole: false, length: Math.min(ROW_LENGTH, share) };
}

/** A list without performers shown above it; the whole list where rows stay whole. */
export const belowThem = <E extends Numbered>(
  row: readonly E[],
  above: ReadonlySet<number>,
  rule: Pick<ScreenRule, 'isWhole'>,
): readonly E[] => (rule.isWhole ? row : row.filter(({ id }) => !above.has(id)));

/**
 * The rows of a screen from the top, each without performers shown above it.
 * @param rows best first, and longer than shown, so that later performers replace those left out
 */
export function onceEach<E extends Numbered>(
  featured: Numbered | null,
  rows: readonly (readonly E[])[],
  rule: ScreenRule,
): readonly (readonly E[])[] {
  const above = new Set(featured ? [featured.id] : []);
  return rows.map((row) => {
    const shown = belowThem(row, above, rule).slice(0, rule.length);
    for (const { id } of shown) above.add(id);
    return shown;
  });
}

/**
 * Rows below the top of a page by sections. Rows of the first screen omit performers already shown on it, and
 * empty ones are dropped; further rows are complete.
 * @param above ids of all performers in the top
 * @param room number of rows on the first screen below the top
 */
export function sectionsBelow<R extends { readonly entries: readonly Numbered[] }>(
  rows: readonly R[],
  above: ReadonlySet<number>,
  rule: ScreenRule,
  room = FIRST_SCREEN_ROWS - 1,
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

/** Priority of genders: links of the home page lead to the first one that the viewer does not hide. */
const LEADING: readonly GenderCode[] = ['f', 'c', 'm', 't'];

/** The gender whose listings the home page links to, for a viewer who hides these genders. */
export const leadingGender = (hidden: readonly GenderCode[]): GenderCode =>
  LEADING.find((gender) => !hidden.includes(gender)) ?? 'f';
