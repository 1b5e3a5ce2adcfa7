import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import {
  getEmailToRestore,
  restoreEmail,
  restoreLinkOver,
  restoreLinkUsed,
} from '../../contract/life/former-email.ts';
import { FORMER_EMAIL_MS } from '../../rules/life/recovery.ts';
import { deletePassword, findById, lockPerson, type Account } from '../../store.ts';
import { putBackEmail } from '../../store/life/email-changes.ts';
import { deleteFormerEmails, endFormerEmails, type FormerEmail } from '../../store/life/former-emails.ts';
import { endStepSince, saveAddressProven } from '../../store/recovery.ts';
import { publishStep } from '../credentials/ways-in.ts';
import { FORMER_EMAIL_OVER, hintOf } from '../emails.ts';
import { publishConfirmed } from '../life/email.ts';
import { mayEnter, type SignInParts } from '../sign-in.ts';

type RestoreParts = Pick<SignInParts, 'data' | 'site' | 'recovery' | 'emails'>;

/** Calls that restore an address that somebody else may have replaced, by the link sent to it. */
export const restoreEmailHandlers = (parts: RestoreParts): CallHandler[] => [
  handleCall(getEmailToRestore)(async ({ token }, { scope, refuse }) => {
    const found = await parts.data.tx(scope, (tx) => openLink(parts, tx, token));
    if ('code' in found) return refuse(found);
    return { username: found.person.username, email: hintOf(found.former.email) };
  }),
  handleCall(restoreEmail)(async ({ token }, context) => {
    const { display_name: siteName } = await parts.site.viewOf(context.scope);
    const outcome = await parts.data.tx(context.scope, async (tx) => {
      const found = await openLink(parts, tx, token);
      return 'code' in found ? found : restore(parts, tx, found.former, { context, siteName });
    });
    if (outcome === null) return context.refuse(restoreLinkUsed);
    if ('code' in outcome) return context.refuse(outcome);
    const { person, recovered, email } = outcome;
    if (recovered.token !== null) parts.recovery.goOn(context, person, recovered);
    return {
      status: 1 as const,
      username: person.username,
      email,
      email_confirmed: person.emailConfirmedAt !== null,
    };
  }),
];

/** Deletes addresses that can no longer be restored. */
export const restoreEmailDeadlines = (data: Data): DeadlineHandler[] => [{
  kind: FORMER_EMAIL_OVER,
  handle: ({ operatorId, payload }) =>
    data.tx({ operatorId }, (tx) => {
      const { personId } = payload as { readonly personId: number };
      return deleteFormerEmails(tx, personId, new Date(tx.now.getTime() - FORMER_EMAIL_MS));
    }),
}];

/** The address and person of a link; a refusal where it does nothing now. */
async function openLink(
  { emails }: RestoreParts,
  tx: Tx,
  token: string,
): Promise<
  | { readonly former: FormerEmail; readonly person: Account }
  | typeof restoreLinkOver
  | typeof restoreLinkUsed
> {
  const former = await emails.formerEmailOf(tx, token);
  const person = former && await findById(tx, former.personId);
  if (!former || !mayEnter(person)) return restoreLinkOver;
  return former.endedAt === null ? { former, person } : restoreLinkUsed;
}

/** Null when another request was faster. */
async function restore(
  { recovery, emails }: RestoreParts,
  tx: Tx,
  former: FormerEmail,
  { context, siteName }: { readonly context: CallContext; readonly siteName: string },
) {
  const { personId, email, replacedAt, wasProven } = former;
  const before = await lockPerson(tx, personId);
  if (!(await endFormerEmails(tx, former))) return null;
  const isFull = await emails.isMailboxFull(tx, before, email);
  const isConfirmed = await putBackEmail(tx, personId, email, !isFull);
  // The address counts as proven again if it was before the change: its reader holds the account now.
  await saveAddressProven(tx, personId, wasProven);
  await recovery.proveAddress(tx, personId);
  const isOwn = context.caller.personId === personId;
  const recovered = await recovery.end(tx, personId, { stays: isOwn ? context : null, since: replacedAt });
  // The new address got the reports of later changes, so the second step and the password end.
  await endStepSince(tx, personId, replacedAt);
  await deletePassword(tx, personId);
  await tx.audit({ action: 'accounts.restoreEmail', actorId: personId, subject: `person:${personId}` });
  const person = await lockPerson(tx, personId);
  await publishStep(tx, person);
  if (isConfirmed) await publishConfirmed(tx, person);
  await emails.emailBack(tx, person, context, siteName);
  // The person may lose this address themselves, if somebody else reads their old mailbox.
  if (before.email !== email && before.emailConfirmedAt !== null) {
    await emails.emailChange(tx, before, context, 'emailRestored', { site: siteName, email });
  }
  return { person, recovered, email: hintOf(email) };
}
