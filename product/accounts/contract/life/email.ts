import { call, type RateLimit } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { emailDisposable } from '../../contract.ts';
import { Proof, ProofNeeded, proofRefusals } from './username.ts';

export const emailUnchanged = refusal({
  slice: 'accounts',
  code: 'email_unchanged',
  kind: 'conflict',
  description: 'It is this person’s address already, and confirmed.',
});

/** Each call sends emails. */
const LIMIT: RateLimit = { points: 5, seconds: 3600, per: 'caller' };
const EmailState = z.object({
  email: z.string(),
  email_confirmed: z.boolean(),
  /** The address that waits to be confirmed; null where none does. */
  pending_email: z.string().nullable(),
});

export const getEmail = call({
  name: 'accounts.getEmail',
  method: 'GET',
  path: '/user/email',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: EmailState.extend({ confirmation: ProofNeeded }),
  refusals: [],
  summary: 'One’s email address, and the one that waits to be confirmed',
  description: 'And what changing it takes.',
});

export const changeEmail = call({
  name: 'accounts.changeEmail',
  method: 'POST',
  path: '/user/email',
  access: 'member',
  credential: 'cookie',
  input: z.object({ email: z.email().max(254), ...Proof }),
  output: EmailState.extend({ status: z.literal(1) }),
  refusals: [emailDisposable, emailUnchanged, ...proofRefusals],
  limit: LIMIT,
  summary: 'Change one’s email address',
  description: 'Sends a link to the new address; it counts once the link is opened. A confirmed old address '
    + 'is told then and now. The same answer for an address of somebody else: its owner gets an email.',
});

export const resendEmail = call({
  name: 'accounts.resendEmail',
  method: 'GET',
  path: '/user/resend_email',
  access: 'member',
  credential: 'cookie',
  effects: true,
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [],
  limit: { points: 3, seconds: 3600, per: 'caller' },
  summary: 'Send the confirmation email again',
  description: 'To the address that waits, else to one’s own; nothing for a confirmed one. Needs the CSRF '
    + 'token, for it sends an email.',
  requirements: ['A-346', 'A-347'],
});

export const emailConfirmed = fact({
  name: 'accounts.emailConfirmed',
  shape: z.object({ personId: z.int() }),
  description: 'Somebody confirmed their email address, the first or another one.',
});
