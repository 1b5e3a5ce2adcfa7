import { z } from 'zod';
import { ANY_TYPE } from '../../../platform/contract/call.ts';
import { hostRefusals } from '../../../platform/contract/refusal.ts';

/** Callbacks of billers. What is authentic is stored before it is applied. */
export const CALLBACK = {
  path: '/callbacks/:biller', root: true, access: 'anyone', credential: 'signature',
  // As billers expect it: 400 for what could not be authenticated, so that they send it again.
  output: z.object({
    status: z.literal([200, 400]), headers: z.record(z.string(), z.string()), body: z.string(),
  }),
  refusals: [hostRefusals.notFound], limit: { points: 6000, seconds: 60, per: 'address' },
  bodyLimitBytes: 64 * 1024,
  media: { accepts: ANY_TYPE, answers: 'text/plain' },
} as const;
