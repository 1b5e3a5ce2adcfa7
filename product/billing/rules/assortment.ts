import { usCents, type BillingSettings } from '../rules.ts';
import type { CatalogueItem } from './products.ts';

/** What one sale of a product brings and costs an operator, in US cents at the rates of now. */
export interface ProductCost {
  /** What the buyer pays; null for a currency without a rate. */
  readonly cashCents: number | null;
  /** What its tokens can be paid out for, the given ones too. */
  readonly payoutCents: number;
  /** What the ledger books as marketing, because the money does not cover the tokens. */
  readonly marketingCents: number;
}

/**
 * The cost of one sale, as the ledger books it: bought tokens are covered by their price first, given ones by
 * nothing (`purchaseOf` in server/books.ts).
 * @param payoutCents what a token pays out, in US cents
 */
export function costOf(
  item: Pick<CatalogueItem, 'tokens' | 'freeTokens' | 'priceMinor' | 'currency'>,
  rates: BillingSettings['rates'], payoutCents: number,
): ProductCost {
  const cashCents = usCents({ minor: item.priceMinor, currency: item.currency }, rates);
  const bought = item.tokens * payoutCents;
  const given = item.freeTokens * payoutCents;
  return {
    cashCents, payoutCents: bought + given,
    marketingCents: Math.max(0, bought - (cashCents ?? 0)) + given,
  };
}

/** What an operator may still book as marketing, and what a token pays out; in US cents. */
export interface Marketing {
  readonly leftCents: number;
  readonly payoutCents: number;
}

/** @param rules of the ledger: a cap below what is booked leaves nothing. */
export const marketingOf = (rules: {
  readonly payoutCents: number; readonly marketingCapCents: number; readonly marketingBookedCents: number;
}): Marketing => ({
  payoutCents: rules.payoutCents,
  leftCents: Math.max(0, rules.marketingCapCents - rules.marketingBookedCents),
});

/**
 * Whether the ledger would book one more sale: what costs more marketing than is left is offered to nobody.
 * It is asked before anybody pays; a payment that comes when nothing is left any more waits
 * (server/entering.ts).
 */
export const isCovered = (
  item: Parameters<typeof costOf>[0], rates: BillingSettings['rates'], { leftCents, payoutCents }: Marketing,
): boolean => costOf(item, rates, payoutCents).marketingCents <= leftCents;

/** The same of tokens that are given for nothing. */
export const mayGive = (tokens: number, { leftCents, payoutCents }: Marketing): boolean =>
  tokens * payoutCents <= leftCents;

/** Kinds that are sold to one person again and again; promos are for a first purchase. */
const isRepeated = ({ kind }: Pick<CatalogueItem, 'kind'>): boolean => kind !== 'promo' && kind !== 'pass';

/**
 * Whether somebody could buy a product over and over, tip a friend, and share more than they paid: then the
 * operator would pay for it until its marketing is used up.
 */
export const isArbitrage = (item: CatalogueItem, { cashCents, payoutCents }: ProductCost): boolean =>
  isRepeated(item) && cashCents !== null && payoutCents > cashCents;

/** Puts products on sale into a wished order; null when it is not exactly those. Retired ones come last. */
export function inWishedOrder(
  products: readonly CatalogueItem[], ids: readonly string[],
): CatalogueItem[] | null {
  const sold = products.filter(({ retired }) => !retired);
  const wished = ids.map((id) => sold.find(({ internalId }) => internalId === id));
  if (wished.length !== sold.length || new Set(ids).size !== ids.length) return null;
  const ordered = wished.flatMap((item) => item ?? []);
  if (ordered.length !== sold.length) return null;
  return [...ordered, ...products.filter(({ retired }) => retired)];
}

/** One difference of what an operator decided; each value as JSON, null for nothing. */
export interface ChangedField {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** What differs, by name; everything that is there when there was nothing before. */
export function differencesOf(
  before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>,
): ChangedField[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const field = { name, before: textOf(before[name]), after: textOf(after[name]) };
    return field.before === field.after ? [] : [field];
  });
}

/**
 * A typed price in minor units: `10.99` and `10,99` are 1099 where a currency has two digits; null where it
 * is no price.
 */
export function minorOf(typed: string, digits: number): number | null {
  const [, whole = '', fraction = ''] = /^\s*(\d{1,9})(?:[.,](\d*))?\s*$/u.exec(typed) ?? [];
  if (whole === '' || fraction.length > digits) return null;
  return Number(whole + fraction.padEnd(digits, '0'));
}
