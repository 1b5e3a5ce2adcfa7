import { z } from 'zod';
import { call } from '../../../platform/contract/call.ts';
import { Amount, billerUnavailable, orderUnknown, OrderView } from '../contract.ts';
import { PAY_METHODS, PURPOSES } from '../rules.ts';

// What staff see of payments and do about them.
const Shared = z.object({ id: z.string(), people: z.int() });
export const PaymentView = OrderView.extend({
  person_id: z.int(), username: z.string(), operation: z.string().nullable(),
  /** How it was begun, and by what it is paid. */
  purpose: z.enum(PURPOSES), method: z.enum(PAY_METHODS),
  /** The order that began it, where it is a renewal or a voucher paid again. */
  began_with: z.string().nullable(),
  /** How often its biller was asked what became of it by ourselves, and when last. */
  asked: z.int(), asked_at: z.string().nullable(),
  /** Where it came from, and with what: digests, each with how many people bought with the same. */
  trace: z.object({
    advert_id: z.string().nullable(), device: Shared.nullable(), blackbox: Shared.nullable(),
  }),
  events: z.array(z.object({
    id: z.string(), type: z.string(), reference: z.string(), amount: Amount.nullable(), at: z.string(),
    /** What became of it: applied, or why not. */
    outcome: z.string(),
  })),
  callbacks: z.array(z.object({
    id: z.int(), at: z.string(), method: z.string(), outcome: z.string(), body: z.string(),
  })),
});
export const findPayments = call({
  name: 'billing.findPayments', method: 'GET', path: '/admin/payments', access: 'admin', credential: 'cookie',
  input: z.object({
    reference: z.string().max(128).optional(), order: z.string().max(64).optional(),
    username: z.string().max(64).optional(), before: z.string().max(64).optional(),
  }),
  output: z.object({ payments: z.array(PaymentView), next: z.string().nullable() }), refusals: [],
  summary: 'Find payments', description: 'By biller reference, order or person; newest first. Bodies without '
    + 'personal fields.',
});
export const getBillingAlarms = call({
  name: 'billing.getBillingAlarms', method: 'GET', path: '/admin/payments/alarms', access: 'admin',
  credential: 'cookie', input: z.object({}),
  output: z.object({
    unknown: z.array(OrderView), mismatched: z.array(PaymentView),
    /** Paid, and tokens wait: they would cost more marketing than is left. Tried again by themselves. */
    over_cap: z.array(PaymentView),
    forged_today: z.int(),
    /** Callbacks nobody has finished reading, that tell of no order of ours, or made no sense today. */
    unread: z.int(),
  }),
  refusals: [], summary: 'Payments that need somebody', description: 'The oldest hundred of each.',
});
export const askBillerAgain = call({
  name: 'billing.askBillerAgain', method: 'POST', path: '/admin/payments/:id/ask', access: 'admin',
  credential: 'cookie', input: z.object({ id: z.string().max(64) }),
  output: z.object({ payment: PaymentView }), refusals: [orderUnknown, billerUnavailable],
  summary: 'Ask the biller what became of an order',
  description: 'Applies what it answers, and tries again what waits for the cap of marketing.',
});
