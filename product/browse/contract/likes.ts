import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { CHAT_STATUSES } from '#product/rooms/rules.ts';
import { z } from 'zod';
import { CONTEST_BOARDS, LIKES_PER_DAY, MAX_CONTEST_PAGES } from '../rules/popular/likes.ts';

export const likeTargetUnknown = refusal({
  slice: 'browse',
  code: 'like_target_unknown',
  kind: 'absent',
  description: 'There is no such performer for this viewer.',
});
export const ownLike = refusal({
  slice: 'browse',
  code: 'own_like',
  kind: 'denied',
  description: 'Nobody likes themselves.',
});
export const likedToday = refusal({
  slice: 'browse',
  code: 'liked_today',
  kind: 'conflict',
  description: 'One like a day (UTC) for each performer.',
});
export const likesUsedUp = refusal({
  slice: 'browse',
  code: 'likes_used_up',
  kind: 'limited',
  description: `${LIKES_PER_DAY} likes a day at most.`,
});
export const contestUnknown = refusal({
  slice: 'browse',
  code: 'contest_unknown',
  kind: 'absent',
  description: 'There is no such contest, or no such gender.',
});

/** The card of a top user (spec 2 §3.9). */
const TopUser = z.object({
  id: z.int(),
  username: z.string(),
  displayName: z.string(),
  thumbUrl: z.string().nullable(),
  status: z.enum(CHAT_STATUSES),
  /** For admins only: how many people came through this person. Null for everybody else; not counted yet. */
  refererCount: z.int().nullable(),
  /** Images and videos; empty until performers can sell them. */
  userMediaTopList: z.array(z.object({ id: z.int(), thumbUrl: z.string() })),
});
export const BoardPlace = TopUser.extend({ position: z.int(), likes: z.int() });
export type BoardPlaceView = z.infer<typeof BoardPlace>;

export const getLikes = call({
  name: 'browse.getLikes',
  method: 'GET',
  path: '/user/like',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Of this month, at most 20. */
    leaderboard: z.array(BoardPlace.extend({
      /** Whether this person liked them today. */
      isLiked: z.boolean(),
    })),
    /** The most liked of each of the last twelve months, `YYYY-MM`; months without likes are left out. */
    past_winners: z.array(TopUser.extend({ month: z.string(), likes: z.int() })),
    /** Likes this month: received by a performer, given by anybody else. Null for guests. */
    user_like_count: z.int().nullable(),
    /** A performer’s position among those this viewer may perceive; null without a like. */
    user_position: z.int().nullable(),
    month: z.string(),
  }),
  refusals: [],
  summary: 'Who is most liked this month, and who was',
  requirements: ['B-131', 'B-174', 'B-330'],
  description: 'Only performers this viewer may see; months are UTC. Of two with as many likes, who had them '
    + 'first stands first.',
});
export type LikesView = z.infer<typeof getLikes.output>;

export const giveLike = call({
  name: 'browse.giveLike',
  method: 'POST',
  path: '/user/like/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: z.string().max(40) }),
  output: z.object({ username: z.string(), likes: z.int() }),
  refusals: [likeTargetUnknown, ownLike, likedToday, likesUsedUp],
  summary: 'Likes a performer',
  requirements: ['B-131'],
  description: `Once a day (UTC) for each performer, ${LIKES_PER_DAY} a day in all. \`likes\` is what they `
    + 'have this month.',
});

export const listContests = call({
  name: 'browse.listContests',
  method: 'GET',
  path: '/contests',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ contests: z.array(z.object({ slug: z.string(), title: z.string() })) }),
  refusals: [],
  summary: 'The contests of the site',
  requirements: ['A-134'],
  description: 'They are data of the site.',
});

export const getContest = call({
  name: 'browse.getContest',
  method: 'GET',
  path: '/contests/:gender/:contest',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    gender: z.string().max(24),
    contest: z.string().max(40),
    board: z.enum(CONTEST_BOARDS).optional(),
    page: z.int().min(1).max(MAX_CONTEST_PAGES).optional(),
  }),
  output: z.object({
    slug: z.string(),
    title: z.string(),
    board: z.enum(CONTEST_BOARDS),
    places: z.array(BoardPlace),
    totalCount: z.int(),
    page: z.int(),
    perPageCount: z.int(),
  }),
  refusals: [contestUnknown],
  summary: 'The board of a contest, of one gender',
  requirements: ['B-041', 'B-042', 'B-043', 'B-044'],
  description: '`gender` is `girls`, `couples`, `men` or `trans`. By likes: of this month, of the last '
    + '`30days`, or `top2000`, the first 2,000 of all time. 50 a page. Only performers this viewer may see.',
});
export type ContestView = z.infer<typeof getContest.output>;
