import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { Product, promoUnavailable } from '../contract.ts';
import { MAX_PROMO_CODE_LENGTH, MIN_PROMO_CODE_LENGTH } from '../rules.ts';

const slice = 'billing';
export const promoCodeUnknown = refusal({
  slice,
  code: 'promo_code_unknown',
  kind: 'absent',
  description: 'No such code, or it has ended.',
});
export const promoCodeUsed = refusal({
  slice,
  code: 'promo_code_used',
  kind: 'conflict',
  description: 'This person used the code before.',
});
export const emailUnconfirmed = refusal({
  slice,
  code: 'email_unconfirmed',
  kind: 'denied',
  description: 'Free tokens are for people who confirmed their email address.',
});
export const giftLimit = refusal({
  slice,
  code: 'gift_limit',
  kind: 'limited',
  description: 'Enough people received free tokens today at this address or in this browser.',
});
export const noSpins = refusal({ slice, code: 'no_spins', kind: 'limited', description: 'No spin is left.' });

export const listPromos = call({
  name: 'billing.listPromos',
  method: 'GET',
  path: '/billing/promos',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ advert_id: z.string().max(64).optional(), promo: z.string().max(64).optional() }),
  output: z.object({
    promos: z.array(z.object({
      id: z.string(),
      kind: z.enum(['special', 'offer', 'free_tokens', 'wheel']),
      product: Product.nullable(),
      free_tokens: z.int(),
    })),
  }),
  refusals: [],
  summary: 'Running promotions',
  description: 'Empty unless the operator runs any. At most ten.',
});

export const redeemPromoCode = call({
  name: 'billing.redeemPromoCode',
  method: 'POST',
  path: '/billing/promo_code',
  access: 'member',
  credential: 'cookie',
  input: z.object({ code: z.string().trim().min(MIN_PROMO_CODE_LENGTH).max(MAX_PROMO_CODE_LENGTH) }),
  output: z.object({ status: z.literal(1), tokens: z.int() }),
  refusals: [promoUnavailable, promoCodeUnknown, promoCodeUsed, emailUnconfirmed, giftLimit],
  limit: { points: 10, seconds: 3600, per: 'caller' },
  summary: 'Redeem a promo code',
  description: 'Once per person with a confirmed email address, and for so many people a day at an address'
    + ' and in a browser. Only while the operator runs promotions.',
});
export const getSpins = call({
  name: 'billing.getSpins',
  method: 'GET',
  path: '/promo-wheel/spins',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    enabled: z.boolean(),
    spins: z.int(),
    prizes: z.array(z.object({ tokens: z.int(), odds: z.number() })),
  }),
  refusals: [],
  summary: 'Spins of the promo wheel',
  description: 'The odds of each prize are shown.',
});
export const spin = call({
  name: 'billing.spin',
  method: 'POST',
  path: '/promo-wheel/spins',
  access: 'member',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({ vault: z.boolean().optional() }),
  output: z.object({ status: z.literal(1), prize: z.int(), spins: z.int() }),
  refusals: [promoUnavailable, noSpins, emailUnconfirmed, giftLimit],
  summary: 'Spin',
  description: 'The server draws the prize and credits it in the same unit of work.',
});
export const wheelCount = event({
  name: 'v3.promo_wheel_count',
  socket: 'both',
  from: 'server',
  shape: z.object({ spins: z.int() }),
  description: 'The number of spins left.',
  requirements: ['A-386'],
});
