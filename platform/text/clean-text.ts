/**
 * Lone surrogates, control characters, noncharacters including those that XML forbids (U+FFFE, U+FFFF), line
 * breaks, and characters that only turn or hide the text around them.
 */
const INVISIBLE = new RegExp(
  String.raw`[\p{Cs}\p{Cc}\p{Noncharacter_Code_Point}\u00AD\u034F\u061C\u180E\u200B\u200E\u200F\u2028-\u202E`
    + String.raw`\u2060-\u206F\uFEFF\uFFF9-\uFFFB]`,
  'gu',
);
/** Combining marks on one letter, with the joiners that may be between them. */
const MARKS = /[\p{M}\u200C\u200D]{3,}/gu;
/** The most marks on any letter; more pile up and cover the lines around it. */
const MAX_MARKS = 2;
/** Scripts that write vowels, tones and subjoined letters as marks have up to this many of their own. */
const MAX_OWN_MARKS = 4;
const OWN_MARK = new RegExp(
  `[${
    [
      'Bengali',
      'Devanagari',
      'Gujarati',
      'Gurmukhi',
      'Hebrew',
      'Kannada',
      'Khmer',
      'Malayalam',
      'Myanmar',
      'Oriya',
      'Sinhala',
      'Tamil',
      'Telugu',
      'Tibetan',
    ].map((script) => String.raw`\p{sc=${script}}`).join('')
  }]`,
  'u',
);
/** A visible character: no separator, control or filler character, and no mark without a letter. */
const VISIBLE = /[^\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Paragraphs stay separate, but more blank lines would make an empty screen. */
const BLANK_LINES = /\n{3,}/gu;

/** Text of several lines that a person typed, each line cleaned by {@link cleanText}. Idempotent. */
export const cleanLines = (text: string): string =>
  text.split(/\r\n?|[\n\v\f\u2028\u2029]/u).map(cleanText).join('\n').replaceAll(BLANK_LINES, '\n\n').trim();

/**
 * Text that a person typed, as one line that cannot disturb the lines around it: composed (NFC), single
 * spaces, no control or direction characters, at most two marks on a letter. Joiners inside emoji stay. Empty
 * if nothing would be visible. Idempotent.
 */
export function cleanText(text: string): string {
  const cleaned = text
    .normalize('NFC')
    .replaceAll(/[\t\r\n\v\f\u2028\u2029]/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .normalize('NFC')
    .replaceAll(MARKS, fewerMarks)
    .replaceAll(/\p{Z}+/gu, ' ')
    .trim();
  return VISIBLE.test(cleaned) ? cleaned : '';
}

function fewerMarks(run: string): string {
  let [marks, own, joiners] = [0, 0, 0];
  return [...run].filter((mark) => {
    if (mark === '\u200C' || mark === '\u200D') return (joiners += 1) <= MAX_MARKS;
    if (OWN_MARK.test(mark)) return (own += 1) <= MAX_OWN_MARKS;
    return (marks += 1) <= MAX_MARKS;
  }).join('');
}
