/** Letters of Indic scripts and others have marks that belong to them, at the end too. */
const LABEL = String.raw`[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_-]{0,61}[\p{L}\p{M}\p{N}_])?`;
const LAST_LABEL = String.raw`\p{L}[\p{L}\p{M}]+`;
/** Dots of every script that a browser reads as one (UTS #46). */
const DOT = '[.\u3002\uFF0E\uFF61]';
/** The beginnings that a mail program turns into a link: a scheme, `www.`, an email address, a host name. */
const ADDRESSES = [
  /\S*:\/\/\S*/gu,
  /\b(?:mailto|tel|sms|javascript|data):\S+/giu,
  new RegExp(String.raw`www\d{0,3}${DOT}\S*`, 'giu'),
  new RegExp(String.raw`[^\s@]+@(?:${LABEL}${DOT})+${LAST_LABEL}\S*`, 'giu'),
  new RegExp(String.raw`(?:${LABEL}${DOT})+(?:${LAST_LABEL}|xn--[a-z0-9-]+)(?::\d+)?(?:[/?#]\S*)?`, 'giu'),
  /\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?:[/?#]\S*)?/gu,
];
/** Removing one address may leave another; this many rounds are enough for any that fits in a name. */
const MAX_PASSES = 8;

/**
 * A typed text without anything that a mail program, a phone or a feed reader would turn into a link. The
 * rest has single spaces; it may be empty. Idempotent.
 */
export function withoutAddresses(text: string): string {
  let rest = text;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const before = rest;
    for (const address of ADDRESSES) rest = rest.replaceAll(address, ' ');
    rest = rest.replaceAll(/\s+/gu, ' ').trim();
    if (rest === before) return rest;
  }
  return rest.replaceAll(/[.:/@\u3002\uFF0E\uFF61]/gu, ' ').replaceAll(/\s+/gu, ' ').trim();
}
