import { call } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { z } from 'zod';
import { targeted } from '../contract.ts';
import { Goal, OwnGoal } from './goals.ts';
import { MenuItem } from './menu.ts';
import { TipSplit } from './splits.ts';

const Username = z.string().max(64);
export const getTipRoom = call({
  name: 'tips.getTipRoom',
  method: 'GET',
  path: '/tips/room/:username',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({ menu: z.array(MenuItem), goal: Goal.nullable(), split: TipSplit }),
  refusals: targeted,
  limit: { points: 240, seconds: 60, per: 'caller' },
  summary: 'Menu, goal and tip split of a room',
  description: 'As everybody who may see the room sees them.',
});

export const getTipTools = call({
  name: 'tips.getTipTools',
  method: 'GET',
  path: '/tips/tools',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    menu: z.array(MenuItem),
    goals: z.array(OwnGoal),
    /** Tokens tipped today (UTC), and the number of tips. */
    today: z.object({ tokens: z.int(), tips: z.int() }),
    /** When the overlay's address was created; null without one. */
    overlay_made_at: z.string().nullable(),
  }),
  refusals: [],
  summary: 'The own tip tools',
  description: 'Menu, goals that are not over, and the overlay.',
});
export const toolsChanged = fact({
  name: 'tips.toolsChanged',
  shape: z.object({ performerId: z.int() }),
  description: 'A goal or the menu of a performer began or ended. Subscribers read which run now.',
});
