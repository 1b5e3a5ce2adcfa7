import type { Tx } from '#platform/data/data.ts';
import { spiesFree } from '#product/fanclubs/rules/benefits.ts';
import type { SpySettingView } from '../../contract/settings.ts';
import { DEFAULT_SPY_PRICE, SPY_PREVIEW_SECONDS, startupTipDue, type SpyOffer } from '../../rules/spying.ts';
import { findShowSettings, type StoredSettings } from '../../store/settings.ts';
import { hasPreviewed, lastStartupTip } from '../../store/spies.ts';
import type { ShowsDependencies } from '../dependencies.ts';

/** A performer's offer of spying: as with private shows, a price in the listings is an offer. */
export async function spyOfferOf(
  { performers }: Pick<ShowsDependencies, 'performers'>,
  tx: Tx,
  performerId: number,
): Promise<SpyOffer> {
  const listed = (await performers.listingsOf(tx, [performerId])).get(performerId)?.spy_price ?? null;
  const { spy_price: stored, spy_startup_tip: tip } = await findShowSettings(tx, performerId);
  return {
    isEnabled: listed !== null,
    pricePerMinuteInToken: listed ?? stored ?? DEFAULT_SPY_PRICE,
    startupTipInToken: tip,
  };
}

/** What a change to the offer stores besides the listing, and the resulting offer. */
export function changedSpyOffer(
  before: SpyOffer,
  change: Partial<SpySettingView>,
): { readonly after: SpyOffer; readonly stored: Partial<StoredSettings> } {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: SpyOffer = { ...before, ...given };
  return {
    after,
    stored: { spy_price: after.pricePerMinuteInToken, spy_startup_tip: after.startupTipInToken },
  };
}

/** What spying on a performer costs a viewer now. */
export interface SpyTerms {
  /** Tokens a minute; 0 for viewers who spy for free. */
  readonly price: number;
  /** Tokens to start. */
  readonly tip: number;
  /** Seconds of the free preview; none when spying is free. */
  readonly preview: number;
}

/** A viewer's current tip to start: 0 soon after another tip of theirs. */
export async function tipDue(
  { tips }: Pick<ShowsDependencies, 'tips'>,
  tx: Tx,
  offer: SpyOffer,
  viewerId: number,
  performerId: number,
): Promise<number> {
  const last = [
    await tips.lastTipAt(tx, viewerId, performerId),
    await lastStartupTip(tx, viewerId, performerId),
  ].flatMap((at) => (at === null ? [] : [at.getTime()]));
  return startupTipDue(offer, last.length === 0 ? null : new Date(Math.max(...last)), tx.now);
}

const previewOf = async (
  tx: Tx,
  viewerId: number,
  performerId: number,
): Promise<number> => (await hasPreviewed(tx, viewerId, performerId) ? 0 : SPY_PREVIEW_SECONDS);

export async function termsOf(
  deps: Pick<ShowsDependencies, 'tips' | 'fanclubs'>,
  tx: Tx,
  offer: SpyOffer,
  viewerId: number,
  performerId: number,
): Promise<SpyTerms> {
  if (spiesFree(await deps.fanclubs.levelOf(tx, viewerId, performerId))) {
    return { price: 0, tip: 0, preview: 0 };
  }
  return {
    price: offer.pricePerMinuteInToken,
    tip: await tipDue(deps, tx, offer, viewerId, performerId),
    preview: await previewOf(tx, viewerId, performerId),
  };
}
