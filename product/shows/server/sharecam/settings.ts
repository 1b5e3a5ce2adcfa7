import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { profileChanged } from '#product/performers/contract.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { sharecamSettingChanged, type SharecamSettingView } from '../../contract/settings.ts';
import { DEFAULT_SHARECAM_PRICE, type SharecamOffer } from '../../rules/sharecam.ts';
import { findShowSettings, saveShowSettings } from '../../store/settings.ts';
import type { ShowsDependencies } from '../dependencies.ts';

type OfferDependencies = Pick<ShowsDependencies, 'performers'>;

/**
 * Which cameras a performer takes. Their listing says whether they take any, so listings and rooms cannot
 * disagree. If the listing says so and nothing was chosen here, they take cameras in private shows.
 */
export async function sharecamOfferOf(
  { performers }: OfferDependencies,
  tx: Tx,
  performerId: number,
): Promise<SharecamOffer> {
  const listing = (await performers.listingsOf(tx, [performerId])).get(performerId);
  const stored = await findShowSettings(tx, performerId);
  const isListed = listing?.offers_cam2cam ?? false;
  const isAllowedInPublic = isListed && stored.is_sharecam_in_public;
  return {
    isAllowedInPublic,
    isAllowedInPrivate: isListed && (stored.is_sharecam_in_private || !isAllowedInPublic),
    pricePerMinuteInPublicInToken: stored.sharecam_price ?? DEFAULT_SHARECAM_PRICE,
  };
}

/** Saves which cameras a performer allows; absent fields stay as they are. */
export async function changeSharecamOffer(
  deps: OfferDependencies & Pick<ShowsDependencies, 'accounts'>,
  tx: Tx,
  performerId: number,
  change: { readonly [Field in keyof SharecamSettingView]?: SharecamSettingView[Field] | undefined },
): Promise<void> {
  const before = await sharecamOfferOf(deps, tx, performerId);
  const after: SharecamOffer = {
    isAllowedInPrivate: change.isAllowedInPrivate ?? before.isAllowedInPrivate,
    isAllowedInPublic: change.isAllowedInPublic ?? before.isAllowedInPublic,
    pricePerMinuteInPublicInToken: change.pricePerMinuteInPublicInToken ??
      before.pricePerMinuteInPublicInToken,
  };
  await saveShowSettings(tx, performerId, {
    is_sharecam_in_private: after.isAllowedInPrivate,
    is_sharecam_in_public: after.isAllowedInPublic,
    sharecam_price: after.pricePerMinuteInPublicInToken,
  });
  await deps.performers.saveListing(tx, performerId, {
    offers_cam2cam: after.isAllowedInPrivate || after.isAllowedInPublic,
  });
  await deps.accounts.sendSettings(tx, performerId);
}

/**
 * Sends a room what its performer allows after each change of the listing: other pages save it too.
 * @param review ends the cameras that are no longer allowed
 */
export const sharecamSettingPush = (
  deps: ShowsDependencies,
  review: (operatorId: number, performerId: number) => Promise<void>,
): Subscription =>
  subscribe(profileChanged, 'shows.profileChanged')(async ({ operatorId, payload: { performerId } }) => {
    await deps.data.tx(
      { operatorId },
      async (tx) =>
        tx.send(topicChannel(roomTopic(performerId)), sharecamSettingChanged, {
          sharecam: await sharecamOfferOf(deps, tx, performerId),
        }),
    );
    await review(operatorId, performerId);
  });
