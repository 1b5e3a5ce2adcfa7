import { DAY_MS } from '#platform/time/units.ts';
import { isStaffRole } from './staff/roles.ts';

/** Recovery codes that a person gets at once. */
export const RECOVERY_CODES = 10;
/** Characters of a recovery code: 60 bits, far beyond what ten attempts in 15 minutes can guess. */
const RECOVERY_LENGTH = 12;
/** Digits and letters that nobody mistakes for each other when they are written down: 32 of them. */
const RECOVERY_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz0';

/** Codes of one time step earlier or later count: clocks of phones differ (RFC 6238 §5.2). */
export const STEP_SECONDS = 30;

export type SecondStep =
  | { readonly kind: 'app'; readonly code: string }
  | { readonly kind: 'recovery'; readonly code: string };

/** What somebody typed as their second step: six digits of an app, else a recovery code, however spaced. */
export function secondStepOf(typed: string): SecondStep {
  const code = typed.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
  return /^\d{6}$/u.test(code) ? { kind: 'app', code } : { kind: 'recovery', code };
}

/** A recovery code of random bytes, such as `k3mx-9aqp-72hd`. @param bytes at least twelve */
export function recoveryCode(bytes: Uint8Array): string {
  const letters = [...bytes.subarray(0, RECOVERY_LENGTH)].map((byte) => RECOVERY_ALPHABET[byte % 32]);
  return letters.join('').replaceAll(/(.{4})(?=.)/gu, '$1-');
}

/** Time that staff and performers have to set up two-step log-in or a passkey, where that is required. */
const TWO_FACTOR_GRACE_MS = 7 * DAY_MS;

/** Roles that wait for two-step log-in where it is required: those of staff, and the performer's. */
export const isConcerned = (role: string): boolean => role === 'performer' || isStaffRole(role);

/** When the time is up: it begins when the rule was switched on, or with an account that is younger. */
export const twoFactorDue = (since: Date, createdAt: Date): Date =>
  new Date(Math.max(since.getTime(), createdAt.getTime()) + TWO_FACTOR_GRACE_MS);
