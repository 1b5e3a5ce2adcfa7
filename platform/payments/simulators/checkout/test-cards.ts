import { DECLINE_CODES, type DeclineCode } from '#platform/contract/payment.ts';

/** How a test card behaves. */
export interface TestCard {
  readonly number: string;
  readonly brand: string;
  /** The purpose of the card, for the page that lists the cards. */
  readonly label: string;
  /** Declines every payment with this code. */
  readonly decline: DeclineCode | null;
  /** Declines renewals only. */
  readonly renewalDecline: DeclineCode | null;
}

/** Appends the Luhn check digit (ISO/IEC 7812-1) to a number. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export const isCardNumber = (text: string): boolean =>
  /^\d{13,19}$/.test(text) && withCheckDigit(text.slice(0, -1)) === text;

/** Cards that pay, as processors publish them for tests. */
const GOOD: readonly (readonly [number: string, brand: string])[] = [
  ['4111111111111111', 'VISA'],
  ['5555555555554444', 'MASTERCARD'],
  ['378282246310005', 'AMEX'],
  ['6011111111111117', 'DISCOVER'],
];
/**
 * The first digits of a declining card. Five digits follow, with the position of the decline in the
 * catalogue, and a check digit.
 */
const DECLINED_PREFIX = '4000000000';
/** The row of the card whose renewals fail. */
const RENEWAL_ROW = 90_001;

const declining = (row: number): string =>
  withCheckDigit(`${DECLINED_PREFIX}${String(row).padStart(5, '0')}`);

/**
 * Every test card: some that pay, one for each decline, one that pays once and is declined when it renews.
 */
export const TEST_CARDS: readonly TestCard[] = [
  ...GOOD.map(([number, brand]) => ({
    number,
    brand,
    label: 'Pays',
    decline: null,
    renewalDecline: null,
  })),
  ...DECLINE_CODES.map((decline, at) => ({
    number: declining(at + 1),
    brand: 'VISA',
    label: `Declined: ${decline}`,
    decline,
    renewalDecline: null,
  })),
  {
    number: declining(RENEWAL_ROW),
    brand: 'VISA',
    label: 'Pays, and its renewals are declined',
    decline: null,
    renewalDecline: 'NDECLINEDINSFUNDS',
  },
];

/** The behaviour of a card. Numbers that are not test cards are declined, because they may be real. */
export const behaviourOf = (number: string): TestCard =>
  TEST_CARDS.find((card) => card.number === number)
    ?? {
      number,
      brand: 'VISA',
      label: 'No test card',
      decline: 'NDECLINED',
      renewalDecline: null,
    };

/** The number of the test card for a decline, or of one that pays. */
export const cardNumberFor = (decline: DeclineCode | null): string =>
  TEST_CARDS.find((card) => card.decline === decline)?.number ?? '';
