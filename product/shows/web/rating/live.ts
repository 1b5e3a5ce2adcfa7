import type { RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { changeCached, queryKeyOf } from '#platform/ui/calls/calls.ts';
import { liveState } from '#platform/ui/calls/live-state.ts';
import { useJoined } from '#platform/ui/calls/live.ts';
import { getRoom } from '#product/rooms/client.ts';
import { readPart, withFields } from '#product/rooms/rules/room-part.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { getOwnRating, showsPart } from '../../client.ts';
import type { OwnRatingView } from '../../contract/ratings.ts';

/** How the rating of a room appears on this page. */
export interface AskedRating {
  readonly username: string;
  /**
   * `dialog` was opened by a click. After a show a card over the video asks instead, so that the page of a
   * viewer about to tip stays usable; after a ticket show the card waits while the performer is offline.
   */
  readonly as: 'dialog' | 'card' | 'card_live';
}

/** The rating that is open or asked for; null for none. Leaving the room clears it. */
export const RATING_OF = liveState<AskedRating | null>('shows.ratingOf', null);

/**
 * Whether this page was already in the room before its latest join. Only then did a show whose end it reads
 * about end while its viewer was present.
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

/** Shows this viewer's vote on a performer, and the public rating. */
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
