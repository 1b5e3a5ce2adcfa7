import type { Slice } from '../../platform/contract/bind.ts';
import type { Caller } from '../../platform/contract/context.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import type { Tx } from '../../platform/data/data.ts';
import { personalData } from '../accounts/extension-points.ts';
import { openingMode } from '../broadcast/extension-points.ts';
import { roomParts, showParties, viewConditions } from '../rooms/extension-points.ts';
import { partSource, viewDecider } from '../rooms/server.ts';
import { showsPart } from './contract.ts';
import type { Vote } from './rules/ratings.ts';
import { pingHandler, removedViewers, showHandlers } from './server/private/accepting.ts';
import type { ShowsDependencies } from './server/dependencies.ts';
import { discountEnd, discountView, offerHandlers, offerOf } from './server/offers.ts';
import { ratingHandlers, ratingsOf, recentTipsOf } from './server/ratings.ts';
import { privateDeadline, requestHandlers } from './server/private/requests.ts';
import { RunningShows } from './server/private/running.ts';
import { saveVote, voteOfToday } from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { findRunning } from './store/privates.ts';

export interface ShowsService {
  /** Ratings of performers, 0 to 5 with one decimal; those with too few votes are left out. */
  readonly ratingsOf: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /** Stores a vote of today without HTTP and tips: for seeds. */
  readonly rate: (tx: Tx, performerId: number, viewerId: number, vote: Vote) => Promise<void>;
  /** Resolves when nothing is done with any show; for tests and shutdown. */
  readonly settled: () => Promise<void>;
}
export type ShowsSlice = Slice<ShowsService>;

type ShowsData = typeof showsPart.empty;

/** What the room data say of shows to one viewer. */
async function loadPart(
  deps: ShowsDependencies, shows: RunningShows, tx: Tx, { personId }: Caller, performerId: number,
): Promise<ShowsData> {
  const { empty } = showsPart;
  const rating = (await ratingsOf(tx, [performerId])).get(performerId) ?? null;
  const now = await offerOf(deps, tx, performerId);
  const row = await findRunning(tx, 'performer_id', performerId);
  const isParty = row !== null && (personId === row.viewer_id || personId === performerId);
  const view = isParty && personId !== null ? shows.viewFor(tx.operatorId, row, personId) : null;
  return {
    ...empty,
    user: { ...empty.user, ratings: { ...empty.user.ratings, user: rating } },
    auth: personId === null ? empty.auth : {
      rateToday: await voteOfToday(tx, performerId, personId),
      recentTips: await recentTipsOf(deps, tx, personId, performerId),
    },
    userSetting: { private: now.offer }, privateDiscount: discountView(now, tx.now),
    privateExclusive: row?.exclusive ?? false,
    privateUsername: view?.username ?? null,
    privateRunningPricePerMinuteInToken: view?.cost_per_minute ?? null,
    privateStats: view && {
      privatePrepaidTimeLeftSeconds: view.privatePrepaidTimeLeftSeconds,
      privateStreamTimeInSecond: view.privateStreamTimeInSecond, privateTokenCount: view.privateTokenCount,
      privateUserTimeLeftInSecond: view.privateUserTimeLeftInSecond,
    },
  };
}

/** Paid shows and the ratings of performers. */
export function showsSlice(deps: ShowsDependencies): ShowsSlice {
  const shows = new RunningShows(deps);
  return {
    name: 'shows', needsMedia: true,
    service: { ratingsOf, rate: saveVote, settled: () => shows.settled() },
    callHandlers: [
      ...ratingHandlers(deps), ...offerHandlers(deps), ...requestHandlers(deps, shows),
      ...showHandlers(deps, shows),
    ],
    extensions: [
      implement(personalData, ownRows),
      // Nobody takes part in a show but who is in the running one.
      implement(viewConditions, viewDecider({
        decides: ['mode'],
        of: async (tx, { personId }, performerId) => {
          const row = personId === null ? null : await findRunning(tx, 'performer_id', performerId);
          return { mode: row !== null && row.viewer_id === personId ? 'private' : 'public' };
        },
      })),
      implement(showParties, async (tx, performerId) => {
        const row = await findRunning(tx, 'performer_id', performerId);
        return row ? [row.viewer_id] : [];
      }),
      implement(openingMode, async (tx, performerId) =>
        ((await findRunning(tx, 'performer_id', performerId)) ? 'private' : 'public')),
      implement(roomParts, partSource({
        part: showsPart,
        load: (tx, caller, performerId) => loadPart(deps, shows, tx, caller, performerId),
        loadUpdate: async (tx, performerId) => ({
          ...showsPart.emptyUpdate,
          private_exclusive: (await findRunning(tx, 'performer_id', performerId))?.exclusive ?? false,
        }),
      })),
    ],
    subscriptions: [...shows.subscriptions(), removedViewers(deps, shows)],
    eventHandlers: [pingHandler(deps, shows)],
    deadlineHandlers: [privateDeadline(deps, shows), discountEnd(deps)],
    start: () => shows.start(),
    stop: () => shows.stop(),
  };
}
