import type { MenuItem } from '#platform/ui/controls/popups/menu-popup.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ACTION_ICONS } from '#product/room-moderation/web/actions/actions.ts';
import { useModerating, type Moderating } from '#product/room-moderation/web/actions/moderating.tsx';
import type { Subject } from '#product/room-moderation/web/actions/offers.ts';
import { useChatPermissions, useModerationEvents } from '#product/room-moderation/web/live.ts';
import type { ChatMessageView, ChatUserView, RoomDataView } from '#product/rooms/contract.ts';
import { isAnonymous } from '#product/rooms/rules.ts';
import type { SpeechRules } from '#product/rooms/web/chat/input/speech.tsx';
import type { RoomLink } from '#product/rooms/web/live.ts';
import { useCardsOf, type CardOf } from '#product/rooms/web/person-card.tsx';
import { Trash2 } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import { personOf, usePeopleActions } from './users/people-actions.tsx';

const UserCard = lazy(() => import('./users/user-card.tsx'));
const RulesError = lazy(() => import('#product/room-moderation/web/rules-error.tsx'));

/** Somebody mentioned by name from elsewhere on the page; a new object mentions them again. */
export interface Call {
  readonly username: string;
}

/** What this viewer may do to the people of a room, and what they may say there. */
export interface Order {
  readonly mayModerate: boolean;
  readonly moderating: Moderating;
  readonly speech: SpeechRules | null;
  /** For the menu of a message, in the chat of a show or (null) the room's. */
  readonly actions: (message: ChatMessageView, show: string | null) => readonly MenuItem[];
  readonly openCard: (user: ChatUserView) => void;
  /** Opens the card of a message's sender. */
  readonly onPerson: (message: ChatMessageView) => void;
  /** Usernames that this viewer ignores. */
  readonly ignored: ReadonlySet<string>;
  readonly call: Call | null;
  /** Dialogs, wherever they are on the page. */
  readonly surface: ReactNode;
}

const subjectOf = (person: ChatUserView | ChatMessageView): Subject => ({
  username: person.username,
  displayName: person.display_name,
  isModerator: person.is_moderator,
  isGuest: person.is_guest,
});

/** @param onCall somebody is mentioned by name: the chat should be visible */
export function useOrder(room: RoomDataView, link: RoomLink, onCall: () => void): Order {
  const toast = useToast();
  const me = useMe()?.user.username ?? '';
  const owner = room.user.username;
  const { may, failed } = useChatPermissions(owner);
  useModerationEvents(link.connection, owner, { onSilenced: (reason) => toast(reason, 'error') });
  const { moderatorUsernameList: moderators, silencedUsernameList: silenced } = room.chat;
  const people = useMemo(
    () => ({ owner, me, may, moderators, silenced }),
    [owner, me, may, moderators, silenced],
  );
  const moderating = useModerating(owner, people);
  const [card, setCard] = useState<CardOf | null>(null);
  const [call, setCall] = useState<Call | null>(null);
  const speech = useSpeechRules(owner);
  const { ignoring, report, itemsOf, surface: reporting } = usePeopleActions(owner, setCard);
  const moderate = useMessageActions(moderating);
  useCardsOf(owner, setCard);
  const onPerson = useCallback((message: ChatMessageView) => setCard(personOf(message)), []);
  const actions = useCallback(
    (
      message: ChatMessageView,
      show: string | null,
    ) => [...itemsOf(message, show), ...(may.moderate ? moderate(message) : [])],
    [itemsOf, may.moderate, moderate],
  );
  const surface = (
    <>
      {moderating.surface}
      {reporting}
      {failed
        ? (
          <Suspense>
            <RulesError read={failed} />
          </Suspense>
        )
        : null}
      {card === null ? null : (
        <Suspense>
          <UserCard
            user={card}
            offers={moderating.offersFor(subjectOf(card))}
            onClose={() => setCard(null)}
            isPerformer={card.username === owner}
            ignoring={ignoring}
            onReport={(target) => {
              setCard(null);
              report(target);
            }}
            onMention={me === '' || card.username === me ? null : () => {
              setCard(null);
              onCall();
              setCall({ username: card.username });
            }}
            onAct={(action) => {
              setCard(null);
              moderating.act(subjectOf(card), action);
            }}
          />
        </Suspense>
      )}
    </>
  );
  return {
    mayModerate: may.moderate,
    moderating,
    speech,
    actions,
    openCard: setCard,
    onPerson,
    ignored: ignoring.usernames,
    call,
    surface,
  };
}

/** What may be done to a message, and to its sender. */
function useMessageActions({ offersFor, act, remove }: Moderating) {
  const { t } = useTranslation('room-moderation');
  return useCallback((message: ChatMessageView): readonly MenuItem[] => {
    if (isAnonymous(message)) return [];
    const subject = subjectOf(message);
    const items = offersFor(subject).map((action) => {
      const Icon = ACTION_ICONS[action];
      return {
        key: action,
        text: t(`web.do.${action}`),
        icon: <Icon size={18} aria-hidden />,
        onChoose: () => act(subject, action),
      };
    });
    // The comment of a tip was paid for.
    if (message.type !== 'message') return items;
    const removal = {
      key: 'remove',
      text: t('web.remove'),
      icon: <Trash2 size={18} aria-hidden />,
      onChoose: () => remove(message.id),
    };
    return [removal, ...items];
  }, [act, offersFor, remove, t]);
}

/** Why this viewer cannot chat now. The countdown is beside these texts, so they name no time. */
const REASONS = {
  silenced: 'errors.silenced_lasting',
  tip_anytime: 'errors.tip_anytime',
  tip_recent: 'errors.tip_recent',
  tokens: 'errors.tokens',
  join_cool_down: 'web.wait.join_cool_down',
  slow_mode: 'web.wait.slow_mode',
  too_fast: 'web.wait.too_fast',
  word: 'errors.word',
  link: 'errors.link',
  repeated: 'errors.repeated',
  waiting: 'errors.waiting',
} as const;

/** What the room requires of this viewer before they write, as text. */
function useSpeechRules(username: string): SpeechRules | null {
  const { t } = useTranslation('room-moderation');
  const { chatRules } = useChatPermissions(username);
  return useMemo(() => {
    if (chatRules === null) return null;
    const { chat_allowed: allowed, slow_mode_seconds: slowModeSeconds, speaking } = chatRules;
    const { why, until, reason } = speaking;
    return {
      whoMay: allowed === 'all' ? null : t(`web.asked.${allowed}`),
      barred: why === null || why === 'log_in' ? null : t(REASONS[why]),
      until,
      reason,
      slowModeSeconds,
    };
  }, [t, chatRules]);
}
