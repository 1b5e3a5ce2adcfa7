import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';

/** A network that somebody did not log in from for so long is new again. */
export const NETWORK_MS = 90 * DAY_MS;
/** Networks remembered of one person; the one unused for longest goes first. */
export const MAX_NETWORKS = 20;

/** How long a code that was sent by email works. */
export const LOGIN_CODE_MS = 10 * MINUTE_MS;
/** Wrong codes before another one is needed. */
const LOGIN_CODE_TRIES = 5;
/** Asking again within this time sends no other email: the code that was sent still works. */
export const LOGIN_CODE_REST_MS = MINUTE_MS;
const LOGIN_CODE_DIGITS = 6;

/**
 * Whether a right password is not enough, because neither its browser nor its network was ever used by this
 * person: lists of stolen passwords are tried like that. A first log-in has nothing to be compared with.
 */
export const needsLoginCode = (
  { isKnownBrowser, isKnownNetwork, hasLoggedIn }: {
    readonly isKnownBrowser: boolean; readonly isKnownNetwork: boolean; readonly hasLoggedIn: boolean;
  },
): boolean => hasLoggedIn && !isKnownBrowser && !isKnownNetwork;

/** Six digits of a random number. @param random from 0 to below 1,000,000 */
export const loginCode = (random: number): string => String(random).padStart(LOGIN_CODE_DIGITS, '0');

/** What somebody typed as a code of digits, however spaced. */
export const typedLoginCode = (typed: string): string => typed.replaceAll(/\D/gu, '');

/** Whether a code that was sent can still be typed. */
export const isLoginCodeOpen = (
  { expiresAt, tries }: { readonly expiresAt: Date; readonly tries: number }, now: Date,
): boolean => expiresAt > now && tries < LOGIN_CODE_TRIES;
