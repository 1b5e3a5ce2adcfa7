/** A name offered while one types: the rest is a letter away. */
const MAX_OFFERED = 6;
/** Usernames as accounts allow them, after an `@` that begins a word. */
const MENTION = /(?<![\p{L}\p{N}_@-])@([a-z0-9][a-z0-9_-]{2,24})(?![\p{L}\p{N}_])/giu;
/** The word at the caret that is becoming a name or a shortcode. */
const BEGUN = /(?:^|\s)([@:])([\p{L}\p{N}_+-]*)$/u;

/** A piece of a message: text, or the name of somebody in lower case with the text that named them. */
export interface Piece {
  readonly text: string;
  readonly username: string | null;
}

/** A message in pieces; joined, their texts are the message. */
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

/** @param username lower case, or null for guests, whom nobody can call */
export const mentions = (message: string, username: string | null): boolean =>
  username !== null && piecesOf(message).some((piece) => piece.username === username);

/** What is being typed at the caret and could be completed. */
export interface Begun {
  readonly kind: 'name' | 'emoji';
  /** Lower case, without the sign in front. */
  readonly typed: string;
  /** Where its sign stands in the text. */
  readonly from: number;
}

/** @param caret place in `text` */
export function begunAt(text: string, caret: number): Begun | null {
  const match = BEGUN.exec(text.slice(0, caret));
  if (!match) return null;
  const typed = (match[2] ?? '').toLowerCase();
  return { kind: match[1] === '@' ? 'name' : 'emoji', typed, from: caret - typed.length - 1 };
}

/** Names that go on as typed, the given order kept; the one typed to its end needs no offer. */
export const namesFor = (typed: string, names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter((name) => name.startsWith(typed) && name !== typed).slice(0, MAX_OFFERED);

/** The text with what was begun replaced and a space after it, and where the caret then stands. */
export function completed(
  text: string, caret: number, begun: Begun, by: string,
): { readonly text: string; readonly caret: number } {
  const before = `${text.slice(0, begun.from)}${by} `;
  return { text: before + text.slice(caret).replace(/^ /u, ''), caret: before.length };
}
