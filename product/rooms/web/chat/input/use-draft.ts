import { useCallback, useMemo, useRef, useState } from 'react';
import type { ChatMessageView } from '../../../contract.ts';
import { MAX_CHAT_MESSAGE_LENGTH } from '../../../rules.ts';

/** What somebody is writing. It stays while the room comes back and while other parts of the page show. */
export interface Draft {
  readonly text: string;
  readonly replyTo: ChatMessageView | null;
  readonly write: (text: string) => void;
  readonly answer: (message: ChatMessageView | null) => void;
  /** Puts something at the caret, with the focus in the field after it. */
  readonly insert: (text: string) => void;
  /** It was sent. */
  readonly clear: () => void;
  /** A message that was refused comes back, unless something else was begun. */
  readonly giveBack: (text: string) => void;
  /** For the field's ref. */
  readonly field: (element: HTMLInputElement | null) => void;
}

export function useDraft(): Draft {
  const [text, write] = useState('');
  const [replyTo, setReplyTo] = useState<ChatMessageView | null>(null);
  const input = useRef<HTMLInputElement | null>(null);
  const field = useCallback((element: HTMLInputElement | null) => {
    input.current = element;
  }, []);
  const insert = useCallback((added: string) => {
    const element = input.current;
    const at = element?.selectionStart ?? null;
    write((known) => inserted(known, at ?? known.length, added));
    element?.focus();
  }, []);
  const answer = useCallback((message: ChatMessageView | null) => {
    setReplyTo(message);
    input.current?.focus();
  }, []);
  const clear = useCallback(() => {
    write('');
    setReplyTo(null);
  }, []);
  const giveBack = useCallback((lost: string) => write((known) => (known === '' ? lost : known)), []);
  return useMemo(
    () => ({ text, replyTo, write, answer, insert, clear, giveBack, field }),
    [text, replyTo, answer, insert, clear, giveBack, field],
  );
}

/** A text with something put in, unless it would become too long. */
function inserted(text: string, at: number, added: string): string {
  const next = text.slice(0, at) + added + text.slice(at);
  return next.length > MAX_CHAT_MESSAGE_LENGTH ? text : next;
}
