import {
  handleCall,
  subscribe,
  type CallHandler,
  type DeadlineHandler,
  type Subscription,
} from '#platform/contract/bind.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import type { SettingsPart } from '#product/accounts/extension-points.ts';
import { profileChanged } from '#product/performers/contract.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { privateDiscount } from '../contract/private-running.ts';
import {
  getShowSettings,
  privateNotOffered,
  privateSettingChanged,
  saveShowSettings,
  setDiscount,
  type DiscountView,
  type PrivateSettingView,
  type SpySettingView,
} from '../contract/settings.ts';
import { DEFAULT_PRIVATE_PRICE, discounted, type PrivateOffer } from '../rules/private.ts';
import { findShowSettings, saveShowSettings as save, type StoredSettings } from '../store/settings.ts';
import { sendWhoReads } from './chats.ts';
import type { ShowsDependencies } from './dependencies.ts';
import { changeSharecamOffer, sharecamOfferOf } from './sharecam/settings.ts';
import { changedSpyOffer, spyOfferOf } from './spying/offer.ts';

const DISCOUNT_END = 'shows.discountEnd';

/** A performer's offer, and the discount in effect. */
export interface OfferNow {
  readonly offer: PrivateOffer;
  /** 0 without a discount. */
  readonly discountPercent: number;
  readonly discountUntil: Date | null;
}

/**
 * The offer of a performer. A price in the listings is an offer, so listings and rooms cannot disagree. A
 * price not offered now is the one last offered, or the default.
 */
export async function offerOf(
  { performers }: Pick<ShowsDependencies, 'performers'>,
  tx: Tx,
  performerId: number,
): Promise<OfferNow> {
  const listing = (await performers.listingsOf(tx, [performerId])).get(performerId);
  const stored = await findShowSettings(tx, performerId);
  const { private_price: listed = null, exclusive_price: exclusive = null } = listing ?? {};
  const price = listed ?? stored.private_price ?? DEFAULT_PRIVATE_PRICE;
  const runs = stored.discount_until !== null && stored.discount_until > tx.now;
  return {
    offer: {
      isEnabled: listed !== null,
      pricePerMinuteInToken: price,
      isExclusiveEnabled: exclusive !== null,
      exclusivePricePerMinuteInToken: exclusive ?? stored.exclusive_price ?? price,
      isRecordingEnabled: stored.is_recording_enabled,
      isPreTipEnabled: stored.is_pre_tip_enabled,
      preTipCost: stored.pre_tip,
      isWatchPornTogetherEnabled: stored.is_watch_together_enabled,
      privateMinimumDuration: stored.minimum_minutes,
      minimumTokenToStart: stored.minimum_tokens,
    },
    discountPercent: runs ? stored.discount_percent : 0,
    discountUntil: runs ? stored.discount_until : null,
  };
}

/** The discount as pages show it; null without one. */
export function discountView(
  { offer, discountPercent: discountRate, discountUntil }: OfferNow,
  now: Date,
): DiscountView | null {
  if (discountUntil === null) return null;
  return {
    discountRate,
    timeLeftInSecond: Math.ceil((discountUntil.getTime() - now.getTime()) / SECOND_MS),
    privatePricePerMinuteInToken: discounted(offer.pricePerMinuteInToken, discountRate),
    until: discountUntil.toISOString(),
  };
}

/** The part of a change that this slice stores; absent fields stay as they are. */
function storedChange(change: Partial<PrivateSettingView>): Partial<StoredSettings> {
  const fields: Partial<Record<keyof StoredSettings, unknown>> = {
    private_price: change.pricePerMinuteInToken,
    exclusive_price: change.exclusivePricePerMinuteInToken,
    is_recording_enabled: change.isRecordingEnabled,
    is_pre_tip_enabled: change.isPreTipEnabled,
    pre_tip: change.preTipCost,
    is_watch_together_enabled: change.isWatchPornTogetherEnabled,
    minimum_minutes: change.privateMinimumDuration,
    minimum_tokens: change.minimumTokenToStart,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

interface OfferChange {
  readonly private: { readonly [Key in keyof PrivateSettingView]?: PrivateSettingView[Key] | undefined };
  readonly spy: Partial<SpySettingView>;
}

/** Stores a change to the offer. */
async function writeOffer(
  deps: ShowsDependencies,
  tx: Tx,
  performerId: number,
  { private: change, spy: spyChange }: OfferChange,
): Promise<void> {
  const { offer: before } = await offerOf(deps, tx, performerId);
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: PrivateOffer = { ...before, ...given };
  const prices = {
    pricePerMinuteInToken: after.pricePerMinuteInToken,
    exclusivePricePerMinuteInToken: after.exclusivePricePerMinuteInToken,
  };
  const spyBefore = await spyOfferOf(deps, tx, performerId);
  const spy = changedSpyOffer(spyBefore, spyChange);
  await save(tx, performerId, { ...storedChange({ ...given, ...prices }), ...spy.stored });
  // An exclusive show is a private show: it is not offered alone.
  const isExclusive = after.isEnabled && after.isExclusiveEnabled;
  await deps.performers.saveListing(tx, performerId, {
    private_price: after.isEnabled ? after.pricePerMinuteInToken : null,
    exclusive_price: isExclusive ? after.exclusivePricePerMinuteInToken : null,
    spy_price: spy.after.isEnabled ? spy.after.pricePerMinuteInToken : null,
  });
  if (spy.after.isEnabled !== spyBefore.isEnabled) await sendWhoReads(deps, tx, performerId);
}

async function changeOffer(
  deps: ShowsDependencies,
  tx: Tx,
  performerId: number,
  change: OfferChange,
): Promise<void> {
  await writeOffer(deps, tx, performerId, change);
  await deps.accounts.sendSettings(tx, performerId);
}

/** The price of the offer as a setting. Saving it does not switch private shows on or off. */
export const privateCost = (deps: ShowsDependencies): SettingsPart => ({
  keys: ['private_cost'],
  read: async (tx, { id, type }) => (type === 'model'
    ? { private_cost: (await offerOf(deps, tx, id)).offer.pricePerMinuteInToken }
    : {}),
  check: async (_tx, { type }) => (type === 'model' ? null : 'setting_refused'),
  write: (tx, { id }, { private_cost: price }) =>
    writeOffer(deps, tx, id, { private: { pricePerMinuteInToken: price }, spy: {} }),
});

const LISTED = ['private_price', 'exclusive_price', 'spy_price'] as const;

/** Remembers a price offered in the listings, for the next time the performer offers it. */
async function rememberListed(deps: ShowsDependencies, tx: Tx, performerId: number): Promise<void> {
  const listing = (await deps.performers.listingsOf(tx, [performerId])).get(performerId);
  const stored = await findShowSettings(tx, performerId);
  const changed = LISTED.flatMap((name) => {
    const price = listing?.[name] ?? null;
    return price === null || price === stored[name] ? [] : [[name, price] as const];
  });
  if (changed.length > 0) await save(tx, performerId, Object.fromEntries(changed));
}

/** Sends a room the offer and discount after each change of the listing: other pages save prices too. */
export const offerPush = (deps: ShowsDependencies): Subscription =>
  subscribe(profileChanged, 'shows.offer.profileChanged')(async (
    { operatorId, payload: { performerId } },
  ) =>
    deps.data.tx({ operatorId }, async (tx) => {
      await rememberListed(deps, tx, performerId);
      const { offer, discountPercent } = await offerOf(deps, tx, performerId);
      await tx.send(topicChannel(roomTopic(performerId)), privateSettingChanged, {
        private: offer,
        spy: await spyOfferOf(deps, tx, performerId),
      });
      if (discountPercent > 0) await sendDiscount(deps, tx, performerId);
    })
  );

/** Sends a room the current discount, or that it has ended. */
async function sendDiscount(deps: ShowsDependencies, tx: Tx, performerId: number): Promise<void> {
  const now = await offerOf(deps, tx, performerId);
  await tx.send(
    topicChannel(roomTopic(performerId)),
    privateDiscount,
    discountView(now, tx.now) ?? {
      discountRate: 0,
      timeLeftInSecond: 0,
      privatePricePerMinuteInToken: now.offer.pricePerMinuteInToken,
      until: tx.now.toISOString(),
    },
  );
}

export function offerHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data } = deps;
  const viewOf = async (tx: Tx, performerId: number) => {
    const now = await offerOf(deps, tx, performerId);
    return {
      private: now.offer,
      sharecam: await sharecamOfferOf(deps, tx, performerId),
      spy: await spyOfferOf(deps, tx, performerId),
      privateDiscount: discountView(now, tx.now),
    };
  };
  return [
    handleCall(getShowSettings)(async (_input, context) =>
      data.tx(context.scope, (tx) => viewOf(tx, context.personId))
    ),
    handleCall(saveShowSettings)(async ({ private: change = {}, spy = {}, sharecam }, context) =>
      data.tx(context.scope, async (tx) => {
        await changeOffer(deps, tx, context.personId, { private: change, spy });
        if (sharecam) await changeSharecamOffer(deps, tx, context.personId, sharecam);
        return viewOf(tx, context.personId);
      })
    ),
    handleCall(setDiscount)(async ({ discountRate: percent, minutes }, context) =>
      data.tx(context.scope, async (tx) => {
        const performerId = context.personId;
        const { offer } = await offerOf(deps, tx, performerId);
        if (percent > 0 && !offer.isEnabled) return context.refuse(privateNotOffered);
        const until = percent === 0 ? null : new Date(tx.now.getTime() + minutes * MINUTE_MS);
        await save(tx, performerId, { discount_percent: percent, discount_until: until });
        if (until === null) await tx.unschedule(DISCOUNT_END, String(performerId));
        else await tx.schedule({ kind: DISCOUNT_END, key: String(performerId), at: until });
        await sendDiscount(deps, tx, performerId);
        return viewOf(tx, performerId);
      })
    ),
  ];
}

/** Notifies the room when a discount's time is over. */
export const discountEnd = (deps: ShowsDependencies): DeadlineHandler => ({
  kind: DISCOUNT_END,
  handle: async ({ operatorId, key }) =>
    deps.data.tx({ operatorId }, async (tx) => {
      const performerId = Number(key);
      const { discount_until: until } = await findShowSettings(tx, performerId);
      if (until === null || until > tx.now) return;
      await save(tx, performerId, { discount_percent: 0, discount_until: null });
      await sendDiscount(deps, tx, performerId);
    }),
});
