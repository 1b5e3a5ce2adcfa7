/**
 * Changing a username, and names that look like another. `checkUsername` decides which names are possible.
 */
import { DAY_MS } from '#platform/time/units.ts';

/** Days between two changes of a name: with more changes, nobody could follow who is who. */
export const USERNAME_CHANGE_DAYS = 30;
/** Pages and calls find somebody by a former name this long; by then links elsewhere are updated. */
export const FORMER_NAME_DAYS = 90;
/** Nobody else gets a former name before: people who remember it would take them for its former owner. */
export const RESERVED_NAME_DAYS = 365;

/**
 * Equal for names that look alike in lower case: 0 and o, 1 and l, rn and m, vv and w, _ and - (as in Unicode
 * UTS 39; names have no letters of other scripts). The columns `skeleton` hold the same.
 */
export const skeletonOf = (username: string): string =>
  username.replaceAll('0', 'o').replaceAll('1', 'l')
    .replaceAll('_', '-').replaceAll('rn', 'm').replaceAll('vv', 'w');

/** A name without its separators: a new name must differ from every other by more than those. */
export const bareOf = (username: string): string => username.replaceAll(/[-_]/gu, '');

/**
 * Equal for names that look alike without their separators. Indexes of the tables use the same expression.
 */
export const bareLookOf = (username: string): string => skeletonOf(bareOf(username));

/** A name without separators, and with digits read as letters, so that `adm1n` reads as `admin`. */
export const readAs = (username: string): string =>
  bareOf(username)
    .replaceAll('0', 'o').replaceAll('1', 'i').replaceAll('3', 'e').replaceAll('4', 'a').replaceAll('5', 's');

/** Equal for letters that look alike at a glance: l and i, rn and m, vv and w. */
export const foldedOf = (letters: string): string =>
  letters.replaceAll('l', 'i').replaceAll('rn', 'm').replaceAll('vv', 'w');

/** When somebody may change their name again. */
export const changeableAt = (changedAt: Date): Date =>
  new Date(changedAt.getTime() + USERNAME_CHANGE_DAYS * DAY_MS);
