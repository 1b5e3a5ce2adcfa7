import type { Scope } from '../../../../platform/contract/context.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import type { Biller } from '../../../../platform/payments/biller.ts';
import type { NewOrder, Order } from '../../store/orders.ts';
import type { Card } from '../../store/people.ts';
import { beginCharge } from './buying.ts';
import type { Cashier, Charged } from './cashier.ts';
import type { OrderDesk } from '../admin/desk.ts';
import type { BillingDependencies } from '../dependencies.ts';

/** A charge that is written down, and not sent yet. */
export interface Begun {
  readonly order: Order;
  readonly biller: Biller;
  readonly card: Card;
}

/** Writes a charge down before it is sent; null when it was before. */
export async function begin(tx: Tx, cashier: Cashier, draft: NewOrder, biller: Biller, card: Card):
Promise<Begun | null> {
  const begun = await beginCharge(tx, draft);
  if (begun === 'mismatch' || !begun.mayCharge) return null;
  await cashier.watch(tx, biller, begun.order);
  return { order: begun.order, biller, card };
}

/**
 * Sends a charge nobody sits before: a page that asks for the person is as good as a decline, and a biller
 * that is not there is one too.
 */
export async function sendUnattended(
  { data, desk, cashier }: BillingDependencies & { readonly desk: OrderDesk; readonly cashier: Cashier },
  scope: Scope, { order, biller, card }: Begun,
): Promise<Charged> {
  const charged = await cashier.charge(scope, order, biller, card);
  if (charged.kind === 'page' || charged.kind === 'unreachable') {
    const decline = charged.kind === 'page' ? 'VERIFY' : 'NMYRETRY';
    await data.tx(scope, (tx) => desk.judge(tx, order.id, { base: 'declined', decline }));
  }
  return charged;
}
