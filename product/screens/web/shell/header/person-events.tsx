import { lazy, Suspense } from 'react';
import { useLobby } from '../../../../../platform/ui/calls/live.ts';
import { useSessionEvents } from '../../../../accounts/web/live.ts';
import { useBalanceEvents } from '../../../../ledger/web/live.ts';
import { useOpenRooms } from '../live/open-rooms.ts';

/** What the socket says of somebody who is logged in, and the rooms they keep open; guests never load it. */
export function PersonEvents() {
  const lobby = useLobby();
  useSessionEvents(lobby);
  useBalanceEvents(lobby);
  return <OpenRooms />;
}

/** Loaded with the first room that stays open. */
const RoomDock = lazy(() => import('../live/room-dock.tsx'));

function OpenRooms() {
  const { open } = useOpenRooms();
  return open.length === 0 ? null : <Suspense><RoomDock /></Suspense>;
}
