import { call } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import { RATINGS_TODAY, VOTES } from '../rules/ratings.ts';

const slice = 'shows';
export const ownRating = refusal({
  slice,
  code: 'own_rating',
  kind: 'denied',
  description: 'Nobody rates themselves.',
});
export const tooFewTips = refusal({
  slice,
  code: 'too_few_tips',
  kind: 'denied',
  description: 'Rating takes 25 tokens (`needed`) tipped to this performer in the last 24 hours; '
    + '`recent_tips` says how many there are.',
});

const Username = z.string().max(64);
const entryRefusals = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;

const OwnRating = z.object({
  username: z.string(),
  /** The caller's vote on the performer today (UTC). */
  rate_today: z.enum(RATINGS_TODAY),
  /** Tokens the caller tipped the performer in the last 24 h. */
  recent_tips: z.int(),
  /** The public rating: 0 to 5 with one decimal; null with fewer than three votes in 90 days. */
  rating: z.number().nullable(),
});
export type OwnRatingView = z.infer<typeof OwnRating>;

export const getOwnRating = call({
  name: 'shows.getOwnRating',
  method: 'GET',
  path: '/rate/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: OwnRating,
  refusals: [...entryRefusals],
  summary: 'How one rated a performer today',
  description: 'What the caller said today, and whether they have tipped enough to say something.',
});

export const ratePerformer = call({
  name: 'shows.ratePerformer',
  method: 'POST',
  path: '/rate/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username, vote: z.enum(VOTES) }),
  output: OwnRating,
  refusals: [...entryRefusals, ownRating, tooFewTips],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Rate a performer',
  description: 'One vote a viewer, performer and UTC day; another vote of the day replaces it. The newest '
    + 'vote of each viewer in 90 days counts. Takes 25 tokens tipped to the performer in 24 hours.',
  requirements: ['B-015', 'B-181', 'B-273'],
});

/** Somebody rated a performer. The vote and the voter stay private. */
export const performerRated = fact({
  name: 'shows.performerRated',
  shape: z.object({ performerId: z.int() }),
  description: 'The rating of a performer may be another one now.',
});
