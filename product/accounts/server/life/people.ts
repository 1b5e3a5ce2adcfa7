import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import type { Caller } from '#platform/contract/context.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import {
  getPerson,
  notSuspended,
  personUnknown,
  staffProtected,
  suspendPerson,
} from '../../contract/life/people.ts';
import { isAdmin } from '../../rules/permissions.ts';
import { mayResetStep, rolesToGive } from '../../rules/staff/roles.ts';
import type { SuspensionNotice } from '../../rules/staff/suspensions.ts';
import { findById, findByUsername, type Account } from '../../store.ts';
import { saveSuspensionNotice } from '../../store/staff/people.ts';
import { secondStepSince } from '../../store/two-factor.ts';
import { stillIn } from '../credentials/ways-in.ts';

/** Suspends somebody or lifts a suspension: `AccountsService.suspend`. */
type Suspend = (tx: Tx, personId: number, order: {
  suspended: boolean;
  actorId: number | null;
  reason: string;
  notice?: SuspensionNotice;
}) => Promise<void>;

/** Calls by which admins look up accounts and suspend them. */
export const peopleHandlers = (data: Data, suspend: Suspend): CallHandler[] => [
  handleCall(getPerson)(async ({ username }, { scope, caller, refuse }) => {
    const person = await data.tx(scope, async (tx) => {
      const found = await accountNamed(tx, username);
      if (found) {
        await tx.audit({ action: getPerson.name, actorId: caller.personId, subject: `person:${found.id}` });
      }
      return found && viewIn(tx, found, caller);
    });
    return person ?? refuse(personUnknown);
  }),
  handleCall(suspendPerson)(async (order, context) => {
    const { scope, caller, refuse } = context;
    const { username, suspended, reason } = order;
    const notice = { cause: order.cause ?? null, message: cleanLines(order.message ?? '') };
    const outcome = await data.tx(scope, async (tx) => {
      await stillIn(tx, context);
      const person = await accountNamed(tx, username);
      if (!person) return personUnknown;
      if (isAdmin(person.roles) || person.id === caller.personId) return staffProtected;
      if (order.only_change && person.suspendedAt === null) return notSuspended;
      if (suspended === (person.suspendedAt !== null)) {
        const changed = suspended && await changeNotice(tx, person, order, caller.personId);
        return viewIn(tx, changed ? await findById(tx, person.id) ?? person : person, caller);
      }
      await suspend(tx, person.id, { suspended, actorId: caller.personId, reason, notice });
      return viewIn(tx, await findById(tx, person.id) ?? person, caller);
    });
    return 'code' in outcome ? refuse(outcome) : outcome;
  }),
];

/**
 * Changes what a suspended person reads. The day of the suspension stays, and so does a cause or a message
 * that is left out. @returns whether anything changed
 */
async function changeNotice(
  tx: Tx,
  { id, suspensionCause, suspensionMessage }: Account,
  order: InputOf<typeof suspendPerson>,
  actorId: number | null,
): Promise<boolean> {
  const cause = order.cause ?? suspensionCause;
  const message = order.message === undefined ? suspensionMessage : cleanLines(order.message);
  if (cause === suspensionCause && message === suspensionMessage) return false;
  await saveSuspensionNotice(tx, id, { cause, message });
  await tx.audit({ action: 'accounts.suspend', actorId, subject: `person:${id}`, reason: order.reason });
  return true;
}

export async function accountNamed(tx: Tx, username: string): Promise<Account | null> {
  const found = await findByUsername(tx, normalizeUsername(username));
  return found && findById(tx, found.id);
}

/** An account as the calling admin sees it. */
export const viewIn = async (tx: Tx, person: Account, caller: Pick<Caller, 'roles' | 'personId'>) => ({
  username: person.username,
  display_name: person.displayName,
  type: person.type,
  roles: [...person.roles],
  roles_to_give: [...rolesToGive(caller, person)],
  step_to_reset: mayResetStep(caller, person)
    ? (await secondStepSince(tx, person.id))?.toISOString() ?? null
    : null,
  email_confirmed: person.emailConfirmedAt !== null,
  created_at: person.createdAt.toISOString(),
  last_login_at: person.lastLoginAt?.toISOString() ?? null,
  suspended_at: person.suspendedAt?.toISOString() ?? null,
  suspension_cause: person.suspensionCause,
  suspension_message: person.suspensionMessage || null,
  deletion_at: person.deletionAt?.toISOString() ?? null,
  erased_at: person.erasedAt?.toISOString() ?? null,
});
