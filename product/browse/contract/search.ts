import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { SocialMedia } from '#product/accounts/contract/current-user.ts';
import { performerUnknown } from '#product/compliance/contract.ts';
import { ProfilePicture } from '#product/performers/contract/pictures.ts';
import { z } from 'zod';
import { BrowseData, ListingEntry } from '../contract.ts';
import { MAX_SAVED_SEARCHES, MAX_SEARCH_NAME, MAX_SUGGESTIONS } from '../rules/search/facets.ts';

export const performerGone = refusal({
  slice: 'browse',
  code: 'performer_gone',
  kind: 'gone',
  description: 'The performer of this name deleted their account for good.',
});

/** How many performers a filter would leave, by category and value of the advanced search (spec 3 §3). */
export const Counts = z.object({
  controlHerRate: z.record(z.string(), z.int()),
  gender: z.record(z.string(), z.int()),
  language: z.record(z.string(), z.int()),
  location: z.record(z.string(), z.int()),
  privateRate: z.record(z.string(), z.int()),
  tag: z.record(z.string(), z.int()),
});
export type CountsView = z.infer<typeof Counts>;

/** Parameters of the advanced search (spec 3 §3); lists are separated by commas. Empty ones are ignored. */
export const SearchQuery = z.object({
  lang: z.string().max(60).optional(),
  source: z.string().max(24).optional(),
  perPage: z.int().min(1).max(98).optional(),
  tag: z.string().max(160).optional(),
  rate: z.string().max(12).optional(),
  region: z.string().max(90).optional(),
  chRate: z.string().max(12).optional(),
  p: z.int().min(1).max(1_000).optional(),
  newSort: z.string().max(16).optional(),
  'gender-hide': z.string().max(16).optional(),
  gender: z.string().max(16).optional(),
  /** Words and names; `-word` excludes. */
  q: z.string().max(120).optional(),
});

export const multiFilter = call({
  name: 'browse.multiFilter',
  method: 'GET',
  path: '/browse/react/multi-filter',
  access: 'anyone',
  credential: 'cookie',
  input: SearchQuery,
  output: BrowseData.extend({
    kind: z.literal('search'),
    counts: Counts,
    /** For each category with a filter: the number of performers without that filter. */
    withoutFilter: z.record(z.string(), z.int()),
  }),
  refusals: [],
  summary: 'Advanced search, with counts of what each further filter would leave',
  description: '60 a page unless `perPage` says otherwise. `source` is gender slugs, `newSort` an order. '
    + 'Within one category any value is enough; the categories must all hold. The counts of a category '
    + 'leave its own filter out. Words in `q` are looked for in names, topics and tags, typing errors '
    + 'included; who is offline is found by name, after everybody else.',
  requirements: ['C-254'],
});

export const getBio = call({
  name: 'browse.getBio',
  method: 'GET',
  path: '/browse/bio/:username',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: z.string().max(40) }),
  output: z.object({
    performer: ListingEntry,
    /** Plain text; line breaks matter. */
    about: z.string(),
    /** Works for the site. Absent means no. */
    isStaff: z.boolean().optional(),
    /** Tokens a minute; null when not offered. */
    exclusivePrice: z.int().nullable(),
    controlRate: z.int().nullable(),
    offersCam2Cam: z.boolean(),
    /** Whether they say that several people are on camera: their setting `broadcast_category`. */
    isGroup: z.boolean(),
    /** The next planned times live, ISO 8601, at most seven. */
    schedule: z.array(z.object({ startsAt: z.string(), endsAt: z.string() })),
    /** Whether calendars may read the schedule: only of performers shown in every region. */
    hasCalendar: z.boolean(),
    /** Their pages on other sites. */
    socialMedia: SocialMedia,
    pictures: z.array(ProfilePicture),
    /** Slugs of the studio and role listings they are in. */
    studio: z.string().nullable(),
    roleList: z.array(z.string()),
    /** Addresses of those listings that have performers now. */
    peopledList: z.array(z.string()),
  }),
  refusals: [performerUnknown, performerGone],
  summary: 'What a performer says of themselves, at length',
  description: 'For the page `/{username}/bio`. Hidden and unknown performers get one answer.',
  requirements: ['B-071'],
});

export const Suggestion = z.object({
  kind: z.enum(['performer', 'tag', 'topic']),
  text: z.string(),
  path: z.string(),
  username: z.string().nullable(),
  thumbUrl: z.string().nullable(),
  isLive: z.boolean(),
  count: z.int(),
});
export type SuggestionView = z.infer<typeof Suggestion>;

export const suggest = call({
  name: 'browse.suggest',
  method: 'GET',
  path: '/browse/suggest',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ q: z.string().min(1).max(60) }),
  output: z.object({ suggestions: z.array(Suggestion).max(MAX_SUGGESTIONS) }),
  refusals: [],
  summary: 'What somebody may be about to type: performers and tags',
  description: 'Answered from memory, tolerant of typing errors. Only performers this viewer may see; '
    + 'words that the operator banned neither match nor are suggested.',
  requirements: ['C-003'],
});

/** A filter that a member saved, as the query of its address. */
export const SavedSearch = z.object({
  id: z.int(),
  name: z.string(),
  query: z.string(),
  /** Whether the member is notified when a matching performer goes live. */
  notify: z.boolean(),
  createdAt: z.string(),
});
export type SavedSearchView = z.infer<typeof SavedSearch>;

const SavedSearches = z.object({ searches: z.array(SavedSearch).max(MAX_SAVED_SEARCHES) });

export const tooManySearches = refusal({
  slice: 'browse',
  code: 'too_many_searches',
  kind: 'conflict',
  description: 'The member has saved as many searches as there can be.',
});
export const searchEmpty = refusal({
  slice: 'browse',
  code: 'search_empty',
  kind: 'invalid',
  description: 'The search filters nothing.',
});
export const searchUnknown = refusal({
  slice: 'browse',
  code: 'search_unknown',
  kind: 'absent',
  description: 'The member has no saved search of this id.',
});

export const listSearches = call({
  name: 'browse.listSearches',
  method: 'GET',
  path: '/browse/searches',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: SavedSearches,
  refusals: [],
  summary: 'Saved searches',
  description: 'Only the caller’s own, newest first.',
});

export const saveSearch = call({
  name: 'browse.saveSearch',
  method: 'POST',
  path: '/browse/searches',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    name: z.string().trim().min(1).max(MAX_SEARCH_NAME),
    query: z.string().max(600),
    notify: z.boolean(),
  }),
  output: SavedSearches,
  refusals: [tooManySearches, searchEmpty],
  summary: 'Saves a search',
  description: 'The query is that of the page’s address. A name that is there already is replaced. '
    + 'At most 20.',
});

export const deleteSearch = call({
  name: 'browse.deleteSearch',
  method: 'DELETE',
  path: '/browse/searches/:id',
  access: 'member',
  credential: 'cookie',
  input: z.object({ id: z.int().min(1) }),
  output: SavedSearches,
  refusals: [searchUnknown],
  summary: 'Delete a saved search',
  description: 'Only the caller’s own.',
});
