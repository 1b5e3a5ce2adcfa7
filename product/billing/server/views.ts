import type { z } from 'zod';
import type { OrderView } from '../contract/orders.ts';
import type { Order } from '../store/orders.ts';
import { titleOf } from './checkout/biller-client.ts';
import type { BillingDependencies } from './dependencies.ts';

/** The bank statement's descriptor; empty without a bank statement, or when it is unknown. */
export const statementOf = (
  { method, descriptor }: Pick<Order, 'method' | 'descriptor'>,
): string => (method === 'card' || method === 'paypal' ? descriptor : '');

/** An order as its buyer sees it. */
export function orderView(
  order: Order,
  text: BillingDependencies['text'],
  locale: string,
): z.infer<typeof OrderView> {
  const { cardBrand: brand, cardLast4: last4 } = order;
  return {
    id: order.id,
    at: order.createdAt.toISOString(),
    state: order.state,
    internal_id: order.internalId,
    purpose: order.purpose,
    method: order.method,
    title: titleOf(text, locale, order),
    tokens: order.tokens,
    free_tokens: order.freeTokens,
    membership: order.membership,
    price: { minor: order.amountMinor, currency: order.currency },
    biller: order.biller,
    descriptor: statementOf(order),
    card: brand === null || last4 === null ? null : { brand, last4 },
    declined_reason: order.state === 'declined' ? (order.decline ?? 'NDECLINED') : null,
    reference: order.reference,
    paid_at: order.paidAt?.toISOString() ?? null,
    refunded_at: order.refundedAt?.toISOString() ?? null,
    refunded_minor: order.refundedMinor,
    seller: order.seller,
  };
}
