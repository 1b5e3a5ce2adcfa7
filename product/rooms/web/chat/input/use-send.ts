import { useCallback, useEffect, useRef, useState } from 'react';
import { useEvent } from '../../../../../platform/ui/calls/live.ts';
import { useToast } from '../../../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { chatMessage } from '../../../client.ts';
import type { RoomLink } from '../../live.ts';
import type { Speech } from './speech.tsx';
import type { Draft } from './use-draft.ts';

/** A sign that every emoticon but one has; the set is fetched only then. */
const SHORTCODE = /[:;<)]/u;

/** `action` of a message that came back because it waits for a moderator. */
const HELD_ACTION = 'held';
/** Of what waits the newest few are shown. */
const MAX_WAITING = 3;

/** What is typed, as it is sent. */
async function finished(text: string): Promise<string> {
  if (!SHORTCODE.test(text)) return text;
  // Without the set the codes go as they are: everybody can read them.
  return import('./emoji.ts').then(({ withEmoji }) => withEmoji(text)).catch(() => text);
}

export interface Sending {
  readonly send: () => void;
  /** Why the last message did not go, or perhaps did not; null when all is well. */
  readonly failed: string | null;
  /** Own messages that wait for a moderator. */
  readonly waiting: readonly string[];
}

/**
 * Sends drafts. What does not go out stays in the field and says so; what was refused comes back into it with
 * a toast; what was on its way when the room was lost comes back too, unless the room shows it after all.
 */
export function useSend(link: RoomLink, draft: Draft, { said, barred }: Speech, me: string | null): Sending {
  const { t } = useTranslation('rooms');
  const toast = useToast();
  const [failed, setFailed] = useState<string | null>(null);
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const onItsWay = useRef<string | null>(null);
  const { clear, giveBack } = draft;
  const send = useCallback(async () => {
    const typed = draft.text.trim();
    // Why is written below the field already.
    if (typed === '' || barred !== null) return;
    const text = await finished(typed);
    if (!link.say(text, draft.replyTo?.id ?? null)) return setFailed(t('chat.notJoined'));
    onItsWay.current = text;
    setFailed(null);
    clear();
    said();
  }, [barred, clear, draft.replyTo, draft.text, link, said, t]);
  useEvent(link.connection, chatMessage, (message) => {
    if (!message.error) {
      // A moderator let it through.
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
