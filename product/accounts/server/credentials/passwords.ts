import { randomId } from '#platform/data/ids.ts';
import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import {
  checkPassword,
  isCurrentHash,
  MIN_PASSWORD_LENGTH,
  normalizePassword,
  type PasswordCost,
} from '../../rules.ts';

/** About 18,000 of the most often leaked passwords that are long enough to be tried; lower case. */
const COMMON: ReadonlySet<string> = new Set(
  (dictionary['passwords-common'] as readonly string[]).filter(({ length }) => length >= MIN_PASSWORD_LENGTH),
);

/** The library exports its constant for argon2id as a type only. */
const ARGON2ID: Algorithm.Argon2id = 2;

/** Why a password is refused for a username, or null. */
export const checkNewPassword = (password: string, username: string): ReturnType<typeof checkPassword> =>
  checkPassword(password, username, (text) => COMMON.has(text));

export interface PasswordCheck {
  readonly isRight: boolean;
  /** The hash to store instead, if the stored one has older parameters. */
  readonly renewed: string | null;
}

/** Hashes and checks passwords with Argon2id, off the main thread: about 20 ms of one core at full cost. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #decoy: Promise<string>;

  constructor(cost: PasswordCost) {
    this.#cost = cost;
    this.#decoy = this.hash(randomId());
  }

  /** The PHC string of a password. */
  hash(password: string): Promise<string> {
    const { memoryKib, passes, lanes } = this.#cost;
    return hash(normalizePassword(password), {
      algorithm: ARGON2ID,
      memoryCost: memoryKib,
      timeCost: passes,
      parallelism: lanes,
    });
  }

  /** Without an account or a password it checks a decoy, which takes as long and never matches. */
  async check(password: string, stored: string | null): Promise<PasswordCheck> {
    const fits = await verify(stored ?? (await this.#decoy), normalizePassword(password));
    const isRight = fits && stored !== null;
    const isOld = isRight && !isCurrentHash(stored, this.#cost);
    return { isRight, renewed: isOld ? await this.hash(password) : null };
  }
}
