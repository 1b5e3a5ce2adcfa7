import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import {
  debtOpen,
  getDeletion,
  keepAccount,
  keepOver,
  lastAdmin,
  nameNotTyped,
  requestDeletion,
} from '../../contract/life/deletion.ts';
import { closingPart, type Consequences } from '../../extension-points.ts';
import {
  deletionObstacle,
  deletionTime,
  reminderTime,
  type DeletionObstacle,
} from '../../rules/life/deletion.ts';
import { isAdmin } from '../../rules/permissions.ts';
import { findById, lockPerson, type Account } from '../../store.ts';
import { hasOtherAdmin, saveDeletion } from '../../store/life/deletion.ts';
import { confirmationIn } from '../credentials/confirmation.ts';
import { lockCaller } from '../credentials/ways-in.ts';
import { provesIt } from '../life/proof.ts';
import { publishChange } from '../person-changes.ts';
import { enter, entered, type SignInParts } from '../sign-in.ts';
import { sendDeletionEmail, type DeletionEmailParts } from './deletion-emails.ts';

/** Deadline that reminds somebody that their account is about to be erased. */
export const REMINDER = 'accounts.deletionReminder';
/** Deadline that erases somebody. */
export const ERASURE = 'accounts.erasure';

export interface DeletionParts extends SignInParts, Pick<DeletionEmailParts, 'notices'> {
  readonly extensions: Extensions;
}

const OBSTACLES = { debt_open: debtOpen, last_admin: lastAdmin };

/** Calls that show what deletion means, ask for it, and keep the account after all. */
export const deletionHandlers = (parts: DeletionParts): CallHandler[] => [
  handleCall(getDeletion)(async (_input, context) =>
    parts.data.tx(context.scope, async (tx) => {
      const person = await lockPerson(tx, context.personId);
      const { tokens, earned, membership, owed } = await consequencesOf(parts, tx, person.id);
      return {
        username: person.username,
        deletion_at: deletionTime(tx.now).toISOString(),
        tokens,
        earned,
        membership: membership && {
          name: membership.name,
          ends_at: membership.endsAt.toISOString(),
          renews: membership.renews,
        },
        obstacle: await obstacleOf(tx, person, owed),
        confirmation: await confirmationIn(tx, context, { isAlways: true }),
      };
    })
  ),
  requestHandler(parts),
  keepHandler(parts),
];

/** What a person who leaves has at the site, and what ends, from all slices. */
export async function consequencesOf(
  { extensions }: Pick<DeletionParts, 'extensions'>,
  tx: Tx,
  personId: number,
): Promise<Consequences> {
  const found: Consequences = { tokens: 0, earned: 0, held: 0, owed: 0, membership: null };
  for (const { consequences } of extensions.all(closingPart)) {
    Object.assign(found, await consequences(tx, personId));
  }
  return found;
}

async function obstacleOf(tx: Tx, person: Account, owed: number): Promise<DeletionObstacle | null> {
  const isLastAdmin = isAdmin(person.roles) && !(await hasOtherAdmin(tx, person.id));
  return deletionObstacle({ owed, isLastAdmin });
}

const requestHandler = (parts: DeletionParts): CallHandler =>
  handleCall(requestDeletion)(async ({ username: typed, ...proof }, context) => {
    const { data, sessions } = parts;
    const { scope, caller, refuse } = context;
    if (normalizeUsername(typed) !== caller.username) return refuse(nameNotTyped);
    const doubt = await provesIt(parts, context, proof, { isAlways: true });
    if (doubt) return refuse(...doubt);
    const outcome = await data.tx(scope, async (tx) => {
      const person = await lockCaller(tx, context);
      // Another tab was faster.
      if (person.deletionAt !== null) return person.deletionAt;
      const { owed } = await consequencesOf(parts, tx, person.id);
      const obstacle = await obstacleOf(tx, person, owed);
      if (obstacle !== null) return OBSTACLES[obstacle];
      const deletionAt = deletionTime(tx.now);
      await saveDeletion(tx, person.id, deletionAt);
      await tx.schedule({ kind: REMINDER, key: String(person.id), at: reminderTime(deletionAt) });
      await tx.schedule({ kind: ERASURE, key: String(person.id), at: deletionAt });
      for (const { requested } of parts.extensions.all(closingPart)) await requested?.(tx, person.id);
      const subject = `person:${person.id}`;
      await tx.audit({ action: 'accounts.requestDeletion', actorId: person.id, subject });
      const leaving = { ...person, deletionAt, inactiveSince: tx.now };
      await sessions.end(tx, person.id, { allBut: null });
      await publishChange(tx, leaving);
      await sendDeletionEmail(parts, tx, leaving, 'deletionAsked', context.address);
      return deletionAt;
    });
    if ('code' in outcome) return refuse(outcome);
    sessions.clearCookie(context);
    return { status: 1 as const, deletion_at: outcome.toISOString() };
  });

const keepHandler = (parts: DeletionParts): CallHandler =>
  handleCall(keepAccount)(async ({ ticket: sealed }, context) => {
    const { data, site, keepTickets } = parts;
    const { scope, refuse } = context;
    const ticket = keepTickets.open(context, sealed, data.clock.now());
    if (!ticket) return refuse(keepOver);
    const { display_name: siteName } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      const person = await findById(tx, ticket.person) && await lockPerson(tx, ticket.person);
      const mayKeep = person !== null && person.erasingSince === null && person.suspendedAt === null
        && person.deletionRequestedAt?.getTime() === ticket.requested
        && person.recoveries === ticket.recoveries;
      if (!mayKeep) return keepOver;
      await saveDeletion(tx, person.id, null);
      for (const kind of [REMINDER, ERASURE]) await tx.unschedule(kind, String(person.id));
      await tx.audit({
        action: 'accounts.keepAccount',
        actorId: person.id,
        subject: `person:${person.id}`,
      });
      const back: Account = { ...person, deletionRequestedAt: null, deletionAt: null, inactiveSince: null };
      await publishChange(tx, back);
      await sendDeletionEmail(parts, tx, back, 'deletionKept', context.address);
      // The log-in that gave the ticket proved who this is, and was counted. It proved no second step, so
      // staff log in again.
      const account = { kind: 'device', name: '' } as const;
      return enter(parts, tx, back, context, { account, siteName, isStepped: false });
    });
    if ('code' in outcome) return refuse(outcome);
    if ('refused' in outcome) return refuse(keepOver);
    return entered(parts, context, outcome);
  });
