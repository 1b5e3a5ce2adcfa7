import { EMOTICONS } from '../../../rules/emoticons.ts';

/** Emoji offered while typing; the panel has them all. */
const MAX_OFFERED = 6;
/** A code that is a word between colons; smileys like :) are not offered. */
const NAMED = /^:([a-z0-9_]+):$/u;
const WORD = /\S+/gu;

export interface Emoji {
  readonly code: string;
  readonly sign: string;
}
const SIGNS: ReadonlyMap<string, string> = new Map(Object.entries(EMOTICONS));

/** The site's own set, by code: fetched when first needed. */
export const EMOJI: readonly Emoji[] = [...SIGNS].flatMap(([text, sign]) => {
  const code = NAMED.exec(text)?.[1];
  return code === undefined ? [] : [{ code, sign }];
});

/** The text with codes replaced by emoji: smileys as separate words, codes in colons anywhere. */
export const withEmoji = (text: string): string =>
  text.replaceAll(
    WORD,
    (word) => SIGNS.get(word) ?? word.replaceAll(/:[a-z0-9_]+:/gu, (code) => SIGNS.get(code) ?? code),
  );

/** Emoji whose code starts with the typed text, shortest first, then those that contain it. */
export function emojiFor(typed: string): readonly Emoji[] {
  const begins = EMOJI.filter(({ code }) => code.startsWith(typed))
    .toSorted((emoji, other) => emoji.code.length - other.code.length);
  const holds = EMOJI.filter(({ code }) => !code.startsWith(typed) && code.includes(typed));
  return [...begins, ...holds].slice(0, MAX_OFFERED);
}
