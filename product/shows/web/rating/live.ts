import type { QueryClient } from '@tanstack/react-query';
import { changeCached, queryKeyOf } from '../../../../platform/ui/calls/calls.ts';
import { liveState } from '../../../../platform/ui/calls/live-state.ts';
import { getRoom } from '../../../rooms/client.ts';
import { readPart, withFields } from '../../../rooms/rules/room-part.ts';
import { getOwnRating, showsPart } from '../../client.ts';
import type { OwnRatingView } from '../../contract/ratings.ts';

interface OpenRating {
  readonly username: string;
  /** It waits while the performer is offline. After a private show, and by a click, it never does. */
  readonly onlyLive: boolean;
}

/** Room whose rating dialog is open; null while none is. */
export const RATING_OF = liveState<OpenRating | null>('shows.ratingOf', null);

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
