import type { z } from 'zod';
import type { OrderView } from '../contract.ts';
import type { Order } from '../store/orders.ts';
import { titleOf } from './checkout/cashier.ts';
import type { BillingDependencies } from './dependencies.ts';

/** What a bank statement will say of an order; empty where no bank is in between, or nobody knows. */
export const statementOf = ({ method, descriptor }: Pick<Order, 'method' | 'descriptor'>): string =>
  (method === 'card' || method === 'paypal' ? descriptor : '');

/** An order as its person sees it. */
export function orderView(
  order: Order, text: BillingDependencies['text'], locale: string,
): z.infer<typeof OrderView> {
  const { cardBrand: brand, cardLast4: last4 } = order;
  return {
    id: order.id, at: order.createdAt.toISOString(), state: order.state, internal_id: order.internalId,
    title: titleOf(text, locale, order), tokens: order.tokens, free_tokens: order.freeTokens,
    membership: order.membership, price: { minor: order.amountMinor, currency: order.currency },
    biller: order.biller, descriptor: statementOf(order),
    card: brand === null || last4 === null ? null : { brand, last4 },
    declined_reason: order.state === 'declined' ? (order.decline ?? 'NDECLINED') : null,
    reference: order.reference, paid_at: order.paidAt?.toISOString() ?? null,
    refunded_at: order.refundedAt?.toISOString() ?? null, refunded_minor: order.refundedMinor,
    seller: order.seller,
  };
}
