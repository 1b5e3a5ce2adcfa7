import type { CallContext, Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { isLocale, THEME_COOKIE } from '#product/site/rules.ts';
import {
  birthDateInvalid,
  passwordTooCommon,
  passwordTooShort,
  personRegistered,
  underage,
  usernameInvalid,
  usernameTaken,
} from '../contract.ts';
import type { StoredSettings } from '../contract/settings.ts';
import {
  checkBirthDate,
  checkUsername,
  normalizeEmail,
  type AccountType,
  type GenderCode,
  type RoleName,
} from '../rules.ts';
import { insertPerson, type Account } from '../store.ts';
import { takeName } from '../store/life/usernames.ts';
import { checkNewPassword } from './credentials/passwords.ts';
import type { RetiredNames } from './deletion/retired-names.ts';

/** What a person enters to sign up. */
export interface SignUp {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  /** ISO date. */
  readonly birthDate: string;
  readonly type: AccountType;
  readonly displayName?: string;
  readonly gender?: GenderCode | null;
  readonly about?: string;
  readonly languages?: readonly string[];
  readonly avatarUrl?: string | null;
  readonly roles?: readonly RoleName[];
  /** Settings chosen before there was an account. */
  readonly settings?: StoredSettings;
}

export const REFUSALS = {
  username_invalid: usernameInvalid,
  username_taken: usernameTaken,
  password_too_short: passwordTooShort,
  password_too_common: passwordTooCommon,
  underage,
  birth_date_invalid: birthDateInvalid,
};
export type SignUpRefusal = keyof typeof REFUSALS;

/** Why a sign-up is refused, before checking whether its names are free. @param today ISO date. */
export const checkSignUp = (signUp: SignUp, today: string): SignUpRefusal | null =>
  checkUsername(signUp.username)
    ?? checkBirthDate(signUp.birthDate, today)
    ?? checkNewPassword(signUp.password, signUp.username);

/**
 * A guest's settings of appearance and the language they read the site in stay theirs when they sign up:
 * emails, which are written without a request, use that language.
 */
export const settingsOfGuest = (
  { cookie, locale }: Pick<CallContext, 'cookie' | 'locale'>,
): StoredSettings => ({
  ...(isLocale(locale) ? { locale } : {}),
  ...(cookie(THEME_COOKIE) === 'light' ? { dark_mode_enabled: false } : {}),
});

/**
 * Creates the account of a checked sign-up and publishes the fact; null where `insertPerson` returns null.
 */
export async function createAccount(
  tx: Tx,
  scope: Scope,
  signUp: Omit<SignUp, 'password'>,
  { retiredNames, ...proof }: {
    passwordHash: string | null;
    isEmailConfirmed: boolean;
    createdAt?: Date;
    retiredNames: RetiredNames;
  },
): Promise<Account | null> {
  const username = normalizeUsername(signUp.username);
  if (!(await takeName(tx, username, null)) || await retiredNames.isTaken(tx, username)) return null;
  const account = await insertPerson(tx, {
    siteId: scope.siteId,
    username,
    displayName: signUp.displayName ?? signUp.username.trim(),
    email: normalizeEmail(signUp.email),
    type: signUp.type,
    gender: signUp.gender ?? null,
    birthDate: signUp.birthDate,
    about: signUp.about ?? '',
    languages: signUp.languages ?? [],
    avatarUrl: signUp.avatarUrl ?? null,
    roles: signUp.roles ?? [],
    settings: signUp.settings ?? {},
    ...proof,
  });
  if (!account) return null;
  const { id: personId, type } = account;
  await tx.publish(personRegistered, `person:${personId}`, { personId, username, type });
  return account;
}
