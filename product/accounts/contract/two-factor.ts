import { call, type RateLimit } from '#platform/contract/call.ts';
import { hostRefusals, refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { badCredentials, codeWrong, loginLocked } from '../contract.ts';

export const twoFactorOn = refusal({
  slice: 'accounts',
  code: 'two_factor_on',
  kind: 'conflict',
  description: 'Two-step log-in is on already.',
});
export const twoFactorOff = refusal({
  slice: 'accounts',
  code: 'two_factor_off',
  kind: 'conflict',
  description: 'Two-step log-in is off, or nothing has begun that could be confirmed.',
});

/** As for other credentials: a person types a few a minute. */
const LIMIT: RateLimit = { points: 20, seconds: 60, per: 'address' };

export const TwoFactorState = z.object({ is_on: z.boolean(), recovery_codes_left: z.int() });
/** The codes are sent only this once, because only their digests are stored. */
const WithCodes = TwoFactorState.extend({ recovery_codes: z.array(z.string()) });
const Code = z.string().min(1).max(32);
const own = { access: 'member', credential: 'cookie', limit: LIMIT } as const;

export const getTwoFactor = call({
  name: 'accounts.getTwoFactor',
  method: 'GET',
  path: '/auth/two_factor',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: TwoFactorState,
  refusals: [],
  summary: 'Whether two-factor authentication is on',
  description: 'The caller’s own.',
});

export const beginTwoFactor = call({
  ...own,
  name: 'accounts.beginTwoFactor',
  method: 'POST',
  path: '/auth/two_factor/begin',
  input: z.object({ password: z.string().min(1).max(256) }),
  output: z.object({
    /** Base32 (RFC 4648 §6), for typing. */
    secret: z.string(),
    /** `otpauth://totp/…`, for a QR code. */
    uri: z.string(),
  }),
  refusals: [badCredentials, loginLocked, twoFactorOn, hostRefusals.twoFactorRequired],
  summary: 'Begin with two-step log-in',
  description: 'Makes a secret for an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s). Nothing changes '
    + 'until a code of it is confirmed; beginning again makes another secret.',
});

export const confirmTwoFactor = call({
  ...own,
  name: 'accounts.confirmTwoFactor',
  method: 'POST',
  path: '/auth/two_factor/confirm',
  input: z.object({ code: Code }),
  output: WithCodes,
  refusals: [codeWrong, loginLocked, twoFactorOff, twoFactorOn, hostRefusals.twoFactorRequired],
  summary: 'Turn two-step log-in on',
  description: 'With a code of the app. Answers ten recovery codes, once; an email says that it is on.',
});

export const renewRecoveryCodes = call({
  ...own,
  name: 'accounts.renewRecoveryCodes',
  method: 'POST',
  path: '/auth/two_factor/recovery_codes',
  input: z.object({ code: Code }),
  output: WithCodes,
  refusals: [codeWrong, loginLocked, twoFactorOff],
  summary: 'Make new recovery codes',
  description: 'Ten new ones; the others stop working.',
});

export const endTwoFactor = call({
  ...own,
  name: 'accounts.endTwoFactor',
  method: 'POST',
  path: '/auth/two_factor/end',
  input: z.object({ password: z.string().min(1).max(256), code: Code }),
  output: TwoFactorState,
  refusals: [badCredentials, codeWrong, loginLocked, twoFactorOff],
  summary: 'Turn two-step log-in off',
  description: 'With the password and a code of the app, or a recovery code. An email says that it is off.',
});
