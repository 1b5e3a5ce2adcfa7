import { z } from 'zod';
import { call } from '#platform/contract/call.ts';

const Waiting = z.int().min(0);

/** What waits for a person to do something about it, each as a count (spec 2 §3.7). */
const Pending = z.object({
  /** Own pictures and videos that staff rejected. */
  aj_media_rejected: Waiting,
  /** One while the newest check of a card was begun and has no outcome. */
  cc_verification: Waiting,
  /** Orders of custom media. */
  custom_media: Waiting,
  /** Ratings that somebody paid for. */
  dickrating_requests: Waiting,
  /** Sales of a Snapchat account. */
  snapchat_sale: Waiting,
  /** Invitations to stream together. */
  streaming_partners: Waiting,
});
export type PendingView = z.infer<typeof Pending>;

export const getPending = call({
  name: 'billing.getPending', method: 'GET', path: '/tokens/pending', access: 'member', credential: 'cookie',
  input: z.object({
    /** Sent by pages that are rendered on the server; the output is the same. */
    ssr: z.string().max(8).optional(),
  }),
  output: Pending, refusals: [],
  summary: 'What waits for me',
  description: 'Counts of the own account alone. A count that no slice implements is 0.',
  requirements: ['B-173', 'B-331'],
});
