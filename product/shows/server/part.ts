import type { Caller } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { partSource } from '#product/rooms/server.ts';
import { showsPart } from '../contract.ts';
import { chargesStartupTip } from '../rules/spying.ts';
import { voteOfToday } from '../store.ts';
import { findRunning } from '../store/privates.ts';
import { findSpy } from '../store/spies.ts';
import type { ShowsDependencies } from './dependencies.ts';
import { groupGoalOf } from './goals/views.ts';
import { discountView, offerOf, type OfferNow } from './offers.ts';
import type { RunningShows } from './private/running.ts';
import { privateRatingsOf, ratingsOf } from './ratings.ts';
import { sharecamOfferOf } from './sharecam/settings.ts';
import { spyOfferOf } from './spying/offer.ts';
import { spyMode } from './spying/running.ts';
import { limitedShowOf } from './tickets/views.ts';

type ShowsData = typeof showsPart.empty;

/** The room data of private shows for one viewer. */
async function privatesOf(
  shows: RunningShows,
  tx: Tx,
  { personId }: Caller,
  performerId: number,
  now: OfferNow,
): Promise<
  Pick<
    ShowsData,
    | 'privateDiscount'
    | 'privateExclusive'
    | 'privateUsername'
    | 'privateRunningPricePerMinuteInToken'
    | 'privateStats'
  >
> {
  const row = await findRunning(tx, 'performer_id', performerId);
  const isParty = row !== null && (personId === row.viewer_id || personId === performerId);
  const view = isParty && personId !== null ? shows.viewFor(tx.operatorId, row, personId) : null;
  return {
    privateDiscount: discountView(now, tx.now),
    privateExclusive: row?.exclusive ?? false,
    privateUsername: view?.username ?? null,
    privateRunningPricePerMinuteInToken: view?.cost_per_minute ?? null,
    privateStats: view && {
      privatePrepaidTimeLeftSeconds: view.privatePrepaidTimeLeftSeconds,
      privateStreamTimeInSecond: view.privateStreamTimeInSecond,
      privateTokenCount: view.privateTokenCount,
      privateUserTimeLeftInSecond: view.privateUserTimeLeftInSecond,
    },
  };
}

/** What spying on a performer costs a viewer per minute; null while they do not spy. */
async function spyPrice(tx: Tx, viewerId: number, performerId: number): Promise<number | null> {
  if (await spyMode(tx, viewerId, performerId) === null) return null;
  return (await findSpy(tx, viewerId))?.price ?? null;
}

/** The room data of shows for one viewer: each product adds its own piece. */
async function loadPart(
  deps: ShowsDependencies,
  shows: RunningShows,
  tx: Tx,
  caller: Caller,
  performerId: number,
): Promise<ShowsData> {
  const { empty } = showsPart;
  const { personId } = caller;
  const rating = (await ratingsOf(tx, [performerId])).get(performerId) ?? null;
  const ofPrivates = (await privateRatingsOf(tx, [performerId])).get(performerId) ?? null;
  const now = await offerOf(deps, tx, performerId);
  const spy = await spyOfferOf(deps, tx, performerId);
  return {
    ...empty,
    user: {
      ratings: { ...empty.user.ratings, user: rating, private: ofPrivates },
      canChargeSpyStartupTip: chargesStartupTip(spy),
    },
    userSetting: { private: now.offer, spy, sharecam: await sharecamOfferOf(deps, tx, performerId) },
    spyRunningPricePerMinuteInToken: personId === null ? null : await spyPrice(tx, personId, performerId),
    auth: personId === null ? empty.auth : {
      rateToday: await voteOfToday(tx, performerId, personId),
      recentTips: await deps.tips.ownRecentTips(tx, personId, performerId),
    },
    ...await privatesOf(shows, tx, caller, performerId, now),
    groupGoal: await groupGoalOf(tx, performerId, personId),
    limitedShow: await limitedShowOf(tx, performerId, personId),
  };
}

export const showsPartSource = (deps: ShowsDependencies, shows: RunningShows) =>
  partSource({
    part: showsPart,
    load: (tx, caller, performerId) => loadPart(deps, shows, tx, caller, performerId),
    loadUpdate: async (tx, performerId) => {
      const { isAllowedInPrivate, isAllowedInPublic } = await sharecamOfferOf(deps, tx, performerId);
      return {
        ...showsPart.emptyUpdate,
        cam2cam: isAllowedInPrivate || isAllowedInPublic,
        private_exclusive: (await findRunning(tx, 'performer_id', performerId))?.exclusive ?? false,
      };
    },
  });
