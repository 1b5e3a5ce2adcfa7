import type { AnyCall } from '../../contract/call.ts';

/** Digits of a payment card number (ISO/IEC 7812-1), as people and forms write them: in groups, or not. */
const RUN = /\d(?:[ -]?\d){12,}/gu;
const MIN_DIGITS = 13;
const MAX_DIGITS = 19;
/** Ids of ours are no numbers, however many of their letters happen to be digits. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu;
/** Objects within objects that are looked into; the parser of JSON has a limit of its own. */
const MAX_DEPTH = 64;

/** A body holds a card number. The error says nothing more, and nothing of the body is stored. */
export class CardNumberFound extends Error {
  constructor() {
    super('a body holds a card number');
    this.name = 'CardNumberFound';
  }
}

/** Luhn's check digit (ISO/IEC 7812-1, annex B). */
function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const isNumber = (run: string): boolean => {
  const digits = run.replaceAll(/\D/gu, '');
  return digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS && isLuhnValid(digits);
};

/** Networks of payment cards begin with these (ISO/IEC 7812-1); numbers of transactions often do not. */
const OF_A_NETWORK = /^[2-6]/u;

/**
 * Text that may be stored: what reads as the number of a card of a network is dots. Numbers that begin like
 * none stay: what payment processors call their transactions is needed, and as long.
 */
export const withoutCardNumbers = (text: string): string =>
  text.replaceAll(RUN, (run) =>
    (OF_A_NETWORK.test(run) && isNumber(run) ? run.replaceAll(/\d/gu, '•') : run));

const isInText = (text: string): boolean =>
  [...text.replaceAll(UUID, ' ').matchAll(RUN)].some(([run]) => isNumber(run));

/** Whether a value, or anything in it, reads as the number of a payment card. */
export function holdsCardNumber(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isInText(value);
  if (typeof value === 'number') return isInText(String(value));
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  return Object.entries(value).some(([name, one]) => isInText(name) || holdsCardNumber(one, depth + 1));
}

/**
 * Whether what a call takes is searched for card numbers. Session descriptions and ICE candidates are full of
 * random numbers of that length, one in ten valid, and are never stored; what a payment processor signs must
 * be read as it came.
 */
export const keepsCardsOut = ({ credential, media }: AnyCall): boolean =>
  credential !== 'signature' && !(media?.accepts.includes('sdp') ?? false);
