import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import { accountChanged } from '../../contract/life/username.ts';
import { becomeFirstAdmin, firstAdminOver } from '../../contract/staff-roles.ts';
import { FIRST_ADMIN_MS, FIRST_ADMIN_ROLE } from '../../rules/staff/roles.ts';
import { lockPerson, saveRole, type Account } from '../../store.ts';
import { hasOtherAdmin } from '../../store/life/deletion.ts';
import {
  deleteFirstAdminLinks,
  saveFirstAdminLink,
  spendFirstAdminLink,
} from '../../store/staff/first-admin.ts';
import { lockCaller } from '../credentials/ways-in.ts';
import { publishChange } from '../person-changes.ts';

/** An id that nobody has: every admin counts as another. */
const NOBODY = 0;
/** Whether an admin may act. Until the unit of work ends, nobody else becomes the first. */
const hasAdmin = (tx: Tx): Promise<boolean> => hasOtherAdmin(tx, NOBODY);

const digestOf = (secret: string, { operatorId }: Tx, token: string): string =>
  digest(secret, `accounts first admin of operator ${operatorId}`, token);

/** Makes the link's token for a site without an admin; null where there is one. An earlier token ends. */
export async function firstAdminToken(secret: string, tx: Tx): Promise<string | null> {
  if (await hasAdmin(tx)) return null;
  const token = randomId();
  const expiresAt = new Date(tx.now.getTime() + FIRST_ADMIN_MS);
  await saveFirstAdminLink(tx, digestOf(secret, tx, token), expiresAt);
  return token;
}

/** Gives somebody the role that can give all others, and ends the link of the first admin. */
export async function makeChief(
  tx: Tx,
  person: Account,
  { actorId, how }: { readonly actorId: number | null; readonly how: string },
): Promise<void> {
  await saveRole(tx, person.id, FIRST_ADMIN_ROLE, true);
  await deleteFirstAdminLinks(tx);
  await tx.audit({
    action: 'accounts.setRole',
    actorId,
    subject: `person:${person.id}`,
    reason: how,
    detail: { role: FIRST_ADMIN_ROLE, on: true },
  });
  await tx.send(personChannel(person.id), accountChanged, {});
  await publishChange(tx, await lockPerson(tx, person.id));
}

/** Makes the person with the link from the log the first admin. */
export const firstAdminHandlers = (data: Data, secret: string): CallHandler[] => [
  handleCall(becomeFirstAdmin)(async ({ token }, context) => {
    const isDone = await data.tx(context.scope, async (tx) => {
      const person = await lockCaller(tx, context);
      // In this order, so that of two people who use the link at once the second finds an admin.
      if (await hasAdmin(tx) || !(await spendFirstAdminLink(tx, digestOf(secret, tx, token)))) return false;
      await makeChief(tx, person, { actorId: person.id, how: 'the link in the log' });
      return true;
    });
    return isDone ? { status: 1 as const } : context.refuse(firstAdminOver);
  }),
];
