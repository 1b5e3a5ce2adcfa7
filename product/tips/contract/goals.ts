import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { GOAL_STATES, MAX_GOAL_TOKENS, MAX_TITLE_LENGTH } from '../rules.ts';
import { titleEmpty } from './menu.ts';

const slice = 'tips';
export const goalUnknown = refusal({
  slice,
  code: 'goal_unknown',
  kind: 'absent',
  description: 'There is no such goal that is not over.',
});
export const goalsFull = refusal({
  slice,
  code: 'goals_full',
  kind: 'conflict',
  description: 'No more goals can wait.',
});
const Title = z.string().max(MAX_TITLE_LENGTH);

/** The running goal, as everybody in the room sees it. */
export const Goal = z.object({
  id: z.int(),
  title: z.string(),
  /** Tokens. */
  target: z.int(),
  progress: z.int(),
});
export type GoalView = z.infer<typeof Goal>;
export const OwnGoal = Goal.extend({ state: z.enum(GOAL_STATES) });
export type OwnGoalView = z.infer<typeof OwnGoal>;
export const addGoal = call({
  name: 'tips.addGoal',
  method: 'POST',
  path: '/tips/goals',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ title: Title, target: z.int().min(1).max(MAX_GOAL_TOKENS) }),
  output: z.object({ goals: z.array(OwnGoal) }),
  refusals: [goalsFull, titleEmpty],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Add a goal',
  description: 'It starts at once when none runs, else after those before it.',
});
export const endGoal = call({
  name: 'tips.endGoal',
  method: 'POST',
  path: '/tips/goals/:id/end',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ id: z.int().positive() }),
  output: z.object({ goals: z.array(OwnGoal) }),
  refusals: [goalUnknown],
  summary: 'End a goal',
  description: 'Removes a queued goal, or ends the running one; the next starts.',
});
export const goalChanged = event({
  name: 'v3.tip.goal',
  socket: 'both',
  from: 'server',
  shape: z.object({ goal: Goal.nullable(), reached: z.array(Goal) }),
  description: 'How the running goal stands, null when none runs; goals reached just now. To the room and to '
    + 'every tab of the performer.',
});
