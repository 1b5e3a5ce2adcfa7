import { useEvent } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { chatMessage, heldRejected, showMessage } from '../../../client.ts';
import type { ChatMessageView } from '../../../contract.ts';
import type { RoomLink } from '../../live.ts';
import { useChatName, useMeantFor, type ShownChat } from '../show-chat.tsx';
import type { Speech } from './speech.tsx';
import type { Draft } from './use-draft.ts';

/** A character that nearly every emoticon contains; the set is fetched only when a text has one. */
const SHORTCODE = /[:;<)]/u;

/** `action` of a held message that returned to its sender. */
const HELD_ACTION = 'held';
/** Held messages shown: the newest few. */
const MAX_WAITING = 3;

/** The typed text as it is sent, with emoji. */
async function finished(text: string): Promise<string> {
  if (!SHORTCODE.test(text)) return text;
  // Without the set the codes are sent as typed: people can read them.
  return import('./emoji.ts').then(({ withEmoji }) => withEmoji(text)).catch(() => text);
}

export interface Sending {
  readonly send: () => void;
  /** Why the last message was not sent, or may not have been; null otherwise. */
  readonly failed: string | null;
  /** Own held messages. */
  readonly waiting: readonly string[];
}

/**
 * Sends drafts. An unsent message stays in the field with a note; a refused one returns to it with a toast;
 * one in flight when the connection was lost also returns, unless the room has shown it.
 */
export function useSend(
  link: RoomLink,
  draft: Draft,
  { said, barred }: Speech,
  { me, hasEmoticons, shown }: {
    readonly me: string | null;
    readonly hasEmoticons: boolean;
    readonly shown: ShownChat;
  },
): Sending {
  const { t } = useTranslation('rooms');
  const toast = useToast();
  const [failed, setFailed] = useState<string | null>(null);
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const onItsWay = useRef<{ readonly text: string; readonly key: string } | null>(null);
  const { clear, giveBack } = draft;
  const { key, wanted } = shown;
  const chat = useChatName(shown);
  const { isMeant, bind } = useMeantFor(draft.text, key);
  const send = useCallback(async () => {
    const typed = draft.text.trim();
    // The reason is shown below the field already.
    if (typed === '' || barred !== null) return;
    if (!isMeant()) return setFailed(t('chat.show.moved', { chat }));
    const text = hasEmoticons ? await finished(typed) : typed;
    if (!link.say(text, draft.replyTo?.id ?? null, wanted)) return setFailed(t('chat.notJoined'));
    onItsWay.current = { text, key };
    setFailed(null);
    clear();
    said();
  }, [barred, chat, clear, draft.replyTo, draft.text, hasEmoticons, isMeant, key, link, said, t, wanted]);
  const received = (message: ChatMessageView): void => {
    if (!message.error) {
      // A moderator approved it.
      if (message.username === me) setWaiting((known) => known.filter((text) => text !== message.message));
      if (message.message === onItsWay.current?.text) onItsWay.current = null;
      return;
    }
    const meant = onItsWay.current?.key ?? null;
    onItsWay.current = null;
    if (message.action === HELD_ACTION) {
      setWaiting((known) => [...known, message.message].slice(-MAX_WAITING));
      return;
    }
    giveBack(message.message);
    if (meant !== null) bind(meant);
    toast(message.errorMessage || t('chat.sendError'), 'error');
  };
  useEvent(link.connection, chatMessage, received);
  useEvent(link.connection, showMessage, ({ message }) => received(message));
  useEvent(link.connection, heldRejected, ({ message }) => {
    setWaiting((known) => {
      const at = known.indexOf(message);
      return at < 0 ? known : known.toSpliced(at, 1);
    });
    toast(t('chat.rejected', { message }), 'error');
  });
  useEffect(() => {
    if (link.joined || onItsWay.current === null) return;
    giveBack(onItsWay.current.text);
    bind(onItsWay.current.key);
    onItsWay.current = null;
    setFailed(t('chat.maybeLost'));
  }, [bind, giveBack, link.joined, t]);
  return { send: () => void send(), failed, waiting };
}
