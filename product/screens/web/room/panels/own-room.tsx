import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { getRoom } from '#product/rooms/client.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { useRoom } from '#product/rooms/web/live.ts';
import { useState } from 'react';
import { ColumnPanes, useWaiting } from '../column.tsx';
import { useOutage } from '../connection/outage.tsx';
import { useOrder } from '../order.tsx';
import { ConsolePanels, type Panel } from '../panels.tsx';
import { PART_REDUCERS, RoomParts } from '../room-parts.tsx';
import { RoomSettings } from './room-settings.tsx';

/** The performer's own room in their console: chat, user list, moderation panel and settings. */
export function OwnRoom({ username }: { username: string }) {
  const { data: room, error, refetch } = useRead(getRoom, { username });
  if (room) return <OwnRoomView room={room} />;
  if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  return <Skeleton className="m-3 h-64" />;
}

const PANELS: readonly Panel[] = ['chat', 'users', 'moderation', 'settings'];

function OwnRoomView({ room }: { room: RoomDataView }) {
  const [panel, setPanel] = useState<Panel>('chat');
  const { username } = room.user;
  const link = useRoom(username, PART_REDUCERS);
  const outage = useOutage(link.joined);
  const order = useOrder(room, link, () => setPanel('chat'));
  const waiting = useWaiting(username, order.mayModerate);
  const count = room.chat.userCount;
  return (
    <>
      <RoomParts position="Events" room={room} link={link} />
      <ConsolePanels panels={PANELS} open={panel} onOpen={setPanel} users={count} waiting={waiting} />
      <ColumnPanes room={room} link={link} order={order} open={panel} count={count} outage={outage} />
      {panel === 'settings'
        ? (
          <div className="min-h-0 grow overflow-y-auto">
            <RoomSettings username={username} />
          </div>
        )
        : null}
    </>
  );
}
