/** Letters that Unicode decomposition does not reduce to plain ones. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
};
/** Digits that replace letters when a letter follows: `l1sa` is found as `lisa`, `anna99` stays as it is. */
const DIGITS: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' };
/** Longer words are cut: nobody types more. */
const MAX_WORD = 24;
const SPELLED = /[013457](?=[\p{N}]*\p{L})/gu;
const NO_LETTER = /[^\p{L}\p{N}]+/u;

const bare = (text: string): string =>
  text.normalize('NFKD').toLowerCase()
    .replaceAll(/[\p{M}\p{Cf}]/gu, '').replaceAll(/[ßæœøłđħıþ]/gu, (letter) => LETTERS[letter] ?? letter);
const isPlain = (text: string): boolean => !/[^ -~]/u.test(text);

/** The words of a text as search compares them: lower case, no accents, digits within words as letters. */
export function wordsOf(text: string): string[] {
  const words = (isPlain(text) ? text.toLowerCase() : bare(text)).replaceAll(/['’]/gu, '').split(NO_LETTER);
  return words.filter((word) => word !== '').map((word) =>
    (/[0-9]/u.test(word) ? word.replaceAll(SPELLED, (digit) => DIGITS[digit] ?? digit) : word)
      .slice(0, MAX_WORD)
  );
}

/** How well a word matches a typed one, best first; each typing error adds one. */
const EXACT = 0;
const PREFIX = 1;
const WITHIN = 2;

/** Typing errors tolerated: none in short words, where nearly everything would match. */
export const mistakesOf = (term: string): number => (term.length < 4 ? 0 : term.length < 8 ? 1 : 2);

/** How well `word` matches what is typed so far, without typing errors; null for no match. */
export function likeness(term: string, word: string): number | null {
  if (word.startsWith(term)) return word.length === term.length ? EXACT : PREFIX;
  return term.length >= 3 && word.includes(term) ? WITHIN : null;
}

/**
 * Like {@link likeness}, but tolerates typing errors. They are counted against the best prefix of the word,
 * so that a name is found before it is typed in full.
 */
export function roughLikeness(term: string, word: string): number | null {
  const mistakes = mistakesIn(term, 0, word, 0, mistakesOf(term));
  return mistakes === null ? null : WITHIN + mistakes;
}

/** Letters replaced, added, omitted or swapped from here on; null for more than `allowed`. */
function mistakesIn(term: string, from: number, word: string, at: number, allowed: number): number | null {
  let [of, on] = [from, at];
  while (of < term.length && term.codePointAt(of) === word.codePointAt(on)) [of, on] = [of + 1, on + 1];
  if (of === term.length) return 0;
  if (allowed === 0) return null;
  const isSwapped = term[of] === word[on + 1] && term[of + 1] === word[on] && on + 1 < word.length;
  const steps: readonly (readonly [number, number])[] = [
    [1, 1],
    [1, 0],
    [0, 1],
    ...(isSwapped ? [[2, 2]] as const : []),
  ];
  let least: number | null = null;
  for (const [typed, meant] of steps) {
    if (on + meant > word.length) continue;
    const rest = mistakesIn(term, of + typed, word, on + meant, (least ?? allowed) - 1);
    if (rest !== null && (least === null || rest + 1 < least)) least = rest + 1;
    if (least === 1) break;
  }
  return least;
}
