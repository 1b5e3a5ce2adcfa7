import { changeCached, queryKeyOf, useCache, type Applied } from '#platform/ui/calls/calls.ts';
import { getRoom } from '#product/rooms/client.ts';
import { withFields } from '#product/rooms/rules/room-part.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { getOwnGroupGoal, type giveToGroupGoal } from '../../client.ts';
import type { GroupGoalView, PublicGroupGoalView } from '../../contract/group-goal.ts';

/** Shows the room after a gift of this viewer; an event updates their other pages. */
export const showGift = (username: string): Applied<typeof giveToGroupGoal> => (cache, { goal, own }) => {
  const groupGoal: GroupGoalView | null = goal.progress >= goal.tokens ? null : { ...goal, own };
  changeCached(cache, getRoom, { username }, (room) => withFields(room, { groupGoal }));
};

/** Shows the performer's goal after a call. */
export const showOwnGoal = (cache: QueryClient, goal: PublicGroupGoalView | null): void =>
  changeCached(cache, getOwnGroupGoal, {}, () => ({ goal }));

/** Reads the performer's own goal again. */
export function useOwnGoalAgain(): () => void {
  const cache = useCache();
  return useCallback(() => {
    void cache.invalidateQueries({ queryKey: queryKeyOf(getOwnGroupGoal) });
  }, [cache]);
}

/**
 * The key of a gift: a request without a response is repeated with the same key, so that it is given once.
 */
export function useGiftKey(): { readonly key: () => string; readonly over: () => void } {
  const open = useRef<string | null>(null);
  const key = useCallback((): string => {
    open.current ??= crypto.randomUUID();
    return open.current;
  }, []);
  const over = useCallback(() => {
    open.current = null;
  }, []);
  return { key, over };
}
