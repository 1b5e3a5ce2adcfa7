import { plainLetters } from './words.ts';

/** Characters that read as a dot: full stops of other scripts, middle dots. */
const DOTS = /[。．｡․·•∙⋅]/gu;
/** Characters that read as a slash. */
const SLASHES = /[⁄∕／⧸]/gu;
/** Top-level domains that are not words in any of the six languages. */
const ENDINGS = 'com|net|org|info|biz|xyz|site|online|club|top|vip|app|dev|tv|gg|io|ly|cc|ru|su|cn|br|uk|fr'
  + '|pl|ua|cam|cams|webcam|porn|sex|xxx|adult|link|page|shop|store|stream';
const END = '(?![\\p{L}\\p{N}-])';
const BOUND = '(?<![\\p{L}\\p{N}])';

/** Each takes linear time: no character can match in two ways. */
const SIGNS: readonly RegExp[] = [
  // A scheme, even an incomplete one: nobody writes it for anything else.
  new RegExp(`${BOUND}h(?:tt|xx)ps?${END}`, 'u'),
  /\p{L}:\/\//u,
  new RegExp(`${BOUND}www ?\\. ?[\\p{L}\\p{N}]`, 'u'),
  // Punycode (RFC 3492) occurs only in addresses.
  new RegExp(`${BOUND}xn--[a-z0-9]`, 'u'),
  new RegExp(`[\\p{L}\\p{N}] ?[([{<]? ?(?:\\.|dot) ?[)\\]}>]? ?(?:${ENDINGS})${END}`, 'u'),
  // “Dot” in other languages counts only together with `com`.
  new RegExp(`[\\p{L}\\p{N}] ?[([{<]? ?(?:punkt|punto|point|punt) ?[)\\]}>]? ?com${END}`, 'u'),
  // Any ending followed by a path; and short names that need no path.
  /[\p{L}\p{N}]\.\p{L}{2,24}\/[\p{L}\p{N}_]/u,
  new RegExp(`${BOUND}(?:t|wa|fb)\\.me${END}`, 'u'),
  /(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])/u,
];

/** Joins single characters separated by spaces: `c o m`. Fewer than three don't spell out a word. */
function together(text: string): string {
  let run: string[] = [];
  const out: string[] = [];
  const flush = (): void => {
    out.push(...(run.length >= 3 ? [run.join('')] : run));
    run = [];
  };
  for (const part of text.split(' ')) {
    if ([...part].length === 1) run.push(part);
    else {
      flush();
      out.push(part);
    }
  }
  flush();
  return out.join(' ');
}

/** Whether a text contains a web address, even an obfuscated one. */
export function hasLink(text: string): boolean {
  // Before accents are removed, because that would also remove compatibility forms of dots and slashes.
  const plain = plainLetters(text.replaceAll(DOTS, '.').replaceAll(SLASHES, '/')).replaceAll(/\s+/gu, ' ');
  const worded = plain.replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('3', 'e');
  const ways = new Set([plain, together(plain), worded, together(worded)]);
  return [...ways].some((way) => SIGNS.some((sign) => sign.test(way)));
}
