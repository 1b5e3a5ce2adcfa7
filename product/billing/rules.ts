import { BILLER_NAMES } from '../../platform/contract/payment.ts';
import { COUNTRY_CODE, CURRENCY_CODE } from '../../platform/text/codes.ts';

/** Where an order stands. `unknown`: sent to a biller whose answer never came. */
export const ORDER_STATES = [
  'created', 'pending', 'unknown', 'paid', 'declined', 'expired', 'refunded', 'charged_back',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** How an order is begun: on a page, by a saved card, by itself, by what renews, by a voucher paid again. */
export const PURPOSES = ['page', 'one_click', 're_up', 'post_pay', 'renewal', 'repaid'] as const;
export type Purpose = (typeof PURPOSES)[number];
/** What an order is paid by. */
export const PAY_METHODS = ['card', 'paypal', 'crypto', 'voucher'] as const;
export type OrderMethod = (typeof PAY_METHODS)[number];

/** Why a payment was declined: the decline codes of the payment return (spec 1 §8), one catalogue for all. */
export { DECLINE_CODES, type DeclineCode } from '../../platform/contract/payment.ts';

/** Errors of an automatic re-up (spec 1 §8). */
export const REUP_ERRORS = ['verification_required', 'contact_support', 'declined', 'limit'] as const;
export type ReUpError = (typeof REUP_ERRORS)[number];

/** Spec 1 §5. */
export const MIN_PROMO_CODE_LENGTH = 3;
export const MAX_PROMO_CODE_LENGTH = 40;
/** Amounts offered at one tap (spec 1 §5, §9). */
export const QUICK_TOKENS = [50, 100, 200] as const;

/** Memberships, lowest first: of several the highest counts (spec 1 §1). */
export const MEMBERSHIPS = ['premium', 'vip', 'super_vip'] as const;
export type Membership = (typeof MEMBERSHIPS)[number];

/** Cards a person can keep: more is a tester of stolen ones. */
export const MAX_CARDS = 10;
/** Purchases a page shows unless it asks for another number; a page of them at most. */
export const ORDERS_PAGE = 20;
/** What staff get of each list of alarms, and of payments at once. */
export const ALARMS_LISTED = 100;
export const PAYMENTS_PAGE = 25;
/** Changes of an operator's decisions, and promo codes, that a desk shows at once. */
export const DESK_PAGE = 25;
/** Tokens of one use of a promo code: a hundred dollars shown. */
export const MAX_CODE_TOKENS = 1_000;
/** Uses of one promo code. */
export const MAX_CODE_USES = 1_000_000;
/** Longest path a payment returns to, and the only form it may have: of this site, with no other host. */
const BACK = /^\/(?![/\\])[\w\-./~%?=&+:@]*$/;
const DEFAULT_BACK = '/account/tokens';
/** The query field of the address a payment returns to that names its order. */
export const RETURN_FIELD = 'order_id';
/** A path that is one name, which may be a room's. */
const ONE_NAME = /^\/([\w-]{3,25})(?:\?|$)/u;

/** Where the browser goes after a payment, on the site it came from. */
export function returnPath(back: string | undefined, orderId: string): string {
  const path = back !== undefined && BACK.test(back) ? back : DEFAULT_BACK;
  return `${path}${path.includes('?') ? '&' : '?'}${RETURN_FIELD}=${orderId}`;
}

/**
 * Where a page of a biller that stands in a frame returns to: `/enter.php` inside the frame, with the order,
 * and the room it was bought from.
 */
export function framePath(back: string | undefined, orderId: string): string {
  const model = ONE_NAME.exec(back ?? '')?.[1];
  const query = `id=${orderId}&type=purchase${model === undefined ? '' : `&model=${model}`}`;
  return returnPath(`/enter.php?${query}`, orderId);
}

/** What decides whether an account may buy. */
export interface BuyerAccount {
  /** The last log-in came from a country where buying is closed. */
  readonly isCountryBlocked: boolean;
  readonly isModel: boolean;
  readonly isCompliancePending: boolean;
  /** A cooling-off period, a self-exclusion or a spending block is in force. */
  readonly isExcluded: boolean;
}
/** The same for whoever looks at a page, who may be a guest or have a post-pay account. */
export interface Buyer extends BuyerAccount {
  readonly isPostpay: boolean;
  readonly isGuest: boolean;
}
export type AccountFault = 'country' | 'model' | 'pending' | 'excluded';

/**
 * Why an account may not buy, or null. Exclusions come last: nobody who could not buy anyway learns of them.
 */
export function accountFault(account: BuyerAccount): AccountFault | null {
  if (account.isCountryBlocked) return 'country';
  if (account.isModel) return 'model';
  if (account.isCompliancePending) return 'pending';
  return account.isExcluded ? 'excluded' : null;
}

/**
 * The one order of checks before a page offers products (spec 1 §4): blocked country, post-pay, guest, then
 * the account. Post-pay and guest lead a page elsewhere; they are no refusals: the permission table keeps
 * guests out, and a post-pay account may choose to buy instead.
 */
export function mayBuy(buyer: Buyer): AccountFault | 'postpay' | 'guest' | null {
  if (buyer.isCountryBlocked) return 'country';
  if (buyer.isPostpay) return 'postpay';
  return buyer.isGuest ? 'guest' : accountFault(buyer);
}

/** What may still be bought today, never below zero. All in minor units of one currency. */
export const remainingToday = (limitMinor: number, spentMinor: number): number =>
  Math.max(0, limitMinor - spentMinor);

/** Whether a card of `MM/YY` is over at an instant: it lasts through its month, somewhere on earth. */
export function isExpired(expiry: string | null, now: Date): boolean {
  const parts = /^(\d{2})\/(\d{2})$/.exec(expiry ?? '');
  if (!parts) return false;
  const [, month = '', year = ''] = parts;
  return now.getTime() >= Date.UTC(2000 + Number(year), Number(month), 1);
}

/** What an operator decides of its billing. */
export interface BillingSettings {
  /** Things that are off until an operator says otherwise; cards are always on. */
  readonly switches: {
    readonly paypal: boolean;
    readonly crypto: boolean;
    readonly vouchers: boolean;
    readonly promos: boolean;
    readonly wheel: boolean;
    readonly postpay: boolean;
    readonly joinOffer: boolean;
  };
  /** The most a person may buy on a UTC day, in US cents. */
  readonly dailyLimitCents: number;
  /** Tokens somebody may owe who pays on account. */
  readonly postpayTokens: number;
  /** US cents of one hundred minor units of a currency; what is not here cannot be sold in. */
  readonly rates: Readonly<Record<string, number>>;
  /** Countries in which chance is no way to sell: no wheel there. */
  readonly wheelBlockedCountries: readonly string[];
  /** Countries (ISO 3166-1 alpha-2) whose last log-ins cannot buy. Tipping has a list of its own. */
  readonly purchaseBlockedCountries: readonly string[];
  /**
   * Billers whose pages open over ours instead of leading away, where the account there allows a frame.
   */
  readonly framedBillers: readonly string[];
  /** Companies behind the billers, for whoever reads a card statement. */
  readonly companies: readonly string[];
  /** Picture of the promo offer by advert id; `*` for all others. */
  readonly promoOfferImages: Readonly<Record<string, string>>;
}

export const DEFAULT_SETTINGS: BillingSettings = {
  switches: {
    paypal: false, crypto: false, vouchers: false, promos: false, wheel: false, postpay: false,
    joinOffer: false,
  },
  dailyLimitCents: 100_000,
  postpayTokens: 1_000,
  rates: { USD: 100, EUR: 108, GBP: 126 },
  // Loot boxes and paid chance are restricted or banned there.
  wheelBlockedCountries: ['BE', 'NL'],
  // Paying for live shows of this kind is a crime there since July 2025 (Brottsbalken 6 kap. 11 §).
  purchaseBlockedCountries: ['SE'],
  framedBillers: [],
  companies: [],
  promoOfferImages: {},
};
/** The switches by name, in the order a desk shows them. */
export const SWITCHES = Object.keys(DEFAULT_SETTINGS.switches) as (keyof BillingSettings['switches'])[];
/** Largest daily limit: above it there is none worth the name ($100,000). */
export const MAX_DAILY_LIMIT_CENTS = 10_000_000;
/** Largest line of post-pay, as the ledger allows. */
export const MAX_POSTPAY_TOKENS = 100_000;
/** Entries of a list of settings. */
const MAX_LISTED = 250;

const isCount = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
const isList = (value: unknown, form: RegExp): boolean =>
  Array.isArray(value) && value.length <= MAX_LISTED
  && value.every((one) => typeof one === 'string' && form.test(one));
const isRecord = (value: unknown, isGood: (name: string, one: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && Object.entries(value).length <= MAX_LISTED
  && Object.entries(value).every(([name, one]) => isGood(name, one));

const BILLER = new RegExp(`^(?:${BILLER_NAMES.join('|')})$`, 'u');

const CHECKS: { readonly [Name in keyof BillingSettings]: (value: unknown) => boolean } = {
  switches: (value) => isRecord(value, (name, one) =>
    Object.hasOwn(DEFAULT_SETTINGS.switches, name) && typeof one === 'boolean'),
  dailyLimitCents: (value) => isCount(value, MAX_DAILY_LIMIT_CENTS),
  postpayTokens: (value) => isCount(value, MAX_POSTPAY_TOKENS),
  rates: (value) => isRecord(value, (name, one) =>
    CURRENCY_CODE.test(name) && isCount(one, 10_000) && one !== 0),
  wheelBlockedCountries: (value) => isList(value, COUNTRY_CODE),
  purchaseBlockedCountries: (value) => isList(value, COUNTRY_CODE),
  framedBillers: (value) => isList(value, BILLER),
  companies: (value) => isList(value, /^[^<>]{1,120}$/),
  promoOfferImages: (value) => isRecord(value, (_name, one) =>
    typeof one === 'string' && /^\/[\w./-]{1,200}$/.test(one)),
};

/** Names of settings that are unknown or cannot be; none when all is well. */
export function settingsFaults(settings: object): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const checks = CHECKS as Readonly<Record<string, (value: unknown) => boolean>>;
    return Object.hasOwn(checks, name) && checks[name]?.(value) ? [] : [name];
  });
}

/** Settings with an operator's own over the defaults; switches one by one. */
export function settingsWith(own: Partial<BillingSettings>): BillingSettings {
  return {
    ...DEFAULT_SETTINGS, ...own, switches: { ...DEFAULT_SETTINGS.switches, ...own.switches },
  };
}

/** US cents of an amount at the rate of now, rounded down; null for a currency without a rate. */
export function usCents(
  { minor, currency }: { readonly minor: number; readonly currency: string },
  rates: BillingSettings['rates'],
): number | null {
  const rate = Object.hasOwn(rates, currency) ? rates[currency] : undefined;
  return rate === undefined ? null : Math.floor((minor * rate) / 100);
}
