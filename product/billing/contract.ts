import { z } from 'zod';
import { ANY_TYPE, call, type RateLimit } from '../../platform/contract/call.ts';
import { event } from '../../platform/contract/event.ts';
import { fact } from '../../platform/contract/fact.ts';
import { hostRefusals, refusal } from '../../platform/contract/refusal.ts';
import { marketingCap } from '../ledger/contract.ts';
import { CALLBACK } from './contract/callbacks.ts';
import {
  DECLINE_CODES, MAX_PROMO_CODE_LENGTH, MIN_PROMO_CODE_LENGTH, ORDER_STATES, PAY_METHODS, PURPOSES,
  REUP_ERRORS,
} from './rules.ts';

const slice = 'billing';
export const countryBlocked = refusal({
  slice, code: 'country_blocked', kind: 'denied',
  description: 'The last log-in came from a country where buying is closed.',
});
export const modelCannotBuy = refusal({
  slice, code: 'model_cannot_buy', kind: 'denied', description: 'Performers cannot buy tokens.',
});
export const compliancePending = refusal({
  slice, code: 'compliance_pending', kind: 'denied', description: 'Identity documents are under review.',
});
export const productUnknown = refusal({
  slice, code: 'product_unknown', kind: 'absent', description: 'There is no such product for this person.',
});
export const billerUnavailable = refusal({
  slice, code: 'biller_unavailable', kind: 'conflict', description: 'No biller takes this payment now.',
});
export const dailyPurchaseLimit = refusal({
  slice, code: 'daily_purchase_limit', kind: 'limited', description: 'The daily purchase limit is reached.',
});
export const purchasesExcluded = refusal({
  slice, code: 'purchases_excluded', kind: 'denied',
  description: 'The person takes a break from spending, or their spending is blocked.',
});
export const cardUnknown = refusal({
  slice, code: 'card_unknown', kind: 'absent', description: 'There is no such card of this person.',
});
export const promoUnavailable = refusal({
  slice, code: 'promo_unavailable', kind: 'denied', description: 'This site has no such promotion.',
});
export const promoCodeUnknown = refusal({
  slice, code: 'promo_code_unknown', kind: 'absent', description: 'No such code, or it has ended.',
});
export const promoCodeUsed = refusal({
  slice, code: 'promo_code_used', kind: 'conflict', description: 'This person used the code before.',
});
export const emailUnconfirmed = refusal({
  slice, code: 'email_unconfirmed', kind: 'denied',
  description: 'Free tokens are for people who confirmed their email address.',
});
export const giftLimit = refusal({
  slice, code: 'gift_limit', kind: 'limited',
  description: 'Enough people received free tokens today at this address or in this browser.',
});
export const noSpins = refusal({ slice, code: 'no_spins', kind: 'limited', description: 'No spin is left.' });
export const orderUnknown = refusal({
  slice, code: 'order_unknown', kind: 'absent', description: 'There is no such order.',
});
export const orderState = refusal({
  slice, code: 'order_state', kind: 'conflict', description: 'The order is not in a state that allows this.',
});
export const postpayUnavailable = refusal({
  slice, code: 'postpay_unavailable', kind: 'denied', description: 'The account has no post-pay.',
});

/** Why this person may not buy, in the order of the purchase flow (spec 1 §4). */
const cannotBuy = [countryBlocked, modelCannotBuy, compliancePending, purchasesExcluded] as const;
/** People buy a few times a minute; scripts that test stolen cards try far more. */
const PAYING: RateLimit = { points: 20, seconds: 60, per: 'caller' };

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
  /** Whole percent below the plain rate of ten tokens a dollar; 0 for none. */
  discount: z.int(),
  membership: z.string().nullable(),
  /** Days that one payment of a membership lasts; null for what is no membership. */
  days: z.int().nullable(),
  /** Whether it is paid again after these days until its member cancels: not every biller can. */
  renews: z.boolean(),
  is_oneclick: z.boolean(),
  /** Free tokens on top. */
  free_tokens: z.int(),
  /** The low-token dialog highlights it. */
  highlighted: z.boolean(),
});
export type ProductView = z.infer<typeof Product>;
const Products = z.array(Product);
/** From the list of products. An expired one, or another person's, is ignored. */
const SealedAttribution = z.string().max(512).optional();

export const CardView = z.object({
  id: z.int(), biller: z.string(), brand: z.string(), last4: z.string(), expiry: z.string().nullable(),
  is_default: z.boolean(), expired: z.boolean(),
});

export const listProducts = call({
  name: 'billing.listProducts', method: 'POST', path: '/billing/products', access: 'member',
  credential: 'cookie', effects: false,
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
    /** `internal_id` of what this person tries to buy once more, which may stand in no list. */
    wanted: z.string().max(64).optional(),
  }),
  output: z.object({
    products: z.object({ credit: Products, paypal: Products, crypto: Products, voucher: Products }),
    promo_products: z.object({ default: Products }),
    /** The wanted product, by each method that may pay for it now; null where none may. */
    wanted: z.object({
      credit: Product.nullable(), paypal: Product.nullable(), crypto: Product.nullable(),
      voucher: Product.nullable(),
    }),
    /** Why this person's last payment attempt was declined, while it is their newest order. */
    declined_reason: z.enum(DECLINE_CODES).nullable(),
    /** Minor units of `currency` that may still be bought today. */
    daily_purchase_remaining: z.int(),
    currency: z.string(),
    cards: z.array(CardView),
    /** One tap: products of 50, 100 or 200 tokens that a saved card can be charged for. */
    suggestions: Products,
    /** Payment runs on simulators: no money moves. */
    is_test: z.boolean(),
    /** Billers that take cards, in the order they are tried; values of `biller_pref`. */
    billers: z.array(z.string()),
    /** The first of them can charge a card again: the buyer is asked whether to save it. */
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
  name: 'billing.buyAtOnce', method: 'POST', path: '/billing/oneclick/:internal_id', access: 'member',
  credential: 'cookie', idempotency: 'required',
  input: z.object({
    internal_id: z.string().max(64),
    cardId: z.int().positive().optional(),
    autoReUpsSettings: z.object({
      enabled: z.boolean(), threshold: z.int().min(0).max(100_000).optional(),
    }).optional(),
    trace: SealedAttribution,
  }),
  output: z.object({
    /** True: paid. False: `link` is the next page (3-D Secure), `error` the reason, or it is pending. */
    status: z.boolean(),
    link: z.string().nullable(),
    error: z.string().nullable(),
    declined_reason: z.enum(DECLINE_CODES).nullable(),
    order_id: z.string(),
    state: z.enum(ORDER_STATES),
    tokens: z.int(),
  }),
  refusals: [
    ...cannotBuy, productUnknown, marketingCap, cardUnknown, billerUnavailable, dailyPurchaseLimit,
    hostRefusals.keyReused,
  ],
  limit: PAYING,
  summary: 'Buy with a saved card',
  description: 'Charges a saved card once per Idempotency-Key. A charge of unknown outcome is `unknown` '
    + 'until the biller answers a question about it; it is never charged again.',
});

export const getPurchaseLink = call({
  name: 'billing.getPurchaseLink', method: 'GET', path: '/billing/purchase-link/:internal_id',
  access: 'member', credential: 'cookie', effects: true,
  input: z.object({
    internal_id: z.string().max(64),
    method: z.enum(['card', 'paypal', 'crypto', 'voucher']).optional(),
    biller: z.string().max(32).optional(),
    /** Path of this site to return to. */
    back: z.string().max(512).optional(),
    /** The caller can show the biller's page in a frame; otherwise the link leads away. */
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
  name: 'billing.getJoinOffer', method: 'GET', path: '/billing/products_rcc', access: 'anyone',
  credential: 'cookie',
  input: z.object({ join_form: z.string().max(8).optional(), promo: z.string().max(64).optional() }),
  output: z.object({
    join_form: z.string().nullable(), cc: Product.nullable(), pp: Product.nullable(),
    regular: Products.nullable(),
    /** The offer for new members, and its link. */
    promo: z.object({ link: z.string(), product: Product }).nullable(),
  }),
  refusals: [promoUnavailable],
  summary: 'The join offer', description: 'The output determines which of the four variants is shown.',
});

export const listPromos = call({
  name: 'billing.listPromos', method: 'GET', path: '/billing/promos', access: 'anyone', credential: 'cookie',
  input: z.object({ advert_id: z.string().max(64).optional(), promo: z.string().max(64).optional() }),
  output: z.object({
    promos: z.array(z.object({
      id: z.string(), kind: z.enum(['special', 'offer', 'free_tokens', 'wheel']), product: Product.nullable(),
      free_tokens: z.int(),
    })),
  }),
  refusals: [],
  summary: 'Running promotions', description: 'Empty unless the operator runs any. At most ten.',
});

export const getPrices = call({
  name: 'billing.getPrices', method: 'GET', path: '/billing/prices', access: 'anyone', credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** In display order; empty where nothing is sold. */
    prices: z.array(z.object({ tokens: z.int(), free_tokens: z.int(), price: Amount })),
  }),
  refusals: [],
  summary: 'What tokens cost', description: 'By card, where the caller is: for whoever has no account yet.',
});

export const getDailyLimit = call({
  name: 'billing.getDailyLimit', method: 'GET', path: '/payment/daily-limit', access: 'member',
  credential: 'cookie', input: z.object({}),
  output: z.object({ limit: Amount, spent: Amount, remaining: Amount, resets_at: z.string() }), refusals: [],
  summary: 'What may still be bought today', description: 'Days are UTC.',
});

export const getVerificationLink = call({
  name: 'billing.getVerificationLink', method: 'GET', path: '/billing/product_av', access: 'member',
  credential: 'cookie', effects: true,
  input: z.object({
    /** As in `purchase-link`: without it no card is saved that was not saved before. */
    keep_card: z.boolean().optional(),
  }),
  output: z.object({ biller_link: z.string() }),
  refusals: [billerUnavailable], limit: PAYING,
  summary: 'Card verification page', description: 'A page of the biller that checks a card without charging.',
});

export const getBillerNames = call({
  name: 'billing.getBillerNames', method: 'GET', path: '/billing/fling_live_site', access: 'anyone',
  credential: 'cookie', input: z.object({}),
  output: z.object({ descriptor: z.string(), companies: z.array(z.string()) }), refusals: [],
  summary: 'What a card statement will say', description: 'The descriptor, and the companies behind it.',
});

export const openCardForm = call({
  name: 'billing.openCardForm', method: 'POST', path: '/billing/card_form', access: 'member',
  // Changes nothing here: the page is rendered with it, and its content policy names the token service.
  credential: 'cookie', effects: false, input: z.object({}),
  output: z.object({
    biller: z.string(), url: z.string(), bearer: z.string(), fields: z.record(z.string(), z.string()),
  }),
  refusals: [...cannotBuy, billerUnavailable], limit: PAYING,
  summary: 'Open a card form',
  description: 'The browser sends the card to `url`, the token service of the biller; this server never sees '
    + 'its number.',
});
export const addCard = call({
  name: 'billing.addCard', method: 'POST', path: '/billing/cards', access: 'member', credential: 'cookie',
  input: z.object({ biller: z.string().max(32), token: z.string().max(128) }),
  output: z.object({ card: CardView }), refusals: [cardUnknown, billerUnavailable], limit: PAYING,
  summary: 'Save a card', description: 'By a token from the biller, which checks whose card it is.',
});
export const listCards = call({
  name: 'billing.listCards', method: 'GET', path: '/billing/cards', access: 'member', credential: 'cookie',
  input: z.object({}), output: z.object({ cards: z.array(CardView) }), refusals: [],
  summary: 'Saved cards', description: 'At most ten.',
});
export const changeCard = call({
  name: 'billing.changeCard', method: 'POST', path: '/billing/cards/:id', access: 'member',
  credential: 'cookie', input: z.object({ id: z.int(), is_default: z.literal(true) }),
  output: z.object({ cards: z.array(CardView) }), refusals: [cardUnknown],
  summary: 'Make a card the default', description: 'One-click purchases and re-ups use it.',
});
export const removeCard = call({
  name: 'billing.removeCard', method: 'DELETE', path: '/billing/cards/:id', access: 'member',
  credential: 'cookie', input: z.object({ id: z.int() }),
  output: z.object({ cards: z.array(CardView) }), refusals: [cardUnknown],
  summary: 'Remove a card', description: 'Turns off a re-up that uses it.',
});

export const AutoReUp = z.object({
  enabled: z.boolean(),
  /** Buys when the balance falls below this many tokens. */
  threshold: z.int(),
  /** The product that is bought. */
  internal_id: z.string().nullable(),
  cardId: z.int().nullable(),
  /** Re-ups per day (UTC) at most. */
  per_day: z.int(),
});
export const getAutoReUp = call({
  name: 'billing.getAutoReUp', method: 'GET', path: '/billing/auto_reup', access: 'member',
  credential: 'cookie', input: z.object({}), output: AutoReUp, refusals: [],
  summary: 'Auto re-up', description: 'Off unless the person turned it on.',
});
export const setAutoReUp = call({
  name: 'billing.setAutoReUp', method: 'POST', path: '/billing/auto_reup', access: 'member',
  credential: 'cookie',
  input: z.object({
    enabled: z.boolean(), threshold: z.int().min(1).max(100_000), internal_id: z.string().max(64),
    cardId: z.int().positive(), per_day: z.int().min(1).max(10),
    /** The person has read and confirmed what will be charged. */
    confirmed: z.literal(true),
  }),
  output: AutoReUp, refusals: [...cannotBuy, productUnknown, cardUnknown],
  summary: 'Change auto re-up', description: 'Needs an explicit confirmation each time.',
});

export const getPostpay = call({
  name: 'billing.getPostpay', method: 'GET', path: '/billing/postpay', access: 'member', credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Whether the operator offers post-pay to this person, and whether they use it. */
    offered: z.boolean(), enabled: z.boolean(),
    /** Credit limit and debt, in tokens. */
    limit: z.int(), owed: z.int(), price: Amount,
    next_charge_at: z.string().nullable(),
    /** The last charge failed: the credit limit is zero until the debt is paid. */
    card_failed: z.boolean(),
  }),
  refusals: [], summary: 'Post-pay', description: 'Spend now; the debt is charged once a day.',
});
export const setPostpay = call({
  name: 'billing.setPostpay', method: 'POST', path: '/billing/postpay', access: 'member',
  credential: 'cookie', input: z.object({ enabled: z.boolean(), cardId: z.int().positive().optional() }),
  output: getPostpay.output, refusals: [...cannotBuy, postpayUnavailable, cardUnknown],
  summary: 'Turn post-pay on or off',
  description: 'Turning it off affects new spending; what is owed stays.',
});
export const settlePostpay = call({
  name: 'billing.settlePostpay', method: 'POST', path: '/billing/postpay/settle', access: 'member',
  credential: 'cookie', idempotency: 'required', input: z.object({ cardId: z.int().positive().optional() }),
  output: buyAtOnce.output, refusals: [postpayUnavailable, cardUnknown, billerUnavailable], limit: PAYING,
  summary: 'Pay what is owed now', description: 'Charges a saved card for the whole debt.',
});
export const redirectPostpayDecline = call({
  name: 'billing.redirectPostpayDecline', method: 'GET', path: '/billing/postpay_decline', access: 'anyone',
  credential: 'none', input: z.object({}),
  output: z.object({ status: z.literal(302), headers: z.record(z.string(), z.string()), body: z.string() }),
  media: { accepts: ANY_TYPE, answers: 'text/plain' }, refusals: [],
  summary: 'Redirect after a declined post-pay charge',
  description: '`Location` is the page that settles it.',
});

export const redeemPromoCode = call({
  name: 'billing.redeemPromoCode', method: 'POST', path: '/billing/promo_code', access: 'member',
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
  name: 'billing.getSpins', method: 'GET', path: '/promo-wheel/spins', access: 'member', credential: 'cookie',
  input: z.object({}),
  output: z.object({
    enabled: z.boolean(), spins: z.int(), prizes: z.array(z.object({ tokens: z.int(), odds: z.number() })),
  }),
  refusals: [], summary: 'Spins of the promo wheel', description: 'The odds of each prize are shown.',
});
export const spin = call({
  name: 'billing.spin', method: 'POST', path: '/promo-wheel/spins', access: 'member', credential: 'cookie',
  idempotency: 'required', input: z.object({ vault: z.boolean().optional() }),
  output: z.object({ status: z.literal(1), prize: z.int(), spins: z.int() }),
  refusals: [promoUnavailable, noSpins, emailUnconfirmed, giftLimit],
  summary: 'Spin', description: 'The server draws the prize and credits it in the same unit of work.',
});

export const OrderView = z.object({
  id: z.string(), at: z.string(), state: z.enum(ORDER_STATES), internal_id: z.string(), title: z.string(),
  /** How it began, and the payment method. */
  purpose: z.enum(PURPOSES), method: z.enum(PAY_METHODS),
  tokens: z.int(), free_tokens: z.int(), membership: z.string().nullable(), price: Amount,
  biller: z.string(),
  /** The bank statement's descriptor; empty without a bank statement, or when it is unknown. */
  descriptor: z.string(),
  card: CardView.pick({ brand: true, last4: true }).nullable(),
  declined_reason: z.enum(DECLINE_CODES).nullable(), reference: z.string().nullable(),
  paid_at: z.string().nullable(),
  /** When it was fully refunded or charged back. */
  refunded_at: z.string().nullable(),
  /** The amount refunded or charged back, in minor units of its currency. */
  refunded_minor: z.int(),
  /** The selling company, its postal address, and its site's name; null until it is paid. */
  seller: z.object({ name: z.string(), address: z.string(), brand: z.string() }).nullable(),
});
export const listOrders = call({
  name: 'billing.listOrders', method: 'GET', path: '/billing/orders', access: 'member', credential: 'cookie',
  input: z.object({
    before: z.string().max(64).optional(), limit: z.int().min(1).max(100).optional(),
  }),
  output: z.object({ orders: z.array(OrderView), next: z.string().nullable() }), refusals: [],
  summary: 'Purchases of the caller', description: 'Newest first; `next` goes into `before`.',
});
export const getOrder = call({
  name: 'billing.getOrder', method: 'GET', path: '/billing/orders/:id', access: 'member',
  credential: 'cookie', input: z.object({ id: z.string().max(64) }),
  output: z.object({ order: OrderView }), refusals: [orderUnknown],
  summary: 'One purchase of the caller', description: 'The receipt; pages that wait for a payment poll it.',
});
export const cancelMembership = call({
  name: 'billing.cancelMembership', method: 'POST', path: '/billing/membership/cancel', access: 'member',
  credential: 'cookie', input: z.object({}),
  output: z.object({ status: z.literal(1), until: z.string() }), refusals: [orderState, billerUnavailable],
  summary: 'Cancel the membership', description: 'It lasts until the end of the paid period.',
});
export const getMembership = call({
  name: 'billing.getMembership', method: 'GET', path: '/billing/membership', access: 'member',
  credential: 'cookie', input: z.object({}),
  output: z.object({
    membership: z.string().nullable(), until: z.string().nullable(), renews: z.boolean(),
    price: Amount.nullable(),
  }),
  refusals: [], summary: 'Membership of the caller', description: 'Null for none.',
});

export const receiveCallback = call({
  ...CALLBACK, name: 'billing.receiveCallback', method: 'POST',
  input: z.object({ biller: z.string().max(32), body: z.string() }),
  summary: 'Callback of a biller', description: 'Authenticated, then stored raw, then applied exactly once.',
});
export const receiveCallbackByQuery = call({
  ...CALLBACK, name: 'billing.receiveCallbackByQuery', method: 'GET', effects: true,
  input: z.object({ biller: z.string().max(32) }).loose(),
  summary: 'Callback of a biller by query', description: 'As the POST, for billers that send a GET.',
});

export const paymentUpdate = event({
  name: 'v3.payment.update', socket: 'both', from: 'server',
  shape: z.object({
    order_id: z.string(), state: z.enum(ORDER_STATES), tokens: z.int(), membership: z.string().nullable(),
    declined_reason: z.enum(DECLINE_CODES).nullable(),
  }),
  description: 'An order of the person changed; waiting pages show the outcome.', requirements: ['A-379'],
});
export const reUpUpdate = event({
  name: 'v3.reUp.update', socket: 'both', from: 'server',
  shape: z.object({ success: z.boolean(), tokens: z.int(), error: z.enum(REUP_ERRORS).nullable() }),
  description: 'An automatic re-up happened or failed.', requirements: ['A-217', 'A-382', 'C-330'],
});
export const oneClickError = event({
  name: 'v3.epoch_oneclick_error', socket: 'both', from: 'server',
  shape: z.object({
    order_id: z.string(), error: z.string(), declined_reason: z.enum(DECLINE_CODES).nullable(),
  }),
  description: 'A pending one-click charge failed.', requirements: ['A-375', 'C-325'],
});
export const wheelCount = event({
  name: 'v3.promo_wheel_count', socket: 'both', from: 'server', shape: z.object({ spins: z.int() }),
  description: 'The number of spins left.', requirements: ['A-386'],
});

export const paymentChanged = fact({
  name: 'billing.paymentChanged',
  shape: z.object({
    orderId: z.string(), personId: z.int(), state: z.enum(ORDER_STATES), internalId: z.string(),
    tokens: z.int(), amount: Amount, membership: z.string().nullable(),
  }),
  description: 'An order reached a state: paid, declined, refunded, charged back.',
});
