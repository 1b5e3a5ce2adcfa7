import { problemOf, useCall } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { NameButton } from '#product/accounts/web/name-button.tsx';
import { useCallback, useEffect, type ReactNode } from 'react';
import { getChatUser, personAbsent } from '../client.ts';
import type { ChatUserView } from '../contract.ts';

/** A person as their card shows them. */
export interface CardOf extends ChatUserView {
  /** They left, or this viewer may not see who is there: only the data beside the name is known. */
  readonly isNameOnly?: true;
}

/** The open room of this page, and a function that opens the card of somebody in it. */
interface Cards {
  readonly room: string;
  readonly open: (user: CardOf) => void;
}
const CARDS = liveState<Cards | null>('rooms.cards', null);

/** While this is mounted, names of people in the room open their card anywhere on the page. */
export function useCardsOf(room: string, open: Cards['open']): void {
  const live = useLiveStore();
  useEffect(() => {
    const cards = { room, open };
    live.change(CARDS, () => cards);
    return () => live.change(CARDS, (now) => (now === cards ? null : now));
  }, [live, open, room]);
}

/** Data shown beside a name, for the card of a person who has left the room. */
type Known = Partial<Pick<ChatUserView, 'display_name' | 'is_guest' | 'is_moderator' | 'is_staff'>>;

/** The card of a person about whom nothing else is known. */
export const namedOnly = (username: string, isStaff: boolean, known: Known = {}): CardOf => ({
  username,
  display_name: known.display_name ?? username,
  is_guest: known.is_guest ?? false,
  is_moderator: known.is_moderator ?? false,
  is_staff: isStaff,
  isNameOnly: true,
  gender: null,
  is_model: false,
  is_vip: false,
  is_super_vip: false,
  has_tokens: false,
  fanclub_level: null,
  email_confirmed: null,
  has_cc: null,
  has_purchase: null,
  recent_purchases: null,
  tokens: null,
  recentTips: 0,
  socket_id: null,
  invisible_mode_level: 0,
  avatar: null,
});

interface PersonButtonProps {
  readonly username: string;
  readonly known?: Known;
  /** The text shown as the name; the username if missing. */
  readonly children?: ReactNode;
  /** Within the text of a chat line, whose menu serves keyboards. */
  readonly isInLine?: boolean;
}

/** A name that opens the person's card; without an open room, the card has only the name. */
export function PersonButton({ username, known, children, isInLine = false }: PersonButtonProps) {
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
      const { errorType, message, is_staff: isStaff } = problemOf(error);
      if (errorType === personAbsent.code) cards.open(namedOnly(username, isStaff === true, known));
      else toast(message || t('chat.cardFailed'), 'error');
    }
  }, [call, cards, known, t, toast, username]);
  if (!cards) {
    const { display_name: called, is_staff: isStaff } = known ?? {};
    const named = {
      username,
      ...(called === undefined ? {} : { name: called }),
      ...(isStaff === undefined ? {} : { isStaff }),
    };
    return <NameButton named={named}>{name}</NameButton>;
  }
  return (
    <button
      type="button"
      title={t('chat.openCard', { name: username })}
      onClick={() => void open()}
      {...(isInLine ? { tabIndex: -1 } : {})}
      className={`text-left break-words hover:underline ${isInLine ? 'inline' : 'min-h-6'}`}
    >
      {name}
    </button>
  );
}
