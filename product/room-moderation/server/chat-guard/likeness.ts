import { wordsOf } from './words.ts';

/** Hashes stored per text: all of up to 66 letters, so that the similarity of short lines is exact. */
export const SKETCH_SIZE = 64;
/** Letters of a shingle: two would make any two texts alike, four miss a changed letter. */
const SHINGLE = 3;

export interface Sketch {
  /** Letters and digits of the text in normal form. */
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

/** A bounded sketch to compare a text with others by, without storing the text. */
export function sketchOf(text: string): Sketch {
  // Spacing and repeated letters make no difference.
  const written = wordsOf(text).join('').replaceAll(/(.)\1+/gu, '$1');
  const letters = [...written];
  // Texts of symbols only (hearts, smiles) are compared as they are.
  const signs = letters.length > 0 ? letters : [...text.normalize('NFKC')];
  const count = Math.max(1, signs.length - SHINGLE + 1);
  const shingles = Array.from({ length: count }, (_none, at) => signs.slice(at, at + SHINGLE).join(''));
  const hashes = [...new Set(shingles.map(hashOf))].sort((a, b) => a - b).slice(0, SKETCH_SIZE);
  return { letters: letters.length, hashes };
}

/** Similarity of two texts, 0 to 1: the share of common shingles among the lowest 64 of both. */
export function likeness(one: Sketch, other: Sketch): number {
  const [first, second] = [one.hashes, other.hashes];
  let [i, j, both, all] = [0, 0, 0, 0];
  // Both are sorted, so one pass finds the lowest hashes in order.
  while (all < SKETCH_SIZE && (i < first.length || j < second.length)) {
    const [a, b] = [first[i] ?? Infinity, second[j] ?? Infinity];
    if (a === b) both += 1;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
    all += 1;
  }
  return all === 0 ? 1 : both / all;
}
