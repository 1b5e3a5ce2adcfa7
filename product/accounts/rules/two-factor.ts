import { DAY_MS } from '#platform/time/units.ts';
import { isStaffRole } from './staff/roles.ts';

/** How many recovery codes a person gets at once. */
export const RECOVERY_CODES = 10;
/** Characters of a recovery code: 60 bits, far beyond what ten attempts in 15 minutes can guess. */
const RECOVERY_LENGTH = 12;
/** 32 digits and letters that are not mistaken for each other in handwriting. */
const RECOVERY_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz0';

/** The codes one time step earlier and later count too: clocks of phones differ (RFC 6238 §5.2). */
export const STEP_SECONDS = 30;

export type SecondStep =
  | { readonly kind: 'app'; readonly code: string }
  | { readonly kind: 'recovery'; readonly code: string };

/** Reads a typed second step: six digits from an app, else a recovery code, however spaced. */
export function secondStepOf(typed: string): SecondStep {
  const code = typed.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
  return /^\d{6}$/u.test(code) ? { kind: 'app', code } : { kind: 'recovery', code };
}

/** A recovery code from random bytes, such as `k3mx-9aqp-72hd`. @param bytes at least twelve */
export function recoveryCode(bytes: Uint8Array): string {
  const letters = [...bytes.subarray(0, RECOVERY_LENGTH)].map((byte) => RECOVERY_ALPHABET[byte % 32]);
  return letters.join('').replaceAll(/(.{4})(?=.)/gu, '$1-');
}

/** How long staff and performers have to set up two-step log-in or a passkey where that is required. */
const TWO_FACTOR_GRACE_MS = 7 * DAY_MS;

/** Whether a role needs a second step where that is required: those of staff, and the performer's. */
export const isConcerned = (role: string): boolean => role === 'performer' || isStaffRole(role);

/** When the time is up: it begins when the rule was switched on, or when a younger account was created. */
export const twoFactorDue = (since: Date, createdAt: Date): Date =>
  new Date(Math.max(since.getTime(), createdAt.getTime()) + TWO_FACTOR_GRACE_MS);
