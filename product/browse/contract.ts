import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { GENDERS } from '#product/accounts/rules.ts';
import { AGE_RANGES, BROWSE_REGIONS, ETHNICITIES, VOYEUR_ROOMS } from '#product/performers/rules.ts';
import { CHAT_STATUSES } from '#product/rooms/rules.ts';
import { z } from 'zod';
import { BECAUSE } from './rules/listing/for-you.ts';
import { LISTING_KINDS, LISTING_PAGE, MAX_PAGES, MODEL_SHOWS_PAGE } from './rules/listing/listings.ts';
import { REASONS, SORTS } from './rules/listing/ranking.ts';

export const listingUnknown = refusal({
  slice: 'browse',
  code: 'listing_unknown',
  kind: 'absent',
  description: 'There is no such listing.',
});
export const personalListing = refusal({
  slice: 'browse',
  code: 'personal_listing',
  kind: 'denied',
  description: 'The listing is one person’s own: it needs a log-in.',
});

export const ListingEntry = z.object({
  id: z.int(),
  username: z.string(),
  displayName: z.string(),
  gender: z.string().nullable(),
  status: z.enum(CHAT_STATUSES),
  subjectText: z.string(),
  viewerCount: z.int(),
  languages: z.array(z.string()),
  tagList: z.array(z.string()),
  thumbUrl: z.string().nullable(),
  /**
   * The live thumbnail; its address changes with it, at most every 15 s. Null without a public thumbnail, and
   * behind a camera password.
   */
  liveThumbUrl: z.string().nullable(),
  /** Flags that a tile may show: `new`, `voyeur`, `cam2cam`, `control`, `goal`, `independent`. */
  isNew: z.boolean(),
  flagList: z.array(z.string()),
  region: z.enum(BROWSE_REGIONS).nullable(),
  country: z.string().nullable(),
  ageRange: z.enum(AGE_RANGES).nullable(),
  ethnicity: z.enum(ETHNICITIES).nullable(),
  voyeur: z.enum(VOYEUR_ROOMS).nullable(),
  /** Tokens a minute; null when not offered. */
  privatePrice: z.int().nullable(),
  spyPrice: z.int().nullable(),
  rating: z.number().nullable(),
  followers: z.int(),
  /** Why the ranking put the performer here, at most two. Empty in orders that need no explanation. */
  reasons: z.array(z.enum(REASONS)),
  /**
   * In `for-you` alone: the viewer's own choices behind this entry, weightiest first. `value` is the name of
   * a performer they follow, or a tag they watch. At most two together with `reasons`.
   */
  because: z.array(z.object({ kind: z.enum(BECAUSE), value: z.string().nullable() })).optional(),
  /** When an offline performer was last online, ISO 8601. Null while online. */
  lastLiveAt: z.string().nullable(),
});
export type ListingEntryView = z.infer<typeof ListingEntry>;

/** Title, description and similar texts of a page, in the language of the request (spec 3 §3). */
export const ListingSeo = z.object({
  metaTitle: z.string(),
  metaDescription: z.string(),
  h1: z.string(),
  description: z.string(),
  headerHtml: z.string(),
  footerHtml: z.string(),
  breadcrumbList: z.array(z.object({ name: z.string(), path: z.string() })),
  relatedLinks: z.array(z.object({ name: z.string(), path: z.string() })),
});

export const BrowseData = z.object({
  userList: z.array(ListingEntry),
  /** Performers to offer where `userList` is empty, at most 12. Empty otherwise. */
  alternativeUserList: z.array(ListingEntry),
  totalCount: z.int(),
  perPageCount: z.int(),
  page: z.int(),
  responseCode: z.int(),
  isSearchEmpty: z.boolean(),
  /** The address that replaced this one; null if none did. */
  redirect: z.string().nullable(),
  /** True where this viewer turned "for you" off: nobody is listed. */
  isOff: z.boolean().optional(),
  kind: z.enum(LISTING_KINDS),
  sort: z.enum(SORTS),
  /** Tabs of pages that have some, e.g. the rooms of voyeur cams. */
  tabList: z.array(z.object({ name: z.string(), path: z.string(), isCurrent: z.boolean() })),
  seo: ListingSeo,
  /** On pages of a section and of everybody: addresses of all listings that have performers. */
  exploreList: z.array(z.string()).optional(),
});
export type BrowseDataView = z.infer<typeof BrowseData>;

/** Filters that every listing takes besides its path. Lists are separated by commas. */
const ListingQuery = z.object({
  path: z.string().max(120),
  p: z.int().min(1).max(MAX_PAGES).optional(),
  /** Entries to skip, in place of `p`: for pages that add entries while scrolling. */
  from: z.int().min(0).max(MAX_PAGES * LISTING_PAGE).optional(),
  'gender-hide': z.string().max(16).optional(),
  perPage: z.int().min(1).max(LISTING_PAGE).optional(),
  sort: z.enum(SORTS).optional(),
  /** Fixes the random order; any whole number of 31 bits. */
  seed: z.int().min(0).max(2_147_483_647).optional(),
  lang: z.string().max(60).optional(),
  region: z.string().max(90).optional(),
  tag: z.string().max(160).optional(),
  age: z.string().max(60).optional(),
  ethnicity: z.string().max(90).optional(),
  country: z.string().max(24).optional(),
  /** Only performers with a running goal. */
  goal: z.literal('1').optional(),
  /** A price range in tokens a minute, `12-60`. */
  rate: z.string().max(12).optional(),
  /** For the home page: omits performers shown above its listing, on the first page without filters. */
  without: z.literal('top').optional(),
});

export const browseLive = call({
  name: 'browse.browseLive',
  method: 'GET',
  path: '/browse/react/*',
  access: 'anyone',
  credential: 'cookie',
  input: ListingQuery,
  output: BrowseData,
  refusals: [listingUnknown, personalListing],
  summary: 'A listing of live performers',
  description: 'The path is that of the page, without its first slash: `` (all), `girls`, '
    + '`girls/language/german`, `top`. 98 a page, 20 for top. By the published ranking unless `sort` says '
    + 'otherwise. Only performers this viewer may see, counts included.',
  requirements: ['A-306'],
});

export const browseMore = call({
  name: 'browse.browseMore',
  method: 'GET',
  path: '/browse/react/v2/*',
  access: 'anyone',
  credential: 'cookie',
  input: ListingQuery,
  output: BrowseData,
  refusals: [listingUnknown, personalListing],
  summary: 'A listing for pages that add to it while one scrolls',
  description: 'As browse/react, 40 entries at first. `perPage` up to 98; page `p` of that size, or what '
    + 'comes `from` so many on.',
  requirements: ['C-249'],
});

/** A recorded ticket show in a list. */
const ModelShow = z.object({
  id: z.int(),
  performer: z.object({
    username: z.string(),
    displayName: z.string(),
    gender: z.string().nullable(),
    thumbUrl: z.string().nullable(),
    status: z.enum(CHAT_STATUSES),
    /** The performer offers a ticket show now, or is in one. */
    hasTicketShow: z.boolean(),
  }),
  /** The topic of the show. */
  limited_message: z.string(),
  started_at: z.string(),
  seconds: z.int(),
  /** Price of the recording in the show, in tokens. */
  recording_price: z.int(),
  /** This viewer bought the recording, or gave the show. */
  may_watch: z.boolean(),
});
export type ModelShowView = z.infer<typeof ModelShow>;

export const getModelShows = call({
  name: 'browse.getModelShows',
  method: 'GET',
  path: '/user/model_shows',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    /** The client that asks: pages send `react`. */
    type: z.literal('react').optional(),
    gender: z.enum(GENDERS).optional(),
    /** Only shows before this id: `next` of the previous page. */
    before: z.int().positive().optional(),
  }),
  output: z.object({ shows: z.array(ModelShow).max(MODEL_SHOWS_PAGE), next: z.int().nullable() }),
  refusals: [],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'Recorded ticket shows',
  description: 'Newest first, of performers this viewer may see and does not hide. A recording is '
    + 'sold in its show alone: `may_watch` says whether this viewer has it.',
  requirements: ['C-253', 'B-047'],
});
