import type { OutputOf } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { getHistory, tokenUpdate } from '#product/ledger/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { key, plainOffer, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import {
  buyAtOnce,
  getPurchaseLink,
  listProducts,
  oneClickError,
  paymentUpdate,
  type getBillerNames,
} from './contract.ts';
import {
  addCard,
  changeCard,
  getVerificationLink,
  listCards,
  openCardForm,
  removeCard,
} from './contract/cards.ts';
import { getAutoReUp, setAutoReUp, setPostpay } from './contract/credit.ts';
import { getOrder, listOrders } from './contract/orders.ts';
import { DEFAULT_PRODUCTS, type CatalogueItem } from './rules/products.ts';
import { saveCard } from './store/people.ts';

const shop = await openShop();
const { site } = shop;

const stateOf = async (member: Member, id: string) => (await member.call(getOrder, { id })).order;

/** A member with a card saved by a first purchase of 50 tokens. */
async function cardHolder(): Promise<Member> {
  const member = await site.viewer();
  await shop.buys(member, '1_50');
  expect(await tokensOf(member)).toBe(50);
  return member;
}

describe('buying on a page', () => {
  it('credits once the biller confirms, in every tab, never on return [A-360, A-379]', async () => {
    const member = await site.viewer();
    const tabs = [await site.socketOf(member), await site.socketOf(await site.anotherTabOf(member))];
    const stranger = await site.socketOf(await site.viewer());
    const { purchase_link: link, order_id: id } =
      (await member.request({ url: '/api/v1/billing/purchase-link/1_200' }))
        .json<OutputOf<typeof getPurchaseLink>>();
    const returned = await shop.types(link);
    expect(returned).toContain('http://localhost/account/tokens?');
    expect(returned).toContain('ans=Y');
    expect(returned).toContain(`order_id=${id}`);
    // The browser has returned; its parameters credit nothing.
    await member.request({ url: new URL(returned).pathname + new URL(returned).search });
    await shop.settle();
    expect(await tokensOf(member)).toBe(200);
    for (const tab of tabs) {
      expect(await tab.waitFor(paymentUpdate, ({ state }) => state === 'paid'))
        .toEqual({ order_id: id, state: 'paid', tokens: 200, membership: null, declined_reason: null });
      expect(tab.events.some(({ name }) => name === 'v3.payment.update')).toBe(true);
      const update = await tab.waitFor(tokenUpdate, ({ tokens }) => tokens === 200);
      expect(update).toMatchObject({ type: 'purchase_tokens', token_change: 200, membership: null });
    }
    expect(stranger.received(paymentUpdate)).toEqual([]);
    expect(await stateOf(member, id)).toMatchObject({
      state: 'paid',
      tokens: 200,
      price: { minor: 2_000, currency: 'USD' },
      biller: 'ccbill',
      declined_reason: null,
      card: { brand: 'VISA', last4: cardNumberFor(null).slice(-4) },
    });
    expect((await member.call(getHistory, {})).lines[0])
      .toMatchObject({ kind: 'purchase_tokens', tokens: 200 });
  });

  it('reports why a card was declined, until a newer order; then a membership [A-379]', async () => {
    const member = await site.viewer();
    const tab = await site.socketOf(member);
    const { orderId } = await shop.buys(member, '1_100', { decline: 'NDECLINEDINSFUNDS' });
    expect(await tab.waitFor(paymentUpdate, ({ state }) => state === 'declined')).toEqual({
      order_id: orderId,
      state: 'declined',
      tokens: 100,
      membership: null,
      declined_reason: 'NDECLINEDINSFUNDS',
    });
    expect(await stateOf(member, orderId)).toMatchObject({
      state: 'declined',
      declined_reason: 'NDECLINEDINSFUNDS',
    });
    expect((await member.call(listProducts, {})).declined_reason).toBe('NDECLINEDINSFUNDS');
    expect(await tokensOf(member)).toBe(0);
    await shop.buys(member, '1_100');
    expect((await member.call(listProducts, {})).declined_reason).toBeNull();
    expect(await tokensOf(member)).toBe(100);
    const joined = await shop.buys(member, 'membership_vip');
    expect(
      await tab.waitFor(
        paymentUpdate,
        ({ order_id: id, state }) => id === joined.orderId && state === 'paid',
      ),
    ).toMatchObject({ tokens: 300, membership: 'vip' });
  });

  it('lists only the caller\'s orders, in pages', async () => {
    const member = await site.viewer();
    for (const id of ['1_50', '1_100', '1_200']) await shop.buys(member, id);
    const first = await member.call(listOrders, { limit: 2 });
    expect(first.orders.map(({ internal_id: id }) => id)).toEqual(['1_200', '1_100']);
    const rest = await member.call(listOrders, { limit: 2, before: first.next ?? '' });
    expect(rest.orders.map(({ internal_id: id }) => id)).toEqual(['1_50']);
    expect(rest.next).toBeNull();
    const other = await site.viewer();
    expect((await other.call(listOrders, {})).orders).toEqual([]);
    expect((await other.refused(getOrder, { id: first.orders[0]?.id ?? '' })).errorType)
      .toBe('order_unknown');
    expect((await other.refused(getOrder, { id: 'x' })).errorType).toBe('order_unknown');
  });
});

describe('a saved card', () => {
  it('is charged at one tap, once per key [A-025]', async () => {
    const member = await cardHolder();
    const { products, suggestions, cards } = await member.call(listProducts, {});
    expect(cards).toMatchObject([{ last4: '1111', is_default: true, expired: false }]);
    expect(suggestions.map(({ tokens }) => tokens)).toEqual([50, 100, 200]);
    const product = products.credit.find(({ internal_id: id }) => id === '1_100');
    expect(product?.biller_link).toBe('/billing/oneclick/1_100');
    const tap = key();
    const paid = await member.call(buyAtOnce, { internal_id: '1_100' }, tap);
    expect(paid).toMatchObject({ status: true, link: null, error: null, state: 'paid', tokens: 100 });
    const again = await member.call(buyAtOnce, { internal_id: '1_100' }, tap);
    expect(again).toEqual(paid);
    const problem = await member.refused(buyAtOnce, { internal_id: '1_200' }, tap);
    expect(problem.errorType).toBe('idempotency_key_reused');
    await shop.settle();
    expect(await tokensOf(member)).toBe(150);
    expect(shop.simulators.till('ccbill').ofOrder(paid.order_id)).toHaveLength(1);
    // The biller issued a new token with each charge, so the card can be charged again.
    expect(await member.call(buyAtOnce, { internal_id: '1_50' }, key())).toMatchObject({ status: true });
  });

  it.each(['1_50', 'pass_card'])('is that of a purchase of %s whose buyer asked, and of no other', async (
    product,
  ) => {
    const member = await site.viewer();
    for (const asks of [{}, { keep_card: false }, { keep_card: true }]) {
      const { purchase_link: link } = await member.call(getPurchaseLink, { internal_id: product, ...asks });
      await shop.types(link);
      await shop.settle();
      expect((await member.call(listCards, {})).cards).toHaveLength(asks.keep_card ? 1 : 0);
    }
    expect(await tokensOf(member)).toBe(product === '1_50' ? 150 : 0);
    const { orders } = await member.call(listOrders, {});
    expect(orders.map(({ state }) => state)).toEqual(['paid', 'paid', 'paid']);
  });

  it('is charged by default when no other is given; removing it makes the next one the default', async () => {
    const member = await site.viewer();
    const first = await shop.keeps(member);
    const declined = await shop.keeps(member, 'NDECLINED');
    const defaults = (cards: readonly { id: number; is_default: boolean }[]): readonly number[] =>
      cards.flatMap(({ id, is_default: isDefault }) => (isDefault ? [id] : []));
    expect(defaults((await member.call(listCards, {})).cards)).toEqual([first]);
    expect(await member.call(buyAtOnce, { internal_id: '1_50' }, key())).toMatchObject({ status: true });
    expect(defaults((await member.call(changeCard, { id: declined, is_default: true })).cards))
      .toEqual([declined]);
    expect(await member.call(buyAtOnce, { internal_id: '1_50' }, key())).toMatchObject({ status: false });
    expect(defaults((await member.call(removeCard, { id: declined })).cards)).toEqual([first]);
    expect(await tokensOf(member)).toBe(50);
  });

  it('is the one named by cardId, and may turn on re-up: status, link and error [A-359]', async () => {
    const member = await site.viewer({ tokens: 1_000 });
    await shop.keeps(member);
    const other = await shop.keeps(member, 'NDECLINED');
    const refused = await member.call(buyAtOnce, { internal_id: '1_50', cardId: other }, key());
    expect(refused).toMatchObject({ status: false, link: null, declined_reason: 'NDECLINED' });
    expect(refused.error).toMatch(/declined/u);
    const [first] = (await member.call(listCards, {})).cards.filter(({ id }) => id !== other);
    expect(await member.call(getAutoReUp, {})).toMatchObject({ enabled: false });
    const paid = await member.request({
      method: 'POST',
      url: '/api/v1/billing/oneclick/1_50',
      headers: { 'idempotency-key': uuidV4() },
      payload: { cardId: first?.id ?? 0, autoReUpsSettings: { enabled: true, threshold: 40 } },
    });
    expect([paid.statusCode, paid.json()])
      .toEqual([200, expect.objectContaining({ status: true, link: null, error: null })]);
    const reUp = await member.call(getAutoReUp, {});
    expect(reUp).toMatchObject({ enabled: true, threshold: 40, cardId: first?.id });
    expect((await member.call(listOrders, {})).orders.map(({ card }) => card?.last4))
      .toEqual([first?.last4, cardNumberFor('NDECLINED').slice(-4)]);
  });

  it('is saved once, and as another card when anything on it differs', async () => {
    const member = await site.viewer();
    const face = { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' };
    const keeps = (change: Partial<typeof face>, biller: 'ccbill' | 'segpay' = 'ccbill') =>
      site.tx((tx) => saveCard(tx, member.id, biller, { token: uuidV4(), face: { ...face, ...change } }, 10));
    const first = await keeps({});
    expect((await keeps({}))?.id).toBe(first?.id);
    const others = [
      await keeps({ brand: 'DISCOVER' }),
      await keeps({ first6: '411112' }),
      await keeps({ last4: '1112' }),
      await keeps({ expiry: '12/31' }),
      await keeps({}, 'segpay'),
    ];
    expect(new Set([first, ...others].map((card) => card?.id)).size).toBe(6);
  });

  it('of somebody else cannot be charged, made default or removed', async () => {
    const owner = await cardHolder();
    const [card] = (await owner.call(listCards, {})).cards;
    const thief = await cardHolder();
    const cardId = card?.id ?? 0;
    const before = await tokensOf(thief);
    const problem = await thief.refused(buyAtOnce, { internal_id: '1_50', cardId }, key());
    expect(problem.errorType).toBe('card_unknown');
    expect((await thief.refused(changeCard, { id: cardId, is_default: true })).errorType)
      .toBe('card_unknown');
    expect((await thief.refused(removeCard, { id: cardId })).errorType).toBe('card_unknown');
    expect(await tokensOf(thief)).toBe(before);
    expect((await owner.call(listCards, {})).cards).toHaveLength(1);
  });

  it('without a response is asked about, never charged again', async () => {
    const member = await cardHolder();
    const tab = await site.socketOf(member);
    shop.simulators.arm('ccbill', 'timeout_after_charge');
    shop.simulators.arm('ccbill', 'lost');
    const tap = key();
    const tried = await member.call(buyAtOnce, { internal_id: '1_100' }, tap);
    expect(tried).toMatchObject({ status: false, state: 'unknown', error: 'unknown', link: null });
    expect(await member.call(buyAtOnce, { internal_id: '1_100' }, tap)).toEqual(tried);
    expect(await tokensOf(member)).toBe(50);
    await shop.passes(11_000);
    await tab.waitFor(paymentUpdate, ({ order_id: id, state }) => id === tried.order_id && state === 'paid');
    expect(await tokensOf(member)).toBe(150);
    expect(shop.simulators.till('ccbill').ofOrder(tried.order_id)).toHaveLength(1);
    expect(tab.received(oneClickError)).toEqual([]);
  });

  it('goes from the browser to its biller and arrives here as a token', async () => {
    const member = await site.viewer();
    const form = await member.call(openCardForm, {});
    const typed = {
      nameOnCard: 'Kim Doe',
      cardNumber: cardNumberFor(null),
      expMonth: '12',
      expYear: '30',
      cvv2: '123',
    };
    const made = await fetch(form.url, {
      method: 'POST',
      body: JSON.stringify({ ...form.fields, ...typed }),
      headers: { authorization: `Bearer ${form.bearer}`, 'content-type': 'application/json' },
    });
    const { paymentTokenId: token } = (await made.json()) as { paymentTokenId: string };
    const other = await site.viewer();
    // The token is bound to the person who opened the form.
    expect((await other.refused(addCard, { biller: form.biller, token })).errorType).toBe('card_unknown');
    expect((await member.refused(addCard, { biller: form.biller, token: 'made-up' })).errorType)
      .toBe('card_unknown');
    const { card } = await member.call(addCard, { biller: form.biller, token });
    expect(card).toMatchObject({ last4: '1111', is_default: true });
    expect(await member.call(buyAtOnce, { internal_id: '1_50', cardId: card.id }, key()))
      .toMatchObject({ status: true });
    expect((await member.call(removeCard, { id: card.id })).cards).toEqual([]);
    expect((await member.refused(buyAtOnce, { internal_id: '1_50' }, key())).errorType).toBe('card_unknown');
  });
});

describe('products', () => {
  it('are listed memberships first, without methods that are not switched on', async () => {
    const member = await site.viewer();
    const { products, promo_products: promos, ...rest } = await member.call(listProducts, {
      advert_id: 'x',
      biller_pref: 'segpay',
      cashtocode_country_code: 'DE',
      crypto: true,
      custom_promo_test: 'y',
      iobb: 'z',
      popup_requested: true,
      fp: 'f',
    });
    expect(rest).toMatchObject({
      declined_reason: null,
      daily_purchase_remaining: 100_000,
      currency: 'USD',
      cards: [],
      suggestions: [],
      is_test: true,
    });
    const names = products.credit.map(({ membership }) => membership);
    expect(names.slice(0, 3)).toEqual(['premium', 'vip', 'super_vip']);
    expect(names.slice(3).every((name) => name === null)).toBe(true);
    const low = products.credit.filter(({ highlighted }) => highlighted);
    expect(low.map(({ tokens }) => tokens)).toEqual([200]);
    // Methods that are switched off are not offered.
    expect([products.paypal, products.crypto, products.voucher, promos.default]).toEqual([[], [], [], []]);
    expect((await member.refused(getPurchaseLink, { internal_id: '1_100', method: 'crypto' })).errorType)
      .toBe('product_unknown');
    expect((await member.refused(getPurchaseLink, { internal_id: 'promo_300' })).errorType)
      .toBe('product_unknown');
    expect((await member.refused(getPurchaseLink, { internal_id: 'nothing' })).errorType)
      .toBe('product_unknown');
  });

  it('have a daily limit, by price [A-357]', async () => {
    const member = await cardHolder();
    expect((await member.request({ url: '/api/v1/payment/daily-limit' })).json()).toEqual({
      limit: { minor: 100_000, currency: 'USD' },
      spent: { minor: 500, currency: 'USD' },
      remaining: { minor: 99_500, currency: 'USD' },
      resets_at: '2026-01-16T00:00:00.000Z',
    });
    const buys = await Promise.all(
      Array.from(
        { length: 3 },
        () => member.call(buyAtOnce, { internal_id: '1_7000' }, key()).catch((error: unknown) => error),
      ),
    );
    // Three times $499.99 is above $995 a day, also for concurrent purchases.
    expect(buys.filter((item) => (item as { status?: boolean }).status === true)).toHaveLength(1);
    expect((await member.refused(getPurchaseLink, { internal_id: '1_7000' })).errorType)
      .toBe('daily_purchase_limit');
    expect((await member.request({ url: '/api/v1/payment/daily-limit' })).json()).toMatchObject({
      spent: { minor: 50_499, currency: 'USD' },
      remaining: { minor: 49_501, currency: 'USD' },
    });
  });

  it('show the statement\'s descriptor, and cards are checked without a charge [A-351, A-352]', async () => {
    const guest = await site.visitor();
    await site.tx((tx) => site.services.billing.configure(tx, { companies: ['Lanterna GmbH'] }, null));
    const named = await guest.request({ url: '/api/v1/billing/fling_live_site' });
    const { descriptor, companies } = named.json<OutputOf<typeof getBillerNames>>();
    expect(descriptor).toBe('CANDELA TEST');
    expect(companies).toEqual(expect.arrayContaining(['Lanterna GmbH', 'CANDELA TEST']));
    await site.tx((tx) => site.services.billing.configure(tx, { companies: [] }, null));
    const member = await site.viewer();
    const checked = await member.request({ url: '/api/v1/billing/product_av?keep_card=true' });
    const { biller_link: link } = checked.json<OutputOf<typeof getVerificationLink>>();
    await shop.types(link);
    await shop.settle();
    expect((await member.call(listCards, {})).cards).toMatchObject([{ last4: '1111' }]);
    expect(await tokensOf(member)).toBe(0);
  });

  it('without a free pass allow no card check', async () => {
    const member = await site.viewer();
    const sell = (products: readonly CatalogueItem[]): Promise<void> =>
      site.tx((tx) => site.services.billing.sell(tx, products, null));
    await sell(DEFAULT_PRODUCTS.filter(({ kind }) => kind !== 'pass'));
    expect((await member.refused(getVerificationLink, {})).errorType).toBe('biller_unavailable');
    await sell(DEFAULT_PRODUCTS);
  });

  it('are refused to performers by every call that buys tokens [A-318]', async () => {
    const performer = await site.performer();
    const paths = [
      [listProducts, {}],
      [buyAtOnce, { internal_id: '1_50' }],
      [getPurchaseLink, { internal_id: '1_50' }],
      [getPurchaseLink, { internal_id: 'membership_vip' }],
      [getPurchaseLink, { internal_id: 'promo_300' }],
      [openCardForm, {}],
      [setAutoReUp, {
        enabled: true,
        threshold: 60,
        internal_id: '1_100',
        cardId: 1,
        per_day: 1,
        confirmed: true as const,
        shown: plainOffer(100),
      }],
      [setPostpay, { enabled: true }],
    ] as const;
    for (const [call, input] of paths) {
      expect([call.name, (await performer.refused(call, input, key())).errorType])
        .toEqual([call.name, 'model_cannot_buy']);
    }
    expect((await performer.call(listOrders, {})).orders).toEqual([]);
    expect(await tokensOf(performer)).toBe(0);
  });

  it('are refused to blocked countries and people under review [A-232]', async () => {
    const swede = await site.viewer({ region: 'SE' });
    for (const call of [listProducts, openCardForm]) {
      expect((await swede.refused(call, {})).errorType).toBe('country_blocked');
    }
    expect((await swede.refused(buyAtOnce, { internal_id: '1_50' }, key())).errorType)
      .toBe('country_blocked');
    expect((await swede.refused(getPurchaseLink, { internal_id: '1_50' })).errorType).toBe('country_blocked');
    expect((await swede.call(getCurrentUser, {})).user).toMatchObject({
      lastLoginCountryPurchaseBlocked: true,
      lastLoginCountryTipBlocked: true,
    });
    const guest = await site.visitor();
    expect((await guest.refused(listProducts, {})).status).toBe(401);
    // The operator sets the countries; the last log-in counts, not the current place.
    const norse = await site.viewer({ region: 'NO' });
    expect((await norse.call(listProducts, {})).products.credit.length).toBeGreaterThan(0);
    const blockPurchases = (countries: string[]): Promise<void> =>
      site.tx((tx) => site.services.billing.configure(tx, { purchaseBlockedCountries: countries }, null));
    await blockPurchases(['NO']);
    expect((await norse.refused(listProducts, {})).errorType).toBe('country_blocked');
    expect((await swede.call(getCurrentUser, {})).user).toMatchObject({
      lastLoginCountryPurchaseBlocked: true,
      lastLoginCountryTipBlocked: true,
    });
    // Where tips are blocked nothing can be bought, whatever the operator lists.
    expect((await swede.refused(listProducts, {})).errorType).toBe('country_blocked');
    await blockPurchases(['SE']);
  });

  it('are refused to people who excluded themselves or whose spending is blocked', async () => {
    const member = await cardHolder();
    const until = new Date(site.clock.now().getTime() + DAY_MS);
    await site.tx((tx) => site.services.ledger.selfExclude(tx, member.id, until));
    expect((await member.refused(listProducts, {})).errorType).toBe('purchases_excluded');
    expect((await member.refused(buyAtOnce, { internal_id: '1_50' }, key())).errorType)
      .toBe('purchases_excluded');
    expect((await member.refused(getPurchaseLink, { internal_id: '1_50' })).errorType)
      .toBe('purchases_excluded');
    expect(site.log).toEqual([]);
  });
});
