import { z } from 'zod';
import { call } from '../../../platform/contract/call.ts';
import { ListingEntry } from '../contract.ts';
import { HISTORY_CURSOR } from '../rules/history.ts';

export const HistoryEntry = ListingEntry.extend({
  /** When this person was last in the room, and when for the first time; ISO 8601. */
  seenAt: z.string(), firstSeenAt: z.string(),
  /** Whole seconds in the room, of all visits that are over. */
  watchedSeconds: z.int(),
});
export type HistoryEntryView = z.infer<typeof HistoryEntry>;

export const getViewHistory = call({
  name: 'browse.getViewHistory', method: 'GET', path: '/browse/history', access: 'member',
  credential: 'cookie',
  input: z.object({ before: z.string().max(32).regex(HISTORY_CURSOR).optional() }),
  output: z.object({
    /** Whether rooms that this person enters are added. */
    is_on: z.boolean(),
    userList: z.array(HistoryEntry), next: z.string().nullable(),
  }),
  refusals: [],
  summary: 'Rooms one was in',
  description: 'One’s own, the last one first, 48 a page; `next` goes into `before`. Rooms of 90 days, at '
    + 'most 500. Without whom this viewer hides or may not perceive now, so that a page may be short.',
  requirements: ['B-073'],
});

const change = { method: 'POST', access: 'member', credential: 'cookie', refusals: [] } as const;
export const clearViewHistory = call({
  ...change, name: 'browse.clearViewHistory', path: '/browse/history/clear', input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  summary: 'Clear one’s history', description: 'All of it is deleted for good.',
  requirements: ['B-073'],
});
export const saveViewHistory = call({
  ...change, name: 'browse.saveViewHistory', path: '/browse/history/setting',
  input: z.object({ is_on: z.boolean() }), output: z.object({ status: z.literal(1), is_on: z.boolean() }),
  summary: 'Turn one’s history on or off',
  description: 'While it is off nothing is written. What is in it stays until it is cleared or too old.',
  requirements: ['B-073'],
});
