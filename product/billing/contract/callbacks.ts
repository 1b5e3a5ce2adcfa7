import { ANY_TYPE, call } from '#platform/contract/call.ts';
import { hostRefusals } from '#platform/contract/refusal.ts';
import { z } from 'zod';

/** Callbacks of billers. Authentic ones are stored before they are applied. */
const Callback = {
  path: '/callbacks/:biller',
  root: true,
  access: 'anyone',
  credential: 'signature',
  // Billers expect 400 for callbacks that could not be authenticated, and send them again.
  output: z.object({
    status: z.literal([200, 400]),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  refusals: [hostRefusals.notFound],
  limit: { points: 6000, seconds: 60, per: 'address' },
  bodyLimitBytes: 64 * 1024,
  media: { accepts: ANY_TYPE, answers: 'text/plain' },
} as const;
export const receiveCallback = call({
  ...Callback,
  name: 'billing.receiveCallback',
  method: 'POST',
  input: z.object({ biller: z.string().max(32), body: z.string() }),
  summary: 'Callback of a biller',
  description: 'Authenticated, then stored raw, then applied exactly once.',
});
export const receiveCallbackByQuery = call({
  ...Callback,
  name: 'billing.receiveCallbackByQuery',
  method: 'GET',
  effects: true,
  input: z.object({ biller: z.string().max(32) }).loose(),
  summary: 'Callback of a biller by query',
  description: 'As the POST, for billers that send a GET.',
});
