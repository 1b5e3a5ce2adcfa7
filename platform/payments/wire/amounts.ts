import type { Money } from '#platform/contract/payment.ts';
import { CURRENCY_CODE } from '#platform/text/codes.ts';
import { currencyDigits } from '#platform/text/money.ts';

/** ISO 4217 numeric codes of the currencies that the billers take. */
const NUMBERS: readonly (readonly [currency: string, code: string])[] = [
  ['AUD', '036'],
  ['CAD', '124'],
  ['CHF', '756'],
  ['CLP', '152'],
  ['CZK', '203'],
  ['DKK', '208'],
  ['EUR', '978'],
  ['GBP', '826'],
  ['HUF', '348'],
  ['ISK', '352'],
  ['JPY', '392'],
  ['KRW', '410'],
  ['MXN', '484'],
  ['NOK', '578'],
  ['NZD', '554'],
  ['PLN', '985'],
  ['SEK', '752'],
  ['USD', '840'],
  ['VND', '704'],
];

/** Twelve digits before the point and eight behind it: more than any payment, and exact as an integer. */
const DECIMAL = /^(\d{1,12})(?:\.(\d{1,8}))?$/;

/**
 * Parses an amount without using a float. Null for anything else: a sign, an exponent, a malformed currency
 * code, or a fraction below the smallest unit (which would have to be rounded).
 */
export function moneyOf(text: string | undefined, currency: string | null | undefined): Money | null {
  const code = currency?.toUpperCase() ?? '';
  const match = DECIMAL.exec(text ?? '');
  if (!match || !CURRENCY_CODE.test(code)) return null;
  const digits = currencyDigits(code);
  const fraction = match[2] ?? '';
  if (/[1-9]/.test(fraction.slice(digits))) return null;
  const minor = Number(`${match[1]}${fraction.slice(0, digits).padEnd(digits, '0')}`);
  return Number.isSafeInteger(minor) ? { minor, currency: code } : null;
}

/** Eighteen decimals, the most a coin has. */
const FINEST = 18;

/** An unsigned decimal as a whole number of 10^-18 parts; null for anything else. */
export function scaled(text: string | undefined): bigint | null {
  const match = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(text ?? '');
  return match ? BigInt(`${match[1]}${(match[2] ?? '').padEnd(FINEST, '0')}`) : null;
}

/**
 * The product of two decimals, e.g. a rate and coins, as an amount rounded down; null when either is invalid.
 */
export function productOf(one: string, other: string, currency: string): Money | null {
  const [a, b] = [scaled(one), scaled(other)];
  if (a === null || b === null) return null;
  const minor = Number(a * b / 10n ** BigInt(2 * FINEST - currencyDigits(currency)));
  return Number.isSafeInteger(minor) ? { minor, currency } : null;
}

/** `USD` is `840`; null for a currency no biller here takes. */
export const numberOf = (currency: string): string | null =>
  NUMBERS.find(([name]) => name === currency)?.[1] ?? null;

/** `840` is `USD`; also of a code that lost its leading zeros as a number. */
export function currencyOf(code: string | undefined): string | null {
  const whole = /^\d{1,3}$/.test(code ?? '') ? (code ?? '').padStart(3, '0') : null;
  return NUMBERS.find(([, number]) => number === whole)?.[0] ?? null;
}
