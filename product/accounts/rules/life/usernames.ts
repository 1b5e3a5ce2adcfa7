/** Usernames that change, and names that look like another. Which names there are at all: `checkUsername`. */
import { DAY_MS } from '#platform/time/units.ts';

/** Somebody changes their name once in so long: more often, nobody could follow who is who. */
export const USERNAME_CHANGE_DAYS = 30;
/** Documents and calls find somebody by a former name for so long: by then links elsewhere are updated. */
export const FORMER_NAME_DAYS = 90;
/** Nobody else gets a former name before: who still knows it would take them for the person. */
export const RESERVED_NAME_DAYS = 365;

/**
 * The same for names that look the same in lower case: 0 and o, 1 and l, rn and m, vv and w, _ and - (as
 * Unicode UTS 39 does; letters of other scripts are in no name). The columns `skeleton` say the same.
 */
export const skeletonOf = (username: string): string => username.replaceAll('0', 'o').replaceAll('1', 'l')
  .replaceAll('_', '-').replaceAll('rn', 'm').replaceAll('vv', 'w');

/** A name without its separators: new ones differ from every other by more. */
export const bareOf = (username: string): string => username.replaceAll(/[-_]/gu, '');

/** The same for names that look the same without their separators. Indexes of the tables say the same. */
export const bareLookOf = (username: string): string => skeletonOf(bareOf(username));

/** A name without its separators and digits that are read as letters: who is called `adm1n` is no admin. */
export const readAs = (username: string): string => bareOf(username)
  .replaceAll('0', 'o').replaceAll('1', 'i').replaceAll('3', 'e').replaceAll('4', 'a').replaceAll('5', 's');

/** The same for letters that look alike to whoever reads fast: l and i, rn and m, vv and w. */
export const foldedOf = (letters: string): string =>
  letters.replaceAll('l', 'i').replaceAll('rn', 'm').replaceAll('vv', 'w');

/** From when on somebody may change their name again. */
export const changeableAt = (changedAt: Date): Date =>
  new Date(changedAt.getTime() + USERNAME_CHANGE_DAYS * DAY_MS);
