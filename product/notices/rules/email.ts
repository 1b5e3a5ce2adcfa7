import { HOUR_MS, MINUTE_MS } from '../../../platform/time/units.ts';

/**
 * Longest subject: headers are folded at 78 characters and some clients cut there (RFC 5322 §2.1.1 allows
 * 998).
 */
export const MAX_SUBJECT_LENGTH = 150;

/** Puts a subject on one line: a line break in a value would start a header of an attacker's choice. */
export const subjectLine = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim().slice(0, MAX_SUBJECT_LENGTH);

/** Whether a text is one plain address, with nothing in it that adds a second recipient or a header. */
export const isRecipient = (to: string): boolean => /^[^\s,;<>"()[\]\\@]+@[^\s,;<>"()[\]\\@]+$/u.test(to);

/** Addresses of the people that a demo invents: nobody reads what is sent there (RFC 2606 §2). */
export const INVENTED_DOMAIN = 'demo.example';

/** Whether an address belongs to nobody. */
export const isInvented = (address: string): boolean =>
  address.toLowerCase().endsWith(`@${INVENTED_DOMAIN}`);

/** Waits before an email or a push message is tried again; after the last it has failed, a day later. */
const RETRY_WAITS_MS: readonly number[] = [
  MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS, 12 * HOUR_MS,
];

/** When to try again after this many failures (1 is the first); null when it is given up. */
export const retryWaitMs = (failures: number): number | null => RETRY_WAITS_MS[failures - 1] ?? null;

/** Deliveries that failed for good, retained per operator for whoever looks why. */
export const MAX_FAILED = 500;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;',
};
/** A text as it stands in HTML, in an element or an attribute. */
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (sign) => ENTITIES[sign] ?? sign);

const LINK = /https?:\/\/[^\s<>"']+/gu;

function paragraphOf(paragraph: string): string {
  const lines = paragraph.split('\n').map((line) => escapeHtml(line)
    .replaceAll(LINK, (link) => `<a href="${link}" style="color:#c2185b">${link}</a>`));
  return `<p style="margin:0 0 16px">${lines.join('<br>')}</p>`;
}

/**
 * The HTML of an email from its plain text: paragraphs and links, no pictures, so that opening it reports
 * nothing to anybody.
 */
export function htmlOf(text: string, { locale, footer }: {
  readonly locale: string; readonly footer: string | null;
}): string {
  const body = text.split(/\n{2,}/u).map(paragraphOf).join('');
  const foot = footer === null ? ''
    : `<div style="border-top:1px solid #ddd;padding-top:16px;font-size:13px;color:#666">${
      footer.split(/\n{2,}/u).map(paragraphOf).join('')}</div>`;
  return `<!doctype html><html lang="${escapeHtml(locale)}"><head><meta charset="utf-8">`
    + '<meta name="viewport" content="width=device-width"></head>'
    + '<body style="margin:0;background:#f4f4f5"><div style="max-width:560px;margin:0 auto;padding:24px;'
    + 'background:#fff;color:#18181b;font:16px/1.5 system-ui,sans-serif">'
    + `${body}${foot}</div></body></html>`;
}
