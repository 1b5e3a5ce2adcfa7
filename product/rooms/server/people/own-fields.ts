import type { EventContext } from '../../../../platform/contract/bind.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import type { ChatUserView } from '../../contract.ts';
import type { RoomsDependencies } from '../dependencies.ts';

/** Fields that are sent only to the person themselves. */
export type OwnFields = Pick<
  ChatUserView,
  'email_confirmed' | 'has_cc' | 'has_purchase' | 'recent_purchases' | 'socket_id' | 'tokens'
>;

/** The private fields as everybody else receives them. */
export const PRIVATE: OwnFields = {
  email_confirmed: null, has_cc: null, has_purchase: null, recent_purchases: null, socket_id: null,
  tokens: null,
};

/** What somebody receives about themselves on one of their sockets; empty for a guest. */
export async function ownFieldsOf(
  { accounts, billing, ledger }: Pick<RoomsDependencies, 'accounts' | 'billing' | 'ledger'>,
  tx: Tx, { caller: { personId }, socketId }: Pick<EventContext, 'caller' | 'socketId'>,
): Promise<OwnFields> {
  if (personId === null) return PRIVATE;
  const { hasCard, hasPurchase, recentPurchases } = await billing.buyingOf(tx, personId);
  return {
    email_confirmed: await accounts.isEmailConfirmed(tx, personId), has_cc: hasCard,
    has_purchase: hasPurchase, recent_purchases: recentPurchases, socket_id: socketId,
    tokens: await ledger.balance(tx, personId),
  };
}
