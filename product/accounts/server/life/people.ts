import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import type { Data, Tx } from '../../../../platform/data/data.ts';
import { normalizeUsername } from '../../../../platform/text/usernames.ts';
import { getPerson, personUnknown, staffProtected, suspendPerson } from '../../contract/life/people.ts';
import { isAdmin } from '../../rules/permissions.ts';
import { findById, findByUsername, type Account } from '../../store.ts';

/** Suspends somebody or lifts it: `AccountsService.suspend`. */
type Suspend = (tx: Tx, personId: number, order: {
  suspended: boolean; actorId: number | null; reason: string;
}) => Promise<void>;

/** Accounts, as admins look them up and suspend them. */
export const peopleHandlers = (data: Data, suspend: Suspend): CallHandler[] => [
  handleCall(getPerson)(async ({ username }, { scope, refuse }) => {
    const person = await data.tx(scope, (tx) => accountNamed(tx, username));
    return person ? viewOf(person) : refuse(personUnknown);
  }),
  handleCall(suspendPerson)(async ({ username, suspended, reason }, { scope, caller, refuse }) => {
    const outcome = await data.tx(scope, async (tx) => {
      const person = await accountNamed(tx, username);
      if (!person) return personUnknown;
      if (isAdmin(person.roles) || person.id === caller.personId) return staffProtected;
      // Twice the same keeps the day of the first.
      if (suspended === (person.suspendedAt !== null)) return person;
      await suspend(tx, person.id, { suspended, actorId: caller.personId, reason });
      return { ...person, suspendedAt: suspended ? tx.now : null };
    });
    return 'code' in outcome ? refuse(outcome) : viewOf(outcome);
  }),
];

async function accountNamed(tx: Tx, username: string): Promise<Account | null> {
  const found = await findByUsername(tx, normalizeUsername(username));
  return found && findById(tx, found.id);
}

const viewOf = (person: Account) => ({
  username: person.username, display_name: person.displayName, type: person.type, roles: [...person.roles],
  email_confirmed: person.emailConfirmedAt !== null, created_at: person.createdAt.toISOString(),
  last_login_at: person.lastLoginAt?.toISOString() ?? null,
  suspended_at: person.suspendedAt?.toISOString() ?? null,
  deletion_at: person.deletionAt?.toISOString() ?? null,
  erased_at: person.erasedAt?.toISOString() ?? null,
});
