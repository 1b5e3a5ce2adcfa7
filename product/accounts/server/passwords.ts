import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import { randomId } from '../../../platform/data/ids.ts';
import { ARGON2, checkPassword, isCurrentHash, MIN_PASSWORD_LENGTH, normalizePassword } from '../rules.ts';

/** About 18,000 passwords that leaked most often, of those long enough to be tried; lower case. */
const COMMON: ReadonlySet<string> = new Set(
  (dictionary['passwords-common'] as readonly string[]).filter(({ length }) => length >= MIN_PASSWORD_LENGTH),
);

/** The library's name for argon2id is a constant of its types alone. */
const ARGON2ID: Algorithm.Argon2id = 2;

/** Why a password cannot be chosen for a username, or null. */
export const refusePassword = (password: string, username: string): ReturnType<typeof checkPassword> =>
  checkPassword(password, username, (text) => COMMON.has(text));

/** The PHC string of a password under today's parameters. About 20 ms of one core, off the main thread. */
export const hashPassword = (password: string): Promise<string> =>
  hash(normalizePassword(password), {
    algorithm: ARGON2ID, memoryCost: ARGON2.memoryKib, timeCost: ARGON2.passes, parallelism: ARGON2.lanes,
  });

export interface Verdict {
  readonly isRight: boolean;
  /** The hash to keep from now on, where the kept one is of older parameters. */
  readonly renewed: string | null;
}

/**
 * Checks a password; where there is no account or no password, a decoy takes the same time and never fits.
 */
export type PasswordChecker = (password: string, kept: string | null) => Promise<Verdict>;

export function passwordChecker(): PasswordChecker {
  const decoy = hashPassword(randomId());
  return async (password, kept) => {
    const fits = await verify(kept ?? (await decoy), normalizePassword(password));
    const isRight = fits && kept !== null;
    return { isRight, renewed: isRight && !isCurrentHash(kept) ? await hashPassword(password) : null };
  };
}
