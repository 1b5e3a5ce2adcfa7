import { updateSettings } from '#product/accounts/contract/settings.ts';
import { getListingProfile, saveListingProfile } from '#product/performers/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { FULL_OFFER, mediaPasses, privatePerformer, watches } from '#product/testkit/shows/private-show.ts';
import { spiedShow } from '#product/testkit/shows/spying.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateDiscount } from './contract/private-running.ts';
import { checkPrivate, requestPrivate } from './contract/private-show.ts';
import {
  getShowSettings,
  privateSettingChanged,
  saveShowSettings,
  setDiscount,
} from './contract/settings.ts';
import { checkSpying, endSpying, startSpying } from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('what a performer offers', () => {
  it('is in the room with every field, and in the listings while it is offered [B-142]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const room = await viewer.joins(performer);
    const { username } = performer;
    const saved = await performer.call(saveShowSettings, { private: FULL_OFFER });
    expect(saved).toMatchObject({ private: FULL_OFFER, privateDiscount: null });
    expect(await performer.call(getShowSettings, {})).toEqual(saved);
    await site.settle();
    expect(await room.waitFor(privateSettingChanged)).toMatchObject({ private: FULL_OFFER });
    expect((await viewer.call(getRoom, { username })).userSetting).toMatchObject({ private: FULL_OFFER });
    const listed = await performer.call(getListingProfile, {});
    expect([listed.private_price, listed.exclusive_price]).toEqual([48, 90]);
    await performer.call(saveShowSettings, { private: { isEnabled: false } });
    const unlisted = await performer.call(getListingProfile, {});
    expect([unlisted.private_price, unlisted.exclusive_price]).toEqual([null, null]);
    await performer.call(saveShowSettings, { private: { isEnabled: true, isExclusiveEnabled: true } });
    expect((await performer.call(getShowSettings, {})).private).toEqual(FULL_OFFER);
  });

  it('is each of its switches by itself [B-142]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const room = await viewer.joins(performer);
    const { username } = performer;
    const off = {
      isEnabled: false,
      isExclusiveEnabled: false,
      isRecordingEnabled: false,
      isPreTipEnabled: false,
      isWatchPornTogetherEnabled: false,
    };
    for (const on of [
      {},
      { isEnabled: true },
      { isEnabled: true, isExclusiveEnabled: true },
      { isRecordingEnabled: true },
      { isPreTipEnabled: true },
      { isWatchPornTogetherEnabled: true },
    ]) {
      const offered = { ...off, ...on };
      const before = room.received(privateSettingChanged).length;
      expect((await performer.call(saveShowSettings, { private: offered })).private).toMatchObject(offered);
      await expect.poll(async () => {
        await site.settle();
        return room.received(privateSettingChanged).length;
      }).toBeGreaterThan(before);
      expect(room.received(privateSettingChanged).at(-1)).toMatchObject({ private: offered });
      expect((await viewer.call(getRoom, { username })).userSetting).toMatchObject({ private: offered });
    }
  });

  it('reaches the room from the listing too, with what a discount makes of a new price', async () => {
    const performer = await privatePerformer(site, { pricePerMinuteInToken: 50 });
    await performer.call(setDiscount, { discountRate: 20, minutes: 10 });
    await site.settle();
    const room = await (await site.viewer()).joins(performer);
    await performer.call(saveShowSettings, { private: { pricePerMinuteInToken: 60 } });
    await site.settle();
    await room.waitFor(privateSettingChanged, ({ private: offer }) => offer.pricePerMinuteInToken === 60);
    expect(await room.waitFor(privateDiscount, ({ privatePricePerMinuteInToken: price }) => price === 48))
      .toMatchObject({ discountRate: 20 });
    await performer.call(saveListingProfile, { private_price: 70, exclusive_price: 80, spy_price: 9 });
    await site.settle();
    expect(
      await room.waitFor(
        privateSettingChanged,
        ({ private: offer }) => offer.pricePerMinuteInToken === 70,
      ),
    ).toMatchObject({
      private: { isExclusiveEnabled: true, exclusivePricePerMinuteInToken: 80 },
      spy: { isEnabled: true, pricePerMinuteInToken: 9 },
    });
    await room.waitFor(privateDiscount, ({ privatePricePerMinuteInToken: price }) => price === 56);
  });

  it('of spying is the setting that is saved last, and what a spy pays by the minute [A-189]', async () => {
    const { performer } = await spiedShow(site);
    const { username } = performer;
    for (const [price, tokens] of [[14, 7], [9, 4]] as const) {
      await performer.call(updateSettings, { spy_cost: price });
      const spy = await site.viewer({ tokens: 100 });
      expect((await spy.call(checkSpying, { username })).cost_per_minute).toBe(price);
      expect((await spy.call(startSpying, { username, price })).cost_per_minute).toBe(price);
      await watches(spy, performer);
      // The preview, and half a minute.
      await mediaPasses(site, performer, 10 + 30);
      expect(await spy.call(endSpying, { username }))
        .toMatchObject({ cost_per_minute: price, seconds: 30, tokens });
    }
  });

  it('costs 30 tokens a minute until a price is named [A-021, A-450]', async () => {
    const performer = await site.performer({ live: true });
    expect((await performer.call(getShowSettings, {})).private)
      .toMatchObject({ isEnabled: false, pricePerMinuteInToken: 30 });
    await performer.call(saveShowSettings, { private: { isEnabled: true } });
    await site.settle();
    const viewer = await site.viewer({ tokens: 100 });
    expect((await viewer.call(requestPrivate, { username: performer.username, price: 30 })).cost_per_minute)
      .toBe(30);
    expect(await viewer.call(checkPrivate, { username: performer.username })).toMatchObject({
      cost_per_minute: 30,
      seconds: 200,
      tokens: 100,
      tokens_to_start: 30,
      exclusive_cost_per_minute: null,
    });
  });

  it('is cheaper while a discount runs, which ends by itself and reaches the room [B-162]', async () => {
    const performer = await privatePerformer(site, { pricePerMinuteInToken: 50 });
    const viewer = await site.viewer({ tokens: 100 });
    const room = await viewer.joins(performer);
    const { username } = performer;
    await performer.call(setDiscount, { discountRate: 25, minutes: 10 });
    const until = new Date(site.clock.now().getTime() + 600_000).toISOString();
    const discount = { discountRate: 25, timeLeftInSecond: 600, privatePricePerMinuteInToken: 37, until };
    await site.settle();
    expect(await room.waitFor(privateDiscount)).toEqual(discount);
    await site.passes(90_000);
    expect(await viewer.call(getRoom, { username }))
      .toMatchObject({ privateDiscount: { ...discount, timeLeftInSecond: 510 } });
    expect((await viewer.call(requestPrivate, { username, price: 37 })).cost_per_minute).toBe(37);
    await site.passes(510_000);
    expect(await room.waitFor(privateDiscount, ({ discountRate }) => discountRate === 0))
      .toEqual({ discountRate: 0, timeLeftInSecond: 0, privatePricePerMinuteInToken: 50, until });
    expect((await viewer.call(requestPrivate, { username, price: 50 })).cost_per_minute).toBe(50);
    await performer.call(saveShowSettings, { private: { isEnabled: false } });
    expect((await performer.refused(setDiscount, { discountRate: 25, minutes: 10 })).errorType)
      .toBe('private_not_offered');
  });
});

it('leaves no fault in the ledger, and logs no errors', async () => {
  expect(await faultsOf(site)).toEqual([]);
  expect(site.log).toEqual([]);
});
