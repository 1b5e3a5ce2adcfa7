import type { EventContext } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import type { ChatUserView } from '../../contract.ts';
import type { RoomsDependencies } from '../dependencies.ts';

/** Fields that are sent only to the person themselves. */
export type OwnFields = Pick<
  ChatUserView,
  'email_confirmed' | 'has_cc' | 'has_purchase' | 'recent_purchases' | 'socket_id' | 'tokens'
>;

/** The private fields as everybody else receives them. */
export const PRIVATE: OwnFields = {
  email_confirmed: null,
  has_cc: null,
  has_purchase: null,
  recent_purchases: null,
  socket_id: null,
  tokens: null,
};

type Listener = Pick<EventContext, 'caller' | 'socketId'>;
type OwnDependencies = Pick<RoomsDependencies, 'accounts' | 'billing' | 'ledger'>;

/** What each of many sockets receives about its own person, by socket; read in the same few statements. */
export async function ownFieldsBySocket(
  { accounts, billing, ledger }: OwnDependencies,
  tx: Tx,
  listeners: readonly Listener[],
): Promise<ReadonlyMap<string, OwnFields>> {
  const ids = [...new Set(listeners.flatMap(({ caller: { personId } }) => personId ?? []))];
  if (ids.length === 0) return new Map(listeners.map(({ socketId }) => [socketId, PRIVATE]));
  const [buying, confirmed, balances] = [
    await billing.buyingOf(tx, ids),
    await accounts.confirmedAmong(tx, ids),
    await ledger.balances(tx, ids),
  ];
  return new Map(listeners.map(({ caller: { personId }, socketId }): [string, OwnFields] => {
    const bought = personId === null ? undefined : buying.get(personId);
    if (personId === null || !bought) return [socketId, PRIVATE];
    return [socketId, {
      email_confirmed: confirmed.has(personId),
      has_cc: bought.hasCard,
      has_purchase: bought.hasPurchase,
      recent_purchases: bought.recentPurchases,
      socket_id: socketId,
      tokens: balances.get(personId) ?? 0,
    }];
  }));
}

/** What somebody receives about themselves on one of their sockets; empty for a guest. */
export const ownFieldsOf = async (deps: OwnDependencies, tx: Tx, listener: Listener): Promise<OwnFields> =>
  (await ownFieldsBySocket(deps, tx, [listener])).get(listener.socketId) ?? PRIVATE;
