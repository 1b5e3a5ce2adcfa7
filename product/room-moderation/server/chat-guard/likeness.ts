import { wordsOf } from './words.ts';

/** Hashes kept of a text: of up to 66 letters all of them, so that the likeness of short lines is exact. */
export const SKETCH_SIZE = 64;
/** Letters of a shingle: two would make any two texts alike, four miss a changed letter. */
const SHINGLE = 3;

export interface Sketch {
  /** Letters and digits of the text in its form. */
  readonly letters: number;
  /** The lowest hashes of its shingles, ascending, each once. */
  readonly hashes: readonly number[];
}

/** FNV-1a, as a signed number that PostgreSQL's int holds. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}

/** What tells the likeness of a text to others, of bounded size, without the text. */
export function sketchOf(text: string): Sketch {
  // The same however it is spaced, and however often a letter is said.
  const written = wordsOf(text).join('').replaceAll(/(.)\1+/gu, '$1');
  const letters = [...written];
  // Signs alone (hearts, smiles) are compared as they are.
  const signs = letters.length > 0 ? letters : [...text.normalize('NFKC')];
  const count = Math.max(1, signs.length - SHINGLE + 1);
  const shingles = Array.from({ length: count }, (_none, at) => signs.slice(at, at + SHINGLE).join(''));
  const hashes = [...new Set(shingles.map(hashOf))].sort((a, b) => a - b).slice(0, SKETCH_SIZE);
  return { letters: letters.length, hashes };
}

/** How alike two texts are, 0 to 1: the share of shingles both have, of the lowest 64 of the two together. */
export function likeness(one: Sketch, other: Sketch): number {
  const [first, second] = [one.hashes, other.hashes];
  let [i, j, both, all] = [0, 0, 0, 0];
  // Both ascend, so one walk through the two meets the lowest of them in order.
  while (all < SKETCH_SIZE && (i < first.length || j < second.length)) {
    const [a, b] = [first[i] ?? Infinity, second[j] ?? Infinity];
    if (a === b) both += 1;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
    all += 1;
  }
  return all === 0 ? 1 : both / all;
}
