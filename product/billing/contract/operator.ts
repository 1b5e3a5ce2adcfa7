import { z } from 'zod';
import { call } from '../../../platform/contract/call.ts';
import { BILLER_NAMES } from '../../../platform/contract/payment.ts';
import { refusal } from '../../../platform/contract/refusal.ts';
import { COUNTRY_CODE, CURRENCY_CODE } from '../../../platform/text/codes.ts';
import { Reason } from '../../site/contract/seller.ts';
import { Amount, billerUnavailable, productUnknown, promoCodeUnknown } from '../contract.ts';
import {
  MAX_CODE_TOKENS, MAX_CODE_USES, MAX_DAILY_LIMIT_CENTS, MAX_POSTPAY_TOKENS, MAX_PROMO_CODE_LENGTH,
  MEMBERSHIPS, MIN_PROMO_CODE_LENGTH, SWITCHES,
} from '../rules.ts';
import {
  MAX_COUNTRIES, MAX_MEMBERSHIP_DAYS, MAX_PRICE_MINOR, MAX_PRODUCT_TOKENS, MAX_PRODUCTS, PRODUCT_ID,
  PRODUCT_KINDS,
} from '../rules/products.ts';

/** What an operator decides of its billing: products, switches, limits, promo codes. For admins alone. */
const slice = 'billing';
const managed = { access: 'admin', credential: 'cookie' } as const;

export const productTaken = refusal({
  slice, code: 'product_taken', kind: 'conflict', description: 'Another product has or had this id.',
});
export const productInvalid = refusal({
  slice, code: 'product_invalid', kind: 'invalid',
  description: 'The parts do not fit: memberships have days and an id that says so, a pass is for nothing, '
    + 'everything else has tokens and a price.',
});
export const productChanged = refusal({
  slice, code: 'product_changed', kind: 'conflict',
  description: 'Somebody changed it meanwhile: it is another revision than the one that was seen.',
});
export const currencyUnknown = refusal({
  slice, code: 'currency_unknown', kind: 'invalid',
  description: 'The operator has no rate for this currency.',
});
export const priceBelowPayout = refusal({
  slice, code: 'price_below_payout', kind: 'invalid',
  description: 'Its tokens pay out more than it costs, and it can be bought again and again: two people '
    + 'could take money out of the site.',
});
export const costNotAccepted = refusal({
  slice, code: 'cost_not_accepted', kind: 'conflict',
  description: 'Each sale costs marketing, and more of it than was accepted.',
});
export const catalogueFull = refusal({
  slice, code: 'catalogue_full', kind: 'limited',
  description: 'There would be no product on sale, or too many of them.',
});
export const codeTaken = refusal({
  slice, code: 'code_taken', kind: 'conflict', description: 'A code of this name is there already.',
});
export const codeTimes = refusal({
  slice, code: 'code_times', kind: 'invalid',
  description: 'It would end before it begins, or allow fewer uses than there were.',
});

const Country = z.string().regex(COUNTRY_CODE);
const ProductId = z.string().regex(PRODUCT_ID);

export const ManagedProduct = z.object({
  internal_id: z.string(), kind: z.enum(PRODUCT_KINDS), tokens: z.int(), free_tokens: z.int(), price: Amount,
  membership: z.enum(MEMBERSHIPS).nullable(), days: z.int().nullable(), one_click: z.boolean(),
  /** Where it is sold; everywhere when empty. */
  countries: z.array(z.string()),
  retired: z.boolean(),
  revision: z.int(),
  /** What one sale brings and costs, in US cents: money, what its tokens pay out, marketing booked for it. */
  cash_cents: z.int().nullable(), payout_cents: z.int(), marketing_cents: z.int(),
  /** It can be bought again and again for less than its tokens pay out: a payout was raised, a rate fell. */
  below_payout: z.boolean(),
});
export type ManagedProductView = z.infer<typeof ManagedProduct>;

/** What of a product can be changed. What it is (id, kind, membership) stays: orders name it. */
const Changeable = {
  tokens: z.int().min(0).max(MAX_PRODUCT_TOKENS), free_tokens: z.int().min(0).max(MAX_PRODUCT_TOKENS),
  price_minor: z.int().min(0).max(MAX_PRICE_MINOR), currency: z.string().regex(CURRENCY_CODE),
  days: z.int().min(1).max(MAX_MEMBERSHIP_DAYS).nullable(), one_click: z.boolean(),
  countries: z.array(Country).max(MAX_COUNTRIES),
  /** The most marketing, in US cents, that each sale may cost; it costs none when left out. */
  accepted_cost_cents: z.int().min(0).optional(),
  reason: Reason,
} as const;

export const listManagedProducts = call({
  ...managed, name: 'billing.listManagedProducts', method: 'GET', path: '/admin/products',
  input: z.object({
    /** Those no longer sold instead of those on sale. */
    retired: z.boolean().optional(),
    /** Id of the last product of the page before. */
    after: z.string().max(64).optional(),
  }),
  output: z.object({
    products: z.array(ManagedProduct), next: z.string().nullable(),
    /** Currencies products can be priced in: US cents of a hundred of their minor units. */
    rates: z.array(z.object({ currency: z.string(), cents: z.int() })),
    /** US cents a token pays out. */
    token_payout_cents: z.int(),
    /** US cents that may be booked as marketing, and are. */
    marketing_cap_cents: z.int(), marketing_booked_cents: z.int(),
  }),
  refusals: [],
  summary: 'Products of the operator',
  description: `In the order they are shown, ${MAX_PRODUCTS} a page: all that are on sale fit one.`,
});

export const createProduct = call({
  ...managed, name: 'billing.createProduct', method: 'POST', path: '/admin/products',
  input: z.object({
    internal_id: ProductId, kind: z.enum(PRODUCT_KINDS), membership: z.enum(MEMBERSHIPS).nullable(),
    ...Changeable,
  }),
  output: z.object({ product: ManagedProduct }),
  refusals: [
    productTaken, productInvalid, currencyUnknown, priceBelowPayout, costNotAccepted, catalogueFull,
  ],
  summary: 'Sell another product',
  description: 'It comes last. Refused when it could be bought again and again for less than its tokens pay '
    + 'out; other marketing cost has to be accepted.',
});

export const changeProduct = call({
  ...managed, name: 'billing.changeProduct', method: 'POST', path: '/admin/products/:internal_id',
  input: z.object({ internal_id: z.string().max(64), revision: z.int().positive(), ...Changeable }),
  output: z.object({ product: ManagedProduct }),
  refusals: [
    productUnknown, productChanged, productInvalid, currencyUnknown, priceBelowPayout, costNotAccepted,
  ],
  summary: 'Change a product',
  description: 'Holds for orders to come. Orders that are made keep their price and tokens, memberships that '
    + 'run keep theirs, and a re-up stops rather than charge more than its person confirmed.',
});
export const retireProduct = call({
  ...managed, name: 'billing.retireProduct', method: 'POST', path: '/admin/products/:internal_id/retire',
  input: z.object({
    internal_id: z.string().max(64), revision: z.int().positive(),
    /** False puts it back on sale, last in order. */
    retired: z.boolean(), reason: Reason,
  }),
  output: z.object({ product: ManagedProduct }),
  refusals: [productUnknown, productChanged, catalogueFull, currencyUnknown, priceBelowPayout],
  summary: 'Stop selling a product, or sell it again',
  description: 'Nothing is deleted. Memberships that run with it go on, re-ups of it stop. One stays.',
});

export const orderProducts = call({
  ...managed, name: 'billing.orderProducts', method: 'POST', path: '/admin/billing/product_order',
  input: z.object({
    /** Ids of all products on sale, in the order they are to be shown. */
    internal_ids: z.array(z.string().max(64)).min(1).max(MAX_PRODUCTS), reason: Reason,
  }),
  output: z.object({ status: z.literal(1) }), refusals: [productChanged],
  summary: 'Put products into order',
  description: 'Refused when others are on sale than were seen. Memberships stand first for buyers anyway.',
});

export const BillingRules = z.object({
  /** What is on beside cards; cards always are. */
  switches: z.array(z.object({ name: z.enum(SWITCHES), on: z.boolean() })),
  /** US cents that a person may buy for on a UTC day; tokens that may be owed on account. */
  daily_limit_cents: z.int(), postpay_tokens: z.int(),
  /** Countries without a wheel. */
  wheel_blocked_countries: z.array(z.string()),
  /** Countries whose last log-ins cannot buy. */
  purchase_blocked_countries: z.array(z.string()),
  /** The operator's billers, and whose pages open over ours; only where the account there allows a frame. */
  billers: z.array(z.object({ name: z.enum(BILLER_NAMES), can_frame: z.boolean(), framed: z.boolean() })),
});
export const getBillingRules = call({
  ...managed, name: 'billing.getBillingRules', method: 'GET', path: '/admin/billing/rules',
  input: z.object({}), output: BillingRules, refusals: [],
  summary: 'Switches and limits of billing', description: 'As they hold now, defaults included.',
});
export const changeBillingRules = call({
  ...managed, name: 'billing.changeBillingRules', method: 'POST', path: '/admin/billing/rules',
  input: z.object({
    switches: z.array(z.object({ name: z.enum(SWITCHES), on: z.boolean() })).max(SWITCHES.length).optional(),
    daily_limit_cents: z.int().min(0).max(MAX_DAILY_LIMIT_CENTS).optional(),
    postpay_tokens: z.int().min(0).max(MAX_POSTPAY_TOKENS).optional(),
    wheel_blocked_countries: z.array(Country).max(MAX_COUNTRIES).optional(),
    purchase_blocked_countries: z.array(Country).max(MAX_COUNTRIES).optional(),
    /** All billers whose pages open over ours; those of the others lead away. */
    framed_billers: z.array(z.enum(BILLER_NAMES)).max(BILLER_NAMES.length).optional(),
    reason: Reason,
  }),
  output: BillingRules, refusals: [billerUnavailable],
  summary: 'Change switches and limits of billing',
  description: 'What is left out stays. A lower limit counts what was bought today already. A biller whose '
    + 'account allows no frame is refused.',
});

export const PromoCodeView = z.object({
  code: z.string(), tokens: z.int(), starts_at: z.string(), ends_at: z.string().nullable(),
  /** Uses in all that are allowed, and were made. */
  max_uses: z.int().nullable(), uses: z.int(),
  /** It gives tokens to whoever has not used it, now. */
  running: z.boolean(),
});
const CodeName = z.string().regex(/^[A-Za-z0-9_-]+$/).min(MIN_PROMO_CODE_LENGTH).max(MAX_PROMO_CODE_LENGTH);
const Uses = z.int().min(1).max(MAX_CODE_USES).nullable();

export const listPromoCodes = call({
  ...managed, name: 'billing.listPromoCodes', method: 'GET', path: '/admin/billing/codes',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ codes: z.array(PromoCodeView), next: z.int().nullable() }), refusals: [],
  summary: 'Promo codes', description: 'Newest first; `next` goes into `before`. Codes are never deleted.',
});
export const createPromoCode = call({
  ...managed, name: 'billing.createPromoCode', method: 'POST', path: '/admin/billing/codes',
  input: z.object({
    code: CodeName, tokens: z.int().min(1).max(MAX_CODE_TOKENS), max_uses: Uses,
    /** Now when left out; null ends never. */
    starts_at: z.iso.datetime().optional(), ends_at: z.iso.datetime().nullable(), reason: Reason,
  }),
  output: z.object({ code: PromoCodeView }), refusals: [codeTaken, codeTimes],
  summary: 'Make a promo code',
  description: 'Written in any case, kept in capitals. Its tokens are gifts: they are booked as marketing.',
});
export const changePromoCode = call({
  ...managed, name: 'billing.changePromoCode', method: 'POST', path: '/admin/billing/codes/:code',
  input: z.object({
    code: z.string().max(MAX_PROMO_CODE_LENGTH), max_uses: Uses, ends_at: z.iso.datetime().nullable(),
    reason: Reason,
  }),
  output: z.object({ code: PromoCodeView }), refusals: [promoCodeUnknown, codeTimes],
  summary: 'Change the limit or the end of a promo code', description: 'What it gives stays as it was made.',
});
export const stopPromoCode = call({
  ...managed, name: 'billing.stopPromoCode', method: 'POST', path: '/admin/billing/codes/:code/stop',
  input: z.object({ code: z.string().max(MAX_PROMO_CODE_LENGTH), reason: Reason }),
  output: z.object({ code: PromoCodeView }), refusals: [promoCodeUnknown],
  summary: 'Stop a promo code', description: 'At once; who used it keeps the tokens.',
});

export const listBillingChanges = call({
  ...managed, name: 'billing.listBillingChanges', method: 'GET', path: '/admin/billing/changes',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({
    changes: z.array(z.object({
      id: z.int(), at: z.string(),
      /** What was done: the last part of the call's name. */
      action: z.string(),
      /** Null where a program did it. */
      username: z.string().nullable(), reason: z.string().nullable(),
      /** What it was done to: a product, a code; null for the rules. */
      subject: z.string().nullable(),
      /** What is different: name, what it was before, what it is now; each as JSON, null for nothing. */
      fields: z.array(z.object({
        name: z.string(), before: z.string().nullable(), after: z.string().nullable(),
      })),
    })),
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Who changed what of billing', description: 'From the audit log, newest first.',
});
