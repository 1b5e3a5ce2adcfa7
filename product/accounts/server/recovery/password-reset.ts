import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import {
  passwordTooCommon,
  passwordTooShort,
  requestPasswordReset,
  resetLinkInvalid,
  resetPassword,
} from '../../contract.ts';
import { normalizeEmail } from '../../rules.ts';
import { confirmAddress, findForReset, lockPerson, savePassword } from '../../store.ts';
import { ofAccount } from '../credentials/attempts.ts';
import { checkNewPassword } from '../credentials/passwords.ts';
import { publishConfirmed } from '../life/email.ts';
import { mayEnter, type SignInParts } from '../sign-in.ts';

type ResetParts = Pick<SignInParts, 'data' | 'site' | 'recovery' | 'attempts' | 'passwords' | 'emails'>;

const REFUSALS = { password_too_short: passwordTooShort, password_too_common: passwordTooCommon };

/** Calls that reset a forgotten password by email. */
export const passwordResetHandlers = (
  parts: ResetParts,
): CallHandler[] => [requestHandler(parts), resetHandler(parts)];

/** Deadline, due at once, for a reset that somebody asked for. */
const ASKED = 'accounts.resetAsked';

interface Asked {
  readonly siteId: number;
  readonly email: string;
  readonly origin: string;
  readonly address: string;
}

/**
 * Asking takes the same work whether or not an account has the address: the rest happens after the answer.
 */
const requestHandler = ({ data, emails }: ResetParts): CallHandler =>
  handleCall(requestPasswordReset)(async (input, { scope, origin, address }) => {
    const email = normalizeEmail(input.email);
    // Counted for every address, so that the count does not reveal whether an account has it.
    if (!(await emails.mayWrite(scope, email))) return { status: 1 as const };
    const asked: Asked = { siteId: scope.siteId, email, origin, address };
    await data.tx(scope, (tx) =>
      tx.schedule({
        kind: ASKED,
        key: emails.nameOf(scope, email),
        at: tx.now,
        payload: asked,
      }));
    return { status: 1 as const };
  });

/** Sends the requested links. */
export const resetDeadlines = ({ data, site, emails }: ResetParts): DeadlineHandler[] => [{
  kind: ASKED,
  handle: async ({ operatorId, payload }) => {
    const { siteId, email, ...where } = payload as Asked;
    const { display_name: name } = await site.viewOf({ operatorId, siteId });
    await data.tx({ operatorId }, async (tx) => {
      for (const person of await findForReset(tx, email)) {
        if (mayEnter(person)) await emails.resetPassword(tx, person, where, name);
      }
    });
  },
}];

const resetHandler = ({ data, site, recovery, attempts, passwords, emails }: ResetParts): CallHandler =>
  handleCall(resetPassword)(async ({ token, next }, context) => {
    const { scope, caller, refuse } = context;
    const person = await data.tx(scope, (tx) => emails.personOfReset(tx, token));
    if (!mayEnter(person)) return refuse(resetLinkInvalid);
    const isOwn = caller.personId === person.id;
    const fault = checkNewPassword(next, person.username);
    if (fault) return refuse(REFUSALS[fault]);
    const passwordHash = await passwords.hash(next);
    const { display_name: name } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      await lockPerson(tx, person.id);
      if (!(await emails.spendReset(tx, token))) return null;
      await savePassword(tx, person.id, passwordHash);
      await recovery.proveAddress(tx, person.id);
      const recovered = await recovery.end(tx, person.id, { stays: isOwn ? context : null });
      // The link was opened, so its opener reads the mail of this address.
      const isFull = await emails.isMailboxFull(tx, person, person.email);
      const confirmed = isFull ? 'refused' : await confirmAddress(tx, person.id, person.email);
      if (confirmed === 'confirmed') await publishConfirmed(tx, person);
      await tx.audit({
        action: 'accounts.resetPassword',
        actorId: person.id,
        subject: `person:${person.id}`,
      });
      await emails.passwordChanged(tx, person, context, name);
      return { person: await lockPerson(tx, person.id), recovered };
    });
    if (outcome === null) return refuse(resetLinkInvalid);
    // Opening the link proves what the code for a new browser would.
    recovery.goOn(context, outcome.person, outcome.recovered);
    await attempts.clear(scope, ofAccount('password', person.id));
    return { status: 1 as const };
  });
