import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { Goal } from './goals.ts';

const slice = 'tips';
export const overlayUnknown = refusal({
  slice,
  code: 'overlay_unknown',
  kind: 'absent',
  description: 'The token is not, or no longer, good.',
});
const Done = z.object({ status: z.literal(1) });

export const makeOverlay = call({
  name: 'tips.makeOverlay',
  method: 'POST',
  path: '/tips/overlay',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ token: z.string(), made_at: z.string() }),
  refusals: [],
  limit: { points: 12, seconds: 60, per: 'caller' },
  summary: 'Make an overlay address',
  description: 'Answers the token of `/overlay/{token}`, this once. One made before stops working.',
});
export const revokeOverlay = call({
  name: 'tips.revokeOverlay',
  method: 'POST',
  path: '/tips/overlay/revoke',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: Done,
  refusals: [],
  summary: 'Revoke the overlay address',
  description: 'Its page goes dark and its sockets close.',
});
export const getOverlay = call({
  name: 'tips.getOverlay',
  method: 'GET',
  path: '/overlay/:token',
  access: 'anyone',
  credential: 'none',
  input: z.object({ token: z.string().max(64) }),
  output: z.object({ performer: z.string(), goal: Goal.nullable() }),
  refusals: [overlayUnknown],
  limit: { points: 60, seconds: 60, per: 'address' },
  summary: 'What an overlay starts with',
  description: 'Read by the page in OBS with nothing but its token. The same token opens `/ws/lobby` as '
    + '`v3.authorize.token`, where `v3.overlay.alert` and `v3.overlay.goal` come, and nothing else.',
});
export const overlayAlert = event({
  name: 'v3.overlay.alert',
  socket: 'lobby',
  from: 'server',
  shape: z.object({
    effect_id: z.int(),
    tokens: z.int(),
    sender_name: z.string().nullable(),
    comment: z.string(),
    /** Title of the order, otherwise empty. */
    title: z.string(),
  }),
  description: 'To overlays: a tip to show. The overlay answers `v3.overlay.shown`.',
});
export const overlayGoal = event({
  name: 'v3.overlay.goal',
  socket: 'lobby',
  from: 'server',
  shape: z.object({ goal: Goal.nullable(), reached: z.array(Goal) }),
  description: 'To overlays: how the goal stands.',
});
export const overlayShown = event({
  name: 'v3.overlay.shown',
  socket: 'lobby',
  from: 'client',
  access: 'anyone',
  shape: z.object({ effect_id: z.int().positive() }),
  description: 'From an overlay: the alert arrived. From anybody else it is nothing.',
});
