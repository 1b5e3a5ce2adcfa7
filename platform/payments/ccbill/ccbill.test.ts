import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Order, RawCallback } from '../biller.ts';
import { simulatedAccounts } from '../simulators/accounts.ts';
import { ccbillBiller } from './biller.ts';
import { flexFormUrl, formDigest, priceOf } from './flex-form.ts';
import { eventsOfOrder, reportRows } from './report.ts';
import { CCBILL_NETWORKS } from './settings.ts';

const { ccbill } = simulatedAccounts('http://127.0.0.1:1', 'http://127.0.0.1:1');
const settings = { ...ccbill, networks: CCBILL_NETWORKS };
const biller = ccbillBiller(settings, {
  fetch: () => Promise.reject(new Error('no network here')),
  now: () => new Date('2026-01-15T12:00:00Z'),
});

const order: Order = {
  id: '6f0f2a6e-5d0e-4f0c-9c3c-0d7c5a3c9d11',
  amount: { minor: 1000, currency: 'USD' },
  renewal: null,
  title: '100 tokens',
  returnUrl: 'https://shop.example/return',
  payer: { ref: 'p-1', email: 'a@example.com', country: 'DE', address: null },
};

/** A webhook as CCBill's documents show one, in both of its encodings. */
const SALE = {
  clientAccnum: '900100',
  clientSubacc: '0003',
  subscriptionId: '0912191101000000159',
  transactionId: '0912191101000000159',
  timestamp: '2026-01-15 05:00:00',
  billedInitialPrice: '10.00',
  billedCurrencyCode: '840',
  cardType: 'VISA',
  bin: '411111',
  last4: '1111',
  expDate: '0429',
  rebills: '0',
  paymentTokenId: 'token-1',
  firstName: 'A',
  'X-orderId': order.id,
};
const webhook = (eventType: string, fields: Record<string, string>, isJson = false): RawCallback => ({
  method: 'POST',
  query: `eventType=${eventType}`,
  address: '64.38.212.9',
  headers: { 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' },
  body: isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
});

describe('what CCBill signs', () => {
  /** The two examples CCBill publishes (ccbill.com/doc/formdigest-value), salt included. */
  const PUBLISHED_SALT = '7d901dad245fd0ff6bc20d06';

  it('the digest of a form covers price, period and currency, and what renews', () => {
    const single = { initialPrice: '10.00', initialPeriod: '30', currencyCode: '840', recurring: null };
    expect(formDigest(single, PUBLISHED_SALT)).toBe('a7459445d0e5dc0963fe736dc5cf900b');
    const recurring = { price: '10.00', period: '30', rebills: '99' };
    expect(formDigest({ ...single, recurring }, PUBLISHED_SALT)).toBe('48f0b12e4307e64edb781c479665c899');
  });

  it('a form carries price, digest and order, and the order in a variable only', () => {
    const price = priceOf(order)!;
    const url = new URL(flexFormUrl({ ...settings, pages: 'https://api.ccbill.com' }, order, price));
    expect(url.origin + url.pathname).toBe('https://api.ccbill.com/wap-frontflex/flexforms/5f1e9a2c-test');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      clientSubacc: '0003',
      initialPrice: '10.00',
      initialPeriod: '30',
      currencyCode: '840',
      formDigest: formDigest(price, settings.form.salt),
      'X-orderId': order.id,
    });
  });
});

describe('webhooks', () => {
  it.each([false, true])('say a sale, JSON: %s, and are only a reason to ask', (isJson) => {
    expect(biller.read(webhook('NewSaleSuccess', SALE, isJson))).toEqual({
      kind: 'unsigned',
      events: [{
        id: 'paid:0912191101000000159',
        type: 'paid',
        orderId: order.id,
        reference: '0912191101000000159',
        of: null,
        subscription: null,
        amount: { minor: 1000, currency: 'USD' },
        decline: null,
        card: { token: 'token-1', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '04/29' } },
        at: new Date('2026-01-15T12:00:00Z'),
      }],
    });
  });

  it('are forged from elsewhere, of another account, and unreadable without their parts', () => {
    expect(biller.read({ ...webhook('NewSaleSuccess', SALE), address: '203.0.113.9' }).kind).toBe('forged');
    expect(biller.read(webhook('NewSaleSuccess', { ...SALE, clientAccnum: '900101' })).kind).toBe('forged');
    expect(biller.read(webhook('NewSaleSuccess', { ...SALE, clientSubacc: '0004' })).kind).toBe('forged');
    for (const part of ['transactionId', 'timestamp', 'billedInitialPrice', 'billedCurrencyCode']) {
      expect(biller.read(webhook('NewSaleSuccess', { ...SALE, [part]: '' })).kind).toBe('unreadable');
    }
    const twice = webhook('NewSaleSuccess', SALE);
    expect(biller.read({ ...twice, body: `${twice.body}&clientAccnum=900100` }).kind).toBe('unreadable');
    expect(biller.read(webhook('BillingDateChange', SALE))).toEqual({ kind: 'unsigned', events: [] });
  });

  it('never throw, whatever comes', () => {
    const text = fc.string({ maxLength: 200, unit: 'binary' });
    fc.assert(fc.property(text, text, fc.boolean(), (query, body, isJson) => {
      const raw = webhook('NewSaleSuccess', {}, isJson);
      expect(['forged', 'unreadable', 'unsigned']).toContain(biller.read({ ...raw, query, body }).kind);
      const named = biller.read({ ...raw, body });
      expect(['forged', 'unreadable']).toContain(named.kind);
    }));
    const cell = fc.string({ maxLength: 20 });
    const names = fc.constantFrom(...Object.keys(SALE), '__proto__');
    fc.assert(fc.property(fc.dictionary(names, cell), (fields) => {
      expect(['unsigned', 'unreadable', 'forged']).toContain(
        biller.read(webhook('NewSaleSuccess', { ...SALE, ...fields }, true)).kind,
      );
    }));
  });
});

describe('the report', () => {
  const row = (cells: readonly string[]): string => `${cells.map((cell) => `"${cell}"`).join(',')}\n`;
  const sale = row([
    'NewSaleSuccess',
    '900100',
    '0003',
    '01',
    '01',
    '2026-01-15 05:00:00',
    '10.00',
    '840',
    order.id,
    'VISA',
    '411111',
    '1111',
    '0429',
    't',
    '',
    '0',
  ]);
  const refund = row([
    'Refund',
    '900100',
    '0003',
    '01',
    '01',
    '2026-01-15 06:00:00',
    '10.00',
    '840',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '0',
  ]);

  it('gives the events of an order, also those that name only its transaction', () => {
    const rows = reportRows(sale + refund)!;
    expect(eventsOfOrder(rows, { id: order.id, reference: null }).map(({ id }) => id)).toEqual([
      'paid:01',
      `refunded:01:${Date.parse('2026-01-15T13:00:00Z')}`,
    ]);
    expect(eventsOfOrder(rows, { id: 'another', reference: null })).toEqual([]);
  });

  it('is none when a row has another number of cells or is no row', () => {
    expect(reportRows(`${sale}"a","b"\n`)).toBeNull();
    expect(reportRows('Error: authentication failed')).toBeNull();
    expect(reportRows('')).toEqual([]);
    fc.assert(fc.property(fc.string(), (body) => void reportRows(body)));
  });
});

describe('what may not have happened', () => {
  const answering = (status: number, body: unknown) =>
    ccbillBiller(settings, {
      now: () => new Date('2026-01-15T12:00:00Z'),
      fetch: async (input) => (String(input instanceof Request ? input.url : input).includes('/oauth/')
        ? Response.json({ access_token: 'b', expires_in: 3600 })
        : Response.json(body, { status })),
    });
  const card = { token: 't', face: { brand: 'VISA', first6: null, last4: '1111', expiry: null } };

  it.each([
    [500, {}, 'unknown'],
    [200, { odd: 1 }, 'unknown'],
    [200, { approved: true }, 'unknown'],
    [429, {}, 'unreachable'],
    [401, {}, 'unreachable'],
    [400, { errorCode: 100_110 }, 'unreachable'],
    [404, { errorCode: 100_101 }, 'declined'],
    [400, { errorCode: '100102' }, 'declined'],
    [400, { errorCode: 100_103 }, 'unknown'],
    [404, {}, 'unknown'],
    [200, { approved: false, declineCode: 'BE-999' }, 'declined'],
    [200, { approved: true, subscriptionId: '01' }, 'paid'],
  ])('status %s with %j is %s', async (status, body, kind) => {
    expect((await answering(status, body).charge(order, card)).kind).toBe(kind);
  });
});
