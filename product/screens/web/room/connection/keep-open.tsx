import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { useChat } from '#product/rooms/web/live.ts';
import { Pin } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useOpenRooms, withOpen, withoutOpen, withSeen } from '../../shell/live/open-rooms.ts';

/** Keeps this room joined while the member browses on, or lets it go; for members, whose dock shows it. */
export function KeepOpen({ room }: { room: RoomDataView }) {
  const { t } = useTranslation('screens');
  const isMember = useMe() !== null;
  const { open, change } = useOpenRooms();
  const { username, displayName, avatarUrl } = room.user;
  const seenId = useChat(username).at(-1)?.id ?? 0;
  const seen = useRef(seenId);
  seen.current = Math.max(seen.current, seenId);
  useEffect(() => () => change((known) => withSeen(known, username, seen.current)), [change, username]);
  if (!isMember) return null;
  const isOpen = open.some((item) => item.username === username);
  const toggle = () =>
    change((known) => (isOpen
      ? withoutOpen(known, username)
      : withOpen(known, { username, displayName, avatarUrl, seenId }))
    );
  return (
    <IconButton label={t('dock.keep')} pressed={isOpen} onClick={toggle}>
      <Pin size={20} aria-hidden />
    </IconButton>
  );
}
