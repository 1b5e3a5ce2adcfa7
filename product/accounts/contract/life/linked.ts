import { call, type RateLimit } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  badCredentials,
  codeRequired,
  codeWrong,
  emailCodeRequired,
  emailCodeWrong,
  inDeletion,
  loginLocked,
  suspended,
} from '../../contract.ts';
import { CurrentUser } from '../current-user.ts';
import { confirmationNeeded } from '../passkeys.ts';
import { ProofNeeded } from './username.ts';

const slice = 'accounts';
export const tooManyLinked = refusal({
  slice,
  code: 'too_many_linked',
  kind: 'conflict',
  description: 'One of the accounts is already linked with three others.',
});
export const linkRefused = refusal({
  slice,
  code: 'link_refused',
  kind: 'denied',
  description: 'It is the same account, or one of them has staff rights.',
});
export const linkUnknown = refusal({
  slice,
  code: 'link_unknown',
  kind: 'absent',
  description: 'No account of this name is linked with this one.',
});

/** As for other credentials: a person types a few a minute. */
const LIMIT: RateLimit = { points: 20, seconds: 60, per: 'address' };
const own = { access: 'member', credential: 'cookie' } as const;
const Linked = z.object({
  accounts: z.array(z.object({
    username: z.string(),
    display_name: z.string(),
    avatar_url: z.string().nullable(),
  })),
  /** What linking an account needs besides that account's own log-in. */
  confirmation: ProofNeeded,
});
const Username = z.string().max(64);

export const listLinked = call({
  ...own,
  name: 'accounts.listLinked',
  method: 'GET',
  path: '/user/linked',
  input: z.object({}),
  output: Linked,
  refusals: [],
  summary: 'Accounts that one switches to',
  description: 'All of them, whatever the setting `hide_linked_accounts` says.',
});

export const linkAccount = call({
  ...own,
  name: 'accounts.linkAccount',
  method: 'POST',
  path: '/user/linked',
  limit: LIMIT,
  input: z.object({
    login: z.string().min(1).max(254),
    password: z.string().min(1).max(256),
    /** For the other account: from its authenticator app, or by email. */
    code: z.string().max(32).optional(),
    /** Of this account, where its log-in is not recent. */
    own_password: z.string().min(1).max(256).optional(),
  }),
  output: Linked,
  refusals: [
    badCredentials,
    codeRequired,
    codeWrong,
    emailCodeRequired,
    emailCodeWrong,
    inDeletion,
    loginLocked,
    suspended,
    confirmationNeeded,
    tooManyLinked,
    linkRefused,
  ],
  summary: 'Link another account of the same person',
  description: 'By a log-in to it, counted as any other. From then on each switches to the other. An account '
    + 'has at most three. Both get an email. A new password of either ends the link.',
  requirements: ['A-453'],
});

export const unlinkAccount = call({
  ...own,
  name: 'accounts.unlinkAccount',
  method: 'POST',
  path: '/user/linked/end',
  input: z.object({ username: Username }),
  output: Linked,
  refusals: [linkUnknown],
  summary: 'End a link',
  description: 'For both accounts.',
});

export const switchAccount = call({
  ...own,
  name: 'accounts.switchAccount',
  method: 'POST',
  path: '/user/linked/switch',
  limit: LIMIT,
  input: z.object({ username: Username, code: z.string().max(32).optional() }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [linkUnknown, linkRefused, suspended, inDeletion, codeRequired, codeWrong, loginLocked],
  summary: 'Switch to a linked account',
  description: 'This session ends, and one of the other account begins in this browser. With two-step log-in '
    + 'on there, its code comes along.',
});
