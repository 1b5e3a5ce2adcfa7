import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import type { Tx } from '../../platform/data/data.ts';
import { personalData } from '../accounts/extension-points.ts';
import { roomParts } from '../rooms/extension-points.ts';
import { partSource } from '../rooms/server.ts';
import { showsPart } from './contract.ts';
import type { Vote } from './rules/ratings.ts';
import { ratingHandlers, ratingsOf, recentTipsOf, type ShowsDependencies } from './server/ratings.ts';
import { saveVote, voteOfToday } from './store.ts';
import { ownRows } from './store/own-rows.ts';

export interface ShowsService {
  /** Ratings of performers, 0 to 5 with one decimal; those with too few votes are left out. */
  readonly ratingsOf: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /** Stores a vote of today without HTTP and tips: for seeds. */
  readonly rate: (tx: Tx, performerId: number, viewerId: number, vote: Vote) => Promise<void>;
}
export type ShowsSlice = Slice<ShowsService>;

/** Paid shows and the ratings of performers. No show can be started yet. */
export const showsSlice = (deps: ShowsDependencies): ShowsSlice => ({
  name: 'shows',
  service: { ratingsOf, rate: saveVote },
  callHandlers: ratingHandlers(deps),
  extensions: [
    implement(personalData, ownRows),
    implement(roomParts, partSource({
      part: showsPart,
      load: async (tx, { personId }, performerId) => {
        const rating = (await ratingsOf(tx, [performerId])).get(performerId) ?? null;
        return {
          ...showsPart.empty,
          user: { ...showsPart.empty.user, ratings: { ...showsPart.empty.user.ratings, user: rating } },
          auth: personId === null ? showsPart.empty.auth : {
            rateToday: await voteOfToday(tx, performerId, personId),
            recentTips: await recentTipsOf(deps, tx, personId, performerId),
          },
        };
      },
    })),
  ],
});
