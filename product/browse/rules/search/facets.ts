import type { GenderCode } from '#product/accounts/rules.ts';
import type { DirectoryEntry } from '../listing/entry.ts';
import { matcherOf, MAX_TERMS, type Filter, type RateRange } from '../listing/filters.ts';
import { GENDER_SLUGS, genderOfSlug, isRegion, LANGUAGE_SLUGS } from '../listing/listings.ts';
import { SORTS, type Sort } from '../listing/ranking.ts';
import { wordsOf } from './search-words.ts';

/** Performers on the first page of the advanced search, and how many it adds near the end (spec 3 §9). */
export const SEARCH_PAGE = 60;
export const SEARCH_STEP = 30;
/** How long a browser remembers the advanced search after leaving it (spec 3 §9). */
export const SEARCH_MEMORY_MS = 60_000;
export const MAX_SUGGESTIONS = 10;
/** Limit of saved searches: in a longer list they would be hard to find, and few people save as many. */
export const MAX_SAVED_SEARCHES = 20;
export const MAX_SEARCH_NAME = 40;
/** Values of one filter; only a program writes an address with more. */
const MAX_VALUES = 12;
/** Tags with counts, most frequent first; chosen tags are added to them. */
export const MAX_TAG_COUNTS = 40;

/** Price ranges that are counted, per minute; their ends are those of the listings (spec 2 §2.1). */
export const RATE_RANGES = ['1-18', '19-60', '61-120', '121-999'] as const;

/** What the advanced search counts by (spec 3 §3), in the order of the page. */
export const SEARCH_CATEGORIES = [
  'gender',
  'language',
  'location',
  'privateRate',
  'controlHerRate',
  'tag',
] as const;
export type SearchCategory = (typeof SEARCH_CATEGORIES)[number];

/** The address parameter that filters a category. */
export const PARAMETER_OF = {
  gender: 'source',
  language: 'lang',
  location: 'region',
  privateRate: 'rate',
  controlHerRate: 'chRate',
  tag: 'tag',
} as const satisfies Record<SearchCategory, string>;

/** The parameters as they come in; empty ones count as absent. */
export interface SearchInput {
  readonly lang?: string | undefined;
  readonly source?: string | undefined;
  readonly gender?: string | undefined;
  readonly tag?: string | undefined;
  readonly rate?: string | undefined;
  readonly region?: string | undefined;
  readonly chRate?: string | undefined;
  readonly newSort?: string | undefined;
  readonly 'gender-hide'?: string | undefined;
  readonly q?: string | undefined;
}

/** One search. Within a category any of its filters suffices; no filter lets everybody pass. */
export interface Search {
  readonly filters: Readonly<Record<SearchCategory, readonly Filter[]>>;
  readonly hidden: readonly GenderCode[];
  readonly sort: Sort;
  /** Required words, in normal form. */
  readonly words: readonly string[];
  /** Excluded words; a term of several words excludes only performers with all of them. */
  readonly without: readonly (readonly string[])[];
  readonly tags: readonly string[];
}

const listOf = (value: string | undefined): readonly string[] =>
  [...new Set((value ?? '').split(',').map((text) => text.trim().toLowerCase()).filter(Boolean))]
    .slice(0, MAX_VALUES);

const codesOf = (value: string | undefined): readonly GenderCode[] =>
  listOf(value).map((text) => (Object.hasOwn(GENDER_SLUGS, text) ? text as GenderCode : genderOfSlug(text)))
    .filter((code) => code !== null);

const languageOf = (
  value: string,
): string => (Object.hasOwn(LANGUAGE_SLUGS, value)
  ? LANGUAGE_SLUGS[value as keyof typeof LANGUAGE_SLUGS]
  : value);

/** A range such as `19-60`, or a single price; null for anything else. */
export function rangeOf(value: string | undefined): RateRange | null {
  const [, from, to] = /^(\d{1,4})(?:-(\d{1,4}))?$/u.exec(value?.trim() ?? '') ?? [];
  if (from === undefined) return null;
  const range = { from: Number(from), to: Number(to ?? from) };
  return range.from <= range.to ? range : null;
}

/** Reads the parameters of a search; meaningless values are ignored. */
export function searchOf(input: SearchInput): Search {
  const rate = rangeOf(input.rate);
  const chRate = rangeOf(input.chRate);
  const genders = [...new Set([...codesOf(input.source), ...codesOf(input.gender)])];
  const tags = listOf(input.tag);
  const terms = (input.q ?? '').split(/\s+/u).filter(Boolean).slice(0, MAX_TERMS);
  const isWithout = (term: string): boolean => term.startsWith('-');
  return {
    filters: {
      gender: genders.map((gender) => ({ genders: [gender] })),
      language: listOf(input.lang).map((text) => ({ languages: [languageOf(text)] })),
      location: listOf(input.region).filter(isRegion).map((text) => ({ regions: [text] })),
      privateRate: rate ? [{ privateRate: rate }] : [],
      controlHerRate: chRate ? [{ controlRate: chRate }] : [],
      tag: tags.map((tag) => ({ tags: [tag] })),
    },
    hidden: codesOf(input['gender-hide']),
    sort: SORTS.find((text) => text === input.newSort) ?? 'recommended',
    words: terms.filter((term) => !isWithout(term)).flatMap(wordsOf),
    without: terms.filter(isWithout).map(wordsOf).filter((words) => words.length > 0),
    tags,
  };
}

type Matcher = (entry: DirectoryEntry) => boolean;

/** The filters of one category as one predicate. */
const anyOf = (filters: readonly Filter[], now: number): Matcher => {
  const matchers = filters.map((filter) => matcherOf(filter, now));
  return (entry) => matchers.length === 0 || matchers.some((matches) => matches(entry));
};

/**
 * Categories of a search whose filters a performer fails. Stops at two, because a performer who fails two or
 * more is not counted.
 */
export function failsOf(
  { filters }: Pick<Search, 'filters'>,
  now: number,
): (entry: DirectoryEntry) => readonly SearchCategory[] {
  const matchers = SEARCH_CATEGORIES.filter((category) => filters[category].length > 0)
    .map((category) => [category, anyOf(filters[category], now)] as const);
  return (entry) => {
    const fails: SearchCategory[] = [];
    for (const [category, matches] of matchers) {
      if (matches(entry)) continue;
      fails.push(category);
      if (fails.length > 1) break;
    }
    return fails;
  };
}

const rangesOf = (
  price: number | null,
): readonly string[] => (price === null ? [] : RATE_RANGES.filter((range) => {
  const { from, to } = rangeOf(range) ?? { from: 0, to: 0 };
  return price >= from && price <= to;
}));

/** The values of a category under which a performer is counted. */
export function valuesOf(entry: DirectoryEntry, category: SearchCategory): readonly string[] {
  switch (category) {
    case 'gender':
      return entry.gender === null ? [] : [GENDER_SLUGS[entry.gender]];
    case 'language':
      return entry.languages;
    case 'location':
      return entry.region === null ? [] : [entry.region];
    case 'privateRate':
      return rangesOf(entry.privatePrice);
    case 'controlHerRate':
      return rangesOf(entry.controlRate);
    case 'tag':
      return entry.tags;
  }
}
