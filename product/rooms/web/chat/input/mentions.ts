import type { ChatMessageView } from '../../../contract.ts';

/** Names offered while typing: one more letter finds the others. */
const MAX_OFFERED = 6;
/** A username as accounts allows it, after an `@` at the start of a word. */
const MENTION = /(?<![\p{L}\p{N}_@-])@([a-z0-9][a-z0-9_-]{2,24})(?![\p{L}\p{N}_])/giu;
/** A name or shortcode being typed at the caret. */
const BEGUN = /(?:^|\s)([@:])([\p{L}\p{N}_+-]*)$/u;

/** A piece of a message: text, or a mention with its username in lower case. */
export interface Piece {
  readonly text: string;
  readonly username: string | null;
}

/** A message in pieces; their texts joined are the message. */
export function piecesOf(message: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of message.matchAll(MENTION)) {
    if (match.index > from) pieces.push({ text: message.slice(from, match.index), username: null });
    pieces.push({ text: match[0], username: (match[1] ?? '').toLowerCase() });
    from = match.index + match[0].length;
  }
  if (from < message.length) pieces.push({ text: message.slice(from), username: null });
  return pieces;
}

const mentions = (message: string, username: string | null): boolean =>
  username !== null && piecesOf(message).some((piece) => piece.username === username);

/**
 * Whether a message addresses somebody: it mentions them, or is about them.
 * @param username lower case, or null for guests, who cannot be mentioned
 */
export const callsOn = (
  { message, subject_username: subject }: Pick<ChatMessageView, 'message' | 'subject_username'>,
  username: string | null,
): boolean => mentions(message, username) || (username !== null && subject === username);

/** A word at the caret that can be completed. */
export interface Begun {
  readonly kind: 'name' | 'emoji';
  /** Lower case, without the leading `@` or `:`. */
  readonly typed: string;
  /** Position of the leading `@` or `:` in the text. */
  readonly from: number;
}

/** @param caret position in `text` */
export function begunAt(text: string, caret: number): Begun | null {
  const match = BEGUN.exec(text.slice(0, caret));
  if (!match) return null;
  const typed = (match[2] ?? '').toLowerCase();
  return { kind: match[1] === '@' ? 'name' : 'emoji', typed, from: caret - typed.length - 1 };
}

/** Names that start with the typed text, in the given order, except one that is typed completely. */
export const namesFor = (typed: string, names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter((name) => name.startsWith(typed) && name !== typed).slice(0, MAX_OFFERED);

/** The text with the started word completed and a space after it, and the new caret position. */
export function completed(
  text: string,
  caret: number,
  begun: Begun,
  by: string,
): { readonly text: string; readonly caret: number } {
  const before = `${text.slice(0, begun.from)}${by} `;
  return { text: before + text.slice(caret).replace(/^ /u, ''), caret: before.length };
}
