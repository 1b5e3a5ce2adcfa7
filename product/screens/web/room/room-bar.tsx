import { Avatar, Pill } from '#platform/ui/surfaces/card.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import type { ChatStatus } from '#product/rooms/rules.ts';
import { Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { KeepOpen } from './connection/keep-open.tsx';
import { badgeOf } from './room-parts.tsx';

interface RoomBarProps {
  readonly room: RoomDataView;
  /** People in the room. */
  readonly count: number;
  /** The chat is disconnected for a moment, so data about the room may be stale. */
  readonly isLost: boolean;
  /** Other content beside the name. */
  readonly children: ReactNode;
}

/** Whose room it is, its status, its topic, and how many people are there. */
export function RoomBar({ room, count, isLost, children }: RoomBarProps) {
  const { t } = useTranslation('screens');
  const { user, chat, auth } = room;
  return (
    <>
      {user.status === 'SUSPENDED' ? <Note tone="text-danger-text">{t('room.suspended')}</Note> : null}
      {auth.isAnotherModel ? <Note tone="text-muted">{t('room.anotherModel')}</Note> : null}
      {
        /* A paid show names its performer itself, and takes this place beside a wide window's chat, and where
        the window is low. */
      }
      <div className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-2 sm:gap-3 sm:px-4
        lg:border-b-0 lg:pb-0 lg:group-has-data-costs:invisible lg:group-has-data-costs:h-0
        lg:group-has-data-costs:overflow-hidden lg:group-has-data-costs:p-0
        lg:group-data-theatre:hidden phone-landscape:hidden max-lg:group-data-keyboard:hidden
        max-lg:[@media(max-height:43rem)]:group-has-data-costs:hidden
        max-lg:[body:has([data-asks])_&]:group-has-data-costs:hidden">
        <Avatar name={user.displayName} url={user.avatarUrl} size={32} />
        <div className="min-w-0 grow">
          <p className="flex items-center gap-2 font-bold">
            <span data-room-name className="truncate">
              <PersonName name={user.displayName} isStaff={user.isStaff} />
            </span>
            {isLost ? <Pill tone="warning">{t('room.lost')}</Pill> : <StatePill status={chat.status} />}
          </p>
          <p className="flex items-center gap-2 text-sm text-muted">
            <span className="tabular flex shrink-0 items-center gap-1">
              <Users size={16} aria-hidden />
              <span aria-hidden data-testid="user-count">{count}</span>
              <span className="sr-only">{t('room.inRoom', { count })}</span>
            </span>
            <span className="truncate">
              {chat.subjectText ? <Typed>{chat.subjectText}</Typed> : `@${user.username}`}
            </span>
          </p>
        </div>
        {children}
        {/* A phone has room for the name: what is needed less often is in the About panel. */}
        <span className="contents max-sm:hidden">
          <KeepOpen room={room} />
        </span>
      </div>
    </>
  );
}

/** One line about this room and this viewer. */
function Note({ tone, children }: { tone: string; children: ReactNode }) {
  return (
    <p
      role="note"
      className={`shrink-0 border-b border-line bg-raised px-4 py-2 text-sm
      phone-landscape:hidden
      max-lg:group-data-keyboard:hidden ${tone}`}
    >
      {children}
    </p>
  );
}

/** Status of the room, the same for everybody; nothing while offline. */
function StatePill({ status }: { status: ChatStatus }) {
  const { t } = useTranslation('rooms');
  const badge = badgeOf(status);
  if (badge !== null) return <Pill tone="private">{t(badge)}</Pill>;
  switch (status) {
    case 'online':
    case 'online_ai':
    case 'reconnecting':
      return <Pill tone="live">{t('screens:room.live')}</Pill>;
    case 'standby':
      return <Pill>{t('pill.standby')}</Pill>;
    case 'private':
    case 'limited':
    case 'connected':
    case 'offline':
      return null;
  }
}
