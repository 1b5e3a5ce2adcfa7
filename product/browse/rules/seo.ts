import { BROWSE_REGIONS, type BrowseRegion } from '#product/performers/rules.ts';
import { LOCALES } from '#product/site/rules.ts';
import { isLinkedTag } from './listing/around.ts';
import { LANGUAGE_SLUGS, listingOf, type Listing } from './listing/listings.ts';
import { isOwnNamed, ownName, type ListingNames } from './listing/named-listings.ts';
import type { Say } from './say.ts';

/** Links to other listings below one: enough to move on, few enough to read. */
export const MAX_RELATED = 14;

export interface SeoLink {
  readonly name: string;
  readonly path: string;
}

/** SEO texts of a listing's page (spec 3 §3 "Browse data"). The HTML is written by this program. */
export interface SeoTexts {
  readonly metaTitle: string;
  readonly metaDescription: string;
  readonly h1: string;
  readonly description: string;
  readonly headerHtml: string;
  readonly footerHtml: string;
  readonly breadcrumbList: readonly SeoLink[];
  readonly relatedLinks: readonly SeoLink[];
}

export interface SeoInput {
  readonly say: Say;
  readonly locale: string;
  /** Performers in the listing, as this viewer sees it. */
  readonly total: number;
  readonly siteName: string;
  /** Names that the site gives some listings. */
  readonly names: ListingNames;
  /** From 1. */
  readonly page?: number;
}

/** Values for the placeholders in a listing's texts. */
function valuesOf(
  listing: Listing,
  say: Say,
  locale: string,
  names: ListingNames,
): Record<string, string> {
  const { gender, words } = listing;
  const { language, region, own } = words;
  const tag = tagWords(listing, say);
  return {
    ...words,
    ...(tag === null ? {} : { tag }),
    ...(own !== undefined && isOwnNamed(own) ? { title: ownName(own, say, names) } : {}),
    ...(gender === null ? {} : { who: say(`listing.who.${gender}`) }),
    ...(language === undefined ? {} : { language: languageName(language, locale) }),
    ...(region === undefined ? {} : { region: say(`listing.from.${region as BrowseRegion}`) }),
  };
}

/** Cached: a listing names fifteen languages, and creating one of these takes longer than the listing. */
const LANGUAGE_NAMES: ReadonlyMap<string, Intl.DisplayNames> = new Map(
  LOCALES.map((locale) => [locale, new Intl.DisplayNames(locale, { type: 'language' })]),
);

/** Name of a language, e.g. `de`, in the language of the page. */
const languageName = (code: string, locale: string): string => LANGUAGE_NAMES.get(locale)?.of(code) ?? code;

const hasNoLeast = ({ kind, words }: Listing): boolean => kind === 'rate' && words['from'] === '0';

/** The meaning in words of a tag from the specification's pages; null for other tags and listings. */
function tagWords({ kind, filter: { tags: [tag = '', ...tags] = [] } }: Listing, say: Say): string | null {
  return kind === 'tag' && tags.length === 0 && isLinkedTag(tag) ? say(`listing.tagged.${tag}`) : null;
}

/** The heading of a listing. */
export function headingOf(listing: Listing, say: Say, locale: string, names: ListingNames): string {
  const { kind, words } = listing;
  const { room } = words;
  const heading = tagWords(listing, say);
  if (heading !== null) {
    return listing.gender === 'f' || listing.gender === null
      ? heading
      : `${heading} · ${say(`listing.who.${listing.gender}`)}`;
  }
  if (hasNoLeast(listing)) return say('listing.rate.upTo', valuesOf(listing, say, locale, names));
  const title = say(`listing.${kind}.title`, valuesOf(listing, say, locale, names));
  return kind === 'voyeur' && room !== 'all'
    ? `${title} · ${say(`listing.room.${room as 'bedroom' | 'kitchen' | 'shower'}`)}`
    : title;
}

/** The heading, extended where the specification gives several listings the same one. */
function titleOf(listing: Listing, { say, locale, names, page = 1 }: SeoInput): string {
  const { kind, gender, words } = listing;
  const heading = headingOf(listing, say, locale, names);
  const isAlike = kind === 'ticket' || kind === 'exclusive';
  const more = isAlike && gender !== null
    ? say(`listing.who.${gender}`)
    : kind === 'studio'
    ? words['studio']
    : undefined;
  const title = more === undefined ? heading : `${heading} · ${more}`;
  return page === 1 ? title : say('seo.page', { title, page });
}

const descriptionOf = (listing: Listing, { say, locale, names }: SeoInput): string =>
  say(`listing.${listing.kind}.text`, valuesOf(listing, say, locale, names));

/** The description of a listing, with its number of live performers. */
export const withTotal = (
  description: string,
  total: number,
  say: Say,
): string => (total === 0 ? description : `${description} ${say('seo.live', { count: total })}`);

/** The texts for the head of a listing's document. */
export function headTexts(listing: Listing, input: SeoInput) {
  const { say, total, siteName } = input;
  const description = descriptionOf(listing, input);
  return {
    metaTitle: say('seo.metaTitle', { title: titleOf(listing, input), site: siteName }),
    metaDescription: withTotal(description, total, say),
    breadcrumbs: breadcrumbsOf(listing, input),
  };
}

/** All texts of a listing. */
export function seoTexts(listing: Listing, input: SeoInput): SeoTexts {
  const { say, locale, siteName, names } = input;
  const { metaTitle, metaDescription, breadcrumbs } = headTexts(listing, input);
  return {
    metaTitle,
    metaDescription,
    h1: headingOf(listing, say, locale, names),
    description: descriptionOf(listing, input),
    headerHtml: '',
    footerHtml: `<p>${escapeHtml(say('seo.footer', { site: siteName }))}</p>`,
    breadcrumbList: breadcrumbs,
    relatedLinks: relatedOf(listing, input),
  };
}

/** The site, then every listing above this one, then the listing itself. */
function breadcrumbsOf({ path }: Listing, { say, locale, siteName, names }: SeoInput): SeoLink[] {
  const parts = path.split('/').filter((part) => part !== '');
  const above = parts.map((_, at) => listingOf(parts.slice(0, at + 1).join('/')));
  return [
    { name: siteName, path: '/' },
    ...above.filter((listing) => listing !== null)
      .map((listing) => ({ name: headingOf(listing, say, locale, names), path: listing.path })),
  ];
}

/** Other listings of the same gender, and of the same kind where there are several, e.g. languages. */
function relatedOf(listing: Listing, { say, locale, names }: SeoInput): SeoLink[] {
  const section = listing.path.split('/')[1] ?? '';
  return relatedPaths(listing)
    .map((path) => listingOf(listing.gender === null ? path : `${section}/${path}`))
    .filter((item) => item !== null && item.path !== listing.path)
    .slice(0, MAX_RELATED)
    .map((item) => ({ name: headingOf(item as Listing, say, locale, names), path: (item as Listing).path }));
}

const LANGUAGE_PATHS = Object.keys(LANGUAGE_SLUGS).map((slug) => `language/${slug}`);
const REGION_PATHS = BROWSE_REGIONS.map((region) => `region/${region}`);
const USUAL_PATHS = [
  'new',
  'top-rated',
  'private-shows',
  'private-shows/cam2cam',
  'private-shows/spy-cam-shows',
  'leaders',
  'language/english',
  'language/spanish',
  'language/german',
  'language/french',
  'region/europe',
  'region/usa',
];

function relatedPaths({ kind, gender }: Listing): readonly string[] {
  if (gender === null) return ['girls', 'couples', 'men', 'trans', 'top', 'voyeur-cams'];
  if (kind === 'language') return LANGUAGE_PATHS;
  return kind === 'region' ? REGION_PATHS : USUAL_PATHS;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\'': '&#39;',
};
/** A text escaped for HTML or XML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (letter) => ENTITIES[letter] ?? '');
