import { useCallback, useEffect, useRef, useState } from 'react';
import { useEvent } from '../../../../../platform/ui/calls/live.ts';
import { useToast } from '../../../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { chatMessage } from '../../../client.ts';
import type { RoomLink } from '../../live.ts';
import type { Speech } from './speech.tsx';
import type { Draft } from './use-draft.ts';

/** A character of nearly every emoticon; the set is fetched only when a text has one. */
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
 * one in flight when the connection was lost returns too, unless the room has shown it.
 */
export function useSend(
  link: RoomLink, draft: Draft, { said, barred }: Speech,
  { me, hasEmoticons }: { readonly me: string | null; readonly hasEmoticons: boolean },
): Sending {
  const { t } = useTranslation('rooms');
  const toast = useToast();
  const [failed, setFailed] = useState<string | null>(null);
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const onItsWay = useRef<string | null>(null);
  const { clear, giveBack } = draft;
  const send = useCallback(async () => {
    const typed = draft.text.trim();
    // The reason is shown below the field already.
    if (typed === '' || barred !== null) return;
    const text = hasEmoticons ? await finished(typed) : typed;
    if (!link.say(text, draft.replyTo?.id ?? null)) return setFailed(t('chat.notJoined'));
    onItsWay.current = text;
    setFailed(null);
    clear();
    said();
  }, [barred, clear, draft.replyTo, draft.text, hasEmoticons, link, said, t]);
  useEvent(link.connection, chatMessage, (message) => {
    if (!message.error) {
      // A moderator approved it.
      if (message.username === me) setWaiting((known) => known.filter((text) => text !== message.message));
      if (message.message === onItsWay.current) onItsWay.current = null;
      return;
    }
    onItsWay.current = null;
    if (message.action === HELD_ACTION) {
      setWaiting((known) => [...known, message.message].slice(-MAX_WAITING));
      return;
    }
    giveBack(message.message);
    toast(message.errorMessage || t('chat.sendError'), 'error');
  });
  useEffect(() => {
    if (link.joined || onItsWay.current === null) return;
    giveBack(onItsWay.current);
    onItsWay.current = null;
    setFailed(t('chat.maybeLost'));
  }, [giveBack, link.joined, t]);
  return { send: () => void send(), failed, waiting };
}
