import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { Reason } from '#product/site/contract/seller.ts';
import { z } from 'zod';
import { Amount, billerUnavailable } from '../contract.ts';
import { orderUnknown, OrderView } from './orders.ts';

// Payments for admins: search, alarms, asking a biller again.
const Shared = z.object({ id: z.string(), people: z.int() });
export const PaymentView = OrderView.extend({
  person_id: z.int(),
  username: z.string(),
  operation: z.string().nullable(),
  /** The root order of a renewal or of a voucher paid again. */
  began_with: z.string().nullable(),
  /** How often its biller was asked on schedule, and when last. */
  asked: z.int(),
  asked_at: z.string().nullable(),
  /** Attribution: digests, each with the number of people who share it. */
  trace: z.object({
    advert_id: z.string().nullable(),
    device: Shared.nullable(),
    blackbox: Shared.nullable(),
  }),
  events: z.array(z.object({
    id: z.string(),
    type: z.string(),
    reference: z.string(),
    amount: Amount.nullable(),
    at: z.string(),
    /** Applied, or why not. */
    outcome: z.string(),
  })),
  callbacks: z.array(z.object({
    id: z.int(),
    at: z.string(),
    method: z.string(),
    outcome: z.string(),
    body: z.string(),
  })),
});
export const findPayments = call({
  name: 'billing.findPayments',
  method: 'GET',
  path: '/admin/payments',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    reference: z.string().max(128).optional(),
    order: z.string().max(64).optional(),
    username: z.string().max(64).optional(),
    before: z.string().max(64).optional(),
  }),
  output: z.object({ payments: z.array(PaymentView), next: z.string().nullable() }),
  refusals: [],
  summary: 'Find payments',
  description: 'By biller reference, order or person; newest first. Callbacks are '
    + 'redacted.',
});
export const getBillingAlarms = call({
  name: 'billing.getBillingAlarms',
  method: 'GET',
  path: '/admin/payments/alarms',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    unknown: z.array(OrderView),
    mismatched: z.array(PaymentView),
    /** Paid, but held because the marketing cap does not cover the tokens. Retried automatically. */
    over_cap: z.array(PaymentView),
    forged_today: z.int(),
    /** Callbacks that are unfinished, name no order here, or were unreadable today. */
    unread: z.int(),
  }),
  refusals: [],
  summary: 'Payments that need attention',
  description: 'The oldest hundred of each.',
});
export const notRefundable = refusal({
  slice: 'billing',
  code: 'not_refundable',
  kind: 'conflict',
  description: 'The order is not paid, or its money was returned already.',
});
export const refundPayment = call({
  name: 'billing.refundPayment',
  method: 'POST',
  path: '/admin/payments/:id/refund',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ id: z.string().max(64), reason: Reason }),
  output: z.object({ payment: PaymentView }),
  refusals: [orderUnknown, notRefundable],
  summary: 'Refund a payment',
  description: 'Once staff have returned the money at the biller: as if the biller had reported a refund of '
    + 'the whole. Tokens are taken back, spent ones are owed, a membership ends, and the buyer gets an '
    + 'email. A later report of the biller about the same refund changes nothing. The reason goes to the '
    + 'audit log.',
});
export const askBillerAgain = call({
  name: 'billing.askBillerAgain',
  method: 'POST',
  path: '/admin/payments/:id/ask',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ id: z.string().max(64) }),
  output: z.object({ payment: PaymentView }),
  refusals: [orderUnknown, billerUnavailable],
  summary: 'Ask the biller about an order',
  description: 'Applies the answer, and retries a payment that waits for the marketing cap.',
});
