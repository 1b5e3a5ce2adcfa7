/** Letters, digits, and emoji, which names of hosts may contain. */
const SIGN = String.raw`\p{L}\p{N}_\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}`;
/** Letters of Indic scripts and others have marks that belong to them, at the end too. */
const LABEL = String.raw`[${SIGN}](?:[${SIGN}\p{M}-]{0,61}[${SIGN}\p{M}])?`;
const LAST_LABEL = String.raw`\p{L}[\p{L}\p{M}]+`;
/** Dots of every script that a browser reads as one (UTS #46). */
const DOT = String.raw`[.\u2024\u3002\uFE52\uFF0E\uFF61]`;
/** The beginnings that a mail program turns into a link: a scheme, `www.`, an email address, a host name. */
const ADDRESSES = [
  /\S*:\/\/\S*/gu,
  /\b(?:mailto|tel|sms|javascript|data):\S+/giu,
  new RegExp(String.raw`www\d{0,3}${DOT}\S*`, 'giu'),
  new RegExp(String.raw`[^\s@]+@(?:${LABEL}${DOT})+${LAST_LABEL}\S*`, 'giu'),
  new RegExp(String.raw`(?:${LABEL}${DOT})+(?:${LAST_LABEL}|xn--[a-z0-9-]+)(?::\d+)?(?:[/?#]\S*)?`, 'giu'),
  new RegExp(String.raw`\b(?:\d{1,3}${DOT}){3}\d{1,3}(?::\d+)?(?:[/?#]\S*)?`, 'gu'),
];
/** What an address needs; without any of it nothing is left of one. */
const SEPARATORS = new RegExp(`${DOT}|[:/@]`, 'gu');
/** Characters that show nothing, such as joiners: browsers and mail programs read an address without them. */
const UNSEEN = /^(?!\p{L})\p{Default_Ignorable_Code_Point}$/u;
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
    for (const address of ADDRESSES) rest = withSpaces(rest, address);
    rest = rest.replaceAll(/\s+/gu, ' ').trim();
    if (rest === before) return rest;
  }
  return rest.replaceAll(SEPARATORS, ' ').replaceAll(/\s+/gu, ' ').trim();
}

/** A text with a space for each match. It is matched without what shows nothing, which stays elsewhere. */
function withSpaces(text: string, address: RegExp): string {
  let [seen, from, typed] = ['', 0, 0];
  /** Where each code unit of what is seen stands in the text. */
  const places: number[] = [];
  for (const letter of text) {
    if (!UNSEEN.test(letter)) {
      seen += letter;
      for (let unit = 0; unit < letter.length; unit += 1) places.push(typed + unit);
    }
    typed += letter.length;
  }
  let rest = '';
  for (const { index, 0: match } of seen.matchAll(address)) {
    // With what shows nothing on both sides, so that none of it is left alone.
    const start = index === 0 ? 0 : (places[index - 1] ?? 0) + 1;
    rest += `${text.slice(from, Math.max(from, start))} `;
    from = places[index + match.length] ?? text.length;
  }
  return rest + text.slice(from);
}
