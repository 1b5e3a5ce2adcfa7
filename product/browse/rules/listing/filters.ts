import { DAY_MS } from '../../../../platform/time/units.ts';
import type { GenderCode } from '../../../accounts/rules.ts';
import type { AgeRange, BrowseRegion, Ethnicity, VoyeurRoom } from '../../../performers/rules.ts';
import type { DirectoryEntry } from './entry.ts';

/** A performer counts as new this long after signing up. */
export const NEW_DAYS = 30;
/** Terms of one search or tag filter at most. */
export const MAX_TERMS = 8;

export type ShowFilter = 'any' | 'private' | 'spy' | 'ticket' | 'exclusive' | 'cam2cam' | 'control';

/** From and to are inclusive, in tokens a minute. */
export interface RateRange {
  readonly from: number;
  readonly to: number;
}

/** What a listing shows. Every part that is given must hold; an absent part excludes nobody. */
export interface Filter {
  /** Only these genders. A performer without one is in no gender's listing. */
  readonly genders?: readonly GenderCode[];
  /** Not these genders: what a visitor hides. */
  readonly hidden?: readonly GenderCode[];
  /** ISO 639-1; any of them is enough. */
  readonly languages?: readonly string[];
  readonly regions?: readonly BrowseRegion[];
  readonly countries?: readonly string[];
  /** All of them. */
  readonly tags?: readonly string[];
  /** None of them. */
  readonly withoutTags?: readonly string[];
  readonly ageRanges?: readonly AgeRange[];
  readonly ethnicities?: readonly Ethnicity[];
  readonly privateRate?: RateRange;
  readonly controlRate?: RateRange;
  readonly show?: ShowFilter;
  readonly role?: string;
  readonly studio?: string;
  readonly isNew?: boolean;
  readonly isRated?: boolean;
  readonly isPrivateRated?: boolean;
  readonly isIndependent?: boolean;
  readonly hasGoal?: boolean;
  /** A voyeur room of this kind, or of any. */
  readonly voyeur?: VoyeurRoom | 'any';
  /** Only these performers. */
  readonly ids?: ReadonlySet<number>;
  /** Not these performers: whom a viewer hides. */
  readonly withoutIds?: ReadonlySet<number>;
  /** This filter must hold as well: what a visitor adds to a listing. */
  readonly also?: Filter;
}

export const isNew = (registeredAt: number, now: number): boolean => now - registeredAt < NEW_DAYS * DAY_MS;

const within = (price: number | null, { from, to }: RateRange): boolean =>
  price !== null && price >= from && price <= to;

const offers = (entry: DirectoryEntry, show: ShowFilter): boolean => {
  switch (show) {
    case 'any': return true;
    case 'private': return entry.privatePrice !== null;
    case 'spy': return entry.spyPrice !== null && entry.status === 'private';
    case 'ticket': return entry.status === 'limited';
    case 'exclusive': return entry.exclusivePrice !== null && entry.status === 'online';
    case 'cam2cam': return entry.offersCam2Cam;
    case 'control': return entry.controlRate !== null;
  }
};

/** One predicate for a filter; `now` in milliseconds decides who is new. */
export function matcherOf(filter: Filter, now: number): (entry: DirectoryEntry) => boolean {
  const tests: ((entry: DirectoryEntry) => boolean)[] = [];
  const some = <T>(
    wanted: readonly T[] | undefined, has: (entry: DirectoryEntry, one: T) => boolean,
  ): void => {
    if (wanted) tests.push((entry) => wanted.some((one) => has(entry, one)));
  };
  const all = (wanted: boolean | undefined, has: (entry: DirectoryEntry) => boolean): void => {
    if (wanted) tests.push(has);
  };
  some(filter.genders, (entry, one) => entry.gender === one);
  const { hidden, tags, withoutTags, privateRate, controlRate, show, role, studio, voyeur } = filter;
  if (hidden?.length) tests.push(({ gender }) => gender === null || !hidden.includes(gender));
  some(filter.languages, (entry, one) => entry.languages.includes(one));
  some(filter.regions, (entry, one) => entry.region === one);
  some(filter.countries, (entry, one) => entry.country === one);
  some(filter.ageRanges, (entry, one) => entry.ageRange === one);
  some(filter.ethnicities, (entry, one) => entry.ethnicity === one);
  if (tags?.length) tests.push((entry) => tags.every((tag) => entry.tags.includes(tag)));
  if (withoutTags?.length) tests.push((entry) => !withoutTags.some((tag) => entry.tags.includes(tag)));
  if (privateRate) tests.push((entry) => within(entry.privatePrice, privateRate));
  if (controlRate) tests.push((entry) => within(entry.controlRate, controlRate));
  if (show && show !== 'any') tests.push((entry) => offers(entry, show));
  if (role !== undefined) tests.push((entry) => entry.roles.includes(role));
  if (studio !== undefined) tests.push((entry) => entry.studio === studio);
  if (voyeur !== undefined)
    tests.push((entry) => (voyeur === 'any' ? entry.voyeur !== null : entry.voyeur === voyeur));
  all(filter.isNew, (entry) => isNew(entry.registeredAt, now));
  all(filter.isRated, (entry) => entry.rating !== null);
  all(filter.isPrivateRated, (entry) => entry.privateRating !== null);
  all(filter.isIndependent, (entry) => entry.isIndependent);
  all(filter.hasGoal, (entry) => entry.goal !== null);
  const { ids, withoutIds, also } = filter;
  if (ids) tests.push((entry) => ids.has(entry.id));
  if (withoutIds?.size) tests.push((entry) => !withoutIds.has(entry.id));
  if (also) tests.push(matcherOf(also, now));
  return (entry) => {
    for (const test of tests) if (!test(entry)) return false;
    return true;
  };
}
