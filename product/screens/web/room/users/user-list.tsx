import { Avatar } from '#platform/ui/surfaces/card.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { avatarAddress, smallAvatar } from '#product/accounts/rules/avatar.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { ChatUserView } from '#product/rooms/contract.ts';
import { useUserList, type RoomLink } from '#product/rooms/web/live.ts';
import { EyeOff } from 'lucide-react';
import { useMemo, useState } from 'react';
import { found, inOrder, tierOf } from './order.ts';
import { TierBadge } from './tier-badge.tsx';

interface UserListProps {
  readonly link: RoomLink;
  /** People in the room, guests included. */
  readonly everybody: number;
  readonly onOpen: (user: ChatUserView) => void;
}

/** Who is in the room: members by name, guests as a number. The feed runs while this is shown. */
export function UserListPanel({ link, everybody, onOpen }: UserListProps) {
  const { t, i18n } = useTranslation('screens');
  const list = useUserList(link);
  const [text, setText] = useState('');
  const sort = useMe()?.settings.chat_user_sort;
  const ordered = useMemo(
    () => inOrder(list?.users ?? [], i18n.language, sort),
    [list, i18n.language, sort],
  );
  if (!list) return <Places />;
  const shown = found(ordered, text, i18n.language);
  const unnamed = list.count - list.users.length;
  const guests = Math.max(0, everybody - list.count);
  return (
    <div className="flex min-h-0 grow basis-0 flex-col">
      <div className="p-3">
        <input
          type="search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          aria-label={t('room.users.search')}
          placeholder={t('room.users.search')}
          autoComplete="off"
          className="min-h-11 w-full rounded-control border border-field bg-surface px-3 text-base"
        />
      </div>
      <ul aria-label={t('room.users.title')} className="min-h-0 grow overflow-y-auto px-1 pb-2">
        {shown.map((user) => <UserLine key={user.username} user={user} onOpen={onOpen} />)}
        {shown.length === 0
          ? (
            <li className="px-3 py-4 text-center text-sm text-muted">
              {t(text.trim() === '' ? 'room.users.none' : 'room.users.notFound')}
            </li>
          )
          : null}
        {unnamed > 0
          ? <li className="px-3 py-2 text-sm text-muted">{t('room.users.more', { count: unnamed })}</li>
          : null}
        {guests > 0
          ? <li className="px-3 py-2 text-sm text-muted">{t('room.users.guests', { count: guests })}</li>
          : null}
      </ul>
    </div>
  );
}

function UserLine({ user, onOpen }: { user: ChatUserView; onOpen: (user: ChatUserView) => void }) {
  return (
    <li className="[contain-intrinsic-size:auto_44px] [content-visibility:auto]">
      <button
        type="button"
        onClick={() => onOpen(user)}
        className="flex min-h-11 w-full items-center gap-2 rounded-control px-2 text-left text-sm
          -outline-offset-2 hover:bg-raised"
      >
        <Avatar
          name={user.display_name}
          size={24}
          url={user.avatar && smallAvatar(avatarAddress(user.avatar))}
        />
        <span className="min-w-0 truncate font-medium">
          <PersonName name={user.display_name} isStaff={user.is_staff} />
        </span>
        <TierBadge tier={tierOf(user)} />
        <Hidden level={user.invisible_mode_level} />
        <span className="grow" />
        {user.recentTips > 0 ? <TokenAmount tokens={user.recentTips} className="text-muted" /> : null}
      </button>
    </li>
  );
}

/** Whether somebody is hidden from others in the list; shown to readers who can see them anyway. */
function Hidden({ level }: { level: number }) {
  const { t } = useTranslation('screens');
  if (level === 0) return null;
  const from = t(level === 1 ? 'room.users.hidden.viewers' : 'room.users.hidden.everyone');
  return (
    <span title={from} className="shrink-0 text-muted">
      <EyeOff size={16} aria-hidden />
      <span className="sr-only">{from}</span>
    </span>
  );
}

/** Placeholders until the feed's first message. */
function Places() {
  return (
    <div aria-busy className="flex flex-col gap-3 p-3">
      <Skeleton className="h-11 w-full" />
      <Skeleton className="h-6 w-40" />
      <Skeleton className="h-6 w-56" />
      <Skeleton className="h-6 w-48" />
    </div>
  );
}
