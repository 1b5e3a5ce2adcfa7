import { call } from '#platform/contract/call.ts';
import { BILLER_NAMES } from '#platform/contract/payment.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { COUNTRY_CODE, CURRENCY_CODE } from '#platform/text/codes.ts';
import { STORED_YEAR } from '#platform/time/days.ts';
import { MEMBERSHIPS } from '#product/accounts/rules/current-user.ts';
import { Reason } from '#product/site/contract/seller.ts';
import { z } from 'zod';
import { Amount, billerUnavailable, productUnknown } from '../contract.ts';
import {
  MAX_CODE_TOKENS,
  MAX_CODE_USES,
  MAX_DAILY_LIMIT_CENTS,
  MAX_GIFTS_PER_PLACE,
  MAX_POSTPAY_TOKENS,
  MAX_PROMO_CODE_LENGTH,
  MAX_SIGN_UP_TOKENS,
  MIN_PROMO_CODE_LENGTH,
  SWITCHES,
} from '../rules.ts';
import {
  MAX_COUNTRIES,
  MAX_MEMBERSHIP_DAYS,
  MAX_PRICE_MINOR,
  MAX_PRODUCT_TOKENS,
  MAX_PRODUCTS,
  PRODUCT_ID,
  PRODUCT_KINDS,
} from '../rules/products.ts';
import { promoCodeUnknown } from './promos.ts';

/** Products, switches, limits and promo codes of an operator. For admins alone. */
const slice = 'billing';
const managed = { access: 'admin', credential: 'cookie' } as const;

export const productTaken = refusal({
  slice,
  code: 'product_taken',
  kind: 'conflict',
  description: 'Another product has or had this id.',
});
export const productInvalid = refusal({
  slice,
  code: 'product_invalid',
  kind: 'invalid',
  description: 'Inconsistent: memberships have days and an id with `membership_`, a pass is free, anything '
    + 'else has tokens and a price.',
});
export const productChanged = refusal({
  slice,
  code: 'product_changed',
  kind: 'conflict',
  description: 'Somebody else changed it: the revision is not the current one.',
});
export const currencyUnknown = refusal({
  slice,
  code: 'currency_unknown',
  kind: 'invalid',
  description: 'The operator has no rate for this currency.',
});
export const priceBelowPayout = refusal({
  slice,
  code: 'price_below_payout',
  kind: 'invalid',
  description: 'Its tokens pay out more than it costs, and it can be bought repeatedly: two people could '
    + 'take money out of the site.',
});
export const costNotAccepted = refusal({
  slice,
  code: 'cost_not_accepted',
  kind: 'conflict',
  description: 'Each sale costs more marketing than was accepted.',
});
export const catalogueFull = refusal({
  slice,
  code: 'catalogue_full',
  kind: 'limited',
  description: 'There would be no product on sale, or too many of them.',
});
export const codeTaken = refusal({
  slice,
  code: 'code_taken',
  kind: 'conflict',
  description: 'A code of this name exists.',
});
export const codeTimes = refusal({
  slice,
  code: 'code_times',
  kind: 'invalid',
  description: 'It would end before it starts, or allow fewer uses than there were.',
});

const Country = z.string().regex(COUNTRY_CODE);
const ProductId = z.string().regex(PRODUCT_ID);

export const ManagedProduct = z.object({
  internal_id: z.string(),
  kind: z.enum(PRODUCT_KINDS),
  tokens: z.int(),
  free_tokens: z.int(),
  price: Amount,
  membership: z.enum(MEMBERSHIPS).nullable(),
  days: z.int().nullable(),
  one_click: z.boolean(),
  /** Countries where it is sold; empty for everywhere. */
  countries: z.array(z.string()),
  retired: z.boolean(),
  revision: z.int(),
  /** Per sale, in US cents: the price, the payout of its tokens, the marketing cost. */
  cash_cents: z.int().nullable(),
  payout_cents: z.int(),
  marketing_cents: z.int(),
  /** It costs less than its payout and can be bought repeatedly, since a payout was raised or a rate fell. */
  below_payout: z.boolean(),
});
export type ManagedProductView = z.infer<typeof ManagedProduct>;

/** The parts of a product that can change. Orders refer to id, kind and membership, so these cannot. */
const Changeable = {
  tokens: z.int().min(0).max(MAX_PRODUCT_TOKENS),
  free_tokens: z.int().min(0).max(MAX_PRODUCT_TOKENS),
  price_minor: z.int().min(0).max(MAX_PRICE_MINOR),
  currency: z.string().regex(CURRENCY_CODE),
  days: z.int().min(1).max(MAX_MEMBERSHIP_DAYS).nullable(),
  one_click: z.boolean(),
  countries: z.array(Country).max(MAX_COUNTRIES),
  /** The accepted marketing cost per sale, in US cents; none by default. */
  accepted_cost_cents: z.int().min(0).optional(),
  reason: Reason,
} as const;

export const listManagedProducts = call({
  ...managed,
  name: 'billing.listManagedProducts',
  method: 'GET',
  path: '/admin/products',
  input: z.object({
    /** Lists retired products instead of those on sale. */
    retired: z.boolean().optional(),
    /** Id of the last product of the previous page. */
    after: z.string().max(64).optional(),
  }),
  output: z.object({
    products: z.array(ManagedProduct),
    next: z.string().nullable(),
    /** Currencies of prices, with the US cents of a hundred minor units. */
    rates: z.array(z.object({ currency: z.string(), cents: z.int() })),
    /** Payout of a token, in US cents. */
    token_payout_cents: z.int(),
    /** The marketing cap and the amount booked against it, in US cents. */
    marketing_cap_cents: z.int(),
    marketing_booked_cents: z.int(),
  }),
  refusals: [],
  summary: 'Products of the operator',
  description: `In display order, ${MAX_PRODUCTS} a page: all products on sale fit one.`,
});

export const createProduct = call({
  ...managed,
  name: 'billing.createProduct',
  method: 'POST',
  path: '/admin/products',
  input: z.object({
    internal_id: ProductId,
    kind: z.enum(PRODUCT_KINDS),
    membership: z.enum(MEMBERSHIPS).nullable(),
    ...Changeable,
  }),
  output: z.object({ product: ManagedProduct }),
  refusals: [
    productTaken,
    productInvalid,
    currencyUnknown,
    priceBelowPayout,
    costNotAccepted,
    catalogueFull,
  ],
  summary: 'Create a product',
  description: 'It is listed last. Refused when it could be bought repeatedly for less than its payout; '
    + 'other marketing cost has to be accepted.',
});

export const changeProduct = call({
  ...managed,
  name: 'billing.changeProduct',
  method: 'POST',
  path: '/admin/products/:internal_id',
  input: z.object({ internal_id: z.string().max(64), revision: z.int().positive(), ...Changeable }),
  output: z.object({ product: ManagedProduct }),
  refusals: [
    productUnknown,
    productChanged,
    productInvalid,
    currencyUnknown,
    priceBelowPayout,
    costNotAccepted,
  ],
  summary: 'Change a product',
  description: 'Applies to new orders. Existing orders and running memberships retain their price and '
    + 'tokens, and a re-up stops rather than charge more than its person confirmed.',
});
export const retireProduct = call({
  ...managed,
  name: 'billing.retireProduct',
  method: 'POST',
  path: '/admin/products/:internal_id/retire',
  input: z.object({
    internal_id: z.string().max(64),
    revision: z.int().positive(),
    /** False puts it back on sale, listed last. */
    retired: z.boolean(),
    reason: Reason,
  }),
  output: z.object({ product: ManagedProduct }),
  refusals: [productUnknown, productChanged, catalogueFull, currencyUnknown, priceBelowPayout],
  summary: 'Stop selling a product, or sell it again',
  description: 'Never deletes. Running memberships continue, re-ups of it stop. One product stays on sale.',
});

export const orderProducts = call({
  ...managed,
  name: 'billing.orderProducts',
  method: 'POST',
  path: '/admin/billing/product_order',
  input: z.object({
    /** Ids of all products on sale, in the new display order. */
    internal_ids: z.array(z.string().max(64)).min(1).max(MAX_PRODUCTS),
    reason: Reason,
  }),
  output: z.object({ status: z.literal(1) }),
  refusals: [productChanged],
  summary: 'Put products into order',
  description: 'Refused unless it lists exactly the products on sale. Buyers see memberships first anyway.',
});

export const BillingRules = z.object({
  /** Switches; cards are always on. */
  switches: z.array(z.object({ name: z.enum(SWITCHES), on: z.boolean() })),
  /** A person's purchases per UTC day, in US cents; the post-pay credit limit, in tokens. */
  daily_limit_cents: z.int(),
  postpay_tokens: z.int(),
  /** Maximum people per day who receive free tokens at one address, and in one browser. */
  gifts_per_address: z.int(),
  gifts_per_device: z.int(),
  /** Free tokens for new accounts once their email address is confirmed; 0 for none. */
  sign_up_tokens: z.int(),
  /** Countries without a wheel. */
  wheel_blocked_countries: z.array(z.string()),
  /** People who last logged in from these countries cannot buy. */
  purchase_blocked_countries: z.array(z.string()),
  /** The operator's billers, and whether their pages can and do open in a frame. */
  billers: z.array(z.object({ name: z.enum(BILLER_NAMES), can_frame: z.boolean(), framed: z.boolean() })),
});
export const getBillingRules = call({
  ...managed,
  name: 'billing.getBillingRules',
  method: 'GET',
  path: '/admin/billing/rules',
  input: z.object({}),
  output: BillingRules,
  refusals: [],
  summary: 'Switches and limits of billing',
  description: 'Current values, with defaults.',
});
export const changeBillingRules = call({
  ...managed,
  name: 'billing.changeBillingRules',
  method: 'POST',
  path: '/admin/billing/rules',
  input: z.object({
    switches: z.array(z.object({ name: z.enum(SWITCHES), on: z.boolean() })).max(SWITCHES.length).optional(),
    daily_limit_cents: z.int().min(0).max(MAX_DAILY_LIMIT_CENTS).optional(),
    postpay_tokens: z.int().min(0).max(MAX_POSTPAY_TOKENS).optional(),
    gifts_per_address: z.int().min(0).max(MAX_GIFTS_PER_PLACE).optional(),
    gifts_per_device: z.int().min(0).max(MAX_GIFTS_PER_PLACE).optional(),
    sign_up_tokens: z.int().min(0).max(MAX_SIGN_UP_TOKENS).optional(),
    wheel_blocked_countries: z.array(Country).max(MAX_COUNTRIES).optional(),
    purchase_blocked_countries: z.array(Country).max(MAX_COUNTRIES).optional(),
    /** All billers whose pages open in a frame; the pages of others replace ours. */
    framed_billers: z.array(z.enum(BILLER_NAMES)).max(BILLER_NAMES.length).optional(),
    reason: Reason,
  }),
  output: BillingRules,
  refusals: [billerUnavailable],
  summary: 'Change switches and limits of billing',
  description: 'What is left out stays. A lower limit counts purchases of today. A biller whose account '
    + 'allows no frame is refused.',
});

export const PromoCodeView = z.object({
  code: z.string(),
  tokens: z.int(),
  starts_at: z.string(),
  ends_at: z.string().nullable(),
  /** Uses allowed (null for any number) and made. */
  max_uses: z.int().nullable(),
  uses: z.int(),
  /** Can be redeemed now. */
  running: z.boolean(),
});
const CodeName = z.string().regex(/^[A-Za-z0-9_-]+$/).min(MIN_PROMO_CODE_LENGTH).max(MAX_PROMO_CODE_LENGTH);
const Moment = z.iso.datetime().regex(STORED_YEAR);
const Uses = z.int().min(1).max(MAX_CODE_USES).nullable();

export const listPromoCodes = call({
  ...managed,
  name: 'billing.listPromoCodes',
  method: 'GET',
  path: '/admin/billing/codes',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ codes: z.array(PromoCodeView), next: z.int().nullable() }),
  refusals: [],
  summary: 'Promo codes',
  description: 'Newest first; `next` goes into `before`. Codes are never deleted.',
});
export const createPromoCode = call({
  ...managed,
  name: 'billing.createPromoCode',
  method: 'POST',
  path: '/admin/billing/codes',
  input: z.object({
    code: CodeName,
    tokens: z.int().min(1).max(MAX_CODE_TOKENS),
    max_uses: Uses,
    /** Starts now by default; null never ends. */
    starts_at: Moment.optional(),
    ends_at: Moment.nullable(),
    reason: Reason,
  }),
  output: z.object({ code: PromoCodeView }),
  refusals: [codeTaken, codeTimes],
  summary: 'Create a promo code',
  description: 'Stored in capitals. Its tokens are gifts, booked as marketing.',
});
export const changePromoCode = call({
  ...managed,
  name: 'billing.changePromoCode',
  method: 'POST',
  path: '/admin/billing/codes/:code',
  input: z.object({
    code: z.string().max(MAX_PROMO_CODE_LENGTH),
    max_uses: Uses,
    ends_at: Moment.nullable(),
    reason: Reason,
  }),
  output: z.object({ code: PromoCodeView }),
  refusals: [promoCodeUnknown, codeTimes],
  summary: 'Change the limit or the end of a promo code',
  description: 'Its tokens never change.',
});
export const stopPromoCode = call({
  ...managed,
  name: 'billing.stopPromoCode',
  method: 'POST',
  path: '/admin/billing/codes/:code/stop',
  input: z.object({ code: z.string().max(MAX_PROMO_CODE_LENGTH), reason: Reason }),
  output: z.object({ code: PromoCodeView }),
  refusals: [promoCodeUnknown],
  summary: 'Stop a promo code',
  description: 'At once. People who used it keep the tokens.',
});

export const listBillingChanges = call({
  ...managed,
  name: 'billing.listBillingChanges',
  method: 'GET',
  path: '/admin/billing/changes',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({
    changes: z.array(z.object({
      id: z.int(),
      at: z.string(),
      /** The last part of the call's name. */
      action: z.string(),
      /** Null for a program. */
      username: z.string().nullable(),
      reason: z.string().nullable(),
      /** Id of a product or a code; null for settings. */
      subject: z.string().nullable(),
      /** Changed fields: name, old value, new value; values as JSON, null for none. */
      fields: z.array(z.object({
        name: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      })),
    })),
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Changes of billing',
  description: 'From the audit log, newest first.',
});
