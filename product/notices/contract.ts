import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';

export const OutboxMail = z.object({
  id: z.int(), to: z.string(), subject: z.string(), text: z.string(), kind: z.string(), at: z.string(),
});
/** Emails that a site without a mail server would have sent. */
export const listOutbox = call({
  name: 'notices.listOutbox', method: 'GET', path: '/notices/outbox', access: 'admin', credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ mails: z.array(OutboxMail), next: z.int().nullable() }), refusals: [],
  summary: 'Development outbox',
  description: 'Emails stored instead of sent, newest first, 50 a page. Admins only.',
});
