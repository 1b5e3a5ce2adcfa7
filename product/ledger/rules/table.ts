/** Entries on a page of a CSV export: half a megabyte and one short query. */
export const EXPORT_PAGE_LINES = 2_000;
/** Entries read from the database at once while a file is streamed: about 100 kB, in memory twice at most. */
export const EXPORT_BATCH_LINES = 500;
/** Entries in one CSV file: 270 a day for a year, a tenth of what spreadsheet programs open. */
export const MAX_EXPORT_LINES = 100_000;
/** Spreadsheet programs read a file as UTF-8 only when it begins with this. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Text that spreadsheet programs would take for a formula, also behind a blank. */
const FORMULA = /^[\s\uFEFF\u200B\0]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u;
/** Characters that RFC 4180 wants in quotes, and blanks at the ends, which some readers would drop. */
const TO_QUOTE = /[",;\r\n\t]|^\s|\s$/u;

/**
 * One field (RFC 4180). Numbers stand as they are; a text that a spreadsheet would run as a formula gets an
 * apostrophe, which shows it as text.
 */
function csvField(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return TO_QUOTE.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One record with its line end, which RFC 4180 says is CRLF. */
export const csvLine = (fields: readonly (string | number | null)[]): string =>
  `${fields.map(csvField).join(',')}\r\n`;
