import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';

/** A network without a log-in by the person for so long counts as new again. */
export const NETWORK_MS = 90 * DAY_MS;
/** Networks remembered per person; the one unused for longest is dropped first. */
export const MAX_NETWORKS = 20;

/** How long a code sent by email works. */
export const LOGIN_CODE_MS = 10 * MINUTE_MS;
/** Wrong codes before a new one is needed. */
const LOGIN_CODE_TRIES = 5;
/** Asking again within this time sends no second email: the first code still works. */
export const LOGIN_CODE_REST_MS = MINUTE_MS;
const LOGIN_CODE_DIGITS = 6;

/**
 * Whether a right password is not enough, because this person never used the browser or the network: that is
 * how lists of stolen passwords are tried. A first log-in has nothing to be compared with.
 */
export const needsLoginCode = (
  { isKnownBrowser, isKnownNetwork, hasLoggedIn }: {
    readonly isKnownBrowser: boolean;
    readonly isKnownNetwork: boolean;
    readonly hasLoggedIn: boolean;
  },
): boolean => hasLoggedIn && !isKnownBrowser && !isKnownNetwork;

/** Six digits from a random number. @param random from 0 to below 1,000,000 */
export const loginCode = (random: number): string => String(random).padStart(LOGIN_CODE_DIGITS, '0');

/** The digits of a typed code, however it was spaced. */
export const typedLoginCode = (typed: string): string => typed.replaceAll(/\D/gu, '');

/** Whether the code sent last still works. */
export const isLoginCodeOpen = (
  { expiresAt, tries }: { readonly expiresAt: Date; readonly tries: number },
  now: Date,
): boolean => expiresAt > now && tries < LOGIN_CODE_TRIES;
