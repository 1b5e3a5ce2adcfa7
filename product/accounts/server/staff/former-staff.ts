import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { usernameChanged } from '../../contract/life/username.ts';
import { displayNameOf, posesAsStaff } from '../../rules/life/posing.ts';
import { mayUse } from '../../rules/permissions.ts';
import { updatePerson, type Account } from '../../store.ts';
import { lockChange, saveUsername, takeName } from '../../store/life/usernames.ts';
import type { RetiredNames } from '../deletion/retired-names.ts';
import type { AccountEmails } from '../emails.ts';

export interface RenameParts {
  readonly emails: Pick<AccountEmails, 'usernameChanged'>;
  readonly retiredNames: RetiredNames;
}

/** The call behind a renaming, the shown name of its site, and those of all sites of the operator. */
interface Taking {
  readonly context: CallContext;
  readonly siteName: string;
  readonly siteNames: readonly string[];
}

/**
 * Takes names that read as staff from a person who no longer is: without a badge nobody may have one. Such a
 * display name becomes the username, and such a username a neutral one.
 * @param person with new roles
 */
export async function withoutNameOfStaff(
  parts: RenameParts,
  tx: Tx,
  person: Account,
  taken: Taking,
): Promise<Account> {
  if (mayUse('moderator', person.roles)) return person;
  const { siteNames } = taken;
  const renamed = posesAsStaff(person.username, siteNames) ? await rename(parts, tx, person, taken) : person;
  if (displayNameOf(renamed.displayName, siteNames) !== null) return renamed;
  const after = { ...renamed, displayName: renamed.username };
  await updatePerson(tx, person.id, { displayName: after.displayName });
  return after;
}

/**
 * Gives a neutral username. The person can choose another at once, because this change was not their wish.
 */
async function rename(
  { emails, retiredNames }: RenameParts,
  tx: Tx,
  person: Account,
  { context, siteName }: Taking,
): Promise<Account> {
  const username = await neutralName(retiredNames, tx, person);
  const after = { ...person, username };
  await saveUsername(tx, person, after, null);
  await tx.audit({
    action: 'accounts.changeUsername',
    actorId: context.caller.personId,
    subject: `person:${person.id}`,
    reason: 'a name of staff',
  });
  await tx.publish(usernameChanged, `person:${person.id}`, {
    personId: person.id,
    type: person.type,
    before: person.username,
    username,
  });
  await emails.usernameChanged(tx, after, context, { site: siteName, before: person.username });
  return after;
}

/** A username that says nothing, and that nobody has. */
async function neutralName(retiredNames: RetiredNames, tx: Tx, { id, username }: Account): Promise<string> {
  for (let nth = 1;; nth += 1) {
    const name = nth === 1 ? `member-${id}` : `member-${id}-${nth}`;
    await lockChange(tx, username, name);
    if (await takeName(tx, name, id) && !(await retiredNames.isTaken(tx, name))) return name;
  }
}
