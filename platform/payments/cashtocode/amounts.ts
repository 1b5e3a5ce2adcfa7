import type { Money } from '#platform/contract/payment.ts';

/** Fixed amounts of codes, in whole units, for countries that have their own. */
const FIXED: Readonly<Record<string, { readonly currency: string; readonly amounts: readonly number[] }>> = {
  AT: { currency: 'EUR', amounts: [10, 25, 50, 100, 200, 300, 400, 500] },
  DE: { currency: 'EUR', amounts: [10, 25, 50, 100] },
};
/** Limits for all other countries, where any whole amount is possible. */
const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  USD: [5, 200],
  GBP: [20, 250],
};
const HUNDREDTHS = 100;

/** Whether a code of this amount is sold in a country (ISO 3166-1 alpha-2). */
export function isSold(amount: Money, country: string | null): boolean {
  const whole = amount.minor / HUNDREDTHS;
  const fixed = country === null ? undefined : FIXED[country];
  if (fixed) return fixed.currency === amount.currency && fixed.amounts.includes(whole);
  const range = RANGES[amount.currency];
  return !!range && Number.isInteger(whole) && whole >= range[0] && whole <= range[1];
}
