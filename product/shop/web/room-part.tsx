import { usePartState, useRoomDataAgain } from '#product/rooms/web/live.ts';
import type { PagePartProps, RoomPagePart } from '#product/rooms/web/page-part.ts';
import { useEffect, useMemo, useRef } from 'react';
import { shopReducer } from '../rules.ts';
import { AskLater } from './ask-later.ts';

/** Asks for the room data again some seconds after the performer's media changed. */
function MediaEvents({ link: { username } }: PagePartProps) {
  const { mediaChanges } = usePartState(username, shopReducer);
  const known = useRef(mediaChanges);
  const again = useRoomDataAgain(username);
  const later = useMemo(() => new AskLater(again), [again]);
  useEffect(() => {
    if (mediaChanges > known.current) later.ask();
    known.current = mediaChanges;
  }, [later, mediaChanges]);
  useEffect(() => () => later.cancel(), [later]);
  return null;
}

export const shopOnPage: RoomPagePart = { texts: [], reducer: shopReducer, Events: MediaEvents };
