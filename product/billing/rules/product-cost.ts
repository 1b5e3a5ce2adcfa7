import { usCents, type BillingSettings } from '../rules.ts';
import type { CatalogueItem } from './products.ts';

/** Revenue and cost of one sale, in US cents at current rates. */
export interface ProductCost {
  /** The price; null for a currency without a rate. */
  readonly cashCents: number | null;
  /** Payout of its tokens, including free ones. */
  readonly payoutCents: number;
  /** What the ledger posts as marketing: the payout that the price does not cover. */
  readonly marketingCents: number;
}

/**
 * The cost of one sale, as the ledger posts it (`purchaseOf` in server/callbacks/journal.ts): the price
 * covers bought tokens, but not free ones.
 * @param payoutCents payout of a token, in US cents
 */
export function costOf(
  item: Pick<CatalogueItem, 'tokens' | 'freeTokens' | 'priceMinor' | 'currency'>,
  rates: BillingSettings['rates'],
  payoutCents: number,
): ProductCost {
  const cashCents = usCents({ minor: item.priceMinor, currency: item.currency }, rates);
  const bought = item.tokens * payoutCents;
  const given = item.freeTokens * payoutCents;
  return {
    cashCents,
    payoutCents: bought + given,
    marketingCents: Math.max(0, bought - (cashCents ?? 0)) + given,
  };
}

/** The remaining marketing budget, and the payout of a token, in US cents. */
export interface Marketing {
  readonly leftCents: number;
  readonly payoutCents: number;
}

/** @param rules the ledger's rules; a cap below the booked amount leaves nothing */
export const marketingOf = (rules: {
  readonly payoutCents: number;
  readonly marketingCapCents: number;
  readonly marketingBookedCents: number;
}): Marketing => ({
  payoutCents: rules.payoutCents,
  leftCents: Math.max(0, rules.marketingCapCents - rules.marketingBookedCents),
});

/**
 * Whether the marketing budget covers one more sale; otherwise nobody is offered the product. A payment that
 * arrives after the budget is used up is held (server/callbacks/posting.ts).
 */
export const isCovered = (
  item: Parameters<typeof costOf>[0],
  rates: BillingSettings['rates'],
  { leftCents, payoutCents }: Marketing,
): boolean => costOf(item, rates, payoutCents).marketingCents <= leftCents;

/** Whether the budget covers a gift. */
export const mayGive = (tokens: number, { leftCents, payoutCents }: Marketing): boolean =>
  tokens * payoutCents <= leftCents;

/** Whether one person can buy a product repeatedly; promos are for a first purchase. */
const isRepeated = ({ kind }: Pick<CatalogueItem, 'kind'>): boolean => kind !== 'promo' && kind !== 'pass';

/**
 * Whether somebody could profit from buying a product repeatedly, by tipping an accomplice who is paid more
 * than it cost, until the marketing budget is used up.
 */
export const isArbitrage = (item: CatalogueItem, { cashCents, payoutCents }: ProductCost): boolean =>
  isRepeated(item) && cashCents !== null && payoutCents > cashCents;

/** Sorts products on sale as given; null unless all are listed once. Retired ones come last. */
export function inGivenOrder(
  products: readonly CatalogueItem[],
  ids: readonly string[],
): CatalogueItem[] | null {
  const sold = products.filter(({ retired }) => !retired);
  const given = ids.map((id) => sold.find(({ internalId }) => internalId === id));
  if (given.length !== sold.length || new Set(ids).size !== ids.length) return null;
  const ordered = given.flatMap((item) => item ?? []);
  if (ordered.length !== sold.length) return null;
  return [...ordered, ...products.filter(({ retired }) => retired)];
}

/** A changed field; values as JSON, null for nothing. */
export interface ChangedField {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** The fields that differ between two objects. */
export function differencesOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ChangedField[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const field = { name, before: textOf(before[name]), after: textOf(after[name]) };
    return field.before === field.after ? [] : [field];
  });
}

/** Parses a typed price: `10.99` and `10,99` are 1099 minor units with two digits; null if invalid. */
export function minorOf(typed: string, digits: number): number | null {
  const [, whole = '', fraction = ''] = /^\s*(\d{1,9})(?:[.,](\d*))?\s*$/u.exec(typed) ?? [];
  if (whole === '' || fraction.length > digits) return null;
  return Number(whole + fraction.padEnd(digits, '0'));
}
