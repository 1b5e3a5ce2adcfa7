import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { GENDERS } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { FEED_KINDS, MAX_FEED_PAGES } from '../rules/popular/feed.ts';

export const feedUnknown = refusal({
  slice: 'browse',
  code: 'feed_unknown',
  kind: 'absent',
  description: 'There is no feed of this name: the four are girls, couples, men and trans.',
});

export const FeedItem = z.object({
  id: z.int(),
  /** What happened; `live`: somebody went live; `post`: they published a post that everybody reads. */
  kind: z.enum(FEED_KINDS),
  /** ISO 8601. */
  at: z.string(),
  /** Posts only: the post's id, and its text as lines. */
  post: z.object({ id: z.int(), body: z.string() }).nullable(),
  performer: z.object({
    id: z.int(),
    username: z.string(),
    displayName: z.string(),
    gender: z.enum(GENDERS).nullable(),
    thumbUrl: z.string().nullable(),
    /** Whether they are live now, with which topic, and with how many viewers. */
    isLive: z.boolean(),
    subjectText: z.string(),
    viewerCount: z.int(),
  }),
});
export type FeedItemView = z.infer<typeof FeedItem>;

export const getFeed = call({
  name: 'browse.getFeed',
  method: 'GET',
  path: '/feed/:gender',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    gender: z.string().max(24),
    page: z.int().min(1).max(MAX_FEED_PAGES).optional(),
  }),
  output: z.object({
    items: z.array(FeedItem),
    page: z.int(),
    /** The page after this one; null after the last. */
    next: z.int().nullable(),
  }),
  refusals: [feedUnknown],
  summary: 'What happened lately, of one gender',
  requirements: ['C-273'],
  description: '`gender` is `girls`, `couples`, `men` or `trans`. 20 a page, newest first, of the last 30 '
    + 'days. Only performers this viewer may see and does not hide.',
});
