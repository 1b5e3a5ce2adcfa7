import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import {
  GROUP_GOAL_ENDS,
  MAX_CONTRIBUTION_TOKENS,
  MAX_GROUP_GOAL_MINUTES,
  MAX_GROUP_GOAL_TITLE,
  MAX_GROUP_GOAL_TOKENS,
  MAX_OWN_CONTRIBUTIONS,
  MIN_GROUP_GOAL_MINUTES,
  MIN_GROUP_GOAL_TOKENS,
} from '../rules/group-goal.ts';

const slice = 'shows';
export const groupGoalTitleEmpty = refusal({
  slice,
  code: 'group_goal_title_empty',
  kind: 'invalid',
  description: 'Nothing is left of the title.',
});
export const groupGoalRunning = refusal({
  slice,
  code: 'group_goal_running',
  kind: 'conflict',
  description: 'A group goal of this performer runs.',
});
export const groupGoalNotLive = refusal({
  slice,
  code: 'group_goal_not_live',
  kind: 'conflict',
  description: 'The performer is offline.',
});
export const groupGoalOver = refusal({
  slice,
  code: 'group_goal_over',
  kind: 'absent',
  description: 'No group goal runs (any more).',
});
export const ownGroupGoal = refusal({
  slice,
  code: 'own_group_goal',
  kind: 'denied',
  description: 'Nobody gives to their own group goal.',
});
export const groupGoalFull = refusal({
  slice,
  code: 'group_goal_full',
  kind: 'limited',
  description: `The caller gave ${MAX_OWN_CONTRIBUTIONS} times to this goal, or it takes no more gifts.`,
});

const Username = z.string().max(64);

/** A group goal as everybody in the room sees it. */
export const PublicGroupGoal = z.object({
  id: z.int(),
  title: z.string(),
  /** Tokens needed to reach the goal. */
  tokens: z.int(),
  /** Tokens set aside for the goal so far. */
  progress: z.int(),
  ends_at: z.string(),
});
export type PublicGroupGoalView = z.infer<typeof PublicGroupGoal>;
/** A group goal for one viewer, with what they gave. */
export const GroupGoalOfRoom = PublicGroupGoal.extend({ own: z.int() });
export type GroupGoalView = z.infer<typeof GroupGoalOfRoom>;

export const startGroupGoal = call({
  name: 'shows.startGroupGoal',
  method: 'POST',
  path: '/shows/group-goal',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    title: z.string().max(MAX_GROUP_GOAL_TITLE),
    tokens: z.int().min(MIN_GROUP_GOAL_TOKENS).max(MAX_GROUP_GOAL_TOKENS),
    minutes: z.int().min(MIN_GROUP_GOAL_MINUTES).max(MAX_GROUP_GOAL_MINUTES),
  }),
  output: PublicGroupGoal,
  refusals: [groupGoalTitleEmpty, groupGoalRunning, groupGoalNotLive],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Start a group goal',
  description: 'One at a time. What viewers give is set aside, and paid when the goal is reached within its '
    + 'time; else everything is returned.',
});

export const endGroupGoal = call({
  name: 'shows.endGroupGoal',
  method: 'POST',
  path: '/shows/group-goal/end',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [groupGoalOver],
  summary: 'End the own group goal',
  description: 'It was not reached: every token is returned.',
});

export const getOwnGroupGoal = call({
  name: 'shows.getOwnGroupGoal',
  method: 'GET',
  path: '/shows/group-goal',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ goal: PublicGroupGoal.nullable() }),
  refusals: [],
  summary: 'The own group goal',
  description: 'The one that runs; null without one.',
});

export const giveToGroupGoal = call({
  name: 'shows.giveToGroupGoal',
  method: 'POST',
  path: '/shows/group-goal/:username',
  access: 'member',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({ username: Username, tokens: z.int().min(1).max(MAX_CONTRIBUTION_TOKENS) }),
  output: z.object({
    goal: PublicGroupGoal,
    /** Tokens set aside: never more than the goal was missing. */
    given: z.int(),
    /** What the caller gave to this goal. */
    own: z.int(),
    /** The caller's balance afterwards. */
    tokens: z.int(),
  }),
  refusals: [
    roomUnknown,
    roomGone,
    roomForbidden,
    roomBanned,
    roomKicked,
    groupGoalOver,
    ownGroupGoal,
    groupGoalFull,
    ...spendRefusals,
  ],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Give to the group goal of a room',
  description: 'The tokens are set aside. Nobody pays for a goal that is not reached.',
});

const toRoom = { socket: 'room', from: 'server' } as const;

export const groupGoalChanged = event({
  name: 'v3.group_goal.changed',
  ...toRoom,
  shape: PublicGroupGoal,
  description: 'A group goal was started, or somebody gave to it: to everybody in the room.',
});
export const groupGoalGiven = event({
  name: 'v3.group_goal.given',
  ...toRoom,
  shape: z.object({ id: z.int(), own: z.int() }),
  description: 'What this viewer gave to the group goal, on this page or another.',
});
export const groupGoalEnded = event({
  name: 'v3.group_goal.end',
  ...toRoom,
  shape: z.object({ id: z.int(), title: z.string(), tokens: z.int(), reason_ended: z.enum(GROUP_GOAL_ENDS) }),
  description: 'The group goal was reached, and is paid; or it is over and every token is returned.',
});
