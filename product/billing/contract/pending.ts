import { call } from '#platform/contract/call.ts';
import { z } from 'zod';

const Waiting = z.int().min(0);

/** Counts of things that wait for the person to act (spec 2 §3.7). */
const Pending = z.object({
  /** The person's own images and videos that staff rejected. */
  aj_media_rejected: Waiting,
  /** One while the newest card check was started and has no outcome. */
  cc_verification: Waiting,
  /** Orders of custom media. */
  custom_media: Waiting,
  /** Paid requests for ratings. */
  dickrating_requests: Waiting,
  /** Sales of a Snapchat account. */
  snapchat_sale: Waiting,
  /** Invitations to stream together. */
  streaming_partners: Waiting,
});
export type PendingView = z.infer<typeof Pending>;

export const getPending = call({
  name: 'billing.getPending',
  method: 'GET',
  path: '/tokens/pending',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    /** Sent by pages that are rendered on the server; the output is the same. */
    ssr: z.string().max(8).optional(),
  }),
  output: Pending,
  refusals: [],
  summary: 'What waits for me',
  description: 'Counts of the own account alone. A count that no slice implements is 0.',
  requirements: ['B-173', 'B-331'],
});
