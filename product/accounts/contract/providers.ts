import { call, type RateLimit } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  badCredentials,
  birthDateInvalid,
  codeRequired,
  codeWrong,
  emailDisposable,
  inDeletion,
  loginLocked,
  mailboxFull,
  suspended,
  underage,
  usernameInvalid,
  usernameTaken,
} from '../contract.ts';
import {
  MAX_EMAIL_LENGTH,
  MAX_NEXT_LENGTH,
  MAX_PROVIDER_QUERY_LENGTH,
  PROVIDERS,
} from '../rules/providers.ts';
import { CurrentUser, Gender } from './current-user.ts';
import { wayInUnchecked } from './life/ways-in.ts';
import { confirmationNeeded, lastWayIn } from './passkeys.ts';

const slice = 'accounts';
export const providerUnavailable = refusal({
  slice,
  code: 'provider_unavailable',
  kind: 'conflict',
  description: 'The provider is not configured for this site, or cannot be reached.',
});
export const providerCancelled = refusal({
  slice,
  code: 'provider_cancelled',
  kind: 'conflict',
  description: 'The person cancelled at the provider.',
});
export const providerOver = refusal({
  slice,
  code: 'provider_over',
  kind: 'conflict',
  description: 'Nothing of the kind was begun in this session, or it is over, or was used.',
});
export const providerRefused = refusal({
  slice,
  code: 'provider_refused',
  kind: 'unauthenticated',
  description: 'What the browser came back with is not an answer to what it was sent away with.',
});
export const providerTaken = refusal({
  slice,
  code: 'provider_taken',
  kind: 'conflict',
  description: 'The account at the provider logs somebody else in.',
});
export const providerLinked = refusal({
  slice,
  code: 'provider_linked',
  kind: 'conflict',
  description: 'The person has connected another account of this provider.',
});
export const providerUnlinked = refusal({
  slice,
  code: 'provider_unlinked',
  kind: 'absent',
  description: 'No account of this provider is connected.',
});
export const emailNeeded = refusal({
  slice,
  code: 'email_needed',
  kind: 'invalid',
  description: 'The provider vouches for no address: one must be entered.',
});

/** As for other credentials: a person does a few a minute. */
const LIMIT: RateLimit = { points: 20, seconds: 60, per: 'address' };
const shared = { credential: 'cookie', limit: LIMIT } as const;
const Provider = z.enum(PROVIDERS);

const Providers = z.object({
  linked: z.array(z.object({
    provider: Provider,
    email: z.string().nullable(),
    /** ISO 8601; `used_at` is null until the first log-in by it. */
    created_at: z.string(),
    used_at: z.string().nullable(),
  })),
  /** The providers configured for this site. */
  available: z.array(Provider),
  has_password: z.boolean(),
  /** What connecting one needs: nothing more, the password, or a new log-in. */
  confirmation: z.enum(['none', 'password', 'log_in']),
});

export const listProviders = call({
  name: 'accounts.listProviders',
  method: 'GET',
  path: '/auth/providers',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: Providers,
  refusals: [],
  summary: 'Linked accounts of identity providers',
  description: 'The caller’s own, at most one per provider.',
});

export const startProvider = call({
  ...shared,
  name: 'accounts.startProvider',
  method: 'POST',
  path: '/auth/providers/start',
  access: 'anyone',
  input: z.object({
    provider: Provider,
    /** Whether to log in or sign up, or to connect it to this account. */
    purpose: z.enum(['log_in', 'link']),
    /** Path to continue at. */
    next: z.string().max(MAX_NEXT_LENGTH).optional(),
    /** For `link`, where the log-in is not recent. */
    password: z.string().min(1).max(256).optional(),
    code: z.string().max(32).optional(),
  }),
  output: z.object({ url: z.string() }),
  refusals: [badCredentials, codeRequired, codeWrong, confirmationNeeded, loginLocked, providerUnavailable],
  summary: 'Go to another provider to log in',
  description: 'Answers the address to go to, with PKCE, state and nonce; they wait in a sealed cookie, '
    + 'bound to the session. The browser comes back to `/free-register/connect`.',
});

export const finishProvider = call({
  ...shared,
  name: 'accounts.finishProvider',
  method: 'POST',
  path: '/auth/providers/finish',
  access: 'anyone',
  input: z.object({ query: z.string().max(MAX_PROVIDER_QUERY_LENGTH) }),
  output: z.object({
    /**
     * `code`: the second step is needed. `known_email`: log in to the account that has this address.
     * `sign_up`: enter what the provider did not send.
     */
    outcome: z.enum(['logged_in', 'linked', 'code', 'known_email', 'sign_up']),
    provider: Provider,
    /** What the provider sent; `email_verified` where it vouches for the address. */
    email: z.string().nullable(),
    email_verified: z.boolean(),
    next: z.string().nullable(),
  }),
  refusals: [
    confirmationNeeded,
    providerCancelled,
    providerLinked,
    providerOver,
    providerRefused,
    providerTaken,
    inDeletion,
    providerUnavailable,
    suspended,
    wayInUnchecked,
  ],
  summary: 'Come back from another provider',
  description: 'With the query the browser came back with, once. An address that an account has here '
    + 'connects nothing by itself: that takes a log-in to the account.',
});

export const enterByProvider = call({
  ...shared,
  name: 'accounts.enterByProvider',
  method: 'POST',
  path: '/auth/providers/enter',
  access: 'anyone',
  input: z.object({ code: z.string().min(1).max(32) }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [codeRequired, codeWrong, inDeletion, loginLocked, providerOver, suspended],
  summary: 'The second step after another provider',
  description: 'With a code of the authenticator app, or a recovery code.',
});

export const signUpByProvider = call({
  ...shared,
  name: 'accounts.signUpByProvider',
  method: 'POST',
  path: '/auth/providers/sign_up',
  access: 'anyone',
  input: z.object({
    username: z.string().max(64),
    /** Needed where the provider vouches for none. */
    email: z.email().max(MAX_EMAIL_LENGTH).optional(),
    /** ISO date, `YYYY-MM-DD`. */
    birth_date: z.string().max(10),
    gender: Gender.optional(),
    accept_terms: z.literal(true),
  }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [
    birthDateInvalid,
    emailDisposable,
    emailNeeded,
    mailboxFull,
    providerOver,
    underage,
    usernameInvalid,
    usernameTaken,
  ],
  summary: 'Sign up by another provider',
  description: 'Opens an account without a password. The age rules are those of every sign-up.',
});

export const linkProvider = call({
  ...shared,
  name: 'accounts.linkProvider',
  method: 'POST',
  path: '/auth/providers/link',
  access: 'member',
  input: z.object({}),
  output: Providers,
  refusals: [confirmationNeeded, providerLinked, providerOver, providerTaken],
  summary: 'Connect another provider after a log-in',
  description: 'Connects the account at the provider that this browser has just shown. An email says so.',
});

export const removeProvider = call({
  ...shared,
  name: 'accounts.removeProvider',
  method: 'POST',
  path: '/auth/providers/remove',
  access: 'member',
  input: z.object({ provider: Provider }),
  output: Providers,
  refusals: [lastWayIn, providerUnlinked],
  summary: 'Disconnect another provider',
  description: 'It logs nobody in from then on. An email says so.',
});
