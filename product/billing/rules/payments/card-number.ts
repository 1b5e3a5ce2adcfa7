/** Digits of a card number: ISO/IEC 7812-1 allows up to 19, no scheme issues fewer than 13. */
const MIN_CARD_DIGITS = 13;
const MAX_CARD_DIGITS = 19;

/** Removes spaces and hyphens from a typed card number. */
export const cardDigits = (typed: string): string => typed.replaceAll(/[\s-]/gu, '');

/** Whether a text has the length and the check digit (Luhn) of a card number (ISO/IEC 7812-1). */
export function isCardNumber(typed: string): boolean {
  const digits = cardDigits(typed);
  if (
    !/^\d+$/u.test(digits) || digits.length < MIN_CARD_DIGITS
    || digits.length > MAX_CARD_DIGITS
  ) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Parses a typed expiry date; null when it has no valid month. Two digits mean this century. */
export function cardExpiry(typed: string): { readonly month: number; readonly year: number } | null {
  const [, month, year] = /^\s*(\d{1,2})\s*\/?\s*((?:20)?\d{2})\s*$/u.exec(typed) ?? [];
  if (month === undefined || year === undefined) return null;
  const number = Number(month);
  return number < 1 || number > 12 ? null : { month: number, year: 2_000 + Number(year.slice(-2)) };
}

/** No scheme issues cards valid for longer; a later year is a typing error. */
const MAX_CARD_YEARS = 20;

/** Whether a card with this expiry date is valid: it lasts until the end of its month. */
export function isExpiryGood(typed: string, now: Date): boolean {
  const expiry = cardExpiry(typed);
  if (!expiry) return false;
  const months = (expiry.year - now.getUTCFullYear()) * 12 + expiry.month - 1 - now.getUTCMonth();
  return months >= 0 && months <= MAX_CARD_YEARS * 12;
}

/** Three digits on most cards, four on the front of American Express. */
export const isSecurityCode = (typed: string): boolean => /^\d{3,4}$/u.test(typed.trim());
