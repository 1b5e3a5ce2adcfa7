import { call, type RateLimit } from '#platform/contract/call.ts';
import { hostRefusals, refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { badCredentials, codeRequired, codeWrong, inDeletion, loginLocked, suspended } from '../contract.ts';
import { PLAIN_LINE } from '../rules.ts';
import {
  BASE64URL,
  MAX_ANSWER_PART_LENGTH,
  MAX_CREDENTIAL_ID_LENGTH,
  MAX_PASSKEY_NAME_LENGTH,
  MAX_TRANSPORTS,
  MAX_USER_HANDLE_LENGTH,
  TRANSPORT,
} from '../rules/passkeys.ts';
import { CurrentUser } from './current-user.ts';
import { wayInUnchecked } from './life/ways-in.ts';

const slice = 'accounts';
export const confirmationNeeded = refusal({
  slice,
  code: 'confirmation_needed',
  kind: 'denied',
  description: 'The log-in is older than ten minutes: the password comes along, or a new log-in before it.',
});
export const challengeOver = refusal({
  slice,
  code: 'challenge_over',
  kind: 'conflict',
  description: 'The challenge was used, is older than five minutes, or was made for another session.',
});
export const passkeyRefused = refusal({
  slice,
  code: 'passkey_refused',
  kind: 'unauthenticated',
  description: 'No passkey of this site has made this answer. The same text whether it is known or not.',
});
export const passkeyUnknown = refusal({
  slice,
  code: 'passkey_unknown',
  kind: 'absent',
  description: 'No passkey of this person has the id.',
});
export const passkeyTaken = refusal({
  slice,
  code: 'passkey_taken',
  kind: 'conflict',
  description: 'This passkey is registered already.',
});
export const passkeyNameRefused = refusal({
  slice,
  code: 'passkey_name_refused',
  kind: 'invalid',
  description: 'Nothing of the name would be seen.',
});
export const tooManyPasskeys = refusal({
  slice,
  code: 'too_many_passkeys',
  kind: 'conflict',
  description: 'A person has at most ten passkeys.',
});
export const lastWayIn = refusal({
  slice,
  code: 'last_way_in',
  kind: 'conflict',
  description: 'Without it the person could not log in any more: they have no password yet.',
});

/** As for other credentials: a person does a few a minute. */
const LIMIT: RateLimit = { points: 20, seconds: 60, per: 'address' };
const own = { access: 'member', credential: 'cookie', limit: LIMIT } as const;

const CredentialId = z.string().min(1).max(MAX_CREDENTIAL_ID_LENGTH).regex(BASE64URL);
const Part = z.string().min(1).max(MAX_ANSWER_PART_LENGTH).regex(BASE64URL);
const UserHandle = z.string().min(1).max(MAX_USER_HANDLE_LENGTH).regex(BASE64URL);
/** Sealed by the server: the challenge, its person, its host, and its expiry. */
const Ticket = z.string().min(1).max(1024);
const Name = z.string().trim().min(1).max(MAX_PASSKEY_NAME_LENGTH).regex(PLAIN_LINE);

const Passkey = z.object({
  id: z.int(),
  name: z.string(),
  /** Host name of the site it logs in to: browsers offer it only there. */
  host: z.string(),
  /** ISO 8601; `used_at` is null until the first log-in. */
  created_at: z.string(),
  used_at: z.string().nullable(),
});
export type PasskeyView = z.infer<typeof Passkey>;
const Passkeys = z.object({
  passkeys: z.array(Passkey),
  /** What adding one needs: nothing more, the password, or a new log-in. */
  confirmation: z.enum(['none', 'password', 'log_in']),
});

export const listPasskeys = call({
  name: 'accounts.listPasskeys',
  method: 'GET',
  path: '/auth/passkeys',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: Passkeys,
  refusals: [],
  summary: 'The caller’s passkeys',
  description: 'The oldest first; a person has at most ten.',
});

export const beginPasskey = call({
  ...own,
  name: 'accounts.beginPasskey',
  method: 'POST',
  path: '/auth/passkeys/begin',
  input: z.object({
    password: z.string().min(1).max(256).optional(),
    /** From the authenticator app, with the password where two-step log-in is on. */
    code: z.string().max(32).optional(),
  }),
  output: z.object({
    ticket: Ticket,
    /** `PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3 §5.1.9). */
    options: z.object({
      rp: z.object({ id: z.string(), name: z.string() }),
      user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
      challenge: z.string(),
      pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
      timeout: z.int(),
      excludeCredentials: z.array(z.object({
        type: z.literal('public-key'),
        id: z.string(),
        transports: z.array(z.string()),
      })),
      authenticatorSelection: z.object({
        residentKey: z.literal('required'),
        requireResidentKey: z.literal(true),
        userVerification: z.literal('preferred'),
      }),
      attestation: z.literal('none'),
    }),
  }),
  refusals: [
    badCredentials,
    codeRequired,
    codeWrong,
    confirmationNeeded,
    loginLocked,
    tooManyPasskeys,
    hostRefusals.twoFactorRequired,
  ],
  summary: 'Begin with a passkey',
  description: 'Options for `navigator.credentials.create`, for this session and host, for five minutes.',
});

export const addPasskey = call({
  ...own,
  name: 'accounts.addPasskey',
  method: 'POST',
  path: '/auth/passkeys',
  input: z.object({
    ticket: Ticket,
    name: Name,
    credential: z.object({
      id: CredentialId,
      client_data: Part,
      attestation: Part,
      transports: z.array(z.string().regex(TRANSPORT)).max(MAX_TRANSPORTS),
    }),
  }),
  output: Passkeys,
  refusals: [
    challengeOver,
    loginLocked,
    passkeyNameRefused,
    passkeyRefused,
    passkeyTaken,
    tooManyPasskeys,
    hostRefusals.twoFactorRequired,
  ],
  summary: 'Add a passkey',
  description: 'With what the authenticator answered. An email says so.',
});

export const renamePasskey = call({
  ...own,
  name: 'accounts.renamePasskey',
  method: 'POST',
  path: '/auth/passkeys/rename',
  input: z.object({ id: z.int().positive(), name: Name }),
  output: Passkeys,
  refusals: [passkeyNameRefused, passkeyUnknown],
  summary: 'Rename a passkey',
  description: 'The caller’s own.',
});

export const removePasskey = call({
  ...own,
  name: 'accounts.removePasskey',
  method: 'POST',
  path: '/auth/passkeys/remove',
  input: z.object({ id: z.int().positive() }),
  output: Passkeys,
  refusals: [lastWayIn, passkeyUnknown, hostRefusals.twoFactorRequired],
  summary: 'Remove a passkey',
  description: 'It logs nobody in from then on. An email says so.',
});

export const beginPasskeyLogin = call({
  name: 'accounts.beginPasskeyLogin',
  method: 'POST',
  path: '/auth/passkeys/begin_login',
  access: 'anyone',
  credential: 'cookie',
  limit: { points: 60, seconds: 60, per: 'address' },
  input: z.object({}),
  output: z.object({
    ticket: Ticket,
    /** `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3 §5.1.10): any passkey of this host. */
    options: z.object({
      challenge: z.string(),
      rpId: z.string(),
      timeout: z.int(),
      userVerification: z.literal('preferred'),
    }),
  }),
  refusals: [],
  summary: 'Begin to log in by a passkey',
  description: 'Options for `navigator.credentials.get`, for this session and this host, for five minutes. '
    + 'They name nobody.',
});

export const loginByPasskey = call({
  name: 'accounts.loginByPasskey',
  method: 'POST',
  path: '/auth/passkeys/login',
  access: 'anyone',
  credential: 'cookie',
  limit: LIMIT,
  input: z.object({
    ticket: Ticket,
    credential: z.object({
      id: CredentialId,
      client_data: Part,
      authenticator_data: Part,
      signature: Part,
      user_handle: UserHandle,
    }),
    /** From the authenticator app, or a recovery code. */
    code: z.string().max(32).optional(),
  }),
  output: z.object({ status: z.literal(1), user: CurrentUser }),
  refusals: [
    challengeOver,
    codeRequired,
    codeWrong,
    inDeletion,
    loginLocked,
    passkeyRefused,
    suspended,
    wayInUnchecked,
  ],
  summary: 'Log in by a passkey',
  description: 'An authenticator that has verified its user counts as two steps. With two-step log-in on, '
    + 'another one is refused until the same answer comes with `code`.',
});
