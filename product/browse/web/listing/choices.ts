import type { InputOf } from '#platform/contract/call.ts';
import { GENDERS, type GenderCode } from '#product/accounts/rules.ts';
import { AGE_RANGES, BROWSE_REGIONS, ETHNICITIES } from '#product/performers/rules.ts';
import type { browseLive } from '../../client.ts';
import { MAX_TERMS } from '../../rules/listing/filters.ts';
import { MAX_PAGES, SMALL_SCREEN_PAGE, type Listing } from '../../rules/listing/listings.ts';
import { SORTS, type Sort } from '../../rules/listing/ranking.ts';

/** Cookies that scripts and server read: the section a viewer chose, and the genders they hide. */
export const GENDER_COOKIE = 'gender';
export const HIDE_COOKIE = 'gender-hide';
/** Cookie value when nobody is hidden; other values are the letters of the hidden genders. */
const NOBODY = 'none';

/** Filters in the address of a listing's page. The page's own language is `lang`. */
export const FILTERS = [
  'language',
  'region',
  'rate',
  'age',
  'tag',
  'ethnicity',
  'country',
  'goal',
  'sort',
] as const;
export type FilterName = (typeof FILTERS)[number];
/** Parameters that listings read from their address. */
export const LISTING_QUERY = ['gender', 'p', 'seed', ...FILTERS] as const;

/** The genders named in a cookie, in a fixed order; null without a cookie. */
const gendersOf = (
  value: string | null,
): readonly GenderCode[] | null => (value === null ? null : GENDERS.filter((code) => value.includes(code)));

/** A cookie's genders in normalised form, to have few different keys of cached pages. */
export const gendersIn = (value: string | null): string => {
  const genders = gendersOf(value);
  return genders === null ? '' : genders.join('') || NOBODY;
};

/** A viewer's choices besides the address; the loader reads them, on the server and in the browser. */
export interface Choices {
  /** Genders this viewer hides, as in the cookie; empty if they never chose. */
  readonly hide: string;
  readonly isSmall: boolean;
}

/** Genders a viewer hides: by the cookie, or by the path if they never chose. */
export const hiddenIn = (
  { hide }: Choices,
  usual: readonly GenderCode[],
): readonly GenderCode[] => (hide === '' ? usual : gendersOf(hide) ?? usual);

/** The cookie value for these hidden genders. */
export const hideValue = (genders: readonly GenderCode[]): string => gendersIn(genders.join(''));

/** The same in the form the calls of listings take: codes with commas. */
export const hideInput = (
  { hide }: Pick<Choices, 'hide'>,
): {
  readonly 'gender-hide'?: string;
} => (hide === '' ? {} : { 'gender-hide': gendersOf(hide)?.join(',') || NOBODY });

/** Whether a viewer's hidden genders matter here: a listing of one gender shows it even when hidden. */
export const takesHides = ({ gender, isPersonal }: Listing): boolean => gender === null && !isPersonal;

/** Listings without filters: their order is their subject, or they are personal and complete. */
const WITHOUT_FILTERS: ReadonlySet<Listing['kind']> = new Set(['top', 'leaders', 'forYou', 'followed']);
export const takesFilters = ({ kind }: Listing): boolean => !WITHOUT_FILTERS.has(kind);

type Input = InputOf<typeof browseLive>;

const LANGUAGE = /^[a-z]{2,3}$/u;
const TAG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/u;
const COUNTRY = /^[a-z]{2}$/u;
const RATE = /^[1-9]\d{0,2}-[1-9]\d{0,2}$/u;

/** Valid values of a list in an address; no link of ours has others. */
const listOf = (
  query: URLSearchParams,
  name: FilterName,
  has: (one: string) => boolean,
): string | undefined =>
  (query.get(name)?.toLowerCase().split(',').filter(has).slice(0, MAX_TERMS).join(',')) || undefined;

const sortIn = (query: URLSearchParams): Sort | null =>
  SORTS.find((sort) => sort === query.get('sort')) ?? null;

/** An integer in an address, within limits. */
function numberIn(query: URLSearchParams, name: string, min: number, max: number): number | undefined {
  const text = query.get(name) ?? '';
  const value = /^\d{1,10}$/u.test(text) ? Number(text) : -1;
  return value >= min && value <= max ? value : undefined;
}

const MAX_SEED = 2_147_483_647;

/** The filters in an address, in the form the calls of listings take. */
function filtersIn(query: URLSearchParams): Partial<Input> {
  const sort = sortIn(query) ?? undefined;
  const rate = query.get('rate') ?? '';
  return defined({
    sort,
    seed: sort === 'random' ? numberIn(query, 'seed', 0, MAX_SEED) : undefined,
    lang: listOf(query, 'language', (text) => LANGUAGE.test(text)),
    region: listOf(query, 'region', (text) => BROWSE_REGIONS.some((region) => region === text)),
    tag: listOf(query, 'tag', (text) => TAG.test(text)),
    age: listOf(query, 'age', (text) => AGE_RANGES.some((range) => range === text)),
    ethnicity: listOf(query, 'ethnicity', (text) => ETHNICITIES.some((value) => value === text)),
    country: listOf(query, 'country', (text) => COUNTRY.test(text)),
    goal: query.get('goal') === '1' ? '1' : undefined,
    rate: RATE.test(rate) ? rate : undefined,
  });
}

/** Removes undefined fields: they would make another cache key. */
const defined = (input: { readonly [Name in keyof Input]?: Input[Name] | undefined }): Partial<Input> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** The page number in an address, from 1. */
const pageIn = (query: URLSearchParams): number => numberIn(query, 'p', 1, MAX_PAGES) ?? 1;

/** Whether an address is a listing's first page, unfiltered and in its own order. */
export const isFirstScreen = (query: URLSearchParams): boolean =>
  pageIn(query) === 1
  && Object.entries(filtersIn(query)).every(([name, value]) => name === 'sort' && value === 'recommended');

/** What the page of a listing asks for. */
export function inputOf(listing: Listing, query: URLSearchParams, choices: Choices): Input {
  const page = pageIn(query);
  const isShort = choices.isSmall && !listing.isInfinite && listing.perPage > SMALL_SCREEN_PAGE;
  return {
    path: listing.path.slice(1),
    ...(takesFilters(listing) ? filtersIn(query) : {}),
    ...(takesHides(listing) ? hideInput(choices) : {}),
    ...(isShort ? { perPage: SMALL_SCREEN_PAGE } : {}),
    // Elsewhere nobody stands above the home page's listing.
    ...(listing.kind === 'home' && isFirstScreen(query) ? { without: 'top' as const } : {}),
    ...(listing.isInfinite || page === 1 ? {} : { p: page }),
  };
}

/** The address with one query parameter changed or removed; starts at the first page again. */
export function withFilter(query: URLSearchParams, name: FilterName, value: string | null): URLSearchParams {
  const next = new URLSearchParams(query);
  next.delete('p');
  if (name === 'sort') next.delete('seed');
  if (value === null) next.delete(name);
  else next.set(name, value);
  return next;
}

/** The address of a listing's page, with its filters. */
export function pageAddress(path: string, query: URLSearchParams, page: number): string {
  const next = new URLSearchParams(query);
  if (page === 1) next.delete('p');
  else next.set('p', String(page));
  return next.size > 0 ? `${path}?${next.toString()}` : path;
}
