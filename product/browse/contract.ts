import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { refusal } from '../../platform/contract/refusal.ts';
import { CHAT_STATUSES } from '../rooms/rules.ts';

export const listingUnknown = refusal({
  slice: 'browse', code: 'listing_unknown', kind: 'absent', description: 'There is no such listing.',
});

export const ListingEntry = z.object({
  id: z.int(), username: z.string(), displayName: z.string(), gender: z.string().nullable(),
  status: z.enum(CHAT_STATUSES), subjectText: z.string(), viewerCount: z.int(),
  languages: z.array(z.string()), tagList: z.array(z.string()), thumbUrl: z.string().nullable(),
  /**
   * The live thumbnail; changes with it, at most every 15 s. Null without a public one, and behind a camera
   * password.
   */
  liveThumbUrl: z.string().nullable(),
  isNew: z.boolean(), flagList: z.array(z.string()),
});
export type ListingEntryView = z.infer<typeof ListingEntry>;
export const BrowseData = z.object({
  userList: z.array(ListingEntry), totalCount: z.int(), perPageCount: z.int(), page: z.int(),
  responseCode: z.int(), isSearchEmpty: z.boolean(),
});
export type BrowseDataView = z.infer<typeof BrowseData>;

export const browseLive = call({
  name: 'browse.browseLive', method: 'GET', path: '/browse/react/*', access: 'anyone', credential: 'cookie',
  input: z.object({
    path: z.string().max(120), p: z.int().min(1).max(1000).optional(),
    'gender-hide': z.string().max(16).optional(), perPage: z.int().min(1).max(98).optional(),
  }),
  output: BrowseData, refusals: [listingUnknown],
  summary: 'A listing of live performers',
  description: 'Path `` (all), girls, couples, men, trans or top. Most viewers first, 98 a page, 20 for top. '
    + 'Only whom this viewer may perceive, counts included.',
  requirements: ['A-306'],
});
