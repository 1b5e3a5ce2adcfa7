import { useCallback, useMemo, useRef, useState } from 'react';
import type { ChatMessageView } from '../../../contract.ts';
import { MAX_CHAT_MESSAGE_LENGTH } from '../../../rules.ts';

/** The message being written. It survives reconnecting and switching between panels of the page. */
export interface Draft {
  readonly text: string;
  readonly replyTo: ChatMessageView | null;
  readonly write: (text: string) => void;
  readonly answer: (message: ChatMessageView | null) => void;
  /** Inserts text at the caret and focuses the field. */
  readonly insert: (text: string) => void;
  /** Empties the draft after sending. */
  readonly clear: () => void;
  /** Restores a refused message, unless another one was started. */
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

/** A text with an insertion, unless it would become too long. */
function inserted(text: string, at: number, added: string): string {
  const next = text.slice(0, at) + added + text.slice(at);
  return next.length > MAX_CHAT_MESSAGE_LENGTH ? text : next;
}
