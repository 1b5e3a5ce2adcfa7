import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { confirmEmail, confirmLoggedOut, emailDisposable, linkInvalid, mailboxFull } from '../../contract.ts';
import {
  changeEmail,
  emailConfirmed,
  emailUnchanged,
  getEmail,
  resendEmail,
} from '../../contract/life/email.ts';
import { accountChanged } from '../../contract/life/username.ts';
import { normalizeEmail } from '../../rules.ts';
import { lockPerson, type Account } from '../../store.ts';
import { deletePendingEmail, pendingEmailOf, savePendingEmail } from '../../store/life/email-changes.ts';
import { saveAddressProven } from '../../store/recovery.ts';
import { confirmationIn } from '../credentials/confirmation.ts';
import { lockCaller } from '../credentials/ways-in.ts';
import type { SignInParts } from '../sign-in.ts';
import { emailRulesOf } from './mailboxes.ts';
import { provesIt } from './proof.ts';

/** Calls that confirm and change the caller's email address. */
export const emailHandlers = (parts: SignInParts): CallHandler[] => [
  handleCall(getEmail)(async (_input, context) =>
    parts.data.tx(context.scope, async (tx) => {
      const person = await lockPerson(tx, context.personId);
      return { ...await stateOf(tx, person), confirmation: await confirmationIn(tx, context) };
    })
  ),
  changeHandler(parts),
  resendHandler(parts),
  confirmHandler(parts),
];

const stateOf = async (tx: Tx, { id, email, emailConfirmedAt }: Account) => ({
  email,
  email_confirmed: emailConfirmedAt !== null,
  pending_email: await pendingEmailOf(tx, id),
});

/** Publishes that an address is confirmed, and sends it to the person's tabs. */
export async function publishConfirmed(tx: Tx, { id }: Pick<Account, 'id'>): Promise<void> {
  await tx.publish(emailConfirmed, `person:${id}`, { personId: id });
  await tx.send(personChannel(id), accountChanged, {});
}

const changeHandler = (parts: SignInParts): CallHandler =>
  handleCall(changeEmail)(async ({ email: typed, ...proof }, context) => {
    const { data, site, emails } = parts;
    const { scope, personId, refuse } = context;
    const email = normalizeEmail(typed);
    const { isDisposable } = await emailRulesOf(parts, scope, email);
    if (isDisposable) return refuse(emailDisposable);
    const doubt = await provesIt(parts, context, proof);
    if (doubt) return refuse(...doubt);
    const { display_name: siteName } = await site.viewOf(scope);
    const mayWrite = await emails.mayWrite(scope, email);
    const state = await data.tx(scope, async (tx) => {
      const person = await lockCaller(tx, context);
      const isOwn = person.email === email;
      if (isOwn && person.emailConfirmedAt !== null) return null;
      if (isOwn) await deletePendingEmail(tx, personId);
      else await savePendingEmail(tx, personId, email);
      if (mayWrite) await emails.confirm(tx, { ...person, email }, context, siteName);
      if (!isOwn && person.emailConfirmedAt !== null) {
        await emails.emailChange(tx, person, context, 'emailAsked', { site: siteName, email });
      }
      await tx.audit({ action: 'accounts.changeEmail', actorId: personId, subject: `person:${personId}` });
      return stateOf(tx, person);
    });
    return state === null ? refuse(emailUnchanged) : { status: 1 as const, ...state };
  });

const resendHandler = ({ data, site, emails }: SignInParts): CallHandler =>
  handleCall(resendEmail)(async (_input, context) => {
    const { display_name: siteName } = await site.viewOf(context.scope);
    const waiting = await data.tx(context.scope, async (tx) => {
      const person = await lockCaller(tx, context);
      const pending = await pendingEmailOf(tx, person.id);
      if (person.emailConfirmedAt !== null && pending === null) return null;
      return { ...person, email: pending ?? person.email };
    });
    if (waiting && (await emails.mayWrite(context.scope, waiting.email))) {
      await data.tx(context.scope, async (tx) => {
        await lockCaller(tx, context);
        await emails.confirm(tx, waiting, context, siteName);
      });
    }
    return { status: 1 as const };
  });

const confirmHandler = ({ data, site, emails }: SignInParts): CallHandler =>
  handleCall(confirmEmail)(async ({ token }, context) => {
    const { scope, caller, refuse } = context;
    const { display_name: siteName } = await site.viewOf(scope);
    const refused = await data.tx(scope, async (tx) => {
      const redeemed = await emails.redeemLink(tx, scope, token, caller.personId);
      if (redeemed === null) return linkInvalid;
      if (redeemed === 'full') return mailboxFull;
      if (redeemed === 'logged_out') return confirmLoggedOut;
      const { person, isNew, before } = redeemed;
      // A link opened by somebody else proves that the mailbox is theirs, but not the account.
      const isOwn = caller.personId === person.id;
      if (isOwn || isNew) await saveAddressProven(tx, person.id, isOwn);
      if (isNew) await publishConfirmed(tx, person);
      if (before !== null) {
        const receiver = { ...person, email: before };
        const values = { site: siteName, email: person.email };
        await emails.emailChange(tx, receiver, context, 'emailChanged', values);
      }
      return null;
    });
    return refused === null ? { status: 1 as const } : refuse(refused);
  });
