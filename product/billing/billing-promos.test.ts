import type { OutputOf } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { getBalance, tokenUpdate } from '#product/ledger/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import { buyAtOnce, getJoinOffer, getPurchaseLink, listProducts } from './contract.ts';
import { changeBillingRules, changeProduct, listManagedProducts } from './contract/operator.ts';
import { cancelMembership, getMembership, getOrder, listOrders } from './contract/orders.ts';
import { getSpins, listPromos, redeemPromoCode, spin, wheelCount } from './contract/promos.ts';
import type { BillingService } from './server.ts';

const shop = await openShop();
const { site } = shop;

/** The wheel's prizes in tokens with their odds, written out. */
const PRIZES = [
  { tokens: 2, odds: 0.5 },
  { tokens: 5, odds: 0.3 },
  { tokens: 10, odds: 0.14 },
  { tokens: 25, odds: 0.05 },
  { tokens: 100, odds: 0.01 },
];

const key = (): { idempotencyKey: string } => ({ idempotencyKey: uuidV4() });
const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const configure = (settings: Parameters<BillingService['configure']>[1]): Promise<void> =>
  site.tx((tx) => site.services.billing.configure(tx, settings, null));

describe('promotions', () => {
  it('are off by default, and the site configuration lists the running ones [A-150, A-339]', async () => {
    const member = await site.viewer();
    expect((await member.call(listPromos, {})).promos).toEqual([]);
    expect(await member.call(getSpins, {})).toEqual({ enabled: false, spins: 0, prizes: [] });
    expect((await member.refused(redeemPromoCode, { code: 'FREE_TOKENS' })).errorType)
      .toBe('promo_unavailable');
    expect((await member.refused(spin, {}, key())).errorType).toBe('promo_unavailable');
    const guest = await site.visitor();
    expect((await guest.refused(getJoinOffer, {})).errorType).toBe('promo_unavailable');
    const running = async (query = ''): Promise<Record<string, unknown>> =>
      (await guest.request({ url: `/api/v1/site_config${query}` })).json();
    const off = { freeTokensProduct: false, wheelProduct: false };
    expect(await running()).toMatchObject({ arePromoProductsEnabled: off, promo_offer_img: null });
    const admin = await site.admin();
    for (const [promos, wheel] of [[true, false], [false, true], [true, true]] as const) {
      await admin.call(changeBillingRules, {
        switches: [{ name: 'promos', on: promos }, { name: 'wheel', on: wheel }],
        reason: 'a test of both',
      });
      expect((await running()).arePromoProductsEnabled)
        .toEqual({ freeTokensProduct: promos, wheelProduct: wheel });
    }
    await configure({ promoOfferImages: { xv300wo: '/offers/x.webp', '*': '/offers/y.webp' } });
    expect((await running('?id=xv300wo')).promo_offer_img).toBe('/offers/x.webp');
    for (const other of ['', '?id=xv300fco']) {
      expect((await running(other)).promo_offer_img).toBe('/offers/y.webp');
    }
    expect((await guest.call(getSiteConfig, { id: '__proto__' })).promo_offer_img).toBe('/offers/y.webp');
  });

  it('have spins that are asked for without a payload [A-361]', async () => {
    await configure({ switches: { promos: true, wheel: true } });
    const member = await site.viewer();
    const answersWith = async (spins: number): Promise<void> => {
      const answer = await member.request({ url: '/api/v1/promo-wheel/spins' });
      expect([answer.statusCode, answer.json()]).toEqual([200, { enabled: true, spins, prizes: PRIZES }]);
    };
    await answersWith(1);
    await member.call(spin, {}, key());
    await answersWith(0);
    await shop.buys(member, '1_50');
    await answersWith(1);
  });

  it('show the offer by advert until the first purchase [A-355, A-485]', async () => {
    await configure({ switches: { promos: true, wheel: true } });
    const member = await site.viewer();
    const kinds = async (query: { advert_id?: string; promo?: string }): Promise<readonly string[]> =>
      (await member.call(listPromos, query)).promos.map(({ kind }) => kind);
    const usual = ['offer', 'free_tokens', 'wheel'];
    expect(await kinds({ promo: 'nwh' })).toEqual(usual);
    expect(await kinds({ advert_id: 'unknown', promo: 'nwh' })).toEqual(usual);
    const answer = await member.request({
      url: '/api/v1/billing/promos?advert_id=xv300fco&promo=nwh',
    });
    const special = answer.json<OutputOf<typeof listPromos>>();
    expect(special.promos.map(({ kind }) => kind)).toEqual(['special', 'free_tokens', 'wheel']);
    expect(special.promos[0]).toMatchObject({ product: { tokens: 300, amount: 10.99 }, free_tokens: 200 });
    expect(special.promos[1]).toMatchObject({ product: null, free_tokens: 100 });
    // The prize of a wheel is unknown before the draw.
    expect(special.promos[2]).toMatchObject({ product: null, free_tokens: 0 });
    expect((await member.call(listProducts, {})).promo_products.default).toMatchObject(
      [{ internal_id: 'promo_300', free_tokens: 200 }],
    );
    await shop.buys(member, 'promo_300');
    expect(await tokensOf(member)).toBe(500);
    expect((await member.call(listPromos, {})).promos.map(({ kind }) => kind))
      .toEqual(['free_tokens', 'wheel']);
    expect((await member.refused(getPurchaseLink, { internal_id: 'promo_300' })).errorType)
      .toBe('product_unknown');
  });

  it('are special for xv300wo or xv300fco with nwh, dgs or spl, nothing else [A-355, A-464]', async () => {
    await configure({ switches: { promos: true } });
    const guest = await site.visitor({ ofAge: true });
    const kindsFor = async (query: { advert_id?: string; promo?: string }): Promise<readonly string[]> =>
      (await guest.call(listPromos, query)).promos.map(({ kind }) => kind);
    for (const advert of ['xv300wo', 'xv300fco']) {
      for (const promo of ['nwh', 'dgs', 'spl']) {
        expect(await kindsFor({ advert_id: advert, promo })).toContain('special');
      }
      expect(await kindsFor({ advert_id: advert, promo: 'other' })).not.toContain('special');
      expect(await kindsFor({ advert_id: advert })).not.toContain('special');
    }
    expect(await kindsFor({ advert_id: 'other', promo: 'nwh' })).not.toContain('special');
    expect(await kindsFor({ promo: 'nwh' })).not.toContain('special');
  });

  it('redeem a code once per person, for any number of concurrent sessions', async () => {
    await configure({ switches: { promos: true } });
    const member = await site.viewer();
    for (const missing of [{}, { code: '' }, { code: '   ' }]) {
      expect((await member.refused(redeemPromoCode, missing)).status).toBe(422);
    }
    expect((await member.refused(redeemPromoCode, { code: 'ab' })).status).toBe(422);
    expect((await member.refused(redeemPromoCode, { code: 'nothing' })).errorType).toBe('promo_code_unknown');
    const tabs = [member, ...(await Promise.all([1, 2, 3].map(() => site.anotherTabOf(member))))];
    const tries = await Promise.all(
      tabs.map((tab) =>
        tab.call(redeemPromoCode, { code: ' free_tokens ' }).then(() => 'given', () => 'refused')
      ),
    );
    expect(tries.filter((text) => text === 'given')).toHaveLength(1);
    expect(await tokensOf(member)).toBe(100);
    expect((await member.refused(redeemPromoCode, { code: 'FREE_TOKENS' })).errorType)
      .toBe('promo_code_used');
  });

  it('give the last use of a code to one of many', async () => {
    await site.tx((tx) =>
      site.services.billing.addCode(tx, {
        code: 'last_one',
        tokens: 7,
        startsAt: site.clock.now(),
        endsAt: null,
        maxUses: 1,
      }, null)
    );
    const members = await Promise.all([1, 2, 3, 4].map(() => site.viewer()));
    const tries = await Promise.all(
      members.map((member) =>
        member.call(redeemPromoCode, { code: 'LAST_ONE' }).then(() => 'given', () => 'refused')
      ),
    );
    expect(tries.filter((text) => text === 'given')).toHaveLength(1);
  });

  it('give one free spin a day, and one for each purchase [A-172, A-386]', async () => {
    await configure({ switches: { wheel: true, promos: true } });
    const member = await site.viewer();
    const tab = await site.socketOf(member);
    const another = await site.socketOf(await site.anotherTabOf(member));
    const apart = await site.socketOf(await site.viewer());
    const { spins, prizes, enabled } = await member.call(getSpins, {});
    expect([enabled, spins]).toEqual([true, 1]);
    expect(prizes).toEqual(PRIZES);
    const vault = async () => (await member.call(getCurrentUser, {})).user.vault_wheel;
    expect(await vault()).toEqual({ spins: 0 });
    expect((await member.refused(spin, { vault: true }, key())).errorType).toBe('no_spins');
    const turn = key();
    const first = await member.call(spin, {}, turn);
    expect(PRIZES.map(({ tokens }) => tokens)).toContain(first.prize);
    expect(await member.call(spin, {}, turn)).toEqual(first);
    expect(await tokensOf(member)).toBe(first.prize);
    expect((await member.refused(spin, {}, key())).errorType).toBe('no_spins');
    await shop.buys(member, '1_50');
    expect(await vault()).toEqual({ spins: 1 });
    expect(await tab.waitFor(wheelCount, ({ spins: left }) => left === 1)).toEqual({ spins: 1 });
    await shop.buys(member, '1_50');
    expect(await vault()).toEqual({ spins: 2 });
    const turns = await Promise.all(
      [1, 2, 3].map(() => member.call(spin, { vault: true }, key()).then(() => 'turned', () => 'refused')),
    );
    expect(turns.filter((text) => text === 'turned')).toHaveLength(2);
    expect(await vault()).toEqual({ spins: 0 });
    await shop.settle();
    // Counts of the free spin, the two bought ones and their use, in each tab of this person and in no other.
    for (const one of [tab, another]) {
      await one.waitFor(wheelCount, () => one.received(wheelCount).length === 5);
      expect(one.events.filter(({ name }) => name === 'v3.promo_wheel_count').map(({ payload }) => payload))
        .toEqual([{ spins: 0 }, { spins: 1 }, { spins: 2 }, { spins: 1 }, { spins: 0 }]);
    }
    expect(apart.received(wheelCount)).toEqual([]);
    await shop.passes(DAY_MS);
    expect((await member.call(getSpins, {})).spins).toBe(1);
    const belgian = await site.viewer({ region: 'BE' });
    expect((await belgian.call(getSpins, {})).enabled).toBe(false);
    expect((await belgian.refused(spin, {}, key())).errorType).toBe('promo_unavailable');
  });
});

describe('the join offer', () => {
  it('puts a card or a PayPal account on file at its biller, without a charge', async () => {
    await configure({ switches: { joinOffer: true, paypal: true } });
    const member = await site.viewer();
    const guest = await site.visitor();
    const { cc, pp } = await guest.call(getJoinOffer, {});
    for (const [product, method] of [[cc, 'card'], [pp, 'paypal']] as const) {
      const { purchase_link: link, order_id: id } = await member.call(getPurchaseLink, {
        internal_id: product?.internal_id ?? '',
        method,
      });
      expect(new URL(link).hostname).toBe('127.0.0.1');
      expect((await member.call(getOrder, { id })).order).toMatchObject({
        price: { minor: 0 },
        tokens: 0,
        biller: product?.biller,
      });
    }
    await configure({ switches: { paypal: false } });
    expect((await guest.call(getJoinOffer, {})).pp).toBeNull();
    expect((await member.refused(getPurchaseLink, { internal_id: 'pass_card', method: 'paypal' })).errorType)
      .toBe('product_unknown');
  });

  it('is one of four variants, by its output [A-354, B-323]', async () => {
    await configure({ switches: { joinOffer: true, promos: true, paypal: true } });
    const guest = await site.visitor();
    const plain = (await guest.request({ url: '/api/v1/billing/products_rcc' }))
      .json<OutputOf<typeof getJoinOffer>>();
    expect(plain).toMatchObject({
      join_form: null,
      regular: null,
      promo: null,
      cc: { tokens: 0, amount: 0, biller: 'ccbill' },
    });
    expect(plain.cc?.biller_link).toBe('/billing/purchase-link/pass_card?method=card&biller=ccbill');
    expect(plain.pp?.biller_link).toBe('/billing/purchase-link/pass_card?method=paypal&biller=segpay');
    expect(plain.pp).toMatchObject({ tokens: 0, amount: 0 });
    const pay = { tokens: 0, amount: 0 };
    expect(await guest.call(getJoinOffer, { join_form: '4' }))
      .toMatchObject({ join_form: '4', regular: null, promo: null, cc: pay, pp: pay });
    const promo = await guest.call(getJoinOffer, { promo: 'x' });
    expect(promo.promo?.link).toBe('/billing/purchase-link/promo_300?method=card&biller=ccbill');
    const member = await site.viewer();
    const existing = await member.call(getJoinOffer, { join_form: '4', promo: 'x' });
    expect(existing).toMatchObject({ join_form: null, cc: null, pp: null, promo: null });
    expect(existing.regular?.find(({ tokens }) => tokens === 200)).toMatchObject({
      biller_link: '/billing/purchase-link/1_200?method=card&biller=ccbill',
      tokens: 200,
      amount: 20,
    });
    expect(existing.regular?.map(({ tokens }) => tokens)).toEqual(expect.arrayContaining([50, 100, 550]));
    expect((await member.call(getJoinOffer, {})).regular).toEqual(existing.regular);
  });
});

describe('a membership', () => {
  it('lasts as long as it is paid for, renews, and ends after it is cancelled [A-215, A-383]', async () => {
    const member = await site.viewer();
    const tab = await site.socketOf(member);
    await shop.buys(member, 'membership_vip');
    expect(await member.call(getMembership, {})).toMatchObject({
      membership: 'vip',
      renews: true,
      price: { minor: 3_999, currency: 'USD' },
    });
    expect((await member.call(getCurrentUser, {})).user.membership).toBe('vip');
    const update = await tab.waitFor(tokenUpdate, ({ membership }) => membership === 'vip');
    expect(update).toEqual({
      username: member.username,
      tokens: 300,
      token_change: 0,
      type: 'membership',
      membership: 'vip',
      pmIsEnabled: true,
    });
    expect(await tab.waitFor(tokenUpdate, ({ type }) => type === 'purchase_tokens')).toMatchObject({
      username: member.username,
      tokens: 300,
      token_change: 300,
      pmIsEnabled: true,
    });
    const till = shop.simulators.till('ccbill');
    const first = (await member.call(listOrders, {})).orders[0];
    await shop.passes(29 * DAY_MS);
    expect(till.renew(first?.reference ?? '')).not.toBeNull();
    await shop.settle();
    expect(await tokensOf(member)).toBe(600);
    const { orders } = await member.call(listOrders, {});
    expect(orders.map(({ state, membership }) => [state, membership]))
      .toEqual([['paid', 'vip'], ['paid', 'vip']]);
    await shop.passes(5 * DAY_MS);
    // Sessions end after a month without a visit.
    await member.logsIn();
    expect((await member.call(getMembership, {})).membership).toBe('vip');
    const { until } = await member.call(cancelMembership, {});
    expect(await member.call(getMembership, {})).toMatchObject({ membership: 'vip', renews: false, until });
    expect((await member.refused(cancelMembership, {})).errorType).toBe('order_state');
    const later = await site.socketOf(member);
    await shop.passes(29 * DAY_MS);
    expect(await member.call(getMembership, {})).toEqual({
      membership: null,
      until: null,
      renews: false,
      price: null,
    });
    expect(await later.waitFor(tokenUpdate, ({ type }) => type === 'membership')).toMatchObject({
      username: member.username,
      token_change: 0,
      membership: null,
    });
  });

  it(
    'has its fields in each update: of a purchase, a membership, a tip of the last tokens [A-215, A-383]',
    async () => {
      const performer = await site.performer({ live: true });
      const member = await site.viewer();
      const tab = await site.socketOf(member);
      const { username } = member;
      await shop.buys(member, '1_50');
      await member.tips(performer, 50);
      await shop.settle();
      await shop.buys(member, 'membership_vip');
      await member.tips(performer, 300);
      await shop.settle();
      await tab.waitFor(
        tokenUpdate,
        ({ type, tokens, membership }) => type === 'tip' && tokens === 0 && membership === 'vip',
      );
      const sent = tab.events.filter(({ name }) => name === 'v3.token.update').map(({ payload }) => payload);
      expect(sent).toHaveLength(5);
      const none = { username, membership: null };
      expect(sent).toEqual(expect.arrayContaining([
        { ...none, tokens: 50, token_change: 50, type: 'purchase_tokens', pmIsEnabled: true },
        { ...none, tokens: 0, token_change: -50, type: 'tip', pmIsEnabled: false },
        { username, tokens: 300, token_change: 0, type: 'membership', membership: 'vip', pmIsEnabled: true },
        {
          username,
          tokens: 300,
          token_change: 300,
          type: 'purchase_tokens',
          membership: 'vip',
          pmIsEnabled: true,
        },
        { username, tokens: 0, token_change: -300, type: 'tip', membership: 'vip', pmIsEnabled: true },
      ]));
    },
  );

  it('can be won back, and retains the price it was bought at [A-176]', async () => {
    await configure({ switches: { promos: true } });
    const admin = await site.admin();
    const priceIs = async (price_minor: number): Promise<void> => {
      const { products } = await admin.call(listManagedProducts, {});
      const premium = products.find(({ internal_id: id }) => id === 'membership_premium');
      await admin.call(changeProduct, {
        internal_id: 'membership_premium',
        revision: premium?.revision ?? 0,
        tokens: 100,
        free_tokens: 0,
        price_minor,
        currency: 'USD',
        days: 30,
        one_click: true,
        countries: [],
        reason: 'a test of offers',
      });
    };
    const member = await site.viewer();
    await shop.buys(member, 'membership_premium');
    expect(await member.call(getCurrentUser, {})).toMatchObject({
      has_cc: true,
      has_purchase: true,
      premium_winback_offer: null,
      premium_grandfathered_offer: null,
    });
    await priceIs(2_999);
    expect((await member.call(getCurrentUser, {})).premium_grandfathered_offer).toEqual({
      internal_id: 'membership_premium',
      membership: 'premium',
      price: { minor: 1_999, currency: 'USD' },
    });
    // The price they joined at is not offered while today's price is lower.
    await priceIs(1_899);
    expect((await member.call(getCurrentUser, {})).premium_grandfathered_offer).toBeNull();
    await priceIs(2_999);
    await shop.passes(40 * DAY_MS);
    await member.opens();
    await member.logsIn();
    expect(await member.call(getCurrentUser, {})).toMatchObject({
      premium_grandfathered_offer: null,
      premium_winback_offer: {
        internal_id: 'membership_premium_winback',
        membership: 'premium',
        price: { minor: 1_499, currency: 'USD' },
      },
    });
    expect(await member.call(buyAtOnce, { internal_id: 'membership_premium_winback' }, key()))
      .toMatchObject({ status: true });
    expect((await member.call(getMembership, {})).membership).toBe('premium');
    expect((await member.call(getCurrentUser, {})).premium_winback_offer).toBeNull();
    await admin.opens();
    await admin.logsIn();
    await priceIs(1_999);
  });

  it('cannot be won back by people who never were members, still are, or were long ago [A-176]', async () => {
    await configure({ switches: { promos: true } });
    const winback = { internal_id: 'membership_premium_winback' };
    const [never, running, long] = [await site.viewer(), await site.viewer(), await site.viewer()];
    await shop.buys(never, '1_50');
    for (const member of [running, long]) await shop.buys(member, 'membership_premium');
    const refusals = async (member: Member) => [
      (await member.refused(buyAtOnce, winback, key())).errorType,
      (await member.refused(getPurchaseLink, winback)).errorType,
      (await member.call(listProducts, {})).promo_products.default
        .some(({ internal_id: id }) => id === winback.internal_id),
      (await member.call(getCurrentUser, {})).premium_winback_offer,
    ];
    const none = ['product_unknown', 'product_unknown', false, null];
    expect(await refusals(never)).toEqual(none);
    expect(await refusals(running)).toEqual(none);
    await shop.passes(31 * DAY_MS);
    await long.opens();
    await long.logsIn();
    expect((await long.call(getPurchaseLink, winback)).order_id).not.toBe('');
    await configure({ switches: { promos: false } });
    expect(await refusals(long)).toEqual(none);
    await configure({ switches: { promos: true } });
    await shop.passes(90 * DAY_MS);
    await long.opens();
    await long.logsIn();
    expect(await refusals(long)).toEqual(none);
  });
});
