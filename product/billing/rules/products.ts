import { COUNTRY_CODE, CURRENCY_CODE } from '#platform/text/codes.ts';
import type { Membership } from '#product/accounts/rules/current-user.ts';
import { TOKENS_PER_DOLLAR } from '#product/ledger/rules/shown.ts';
import { QUICK_TOKENS } from '../rules.ts';

/** `promo` is for a first purchase, `winback` for former members, `pass` puts a card on file. */
export const PRODUCT_KINDS = ['pack', 'membership', 'promo', 'winback', 'pass'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];

/** A product. Prices are in minor units; `days` is how long a membership lasts before it renews. */
export interface CatalogueItem {
  readonly internalId: string;
  readonly kind: ProductKind;
  readonly tokens: number;
  /** Additional promotional tokens. */
  readonly freeTokens: number;
  readonly priceMinor: number;
  readonly currency: string;
  readonly membership: Membership | null;
  readonly days: number | null;
  /** A saved card can be charged for it without a biller's page. */
  readonly oneClick: boolean;
  /** ISO 3166-1 alpha-2 codes of countries where it is sold; empty for everywhere. */
  readonly countries: readonly string[];
  /** No longer sold, but never deleted, because orders refer to it. */
  readonly retired: boolean;
  /** Counts changes, from 1; a change names the revision it is based on. */
  readonly revision: number;
}

/** The terms a buyer agrees to. */
export interface OfferTerms {
  readonly price: { readonly minor: number; readonly currency: string };
  readonly tokens: number;
  readonly free_tokens: number;
  readonly days: number | null;
}
export const termsOf = (
  { priceMinor: minor, currency, tokens, freeTokens, days }: CatalogueItem,
): OfferTerms => ({ price: { minor, currency }, tokens, free_tokens: freeTokens, days });
/** Whether two offers have the same terms for the buyer. */
export const isSameOffer = (terms: OfferTerms, other: OfferTerms): boolean =>
  terms.price.minor === other.price.minor && terms.price.currency === other.price.currency
  && terms.tokens === other.tokens && terms.free_tokens === other.free_tokens && terms.days === other.days;

const USD = 'USD';
/** Defaults of a new product. */
const NEW = { countries: [], retired: false, revision: 1 } as const;
const NO_MEMBERSHIP = { ...NEW, freeTokens: 0, currency: USD, membership: null, days: null } as const;
const pack = (tokens: number, priceMinor: number): CatalogueItem => ({
  ...NO_MEMBERSHIP,
  internalId: `1_${tokens}`,
  kind: 'pack',
  tokens,
  priceMinor,
  oneClick: true,
});
const membership = (name: Membership, tokens: number, priceMinor: number): CatalogueItem => ({
  ...NEW,
  internalId: `membership_${name}`,
  kind: 'membership',
  tokens,
  freeTokens: 0,
  priceMinor,
  currency: USD,
  membership: name,
  days: 30,
  oneClick: true,
});

/** The product selected at first for paying with crypto (spec 1 §7). */
export const CRYPTO_PRODUCT = '1_100';
/** 300 tokens for $10.99 with 200 free tokens (spec 1 §9, spec 2). */
export const PROMO_PRODUCT = 'promo_300';
/** Saves a card without a charge: the free pass of the join offer, and the card check. */
const PASS_PRODUCT = 'pass_card';
/** A discounted month of premium for former members. */
const WINBACK_PRODUCT = 'membership_premium_winback';

/** Default products of an operator. Small packs cost the plain rate, larger ones less. */
export const DEFAULT_PRODUCTS: readonly CatalogueItem[] = [
  membership('premium', 100, 1_999),
  membership('vip', 300, 3_999),
  membership('super_vip', 1_000, 9_999),
  pack(50, 500),
  pack(100, 1_000),
  pack(200, 2_000),
  pack(550, 4_999),
  pack(1_200, 9_999),
  pack(2_600, 19_999),
  pack(7_000, 49_999),
  { ...pack(300, 1_099), internalId: PROMO_PRODUCT, kind: 'promo', freeTokens: 200, oneClick: false },
  { ...pack(0, 0), internalId: PASS_PRODUCT, kind: 'pass', oneClick: false },
  { ...membership('premium', 100, 1_499), internalId: WINBACK_PRODUCT, kind: 'winback' },
];
/** Maximum products on sale per operator: one page, and as many as a person can choose from. */
export const MAX_PRODUCTS = 60;
/** Maximum products of one operator including retired ones: enough for years of changes. */
const MAX_PRODUCTS_EVER = 1_000;
/** Highest price: the maximum daily limit ($100,000). */
export const MAX_PRICE_MINOR = 10_000_000;
/** Maximum tokens of a product: the highest price at the plain rate. */
export const MAX_PRODUCT_TOKENS = 1_000_000;
/** Longest membership: a saved card has to outlast it. */
export const MAX_MEMBERSHIP_DAYS = 366;
/** More than the countries in ISO 3166-1. */
export const MAX_COUNTRIES = 250;

/** Form of a product's id; `voucher_…` is reserved for vouchers. */
export const PRODUCT_ID = /^(?!voucher_)[a-z0-9_]{1,64}$/;

const isCount = (value: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= 0 && value <= most;

/** What is wrong with a product, or null. Prefixes and token amounts follow the spec. */
export function errorOfProduct(item: CatalogueItem): string | null {
  const { internalId: id, kind, tokens, freeTokens, priceMinor, membership: name, days, countries } = item;
  if (!PRODUCT_ID.test(id)) return `${id} is no product id`;
  const counts = isCount(tokens, MAX_PRODUCT_TOKENS) && isCount(freeTokens, MAX_PRODUCT_TOKENS)
    && isCount(priceMinor, MAX_PRICE_MINOR);
  if (!counts) return `${id} has no whole numbers, or too large ones`;
  if ((name !== null) !== id.startsWith('membership_')) return `${id}: memberships begin with membership_`;
  if ((name !== null) !== (days !== null)) return `${id}: memberships have days, and only they`;
  if (days !== null && (days < 1 || !isCount(days, MAX_MEMBERSHIP_DAYS))) return `${id} lasts for no time`;
  if ((name !== null) !== (kind === 'membership' || kind === 'winback')) return `${id} is no ${kind}`;
  if (kind === 'pass' && (priceMinor > 0 || tokens + freeTokens > 0)) return `${id}: a pass is for nothing`;
  const isForNothing = priceMinor === 0 || (tokens === 0 && name === null);
  if (kind !== 'pass' && isForNothing) return `${id} is given away, or gives nothing`;
  if (!CURRENCY_CODE.test(item.currency)) return `${id} has no currency`;
  const isListed = countries.length <= MAX_COUNTRIES && countries.every((one) => COUNTRY_CODE.test(one));
  return isListed ? null : `${id} is sold in no country`;
}

/** What is wrong with a catalogue, or null. */
export function errorOfProducts(products: readonly CatalogueItem[]): string | null {
  const sold = products.filter(({ retired }) => !retired).length;
  if (sold === 0 || sold > MAX_PRODUCTS) return `1 to ${MAX_PRODUCTS} products on sale`;
  if (products.length > MAX_PRODUCTS_EVER) return `at most ${MAX_PRODUCTS_EVER} products ever`;
  if (
    new Set(products.map(({ internalId }) => internalId))
      .size < products.length
  ) return 'an id comes twice';
  for (const item of products) {
    const error = errorOfProduct(item);
    if (error !== null) return error;
  }
  return null;
}

/** Completes a product that was stored before products had countries and revisions. */
export const wholeProduct = (
  stored: Omit<CatalogueItem, keyof typeof NEW> & Partial<CatalogueItem>,
): CatalogueItem => ({ ...NEW, ...stored });

/** Whether a product is sold in a country; an unknown country gets products that are sold everywhere. */
export const isSoldIn = ({ countries }: Pick<CatalogueItem, 'countries'>, country: string | null): boolean =>
  countries.length === 0 || (country !== null && countries.includes(country));

/** Price of tokens at the plain rate, without discount, in US cents. */
export const plainCents = (tokens: number): number => Math.ceil((tokens * 100) / TOKENS_PER_DOLLAR);

/** Discount in whole percent, rounded down; 0 for none, for memberships and in other currencies. */
export function discountOf({ tokens, priceMinor, currency, membership: name }: CatalogueItem): number {
  const plain = plainCents(tokens);
  if (name !== null || currency !== USD || plain === 0 || priceMinor >= plain) return 0;
  return Math.floor(((plain - priceMinor) * 100) / plain);
}

/** Whether a product is a one-click suggestion (spec 1 §5). */
export function isSuggestion(product: {
  readonly tokens: number;
  readonly amount: number;
  readonly membership: string | null;
  readonly discount: number;
  readonly is_oneclick: boolean;
}): boolean {
  return (QUICK_TOKENS as readonly number[]).includes(product.tokens) && product.amount > 0
    && product.membership === null && product.discount === 0 && product.is_oneclick;
}

/** Token amounts the low-token dialog highlights (spec 1 §9). */
const LOW_TOKEN_AMOUNTS = [200, 210];

/** Whether the low-token dialog highlights a product: 200 or 210 tokens, and no membership. */
export const isHighlighted = ({ tokens, membership: name }: {
  readonly tokens: number;
  readonly membership: string | null;
}): boolean => name === null && LOW_TOKEN_AMOUNTS.includes(tokens);

/** Tokens missing for something that costs `needed`; 0 if that is unknown or the balance suffices. */
export const missingOf = (needed: number | undefined, balance: number): number =>
  Math.max(0, (needed ?? 0) - balance);

type Pack = { readonly tokens: number; readonly free_tokens: number };
/** Total tokens of a product. */
export const tokensOf = ({ tokens, free_tokens: free }: Pack): number => tokens + free;

/** The smallest pack that covers the missing tokens, ignoring memberships; undefined if none does. */
export function smallestCovering<Product extends Pack & { readonly membership: string | null }>(
  products: readonly Product[],
  missing: number,
): Product | undefined {
  return products.filter((product) => product.membership === null && tokensOf(product) >= missing)
    .toSorted((product, other) => tokensOf(product) - tokensOf(other))[0];
}

/** Sorts memberships first (spec 1 §4), otherwise in the operator's order. */
export const inOrder = (products: readonly CatalogueItem[]): CatalogueItem[] => [
  ...products.filter((one) => one.membership !== null),
  ...products.filter((one) => one.membership === null),
];

/**
 * Amounts of cash vouchers in whole units of the currency, by country. Other countries get vouchers
 * in US dollars.
 */
const VOUCHERS: Readonly<Record<string, { readonly currency: string; readonly amounts: readonly number[] }>> =
  {
    AT: { currency: 'EUR', amounts: [10, 25, 50, 100, 200] },
    DE: { currency: 'EUR', amounts: [10, 25, 50, 100] },
    GB: { currency: 'GBP', amounts: [20, 50, 100, 200] },
  };
const VOUCHERS_ELSEWHERE = { currency: USD, amounts: [10, 25, 50, 100, 200] } as const;

/** The code for an unknown country in voucher ids (user-assigned in ISO 3166-1). */
const NOWHERE = 'xx';

/** The country of a voucher; null when unknown. */
export function voucherCountry(internalId: string): string | null {
  const country = /^voucher_([a-z]{2})_\d+$/.exec(internalId)?.[1] ?? NOWHERE;
  return country === NOWHERE ? null : country.toUpperCase();
}

/**
 * Voucher products of a country (ISO 3166-1 alpha-2, or null), with tokens at the plain rate, rounded down.
 * @param centsOf US cents of an amount; null where the operator has no rate
 */
export function voucherProducts(
  country: string | null,
  centsOf: (price: { minor: number; currency: string }) => number | null,
): CatalogueItem[] {
  const listed = country !== null && Object.hasOwn(VOUCHERS, country) ? VOUCHERS[country] : undefined;
  const { currency, amounts } = listed ?? VOUCHERS_ELSEWHERE;
  return amounts.flatMap((amount) => {
    const cents = centsOf({ minor: amount * 100, currency });
    if (cents === null) return [];
    return [{
      ...pack(Math.floor((cents * TOKENS_PER_DOLLAR) / 100), amount * 100),
      currency,
      internalId: `voucher_${(country ?? NOWHERE).toLowerCase()}_${amount}`,
      oneClick: false,
    }];
  });
}
