import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { ListingEntry } from '../contract.ts';
import { HISTORY_CURSOR } from '../rules/history.ts';

export const HistoryEntry = ListingEntry.extend({
  /** This person's latest and first time in the room, ISO 8601. */
  seenAt: z.string(),
  firstSeenAt: z.string(),
  /** Whole seconds in the room, of all finished visits. */
  watchedSeconds: z.int(),
});
export type HistoryEntryView = z.infer<typeof HistoryEntry>;

export const getViewHistory = call({
  name: 'browse.getViewHistory',
  method: 'GET',
  path: '/browse/history',
  access: 'member',
  credential: 'cookie',
  input: z.object({ before: z.string().max(32).regex(HISTORY_CURSOR).optional() }),
  output: z.object({
    /** Whether rooms are added when this person enters them. */
    is_on: z.boolean(),
    userList: z.array(HistoryEntry),
    next: z.string().nullable(),
  }),
  refusals: [],
  summary: 'Rooms one was in',
  description: 'The caller’s own, newest first, 48 a page; `next` goes into `before`. Rooms of 90 days, at '
    + 'most 500. Without performers this viewer hides or may no longer see, so that a page may be short. '
    + 'Nothing is added while they don’t allow `preferences` (POST /consent).',
  requirements: ['B-073'],
});

const change = { method: 'POST', access: 'member', credential: 'cookie', refusals: [] } as const;
export const clearViewHistory = call({
  ...change,
  name: 'browse.clearViewHistory',
  path: '/browse/history/clear',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  summary: 'Clear one’s history',
  description: 'All of it is deleted for good.',
  requirements: ['B-073'],
});
export const saveViewHistory = call({
  ...change,
  name: 'browse.saveViewHistory',
  path: '/browse/history/setting',
  input: z.object({ is_on: z.boolean() }),
  output: z.object({ status: z.literal(1), is_on: z.boolean() }),
  summary: 'Turn one’s history on or off',
  description: 'Nothing is recorded while it is off. Existing entries stay until they are cleared or expire.',
  requirements: ['B-073'],
});

const seconds = z.int();
/** What "for you" has learned about a person, for that person alone. */
export const ForYouLearned = z.object({
  /** Whether time in rooms is learned from; while it is off, nothing learned is used either. */
  learns: z.boolean(),
  /** Whether the person has a "for you" at all. */
  is_shown: z.boolean(),
  /** Most watched first, at most 200. Seconds are those that still count: they halve every three weeks. */
  performerList: z.array(z.object({
    id: z.int(),
    username: z.string(),
    displayName: z.string(),
    seconds,
  })),
  /** Tags of the rooms, at most 100. */
  tagList: z.array(z.object({ tag: z.string(), seconds })),
});
export type ForYouLearnedView = z.infer<typeof ForYouLearned>;

export const getForYouLearned = call({
  name: 'browse.getForYouLearned',
  method: 'GET',
  path: '/browse/for-you/learned',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: ForYouLearned,
  refusals: [],
  summary: 'What “for you” has learned',
  description: 'The caller’s own, without performers the caller hides or may no longer see.',
  requirements: ['B-038'],
});
export const clearForYouLearned = call({
  ...change,
  name: 'browse.clearForYouLearned',
  path: '/browse/for-you/learned/clear',
  input: z.object({}),
  output: ForYouLearned,
  summary: 'Clear what “for you” has learned',
  description: 'All of it is deleted for good. A visit that goes on counts from now.',
  requirements: ['B-038'],
});
export const removeForYouLearned = call({
  ...change,
  name: 'browse.removeForYouLearned',
  path: '/browse/for-you/learned/remove',
  input: z.object({
    performer_id: z.int().min(1).optional(),
    tag: z.string().min(1).max(60).optional(),
  }),
  output: ForYouLearned,
  summary: 'Remove a performer or a tag from what “for you” has learned',
  description: 'Deleted for good; watching again is learned again.',
  requirements: ['B-038'],
});
export const saveForYou = call({
  ...change,
  name: 'browse.saveForYou',
  path: '/browse/for-you/setting',
  input: z.object({ learns: z.boolean().optional(), is_shown: z.boolean().optional() }),
  output: ForYouLearned,
  summary: 'Turn “for you”, or what it learns from, on or off',
  description: 'Fields left out keep their value. What was learned stays until it is cleared or expires.',
  requirements: ['B-038'],
});
