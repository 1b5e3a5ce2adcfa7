import { useCallback, useEffect, useMemo, useState, type RefObject } from 'react';
import type * as emoji from './emoji.ts';
import { begunAt, completed, namesFor, type Begun } from './mentions.ts';
import type { Draft } from './use-draft.ts';

/** Letters after a colon before emoji are offered: two characters may be a smiley. */
const MIN_EMOJI_LETTERS = 2;

interface Offer {
  readonly text: string;
  /** Replaces the started word; unique among the offers. */
  readonly insert: string;
  readonly sign: string | null;
}

export interface Completion {
  readonly items: readonly Offer[];
  /** Accepts the offer with this insertion. */
  readonly take: (insert: string) => void;
  /** To be called when the caret may have moved. */
  readonly look: () => void;
  readonly close: () => void;
}

/** Names after an `@` and emoji after a `:`, for the word at the caret. */
export function useCompletion(
  input: RefObject<HTMLInputElement | null>,
  { text, write }: Draft,
  people: () => readonly string[],
): Completion {
  const [begun, setBegun] = useState<Begun | null>(null);
  const set = useEmojiSet(begun?.kind === 'emoji');
  const look = useCallback(() => {
    const element = input.current;
    const caret = element?.selectionStart ?? null;
    const next = element && caret !== null && document.activeElement === element
      ? begunAt(element.value, caret)
      : null;
    setBegun((known) => (isSame(known, next) ? known : next));
  }, [input]);
  useEffect(look, [text, look]);
  const close = useCallback(() => setBegun(null), []);
  const items = useMemo(() => offersOf(begun, people, set), [begun, people, set]);
  const take = useCallback((insert: string): void => {
    const caret = input.current?.selectionStart ?? null;
    if (!begun || caret === null) return;
    const next = completed(text, caret, begun, insert);
    write(next.text);
    close();
    requestAnimationFrame(() => input.current?.setSelectionRange(next.caret, next.caret));
  }, [begun, close, input, text, write]);
  return { items, take, look, close };
}

const isSame = (item: Begun | null, other: Begun | null): boolean =>
  item?.kind === other?.kind && item?.typed === other?.typed && item?.from === other?.from;

function offersOf(
  begun: Begun | null,
  people: () => readonly string[],
  set: typeof emoji | null,
): readonly Offer[] {
  if (!begun) return [];
  if (begun.kind === 'name') {
    return namesFor(begun.typed, people()).map((name) => ({ text: name, insert: `@${name}`, sign: null }));
  }
  if (!set || begun.typed.length < MIN_EMOJI_LETTERS) return [];
  return set.emojiFor(begun.typed).map(({ code, sign }) => ({ text: `:${code}:`, insert: sign, sign }));
}

/** The set of emoji, loaded when first wanted. */
function useEmojiSet(isWanted: boolean): typeof emoji | null {
  const [set, setSet] = useState<typeof emoji | null>(null);
  useEffect(() => {
    if (!isWanted || set) return undefined;
    let here = true;
    // Without the set nothing is offered.
    void import('./emoji.ts').then((loaded) => here && setSet(loaded)).catch(() => undefined);
    return () => {
      here = false;
    };
  }, [isWanted, set]);
  return set;
}
