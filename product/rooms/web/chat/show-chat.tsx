import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Globe, Lock } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ShowChatView } from '../../contract/show-chat.ts';
import type { WantedChat } from '../../rules/show-chat.ts';
import { useChat, useShowChat } from '../live.ts';
import type { Speech } from './input/speech.tsx';

/** The chat that is shown and written to. */
export interface ShownChat {
  /** The show that this viewer is in; null outside of one. */
  readonly show: ShowChatView | null;
  /** The room's own chat is shown, because there is no other or the viewer chose it. */
  readonly isPublic: boolean;
  readonly choose: (isPublic: boolean) => void;
  /** Where a message goes. */
  readonly wanted: WantedChat;
  /** Changes with the chat. */
  readonly key: string;
  /** Messages that arrived in the room's chat while the chat of the show was open. */
  readonly unread: number;
}

const ROOM: WantedChat = { kind: 'any' };
const PUBLIC: WantedChat = { kind: 'public' };
const PUBLIC_KEY = 'public';

/** A show that starts opens its own chat; the viewer can switch to the room's while the show runs. */
export function useShownChat(username: string): ShownChat {
  const show = useShowChat(username);
  const [chosen, setChosen] = useState<string | null>(null);
  const isPublic = show === null || chosen === show.key;
  const lines = useChat(username);
  const newestId = lines.at(-1)?.id ?? 0;
  const seenId = useRef(newestId);
  if (isPublic) seenId.current = newestId;
  const unread = lines.filter(({ id }) => id > seenId.current).length;
  return useMemo(() => {
    const inShow = show && !isPublic ? show.key : null;
    return {
      show,
      isPublic,
      unread,
      key: inShow ?? PUBLIC_KEY,
      wanted: inShow === null ? (show ? PUBLIC : ROOM) : { kind: 'show', key: inShow },
      choose: (wish) => setChosen(wish && show ? show.key : null),
    };
  }, [isPublic, show, unread]);
}

const unlimited = (barred: string | null): Speech => ({
  whoMay: null,
  slowModeSeconds: 0,
  barred,
  reason: null,
  said: () => undefined,
});

/** The rules of the room's chat apply to the room; in a show a viewer may either write or only read. */
export function useSpeechIn({ show, isPublic }: ShownChat, inRoom: Speech): Speech {
  const { t } = useTranslation('rooms');
  if (show === null || isPublic) return inRoom;
  return unlimited(show.may_write ? null : t('chat.show.readOnly'));
}

/** Placeholder of the empty field in a show; null for the room's usual one. */
export function usePlaceholder({ show, isPublic }: ShownChat): string | null {
  const { t } = useTranslation('rooms');
  if (show === null) return null;
  if (isPublic) return t('chat.show.writePublic');
  return t(show.kind === 'ticket' ? 'chat.show.writeTicket' : 'chat.show.writePrivate');
}

/** The name of a chat. */
export function useChatName({ show, isPublic }: ShownChat): string {
  const { t } = useTranslation('rooms');
  if (show === null || isPublic) return t('chat.show.public');
  return t(show.kind === 'ticket' ? 'chat.show.titleTicket' : 'chat.show.titlePrivate');
}

interface ShowChatHeadProps {
  readonly shown: ShownChat;
  readonly isPerformer: boolean;
  /** The performer's display name. */
  readonly name: string;
}

/** Shown above the chat during a show: which chat this is, who reads it, and a switch to the other one. */
export function ShowChatHead({ shown, isPerformer, name }: ShowChatHeadProps) {
  const { t } = useTranslation('rooms');
  const { show, isPublic, choose, unread } = shown;
  const label = useChatName(shown.show ? { ...shown, isPublic: false } : shown);
  if (show === null) return null;
  const note = isPublic ? t('chat.show.publicNote') : t(NOTES[readersOf(show, isPerformer)], { name });
  const look = (isOn: boolean): string =>
    `flex min-h-11 min-w-0 grow basis-0 items-center
    justify-center gap-2 rounded-control px-2 text-sm font-medium
    ${isOn ? 'bg-raised text-text' : 'text-muted hover:text-text'}`;
  return (
    // Hidden while somebody types on a phone, which needs the space to show what costs: the message field
    // names the chat it writes to.
    <div className="relative shrink-0 border-b border-line bg-surface px-2 py-1 phone-landscape:hidden
      max-lg:[@media(max-height:43rem)]:group-data-keyboard:hidden">
      <div role="group" aria-label={t('chat.show.switch')} className="flex gap-1">
        <button
          type="button"
          aria-pressed={!isPublic}
          onClick={() => choose(false)}
          className={look(!isPublic)}
        >
          <Lock size={16} aria-hidden className="shrink-0" />
          <span className="truncate">{label}</span>
        </button>
        <button type="button" aria-pressed={isPublic} onClick={() => choose(true)} className={look(isPublic)}>
          <Globe size={16} aria-hidden className="shrink-0" />
          <span className="truncate">{t('chat.show.public')}</span>
          {unread > 0 && !isPublic
            ? (
              <span className="tabular rounded-full bg-line px-2 text-xs">
                <span aria-hidden>{unread}</span>
                <span className="sr-only">{t('chat.show.unread', { count: unread })}</span>
              </span>
            )
            : null}
        </button>
      </div>
      <p
        role="status"
        className={`px-1 text-sm lg:pt-1
        max-lg:[@media(max-height:43rem)]:sr-only max-lg:group-data-keyboard:sr-only
        ${isPublic ? 'text-warning-text' : 'text-muted'}`}
      >
        {note}
      </p>
    </div>
  );
}

type Readers = 'spy' | 'ticket' | 'overheard' | 'overheardPerformer' | 'two' | 'twoPerformer';
const NOTES = {
  spy: 'chat.show.spy',
  ticket: 'chat.show.ticket',
  two: 'chat.show.privateViewer',
  twoPerformer: 'chat.show.privatePerformer',
  overheard: 'chat.show.privateOverheard',
  overheardPerformer: 'chat.show.overheardPerformer',
} as const;

function readersOf(
  { may_write: mayWrite, kind, is_overheard: isOpenToSpies }: ShowChatView,
  isPerformer: boolean,
): Readers {
  if (!mayWrite) return 'spy';
  if (kind === 'ticket') return 'ticket';
  if (isOpenToSpies) return isPerformer ? 'overheardPerformer' : 'overheard';
  return isPerformer ? 'twoPerformer' : 'two';
}

/**
 * The chat a draft was started for: a message meant for two must not go to everybody because a show ended.
 */
export function useMeantFor(text: string, key: string): {
  /** Whether the draft was started for the open chat; if not, it counts as meant for that chat afterwards. */
  readonly isMeant: () => boolean;
  /** A message that was written for this chat was returned. */
  readonly bind: (meant: string) => void;
} {
  const meant = useRef<string | null>(null);
  useEffect(() => {
    if (text === '') meant.current = null;
    else meant.current ??= key;
  }, [key, text]);
  const now = useRef(key);
  now.current = key;
  return useMemo(() => ({
    isMeant: () => {
      const isSame = meant.current === null || meant.current === now.current || meant.current === PUBLIC_KEY;
      meant.current = now.current;
      return isSame;
    },
    bind: (to) => {
      meant.current = to;
    },
  }), []);
}
