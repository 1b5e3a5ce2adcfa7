import { call, type RateLimit } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { DELETION_DAYS, KEEP_TICKET_SECONDS } from '../../rules/life/deletion.ts';
import { CurrentUser } from '../current-user.ts';
import { Proof, ProofNeeded, proofRefusals } from './username.ts';

const slice = 'accounts';
export const nameNotTyped = refusal({
  slice,
  code: 'name_not_typed',
  kind: 'invalid',
  description: 'The username that confirms the deletion is not the person’s own.',
});
export const debtOpen = refusal({
  slice,
  code: 'debt_open',
  kind: 'conflict',
  description: 'Tokens are owed: they are paid before the account can be deleted.',
});
export const lastAdmin = refusal({
  slice,
  code: 'last_admin',
  kind: 'denied',
  description: 'No other admin of the operator could act: somebody else becomes one first.',
});
export const keepOver = refusal({
  slice,
  code: 'keep_over',
  kind: 'denied',
  description: 'The ticket is not one of ours, is too old, was made for another session or an earlier '
    + 'request, or the account is gone.',
});

const own = { access: 'member', credential: 'cookie' } as const;
/** Somebody deletes an account once. */
const LIMIT: RateLimit = { points: 10, seconds: 60, per: 'caller' };

export const getDeletion = call({
  ...own,
  name: 'accounts.getDeletion',
  method: 'GET',
  path: '/user/deletion',
  input: z.object({}),
  output: z.object({
    username: z.string(),
    /** ISO 8601: when the deletion would become final. */
    deletion_at: z.string(),
    /** Forfeited when the deletion becomes final. */
    tokens: z.int(),
    /** Paid out before the deletion becomes final. */
    earned: z.int(),
    membership: z.object({
      name: z.string(),
      /** ISO 8601. */
      ends_at: z.string(),
      renews: z.boolean(),
    }).nullable(),
    obstacle: z.enum(['debt_open', 'last_admin']).nullable(),
    confirmation: ProofNeeded,
  }),
  refusals: [],
  summary: 'What deleting one’s account means now',
  description: 'Tokens that are forfeited, earnings that are paid out first, the membership that ends, what '
    + 'stands in the way, and what it takes.',
});

export const requestDeletion = call({
  ...own,
  name: 'accounts.requestDeletion',
  method: 'POST',
  path: '/user/deletion',
  input: z.object({
    /** The person's own, typed, so that nobody deletes an account by mistake. */
    username: z.string().max(64),
    ...Proof,
  }),
  output: z.object({ status: z.literal(1), deletion_at: z.string() }),
  refusals: [nameNotTyped, debtOpen, lastAdmin, ...proofRefusals],
  limit: LIMIT,
  summary: 'Delete one’s account',
  description: `Hides the account and ends every session and broadcast at once; after ${DELETION_DAYS} days `
    + 'it is erased, unless somebody logs in and keeps it. Takes the password where there is one, however '
    + 'recent the log-in. An email says so. Audited.',
});

export const keepAccount = call({
  name: 'accounts.keepAccount',
  method: 'POST',
  path: '/auth/keep_account',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ ticket: z.string().min(1).max(1024) }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [keepOver],
  limit: { points: 20, seconds: 60, per: 'address' },
  summary: 'Keep one’s account',
  description: 'With the ticket of a log-in that was refused with `in_deletion`: of this session alone, '
    + `for ${KEEP_TICKET_SECONDS} s. Everything is as before, and the person is logged in. Audited.`,
});
