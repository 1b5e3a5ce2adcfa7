import type { OutputOf } from '#platform/contract/call.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { becomePerformer } from '#product/accounts/contract/performing.ts';
import { saveConsent } from '#product/consent/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { key, plainOffer, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { buyAtOnce, getPrices, getPurchaseLink, listProducts } from './contract.ts';
import { getVerificationLink, openCardForm } from './contract/cards.ts';
import { getAutoReUp, getPostpay, setAutoReUp, setPostpay } from './contract/credit.ts';
import { getMembership } from './contract/orders.ts';
import { findPayments } from './contract/payments.ts';
import { DEFAULT_PRODUCTS } from './rules/products.ts';

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();

const configure = (settings: Parameters<typeof site.services.billing.configure>[1]): Promise<void> =>
  site.tx((tx) => site.services.billing.configure(tx, settings, null));
const traceOf = async (orderId: string) =>
  (await admin.call(findPayments, { order: orderId })).payments[0]?.trace;

describe('a biller\'s page', () => {
  it('leads away unless operator, account and page all allow a frame', async () => {
    const member = await site.viewer();
    const ask = { internal_id: '1_50', back: '/luna_vale', biller: 'ccbill', frame: true };
    const away = await member.call(getPurchaseLink, ask);
    expect(away.in_frame).toBe(false);
    expect(await shop.types(away.purchase_link)).toContain('/luna_vale?order_id=');
    await configure({ framedBillers: ['ccbill'] });
    expect((await member.call(getPurchaseLink, { ...ask, frame: false })).in_frame).toBe(false);
    expect((await member.call(getPurchaseLink, { ...ask, biller: 'segpay' })).in_frame).toBe(false);
    const framed = await member.call(getPurchaseLink, ask);
    expect(framed.in_frame).toBe(true);
    const returned = new URL(await shop.types(framed.purchase_link));
    expect(returned.pathname).toBe('/enter.php');
    expect(Object.fromEntries(returned.searchParams)).toMatchObject({
      id: framed.order_id,
      type: 'purchase',
      model: 'luna_vale',
    });
    await shop.settle();
    expect(await tokensOf(member)).toBe(100);
    // A card check still opens the biller's own page.
    const { biller_link: check } = await member.call(getVerificationLink, {});
    expect(await shop.types(check)).toContain('/account/verify?order_id=');
    await expect(configure({ framedBillers: ['nobody'] })).rejects.toThrow('framedBillers');
    await configure({ framedBillers: [] });
  });

  it('is the preferred biller\'s, and the usual one for an unknown biller [A-353]', async () => {
    const member = await site.viewer();
    const billersOf = async (biller_pref: string): Promise<unknown[]> => {
      const { products } = await member.call(listProducts, { biller_pref });
      return [...new Set(products.credit.map(({ biller }) => biller))];
    };
    const { billers } = await member.call(listProducts, {});
    expect(billers.slice(0, 3)).toEqual(['ccbill', 'segpay', 'rocketgate']);
    for (const name of billers) expect(await billersOf(name)).toEqual([name]);
    for (const other of ['btcpay', 'nobody', '']) expect(await billersOf(other)).toEqual(['ccbill']);
    await shop.buys(member, '1_50');
    // A card at another biller is not charged instead.
    const { products } = await member.call(listProducts, { biller_pref: 'segpay' });
    expect(products.credit.some((item) => item.is_oneclick || item.biller !== 'segpay')).toBe(false);
    expect((await member.call(listProducts, { biller_pref: 'ccbill' })).suggestions).toHaveLength(3);
    const { biller_link: link } = products.credit[0] ?? { biller_link: '' };
    const { searchParams } = new URL(`http://x${link}`);
    expect(searchParams.get('biller')).toBe('segpay');
  });
});

describe('the list of products', () => {
  it('is that of the country, the promotion under test and what was bought [A-353]', async () => {
    await configure({ switches: { promos: true, paypal: true, crypto: true, vouchers: true } });
    const promo = DEFAULT_PRODUCTS.find(({ kind }) => kind === 'promo') ?? DEFAULT_PRODUCTS[0];
    await site.tx((tx) =>
      site.services.billing.sell(tx, [
        ...DEFAULT_PRODUCTS,
        ...(promo ? [{ ...promo, internalId: 'promo_other' }] : []),
      ], null)
    );
    const member = await site.viewer({ region: 'US-NY' });
    const answer = await member.request({ method: 'POST', url: '/api/v1/billing/products', payload: {} });
    const plain = answer.json<OutputOf<typeof listProducts>>();
    expect(plain.products.credit.length).toBeGreaterThan(4);
    expect(plain.products.paypal.length).toBeGreaterThan(4);
    for (const { internal_id: id, biller_link: link } of plain.products.credit) {
      expect(link).toBe(`/billing/purchase-link/${id}?method=card&biller=ccbill`);
    }
    for (const { internal_id: id, biller_link: link } of plain.products.paypal) {
      expect(link).toBe(`/billing/purchase-link/${id}?method=paypal&biller=segpay`);
    }
    const currency = (listing: typeof plain) => listing.products.voucher[0]?.price.currency;
    expect(currency(plain)).toBe('USD');
    expect(currency(await member.call(listProducts, { cashtocode_country_code: 'DE' }))).toBe('EUR');
    const promoted = async (test?: string): Promise<readonly string[]> =>
      (await member.call(listProducts, test === undefined ? {} : { custom_promo_test: test }))
        .promo_products.default.map(({ internal_id: id }) => id).toSorted();
    expect(await promoted()).toEqual(['promo_300', 'promo_other']);
    expect(await promoted('promo_other')).toEqual(['promo_other']);
    expect(await promoted('promo_300')).toEqual(['promo_300']);
    // Only the page uses these two; they do not change the answer.
    expect(await member.call(listProducts, { crypto: true, popup_requested: true })).toEqual(plain);
    expect(plain).toMatchObject({ declined_reason: null, daily_purchase_remaining: 100_000 });
    await shop.buys(member, '1_50');
    await shop.buys(member, '1_100', { decline: 'NEXPIRED', biller: 'rocketgate' });
    expect(await member.call(listProducts, {})).toMatchObject({
      declined_reason: 'NEXPIRED',
      daily_purchase_remaining: 99_500,
    });
    await shop.buys(member, '1_100');
    expect(await member.call(listProducts, {})).toMatchObject({
      declined_reason: null,
      daily_purchase_remaining: 98_500,
      promo_products: { default: [] },
    });
    await site.tx((tx) => site.services.billing.sell(tx, DEFAULT_PRODUCTS, null));
    await configure({ switches: { promos: false, paypal: false, crypto: false, vouchers: false } });
  });
});

it('prices are known to a guest before they sign up: those that a new member then finds', async () => {
  const guest = await site.visitor();
  expect((await guest.refused(listProducts, {})).status).toBe(401);
  const { prices } = await guest.call(getPrices, {});
  const member = await site.viewer();
  const { credit } = (await member.call(listProducts, {})).products;
  const packs = credit.filter((item) => item.membership === null);
  expect(packs.length).toBeGreaterThan(2);
  expect(prices).toEqual(packs.map(({ tokens, free_tokens, price }) => ({ tokens, free_tokens, price })));
});

describe('attribution', () => {
  const signs = { advert_id: 'spring.7', fp: 'fingerprint-of-a-browser', iobb: '0400'.repeat(900) };

  it('is stored with a purchase for admins: the advert, and digests of the device [A-353]', async () => {
    const [one, other] = [await site.viewer(), await site.viewer()];
    const stored = [];
    for (const member of [one, other]) {
      const { trace } = await member.call(listProducts, signs);
      const { order_id: id } = await member.call(getPurchaseLink, {
        internal_id: '1_50',
        trace: trace ?? '',
      });
      stored.push(await traceOf(id));
    }
    expect(stored[0])
      .toMatchObject({ advert_id: 'spring.7', device: { people: 1 }, blackbox: { people: 1 } });
    // Two people on one device, and a copied report of that device.
    expect(stored[1]).toMatchObject({ device: { people: 2 }, blackbox: { people: 2 } });
    expect(stored[1]?.device?.id).toBe(stored[0]?.device?.id);
    const { rows } = await site.tx((tx) =>
      sql<{ row: string }>`
      select row_to_json(o)::text as row from billing.orders o`.execute(tx.sql())
    );
    expect(rows.map(({ row }) => row).join()).not.toContain(signs.fp);
    expect(rows.map(({ row }) => row).join()).not.toContain('04000400');
    expect((await one.refused(findPayments, {})).status).toBe(403);
  });

  it('is stored for a saved card too, and is empty without signals', async () => {
    const member = await site.viewer();
    const { orderId } = await shop.buys(member, '1_50');
    expect(await traceOf(orderId)).toEqual({ advert_id: null, device: null, blackbox: null });
    expect((await member.call(listProducts, {})).trace).toBeNull();
    const { trace } = await member.call(listProducts, { fp: signs.fp });
    const paid = await member.call(buyAtOnce, { internal_id: '1_50', trace: trace ?? '' }, key());
    expect(await traceOf(paid.order_id)).toMatchObject({ advert_id: null, device: { people: 3 } });
  });

  it('has the advert only of who allows marketing, listing products and buying', async () => {
    const buys = async (member: Member, trace: string | null) =>
      traceOf((await member.call(getPurchaseLink, { internal_id: '1_50', trace: trace ?? '' })).order_id);
    const allows = (member: Member, marketing: boolean) =>
      member.call(saveConsent, {
        preferences: true,
        statistics: true,
        marketing,
        chosen_in: 'settings',
      });
    const consent = { preferences: true, statistics: true, marketing: false };
    const refusing = await site.viewer({ consent });
    const { trace: without } = await refusing.call(listProducts, signs);
    expect(await buys(refusing, without)).toMatchObject({ advert_id: null, device: { people: 4 } });
    await allows(refusing, true);
    expect(await buys(refusing, without)).toMatchObject({ advert_id: null });
    const { trace } = await refusing.call(listProducts, signs);
    await allows(refusing, false);
    expect(await buys(refusing, trace)).toMatchObject({ advert_id: null });
    await allows(refusing, true);
    expect(await buys(refusing, trace)).toMatchObject({ advert_id: 'spring.7' });
    const unasked = await site.viewer({ consent: null });
    expect(await buys(unasked, (await unasked.call(listProducts, { advert_id: 'spring.7' })).trace))
      .toEqual({ advert_id: null, device: null, blackbox: null });
  });

  it('never prevents a purchase, and is ignored for another person or after an hour', async () => {
    const [member, thief] = [await site.viewer(), await site.viewer()];
    const { trace } = await member.call(listProducts, signs);
    const tries: (readonly [Member, string])[] = [
      [thief, trace ?? ''],
      [member, `${trace}x`],
      [member, 'made.up'],
      [member, ''],
    ];
    for (const [who, brought] of tries) {
      const { order_id: id } = await who.call(getPurchaseLink, { internal_id: '1_50', trace: brought });
      expect(await traceOf(id)).toEqual({ advert_id: null, device: null, blackbox: null });
    }
    await shop.passes(HOUR_MS);
    const late = await member.call(getPurchaseLink, { internal_id: '1_50', trace: trace ?? '' });
    expect((await traceOf(late.order_id))?.advert_id).toBeNull();
    const { trace: odd } = await member.call(listProducts, { advert_id: '<script>' });
    expect(odd).toBeNull();
  });
});

describe('a membership', () => {
  const renewing = async (member: Member): Promise<string[]> =>
    (await site.tx((tx) =>
      sql<{ membership: string }>`select membership from billing.memberships
      where person_id = ${member.id} and renews order by membership`.execute(tx.sql())
    ))
      .rows.map(({ membership }) => membership);

  it('is not renewed beside a higher one that replaced it, even when the biller was down', async () => {
    const member = await site.viewer();
    const { orderId } = await shop.buys(member, 'membership_premium');
    expect(await renewing(member)).toEqual(['premium']);
    const { purchase_link: link } = await member.call(getPurchaseLink, {
      internal_id: 'membership_vip',
      biller: 'segpay',
    });
    await shop.types(link);
    await shop.simulators.settle();
    shop.simulators.arm('ccbill', 'down', 20);
    await site.settle();
    expect(await renewing(member)).toEqual(['premium', 'vip']);
    shop.simulators.till('ccbill').script.clear();
    await shop.passes(HOUR_MS);
    expect(await renewing(member)).toEqual(['vip']);
    expect(await member.call(getMembership, {})).toMatchObject({ membership: 'vip', renews: true });
    expect(shop.simulators.till('ccbill').ofOrder(orderId).map(({ kind }) => kind)).toContain('cancellation');
  });

  it('renews no more once its member performs, and nothing else goes on charging them', async () => {
    const member = await site.viewer();
    await shop.buys(member, '1_50');
    const { orderId } = await shop.buys(member, 'membership_premium');
    await configure({ switches: { postpay: true } });
    await member.call(setPostpay, { enabled: true });
    const { cards: [card] } = await member.call(listProducts, {});
    await member.call(setAutoReUp, {
      enabled: true,
      threshold: 50,
      internal_id: '1_50',
      cardId: card?.id ?? 0,
      per_day: 1,
      confirmed: true,
      shown: plainOffer(50),
    });
    await member.call(becomePerformer, { gender: 'f', accept_terms: true });
    await shop.settle();
    expect(shop.simulators.till('ccbill').ofOrder(orderId).map(({ kind }) => kind)).toContain('cancellation');
    expect(await renewing(member)).toEqual([]);
    expect(await member.call(getMembership, {})).toMatchObject({ membership: 'premium', renews: false });
    expect(await member.call(getPostpay, {})).toMatchObject({ enabled: false });
    expect(await member.call(getAutoReUp, {})).toMatchObject({ enabled: false });
    await configure({ switches: { postpay: false } });
  });

  it('that is higher continues beside a lower one', async () => {
    const member = await site.viewer();
    await shop.buys(member, 'membership_vip');
    await shop.buys(member, 'membership_premium');
    expect(await renewing(member)).toEqual(['premium', 'vip']);
    expect(await member.call(getMembership, {})).toMatchObject({ membership: 'vip', renews: true });
  });
});

describe('a promotion under test', () => {
  it('is shown alone to people who qualify for it, and to nobody else', async () => {
    const member = await site.viewer();
    const shown = async (who: Member, test?: string): Promise<string[]> =>
      (await who.call(listProducts, test === undefined ? {} : { custom_promo_test: test }))
        .promo_products.default.map(({ internal_id: id }) => id);
    expect(await shown(member, 'promo_300')).toEqual([]);
    await configure({ switches: { promos: true } });
    const tried = DEFAULT_PRODUCTS.filter(({ kind }) => kind === 'promo')
      .map((promo) => ({ ...promo, internalId: 'promo_tried' }));
    await site.tx((tx) => site.services.billing.sell(tx, [...DEFAULT_PRODUCTS, ...tried], null));
    expect(await shown(member)).toEqual(['promo_300', 'promo_tried']);
    expect(await shown(member, 'promo_tried')).toEqual(['promo_tried']);
    // A promotion this person does not qualify for, and an unknown one.
    expect(await shown(member, 'membership_premium_winback')).toEqual(['promo_300', 'promo_tried']);
    expect(await shown(member, '1_50')).toEqual(['promo_300', 'promo_tried']);
    await shop.buys(member, '1_50');
    expect(await shown(member, 'promo_300')).toEqual([]);
    await site.tx((tx) => site.services.billing.sell(tx, DEFAULT_PRODUCTS, null));
    await configure({ switches: { promos: false } });
  });
});

describe('somebody whose identity is under review', () => {
  /** A member under review: on the review list, where every performer starts. */
  async function applicant(): Promise<Member> {
    const member = await site.viewer();
    await shop.buys(member, '1_50');
    await site.handsInPapers(member);
    return member;
  }

  it('is refused every way of buying by the server, until the review ends [A-236]', async () => {
    const member = await applicant();
    expect((await member.call(getCurrentUser, {})).user.compliance_status).toBe('pending');
    const ways = [
      member.refused(listProducts, {}),
      member.refused(buyAtOnce, { internal_id: '1_50' }, key()),
      member.refused(getPurchaseLink, { internal_id: '1_50' }),
      member.refused(openCardForm, {}),
      member.refused(setAutoReUp, {
        enabled: true,
        threshold: 40,
        internal_id: '1_50',
        cardId: 1,
        per_day: 1,
        confirmed: true,
        shown: plainOffer(50),
      }),
    ];
    for (const problem of await Promise.all(ways)) {
      expect([problem.errorType, problem.status]).toEqual(['compliance_pending', 403]);
    }
    expect(await tokensOf(member)).toBe(50);
    await site.clearsPapers(member);
    expect(await member.call(buyAtOnce, { internal_id: '1_50' }, key())).toMatchObject({ status: true });
  });
});
