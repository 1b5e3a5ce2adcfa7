import type { MenuItem } from '#platform/ui/controls/popups/menu-popup.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useIgnoring, type Ignoring } from '#product/messaging/web/ignoring/ignoring.ts';
import { Reporting } from '#product/moderation/web/report-button.tsx';
import type { ReportTarget } from '#product/moderation/web/target.ts';
import type { ChatMessageView, ChatUserView } from '#product/rooms/contract.ts';
import { isAnonymous } from '#product/rooms/rules.ts';
import { senderName } from '#product/rooms/web/chat/sender-name.ts';
import { Flag, MessageSquareOff, MessageSquareText, UserRound } from 'lucide-react';
import { useCallback, useState, type ReactNode } from 'react';

/** What anybody may do to the people of a room, and to their messages. */
export interface PeopleActions {
  readonly ignoring: Ignoring;
  readonly report: (target: ReportTarget) => void;
  /**
   * For the menu of a message: a guest opens the card and reports, and ignores nobody. An anonymous tip can
   * only be reported.
   */
  readonly itemsOf: (message: ChatMessageView, show: string | null) => readonly MenuItem[];
  /** The dialog of a report. */
  readonly surface: ReactNode;
}

/** A message's sender, whether they are still in the room or not. */
export const personOf = (message: ChatMessageView): ChatUserView => ({
  ...message,
  invisible_mode_level: 0,
  avatar: null,
  recentTips: message.recent_tips,
});

const icon = { size: 18, 'aria-hidden': true } as const;

/** @param owner username of the performer @param openCard opens the card of a person */
export function usePeopleActions(owner: string, openCard: (user: ChatUserView) => void): PeopleActions {
  const { t } = useTranslation('rooms');
  const { t: ofMessaging } = useTranslation('messaging');
  const { t: ofModeration } = useTranslation('moderation');
  const me = useMe()?.user.username ?? null;
  const ignoring = useIgnoring();
  const [target, setTarget] = useState<ReportTarget | null>(null);
  const itemsOf = useCallback((message: ChatMessageView, show: string | null): readonly MenuItem[] => {
    const { username, is_moderator: isModerator } = message;
    const name = senderName(message, t);
    const report: MenuItem = {
      key: 'report',
      text: ofModeration('report.do.message', { name }),
      icon: <Flag {...icon} />,
      onChoose: () =>
        setTarget({
          kind: 'message',
          username: owner,
          id: message.id,
          name,
          ...(show === null ? {} : { within: show }),
        }),
    };
    if (isAnonymous(message)) return [report];
    const card: MenuItem = {
      key: 'card',
      text: t('chat.openCard', { name }),
      icon: <UserRound {...icon} />,
      onChoose: () => openCard(personOf(message)),
    };
    if (me === username) return [card];
    const isIgnored = ignoring.usernames.has(username);
    const person = { username, name };
    const ignore: MenuItem = isIgnored
      ? {
        key: 'unignore',
        text: ofMessaging('ignore.end', { name }),
        icon: <MessageSquareText {...icon} />,
        onChoose: () => ignoring.unignore(person),
      }
      : {
        key: 'ignore',
        text: ofMessaging('ignore.do', { name }),
        icon: <MessageSquareOff {...icon} />,
        onChoose: () => ignoring.ignore(person),
      };
    // Messages of the performer and moderators cannot be ignored.
    return [card, ...(me === null || username === owner || isModerator ? [] : [ignore]), report];
  }, [ignoring, me, ofMessaging, ofModeration, openCard, owner, t]);
  const surface = <Reporting target={target} onClose={() => setTarget(null)} />;
  return { ignoring, report: setTarget, itemsOf, surface };
}
