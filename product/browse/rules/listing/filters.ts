import { DAY_MS } from '#platform/time/units.ts';
import type { GenderCode } from '#product/accounts/rules.ts';
import type { AgeRange, BrowseRegion, Ethnicity, VoyeurRoom } from '#product/performers/rules.ts';
import type { DirectoryEntry } from './entry.ts';

/** A performer counts as new this long after signing up. */
export const NEW_DAYS = 30;
/** Maximum terms of one search or tag filter. */
export const MAX_TERMS = 8;

export type ShowFilter = 'any' | 'private' | 'spy' | 'ticket' | 'exclusive' | 'cam2cam' | 'control';

/** From and to are inclusive, in tokens a minute. */
export interface RateRange {
  readonly from: number;
  readonly to: number;
}

/** What a listing shows. Every part that is given must hold; an absent part excludes nobody. */
export interface Filter {
  /** Only these genders. A performer without a gender is in no gender's listing. */
  readonly genders?: readonly GenderCode[];
  /** Not these genders: the viewer hides them. */
  readonly hidden?: readonly GenderCode[];
  /** ISO 639-1; any of them is enough. */
  readonly languages?: readonly string[];
  readonly regions?: readonly BrowseRegion[];
  readonly countries?: readonly string[];
  /** All of these. */
  readonly tags?: readonly string[];
  /** None of these. */
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
  readonly hasFanclub?: boolean;
  /** Only performers who may be shown on the home page. */
  readonly isOnHome?: boolean;
  /** A voyeur room of this kind, or of any. */
  readonly voyeur?: VoyeurRoom | 'any';
  /** Only these performers. */
  readonly ids?: ReadonlySet<number>;
  /** Not these performers: the viewer hides them. */
  readonly withoutIds?: ReadonlySet<number>;
  /** A second filter that must match as well: the viewer's addition to a listing. */
  readonly also?: Filter;
}

export const isNew = (registeredAt: number, now: number): boolean => now - registeredAt < NEW_DAYS * DAY_MS;

/** What listings filter by and searches count. A performer may have several values of a facet. */
export const FACETS = [
  'gender',
  'language',
  'region',
  'country',
  'ageRange',
  'ethnicity',
  'tag',
  'role',
  'studio',
  'voyeur',
  'trait',
] as const;
export type Facet = (typeof FACETS)[number];
/** Yes-or-no properties of a performer. */
type Trait =
  | Exclude<ShowFilter, 'any'>
  | 'rated'
  | 'privateRated'
  | 'independent'
  | 'goal'
  | 'voyeur'
  | 'fanclub'
  | 'home';
/** Amounts that a range filters; null is in no range. */
export const AMOUNTS = ['privatePrice', 'controlRate', 'registeredAt'] as const;
export type Amount = (typeof AMOUNTS)[number];

/** One condition of a filter. From and to are inclusive. */
export type Condition =
  | { readonly has: 'any' | 'all' | 'none'; readonly facet: Facet; readonly values: readonly string[] }
  | { readonly has: 'amount'; readonly amount: Amount; readonly from: number; readonly to: number }
  | { readonly has: 'id' | 'otherId'; readonly ids: ReadonlySet<number> };

/** Takes private show requests when nothing else runs; nobody does in a voyeur room (spec 2 §5). */
const takesPrivates = ({ privatePrice, voyeur }: DirectoryEntry): boolean =>
  privatePrice !== null && voyeur === null;

const TRAITS: Readonly<Record<Trait, (entry: DirectoryEntry) => boolean>> = {
  private: takesPrivates,
  spy: ({ spyPrice, status, isExclusive }) => spyPrice !== null && status === 'private' && !isExclusive,
  ticket: ({ status }) => status === 'limited',
  exclusive: (entry) =>
    takesPrivates(entry) && entry.exclusivePrice !== null && entry.status === 'online'
    && !entry.hasTicketShow,
  cam2cam: (entry) => takesPrivates(entry) && entry.takesPrivateCameras,
  control: ({ controlRate }) => controlRate !== null,
  rated: ({ rating }) => rating !== null,
  privateRated: ({ privateRating }) => privateRating !== null,
  independent: ({ isIndependent }) => isIndependent,
  goal: ({ goal }) => goal !== null,
  voyeur: ({ voyeur }) => voyeur !== null,
  fanclub: ({ hasFanclub }) => hasFanclub,
  home: ({ isOnHome }) => isOnHome,
};
const TRAIT_NAMES = Object.keys(TRAITS) as Trait[];

/** The values of a facet that a performer has. */
export function facetValues(entry: DirectoryEntry, facet: Facet): readonly string[] {
  const one = (value: string | null): readonly string[] => (value === null ? [] : [value]);
  switch (facet) {
    case 'gender':
    case 'region':
    case 'country':
    case 'ageRange':
    case 'ethnicity':
    case 'studio':
    case 'voyeur':
      return one(entry[facet]);
    case 'language':
      return entry.languages;
    case 'tag':
      return entry.tags;
    case 'role':
      return entry.roles;
    case 'trait':
      return TRAIT_NAMES.filter((trait) => TRAITS[trait](entry));
  }
}

/** A filter as conditions that must all hold; `now` in milliseconds decides who is new. */
export function conditionsOf(filter: Filter, now: number): readonly Condition[] {
  const conditions: Condition[] = [];
  const facet = (has: 'any' | 'all' | 'none', of: Facet, values: readonly string[] | undefined): void => {
    if (values) conditions.push({ has, facet: of, values });
  };
  const trait = (wanted: boolean | undefined, item: Trait): void => {
    if (wanted) facet('any', 'trait', [item]);
  };
  const amount = (of: Amount, { from, to }: RateRange): void => {
    conditions.push({ has: 'amount', amount: of, from, to });
  };
  facet('any', 'gender', filter.genders);
  facet('none', 'gender', filter.hidden);
  facet('any', 'language', filter.languages);
  facet('any', 'region', filter.regions);
  facet('any', 'country', filter.countries);
  facet('any', 'ageRange', filter.ageRanges);
  facet('any', 'ethnicity', filter.ethnicities);
  facet('all', 'tag', filter.tags);
  facet('none', 'tag', filter.withoutTags);
  const { privateRate, controlRate, show, role, studio, voyeur, ids, withoutIds, also } = filter;
  if (privateRate) amount('privatePrice', privateRate);
  if (controlRate) amount('controlRate', controlRate);
  if (show && show !== 'any') trait(true, show);
  if (role !== undefined) facet('any', 'role', [role]);
  if (studio !== undefined) facet('any', 'studio', [studio]);
  if (voyeur === 'any') trait(true, 'voyeur');
  else if (voyeur !== undefined) facet('any', 'voyeur', [voyeur]);
  if (filter.isNew) amount('registeredAt', { from: now - NEW_DAYS * DAY_MS + 1, to: Infinity });
  trait(filter.isRated, 'rated');
  trait(filter.isPrivateRated, 'privateRated');
  trait(filter.isIndependent, 'independent');
  trait(filter.hasGoal, 'goal');
  trait(filter.hasFanclub, 'fanclub');
  trait(filter.isOnHome, 'home');
  if (ids) conditions.push({ has: 'id', ids });
  if (withoutIds) conditions.push({ has: 'otherId', ids: withoutIds });
  return also ? [...conditions, ...conditionsOf(also, now)] : conditions;
}

function holds(condition: Condition, entry: DirectoryEntry): boolean {
  switch (condition.has) {
    case 'id':
      return condition.ids.has(entry.id);
    case 'otherId':
      return !condition.ids.has(entry.id);
    case 'amount': {
      const number = entry[condition.amount];
      return number !== null && number >= condition.from && number <= condition.to;
    }
    case 'all':
    case 'any':
    case 'none': {
      const { has, facet, values } = condition;
      const own = facetValues(entry, facet);
      if (has === 'all') return values.every((value) => own.includes(value));
      return values.some((value) => own.includes(value)) === (has === 'any');
    }
  }
}

/** One predicate for a filter; `now` in milliseconds decides who is new. */
export function matcherOf(filter: Filter, now: number): (entry: DirectoryEntry) => boolean {
  const conditions = conditionsOf(filter, now);
  return (entry) => conditions.every((condition) => holds(condition, entry));
}
