import type { CallContext, PersonContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import { CallerGone } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { accountChanged } from '../../contract/life/username.ts';
import { lastWayIn } from '../../contract/passkeys.ts';
import { mayRemoveWayIn } from '../../rules/passkeys.ts';
import { isStaffRole } from '../../rules/staff/roles.ts';
import { findById, lockPerson, type Account } from '../../store.ts';
import { countWaysIn } from '../../store/passkeys.ts';
import { lockSession, steppedAtOf } from '../../store/sessions.ts';
import type { AccountEmails } from '../emails.ts';
import { publishChange } from '../person-changes.ts';
import type { RequiredStep } from './required-step.ts';

/**
 * Checks that the caller is still logged in, and stays so until the unit of work ends.
 * @throws CallerGone
 */
export async function stillIn(tx: Tx, { caller }: Pick<CallContext, 'caller'>): Promise<void> {
  const personId = await lockSession(tx, caller.sessionId ?? '');
  if (personId === null || personId !== caller.personId) throw new CallerGone();
}

/**
 * Locks the caller before a way to log in is added or removed. A recovery takes the same lock and ends their
 * sessions, so that an earlier request has no effect after it.
 * @throws CallerGone when they were logged out meanwhile
 */
export async function lockCaller(
  tx: Tx,
  context: Pick<PersonContext, 'caller' | 'personId'>,
): Promise<Account> {
  const person = await lockPerson(tx, context.personId);
  await stillIn(tx, context);
  return person;
}

/** Whether the caller's session lacks the second step of their staff account. */
export const isPassedBy = async (
  { step }: { readonly step: RequiredStep },
  tx: Tx,
  person: Account,
  { caller }: PersonContext,
): Promise<boolean> => step.isPassedBy(tx, { person, steppedAt: await steppedAtOf(tx, caller.sessionId) });

/** A new or removed second step gives or withholds a staff role, and that may change the shown name. */
export async function publishStep(tx: Tx, person: Account): Promise<void> {
  if (person.roles.some(isStaffRole)) await publishChange(tx, person);
}

/** A change of a way to log in, and what the email about it says. */
export interface WayInReport {
  readonly kind: Parameters<AccountEmails['wayIn']>[3];
  readonly values: Parameters<AccountEmails['wayIn']>[4];
  /** For the audit log. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Sends an email about it, writes to the audit log, and makes the person's tabs read their account again. */
export async function reportWayIn(
  { emails }: { readonly emails: AccountEmails },
  tx: Tx,
  context: CallContext,
  personId: number,
  { kind, values, detail }: WayInReport,
): Promise<void> {
  await tx.audit({
    action: `accounts.${kind}`,
    actorId: personId,
    subject: `person:${personId}`,
    ...(detail === undefined ? {} : { detail }),
  });
  await tx.send(personChannel(personId), accountChanged, {});
  const person = await findById(tx, personId);
  if (!person) return;
  await publishStep(tx, person);
  await emails.wayIn(tx, person, context, kind, values);
}

/**
 * Whether the caller may remove a way to log in; locks them, so that two requests cannot remove the last two.
 */
export const mayLoseWayIn = async (
  tx: Tx,
  context: PersonContext,
): Promise<
  typeof lastWayIn | null
> => (mayRemoveWayIn(await countWaysIn(tx, context.personId)) ? null : lastWayIn);
