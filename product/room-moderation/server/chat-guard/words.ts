/**
 * Finds words in every spelling: look-alike letters, digits for letters, accents, full-width forms, letters
 * with spaces or dots between. Patterns and messages are brought to the same normal form. Patterns never
 * become regular expressions.
 */

/** Letters of other scripts that look like Latin ones (after lower-casing and removing accents). */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ['а', 'a'],
  ['в', 'b'],
  ['г', 'r'],
  ['е', 'e'],
  ['з', '3'],
  ['и', 'u'],
  ['к', 'k'],
  ['м', 'm'],
  ['н', 'h'],
  ['о', 'o'],
  ['р', 'p'],
  ['с', 'c'],
  ['т', 't'],
  ['у', 'y'],
  ['х', 'x'],
  ['ь', 'b'],
  ['і', 'i'],
  ['ј', 'j'],
  ['ѕ', 's'],
  ['ԁ', 'd'],
  ['ԛ', 'q'],
  ['ԝ', 'w'],
  ['һ', 'h'],
  ['ӏ', 'l'],
  ['ѡ', 'w'],
  ['ғ', 'f'],
  ['п', 'n'],
  ['α', 'a'],
  ['β', 'b'],
  ['γ', 'y'],
  ['ε', 'e'],
  ['ζ', 'z'],
  ['η', 'n'],
  ['ι', 'i'],
  ['κ', 'k'],
  ['μ', 'u'],
  ['ν', 'v'],
  ['ο', 'o'],
  ['π', 'n'],
  ['ρ', 'p'],
  ['σ', 'o'],
  ['ς', 'o'],
  ['τ', 't'],
  ['υ', 'u'],
  ['χ', 'x'],
  ['ω', 'w'],
  ['ı', 'i'],
  ['ł', 'l'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['ɡ', 'g'],
  ['ɑ', 'a'],
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ᴀ', 'a'],
  ['ʙ', 'b'],
  ['ᴄ', 'c'],
  ['ᴅ', 'd'],
  ['ᴇ', 'e'],
  ['ꜰ', 'f'],
  ['ɢ', 'g'],
  ['ʜ', 'h'],
  ['ɪ', 'i'],
  ['ᴊ', 'j'],
  ['ᴋ', 'k'],
  ['ʟ', 'l'],
  ['ᴍ', 'm'],
  ['ɴ', 'n'],
  ['ᴏ', 'o'],
  ['ᴘ', 'p'],
  ['ʀ', 'r'],
  ['ꜱ', 's'],
  ['ᴛ', 't'],
  ['ᴜ', 'u'],
  ['ᴠ', 'v'],
  ['ᴡ', 'w'],
  ['ʏ', 'y'],
  ['ᴢ', 'z'],
  ['@', 'a'],
  ['$', 's'],
  ['€', 'e'],
]);
/** Digits that stand for letters within words. */
const DIGIT_LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  2: 'z',
  3: 'e',
  4: 'a',
  5: 's',
  6: 'g',
  7: 't',
  8: 'b',
  9: 'g',
};
/** Letters repeated for effect: three times or more. */
const RUN = /(.)\1{2,}/gu;
/** Single letters in a row that spell a word: two are initials. */
const MIN_SPELLED = 3;
/** Stars per pattern; more would only slow the search down. */
const MAX_STARS = 3;

/** Lower case, one script, no accents, nothing invisible; punctuation and spaces stay. Idempotent. */
export function plainLetters(text: string): string {
  const apart = text.normalize('NFKC').toLowerCase().normalize('NFD');
  const bare = apart.replaceAll(/[\p{M}\p{Cf}\u02B0-\u02FF]/gu, '');
  const latin = [...bare].map((sign) => LOOK_ALIKES.get(sign) ?? sign).join('');
  return latin.normalize('NFC');
}

/** A word with its digits read as letters, unless it is a number. */
const spelled = (word: string): string => (/^\p{N}+$/u.test(word)
  ? word
  : word.replaceAll(/[0-9]/gu, (digit) => DIGIT_LETTERS[digit] ?? digit));

const lettersOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words of a text in normal form, in order. */
export const wordsOf = (text: string): string[] => lettersOf(plainLetters(text)).map(spelled);

/** Words that appear once separators are removed: parts of one word, `f.u`, and letters, `f u n`. */
function joinedWords(
  text: string,
): { readonly joined: readonly string[]; readonly spelledOut: readonly string[] } {
  const chunks = plainLetters(text).split(/\s+/u).map(lettersOf).filter((parts) => parts.length > 0);
  const joined = chunks.filter((parts) => parts.length > 1).map((parts) => parts.join(''));
  let letters: string[] = [];
  const spelledOut: string[] = [];
  for (const word of [...chunks.flat(), '--']) {
    if ([...word].length === 1) letters.push(word);
    else {
      if (letters.length >= MIN_SPELLED) spelledOut.push(letters.join(''));
      letters = [];
    }
  }
  return { joined: joined.map(spelled), spelledOut: spelledOut.map(spelled) };
}

/** A word as it is, and with letters repeated for effect shortened. */
function readings(word: string): string[] {
  const shorter = [3, 2, 1].map((times) => word.replaceAll(RUN, (_run, sign: string) => sign.repeat(times)));
  return shorter.includes(word) && shorter[2] === word ? [word] : [...new Set([word, ...shorter])];
}

/** A blocked word or phrase in normal form, with its `*`; null if it would block nearly everything. */
export function patternOf(word: string): string | null {
  const parts = plainLetters(word).split(/\s+/u)
    .map((part) => spelled((part.match(/[\p{L}\p{N}*]+/gu) ?? []).join('').replaceAll(/\*+/gu, '*')))
    .filter((part) => part !== '');
  const pattern = parts.join(' ');
  const letters = lettersOf(pattern).join('');
  if ([...letters].length < 2 || parts.includes('*')) return null;
  return pattern.split('*').length - 1 > MAX_STARS ? null : pattern;
}

/** Whether a pattern with stars matches a whole word, in at most the product of their lengths in steps. */
export function fits(pattern: string, word: string): boolean {
  let [at, of] = [0, 0];
  let [star, from] = [-1, 0];
  while (of < word.length) {
    if (pattern[at] === '*') [star, from, at] = [at, of, at + 1];
    else if (at < pattern.length && pattern[at] === word[of]) [at, of] = [at + 1, of + 1];
    else if (star >= 0) [at, from, of] = [star + 1, from + 1, from + 1];
    else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/**
 * Whether a text contains one of the blocked words as a whole word.
 * @param patterns of {@link patternOf}
 */
export function hasBlockedWord(text: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  const words = wordsOf(text).map(readings);
  const { joined, spelledOut } = joinedWords(text);
  const known = new Set([...words.flat(), ...joined.flatMap(readings)]);
  return patterns.some((pattern) => {
    if (pattern.includes(' ')) return hasPhrase(words, pattern.split(' '));
    // Between single letters, no word has a visible end.
    if (spelledOut.some((run) => fits(`*${pattern}*`, run))) return true;
    if (!pattern.includes('*')) return known.has(pattern);
    for (const word of known) if (fits(pattern, word)) return true;
    return false;
  });
}

const hasPhrase = (words: readonly (readonly string[])[], parts: readonly string[]): boolean =>
  words.some((_word, start) =>
    parts.every((part, at) => (words[start + at] ?? []).some((reading) => fits(part, reading)))
  );
