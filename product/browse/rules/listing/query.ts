import { AGE_RANGES, BROWSE_REGIONS, ETHNICITIES } from '#product/performers/rules.ts';
import { MAX_TERMS, type Filter, type RateRange } from './filters.ts';
import { LANGUAGE_SLUGS } from './listings.ts';

/** What an address may add to a listing (query of `browse/react/*`), unparsed. Lists have commas. */
export interface ListingQuery {
  readonly lang?: string | undefined;
  readonly region?: string | undefined;
  readonly tag?: string | undefined;
  readonly age?: string | undefined;
  readonly ethnicity?: string | undefined;
  readonly country?: string | undefined;
  readonly goal?: '1' | undefined;
  readonly rate?: string | undefined;
}

/** The terms of a list with commas, in lower case, each once. */
export const termsOf = (list: string | undefined): string[] =>
  [...new Set((list ?? '').split(',').map((term) => term.trim().toLowerCase()).filter((term) => term !== ''))]
    .slice(0, MAX_TERMS);

const CODES: ReadonlySet<string> = new Set(Object.values(LANGUAGE_SLUGS));

/** Codes of languages, given as codes or as slugs; unknown ones are left out. */
export function languagesOf(list: string | undefined): string[] {
  const codes = termsOf(list).flatMap((term) => {
    if (CODES.has(term)) return [term];
    return Object.hasOwn(LANGUAGE_SLUGS, term) ? [LANGUAGE_SLUGS[term as keyof typeof LANGUAGE_SLUGS]] : [];
  });
  return [...new Set(codes)];
}

/** Terms as slugs of tags; characters that a slug cannot contain become hyphens. */
export const tagsOf = (list: string | undefined): string[] => [
  ...new Set(
    termsOf(list)
      .map((term) => term.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/gu, ''))
      .filter((tag) => tag !== ''),
  ),
];

const COUNTRY = /^[A-Z]{2}$/u;
const RATE = /^(\d{1,6})-(\d{1,6})$/u;

/** `12-60`, from and to inclusive; null for anything else. */
export function rateOf(value: string | undefined): RateRange | null {
  const [, from, to] = RATE.exec(value?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || Number(from) > Number(to)) return null;
  return { from: Number(from), to: Number(to) };
}

const among = <T extends string>(known: readonly T[], list: string | undefined): T[] => {
  const terms = termsOf(list);
  return known.filter((item) => terms.includes(item));
};

/**
 * The filter of a query. Unknown values are left out. A part without any known value filters nothing, so that
 * old links still show something.
 */
export function filterOf(
  { lang, region, tag, age, ethnicity, country, goal, rate }: ListingQuery,
): Filter {
  const some = <Key extends keyof Filter>(
    key: Key,
    values: readonly string[],
  ): Partial<Filter> => (values.length === 0 ? {} : { [key]: values });
  const privateRate = rateOf(rate);
  return {
    ...some('languages', languagesOf(lang)),
    ...some('regions', among(BROWSE_REGIONS, region)),
    ...some('tags', tagsOf(tag)),
    ...some('ageRanges', among(AGE_RANGES, age)),
    ...some('ethnicities', among(ETHNICITIES, ethnicity)),
    ...some(
      'countries',
      termsOf(country).map((code) => code.toUpperCase())
        .filter((code) => COUNTRY.test(code)),
    ),
    ...(goal === undefined ? {} : { hasGoal: true }),
    ...(privateRate ? { privateRate } : {}),
  };
}
