import { useCallback, useEffect, type ReactNode } from 'react';
import { problemOf, useCall } from '../../../platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '../../../platform/ui/calls/live-state.ts';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { Typed } from '../../../platform/ui/text/typed.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { getChatUser } from '../client.ts';
import type { ChatUserView } from '../contract.ts';

/** The room that is open on this page, and what opens the card of somebody in it. */
interface Cards {
  readonly room: string;
  readonly open: (user: ChatUserView) => void;
}
const CARDS = liveState<Cards | null>('rooms.cards', null);

/** While this is mounted, names of people in the room open their card wherever they stand on the page. */
export function useCardsOf(room: string, open: Cards['open']): void {
  const live = useLiveStore();
  useEffect(() => {
    const cards = { room, open };
    live.change(CARDS, () => cards);
    return () => live.change(CARDS, (now) => (now === cards ? null : now));
  }, [live, open, room]);
}

interface PersonButtonProps {
  readonly username: string;
  /** The name as it stands there; the username where nothing is given. */
  readonly children?: ReactNode;
}

/** A name that opens the card of its person; plain text where no room is open. */
export function PersonButton({ username, children }: PersonButtonProps) {
  const { t } = useTranslation('rooms');
  const call = useCall();
  const toast = useToast();
  const cards = useLiveState(CARDS, (now) => now);
  const name = children ?? <Typed>{username}</Typed>;
  const open = useCallback(async () => {
    if (!cards) return;
    try {
      cards.open((await call(getChatUser, { username: cards.room, person: username })).user);
    } catch (error) {
      toast(problemOf(error).message || t('chat.cardFailed'), 'error');
    }
  }, [call, cards, t, toast, username]);
  if (!cards) return name;
  return (
    <button type="button" title={t('chat.openCard', { name: username })} onClick={() => void open()}
      className="min-h-6 text-left break-words hover:underline">
      {name}
    </button>
  );
}
