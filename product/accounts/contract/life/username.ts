import { call, type RateLimit } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  badCredentials,
  codeRequired,
  codeWrong,
  loginLocked,
  usernameInvalid,
  usernameTaken,
} from '../../contract.ts';
import { CurrentUser } from '../current-user.ts';
import { confirmationNeeded } from '../passkeys.ts';

const slice = 'accounts';
export const usernameChangedLately = refusal({
  slice,
  code: 'username_changed_lately',
  kind: 'conflict',
  description: 'The username was changed within the last 30 days; `changeable_at` says when it can be again.',
});

/** Somebody changes their account a few times a year. */
const LIMIT: RateLimit = { points: 10, seconds: 60, per: 'caller' };
/** Proof of identity: nothing soon after a log-in, else the password, and a code with two-step log-in. */
export const Proof = {
  password: z.string().min(1).max(256).optional(),
  code: z.string().max(32).optional(),
};
export const proofRefusals = [
  badCredentials,
  codeRequired,
  codeWrong,
  loginLocked,
  confirmationNeeded,
] as const;
/** What such a change needs: nothing more, the password, or a new log-in. */
export const ProofNeeded = z.enum(['none', 'password', 'log_in']);

export const getUsernameChange = call({
  name: 'accounts.getUsernameChange',
  method: 'GET',
  path: '/user/username',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    username: z.string(),
    /** ISO 8601; null where it can be changed now. */
    changeable_at: z.string().nullable(),
    confirmation: ProofNeeded,
  }),
  refusals: [],
  summary: 'Whether one’s username can change now',
  description: 'And what changing it takes.',
});

export const changeUsername = call({
  name: 'accounts.changeUsername',
  method: 'POST',
  path: '/user/username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: z.string().max(64), ...Proof }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [usernameTaken, usernameInvalid, usernameChangedLately, ...proofRefusals],
  limit: LIMIT,
  summary: 'Change one’s username',
  description: 'The rules of sign-up, once in 30 days, by whoever logged in within ten minutes or gives the '
    + 'password. The former name leads to the person for 90 days and is nobody else’s for 365. An email says '
    + 'so. Audited.',
  requirements: ['A-078'],
});

export const accountChanged = event({
  name: 'v3.user.changed',
  socket: 'lobby',
  from: 'server',
  shape: z.object({}),
  description: 'To every open tab of a person whose account changed elsewhere: the username, the avatar, '
    + 'the email address or whether it is confirmed, a way to log in. The page reads the current user again.',
});

export const usernameChanged = fact({
  name: 'accounts.usernameChanged',
  shape: z.object({
    personId: z.int(),
    type: z.enum(['user', 'model']),
    before: z.string(),
    username: z.string(),
  }),
  description: 'Somebody has another username. `accounts.personChanged` is published too.',
});
