import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { randomId } from '../../../platform/data/ids.ts';
import { ARGON2, checkPassword, isCurrentHash, MIN_PASSWORD_LENGTH, normalizePassword } from '../rules.ts';

/** About 18,000 passwords that leaked most often, of those long enough to be tried; lower case. */
const COMMON: ReadonlySet<string> = new Set(
  (dictionary['passwords-common'] as readonly string[]).filter(({ length }) => length >= MIN_PASSWORD_LENGTH),
);

/** The library exports its constant for argon2id as a type only. */
const ARGON2ID: Algorithm.Argon2id = 2;

/** Why a password is refused for a username, or null. */
export const checkNewPassword = (password: string, username: string): ReturnType<typeof checkPassword> =>
  checkPassword(password, username, (text) => COMMON.has(text));

/** The PHC string of a password under today's parameters. About 20 ms of one core, off the main thread. */
export const hashPassword = (password: string): Promise<string> =>
  hash(normalizePassword(password), {
    algorithm: ARGON2ID, memoryCost: ARGON2.memoryKib, timeCost: ARGON2.passes, parallelism: ARGON2.lanes,
  });

export interface PasswordCheck {
  readonly isRight: boolean;
  /** The hash to store instead, if the stored one has older parameters. */
  readonly renewed: string | null;
}

/**
 * Checks a password. Without an account or a password it checks a decoy, which takes the same time and never
 * matches.
 */
export type PasswordChecker = (password: string, stored: string | null) => Promise<PasswordCheck>;

export function passwordChecker(): PasswordChecker {
  const decoy = hashPassword(randomId());
  return async (password, stored) => {
    const fits = await verify(stored ?? (await decoy), normalizePassword(password));
    const isRight = fits && stored !== null;
    return { isRight, renewed: isRight && !isCurrentHash(stored) ? await hashPassword(password) : null };
  };
}
