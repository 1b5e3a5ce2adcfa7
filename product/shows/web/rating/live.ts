import type { QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import type { RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import { liveState } from '#platform/ui/calls/live-state.ts';
import { useJoined } from '#platform/ui/calls/live.ts';
import { getRoom } from '#product/rooms/client.ts';
import { readPart, withFields } from '#product/rooms/rules/room-part.ts';
import { getOwnRating, showsPart } from '../../client.ts';
import type { OwnRatingView } from '../../contract/ratings.ts';

/** How the rating of a room stands on this page. */
export interface AskedRating {
  readonly username: string;
  /**
   * `dialog` was opened by a click. After a show a card asks over the video, for it must not take the page
   * from whoever is about to tip; one of a ticket show waits while the performer is offline.
   */
  readonly as: 'dialog' | 'card' | 'card_live';
}

/** The rating that is open or asked for; null while none is. Leaving the room ends it. */
export const RATING_OF = liveState<AskedRating | null>('shows.ratingOf', null);

/**
 * Whether this page was in the room before it joined it last, so that a show whose end it reads of has ended
 * under its viewer's eyes, and not before they came.
 */
export function useStayed(connection: RoomConnection | null): () => boolean {
  const joins = useRef(0);
  useEffect(() => {
    joins.current = 0;
  }, [connection]);
  useJoined(connection, () => {
    joins.current += 1;
  });
  return useCallback(() => joins.current > 1, []);
}

/** Shows how this viewer rates a performer now, and how everybody does. */
export function showRating(cache: QueryClient, answer: OwnRatingView): void {
  const { username, rate_today: rateToday, recent_tips: recentTips, rating } = answer;
  changeCached(cache, getRoom, { username }, (room) => {
    const { user: { ratings } } = readPart(room, showsPart);
    return withFields(room, {
      user: { ratings: { ...ratings, user: rating } },
      auth: { rateToday, recentTips },
    });
  });
  cache.setQueryData(queryKeyOf(getOwnRating, { username }), answer);
}
