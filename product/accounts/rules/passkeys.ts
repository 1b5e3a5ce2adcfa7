/** More devices and key rings than anybody owns; each is one more way to log in. */
export const MAX_PASSKEYS = 10;
/** Time to unlock a phone or to fetch a key; then the challenge expires (WebAuthn Level 3 §13.4.3). */
export const CHALLENGE_SECONDS = 5 * 60;
/** After a log-in this recent nobody has to prove who they are to add a way to log in. */
const FRESH_LOGIN_SECONDS = 10 * 60;
/** Characters of a passkey's name; the column of `accounts.passkeys` holds no more. */
export const MAX_PASSKEY_NAME_LENGTH = 40;

/** Longest credential id: 1,023 bytes (WebAuthn Level 3 §4), in base64url. */
export const MAX_CREDENTIAL_ID_LENGTH = 1_364;
/** Longest user handle: 64 bytes (WebAuthn Level 3 §4), in base64url. */
export const MAX_USER_HANDLE_LENGTH = 86;
/** Longest part of an answer: post-quantum keys and signatures are shorter. */
export const MAX_ANSWER_PART_LENGTH = 8_192;
/** base64url without padding (RFC 4648 §5). */
export const BASE64URL = /^[A-Za-z0-9_-]+$/u;
/** Ways to reach an authenticator, such as `usb` and `hybrid`; new ones may come. */
export const TRANSPORT = /^[a-z-]{1,24}$/u;
export const MAX_TRANSPORTS = 8;

/** What somebody has to do before they may add a way to log in. */
export type Confirmation = 'none' | 'password' | 'log_in';

/**
 * How somebody proves who they are before a way to log in is added: not at all soon after a log-in; with the
 * password where there is one; otherwise by a new log-in.
 */
export function confirmationOf(
  { startedAt, hasPassword }: { readonly startedAt: Date; readonly hasPassword: boolean },
  now: Date,
): Confirmation {
  if (now.getTime() - startedAt.getTime() < FRESH_LOGIN_SECONDS * 1000) return 'none';
  return hasPassword ? 'password' : 'log_in';
}

/** Whether a way to log in may be removed: never the last one. */
export const mayRemoveWayIn = (ways: number): boolean => ways > 1;
