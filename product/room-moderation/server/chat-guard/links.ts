import { plainLetters } from './words.ts';

/** Signs that read as a dot: full stops of other scripts, middle dots. */
const DOTS = /[。．｡․·•∙⋅]/gu;
/** Signs that read as a slash. */
const SLASHES = /[⁄∕／⧸]/gu;
/** Endings of addresses that are no words of the six languages. */
const ENDINGS = 'com|net|org|info|biz|xyz|site|online|club|top|vip|app|dev|tv|gg|io|ly|cc|ru|su|cn|br|uk|fr'
  + '|pl|ua|cam|cams|webcam|porn|sex|xxx|adult|link|page|shop|store|stream';
const END = '(?![\\p{L}\\p{N}-])';
const BOUND = '(?<![\\p{L}\\p{N}])';

/** Each is linear in the text: nothing in them can match one sign in two ways. */
const SIGNS: readonly RegExp[] = [
  // A scheme, also half of one: nobody writes it for anything else.
  new RegExp(`${BOUND}h(?:tt|xx)ps?${END}`, 'u'),
  /\p{L}:\/\//u,
  new RegExp(`${BOUND}www ?\\. ?[\\p{L}\\p{N}]`, 'u'),
  // Punycode (RFC 3492) stands in addresses only.
  new RegExp(`${BOUND}xn--[a-z0-9]`, 'u'),
  new RegExp(`[\\p{L}\\p{N}] ?[([{<]? ?(?:\\.|dot) ?[)\\]}>]? ?(?:${ENDINGS})${END}`, 'u'),
  // In other languages only with the ending everybody knows.
  new RegExp(`[\\p{L}\\p{N}] ?[([{<]? ?(?:punkt|punto|point|punt) ?[)\\]}>]? ?com${END}`, 'u'),
  // Any ending, when something follows it; and short names that need no path.
  /[\p{L}\p{N}]\.\p{L}{2,24}\/[\p{L}\p{N}_]/u,
  new RegExp(`${BOUND}(?:t|wa|fb)\\.me${END}`, 'u'),
  /(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])/u,
];

/** Single signs with spaces between, put together: `c o m`. Fewer than three are not a word spelled out. */
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

/** Whether a text holds an address of the web, also one that is hidden from eyes like these. */
export function hasLink(text: string): boolean {
  // Before accents go: compatibility forms of dots and slashes would go with them.
  const plain = plainLetters(text.replaceAll(DOTS, '.').replaceAll(SLASHES, '/')).replaceAll(/\s+/gu, ' ');
  const worded = plain.replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('3', 'e');
  const ways = new Set([plain, together(plain), worded, together(worded)]);
  return [...ways].some((way) => SIGNS.some((sign) => sign.test(way)));
}
