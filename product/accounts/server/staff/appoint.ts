import type { Scope } from '#platform/contract/context.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { dayOf } from '#platform/time/days.ts';
import { checkBirthDate, checkUsername, MIN_AGE_YEARS, normalizeEmail } from '../../rules.ts';
import { usernameOfEmail } from '../../rules/staff/usernames.ts';
import { deletePassword, findOwner, type Account } from '../../store.ts';
import { deleteFormerEmails } from '../../store/life/former-emails.ts';
import type { RetiredNames } from '../deletion/retired-names.ts';
import type { AccountEmails } from '../emails.ts';
import type { Recovery } from '../recovery/recovery.ts';
import { createAccount } from '../sign-up.ts';
import { makeChief } from './first-admin.ts';

/** Names tried where the name from somebody's address is taken. */
const NAMES_TRIED = 20;

/** The person whom the operator of the machine makes an admin. */
export interface Appointment {
  readonly email: string;
  /** Derived from the address where left out. */
  readonly username?: string | undefined;
  /** ISO date. Where left out, the account counts as just old enough: the least that a site must know. */
  readonly birthDate?: string | undefined;
  /** Origin of the link. */
  readonly origin: string;
}

export type Appointed =
  | { readonly username: string; readonly isNew: boolean; readonly passwordLink: string | null }
  | { readonly refused: 'username' | 'taken' | 'birth_date' | 'inactive' };

export interface AppointParts {
  readonly data: Data;
  readonly emails: Pick<AccountEmails, 'resetLink'>;
  readonly retiredNames: RetiredNames;
  readonly recovery: Pick<Recovery, 'end' | 'proveAddress'>;
}

/**
 * Makes the account of an address an admin, or opens one. The operator of the machine vouches for the
 * address. A new account has no password, nor has one whose holder never proved the address; the link sets
 * one, once and within an hour.
 */
export function appoint(
  { data, emails, retiredNames, recovery }: AppointParts,
  scope: Scope,
  asked: Appointment,
): Promise<Appointed> {
  const email = normalizeEmail(asked.email);
  return data.tx(scope, async (tx) => {
    const today = dayOf(tx.now);
    const birthDate = asked.birthDate ?? youngest(today);
    if (checkBirthDate(birthDate, today) !== null) return { refused: 'birth_date' };
    const owner = await findOwner(tx, email);
    if (owner) {
      if (owner.inactiveSince !== null) return { refused: 'inactive' };
      const isProven = owner.addressProvenAt !== null;
      if (!isProven) await takeOver(recovery, tx, owner.id);
      await makeChief(tx, owner, { actorId: null, how: 'the command on the machine' });
      const passwordLink = isProven ? null : await emails.resetLink(tx, owner, asked.origin);
      return { username: owner.username, isNew: false, passwordLink };
    }
    const names = asked.username === undefined ? usernameOfEmail(email, NAMES_TRIED) : [asked.username];
    if (names.every((name) => checkUsername(name) === 'username_invalid')) return { refused: 'username' };
    const person = await firstOf(names, (username) => (checkUsername(username) === null
      ? createAccount(tx, scope, {
        username,
        email,
        birthDate,
        type: 'user',
        displayName: normalizeUsername(username),
      }, { passwordHash: null, isEmailConfirmed: true, retiredNames })
      : Promise.resolve(null)));
    if (!person) return { refused: 'taken' };
    await makeChief(tx, person, { actorId: null, how: 'the command on the machine' });
    const passwordLink = await emails.resetLink(tx, person, asked.origin);
    return { username: person.username, isNew: true, passwordLink };
  });
}

/**
 * The command is the first proof of an address that somebody else may have signed up with. So their ways to
 * log in end, including the password and the links to earlier addresses.
 */
async function takeOver(recovery: AppointParts['recovery'], tx: Tx, personId: number): Promise<void> {
  await recovery.proveAddress(tx, personId);
  await recovery.end(tx, personId);
  await deletePassword(tx, personId);
  await deleteFormerEmails(tx, personId, tx.now);
}

async function firstOf(
  names: readonly string[],
  make: (username: string) => Promise<Account | null>,
): Promise<Account | null> {
  for (const name of names) {
    const made = await make(name);
    if (made) return made;
  }
  return null;
}

/** The birthday of somebody who comes of age today; never February 29, which not every year has. */
function youngest(today: string): string {
  const day = today.slice(5) === '02-29' ? '02-28' : today.slice(5);
  return `${Number(today.slice(0, 4)) - MIN_AGE_YEARS}-${day}`;
}
