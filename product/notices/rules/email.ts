import { cleanText } from '#platform/text/clean-text.ts';
import { withoutAddresses } from '#platform/text/shown/addresses.ts';
import { isolated } from '#platform/text/shown/isolation.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';

/** Longest subject: headers are folded at 78 characters, where some clients cut (RFC 5322 §2.1.1: 998). */
export const MAX_SUBJECT_LENGTH = 150;

/** Puts a subject on one line: a line break in a value would start a header of an attacker's choice. */
export const subjectLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim().slice(0, MAX_SUBJECT_LENGTH);

/** Whether a text is one plain address, with nothing in it that adds a second recipient or a header. */
export const isRecipient = (to: string): boolean => /^[^\s,;<>"()[\]\\@]+@[^\s,;<>"()[\]\\@]+$/u.test(to);

/** The email that confirms an account's deletion: the last one, sent while the address is still known. */
export const LAST_MAIL = 'accounts:mails.deletionDone';

const DAY_SECONDS = 86_400;
/**
 * Emails a day to unconfirmed addresses: such an address may be a stranger's, who wants none of them. The
 * limits of an account and of an address allow for a few typing errors; that of a network, for the sign-ups
 * of a university.
 */
export const UNCONFIRMED_PER_DAY = {
  account: { points: 10, seconds: DAY_SECONDS },
  address: { points: 10, seconds: DAY_SECONDS },
  network: { points: 100, seconds: DAY_SECONDS },
} as const;

/** Addresses of the people that a demo invents: nobody reads what is sent there (RFC 2606 §2). */
export const INVENTED_DOMAIN = 'demo.example';

/** Whether an address belongs to an invented person. */
export const isInvented = (address: string): boolean => address.toLowerCase().endsWith(`@${INVENTED_DOMAIN}`);

/**
 * Waits before an email or a push message is tried again. After the last it has failed, about a day later.
 */
const RETRY_WAITS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  12 * HOUR_MS,
];

/** How long to wait after this many failures (1 is the first), in ms; null to give up. */
export const retryWaitMs = (failures: number): number | null => RETRY_WAITS_MS[failures - 1] ?? null;

/** Deliveries that failed for good, retained per operator so that admins can look into them. */
export const MAX_FAILED = 500;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\'': '&#39;',
};
/** A text escaped for HTML, in an element or an attribute. */
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (sign) => ENTITIES[sign] ?? sign);

/** A line as HTML: only the site's own links become links, whatever else looks like one. */
function lineOf(line: string, links: readonly string[]): string {
  const [link, ...others] = links;
  if (link === undefined) return escapeHtml(line);
  const shown = escapeHtml(link);
  return line.split(link).map((part) => lineOf(part, others))
    .join(`<a href="${shown}" style="color:#c2185b">${shown}</a>`);
}

const paragraphsOf = (text: string, links: readonly string[]): string =>
  text.split(/\n{2,}/u)
    .map((paragraph) => paragraph.split('\n').map((line) => lineOf(line, links)).join('<br>'))
    .map((paragraph) => `<p style="margin:0 0 16px">${paragraph}</p>`).join('');

/**
 * The HTML of an email from its plain text: paragraphs and links. It has no pictures, so that opening it is
 * reported to nobody.
 */
export function htmlOf(text: string, { locale, footer, links }: {
  readonly locale: string;
  readonly footer: string | null;
  /** The site's own URLs in the text, which become links; values that look like a URL never do. */
  readonly links: readonly string[];
}): string {
  // Longest first, because one may start with another.
  const known = links.filter((link) => link !== '').toSorted((a, b) => b.length - a.length);
  const body = paragraphsOf(text, known);
  const foot = footer === null
    ? ''
    : `<div style="border-top:1px solid #ddd;padding-top:16px;font-size:13px;color:#666">${
      paragraphsOf(footer, known)
    }</div>`;
  return `<!doctype html><html lang="${escapeHtml(locale)}"><head><meta charset="utf-8">`
    + '<meta name="viewport" content="width=device-width"></head>'
    + '<body style="margin:0;background:#f4f4f5"><div style="max-width:560px;margin:0 auto;padding:24px;'
    + 'background:#fff;color:#18181b;font:16px/1.5 system-ui,sans-serif">'
    + `${body}${foot}</div></body></html>`;
}

/** Stands for a typed text that is not shown. */
const LEFT_OUT = '…';
/** Letters shown at either end of a username, for its owner to recognize; of a short one, only the first. */
const SHOWN_LETTERS = 2;
const hintOf = (username: string): string => (username.length <= 3 * SHOWN_LETTERS
  ? `${username.slice(0, 1)}•••`
  : `${username.slice(0, SHOWN_LETTERS)}•••${username.slice(-SHOWN_LETTERS)}`);

/** A typed text, as a message to another person may show it: one line without addresses. */
export const typedText = (text: string, maxLength: number): string =>
  isolated(withoutAddresses(cleanText(text).slice(0, maxLength)) || LEFT_OUT);

/**
 * Values of an email that people typed. An unconfirmed address may belong to a stranger, whom somebody signed
 * up: it gets none of these texts, and only a part of the username.
 */
export function typedValues(
  { username, typed, isConfirmed }: {
    readonly username: string;
    readonly typed: Readonly<Record<string, string>>;
    readonly isConfirmed: boolean;
  },
  maxLength: number,
): Record<string, string> {
  const shown = Object.entries(typed).map((
    [name, text],
  ): [string, string] => [name, isConfirmed ? typedText(text, maxLength) : LEFT_OUT]);
  return {
    ...Object.fromEntries(shown),
    username: isConfirmed ? username : hintOf(username),
  };
}
