import { BROWSE_REGIONS } from '#product/performers/rules.ts';
import { GENDER_SLUGS, LANGUAGE_SLUGS, RATE_AMOUNTS, RATE_ENDS } from './listing/listings.ts';
import { NAMED_LISTINGS } from './listing/named-listings.ts';

/** Performers in one part of the sitemap; the protocol allows ten times as many. */
export const SITEMAP_PART = 5_000;
/** Maximum parts: ten million performers. */
export const MAX_SITEMAP_PARTS = 2_000;
/** Go-lives in the feed: readers poll often enough to miss none on a quiet site. */
export const FEED_ITEMS = 50;
/** Weeks that a calendar covers: programs read it again every day. */
export const CALENDAR_WEEKS = 4;
/** Entries on one page of the affiliate feed. */
export const AFFILIATE_PAGE = 100;
export const MAX_AFFILIATE_PAGES = 1_000;

/** Size of the image that other sites show beside a link (Open Graph's usual 1.91:1). */
export const SHARE_WIDTH = 1_200;
export const SHARE_HEIGHT = 630;
/** Default size of an embedded player, unless the embedding page requests a smaller one. */
export const EMBED_WIDTH = 640;
export const EMBED_HEIGHT = 360;
/** Narrower frames show nothing useful. */
export const MIN_EMBED_WIDTH = 200;

/** Tracking ids in affiliates' links (spec 1 §2 "Query parameters read"). */
export const TRACKING_IDS = [
  'advert_id',
  'id',
  'wid',
  'aclid',
  'gclid',
  'vclid',
  'msclkid',
  'ad_id',
  'cmp',
  'u1',
  'u2',
  'u3',
  'u4',
  'sitecode',
  't',
  'type',
] as const;

/** Listings below a gender's section whose address has no free word. */
const BELOW_GENDER: readonly string[] = [
  '',
  '/new',
  '/top-rated',
  '/control-her',
  '/leaders',
  '/private-shows',
  '/private-shows/top-rated',
  '/private-shows/cam2cam',
  '/private-shows/cam2cam/top-rated',
  '/private-shows/spy-cam-shows',
  '/private-shows/ticket-cam-shows',
  '/private-shows/exclusive-available-now',
  '/fanclub/all',
  '/fanclub/online',
  ...Object.keys(LANGUAGE_SLUGS).map((slug) => `/language/${slug}`),
  ...BROWSE_REGIONS.map((region) => `/region/${region}`),
  ...RATE_AMOUNTS.flatMap((from) => [
    `/private-shows/rate/${from}`,
    ...RATE_ENDS.filter((to) => to > from).map((to) => `/private-shows/rate/${from}/${to}`),
  ]),
];

/** Aliases of the voyeur rooms, with `/voyeur-cams` as their canonical address. */
export const ALIASES: Readonly<Record<string, string>> = {
  '/reallifecam': '/voyeur-cams',
  '/voyeur-house': '/voyeur-cams',
};

/** Every listing that is for everybody and has a fixed address, without duplicates. */
export const PUBLIC_LISTINGS: readonly string[] = [
  '/',
  '/top',
  '/models',
  '/independent-romanian',
  '/voyeur-cams',
  '/voyeur-cams/bedroom',
  '/voyeur-cams/kitchen',
  '/voyeur-cams/shower',
  ...NAMED_LISTINGS.map(({ slug }) => `/${slug}`),
  ...Object.values(GENDER_SLUGS).flatMap((slug) => BELOW_GENDER.map((rest) => `/${slug}${rest}`)),
];
