import { call, type RateLimit } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { CurrentUser, CurrentUserAnswer, Gender } from './contract/current-user.ts';
import { LANGUAGE_CODE, MAX_DISPLAY_NAME, MAX_LANGUAGES, PLAIN_TEXT } from './rules.ts';
import { AMAZON_ADDRESS, BLUESKY_NAME, INSTAGRAM_NAME } from './rules/current-user.ts';

const slice = 'accounts';
export const usernameTaken = refusal({
  slice,
  code: 'username_taken',
  kind: 'conflict',
  description: 'The username is taken or reserved for a route.',
});
export const usernameInvalid = refusal({
  slice,
  code: 'username_invalid',
  kind: 'invalid',
  description: 'Usernames are 3 to 25 letters, digits, - or _, and start with a letter or digit.',
});
export const passwordTooShort = refusal({
  slice,
  code: 'password_too_short',
  kind: 'invalid',
  description: 'Passwords have at least 8 characters.',
});
export const passwordTooCommon = refusal({
  slice,
  code: 'password_too_common',
  kind: 'invalid',
  description: 'The password is on the list of common passwords, or contains the username.',
});
export const underage = refusal({
  slice,
  code: 'underage',
  kind: 'denied',
  description: 'The exact birth date is less than 18 years ago.',
});
export const birthDateInvalid = refusal({
  slice,
  code: 'birth_date_invalid',
  kind: 'invalid',
  description: 'There is no such day, or it is over 99 years ago.',
});
export const emailDisposable = refusal({
  slice,
  code: 'email_disposable',
  kind: 'invalid',
  description: 'The address is of a service that gives anybody a mailbox for minutes.',
});
export const mailboxFull = refusal({
  slice,
  code: 'mailbox_full',
  kind: 'conflict',
  description: 'The mailbox has three accounts that wait to be confirmed, or three that are: what follows a '
    + 'plus, and Gmail’s dots, make no other one. Where the operator limits mailboxes.',
});
export const badCredentials = refusal({
  slice,
  code: 'bad_credentials',
  kind: 'unauthenticated',
  description: 'Login and password do not match. The same text whether the account exists or not.',
});
export const loginLocked = refusal({
  slice,
  code: 'login_locked',
  kind: 'limited',
  description: 'Too many failed log-ins for this account or address; `Retry-After` says when to come back.',
});
export const codeRequired = refusal({
  slice,
  code: 'code_required',
  kind: 'unauthenticated',
  description: 'The password is right; this account wants a code of its authenticator app too, in `code`.',
});
export const emailCodeRequired = refusal({
  slice,
  code: 'email_code_required',
  kind: 'unauthenticated',
  description: 'The password is right, but neither this browser nor its network was ever used by the '
    + 'person: `code` wants the code that was sent by email. Without it, another is sent after a minute.',
});
export const emailCodeWrong = refusal({
  slice,
  code: 'email_code_wrong',
  kind: 'unauthenticated',
  description: 'The code is not the one that was sent last, is older than ten minutes, or came '
    + 'after five wrong ones.',
});
export const codeWrong = refusal({
  slice,
  code: 'code_wrong',
  kind: 'unauthenticated',
  description: 'The code is neither one of the app for now, nor a recovery code, or it was used before.',
});
export const suspended = refusal({
  slice,
  code: 'suspended',
  kind: 'denied',
  description: 'The account is suspended, since `suspension_date`, for `suspension_cause` (a code, or null); '
    + '`suspension_message` is what staff wrote about it, plain text, or null.',
});
export const inDeletion = refusal({
  slice,
  code: 'in_deletion',
  kind: 'denied',
  description: 'The account is deleted on `deletion_at`, as its person asked. Whoever proved to be them '
    + 'keeps it by `POST /auth/keep_account` with `ticket`, within 15 minutes.',
});
export const linkInvalid = refusal({
  slice,
  code: 'link_invalid',
  kind: 'invalid',
  description: 'The confirmation link is not one of ours, is older than a week, or is for another address.',
});

export const confirmLoggedOut = refusal({
  slice,
  code: 'confirm_logged_out',
  kind: 'denied',
  description: 'The link changes the address of an account that this browser is not logged in to.',
});

export const resetLinkInvalid = refusal({
  slice,
  code: 'reset_link_invalid',
  kind: 'invalid',
  description: 'The reset link is not one of ours, was used or replaced, or is older than an hour.',
});

/** A person types a password a few times a minute; credential stuffing needs thousands. */
const CREDENTIAL_LIMIT: RateLimit = { points: 20, seconds: 60, per: 'address' };

export const getCurrentUser = call({
  name: 'accounts.getCurrentUser',
  method: 'GET',
  path: '/user/current',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: CurrentUserAnswer,
  refusals: [],
  summary: 'The current user',
  description: 'Guests get a `guest_…` user with id null and the usual settings. Answers a fresh node_token.',
  requirements: ['A-340'],
});

export const getAuthState = call({
  name: 'accounts.getAuthState',
  method: 'GET',
  path: '/auth/state',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    authenticated: z.boolean(),
    username: z.string().nullable(),
    user: CurrentUser.nullable(),
  }),
  refusals: [],
  summary: 'Whether somebody is logged in',
  description: 'Authenticated means a user exists and the username does not start with guest_.',
  requirements: ['A-220', 'A-341'],
});

export const register = call({
  name: 'accounts.register',
  method: 'POST',
  path: '/auth/register',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    username: z.string().max(64),
    email: z.email().max(254),
    password: z.string().max(256),
    /** ISO date, `YYYY-MM-DD`. */
    birth_date: z.string().max(10),
    type: z.enum(['user', 'model']),
    gender: Gender.optional(),
    accept_terms: z.literal(true),
  }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [
    usernameTaken,
    usernameInvalid,
    passwordTooShort,
    passwordTooCommon,
    underage,
    birthDateInvalid,
    emailDisposable,
    mailboxFull,
  ],
  limit: CREDENTIAL_LIMIT,
  summary: 'Sign up',
  description: 'Creates an account (viewer, or performer with type model) and logs it in. The same answer '
    + 'for an email of somebody else: they get an email, and the new account cannot confirm it.',
  requirements: ['A-030'],
});

export const login = call({
  name: 'accounts.login',
  method: 'POST',
  path: '/auth/login',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    login: z.string().min(1).max(254),
    password: z.string().min(1).max(256),
    /** From the authenticator app, or a recovery code. */
    code: z.string().max(32).optional(),
  }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [
    badCredentials,
    codeRequired,
    codeWrong,
    emailCodeRequired,
    emailCodeWrong,
    inDeletion,
    loginLocked,
    suspended,
  ],
  limit: CREDENTIAL_LIMIT,
  summary: 'Log in',
  description: 'By username or email. Issues a new session id and CSRF token. With two-step log-in on it is '
    + 'refused until `code` comes along; in a new browser on a new network, until a code by email does.',
  requirements: ['A-031'],
});

export const logout = call({
  name: 'accounts.logout',
  method: 'POST',
  path: '/auth/logout',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1), redirect: z.string().nullable() }),
  refusals: [],
  summary: 'Log out',
  description: 'Ends this session and closes its sockets. `redirect` is the site\'s co-registration address; '
    + 'without one the page reloads.',
  requirements: ['A-342', 'A-343'],
});

export const logoutEverywhere = call({
  name: 'accounts.logoutEverywhere',
  method: 'POST',
  path: '/auth/logout_everywhere',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1), sessions: z.int() }),
  refusals: [],
  summary: 'Log out everywhere',
  description: 'Ends every session of this person, this one included.',
});

export const changePassword = call({
  name: 'accounts.changePassword',
  method: 'POST',
  path: '/auth/change_password',
  access: 'member',
  credential: 'cookie',
  input: z.object({ current: z.string().min(1).max(256), next: z.string().max(256) }),
  output: z.object({ status: z.literal(1) }),
  refusals: [badCredentials, loginLocked, passwordTooShort, passwordTooCommon],
  limit: CREDENTIAL_LIMIT,
  summary: 'Change the password',
  description: 'Ends every other session of this person.',
});

export const requestPasswordReset = call({
  name: 'accounts.requestPasswordReset',
  method: 'POST',
  path: '/auth/request_password_reset',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ email: z.email().max(254) }),
  output: z.object({ status: z.literal(1) }),
  refusals: [],
  limit: CREDENTIAL_LIMIT,
  summary: 'Ask for a new password',
  description: 'Sends a link to the address if an account has it, a few times an hour. The answer is always '
    + 'the same.',
  requirements: ['A-075'],
});

export const resetPassword = call({
  name: 'accounts.resetPassword',
  method: 'POST',
  path: '/auth/reset_password',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ token: z.string().max(1024), next: z.string().max(256) }),
  output: z.object({ status: z.literal(1) }),
  refusals: [resetLinkInvalid, passwordTooShort, passwordTooCommon],
  limit: CREDENTIAL_LIMIT,
  summary: 'Set a new password',
  description: 'With the token of the link in the email, once within an hour. Ends every other '
    + 'session of the person and confirms the address.',
});

export const aboutBlocked = refusal({
  slice: 'accounts',
  code: 'about_blocked',
  kind: 'invalid',
  description: 'The profile text has a word that the operator blocked.',
});
export const displayNameRefused = refusal({
  slice: 'accounts',
  code: 'display_name_refused',
  kind: 'invalid',
  description: 'The name shows nothing, is an address, or poses as the staff of the site.',
});
export const updateProfile = call({
  name: 'accounts.updateProfile',
  method: 'POST',
  path: '/user/profile',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    display_name: z.string().max(MAX_DISPLAY_NAME).optional(),
    gender: Gender.nullable().optional(),
    about: z.string().max(2000).regex(PLAIN_TEXT).optional(),
    languages: z.array(z.string().regex(LANGUAGE_CODE)).max(MAX_LANGUAGES).optional(),
    /** An empty text removes one. The Twitter name is the setting `twitter`. */
    social_media: z.object({
      amazon: z.string().max(240).regex(AMAZON_ADDRESS),
      bluesky: z.string().max(254).regex(BLUESKY_NAME),
      instagram: z.string().max(31).regex(INSTAGRAM_NAME),
    }).partial().optional(),
  }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [aboutBlocked, displayNameRefused],
  summary: 'Change the own profile',
  description: 'Fields left out stay as they are. `about` is a performer’s bio: plain text, cleaned, without '
    + 'words that the operator blocked.',
  requirements: ['A-344'],
});

export const confirmEmail = call({
  name: 'accounts.confirmEmail',
  method: 'POST',
  path: '/auth/confirm_email',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ token: z.string().max(1024) }),
  output: z.object({ status: z.literal(1) }),
  refusals: [linkInvalid, mailboxFull, confirmLoggedOut],
  limit: CREDENTIAL_LIMIT,
  summary: 'Confirm an email address',
  description: 'With the token of the link in the email: the address of the account in any browser, or the '
    + 'one that a confirmed address changes to, where the account is logged in. Confirming again succeeds.',
});

/** Sent to every open tab of a session that ended. */
export const loggedOut = event({
  name: 'v3.logout',
  socket: 'both',
  from: 'server',
  shape: z.object({}),
  description: 'The session ended; the client reloads.',
  requirements: ['A-385'],
});

/** Sent to every open tab of a session that another session of the same browser replaced. */
export const sessionReplaced = event({
  name: 'v3.session.replaced',
  socket: 'both',
  from: 'server',
  closes: 'reseat',
  shape: z.object({}),
  description: 'The session goes on under another id; the client connects again at once.',
});

export const personRegistered = fact({
  name: 'accounts.registered',
  shape: z.object({ personId: z.int(), username: z.string(), type: z.enum(['user', 'model']) }),
  description: 'Somebody signed up.',
});
export const personChanged = fact({
  name: 'accounts.personChanged',
  shape: z.object({
    personId: z.int(),
    username: z.string(),
    type: z.enum(['user', 'model']),
    isSuspended: z.boolean(),
  }),
  description: 'What others see of somebody changed: the profile, or whether they are shown at all, which '
    + 'nobody is who is suspended or deletes the account.',
});
export const sessionsEnded = fact({
  name: 'accounts.sessionsEnded',
  shape: z.object({ personId: z.int(), sessionIds: z.array(z.string()) }),
  description: 'Sessions ended by log-out, password change or suspension: sockets and streams close.',
});
