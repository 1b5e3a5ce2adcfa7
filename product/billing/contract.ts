import { call, type RateLimit } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { hostRefusals, refusal } from '#platform/contract/refusal.ts';
import { marketingCap } from '#product/ledger/contract.ts';
import { z } from 'zod';
import { DECLINE_CODES, ORDER_STATES } from './rules.ts';

const slice = 'billing';
export const countryBlocked = refusal({
  slice,
  code: 'country_blocked',
  kind: 'denied',
  description: 'The last log-in came from a country where buying is closed.',
});
export const modelCannotBuy = refusal({
  slice,
  code: 'model_cannot_buy',
  kind: 'denied',
  description: 'Performers cannot buy tokens.',
});
export const compliancePending = refusal({
  slice,
  code: 'compliance_pending',
  kind: 'denied',
  description: 'Identity documents are under review.',
});
export const productUnknown = refusal({
  slice,
  code: 'product_unknown',
  kind: 'absent',
  description: 'There is no such product for this person.',
});
export const billerUnavailable = refusal({
  slice,
  code: 'biller_unavailable',
  kind: 'conflict',
  description: 'No biller takes this payment now.',
});
export const dailyPurchaseLimit = refusal({
  slice,
  code: 'daily_purchase_limit',
  kind: 'limited',
  description: 'The daily purchase limit is reached.',
});
export const purchasesExcluded = refusal({
  slice,
  code: 'purchases_excluded',
  kind: 'denied',
  description: 'The person takes a break from spending, or their spending is blocked.',
});
export const cardUnknown = refusal({
  slice,
  code: 'card_unknown',
  kind: 'absent',
  description: 'There is no such card of this person.',
});
export const promoUnavailable = refusal({
  slice,
  code: 'promo_unavailable',
  kind: 'denied',
  description: 'This site has no such promotion.',
});

export const offerChanged = refusal({
  slice,
  code: 'offer_changed',
  kind: 'conflict',
  description: 'The product has another price, other tokens or other days now (`offer`) than the page '
    + 'showed. Nothing was charged.',
});

/** Why this person may not buy, in the order of the purchase flow (spec 1 §4). */
export const cannotBuy = [countryBlocked, modelCannotBuy, compliancePending, purchasesExcluded] as const;
/** People buy a few times per minute; scripts that test stolen cards try far more often. */
export const PAYING: RateLimit = { points: 20, seconds: 60, per: 'caller' };

export const Amount = z.object({ minor: z.int(), currency: z.string() });
export const Product = z.object({
  internal_id: z.string(),
  /** The biller, by its public name. */
  biller: z.string(),
  /**
   * For one click POST to `/billing/oneclick/…`, else GET `/billing/purchase-link/…`: paths below
   * `/api/v1`, with method and biller in the query.
   */
  biller_link: z.string(),
  tokens: z.int(),
  /** Price in units of the currency with two decimals, as in the spec; `price` is exact. */
  amount: z.number(),
  price: Amount,
  /** Discount in whole percent against the plain rate of ten tokens per dollar; 0 for none. */
  discount: z.int(),
  membership: z.string().nullable(),
  /** Days that one payment of a membership covers; null if the product is no membership. */
  days: z.int().nullable(),
  /** Whether it renews after these days until the member cancels: not every biller supports this. */
  renews: z.boolean(),
  is_oneclick: z.boolean(),
  /** Additional free tokens. */
  free_tokens: z.int(),
  /** The low-token dialog highlights it. */
  highlighted: z.boolean(),
});
export type ProductView = z.infer<typeof Product>;
/** The offer that a page showed when somebody agreed to it. */
export const ShownOffer = Product.pick({ price: true, tokens: true, free_tokens: true, days: true });
const Products = z.array(Product);
/** From the list of products. An expired one, or another person's, is ignored. */
const SealedAttribution = z.string().max(512).optional();

export const CardView = z.object({
  id: z.int(),
  biller: z.string(),
  brand: z.string(),
  last4: z.string(),
  expiry: z.string().nullable(),
  is_default: z.boolean(),
  expired: z.boolean(),
});

export const listProducts = call({
  name: 'billing.listProducts',
  method: 'POST',
  path: '/billing/products',
  access: 'member',
  credential: 'cookie',
  effects: false,
  input: z.object({
    advert_id: z.string().max(64).optional(),
    biller_pref: z.string().max(32).optional(),
    /** Country of the cash vouchers; by default that of the last log-in. */
    cashtocode_country_code: z.string().length(2).optional(),
    /** The page shows crypto first; the output is the same. */
    crypto: z.boolean().optional(),
    custom_promo_test: z.string().max(64).optional(),
    /** The device's report of itself. */
    iobb: z.string().max(4096).optional(),
    /** The page opened the list by itself; the output is the same. */
    popup_requested: z.boolean().optional(),
    fp: z.string().max(128).optional(),
    /** `internal_id` of a product this person tries to buy again, even if no list contains it. */
    wanted: z.string().max(64).optional(),
  }),
  output: z.object({
    products: z.object({ credit: Products, paypal: Products, crypto: Products, voucher: Products }),
    promo_products: z.object({ default: Products }),
    /** The wanted product for each method that can pay for it now; null for the others. */
    wanted: z.object({
      credit: Product.nullable(),
      paypal: Product.nullable(),
      crypto: Product.nullable(),
      voucher: Product.nullable(),
    }),
    /** Why this person's last payment attempt was declined, if it belongs to their newest order. */
    declined_reason: z.enum(DECLINE_CODES).nullable(),
    /** Remaining daily limit, in minor units of `currency`. */
    daily_purchase_remaining: z.int(),
    currency: z.string(),
    cards: z.array(CardView),
    /** One-tap products of 50, 100 or 200 tokens that can be charged to a saved card. */
    suggestions: Products,
    /** Payment runs on simulators: no money moves. */
    is_test: z.boolean(),
    /** Billers that take cards, in the order of attempts; values of `biller_pref`. */
    billers: z.array(z.string()),
    /** The first of them can charge a card again, so the buyer is asked whether to save it. */
    saves_cards: z.boolean(),
    /** Sealed attribution from `advert_id`, `fp` and `iobb`, for a purchase within an hour. */
    trace: z.string().nullable(),
  }),
  refusals: [...cannotBuy],
  limit: { points: 60, seconds: 60, per: 'caller' },
  summary: 'What can be bought, and how',
  description: 'Memberships first. A POST, as in the spec, though it changes nothing. `biller_pref` puts one '
    + 'of the offered billers first and limits one-click to its cards; `custom_promo_test` shows one '
    + 'promotion alone. `wanted` answers one product, a promotion or the free pass too, where this person '
    + 'may buy it. `advert_id` and keyed digests of `fp` and `iobb` come back sealed in `trace`; a '
    + 'purchase with that `trace` stores them.',
});

export const buyAtOnce = call({
  name: 'billing.buyAtOnce',
  method: 'POST',
  path: '/billing/oneclick/:internal_id',
  access: 'member',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({
    internal_id: z.string().max(64),
    cardId: z.int().positive().optional(),
    autoReUpsSettings: z.object({
      enabled: z.boolean(),
      threshold: z.int().min(0).max(100_000).optional(),
    }).optional(),
    /** The offer that the page showed: refused if the current offer differs. */
    shown: ShownOffer.optional(),
    trace: SealedAttribution,
  }),
  output: z.object({
    /** True: paid. False: `link` is the next page (3-D Secure), `error` a reason, neither while pending. */
    status: z.boolean(),
    link: z.string().nullable(),
    error: z.string().nullable(),
    declined_reason: z.enum(DECLINE_CODES).nullable(),
    order_id: z.string(),
    state: z.enum(ORDER_STATES),
    tokens: z.int(),
  }),
  refusals: [
    ...cannotBuy,
    productUnknown,
    offerChanged,
    marketingCap,
    cardUnknown,
    billerUnavailable,
    dailyPurchaseLimit,
    hostRefusals.keyReused,
  ],
  limit: PAYING,
  summary: 'Buy with a saved card',
  description: 'Charges a saved card once per Idempotency-Key. A charge of unknown outcome is `unknown` '
    + 'until the biller answers a question about it; it is never charged again. `shown` is optional, since '
    + 'the specification\'s call has only the two settings: without it, the current offer is bought.',
});

export const getPurchaseLink = call({
  name: 'billing.getPurchaseLink',
  method: 'GET',
  path: '/billing/purchase-link/:internal_id',
  access: 'member',
  credential: 'cookie',
  effects: true,
  input: z.object({
    internal_id: z.string().max(64),
    method: z.enum(['card', 'paypal', 'crypto', 'voucher']).optional(),
    biller: z.string().max(32).optional(),
    /** Path of this site to return to. */
    back: z.string().max(512).optional(),
    /** The caller can show the biller's page in a frame; otherwise the link opens in place of ours. */
    frame: z.boolean().optional(),
    /** The buyer asked to save the card for one-click purchases. Without it none is saved. */
    keep_card: z.boolean().optional(),
    trace: SealedAttribution,
  }),
  output: z.object({ purchase_link: z.string(), order_id: z.string(), in_frame: z.boolean() }),
  refusals: [...cannotBuy, productUnknown, marketingCap, billerUnavailable, dailyPurchaseLimit],
  limit: PAYING,
  summary: 'A page of the biller for a product',
  description: 'Creates an order. When a biller is down, the next one with the method is used. With '
    + '`in_frame` the page opens in a frame and returns to `/enter.php`; otherwise it returns to `back`.',
});

export const getJoinOffer = call({
  name: 'billing.getJoinOffer',
  method: 'GET',
  path: '/billing/products_rcc',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ join_form: z.string().max(8).optional(), promo: z.string().max(64).optional() }),
  output: z.object({
    join_form: z.string().nullable(),
    cc: Product.nullable(),
    pp: Product.nullable(),
    regular: Products.nullable(),
    /** The offer for new members, and its link. */
    promo: z.object({ link: z.string(), product: Product }).nullable(),
  }),
  refusals: [promoUnavailable],
  summary: 'The join offer',
  description: 'The output determines which of the four variants is shown.',
});

export const getPrices = call({
  name: 'billing.getPrices',
  method: 'GET',
  path: '/billing/prices',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** In display order; empty where nothing is sold. */
    prices: z.array(z.object({ tokens: z.int(), free_tokens: z.int(), price: Amount })),
  }),
  refusals: [],
  summary: 'What tokens cost',
  description: 'Card prices in the caller’s region, for visitors without an account.',
});

export const getDailyLimit = call({
  name: 'billing.getDailyLimit',
  method: 'GET',
  path: '/payment/daily-limit',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ limit: Amount, spent: Amount, remaining: Amount, resets_at: z.string() }),
  refusals: [],
  summary: 'What may still be bought today',
  description: 'Days are UTC.',
});

export const getBillerNames = call({
  name: 'billing.getBillerNames',
  method: 'GET',
  path: '/billing/fling_live_site',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ descriptor: z.string(), companies: z.array(z.string()) }),
  refusals: [],
  summary: 'What a card statement will say',
  description: 'The descriptor, and the companies behind it.',
});

export const paymentUpdate = event({
  name: 'v3.payment.update',
  socket: 'both',
  from: 'server',
  shape: z.object({
    order_id: z.string(),
    state: z.enum(ORDER_STATES),
    tokens: z.int(),
    membership: z.string().nullable(),
    declined_reason: z.enum(DECLINE_CODES).nullable(),
  }),
  description: 'An order of the person changed; waiting pages show the outcome.',
  requirements: ['A-379'],
});
export const oneClickError = event({
  name: 'v3.epoch_oneclick_error',
  socket: 'both',
  from: 'server',
  shape: z.object({
    order_id: z.string(),
    error: z.string(),
    declined_reason: z.enum(DECLINE_CODES).nullable(),
  }),
  description: 'A pending one-click charge failed.',
  requirements: ['A-375', 'C-325'],
});

export const paymentChanged = fact({
  name: 'billing.paymentChanged',
  shape: z.object({
    orderId: z.string(),
    personId: z.int(),
    state: z.enum(ORDER_STATES),
    internalId: z.string(),
    tokens: z.int(),
    amount: Amount,
    membership: z.string().nullable(),
  }),
  description: 'An order reached a state: paid, declined, refunded, charged back.',
});
