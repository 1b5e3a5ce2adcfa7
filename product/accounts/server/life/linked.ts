import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { loginLocked } from '../../contract.ts';
import {
  linkAccount,
  linkRefused,
  linkUnknown,
  listLinked,
  switchAccount,
  tooManyLinked,
  unlinkAccount,
} from '../../contract/life/linked.ts';
import { accountChanged } from '../../contract/life/username.ts';
import { confirmationNeeded } from '../../contract/passkeys.ts';
import { findById, findByUsername, findMany, lockPeople, type Account } from '../../store.ts';
import { deleteLink, insertLink, linkedOf } from '../../store/life/linked.ts';
import { confirmationIn } from '../credentials/confirmation.ts';
import { stillIn } from '../credentials/ways-in.ts';
import {
  enter,
  entered,
  isMissing,
  mayEnter,
  provenLogin,
  secondStep,
  suspensionOf,
  waiting,
  type SignInParts,
} from '../sign-in.ts';
import { provesIt } from './proof.ts';

/** Staff log in to their account directly: no other account can switch to it. */
const isStaff = ({ roles }: Pick<Account, 'roles'>): boolean =>
  roles.some((role) => role !== 'test_user' && role !== 'remote_logging');

/** Calls that link other accounts of the same person, switch to one, and end a link. */
export const linkedHandlers = (parts: SignInParts): CallHandler[] => [
  handleCall(listLinked)(async (_input, context) =>
    parts.data.tx(context.scope, (tx) => viewIn(tx, context))
  ),
  linkHandler(parts),
  endHandler(parts),
  switchHandler(parts),
];

async function viewIn(tx: Tx, context: PersonContext) {
  const ids = await linkedOf(tx, context.personId);
  const people = await findMany(tx, ids);
  return {
    accounts: ids.flatMap((id) => people.get(id) ?? []).map(({ username, displayName, avatarUrl }) => ({
      username,
      display_name: displayName,
      avatar_url: avatarUrl,
    })),
    confirmation: await confirmationIn(tx, context),
  };
}

const linkHandler = (parts: SignInParts): CallHandler =>
  handleCall(linkAccount)(async ({ own_password: password, ...login }, context) => {
    const { emails, site } = parts;
    const { scope, refuse } = context;
    const doubt = await provesIt(parts, context, { password });
    // With two-step log-in on, this account needs a new log-in first: the form has only one field for a code,
    // that of the other account.
    if (doubt) return refuse(...(doubt[0].code === 'code_required' ? [confirmationNeeded] as const : doubt));
    const { display_name: siteName } = await site.viewOf(scope);
    const outcome = await provenLogin(parts, login, context, async (tx, other) => {
      const me = await findById(tx, context.personId);
      if (!me || me.id === other.id || isStaff(me) || isStaff(other)) return linkRefused;
      await stillIn(tx, context);
      if (!(await insertLink(tx, me.id, other.id))) return tooManyLinked;
      await tx.audit({
        action: 'accounts.link',
        actorId: me.id,
        subject: `person:${me.id}`,
        detail: { other: other.id },
      });
      for (const [one, another] of [[me, other], [other, me]] as const) {
        await tx.send(personChannel(one.id), accountChanged, {});
        await emails.wayIn(tx, one, context, 'accountLinked', {
          site: siteName,
          typed: { other: another.username },
        });
      }
      return viewIn(tx, context);
    }, [context.personId]);
    if ('refusal' in outcome) return refuse(...outcome.refusal);
    return 'code' in outcome.done ? refuse(outcome.done) : outcome.done;
  });

/** The linked account of a name; null where there is none. */
async function linkedByName(tx: Tx, context: PersonContext, username: string): Promise<Account | null> {
  const other = await findByUsername(tx, normalizeUsername(username));
  return other && (await linkedOf(tx, context.personId)).includes(other.id) ? other : null;
}

const endHandler = ({ data }: SignInParts): CallHandler =>
  handleCall(unlinkAccount)(async ({ username }, context) => {
    const view = await data.tx(context.scope, async (tx) => {
      await stillIn(tx, context);
      const other = await linkedByName(tx, context, username);
      if (!other || !(await deleteLink(tx, context.personId, other.id))) return null;
      await tx.audit({
        action: 'accounts.unlink',
        actorId: context.personId,
        subject: `person:${context.personId}`,
        detail: { other: other.id },
      });
      for (const id of [context.personId, other.id]) await tx.send(personChannel(id), accountChanged, {});
      return viewIn(tx, context);
    });
    return view ?? context.refuse(linkUnknown);
  });

const switchHandler = (parts: SignInParts): CallHandler =>
  handleCall(switchAccount)(async ({ username, code }, context) => {
    const { data, site, attempts } = parts;
    const { scope, refuse } = context;
    const aimedAt = await data.tx(scope, (tx) => linkedByName(tx, context, username));
    if (!aimedAt) return refuse(linkUnknown);
    const typed = await attempts.countCode(scope, 'second_step', aimedAt.id, code);
    if ('waitSeconds' in typed) return refuse(loginLocked, waiting(typed.waitSeconds));
    const { display_name: siteName } = await site.viewOf(scope);
    const outcome = await data.tx(scope, async (tx) => {
      // A recovery of either account ends the link; the lock orders the two.
      const [me] = await lockPeople(tx, [context.personId, aimedAt.id]);
      await stillIn(tx, context);
      const other = await linkedByName(tx, context, username);
      if (!me || other?.id !== aimedAt.id) return linkUnknown;
      if (!mayEnter(other)) return suspensionOf(other);
      if (isStaff(me) || isStaff(other)) return linkRefused;
      const step = await secondStep(parts, tx, typed);
      if (isMissing(step)) return step;
      await tx.audit({
        action: 'accounts.switch',
        actorId: me.id,
        subject: `person:${other.id}`,
        detail: { from: me.id },
      });
      // The browser is the person's own, so no email reports a new one.
      const account = { kind: 'device', name: '' } as const;
      // A second step in the other account proves nothing here; this account's own code does.
      const done = await enter(parts, tx, other, context, {
        account,
        siteName,
        isStepped: step !== null,
      });
      return 'refused' in done ? done : { done, step };
    });
    if ('refused' in outcome) return refuse(outcome.refused, outcome.detail);
    if ('code' in outcome) return refuse(outcome);
    await attempts.clearCode(scope, outcome.step);
    return entered(parts, context, outcome.done);
  });
