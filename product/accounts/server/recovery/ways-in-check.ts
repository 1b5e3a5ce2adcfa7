import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { accountChanged } from '../../contract/life/username.ts';
import { confirmWaysIn, getWaysInCheck } from '../../contract/life/ways-in.ts';
import { waysInSince, waysInToCheck } from '../../rules/life/recovery.ts';
import { findById, type Account } from '../../store.ts';
import { findAddedWaysIn, saveWaysInChecked, type AddedWayIn } from '../../store/recovery.ts';
import { lockCaller } from '../credentials/ways-in.ts';

/** Ways to log in that were new at somebody's last recovery, and that they have not confirmed since. */
export async function waysInOf(
  tx: Tx,
  person: Pick<Account, 'id' | 'recoveredAt' | 'waysInSince' | 'waysInCheckedAt'> | null,
): Promise<readonly AddedWayIn[]> {
  if (!person) return [];
  const { recoveredAt, waysInSince: since, waysInCheckedAt: checkedAt } = person;
  const time = waysInToCheck({ recoveredAt, since, checkedAt });
  return time ? findAddedWaysIn(tx, person.id, time) : [];
}

/**
 * The time since which ways to log in need a check after a recovery now. Those that already wait for a check
 * since an earlier recovery still do, however long ago they were added.
 * @param since when somebody else may have taken over the account
 */
export async function waysInFrom(tx: Tx, person: Account, since: Date): Promise<Date> {
  const from = waysInSince(since);
  const isOpen = (await waysInOf(tx, person)).length > 0;
  return isOpen && person.waysInSince && person.waysInSince < from ? person.waysInSince : from;
}

/**
 * Whether a way to log in is closed because its person has not confirmed it since a recovery: an intruder may
 * have added it.
 * @param wayIn a passkey by its id, a provider by its name
 */
export const isUnchecked = async (
  tx: Tx,
  person: Account,
  wayIn: { readonly passkey: number } | { readonly provider: string },
): Promise<boolean> =>
  (await waysInOf(tx, person)).some(({ kind, id, name }) => ('passkey' in wayIn
    ? kind === 'passkey' && id === wayIn.passkey
    : kind === 'provider' && name === wayIn.provider)
  );

/** Calls by which a person checks their ways to log in after a recovery: an intruder may have left one. */
export const waysInCheckHandlers = (data: Data): CallHandler[] => [
  handleCall(getWaysInCheck)((_input, context) =>
    data.tx(context.scope, async (tx) => ({
      ways_in: (await waysInOf(tx, await findById(tx, context.personId)))
        .map(({ addedAt, ...wayIn }) => ({ ...wayIn, added_at: addedAt.toISOString() })),
    }))
  ),
  handleCall(confirmWaysIn)(async (_input, context) => {
    const { personId } = context;
    await data.tx(context.scope, async (tx) => {
      await lockCaller(tx, context);
      await saveWaysInChecked(tx, personId);
      await tx.audit({ action: 'accounts.confirmWaysIn', actorId: personId, subject: `person:${personId}` });
      await tx.send(personChannel(personId), accountChanged, {});
    });
    return { status: 1 as const };
  }),
];
