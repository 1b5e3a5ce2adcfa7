import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { EFFECT_KINDS, EFFECT_STATES, EFFECTS_PAGE } from '../rules.ts';

const slice = 'tips';
export const effectUnknown = refusal({
  slice,
  code: 'effect_unknown',
  kind: 'absent',
  description: 'There is no such effect of this performer.',
});

/** An effect of a tip, and its state of delivery. */
export const Effect = z.object({
  id: z.int(),
  kind: z.enum(EFFECT_KINDS),
  state: z.enum(EFFECT_STATES),
  /** What was ordered or reached; empty for an alert. */
  title: z.string(),
  tokens: z.int(),
  /** Null if nobody may learn the sender. */
  sender_name: z.string().nullable(),
  /** Number of attempts at delivery. */
  tries: z.int(),
  /** Whether the performer has done an order; null for other effects. */
  done: z.boolean().nullable(),
  at: z.string(),
});
export type EffectView = z.infer<typeof Effect>;
export const listEffects = call({
  name: 'tips.listEffects',
  method: 'GET',
  path: '/tips/effects',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    before: z.int().positive().optional(),
    limit: z.int().min(1).max(EFFECTS_PAGE).optional(),
  }),
  output: z.object({ effects: z.array(Effect), next: z.int().nullable() }),
  refusals: [],
  summary: 'What tips set off',
  description: 'Newest first; `next` goes into `before` for the page after.',
});
const EffectId = z.object({ id: z.int().positive() });
export const replayEffect = call({
  name: 'tips.replayEffect',
  method: 'POST',
  path: '/tips/effects/:id/replay',
  access: 'performer',
  credential: 'cookie',
  input: EffectId,
  output: Effect,
  refusals: [effectUnknown],
  limit: { points: 60, seconds: 60, per: 'caller' },
  summary: 'Replay an effect',
  description: 'Whether it was delivered or failed before, it is sent again.',
});
export const finishOrder = call({
  name: 'tips.finishOrder',
  method: 'POST',
  path: '/tips/effects/:id/done',
  access: 'performer',
  credential: 'cookie',
  input: EffectId.extend({ done: z.boolean() }),
  output: Effect,
  refusals: [effectUnknown],
  summary: 'Tick an order off',
  description: 'The performer did what was ordered, or did not yet.',
});
export const effectChanged = event({
  name: 'v3.tip.effect',
  socket: 'both',
  from: 'server',
  shape: z.object({ effect: Effect }),
  description: 'To the performer: something a tip sets off is new, or got on.',
});
export const effectQueued = fact({
  name: 'tips.effectQueued',
  shape: z.object({ effectId: z.int() }),
  description: 'Something a tip sets off is to be delivered.',
});
