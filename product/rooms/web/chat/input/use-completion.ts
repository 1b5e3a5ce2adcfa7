import { useCallback, useEffect, useMemo, useState, type RefObject } from 'react';
import type * as emoji from './emoji.ts';
import { begunAt, completed, namesFor, type Begun } from './mentions.ts';
import type { Draft } from './use-draft.ts';

/** So many letters after a colon look for an emoji: a smiley of two signs is none. */
const MIN_EMOJI_LETTERS = 2;

interface Offer {
  readonly text: string;
  readonly insert: string;
  readonly sign: string | null;
}

export interface Completion {
  readonly items: readonly Offer[];
  /** Which one Enter and Tab take. */
  readonly active: number;
  readonly take: (at: number) => void;
  /** Whether a key was for the offers. */
  readonly onKey: (key: string) => boolean;
  /** The caret may have moved. */
  readonly look: () => void;
  readonly close: () => void;
}

/** Names after an `@` and emoji after a `:`, for the word at the caret. */
export function useCompletion(
  input: RefObject<HTMLInputElement | null>, { text, write }: Draft, people: () => readonly string[],
): Completion {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [active, setActive] = useState(0);
  const set = useEmojiSet(begun?.kind === 'emoji');
  const look = useCallback(() => {
    const element = input.current;
    const caret = element?.selectionStart ?? null;
    setBegun(element && caret !== null && document.activeElement === element
      ? begunAt(element.value, caret) : null);
    setActive(0);
  }, [input]);
  useEffect(look, [text, look]);
  const close = useCallback(() => setBegun(null), []);
  const items = useMemo(() => offersOf(begun, people, set), [begun, people, set]);
  const take = (at: number): void => {
    const caret = input.current?.selectionStart ?? null;
    const item = items[at];
    if (!begun || !item || caret === null) return;
    const next = completed(text, caret, begun, item.insert);
    write(next.text);
    close();
    requestAnimationFrame(() => input.current?.setSelectionRange(next.caret, next.caret));
  };
  const onKey = (key: string): boolean => {
    const count = items.length;
    if (count === 0) return false;
    if (key === 'ArrowDown') setActive((active + 1) % count);
    else if (key === 'ArrowUp') setActive((active - 1 + count) % count);
    else if (key === 'Enter' || key === 'Tab') take(active);
    else if (key === 'Escape') close();
    else return false;
    return true;
  };
  return { items, active, take, onKey, look, close };
}

function offersOf(
  begun: Begun | null, people: () => readonly string[], set: typeof emoji | null,
): readonly Offer[] {
  if (!begun) return [];
  if (begun.kind === 'name') {
    return namesFor(begun.typed, people()).map((name) => ({ text: name, insert: `@${name}`, sign: null }));
  }
  if (!set || begun.typed.length < MIN_EMOJI_LETTERS) return [];
  return set.emojiFor(begun.typed).map(({ code, sign }) => ({ text: `:${code}:`, insert: sign, sign }));
}

/** The set of emoji once it is asked for. */
function useEmojiSet(isWanted: boolean): typeof emoji | null {
  const [set, setSet] = useState<typeof emoji | null>(null);
  useEffect(() => {
    if (!isWanted || set) return undefined;
    let here = true;
    // Without it typing goes on as before.
    void import('./emoji.ts').then((loaded) => here && setSet(loaded)).catch(() => undefined);
    return () => {
      here = false;
    };
  }, [isWanted, set]);
  return set;
}
