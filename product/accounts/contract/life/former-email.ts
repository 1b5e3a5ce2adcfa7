import { call, type RateLimit } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';

export const restoreLinkOver = refusal({
  slice: 'accounts',
  code: 'restore_link_over',
  kind: 'invalid',
  description: 'The link is not one of ours or is older than 30 days, or the account is suspended or erased.',
});
export const restoreLinkUsed = refusal({
  slice: 'accounts',
  code: 'restore_link_used',
  kind: 'invalid',
  description: 'The link was used before, or the one of an earlier address of the account.',
});

const LIMIT: RateLimit = { points: 20, seconds: 60, per: 'address' };
const REFUSALS = [restoreLinkOver, restoreLinkUsed] as const;
const Token = z.object({ token: z.string().max(1024) });

export const getEmailToRestore = call({
  name: 'accounts.getEmailToRestore',
  method: 'GET',
  path: '/auth/restore_email',
  access: 'anyone',
  credential: 'cookie',
  input: Token,
  output: z.object({
    username: z.string(),
    /** Masked, but recognizable to its owner. */
    email: z.string(),
  }),
  refusals: REFUSALS,
  limit: LIMIT,
  summary: 'Which address a link puts back',
  description: 'With the token of the link in the email that reports a changed address. Changes nothing.',
});

export const restoreEmail = call({
  name: 'accounts.restoreEmail',
  method: 'POST',
  path: '/auth/restore_email',
  access: 'anyone',
  credential: 'cookie',
  input: Token,
  output: z.object({
    status: z.literal(1),
    username: z.string(),
    email: z.string(),
    /** False where another account has confirmed the address meanwhile, and so owns it. */
    email_confirmed: z.boolean(),
  }),
  refusals: REFUSALS,
  limit: LIMIT,
  summary: 'Put an earlier email address back',
  description: 'Within 30 days of the change, once; the links of later changes end with it. A recovery: '
    + 'every other session ends, and the password with it. The address gets a link to choose a new one.',
});
