import { useState } from 'react';
import { problemOf, useRead } from '../../../../../platform/ui/calls/calls.ts';
import { ErrorState, Skeleton } from '../../../../../platform/ui/surfaces/states.tsx';
import { getRoom } from '../../../../rooms/client.ts';
import type { RoomDataView } from '../../../../rooms/contract.ts';
import { useRoom } from '../../../../rooms/web/live.ts';
import { ColumnPanes, useWaiting } from '../column.tsx';
import { useOrder } from '../order.tsx';
import { useOutage } from '../connection/outage.tsx';
import { ControlParts, type Part } from '../parts.tsx';
import { PART_REDUCERS, RoomParts } from '../room-parts.tsx';
import { RoomSettings } from './room-settings.tsx';

/** The performer's own room in her control room: chat, who is there, and how order is kept. */
export function OwnRoom({ username }: { username: string }) {
  const { data: room, error, refetch } = useRead(getRoom, { username });
  if (room) return <OwnRoomView room={room} />;
  if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  return <Skeleton className="m-3 h-64" />;
}

const PARTS: readonly Part[] = ['chat', 'users', 'desk', 'settings'];

function OwnRoomView({ room }: { room: RoomDataView }) {
  const [part, setPart] = useState<Part>('chat');
  const { username } = room.user;
  const link = useRoom(username, PART_REDUCERS);
  const outage = useOutage(link.joined);
  const order = useOrder(room, link, () => setPart('chat'));
  const waiting = useWaiting(username, order.mayModerate);
  const count = room.chat.userCount;
  return (
    <>
      <RoomParts position="Events" room={room} link={link} />
      <ControlParts parts={PARTS} open={part} onOpen={setPart} users={count} waiting={waiting} />
      <ColumnPanes room={room} link={link} order={order} open={part} count={count} outage={outage} />
      {part === 'settings' ? (
        <div className="min-h-0 grow overflow-y-auto"><RoomSettings username={username} /></div>
      ) : null}
    </>
  );
}
