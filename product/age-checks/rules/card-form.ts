import { isCardNumber, isExpiryGood } from '#product/billing/rules/payments/card-number.ts';

/** Limits of the card form (spec 3, section 5). */
export const MAX_TEXT = 50;
export const EXPIRATION_LENGTH = 2;
const MAX_CVC = 5;
const MIN_CVC = 3;
/** RFC 5321: the longest address that mail can be sent to. */
const MAX_EMAIL = 254;
/** The choice `do_purchase` of the card form: nothing is charged, or the offer is bought. */
export const DO_PURCHASE = [0, 1] as const;
/** The product of the offer that a card check may buy: 300 tokens for 10.99 dollars. */
export const OFFER_PRODUCT = 'promo_300';

/** What becomes of the offer: `pending` and `unknown` are settled later by the biller. */
export const PURCHASE_STATES = ['paid', 'pending', 'unknown', 'declined', 'refused'] as const;

/** Fields of the card form, in their order on the page. */
export const CARD_FIELDS = [
  'card_number',
  'expiration_month',
  'expiration_year',
  'cvc',
  'first_name',
  'last_name',
  'birth_date',
  'email',
  'country',
  'address',
  'city',
  'state',
  'province',
  'zip',
  'do_purchase',
] as const;
export type CardField = (typeof CARD_FIELDS)[number];

/** What somebody typed. `birth_date` is ISO 8601, `do_purchase` a number as text; both empty until chosen. */
export type CardEntry = Readonly<Record<CardField, string>>;

/** The most characters of a field; those that are chosen have none. */
export const LIMITS: Readonly<Partial<Record<CardField, number>>> = {
  card_number: MAX_TEXT,
  expiration_month: EXPIRATION_LENGTH,
  expiration_year: EXPIRATION_LENGTH,
  cvc: MAX_CVC,
  first_name: MAX_TEXT,
  last_name: MAX_TEXT,
  email: MAX_EMAIL,
  address: MAX_TEXT,
  city: MAX_TEXT,
  state: MAX_TEXT,
  zip: MAX_TEXT,
};

/** The fields of the form: the email only where none is on file, and a province only in Canada. */
export const shownFields = (country: string, needsEmail: boolean): readonly CardField[] =>
  CARD_FIELDS.filter((field) => {
    if (field === 'email') return needsEmail;
    if (field === 'province') return country === 'CA';
    return field !== 'state' || country !== 'CA';
  });

/** Only digits of a card number are used. */
export const digitsOf = (typed: string): string => typed.replaceAll(/\D/gu, '');

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u;
/** Whether a birth date was chosen: `0000-00-00` is the placeholder of one that was not. */
export const isBirthDateSet = (date: string): boolean => DAY.test(date) && !date.startsWith('0000');

const isDigits = (text: string): boolean => /^\d+$/u.test(text);
const EMAIL = /^\S+@\S+\.\S+$/u;

const expiryOf = ({ expiration_month: month, expiration_year: year }: CardEntry): string =>
  `${month.trim()}/${year.trim()}`;
/** A month without its year is not wrong yet: the year is what is missing. */
const isExpiryPart = (typed: string, entry: CardEntry, now: Date): boolean => {
  const { expiration_month: month, expiration_year: year } = entry;
  if (typed.length !== EXPIRATION_LENGTH) return false;
  return month.trim() === '' || year.trim() === '' || isExpiryGood(expiryOf(entry), now);
};

/** What a field that has something must be besides short enough; the others take any text. */
const CHECKS: Readonly<Partial<Record<CardField, typeof isExpiryPart>>> = {
  card_number: (typed) => isCardNumber(digitsOf(typed)),
  expiration_month: isExpiryPart,
  expiration_year: isExpiryPart,
  cvc: (typed) => isDigits(typed) && typed.length >= MIN_CVC,
  email: (typed) => EMAIL.test(typed),
  do_purchase: (typed) => DO_PURCHASE.some((choice) => String(choice) === typed),
};

/** Whether a field that has something is still wrong. */
function isWrong(field: CardField, entry: CardEntry, now: Date): boolean {
  const typed = entry[field].trim();
  if (typed.length > (LIMITS[field] ?? Number.POSITIVE_INFINITY)) return true;
  return CHECKS[field]?.(typed, entry, now) === false;
}

/** Whether something was typed or chosen; of a card number only digits count. */
function isThere(field: CardField, { [field]: typed }: CardEntry): boolean {
  if (field === 'birth_date') return isBirthDateSet(typed);
  return (field === 'card_number' ? digitsOf(typed) : typed.trim()) !== '';
}

/** Why a field is refused: nothing was entered, or it cannot be right. */
export type CardFault = 'required' | 'wrong';
export type CardFaults = Readonly<Partial<Record<CardField, CardFault>>>;

/** The fields of an entry that are refused, in the order of the form. */
export function faultsOf(entry: CardEntry, needsEmail: boolean, now: Date): CardFaults {
  const faults: Partial<Record<CardField, CardFault>> = {};
  for (const field of shownFields(entry.country, needsEmail)) {
    if (!isThere(field, entry)) faults[field] = 'required';
    else if (isWrong(field, entry, now)) faults[field] = 'wrong';
  }
  return faults;
}

/** What the server gets of an entry: never the number of the card or its code. */
export function cardInput(entry: CardEntry, paymentToken: string, needsEmail: boolean) {
  const number = digitsOf(entry.card_number);
  return {
    address: entry.address.trim(),
    birth_date: entry.birth_date,
    city: entry.city.trim(),
    country: entry.country,
    ...(needsEmail ? { email: entry.email.trim() } : {}),
    first_name: entry.first_name.trim(),
    last_name: entry.last_name.trim(),
    state: regionOf(entry),
    zip: entry.zip.trim(),
    payment_token: paymentToken,
    card: {
      exp_month: entry.expiration_month.trim(),
      exp_year: entry.expiration_year.trim(),
      first6: number.slice(0, 6),
      last4: number.slice(-4),
    },
    do_purchase: entry.do_purchase === '1' ? (1 as const) : (0 as const),
  };
}

/** The state, or the province in Canada. */
export const regionOf = ({ country, state, province }: CardEntry): string =>
  (country === 'CA' ? province : state).trim();
