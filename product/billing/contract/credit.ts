import { ANY_TYPE, call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import {
  Amount,
  billerUnavailable,
  buyAtOnce,
  cannotBuy,
  cardUnknown,
  offerChanged,
  PAYING,
  productUnknown,
  ShownOffer,
} from '../contract.ts';
import { REUP_ERRORS } from '../rules.ts';

const slice = 'billing';
export const postpayUnavailable = refusal({
  slice,
  code: 'postpay_unavailable',
  kind: 'denied',
  description: 'The account has no post-pay.',
});

export const AutoReUp = z.object({
  enabled: z.boolean(),
  /** Buys when the balance falls below this many tokens. */
  threshold: z.int(),
  /** The product that is bought. */
  internal_id: z.string().nullable(),
  cardId: z.int().nullable(),
  /** Maximum re-ups per day (UTC). */
  per_day: z.int(),
});
export const getAutoReUp = call({
  name: 'billing.getAutoReUp',
  method: 'GET',
  path: '/billing/auto_reup',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: AutoReUp,
  refusals: [],
  summary: 'Auto re-up',
  description: 'Off unless the person turned it on.',
});
export const setAutoReUp = call({
  name: 'billing.setAutoReUp',
  method: 'POST',
  path: '/billing/auto_reup',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    enabled: z.boolean(),
    threshold: z.int().min(1).max(100_000),
    internal_id: z.string().max(64),
    cardId: z.int().positive(),
    per_day: z.int().min(1).max(10),
    /** The person has read and confirmed what will be charged. */
    confirmed: z.literal(true),
    /** The confirmed offer. Turning re-ups on is refused without it, or if the current offer differs. */
    shown: ShownOffer.optional(),
  }),
  output: AutoReUp,
  refusals: [...cannotBuy, productUnknown, offerChanged, cardUnknown],
  summary: 'Change auto re-up',
  description: 'Needs an explicit confirmation each time. Turning it off asks for no `shown`: the product '
    + 'may be retired.',
});

export const getPostpay = call({
  name: 'billing.getPostpay',
  method: 'GET',
  path: '/billing/postpay',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Whether the operator offers post-pay to this person, and whether it is on. */
    offered: z.boolean(),
    enabled: z.boolean(),
    /** Credit limit and debt, in tokens. */
    limit: z.int(),
    owed: z.int(),
    price: Amount,
    next_charge_at: z.string().nullable(),
    /** The last charge failed: the credit limit is zero until the debt is paid. */
    card_failed: z.boolean(),
  }),
  refusals: [],
  summary: 'Post-pay',
  description: 'Spend now; the debt is charged once a day.',
});
export const setPostpay = call({
  name: 'billing.setPostpay',
  method: 'POST',
  path: '/billing/postpay',
  access: 'member',
  credential: 'cookie',
  input: z.object({ enabled: z.boolean(), cardId: z.int().positive().optional() }),
  output: getPostpay.output,
  refusals: [...cannotBuy, postpayUnavailable, cardUnknown],
  summary: 'Turn post-pay on or off',
  description: 'Turning it off stops new spending on credit; existing debt stays.',
});
export const settlePostpay = call({
  name: 'billing.settlePostpay',
  method: 'POST',
  path: '/billing/postpay/settle',
  access: 'member',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({ cardId: z.int().positive().optional() }),
  output: buyAtOnce.output,
  refusals: [postpayUnavailable, cardUnknown, billerUnavailable],
  limit: PAYING,
  summary: 'Pay what is owed now',
  description: 'Charges a saved card for the whole debt.',
});
export const redirectPostpayDecline = call({
  name: 'billing.redirectPostpayDecline',
  method: 'GET',
  path: '/billing/postpay_decline',
  access: 'anyone',
  credential: 'none',
  input: z.object({}),
  output: z.object({ status: z.literal(302), headers: z.record(z.string(), z.string()), body: z.string() }),
  media: { accepts: ANY_TYPE, answers: 'text/plain' },
  refusals: [],
  summary: 'Redirect after a declined post-pay charge',
  description: '`Location` is the page that settles it.',
});
export const reUpUpdate = event({
  name: 'v3.reUp.update',
  socket: 'both',
  from: 'server',
  shape: z.object({
    success: z.boolean(),
    tokens: z.int(),
    error: z.enum(REUP_ERRORS).nullable(),
    /** The order that was charged; null if none was created. */
    order_id: z.string().nullable(),
  }),
  description: 'An automatic re-up happened or failed.',
  requirements: ['A-217', 'A-382', 'C-330'],
});
