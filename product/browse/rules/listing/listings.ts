import { GENDERS, type GenderCode } from '#product/accounts/rules.ts';
import { BROWSE_REGIONS, type BrowseRegion } from '#product/performers/rules.ts';
import type { Filter } from './filters.ts';
import { isOwnNamed, NAMED_LISTINGS, type OwnNamed } from './named-listings.ts';
import type { Sort } from './ranking.ts';

/** Performers per page: of a listing, on /top, on a small screen, of v2, and of each load (spec 3 §9). */
export const LISTING_PAGE = 98;
const TOP_PAGE = 20;
export const SMALL_SCREEN_PAGE = 48;
export const V2_PAGE = 40;
export const SCROLL_STEP = 60;
/** Recorded ticket shows on one page; how many are read at once to find them; and how many such reads. */
export const MODEL_SHOWS_PAGE = 24;
export const MODEL_SHOWS_SCAN = 100;
export const MAX_MODEL_SHOWS_SCANS = 10;
/** Performers with recorded ticket shows, examined for a link: as many as shows are for a page. */
export const MAX_RECORDED_PERFORMERS = MODEL_SHOWS_SCAN * MAX_MODEL_SHOWS_SCANS;
/** Performers offered where a listing is empty. */
export const MAX_ALTERNATIVES = 12;
/** Maximum pages of a listing: nobody goes further, and crawlers need not. */
export const MAX_PAGES = 1_000;

/** Slugs of the gender sections (spec 1 §2). */
export const GENDER_SLUGS = { c: 'couples', f: 'girls', m: 'men', t: 'trans' } as const;

export const genderOfSlug = (slug: string): GenderCode | null =>
  GENDERS.find((code) => GENDER_SLUGS[code] === slug) ?? null;

/** The section a gender cookie or query value chooses (spec 1 §2 "Gender selection"). */
export const sectionOfGender = (
  value: string | null | undefined,
):
  | '/'
  | '/couples'
  | '/men'
  | '/trans' => (value === 'c' || value === 'm' || value === 't' ? `/${GENDER_SLUGS[value]}` : '/');

/** Languages that have a listing (spec 2 §2.1), and their ISO 639-1 codes. */
export const LANGUAGE_SLUGS = {
  arabic: 'ar',
  chinese: 'zh',
  dutch: 'nl',
  english: 'en',
  french: 'fr',
  german: 'de',
  italian: 'it',
  japanese: 'ja',
  korean: 'ko',
  polish: 'pl',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  spanish: 'es',
  ukrainian: 'uk',
} as const;

/** Prices that have a listing, in tokens per minute, and the ends of their ranges (spec 2 §2.1). */
export const RATE_AMOUNTS = [6, 12, 18, 30, 60, 90, 120] as const;
export const RATE_ENDS = [18, 60, 120, 999] as const;

/** Kinds of listings; each has its title, description and heading in the messages, `listing.<kind>`. */
export const LISTING_KINDS = [
  'home',
  'gender',
  'role',
  'studio',
  'language',
  'new',
  'rate',
  'region',
  'topRated',
  'privates',
  'privatesTopRated',
  'spy',
  'ticket',
  'exclusive',
  'cam2cam',
  'cam2camTopRated',
  'controlHer',
  'tag',
  'voyeur',
  'top',
  'models',
  'leaders',
  'followed',
  'forYou',
  'history',
  'independentRomanian',
  'named',
  'fanclub',
  'fanclubOnline',
] as const;
export type ListingKind = (typeof LISTING_KINDS)[number];

/** One listing, from its path. */
export interface Listing {
  readonly kind: ListingKind;
  /** The address, without a trailing slash; that of the home page is `/`. */
  readonly path: string;
  readonly gender: GenderCode | null;
  readonly filter: Filter;
  readonly sort: Sort;
  readonly perPage: number;
  /** Adds entries while scrolling, instead of pages. */
  readonly isInfinite: boolean;
  /** Values in its title, e.g. `{ language: 'german' }`. */
  readonly words: Readonly<Record<string, string>>;
  /** Belongs to one person: answered to members only, and never cached. */
  readonly isPersonal: boolean;
  /** Whether it includes offline performers. */
  readonly withOffline: boolean;
}

/** A slug of a tag, a role or a studio: what a path may hold. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/u;
const VOYEUR_ROOMS = ['bedroom', 'kitchen', 'shower'] as const;

type Parts = Partial<Omit<Listing, 'kind' | 'path'>>;

const listing = (kind: ListingKind, path: string, parts: Parts = {}): Listing => ({
  kind,
  path,
  gender: null,
  filter: {},
  sort: 'recommended',
  perPage: LISTING_PAGE,
  isInfinite: false,
  words: {},
  isPersonal: false,
  withOffline: false,
  ...parts,
});

/** Performers whom the home page may show: those who do not opt out (`show_home`). */
export const ON_HOME: Filter = { isOnHome: true };

/** Listings below a gender's section: the part after `/girls/`. */
function belowGender(gender: GenderCode, path: string, rest: readonly string[]): Listing | null {
  const make = (kind: ListingKind, parts: Parts = {}): Listing =>
    listing(kind, path, { ...parts, gender, filter: { ...parts.filter, genders: [gender] } });
  const [first, second, third, fourth, ...more] = rest;
  if (more.length > 0) return null;
  switch (first) {
    case undefined:
      return make('gender');
    case 'new':
      return second === undefined ? make('new', { filter: { isNew: true }, sort: 'newest' }) : null;
    case 'top-rated':
      return second === undefined ? make('topRated', { filter: { isRated: true }, sort: 'rating' }) : null;
    case 'control-her':
      return second === undefined ? make('controlHer', { filter: { show: 'control' } }) : null;
    case 'leaders':
      return second === undefined ? make('leaders', { sort: 'viewers', perPage: TOP_PAGE }) : null;
    case 'language': {
      if (second === undefined || third !== undefined || !Object.hasOwn(LANGUAGE_SLUGS, second)) return null;
      const code = LANGUAGE_SLUGS[second as keyof typeof LANGUAGE_SLUGS];
      return make('language', { filter: { languages: [code] }, words: { language: code } });
    }
    case 'region': {
      const region = BROWSE_REGIONS.find((text) => text === second);
      if (!region || third !== undefined) return null;
      return make('region', { filter: { regions: [region] }, words: { region } });
    }
    case 'tag':
      return tagListing(make, [second, third], fourth);
    case 'fanclub':
      return third === undefined ? fanclubListing(make, second) : null;
    case 'private-shows':
      return privateListing(make, [second, third, fourth]);
    default:
      return null;
  }
}

type Make = (kind: ListingKind, parts?: Parts) => Listing;

function tagListing(
  make: Make,
  [term, term2]: readonly (string | undefined)[],
  more: string | undefined,
): Listing | null {
  const tags = [term, term2].filter((item) => item !== undefined);
  if (tags.length === 0 || more !== undefined || !tags.every((tag) => SLUG.test(tag))) return null;
  if (new Set(tags).size < tags.length) return null;
  const words = { tag: tags.map((tag) => tag.replaceAll('-', ' ')).join(' + ') };
  return make('tag', { filter: { tags }, isInfinite: true, perPage: V2_PAGE, words });
}

function privateListing(
  make: Make,
  [first, second, third]: readonly (string | undefined)[],
): Listing | null {
  if (first === undefined) return make('privates', { filter: { show: 'private' } });
  if (first === 'rate') return rateListing(make, second, third);
  if (third !== undefined) return null;
  if (first === 'cam2cam') {
    const filter: Filter = { show: 'cam2cam' };
    if (second === undefined) return make('cam2cam', { filter });
    return second === 'top-rated'
      ? make('cam2camTopRated', { filter: { ...filter, isPrivateRated: true }, sort: 'rating' })
      : null;
  }
  if (second !== undefined) return null;
  switch (first) {
    case 'spy-cam-shows':
      return make('spy', { filter: { show: 'spy' } });
    case 'ticket-cam-shows':
      return make('ticket', { filter: { show: 'ticket' } });
    case 'exclusive-available-now':
      return make('exclusive', { filter: { show: 'exclusive' } });
    case 'top-rated':
      return make('privatesTopRated', { filter: { show: 'private', isPrivateRated: true }, sort: 'rating' });
    default:
      return null;
  }
}

/** All performers with a fan club, live ones first; or only the live ones. */
function fanclubListing(make: Make, which: string | undefined): Listing | null {
  const filter: Filter = { hasFanclub: true };
  if (which === 'all') return make('fanclub', { filter, withOffline: true });
  return which === 'online' ? make('fanclubOnline', { filter }) : null;
}

/** Up to the price in the path; with an end, from that price up to the end. */
function rateListing(make: Make, amount: string | undefined, end: string | undefined): Listing | null {
  const rate = RATE_AMOUNTS.find((item) => String(item) === amount);
  const to = end === undefined ? rate : RATE_ENDS.find((item) => String(item) === end);
  if (rate === undefined || to === undefined || to < rate) return null;
  const from = end === undefined ? 0 : rate;
  const words = { from: String(from), to: String(to) };
  return make('rate', { filter: { show: 'private', privateRate: { from, to } }, sort: 'cheapest', words });
}

/** Roles match in either spelling, of addresses or of accounts: `test-user` and `test_user` are the same. */
function roleListing(role: string): Listing | null {
  const slug = role.replaceAll('_', '-');
  if (!SLUG.test(slug)) return null;
  return listing('role', `/browse-role/${role}`, { filter: { role: slug }, words: { role } });
}

/**
 * The listing of a path such as `girls/language/german` or `/girls/`; null when there is none. Genders hidden
 * in it depend on the viewer: {@link genderHide}.
 */
export function listingOf(given: string): Listing | null {
  const trimmed = given.replaceAll(/^\/+|\/+$/gu, '');
  const path = `/${trimmed}`;
  const parts = trimmed === '' ? [] : trimmed.split('/');
  const [first, second, ...more] = parts;
  if (first === undefined) return listing('home', path);
  const gender = genderOfSlug(first);
  if (gender !== null) return belowGender(gender, path, parts.slice(1));
  if (first === 'browse-role' || first === 'browse-studio') {
    if (second === undefined || more.length > 0) return null;
    if (first === 'browse-role') return roleListing(second);
    if (!SLUG.test(second)) return null;
    return listing('studio', path, { filter: { studio: second }, words: { studio: second } });
  }
  if (first === 'voyeur-cams') return voyeurListing(path, second, more);
  if (second !== undefined) return null;
  return singleListing(first, path);
}

/** Sections all of whose sub-paths are known routes (spec 1 §2). */
const OPEN_SECTIONS: readonly string[] = [GENDER_SLUGS.m, GENDER_SLUGS.t];

/**
 * The listing that the page at a path shows. Below /men and /trans, paths without a listing show that of the
 * section; the calls of listings do not.
 */
export function shownListing(path: string): Listing | null {
  const [section = ''] = path.toLowerCase().split('/').filter((part) => part !== '');
  return listingOf(path) ?? (OPEN_SECTIONS.includes(section) ? listingOf(section) : null);
}

function voyeurListing(path: string, room: string | undefined, more: readonly string[]): Listing | null {
  if (more.length > 0) return null;
  if (room === undefined) {
    return listing('voyeur', path, { filter: { voyeur: 'any' }, words: { room: 'all' } });
  }
  const voyeur = VOYEUR_ROOMS.find((text) => text === room);
  return voyeur ? listing('voyeur', path, { filter: { voyeur }, words: { room } }) : null;
}

/** Tabs of the voyeur rooms, including some named listings. */
const VOYEUR_TABS = [
  { name: 'all', path: '/voyeur-cams' },
  { name: 'bedroom', path: '/voyeur-cams/bedroom' },
  { name: 'kitchen', path: '/voyeur-cams/kitchen' },
  { name: 'shower', path: '/voyeur-cams/shower' },
] as const;
const NAMED_TABS = ['jb-cams', 'julmodels'] as const;

interface Tab {
  /** A text of this slice, or what the site calls it. */
  readonly name: (typeof VOYEUR_TABS)[number]['name'] | { readonly own: OwnNamed };
  readonly path: string;
  readonly isCurrent: boolean;
}

/** The tabs that include a listing; none for most. */
export function voyeurTabs({ kind, path, words }: Listing): readonly Tab[] {
  const named = NAMED_TABS.map((slug) => ({ name: { own: slug }, path: `/${slug}` }));
  if (kind !== 'voyeur' && !named.some((item) => item.path === path)) return [];
  const current = kind === 'voyeur' && words['room'] === 'all' ? VOYEUR_TABS[0].path : path;
  return [...VOYEUR_TABS, ...named].map((item) => ({ ...item, isCurrent: item.path === current }));
}

function singleListing(slug: string, path: string): Listing | null {
  switch (slug) {
    case 'top':
      return listing('top', path, { sort: 'viewers', perPage: TOP_PAGE });
    // Everybody: live performers first, then those who were live.
    case 'models':
      return listing('models', path, { withOffline: true });
    case 'followed':
      return listing('followed', path, { isPersonal: true, withOffline: true });
    case 'for-you':
      return listing('forYou', path, { isPersonal: true });
    case 'view-history':
      return listing('history', path, { isPersonal: true, withOffline: true });
    case 'independent-romanian':
      return listing('independentRomanian', path, { filter: { countries: ['RO'], isIndependent: true } });
    // Both are aliases of the voyeur rooms (spec 3 §2).
    case 'reallifecam':
    case 'voyeur-house':
      return listing('voyeur', path, { filter: { voyeur: 'any' }, words: { room: 'all' } });
    default: {
      const data = NAMED_LISTINGS.find((item) => item.slug === slug);
      if (!data) return null;
      const { title, tags, voyeur } = data;
      const filter: Filter = { ...(tags ? { tags } : {}), ...(voyeur ? { voyeur } : {}) };
      const words: Listing['words'] = title === undefined && isOwnNamed(slug)
        ? { own: slug }
        : { title: title ?? slug };
      return listing('named', path, { filter, words });
    }
  }
}

/** Genders a path hides by default (spec 3 §9 "Hidden genders by path"). */
export function hiddenGenders(path: string): readonly GenderCode[] {
  switch (path.replaceAll(/^\/+|\/+$/gu, '')) {
    case 'couples':
      return ['f', 'm', 't'];
    case 'men':
      return ['c', 'f', 't'];
    case 'trans':
      return ['c', 'f', 'm'];
    default:
      return ['m', 't'];
  }
}

/** Parses `gender-hide`, gender codes with commas; ignores unknown codes. Absent: the path's default. */
export function genderHide(path: string, value: string | undefined): readonly GenderCode[] {
  if (value === undefined) return hiddenGenders(path);
  const wanted = value.split(',').map((code) => code.trim().toLowerCase());
  return GENDERS.filter((code) => wanted.includes(code));
}

/**
 * A listing's filter for a viewer who hides these genders. Listings of one gender show it even when hidden,
 * and personal listings ignore hidden genders. Pages do not need it: only the server selects.
 */
export function filterFor(
  { kind, gender, filter, isPersonal }: Listing,
  hidden: readonly GenderCode[],
): Filter {
  const own = kind === 'home' ? ON_HOME : filter;
  return gender !== null || isPersonal || hidden.length === 0 ? own : { ...own, hidden };
}

export const isRegion = (value: string): value is BrowseRegion =>
  (BROWSE_REGIONS as readonly string[]).includes(value);
