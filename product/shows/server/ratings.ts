import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import {
  getOwnRating,
  ownRating,
  performerRated,
  ratePerformer,
  tooFewTips,
  type OwnRatingView,
} from '../contract/ratings.ts';
import { ratingOf, TIPS_TO_RATE, type Votes } from '../rules/ratings.ts';
import { countVotes, saveVote, voteOfToday } from '../store.ts';
import type { ShowsDependencies } from './dependencies.ts';

/** The ratings of performers, 0 to 5; those with too few votes are left out. */
export const ratingsOf = async (
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, number>> => rated(await countVotes(tx, performerIds));

/** The ratings by viewers who had had a private show with the performer when they voted. */
export const privateRatingsOf = async (
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, number>> => rated(await countVotes(tx, performerIds, true));

function rated(votes: ReadonlyMap<number, Votes>): ReadonlyMap<number, number> {
  return new Map([...votes].flatMap(([id, counted]) => {
    const rating = ratingOf(counted);
    return rating === null ? [] : [[id, rating] as const];
  }));
}

export function ratingHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data, rooms } = deps;
  const viewOf = async (
    tx: Tx,
    viewerId: number,
    { id, username }: Pick<Person, 'id' | 'username'>,
    tips?: number,
  ): Promise<OwnRatingView> => ({
    username,
    rate_today: await voteOfToday(tx, id, viewerId),
    recent_tips: tips ?? await deps.tips.ownRecentTips(tx, viewerId, id),
    rating: (await ratingsOf(tx, [id])).get(id) ?? null,
  });
  return [
    handleCall(getOwnRating)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const entry = await rooms.enter(tx, context, username);
        if ('refused' in entry) return refuseEntry(context, entry.refused);
        return viewOf(tx, context.personId, entry.owner);
      })
    ),
    handleCall(ratePerformer)(async ({ username, vote }, context) =>
      data.tx(context.scope, async (tx) => {
        const entry = await rooms.enter(tx, context, username);
        if ('refused' in entry) return refuseEntry(context, entry.refused);
        const { owner: performer } = entry;
        const viewerId = context.personId;
        if (performer.id === viewerId) return context.refuse(ownRating);
        const tips = await deps.tips.ownRecentTips(tx, viewerId, performer.id);
        if (tips < TIPS_TO_RATE) {
          return context.refuse(tooFewTips, {
            values: { needed: TIPS_TO_RATE },
            extra: { needed: TIPS_TO_RATE, recent_tips: tips },
          });
        }
        await saveVote(tx, performer.id, viewerId, vote);
        await tx.publish(performerRated, `performer:${performer.id}`, { performerId: performer.id });
        return viewOf(tx, viewerId, performer, tips);
      })
    ),
  ];
}
