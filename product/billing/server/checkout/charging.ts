import type { Scope } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Biller } from '#platform/payments/biller.ts';
import type { NewOrder, Order } from '../../store/orders.ts';
import type { Card } from '../../store/people.ts';
import type { OrderProcessor } from '../callbacks/order-processor.ts';
import type { BillingDependencies } from '../dependencies.ts';
import type { BillerClient, Charged } from './biller-client.ts';
import { beginCharge } from './buying.ts';

/** A charge that is stored but not sent yet. */
export interface PendingCharge {
  readonly order: Order;
  readonly biller: Biller;
  readonly card: Card;
}

/** Stores a charge before it is sent; null when it was sent already. */
export async function begin(
  tx: Tx,
  client: BillerClient,
  draft: NewOrder,
  biller: Biller,
  card: Card,
): Promise<PendingCharge | null> {
  const begun = await beginCharge(tx, draft);
  if (begun === 'mismatch' || !begun.mayCharge) return null;
  await client.watch(tx, biller, begun.order);
  return { order: begun.order, biller, card };
}

/**
 * Sends a charge without the person present. A page that requires the person, or a biller that cannot be
 * reached, counts as declined.
 */
export async function sendUnattended(
  { data, processor, client }: BillingDependencies & {
    readonly processor: OrderProcessor;
    readonly client: BillerClient;
  },
  scope: Scope,
  { order, biller, card }: PendingCharge,
): Promise<Charged> {
  const charged = await client.charge(scope, order, biller, card);
  if (charged.kind === 'page' || charged.kind === 'unreachable') {
    const decline = charged.kind === 'page' ? 'VERIFY' : 'NMYRETRY';
    await data.tx(scope, (tx) => processor.judge(tx, order.id, { base: 'declined', decline }));
  }
  return charged;
}
