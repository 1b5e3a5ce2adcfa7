import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { Amount, billerUnavailable, CardView } from '../contract.ts';
import { DECLINE_CODES, ORDER_STATES, PAY_METHODS, PURPOSES } from '../rules.ts';

const slice = 'billing';
export const orderUnknown = refusal({
  slice,
  code: 'order_unknown',
  kind: 'absent',
  description: 'There is no such order.',
});
export const orderState = refusal({
  slice,
  code: 'order_state',
  kind: 'conflict',
  description: 'The order is not in a state that allows this.',
});

export const OrderView = z.object({
  id: z.string(),
  at: z.string(),
  state: z.enum(ORDER_STATES),
  internal_id: z.string(),
  title: z.string(),
  /** How the order began, and the payment method. */
  purpose: z.enum(PURPOSES),
  method: z.enum(PAY_METHODS),
  tokens: z.int(),
  free_tokens: z.int(),
  membership: z.string().nullable(),
  price: Amount,
  biller: z.string(),
  /** The bank statement's descriptor; empty without a bank statement, or when it is unknown. */
  descriptor: z.string(),
  card: CardView.pick({ brand: true, last4: true }).nullable(),
  declined_reason: z.enum(DECLINE_CODES).nullable(),
  reference: z.string().nullable(),
  paid_at: z.string().nullable(),
  /** When it was fully refunded or charged back. */
  refunded_at: z.string().nullable(),
  /** The amount refunded or charged back, in minor units of its currency. */
  refunded_minor: z.int(),
  /** The selling company, its postal address, and its site's name; null until it is paid. */
  seller: z.object({ name: z.string(), address: z.string(), brand: z.string() }).nullable(),
});
export const listOrders = call({
  name: 'billing.listOrders',
  method: 'GET',
  path: '/billing/orders',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    before: z.string().max(64).optional(),
    limit: z.int().min(1).max(100).optional(),
  }),
  output: z.object({ orders: z.array(OrderView), next: z.string().nullable() }),
  refusals: [],
  summary: 'Purchases of the caller',
  description: 'Newest first; `next` goes into `before`.',
});
export const getOrder = call({
  name: 'billing.getOrder',
  method: 'GET',
  path: '/billing/orders/:id',
  access: 'member',
  credential: 'cookie',
  input: z.object({ id: z.string().max(64) }),
  output: z.object({ order: OrderView }),
  refusals: [orderUnknown],
  summary: 'One purchase of the caller',
  description: 'The receipt; pages that wait for a payment poll it.',
});
export const cancelMembership = call({
  name: 'billing.cancelMembership',
  method: 'POST',
  path: '/billing/membership/cancel',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1), until: z.string() }),
  refusals: [orderState, billerUnavailable],
  summary: 'Cancel the membership',
  description: 'It lasts until the end of the paid period.',
});
export const getMembership = call({
  name: 'billing.getMembership',
  method: 'GET',
  path: '/billing/membership',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    membership: z.string().nullable(),
    until: z.string().nullable(),
    renews: z.boolean(),
    price: Amount.nullable(),
  }),
  refusals: [],
  summary: 'Membership of the caller',
  description: 'Null for none.',
});
