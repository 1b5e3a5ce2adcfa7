import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import { MAX_MESSAGE_LENGTH, MIN_MESSAGE_LENGTH, TOPICS } from './rules.ts';

const slice = 'support';
export const emailMissing = refusal({
  slice,
  code: 'email_missing',
  kind: 'invalid',
  description: 'A guest has no address that could be answered: `email` is required.',
});
export const tooManyRequests = refusal({
  slice,
  code: 'too_many_requests',
  kind: 'conflict',
  description: 'As many requests of this person are open as may be.',
});
export const noSuchRequest = refusal({
  slice,
  code: 'no_such_request',
  kind: 'absent',
  description: 'No request of this operator has this id.',
});

const SupportRequest = z.object({
  id: z.int(),
  topic: z.enum(TOPICS),
  message: z.string(),
  /** Username of a member; null for a guest. */
  username: z.string().nullable(),
  /** The address for the answer. */
  email: z.string(),
  /** ISO 8601. */
  at: z.string(),
  closed_at: z.string().nullable(),
});
export type SupportRequestView = z.infer<typeof SupportRequest>;

export const contactSupport = call({
  name: 'support.contactSupport',
  method: 'POST',
  path: '/support/requests',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    topic: z.enum(TOPICS),
    message: z.string().trim().min(MIN_MESSAGE_LENGTH).max(MAX_MESSAGE_LENGTH).regex(PLAIN_TEXT),
    /** For guests; members are answered at the address of their account. */
    email: z.email().max(254).optional(),
  }),
  output: z.object({ status: z.literal(1), id: z.int() }),
  refusals: [emailMissing, tooManyRequests],
  limit: { points: 5, seconds: 3600, per: 'address' },
  summary: 'Contact support',
  description: 'Stores a request for admins. They answer by email, to the address of the account or the one '
    + 'given.',
  requirements: ['A-043', 'A-411'],
});

export const listRequests = call({
  name: 'support.listRequests',
  method: 'GET',
  path: '/admin/support',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional(), closed: z.boolean().optional() }),
  output: z.object({ requests: z.array(SupportRequest), next: z.int().nullable() }),
  refusals: [],
  summary: 'Requests to support',
  description: 'Open ones, or with `closed` those that are answered; newest first, 50 a page. `next` is '
    + '`before` of the page after this.',
});

export const closeRequest = call({
  name: 'support.closeRequest',
  method: 'POST',
  path: '/admin/support/:id/close',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ id: z.int().positive() }),
  output: SupportRequest,
  refusals: [noSuchRequest],
  summary: 'Close a request',
  description: 'Once it is answered. Closed requests are erased after 180 days. Audited.',
});
