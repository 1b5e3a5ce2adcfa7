import { DAY_MS } from '../../platform/time/units.ts';
import { GENDERS, type GenderCode } from '../accounts/rules.ts';

/** Performers on one page of a listing, and on /top (spec 3 §9). */
export const LISTING_PAGE = 98;
export const TOP_PAGE = 20;
/** Live performers one listing reads at most; milestone 9 brings a directory for more. */
export const MAX_LIVE = 10_000;
/** A performer counts as new this long after signing up. */
const NEW_DAYS = 30;

/** A page of the live directory. */
export interface Listing {
  /** Shows only this gender; null for all that are not hidden. */
  readonly gender: GenderCode | null;
  readonly perPage: number;
}

const LISTINGS: Readonly<Record<string, Listing>> = {
  '': { gender: null, perPage: LISTING_PAGE },
  girls: { gender: 'f', perPage: LISTING_PAGE },
  couples: { gender: 'c', perPage: LISTING_PAGE },
  men: { gender: 'm', perPage: LISTING_PAGE },
  trans: { gender: 't', perPage: LISTING_PAGE },
  top: { gender: null, perPage: TOP_PAGE },
};

const trimmed = (path: string): string => path.replaceAll(/^\/+|\/+$/g, '');

/** The listing of a path such as `girls` or `/girls/`; null when there is none. */
export function listingOf(path: string): Listing | null {
  const name = trimmed(path);
  return Object.hasOwn(LISTINGS, name) ? (LISTINGS[name] ?? null) : null;
}

/** Genders a path hides by default (spec 3 §9 "Hidden genders by path"). */
export function hiddenGenders(path: string): readonly GenderCode[] {
  switch (trimmed(path)) {
    case 'couples': return ['f', 'm', 't'];
    case 'men': return ['c', 'f', 't'];
    case 'trans': return ['c', 'f', 'm'];
    default: return ['m', 't'];
  }
}

/** Parses `gender-hide`, gender codes with commas; ignores unknown codes. Absent: the path's default. */
export function genderHide(path: string, value: string | undefined): readonly GenderCode[] {
  if (value === undefined) return hiddenGenders(path);
  const named = value.split(',').map((code) => code.trim().toLowerCase());
  return GENDERS.filter((code) => named.includes(code));
}

/** Whether a listing shows a gender. A listing of one gender shows it even when it is hidden. */
export function showsGender(
  { gender }: Listing, hidden: readonly GenderCode[], performer: GenderCode | null,
): boolean {
  return gender === null ? performer === null || !hidden.includes(performer) : performer === gender;
}

export interface Ranked {
  readonly performerId: number;
  readonly viewerCount: number;
  readonly startedAt: Date;
}

/** Most viewers first, then who has been live longest, then by id: the same order for everybody. */
export const byRank = (a: Ranked, b: Ranked): number =>
  b.viewerCount - a.viewerCount
  || a.startedAt.getTime() - b.startedAt.getTime()
  || a.performerId - b.performerId;

/** One page, counted from 1, of a sorted list. */
export const pageOf = <T>(sorted: readonly T[], page: number, perPage: number): T[] =>
  sorted.slice((page - 1) * perPage, page * perPage);

export const isNew = (registeredAt: Date, now: Date): boolean =>
  now.getTime() - registeredAt.getTime() < NEW_DAYS * DAY_MS;
