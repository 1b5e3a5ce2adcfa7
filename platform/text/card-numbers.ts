/** The least and most digits of a card number (ISO/IEC 7812-1). */
const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

/** A range of first digits in a network, and the lengths of its card numbers. */
interface Network {
  readonly from: number;
  readonly to: number;
  readonly digits: number;
  readonly lengths: readonly number[];
}
const FROM_16 = [16, 17, 18, 19];
const FROM_14 = [14, 15, ...FROM_16];
const FROM_13 = [13, ...FROM_14];
const network = (from: number, to: number, lengths: readonly number[]): Network => ({
  from,
  to,
  digits: String(from).length,
  lengths,
});

/** Issuer ranges of the networks that billers accept, and of networks that share their cards. */
const NETWORKS: readonly Network[] = [
  // Visa; numbers of 13 digits are old, but still valid.
  network(4, 4, [13, 16, 19]),
  // Mastercard
  network(51, 55, [16]),
  network(2221, 2720, [16]),
  // American Express
  network(34, 34, [15]),
  network(37, 37, [15]),
  // Diners Club
  network(300, 305, FROM_14),
  network(3095, 3095, FROM_14),
  network(36, 36, FROM_14),
  network(38, 39, FROM_14),
  // Discover and RuPay
  network(60, 60, FROM_16),
  network(644, 649, FROM_16),
  network(65, 65, FROM_16),
  network(81, 82, [16]),
  network(508, 508, [16]),
  // JCB
  network(3528, 3589, FROM_16),
  // UnionPay
  network(62, 62, FROM_16),
  // Mir
  network(2200, 2204, FROM_16),
  // Maestro, Verve, Elo, Hipercard, Troy
  network(5018, 5018, FROM_13),
  network(5020, 5020, FROM_13),
  network(5038, 5038, FROM_13),
  network(5893, 5893, FROM_13),
  network(6304, 6304, FROM_13),
  network(6759, 6763, FROM_13),
  network(5060, 5061, [16, 18, 19]),
  network(5067, 5067, [16]),
  network(5090, 5090, [16]),
  network(6362, 6363, [16]),
  network(6370, 6370, [16]),
  network(9792, 9792, [16]),
];

/** Possible lengths of a card number, by its first four digits. */
const LENGTHS: readonly (readonly number[])[] = Array.from({ length: 10_000 }, (_none, first) => {
  const fits = NETWORKS.filter(({ from, to, digits }) => {
    const prefix = Math.floor(first / 10 ** (4 - digits));
    return prefix >= from && prefix <= to;
  });
  return [...new Set(fits.flatMap(({ lengths }) => lengths))]
    .filter((length) => length >= MIN_DIGITS && length <= MAX_DIGITS);
});
/** Numbers of the most common networks: also searched for inside longer numbers and in any grouping. */
const USUAL = /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5)\d+)$/u;
/** How card numbers are printed: 4-4-4-4, with 3 more, and 4-6-5. */
const LAYOUTS = [[4, 4, 4, 4], [4, 4, 4, 4, 3], [4, 6, 5], [4, 6, 4]];
/** Our own ids are not card numbers, however many of their characters happen to be digits. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu;
/** A word of this length that alternates this often between letters and digits is an id or a digest. */
const ID_LENGTH = 20;
const ID_LETTER_GROUPS = 5;
const WORD = /[\p{L}\p{Nd}_]+/gu;
/** Invisible characters are skipped, however many there are. */
const UNSEEN = /^[\p{Cf}\p{Cc}\p{M}\p{Cs}]$/u;
const SOFT = /^[\s\p{Z}\p{Pd}.·•−]$/u;
const LETTER = /^[\p{L}\p{N}]$/u;
/** Most texts have too few digits, and need no further search. */
const ENOUGH_DIGITS = new RegExp(`(?:\\p{N}[^\\p{N}]*){${MIN_DIGITS}}`, 'u');
/** The most separators between two digits of one number; a blank line has four. */
const MAX_SEPARATORS = 4;

/** A digit in a text: its value, the range of its character, and what separates it from the digit before. */
interface Digit {
  readonly value: string;
  readonly from: number;
  readonly to: number;
  /** How it is joined to the digit before: directly, by spaces, dots or dashes, or by other characters. */
  readonly joined: 'no' | 'direct' | 'soft' | 'hard';
}

/** The value of a decimal digit of any script: each script has its ten in a row. */
function valueOf(digit: string): string {
  const code = digit.codePointAt(0) as number;
  if (code < 0x80) return digit;
  let below = 0;
  while (below < 10 && /^\p{Nd}$/u.test(String.fromCodePoint(code - below - 1))) below += 1;
  return String(below % 10);
}

/** All digits of a text, including full-width and circled ones and those of other scripts. */
function digitsOf(text: string): Digit[] {
  const digits: Digit[] = [];
  let [at, separators, joined] = [0, 0, 'no' as Digit['joined']];
  for (const character of text) {
    const from = at;
    at += character.length;
    for (const part of character < '\u0080' ? character : character.normalize('NFKC')) {
      if (/^\p{Nd}$/u.test(part)) {
        digits.push({ value: valueOf(part), from, to: at, joined });
        [separators, joined] = [0, 'direct'];
      } else if (SOFT.test(part) || !UNSEEN.test(part)) {
        separators += 1;
        if (LETTER.test(part) || separators > MAX_SEPARATORS) joined = 'no';
        else if (joined !== 'no') joined = joined === 'hard' || !SOFT.test(part) ? 'hard' : 'soft';
      }
    }
  }
  return digits;
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

/** The sizes of the groups in which digits are written. */
function groupsOf(digits: readonly Digit[]): number[] {
  const groups: number[] = [];
  for (const [nth, { joined }] of digits.entries()) {
    if (nth === 0 || joined !== 'direct') groups.push(1);
    else groups[groups.length - 1] = (groups.at(-1) as number) + 1;
  }
  return groups;
}

const isLayout = (groups: readonly number[]): boolean =>
  LAYOUTS.some((layout) =>
    layout.length === groups.length && layout.every((size, nth) => size === groups[nth])
  );

/** Whether the digits from `start` to before `end`, a valid number, are also written like a card number. */
function isWritten(run: readonly Digit[], start: number, end: number): boolean {
  const window = run.slice(start, end);
  const gaps = window.slice(1).map(({ joined }) => joined);
  const groups = groupsOf(window);
  if (isLayout(groups)) return true;
  // Cards have gaps only of spaces, dots and dashes, unless the layout matches.
  if (gaps.includes('hard')) return false;
  const isInside = start > 0 && run[start]?.joined === 'direct';
  const isUsual = isUsualNumber(window);
  if (groups.length === 1) return !isInside || isUsual;
  // Lists of numbers are not cards: in other groupings a number must be alone, or in groups of equal size.
  const isCut = run[end]?.joined === 'direct';
  const isAlone = start === 0 && end === run.length;
  const isEven = groups.slice(0, -1).every((size) => size === groups[0]);
  return isUsual && !isInside && !isCut && (isAlone || isEven);
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** Inside a number of at most 19 digits that begins otherwise: more often an id than a card with more. */
  readonly isPartOfId: boolean;
}

/** The card numbers in one run of digits. */
function spansIn(run: readonly Digit[]): Span[] {
  const digits = run.map(({ value }) => value).join('');
  return run.flatMap(({ from }, start) =>
    (LENGTHS[Number(digits.slice(start, start + 4))] ?? [])
      .filter((length) =>
        start + length <= run.length && isLuhnValid(digits.slice(start, start + length))
        && isWritten(run, start, start + length)
      )
      .map((length) => {
        const end = start + length;
        const before = digitsBeside(run, start, -1);
        const isPartOfId = before > 0 && before + length + digitsBeside(run, end, 1) <= MAX_DIGITS;
        return { from, to: (run[end - 1] as Digit).to, isPartOfId };
      })
  );
}

const isUsualNumber = (window: readonly Digit[]): boolean =>
  window.length <= 16 && USUAL.test(window.map(({ value }) => value).join(''));

/** The number of digits directly before (-1) or after (1) the position `start`. */
function digitsBeside(run: readonly Digit[], start: number, step: 1 | -1): number {
  let [count, at] = [0, start];
  while (run[at]?.joined === 'direct') {
    count += 1;
    at += step;
  }
  return count;
}

const blank = (id: string): string => 'x'.repeat(id.length);
/** Dates and IP addresses: two of them have as many digits as a card number. */
const DAY_MONTH_YEAR = /(?<!\d)(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:19|20)\d\d(?!\d)/gu;
const YEAR_MONTH_DAY = /(?<!\d)(?:19|20)\d\d[./-](?:0[1-9]|1[0-2])[./-](?:0[1-9]|[12]\d|3[01])(?!\d)/gu;
const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const IP_ADDRESS = new RegExp(String.raw`(?<![\d.])(?:${OCTET}\.){3}${OCTET}(?!\d|\.\d)`, 'gu');

/** A text whose ids, tokens and digests are blanked out: nobody types a card number into one. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(UUID, blank).replaceAll(DAY_MONTH_YEAR, blank).replaceAll(YEAR_MONTH_DAY, blank)
    .replaceAll(IP_ADDRESS, blank)
    .replaceAll(WORD, (word) => {
      const isId = word.length >= ID_LENGTH
        && [...word.matchAll(/[\p{L}_]+/gu)].length >= ID_LETTER_GROUPS;
      return isId ? blank(word) : word;
    });

/** Where a text contains card numbers, in any notation. */
function cardNumbersIn(text: string): Span[] {
  if (text.length < MIN_DIGITS || !ENOUGH_DIGITS.test(text)) return [];
  const runs: Digit[][] = [];
  for (const digit of digitsOf(withoutIds(text))) {
    if (digit.joined === 'no') runs.push([]);
    runs.at(-1)?.push(digit);
  }
  return runs.filter((run) => run.length >= MIN_DIGITS).flatMap(spansIn);
}

/** The deepest nesting that is searched; the JSON parser has a limit of its own. */
const MAX_DEPTH = 64;

/**
 * Whether a value, or anything in it, looks like a card number.
 * @param isStored whether the value may be stored; a value that is only used for a look-up may be an id that
 *   contains such digits
 */
export function holdsCardNumber(value: unknown, isStored = true, depth = 0): boolean {
  const isIn = (text: string): boolean =>
    cardNumbersIn(text).some(({ isPartOfId }) => isStored || !isPartOfId);
  if (typeof value === 'string') return isIn(value);
  if (typeof value === 'number') return isIn(String(value));
  if (typeof value !== 'object' || value === null) return false;
  if (depth >= MAX_DEPTH) return true;
  return Object.entries(value).some(([name, one]) => isIn(name) || holdsCardNumber(one, isStored, depth + 1));
}

/**
 * A text that may be stored: card numbers are replaced by dots. Digits that are only a part of a number of at
 * most 19 digits stay, because transaction ids of payment processors are needed and have that length.
 */
export function withoutCardNumbers(text: string): string {
  const hidden = new Set<number>();
  for (const { from, to, isPartOfId } of cardNumbersIn(text)) {
    if (!isPartOfId) { for (let at = from; at < to; at += 1) hidden.add(at); }
  }
  if (hidden.size === 0) return text;
  return Array.from({ length: text.length }, (_none, at) => {
    const unit = text[at] as string;
    if (!hidden.has(at) || SOFT.test(unit) || /^\p{P}$/u.test(unit)) return unit;
    // The second half of a surrogate pair is removed with the first.
    return /[\uDC00-\uDFFF]/.test(unit) ? '' : '•';
  }).join('');
}
