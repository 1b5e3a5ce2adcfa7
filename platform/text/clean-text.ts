/** Lone surrogates, control characters, line breaks, and what only turns or hides text around it. */
const INVISIBLE =
  /[\p{Cs}\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;
/** More than four accents stacked on one letter; real writing has up to three. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Paragraphs stay apart; more blank lines are an empty screen. */
const BLANK_LINES = /\n{3,}/gu;

/** What a person typed in several lines: each cleaned as {@link cleanText} does it. Idempotent. */
export const cleanLines = (text: string): string =>
  text.split(/\r\n?|[\n\v\f\u2028\u2029]/u).map(cleanText).join('\n').replaceAll(BLANK_LINES, '\n\n').trim();

/**
 * What a person typed, as one line that cannot disturb the lines around it: composed (NFC), single spaces, no
 * control or direction characters. Joiners inside emoji stay. Idempotent.
 */
export function cleanText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\t\r\n\v\f\u2028\u2029]/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(STACKED_MARKS, '$1')
    .replaceAll(/\p{Z}+/gu, ' ')
    .trim();
}
