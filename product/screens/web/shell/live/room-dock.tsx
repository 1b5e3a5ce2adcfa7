import { normalizeUsername } from '#platform/text/usernames.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Avatar } from '#platform/ui/surfaces/card.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useForgetRoom } from '#product/room-moderation/web/live.ts';
import { useChat, useRoom } from '#product/rooms/web/live.ts';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { Link, useLocation } from 'react-router';
import { useBeingPutOut } from '../../room/connection/leaving.ts';
import { PART_REDUCERS } from '../../room/room-parts.tsx';
import { useOpenRooms, withoutOpen, type OpenRoom } from './open-rooms.ts';

/** A higher count is shown as "99+". */
const MOST_SHOWN = 99;

/** Over the lower corner of a scrolling page; above the consent banner. */
const IN_CORNER = 'fixed bottom-[calc(5rem+var(--consent,0px))] left-3 z-30 '
  + 'max-w-[calc(100vw-24px)] flex-wrap md:bottom-[calc(0.75rem+var(--consent,0px))] '
  + '[body:has([data-fills])_&]:static [body:has([data-fills])_&]:px-3 [body:has([data-fills])_&]:py-1';
/** A row of its own, which covers nothing; hidden while somebody types on a phone. */
const IN_ROW = 'overflow-x-auto border-b border-line bg-page px-3 py-1 '
  + 'max-lg:[body:has([data-keyboard])_&]:hidden';

/**
 * Rooms that stay open while their viewer browses on, with the number of new messages in each. Pages with
 * paid actions at their foot show it as a row above instead.
 */
export default function RoomDock({ isBare }: { isBare: boolean }) {
  const { t } = useTranslation('screens');
  const { pathname } = useLocation();
  const { open, change } = useOpenRooms();
  const here = normalizeUsername(pathname.slice(1));
  const elsewhere = open.filter(({ username }) => username !== here);
  if (elsewhere.length === 0) return null;
  return (
    <nav
      aria-label={t('dock.label')}
      className={`flex gap-2 phone-landscape:hidden ${isBare ? IN_ROW : IN_CORNER}`}
    >
      {elsewhere.map((room) => (
        <OpenRoomLink
          key={room.username}
          room={room}
          onClose={() => change((known) => withoutOpen(known, room.username))}
        />
      ))}
    </nav>
  );
}

function OpenRoomLink({ room, onClose }: { room: OpenRoom; onClose: () => void }) {
  const { t } = useTranslation('screens');
  const { username, displayName, avatarUrl, seenId } = room;
  const link = useRoom(username, PART_REDUCERS);
  const forget = useForgetRoom();
  // Elsewhere the viewer stays on the page (spec 2 §4.6): only the room closes.
  useBeingPutOut(link.connection, () => {
    forget(username);
    onClose();
  });
  useEffect(() =>
    link.connection?.watch((phase) => {
      if (phase !== 'refused') return;
      // Removed before it was joined here: the cached room data is older than that.
      forget(username);
      onClose();
    }), [forget, link.connection, onClose, username]);
  const fresh = useChat(username).filter(({ id, type }) => id > seenId && type !== 'notice').length;
  const count = fresh > MOST_SHOWN ? `${MOST_SHOWN}+` : String(fresh);
  return (
    <div className="flex shrink-0 items-center rounded-full border border-line bg-raised shadow-float">
      <Link
        to={`/${username}`}
        className="flex min-h-11 items-center gap-2 rounded-full pl-2 text-sm font-medium"
      >
        <Avatar name={displayName} url={avatarUrl} size={24} />
        <span className="max-w-24 truncate">
          <Typed>{displayName}</Typed>
        </span>
        {fresh > 0
          ? (
            <span className="tabular rounded-full bg-pink px-2 text-xs font-bold text-ink">
              <span aria-hidden>{count}</span>
              <span className="sr-only">{t('dock.fresh', { count: fresh })}</span>
            </span>
          )
          : null}
      </Link>
      <IconButton label={t('dock.close', { name: displayName })} onClick={onClose}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
