import { HOME_LAYOUTS } from '#product/accounts/rules/settings.ts';
import type { GenderCode } from '#product/accounts/rules.ts';

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
/** Rows that the first screen of a large display has; further ones need not know what stands above them. */
export const FIRST_SCREEN_ROWS = 5;
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
  /** A row with fewer others than this stays whole. */
  readonly leastOthers: number;
  /** Performers in one row. */
  readonly length: number;
}

/** By sections each row is about something: one that had too few others keeps whom it is about. */
export const SECTIONS_RULE: ScreenRule = { leastOthers: SEE_MORE_FROM, length: ROW_LENGTH };

/**
 * Above the listing of everybody nobody is twice, and the rows leave their share for the listing. Rows stay
 * whole only where fewer than five others than the featured one are live.
 * @param live performers that this viewer may see on the page
 * @param rows how many stand between the featured show and the listing
 */
export function everyoneRule(live: number, rows: number): ScreenRule {
  const others = live - 1;
  if (others < SEE_MORE_FROM) return { leastOthers: Number.POSITIVE_INFINITY, length: ROW_LENGTH };
  const share = Math.max(1, Math.floor(others / (rows + 1)));
  return { leastOthers: 0, length: Math.min(ROW_LENGTH, share) };
}

const others = <E extends Numbered>(row: readonly E[], above: ReadonlySet<number>): readonly E[] =>
  row.filter(({ id }) => !above.has(id));

/** A list without those who stand above it; all of it where it would have too few others. */
export function belowThem<E extends Numbered>(
  row: readonly E[], above: ReadonlySet<number>, { leastOthers }: Pick<ScreenRule, 'leastOthers'>,
): readonly E[] {
  const left = others(row, above);
  return left.length < leastOthers ? row : left;
}

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

/** Order in which the genders that a visitor sees decide where links of the home page lead. */
const LEADING: readonly GenderCode[] = ['f', 'c', 'm', 't'];

/** Whose listings the links of the home page lead to, for who hides these genders. */
export const leadingGender = (hidden: readonly GenderCode[]): GenderCode =>
  LEADING.find((gender) => !hidden.includes(gender)) ?? 'f';
