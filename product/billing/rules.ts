import { BILLER_NAMES } from '#platform/contract/payment.ts';
import { COUNTRY_CODE, CURRENCY_CODE } from '#platform/text/codes.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';

/** States of an order. `unknown`: sent to a biller that has not responded. */
export const ORDER_STATES = [
  'created',
  'pending',
  'unknown',
  'paid',
  'declined',
  'expired',
  'refunded',
  'charged_back',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** How an order began: page, saved card, auto re-up, post-pay, renewal, or a voucher paid again. */
export const PURPOSES = ['page', 'one_click', 're_up', 'post_pay', 'renewal', 'repaid'] as const;
export type Purpose = (typeof PURPOSES)[number];
/** Payment methods. */
export const PAY_METHODS = ['card', 'paypal', 'crypto', 'voucher'] as const;
export type OrderMethod = (typeof PAY_METHODS)[number];

/** Why a payment was declined: the codes of the payment return (spec 1 §8), the same for all billers. */
export { DECLINE_CODES, type DeclineCode } from '#platform/contract/payment.ts';

/** Errors of an automatic re-up (spec 1 §8). */
export const REUP_ERRORS = ['verification_required', 'contact_support', 'declined', 'limit'] as const;
export type ReUpError = (typeof REUP_ERRORS)[number];

/** Length of a promo code (spec 1 §5). */
export const MIN_PROMO_CODE_LENGTH = 3;
export const MAX_PROMO_CODE_LENGTH = 40;
/** Amounts offered with one tap (spec 1 §5, §9). */
export const QUICK_TOKENS = [50, 100, 200] as const;

/** A purchase is recent for 30 days: a statement period of a card. */
export const RECENT_PURCHASES_MS = 30 * DAY_MS;
/** Saved cards per person: more suggests somebody testing stolen ones. */
export const MAX_CARDS = 10;
/** Default number of purchases per page. */
export const ORDERS_PAGE = 20;
/** Entries of each list of alarms, and payments per page of a search. */
export const ALARMS_LISTED = 100;
export const PAYMENTS_PAGE = 25;
/** Changes, and promo codes, per page in the back office. */
export const ADMIN_PAGE = 25;
/** Maximum tokens per use of a promo code: worth a hundred dollars. */
export const MAX_CODE_TOKENS = 1_000;
/** Maximum uses of a promo code. */
export const MAX_CODE_USES = 1_000_000;
/** Paths a payment may return to: of this site, without a host. */
const BACK = /^\/(?![/\\])[\w\-./~%?=&+:@]*$/;
const DEFAULT_BACK = '/account/tokens';
/** Query parameter of the return address with the order's id. */
export const RETURN_FIELD = 'order_id';
/** A path of one segment, which may be a room. */
const ONE_NAME = /^\/([\w-]{3,25})(?:\?|$)/u;

/** Where the browser goes after a payment, on the site it came from. */
export function returnPath(back: string | undefined, orderId: string): string {
  const path = back !== undefined && BACK.test(back) ? back : DEFAULT_BACK;
  return `${path}${path.includes('?') ? '&' : '?'}${RETURN_FIELD}=${orderId}`;
}

/**
 * Return address for a biller's page in a frame: `/enter.php` inside the frame, with the order and the room
 * where it was bought.
 */
export function framePath(back: string | undefined, orderId: string): string {
  const model = ONE_NAME.exec(back ?? '')?.[1];
  const query = `id=${orderId}&type=purchase${model === undefined ? '' : `&model=${model}`}`;
  return returnPath(`/enter.php?${query}`, orderId);
}

/** The facts that decide whether an account may buy. */
export interface BuyerAccount {
  /** Buying is closed in the country of the last log-in. */
  readonly isCountryBlocked: boolean;
  readonly isModel: boolean;
  readonly isCompliancePending: boolean;
  /** A cooling-off period, a self-exclusion or a spending block is in force. */
  readonly isExcluded: boolean;
}
/** The same for a viewer of a page, who may be a guest or have a post-pay account. */
export interface Buyer extends BuyerAccount {
  readonly isPostpay: boolean;
  readonly isGuest: boolean;
}
export type PurchaseBlock = 'country' | 'model' | 'pending' | 'excluded';

/** Why an account may not buy, or null. Exclusions come last, as the most private reason. */
export function purchaseBlockOf(account: BuyerAccount): PurchaseBlock | null {
  if (account.isCountryBlocked) return 'country';
  if (account.isModel) return 'model';
  if (account.isCompliancePending) return 'pending';
  return account.isExcluded ? 'excluded' : null;
}

/**
 * The order of checks before a page offers products (spec 1 §4): blocked country, post-pay, guest, then the
 * account. Post-pay and guest are not refusals but lead to another page: the permission table refuses guests,
 * and a post-pay account may choose to buy.
 */
export function mayBuy(buyer: Buyer): PurchaseBlock | 'postpay' | 'guest' | null {
  if (buyer.isCountryBlocked) return 'country';
  if (buyer.isPostpay) return 'postpay';
  return buyer.isGuest ? 'guest' : purchaseBlockOf(buyer);
}

/** The remaining daily limit, never below zero, in minor units of one currency. */
export const remainingToday = (limitMinor: number, spentMinor: number): number =>
  Math.max(0, limitMinor - spentMinor);

/**
 * How long an open page of a biller counts against the daily limit: cards are typed within minutes, and
 * somebody who left the page can soon buy again. A later payment is checked when it arrives.
 */
export const OPEN_PAGE_MS = 30 * MINUTE_MS;
/** How long an order counts while its page is being opened: longer than calls to billers may take. */
export const OPENING_MS = MINUTE_MS;

/**
 * Whether a payment is held because its tokens would exceed the daily limit. An open page counts for
 * {@link OPEN_PAGE_MS}, so only a payment after that time, or a voucher paid again, can exceed the limit. A
 * day's first purchase is never held: otherwise a lowered limit could hold it for ever.
 * @param othersCents the person's other purchases today
 */
export const exceedsLimit = (
  payment: {
    readonly purpose: Purpose;
    readonly openedAt: Date;
    readonly cents: number;
  },
  limitCents: number,
  othersCents: number,
  now: Date,
): boolean => {
  const { purpose, openedAt, cents } = payment;
  const isLate = purpose === 'page' && now.getTime() - openedAt.getTime() >= OPEN_PAGE_MS;
  return (isLate || purpose === 'repaid') && othersCents > 0 && othersCents + cents > limitCents;
};

/** Whether a card with expiry `MM/YY` has expired: it is valid through its month. */
export function isExpired(expiry: string | null, now: Date): boolean {
  const parts = /^(\d{2})\/(\d{2})$/.exec(expiry ?? '');
  if (!parts) return false;
  const [, month = '', year = ''] = parts;
  return now.getTime() >= Date.UTC(2000 + Number(year), Number(month), 1);
}

/** Billing settings of an operator. */
export interface BillingSettings {
  /** All off by default; cards are always on. */
  readonly switches: {
    readonly paypal: boolean;
    readonly crypto: boolean;
    readonly vouchers: boolean;
    readonly promos: boolean;
    readonly wheel: boolean;
    readonly postpay: boolean;
    readonly joinOffer: boolean;
  };
  /** Maximum purchases per person and UTC day, in US cents. */
  readonly dailyLimitCents: number;
  /** Maximum people per day who receive free tokens at one address, and in one browser. */
  readonly giftsPerAddress: number;
  readonly giftsPerDevice: number;
  /** Free tokens for new accounts, once they confirm their email address. */
  readonly signUpTokens: number;
  /** Credit limit of post-pay, in tokens. */
  readonly postpayTokens: number;
  /** US cents per hundred minor units, for each currency of sale. */
  readonly rates: Readonly<Record<string, number>>;
  /** Countries without a wheel, because paid chance is restricted there. */
  readonly wheelBlockedCountries: readonly string[];
  /** ISO 3166-1 alpha-2 codes: people who last logged in there cannot buy. Tipping has its own list. */
  readonly purchaseBlockedCountries: readonly string[];
  /** Billers whose pages open in a frame instead of replacing ours, where the account allows it. */
  readonly framedBillers: readonly string[];
  /** Companies behind the billers, for people who read a card statement. */
  readonly companies: readonly string[];
  /** Image of the promo offer by advert id; `*` for all others. */
  readonly promoOfferImages: Readonly<Record<string, string>>;
}

export const DEFAULT_SETTINGS: BillingSettings = {
  switches: {
    paypal: false,
    crypto: false,
    vouchers: false,
    promos: false,
    wheel: false,
    postpay: false,
    joinOffer: false,
  },
  dailyLimitCents: 100_000,
  // A household, and two people at one computer.
  giftsPerAddress: 5,
  giftsPerDevice: 2,
  signUpTokens: 0,
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
/** The switches by name, in display order. */
export const SWITCHES = Object.keys(DEFAULT_SETTINGS.switches) as (keyof BillingSettings['switches'])[];
/** Maximum daily limit ($100,000): more would not limit anything. */
export const MAX_DAILY_LIMIT_CENTS = 10_000_000;
/** Largest credit limit, as in the ledger. */
export const MAX_POSTPAY_TOKENS = 100_000;
/** Highest setting of people with free tokens per address or browser: a campus behind one address. */
export const MAX_GIFTS_PER_PLACE = 10_000;
/** Maximum free tokens at sign-up ($100): more would be paying for accounts. */
export const MAX_SIGN_UP_TOKENS = 1_000;
/** Maximum entries of a list in the settings. */
const MAX_LISTED = 250;

const isCount = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
const isList = (value: unknown, form: RegExp): boolean =>
  Array.isArray(value) && value.length <= MAX_LISTED
  && value.every((item) => typeof item === 'string' && form.test(item));
const isRecord = (value: unknown, isGood: (name: string, one: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && Object.entries(value).length <= MAX_LISTED
  && Object.entries(value).every(([name, one]) => isGood(name, one));

const BILLER = new RegExp(`^(?:${BILLER_NAMES.join('|')})$`, 'u');

const CHECKS: { readonly [Name in keyof BillingSettings]: (value: unknown) => boolean } = {
  switches: (value) =>
    isRecord(
      value,
      (name, item) => Object.hasOwn(DEFAULT_SETTINGS.switches, name) && typeof item === 'boolean',
    ),
  dailyLimitCents: (value) => isCount(value, MAX_DAILY_LIMIT_CENTS),
  giftsPerAddress: (value) => isCount(value, MAX_GIFTS_PER_PLACE),
  giftsPerDevice: (value) => isCount(value, MAX_GIFTS_PER_PLACE),
  signUpTokens: (value) => isCount(value, MAX_SIGN_UP_TOKENS),
  postpayTokens: (value) => isCount(value, MAX_POSTPAY_TOKENS),
  rates: (value) =>
    isRecord(value, (name, item) => CURRENCY_CODE.test(name) && isCount(item, 10_000) && item !== 0),
  wheelBlockedCountries: (value) => isList(value, COUNTRY_CODE),
  purchaseBlockedCountries: (value) => isList(value, COUNTRY_CODE),
  framedBillers: (value) => isList(value, BILLER),
  companies: (value) => isList(value, /^[^<>]{1,120}$/),
  promoOfferImages: (value) =>
    isRecord(value, (_name, item) => typeof item === 'string' && /^\/[\w./-]{1,200}$/.test(item)),
};

/** Names of unknown settings and of settings with wrong values. */
export function settingsErrors(settings: object): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const checks = CHECKS as Readonly<Record<string, (value: unknown) => boolean>>;
    return Object.hasOwn(checks, name) && checks[name]?.(value) ? [] : [name];
  });
}

/** Merges an operator's settings over the defaults, switches one by one. */
export function settingsWith(own: Partial<BillingSettings>): BillingSettings {
  return {
    ...DEFAULT_SETTINGS,
    ...own,
    switches: { ...DEFAULT_SETTINGS.switches, ...own.switches },
  };
}

/** US cents of an amount at the current rate, rounded down; null for a currency without a rate. */
export function usCents(
  { minor, currency }: { readonly minor: number; readonly currency: string },
  rates: BillingSettings['rates'],
): number | null {
  const rate = Object.hasOwn(rates, currency) ? rates[currency] : undefined;
  return rate === undefined ? null : Math.floor((minor * rate) / 100);
}
