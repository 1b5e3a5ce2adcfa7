import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import {
  getIgnoredNames,
  ignoreChanged,
  ignorePerson,
  ignoreUnknown,
  listIgnored,
  ownIgnore,
  tooManyIgnored,
  unignorePerson,
  type IgnoreView,
} from '../contract/ignores.ts';
import { IGNORES_PAGE, MAX_IGNORES } from '../rules/ignores.ts';
import { lockRelations } from '../store.ts';
import { deleteIgnore, findIgnores, ignoredBy, insertIgnore } from '../store/ignores.ts';

interface IgnoreDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
}

/** Whether this viewer may know of a person: everybody in a chat except performers they may not perceive. */
const isSeen = async (
  { compliance }: IgnoreDependencies,
  tx: Tx,
  context: CallContext,
  { id, type }: Person,
): Promise<boolean> =>
  type !== 'model' || compliance.mayPerceive(tx, compliance.viewerOf(context), id, 'listing');

/** Sends the change only to the person's own tabs. */
async function changed(
  tx: Tx,
  personId: number,
  { username }: Person,
  isIgnored: boolean,
): Promise<IgnoreView> {
  const view = { username, is_ignored: isIgnored };
  await tx.send(personChannel(personId), ignoreChanged, view);
  return view;
}

/** Calls for the caller's own list of ignored people. */
export function ignoreHandlers(deps: IgnoreDependencies): CallHandler[] {
  const { data, accounts, compliance } = deps;
  return [
    handleCall(ignorePerson)(({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const { personId } = context;
        const person = await accounts.findByUsername(tx, normalizeUsername(username));
        if (person?.id === personId) return context.refuse(ownIgnore);
        if (!person || !(await isSeen(deps, tx, context, person))) return context.refuse(ignoreUnknown);
        await lockRelations(tx, personId);
        const ignored = await ignoredBy(tx, personId);
        if (ignored.includes(person.id)) return { username: person.username, is_ignored: true };
        if (ignored.length >= MAX_IGNORES) {
          return context.refuse(tooManyIgnored, { values: { limit: MAX_IGNORES } });
        }
        await insertIgnore(tx, personId, person.id);
        return changed(tx, personId, person, true);
      })
    ),
    handleCall(unignorePerson)(({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const { personId } = context;
        const person = await accounts.findByUsername(tx, normalizeUsername(username));
        if (!person) return context.refuse(ignoreUnknown);
        await lockRelations(tx, personId);
        if (await deleteIgnore(tx, personId, person.id)) return changed(tx, personId, person, false);
        // A person whom the caller neither ignores nor may see is unknown to them.
        if (!(await isSeen(deps, tx, context, person))) return context.refuse(ignoreUnknown);
        return { username: person.username, is_ignored: false };
      })
    ),
    handleCall(getIgnoredNames)((_input, context) =>
      data.tx(context.scope, async (tx) => {
        const people = await accounts.findMany(tx, await ignoredBy(tx, context.personId));
        return { usernames: [...people.values()].map(({ username }) => username) };
      })
    ),
    handleCall(listIgnored)(({ before = null }, context) =>
      data.tx(context.scope, async (tx) => {
        const found = await findIgnores(tx, context.personId, IGNORES_PAGE + 1, before);
        const { page, next } = pageOf(found, IGNORES_PAGE);
        const people = await accounts.findMany(tx, page.map(({ ignoredId }) => ignoredId));
        const staff = await accounts.staffAmong(tx, people.values());
        const performers = [...people.values()].flatMap(({ id, type }) => (type === 'model' ? [id] : []));
        const seen = await compliance.perceivable(tx, compliance.viewerOf(context), performers, 'listing');
        return {
          people: page.flatMap(({ ignoredId, since }) => {
            const person = people.get(ignoredId);
            if (!person) return [];
            const { username, displayName, avatarUrl, type } = person;
            const isShown = type !== 'model' || seen.has(ignoredId);
            return [{
              username,
              displayName,
              avatarUrl: isShown ? avatarUrl : null,
              since: since.toISOString(),
              ...(staff.has(ignoredId) ? { isStaff: true } : {}),
            }];
          }),
          next,
        };
      })
    ),
  ];
}
