import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { roomBanned } from '#product/rooms/contract.ts';
import { roomPart } from '#product/rooms/rules/room-part.ts';
import { z } from 'zod';

const slice = 'messaging';
export const performerUnknown = refusal({
  slice,
  code: 'performer_unknown',
  kind: 'absent',
  description: 'There is no such performer for this viewer.',
});
export const ownRelation = refusal({
  slice,
  code: 'own_relation',
  kind: 'denied',
  description: 'Nobody follows or hides themselves.',
});
export const followDisabled = refusal({
  slice,
  code: 'follow_disabled',
  kind: 'denied',
  description: 'The performer takes no new followers.',
});
export const tooManyFollowed = refusal({
  slice,
  code: 'too_many_followed',
  kind: 'conflict',
  description: 'This viewer follows as many as one can.',
});
export const tooManyHidden = refusal({
  slice,
  code: 'too_many_hidden',
  kind: 'conflict',
  description: 'This viewer hides as many as one can.',
});

const Follower = z.object({
  /** Followers who began in the last 30 days. */
  countRecent: z.int(),
  countTotal: z.int(),
});

/** Friendship and following between a performer and a viewer of their room. */
export const messagingPart = roomPart({
  key: 'messaging',
  shape: z.object({
    user: z.object({ follower: Follower }),
    auth: z.object({
      friendStatus: z.enum(['CONFIRMED', 'REQUESTED', 'TO_CONFIRM']).nullable(),
      /** Whether this viewer follows the performer. */
      isFollowing: z.boolean(),
      /** Whether this viewer hides the performer from every listing. */
      isHidden: z.boolean(),
      /** How this viewer is notified when the performer goes live. */
      notify: z.object({ isEmailEnabled: z.boolean(), isSmsEnabled: z.boolean(), isWebEnabled: z.boolean() }),
    }),
  }),
  empty: {
    user: { follower: { countRecent: 0, countTotal: 0 } },
    auth: {
      friendStatus: null,
      isFollowing: false,
      isHidden: false,
      notify: { isEmailEnabled: false, isSmsEnabled: false, isWebEnabled: false },
    },
  },
});

/** Clicks by a person, not by a program that inflates numbers. */
const CLICKS = { points: 60, seconds: 60, per: 'caller' } as const;
const ByName = z.object({ username: z.string().max(40) });
/** A viewer's relation to a performer. */
const Relation = z.object({ is_following: z.boolean(), is_hidden: z.boolean(), follower: Follower });
const RelationAnswer = Relation.extend({ status: z.literal(1), username: z.string() });
export type RelationView = z.infer<typeof RelationAnswer>;
const upon = {
  access: 'member',
  credential: 'cookie',
  input: ByName,
  output: RelationAnswer,
  limit: CLICKS,
} as const;

export const countNewFollowers = call({
  name: 'messaging.countNewFollowers',
  method: 'GET',
  path: '/performer/followers/new',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ since: z.iso.datetime() }),
  output: z.object({ count: z.int() }),
  refusals: [],
  summary: 'How many follow since a moment',
  description: 'Who stopped again is not counted; nobody is named.',
});
export const follow = call({
  ...upon,
  name: 'messaging.follow',
  method: 'POST',
  path: '/user/follow/:username',
  refusals: [performerUnknown, ownRelation, followDisabled, tooManyFollowed, roomBanned],
  summary: 'Follow a performer',
  description: 'At most 5,000. Repeating it changes nothing. Following somebody hidden shows them again. '
    + 'Performers this viewer may not see are unknown.',
});
export const unfollow = call({
  ...upon,
  name: 'messaging.unfollow',
  method: 'DELETE',
  path: '/user/follow/:username',
  refusals: [performerUnknown],
  summary: 'No longer follow a performer',
  description: 'Repeating it changes nothing. Of a performer who cannot be perceived any more the counts are '
    + '0.',
});
export const hidePerformer = call({
  ...upon,
  name: 'messaging.hidePerformer',
  method: 'POST',
  path: '/user/hide/:username',
  refusals: [performerUnknown, ownRelation, tooManyHidden],
  summary: 'Hide a performer from every listing',
  description: 'For this viewer alone; at most 2,000. Repeating it changes nothing. Ends following.',
});
export const unhidePerformer = call({
  ...upon,
  name: 'messaging.unhidePerformer',
  method: 'DELETE',
  path: '/user/hide/:username',
  refusals: [performerUnknown],
  summary: 'Show a hidden performer again',
  description: 'Repeating it changes nothing.',
});

export const RelatedPerformer = z.object({
  username: z.string(),
  displayName: z.string(),
  avatarUrl: z.string().nullable(),
  /** When this viewer began to follow, or to hide, the performer; ISO 8601. */
  since: z.string(),
});
export type RelatedPerformerView = z.infer<typeof RelatedPerformer>;
const list = {
  method: 'GET',
  access: 'member',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({
    performers: z.array(RelatedPerformer),
    next: z.int().nullable(),
  }),
  refusals: [],
} as const;
export const listFollowed = call({
  ...list,
  name: 'messaging.listFollowed',
  path: '/user/followed',
  summary: 'Performers the caller follows',
  description: 'The caller’s list, newest first, 50 a page; `next` goes into `before`. Without performers '
    + 'the caller may no longer see, so a page may be short.',
});
export const listHidden = call({
  ...list,
  name: 'messaging.listHidden',
  path: '/user/hidden',
  summary: 'Performers the caller hides',
  description: 'The caller’s list, newest first, 50 a page; `next` goes into `before`. Without performers '
    + 'the caller may no longer see, so a page may be short.',
});

export const friendRequested = event({
  name: 'v3.user_friend.request',
  socket: 'room',
  from: 'server',
  shape: z.object({ user: z.object({ username: z.string() }) }),
  description: 'The performer asks `user` to be her friend. A page of anybody else ignores it.',
  requirements: ['B-357'],
});
export const relationChanged = event({
  name: 'v3.user_follow.changed',
  socket: 'room',
  from: 'server',
  shape: Relation,
  description: 'To the tabs of a viewer who began or ceased to follow or to hide the performer of the room.',
});

const relation = z.object({ performerId: z.int(), username: z.string(), viewerId: z.int() });
export const followed = fact({
  name: 'messaging.followed',
  shape: relation,
  description: 'A viewer began to follow a performer.',
});
export const unfollowed = fact({
  name: 'messaging.unfollowed',
  shape: relation,
  description: 'A viewer ceased to follow a performer.',
});
