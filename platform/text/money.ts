/** An amount in the smallest unit of its currency (ISO 4217). */
interface Amount {
  readonly minor: number;
  readonly currency: string;
}

/** Currencies whose smallest unit is not a hundredth (ISO 4217). `Intl` is no source: it says 0 for HUF. */
const DIGITS: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
};
const HUNDREDTHS = 2;

/** Decimal digits of a currency's smallest unit: 2 for USD, 0 for JPY. */
export const currencyDigits = (
  currency: string,
): number => (Object.hasOwn(DIGITS, currency) ? DIGITS[currency] ?? HUNDREDTHS : HUNDREDTHS);

/** An amount as digits alone: `{ minor: 1099, currency: 'USD' }` is `10.99`, 500 yen are `500`. */
export function decimalOf({ minor, currency }: Amount): string {
  const digits = currencyDigits(currency);
  const padded = String(minor).padStart(digits + 1, '0');
  return digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}

/** An amount in the format of a language: `$10.99`. */
export function formatMoney({ minor, currency }: Amount, locale: string): string {
  const digits = currencyDigits(currency);
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(minor / 10 ** digits);
}
