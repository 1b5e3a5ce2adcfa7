import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';

export const OutboxMail = z.object({
  id: z.int(), to: z.string(), subject: z.string(), text: z.string(), kind: z.string(), at: z.string(),
});
/** The development outbox: what would have been sent. */
export const listOutbox = call({
  name: 'notices.listOutbox', method: 'GET', path: '/notices/outbox', access: 'admin', credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ mails: z.array(OutboxMail), next: z.int().nullable() }), refusals: [],
  summary: 'Development outbox',
  description: 'Mails kept instead of sent, newest first, 50 a page. Admins only.',
});
