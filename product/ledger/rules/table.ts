/** Lines of one part of a CSV file: half a megabyte and one short query; few people have more in a year. */
export const EXPORT_LINES = 2_000;

/** Text that spreadsheet programs would take for a formula, or that would hide one behind a blank. */
const FORMULA = /^[\s\uFEFF\u200B\0]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/u;
/** What RFC 4180 wants in quotes, and blanks at the ends, which some readers would drop. */
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
