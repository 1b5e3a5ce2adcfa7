import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order, RawCallback } from '../biller.ts';
import { simulatedAccounts } from '../simulators/accounts.ts';
import { segpayBiller } from './biller.ts';
import { POSTBACK_FIELDS } from './settings.ts';

const { segpay } = simulatedAccounts('http://127.0.0.1:1', 'http://127.0.0.1:1');
const settings = {
  ...segpay,
  pages: 'https://secure2.segpay.com/billing/poset.cgi',
  networks: ['198.51.100.0/24'],
};
const biller = segpayBiller(settings, {
  now: () => new Date('2026-01-15T12:00:00Z'),
  fetch: async () => new Response('hashed-price-0001'),
});
const order: Order = {
  id: 'order-1',
  amount: { minor: 1099, currency: 'USD' },
  renewal: null,
  title: '100 tokens',
  returnUrl: 'https://shop.example/return',
  payer: { ref: 'p-1', email: 'a@example.com', country: 'DE', address: null },
};

const SALE: Readonly<Record<string, string>> = {
  action: 'Auth',
  stage: 'initial',
  approved: 'Yes',
  trantype: 'Sale',
  purchaseid: '555',
  tranid: '777',
  price: '10.99',
  currencycode: 'USD',
  transtime: '2026-01-15T12:00:00Z',
  ref1: 'order-1',
  cardtype: 'VISA',
  cclast4: '1111',
  ccexp: '0429',
  ccbin: '411111',
};
const get = (change: Readonly<Record<string, string>>, key = settings.postbackKey): RawCallback => {
  const query = new URLSearchParams(
    POSTBACK_FIELDS.map((name): [string, string] => [name, change[name] ?? SALE[name] ?? '']),
  );
  return {
    method: 'GET',
    query: `${query.toString()}&key=${key}`,
    body: '',
    address: '198.51.100.7',
    headers: {},
  };
};
const events = (change: Readonly<Record<string, string>>) => {
  const reading = biller.read(get(change));
  return reading.kind === 'unsigned' ? reading.events : reading;
};

describe('links of Segpay', () => {
  it('carry a hashed price, the order and where to go back', async () => {
    expect(await biller.page(order, 'card')).toEqual({
      kind: 'page',
      until: null,
      url: 'https://secure2.segpay.com/billing/poset.cgi?x-eticketid=100%3A1-USD&amount=10.99'
        + '&dynamictrans=hashed-price-0001&DynamicDesc=100+tokens'
        + '&x-auth-link=https%3A%2F%2Fshop.example%2Freturn'
        + '&x-decl-link=https%3A%2F%2Fshop.example%2Freturn&ref1=order-1&ref2=p-1&paymenttypes=CreditCard'
        + '&x-billemail=a%40example.com&x-billcntry=DE',
    });
    expect(await biller.page({ ...order, amount: { minor: 1099, currency: 'SEK' } }, 'card')).toMatchObject({
      kind: 'unreachable',
    });
    const without = segpayBiller({ ...settings, paypal: false }, { now: () => new Date(0), fetch });
    expect(without.abilities.methods).toEqual(['card']);
    expect((await without.page(order, 'paypal')).kind).toBe('unreachable');
  });
});

describe('postbacks', () => {
  it('say a sale, its card by the number of the purchase, and are only a reason to ask', () => {
    expect(events({})).toEqual([{
      id: 'paid:777',
      type: 'paid',
      orderId: 'order-1',
      reference: '777',
      of: null,
      subscription: null,
      amount: { minor: 1099, currency: 'USD' },
      decline: null,
      at: new Date('2026-01-15T12:00:00Z'),
      card: { token: '555', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '04/29' } },
    }]);
  });

  it.each([
    [{ approved: 'No', authcode: '51' }, { type: 'declined', decline: 'NDECLINEDINSFUNDS' }],
    [{ approved: 'No', authcode: '??' }, { type: 'declined', decline: 'NDECLINED' }],
    [{ stage: 'conversion', rint: '30' }, { type: 'renewed', subscription: '555' }],
    [{ stage: 'rebill', approved: 'No', rint: '30' }, { type: 'renewal_failed' }],
    [{ trantype: 'Credit', relatedtranid: '700' }, { type: 'refunded', of: '700' }],
    [{ trantype: 'Charge', relatedtranid: '700' }, { type: 'charged_back', of: '700' }],
    [{ action: 'Void', relatedtranid: '700' }, { type: 'refunded', of: '700' }],
    [{ action: 'Cancel', rint: '30' }, { type: 'cancelled', id: 'cancelled:555', subscription: '555' }],
  ])('%j is %j', (change, event) => {
    expect(events(change as Record<string, string>)).toMatchObject([event]);
  });

  it('about access change nothing and get GOOD', () => {
    for (const action of ['Probe', 'Enable', 'Disable', 'Reactivation']) {
      const reading = biller.read(get({ action }));
      expect(reading).toEqual({ kind: 'genuine', events: [] });
      expect(biller.reply(reading)).toMatchObject({ status: 200, body: 'GOOD' });
    }
  });

  it('of strangers, without the key or cut are not taken', () => {
    expect(biller.read({ ...get({}), address: '203.0.113.1' }).kind).toBe('forged');
    expect(biller.read(get({}, 'guess')).kind).toBe('forged');
    const whole = get({});
    for (let cut = 0; cut < whole.query.length; cut += 7) {
      const reading = biller.read({ ...whole, query: whole.query.slice(0, cut) });
      expect(['forged', 'unreadable']).toContain(reading.kind);
      expect(biller.reply(reading).status).toBe(400);
    }
    expect(biller.read(get({ price: '10.9x' })).kind).toBe('unreadable');
    fc.assert(fc.property(fc.dictionary(fc.constantFrom(...POSTBACK_FIELDS), fc.string()), (change) => {
      expect(['genuine', 'unsigned', 'unreadable']).toContain(biller.read(get(change)).kind);
    }));
  });
});
