import { uuidV4 } from '#platform/data/ids.ts';
import type { Biller } from '#platform/payments/biller.ts';
import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { login } from '#product/accounts/contract.ts';
import { getHistory } from '#product/ledger/contract.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import {
  scriptedBiller as scripted,
  scriptedCallback as raw,
  scriptedPayment as paid,
} from '#product/testkit/payments/scripted-biller.ts';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { buyAtOnce, getPurchaseLink, listProducts } from './contract.ts';
import { receiveCallbackByQuery } from './contract/callbacks.ts';
import { addCard } from './contract/cards.ts';
import { getOrder } from './contract/orders.ts';
import { askBillerAgain, findPayments, getBillingAlarms } from './contract/payments.ts';
import { redeemPromoCode } from './contract/promos.ts';
import { CRYPTO_PRODUCT } from './rules/products.ts';

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
await site.tx((tx) =>
  site.services.billing.configure(tx, {
    switches: { crypto: true, vouchers: true, paypal: true },
  }, null)
);

describe('a card number', () => {
  const number = cardNumberFor(null);
  const spellings = [
    number,
    number.replaceAll(/(.{4})(?=.)/gu, '$1 '),
    number.replaceAll(/(.{4})(?=.)/gu, '$1-'),
  ];

  it.each(spellings)('is refused in every field of every call, and never logged: %s', async (spelled) => {
    const member = await site.viewer();
    const calls = [
      [addCard, { biller: 'ccbill', token: spelled }],
      [redeemPromoCode, { code: spelled }],
      [listProducts, { fp: `x${spelled}` }],
      [login, { login: spelled, password: 'x' }],
      [listProducts, { unknown_field: { deep: [spelled] } }],
      [listProducts, { [spelled]: 1 }],
      [buyAtOnce, { internal_id: spelled }],
    ] as const;
    for (const [call, input] of calls) {
      const problem = await member.refused(call, input, key());
      expect([problem.errorType, problem.status]).toEqual(['card_number_refused', 422]);
      expect(JSON.stringify(problem)).not.toContain(spelled);
    }
    const link = await member.refused(getPurchaseLink, { internal_id: '1_50', back: `/x?c=${spelled}` });
    expect(link.errorType).toBe('card_number_refused');
    // A call without a body, or with a body of any type, cannot be used to send a card number in its address.
    const asked = await member.request({
      url: `/api/v1/billing/postpay_decline?card=${encodeURIComponent(spelled)}`,
    });
    expect([asked.statusCode, asked.json()]).toEqual([
      422,
      expect.objectContaining({ errorType: 'card_number_refused' }),
    ]);
    expect(site.log.join('\n')).not.toContain(spelled);
  });

  it('is refused as a number, as text with escapes, and with 19 digits', async () => {
    const member = await site.viewer();
    const send = (payload: string) =>
      member.request({
        method: 'POST',
        url: '/api/v1/billing/products',
        payload,
        headers: { 'content-type': 'application/json' },
      });
    const escaped = [...number].map((digit) => `\\u003${digit}`).join('');
    for (const text of [`{"a":${number}}`, `{"a":"${escaped}"}`, '{"a":6304000000000000000}']) {
      expect((await send(text)).json()).toMatchObject({ errorType: 'card_number_refused' });
    }
    // A number one digit off, or an id of ours, is not a card number.
    const other = `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`;
    expect((await send(`{"fp":"${other}"}`)).statusCode).toBe(200);
    expect((await send('{"fp":"00000000-0000-4000-8000-000000000000"}')).statusCode).toBe(200);
  });

  it('is masked in a stored callback, authentic or not', async () => {
    const biller = scripted('segpay');
    const event = paid(uuidV4(), 1, { reference: number });
    for (const word of ['secret', `word ${number}`]) {
      await site.services.billing.receiveCallback(site.scope, biller, raw(event, word));
    }
    const { rows } = await site.tx((tx) =>
      sql<{ stored: string }>`
      select body || query || headers::text as stored from billing.callbacks
      union all select body || query || headers::text from billing.unauthenticated_callbacks`
        .execute(tx.sql())
    );
    expect(rows).toHaveLength(2);
    for (const { stored } of rows) {
      expect(stored).toContain('••••');
      expect(stored).not.toContain(number);
    }
  });
});

describe('a forged or foreign callback', () => {
  it('credits nothing without its signature, and is counted', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    const before = (await admin.call(getBillingAlarms, {})).forged_today;
    const biller = scripted('ccbill');
    const guessed = raw(paid(id, 2_000), 'guess');
    expect((await site.services.billing.receiveCallback(site.scope, biller, guessed)).kind)
      .toBe('forged');
    expect(await tokensOf(member)).toBe(0);
    expect((await admin.call(getBillingAlarms, {})).forged_today).toBe(before + 1);
    expect((await member.refused(getBillingAlarms, {})).status).toBe(403);
  });

  it('from another biller than the order\'s pays for nothing', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    await site.services.billing.receiveCallback(site.scope, scripted('segpay'), raw(paid(id, 2_000)));
    expect((await member.call(getOrder, { id })).order.state).toBe('pending');
    expect(await tokensOf(member)).toBe(0);
  });

  it('for an order of another operator finds none', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    const brand = {
      displayName: 'Other',
      sitecode: `o${uuidV4().slice(0, 8)}`,
      hosts: [`${uuidV4()}.example`],
    };
    const other = await site.services.site.addOperator('Other', brand);
    const callback = raw(paid(id, 2_000));
    const reading = await site.services.billing.receiveCallback(other, scripted('ccbill'), callback);
    expect(reading.kind).toBe('genuine');
    expect((await member.call(getOrder, { id })).order.state).toBe('pending');
    const foreign = await site.http.app.inject({
      method: 'POST',
      url: '/callbacks/ccbill',
      payload: 'x',
      headers: { host: brand.hosts[0] ?? '' },
    });
    expect(foreign.statusCode).toBe(404);
    expect(await tokensOf(member)).toBe(0);
  });

  it.each([
    ['less', { minor: 1_999, currency: 'USD' }],
    ['more', { minor: 2_001, currency: 'USD' }],
    ['other money', { minor: 2_000, currency: 'JPY' }],
    ['nothing', null],
  ])('with %s than requested raises an alarm, and its money goes to suspense', async (_what, amount) => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    await site.services.billing.receiveCallback(site.scope, scripted('ccbill'), raw(paid(id, 0, { amount })));
    expect(await tokensOf(member)).toBe(0);
    expect((await member.call(getOrder, { id })).order.state).toBe('pending');
    const { mismatched } = await admin.call(getBillingAlarms, {});
    expect(mismatched.some((payment) => payment.id === id)).toBe(amount !== null);
  });

  it('that is repeated, at once and in any order, is applied once', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    const biller = scripted('ccbill');
    const pending = paid(id, 2_000, { id: `pending ${id}`, type: 'pending' });
    const callbacks = [pending, paid(id, 2_000), paid(id, 2_000), pending, paid(id, 2_000)];
    await Promise.all(
      callbacks.map((event) => site.services.billing.receiveCallback(site.scope, biller, raw(event))),
    );
    expect(await tokensOf(member)).toBe(200);
    expect((await member.call(getHistory, {})).lines).toHaveLength(1);
    // A second payment for an order is money that nobody ordered.
    const twice = paid(id, 2_000, { id: `again ${id}`, reference: `second ${id}` });
    await site.services.billing.receiveCallback(site.scope, biller, raw(twice));
    expect(await tokensOf(member)).toBe(200);
    const { mismatched } = await admin.call(getBillingAlarms, {});
    expect(mismatched.some((payment) => payment.id === id)).toBe(true);
  });

  it('of a refund before its payment waits for it, and both are posted', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    const biller = scripted('ccbill');
    const back = paid(id, 2_000, { id: `back ${id}`, type: 'refunded', reference: `b ${id}`, of: `r ${id}` });
    await site.services.billing.receiveCallback(site.scope, biller, raw({ ...back, orderId: null }));
    expect((await member.call(getOrder, { id })).order.state).toBe('pending');
    await site.services.billing.receiveCallback(site.scope, biller, raw(paid(id, 2_000)));
    expect((await member.call(getOrder, { id })).order.state).toBe('refunded');
    expect(await tokensOf(member)).toBe(0);
    expect((await member.call(getHistory, {})).lines.map(({ tokens }) => tokens)).toEqual([-200, 200]);
  });

  it('by GET is distinguished from a planted link', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'segpay' });
    const planted = await member.request({
      url: '/callbacks/segpay?action=Auth&stage=initial&approved=Yes&price=20.00&tranid=1&purchaseid=1'
        + `&order=${id}`,
    });
    expect(planted.statusCode).toBeLessThan(500);
    expect(await tokensOf(member)).toBe(0);
    expect(receiveCallbackByQuery.effects).toBe(true);
    // A link cannot create an order either: the call needs the page's token.
    const link = await member.request({
      url: '/api/v1/billing/purchase-link/1_50',
      headers: { 'x-csrf-token': undefined },
    });
    expect(link.json()).toMatchObject({ errorType: 'csrf' });
  });
});

describe('every biller', () => {
  const names = ['ccbill', 'segpay', 'rocketgate'] as const;
  it.each(names)('%s sells on its page, once, for callbacks in any order', async (biller) => {
    const member = await site.viewer();
    shop.simulators.arm(biller, 'duplicate');
    const { orderId } = await shop.buys(member, '1_100', { biller });
    await shop.passes(HOUR_MS);
    expect((await member.call(getOrder, { id: orderId })).order).toMatchObject({ state: 'paid', biller });
    expect(await tokensOf(member)).toBe(100);
    const declined = await shop.buys(member, '1_100', { biller, decline: 'NDECLINEDINSFUNDS' });
    expect((await member.call(getOrder, { id: declined.orderId })).order.state).toBe('declined');
    expect(await tokensOf(member)).toBe(100);
  });

  it('is shown to admins with all its events, and without personal data', async () => {
    const member = await site.viewer();
    const { orderId } = await shop.buys(member, '1_100', { biller: 'segpay' });
    const { payments } = await admin.call(findPayments, { order: orderId });
    expect(payments[0]).toMatchObject({
      id: orderId,
      username: member.username,
      state: 'paid',
      purpose: 'page',
      method: 'card',
      began_with: null,
      refunded_minor: 0,
      seller: { name: 'Candela', brand: 'Candela' },
    });
    expect(payments[0]?.events.length).toBeGreaterThan(0);
    expect(payments[0]?.callbacks.length).toBeGreaterThan(0);
    expect(JSON.stringify(payments[0]?.callbacks)).not.toContain(member.person.email);
    const { reference } = payments[0] ?? { reference: '' };
    const byReference = await admin.call(findPayments, { reference: reference ?? '' });
    expect(byReference.payments.map(({ id }) => id)).toContain(orderId);
    const byName = await admin.call(findPayments, { username: member.username });
    expect(byName.payments.map(({ id }) => id)).toEqual([orderId]);
    expect((await admin.call(findPayments, { username: 'nobody-here' })).payments).toEqual([]);
    expect((await admin.call(findPayments, { order: 'x' })).payments).toEqual([]);
    expect((await admin.call(askBillerAgain, { id: orderId })).payment.state).toBe('paid');
    expect((await admin.refused(askBillerAgain, { id: uuidV4() })).errorType).toBe('order_unknown');
  });

  it(
    'is offered by method where the operator switches it on: PayPal, crypto, vouchers [A-023, A-024]',
    async () => {
      const member = await site.viewer();
      const { products } = await member.call(listProducts, { cashtocode_country_code: 'DE', crypto: true });
      expect(products.paypal.length).toBeGreaterThan(0);
      expect(products.crypto.every(({ membership }) => membership === null)).toBe(true);
      expect(products.voucher.map(({ price }) => price.currency)).toEqual(['EUR', 'EUR', 'EUR', 'EUR']);
      const chosen = [products.paypal.at(-1), products.voucher[0]];
      const crypto = products.crypto.find(({ internal_id: id }) => id === CRYPTO_PRODUCT);
      const methods = ['paypal', 'voucher', 'crypto'] as const;
      const pages = [/\/segpay\/.*[?&]paymenttypes=PayPal(?:&|$)/u, /\/cashtocode\//u, /\/nowpayments\//u];
      for (const [at, product] of [...chosen, crypto].entries()) {
        const { pathname, searchParams } = new URL(`http://x${product?.biller_link}`);
        const method = methods[at] ?? 'card';
        const biller = searchParams.get('biller') ?? '';
        expect(searchParams.get('method')).toBe(method);
        const { purchase_link: link, order_id: id } = await member.call(getPurchaseLink, {
          internal_id: pathname.split('/').at(-1) ?? '',
          method,
          biller,
        });
        expect(link).toMatch(pages[at] ?? /^$/u);
        expect((await fetch(link)).status).toBe(200);
        expect((await member.call(getOrder, { id })).order.biller).toBe(biller);
      }
    },
  );
});

describe('a payment that is reported in many ways at once', () => {
  it('is posted once: callbacks, questions and the response to the charge together', async () => {
    const card = { token: 'c', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' } };
    const racing: Biller = scripted('segpay', {
      page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
      find: async ({ id }) => ({
        kind: 'found',
        events: [
          paid(id, 1_000),
          paid(id, 1_000, {
            id: `pending ${id}`,
            type: 'pending',
          }),
        ],
      }),
      charge: async ({ id, amount }) => {
        // The callbacks arrive before the response.
        const sent = raw(paid(id, amount.minor));
        await Promise.all(
          [1, 2, 3].map(() => busy.services.billing.receiveCallback(busy.scope, racing, sent)),
        );
        return { kind: 'paid', event: paid(id, amount.minor) };
      },
    });
    const busy = await createSite({ settings: { billersOf: () => [racing] } });
    try {
      const [member, staff] = [await busy.viewer(), await busy.admin()];
      const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_100', keep_card: true });
      const sent = raw(paid(id, 1_000, { card }));
      await Promise.all([
        ...[1, 2, 3].map(() => busy.services.billing.receiveCallback(busy.scope, racing, sent)),
        ...[1, 2, 3].map(() => staff.call(askBillerAgain, { id })),
      ]);
      expect(await tokensOf(member)).toBe(100);
      await busy.services.billing.receiveCallback(busy.scope, racing, raw(paid(id, 1_000, { card })));
      const taps = Array.from({ length: 4 }, () => key());
      const paidFor = await Promise.all(
        [...taps, ...taps].map((tap) =>
          member.call(buyAtOnce, { internal_id: '1_50' }, tap).catch((error: unknown) => error)
        ),
      );
      expect(paidFor.some((item) => (item as { status?: boolean }).status === true)).toBe(true);
      await busy.settle();
      expect(await tokensOf(member)).toBe(300);
      expect((await member.call(getHistory, {})).lines).toHaveLength(5);
    } finally {
      await busy.close();
    }
  });
});

describe('a biller that is down', () => {
  it('is replaced by the next one, for pages and for cards', async () => {
    const dead = scripted('segpay');
    const alive = scripted('rocketgate', {
      page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
    });
    const fallen = await createSite({ settings: { billersOf: () => [dead, alive] } });
    try {
      const member = await fallen.viewer();
      const { purchase_link: link, order_id: id } = await member.call(getPurchaseLink, {
        internal_id: '1_100',
        keep_card: true,
      });
      expect(link).toBe(`https://pay.example/${id}`);
      expect((await member.call(getOrder, { id })).order)
        .toMatchObject({ state: 'pending', biller: 'rocketgate' });
      // The order moved to the second biller, so callbacks of the first one pay for nothing.
      await fallen.services.billing.receiveCallback(fallen.scope, dead, raw(paid(id, 1_000)));
      expect(await tokensOf(member)).toBe(0);
      const card = { token: 'c', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' } };
      await fallen.services.billing.receiveCallback(fallen.scope, alive, raw(paid(id, 1_000, { card })));
      expect(await tokensOf(member)).toBe(100);
      const tap = key();
      const refused = await member.refused(buyAtOnce, { internal_id: '1_50' }, tap);
      expect(refused.errorType).toBe('biller_unavailable');
      expect(await tokensOf(member)).toBe(100);
    } finally {
      await fallen.close();
    }
  });

  it('answers the address of a page that the person must pass first [A-359]', async () => {
    const careful = scripted('segpay', {
      page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
      charge: async () => ({ kind: 'page', url: 'https://bank.example/confirm' }),
    });
    const asking = await createSite({ settings: { billersOf: () => [careful] } });
    try {
      const member = await asking.viewer();
      const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_100', keep_card: true });
      const card = { token: 'c', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' } };
      await asking.services.billing.receiveCallback(asking.scope, careful, raw(paid(id, 1_000, { card })));
      expect(await member.call(buyAtOnce, { internal_id: '1_50' }, key()))
        .toMatchObject({ status: false, link: 'https://bank.example/confirm', error: null });
      expect(await tokensOf(member)).toBe(100);
    } finally {
      await asking.close();
    }
  });

  it('leaves an order open until it is certain that the charge never arrived', async () => {
    const silent = scripted('segpay', {
      page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
      charge: async () => ({ kind: 'unknown', reason: 'timed out' }),
    });
    const quiet = await createSite({ settings: { billersOf: () => [silent] } });
    try {
      const member = await quiet.viewer();
      const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_100', keep_card: true });
      const card = { token: 'c', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' } };
      await quiet.services.billing.receiveCallback(quiet.scope, silent, raw(paid(id, 1_000, { card })));
      const tap = key();
      const tried = await member.call(buyAtOnce, { internal_id: '1_50' }, tap);
      expect(tried).toMatchObject({ status: false, state: 'unknown' });
      for (let minute = 0; minute < 5; minute += 1) await quiet.passes(60_000);
      expect((await member.call(getOrder, { id: tried.order_id })).order.state).toBe('unknown');
      for (let minute = 0; minute < 60; minute += 5) await quiet.passes(300_000);
      expect((await member.call(getOrder, { id: tried.order_id })).order.state).toBe('expired');
      expect(await member.call(buyAtOnce, { internal_id: '1_50' }, tap)).toMatchObject({ state: 'expired' });
      // The payment arrives late, after the order expired.
      await quiet.services.billing.receiveCallback(quiet.scope, silent, raw(paid(tried.order_id, 500)));
      expect((await member.call(getOrder, { id: tried.order_id })).order.state).toBe('paid');
      expect(await tokensOf(member)).toBe(150);
    } finally {
      await quiet.close();
    }
  });

  it('sells nothing for an operator without one', async () => {
    const empty = await createSite();
    try {
      const member = await empty.viewer();
      expect((await member.call(listProducts, {})).products.credit).toEqual([]);
      expect((await member.refused(getPurchaseLink, { internal_id: '1_50' })).errorType)
        .toBe('biller_unavailable');
    } finally {
      await empty.close();
    }
  });
});
