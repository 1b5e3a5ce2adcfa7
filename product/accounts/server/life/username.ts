import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { usernameInvalid, usernameTaken } from '../../contract.ts';
import {
  accountChanged,
  changeUsername,
  getUsernameChange,
  usernameChanged,
  usernameChangedLately,
} from '../../contract/life/username.ts';
import { checkUsername } from '../../rules.ts';
import { posesAsStaff } from '../../rules/life/posing.ts';
import { changeableAt } from '../../rules/life/usernames.ts';
import { mayUse } from '../../rules/permissions.ts';
import { findById, type Account } from '../../store.ts';
import { lockChange, saveUsername, takeName, usernameChangedAt } from '../../store/life/usernames.ts';
import { confirmationIn } from '../credentials/confirmation.ts';
import { lockCaller } from '../credentials/ways-in.ts';
import { publishChange } from '../person-changes.ts';
import type { SignInParts } from '../sign-in.ts';
import { provesIt } from './proof.ts';

const REFUSALS = { username_invalid: usernameInvalid, username_taken: usernameTaken };

/** Calls that read whether the caller's username can change, and change it. */
export const usernameHandlers = (parts: SignInParts): CallHandler[] => [
  handleCall(getUsernameChange)(async (_input, context) =>
    parts.data.tx(context.scope, async (tx) => {
      const { personId } = context;
      const changedAt = await usernameChangedAt(tx, personId);
      const at = changedAt && changeableAt(changedAt);
      return {
        username: (await findById(tx, personId))?.username ?? '',
        changeable_at: at !== null && at > tx.now ? at.toISOString() : null,
        confirmation: await confirmationIn(tx, context),
      };
    })
  ),
  changeHandler(parts),
];

const changeHandler = (parts: SignInParts): CallHandler =>
  handleCall(changeUsername)(async ({ username: typed, ...proof }, context) => {
    const { data, site, emails, users } = parts;
    const { scope, caller, personId, refuse } = context;
    const fault = checkUsername(typed);
    if (fault) return refuse(REFUSALS[fault]);
    const doubt = await provesIt(parts, context, proof);
    if (doubt) return refuse(...doubt);
    const username = normalizeUsername(typed);
    const { own: siteName, all: siteNames } = await site.namesOf(scope);
    if (!mayUse('moderator', caller.roles) && posesAsStaff(typed, siteNames)) return refuse(usernameTaken);
    const outcome = await data.tx(scope, async (tx) => {
      const before = await lockCaller(tx, context);
      if (before.username === username) return before;
      const changedAt = await usernameChangedAt(tx, personId);
      const at = changedAt && changeableAt(changedAt);
      if (at !== null && at > tx.now) return { changeableAt: at };
      await lockChange(tx, before.username, username);
      if (!(await takeName(tx, username, personId))) return null;
      if (await parts.retiredNames.isTaken(tx, username)) return null;
      const after: Account = { ...before, username, displayName: displayNameAfter(before, typed) };
      await saveUsername(tx, before, after, tx.now);
      await tx.audit({
        action: 'accounts.changeUsername',
        actorId: personId,
        subject: `person:${personId}`,
      });
      await tx.publish(usernameChanged, `person:${personId}`, {
        personId,
        type: after.type,
        before: before.username,
        username,
      });
      await publishChange(tx, after);
      await tx.send(personChannel(personId), accountChanged, {});
      await emails.usernameChanged(tx, after, context, { site: siteName, before: before.username });
      return after;
    });
    if (outcome === null) return refuse(usernameTaken);
    if ('changeableAt' in outcome) {
      return refuse(usernameChangedLately, { extra: { changeable_at: outcome.changeableAt.toISOString() } });
    }
    return { status: 1 as const, user: await users.view(outcome, context) };
  });

/** A display name that is only the username follows it to the new one, as typed. */
const displayNameAfter = (
  { username, displayName }: Account,
  typed: string,
): string => (normalizeUsername(displayName) === username ? typed.trim() : displayName);
