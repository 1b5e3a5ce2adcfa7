import { uuidV4 } from '#platform/data/ids.ts';
import type { Biller, RawCallback } from '#platform/payments/biller.ts';
import { DAY_MS } from '#platform/time/units.ts';
import {
  scriptedBiller,
  scriptedCallback,
  scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { SECRET } from '#product/testkit/site-options.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPurchaseLink } from './contract.ts';
import { getOrder } from './contract/orders.ts';
import { getBillingAlarms } from './contract/payments.ts';
import { billingSlice } from './server.ts';

/** The address that floods the site. */
const STRANGER = '198.51.100.9';

let site: TestSite;
let admin: Member;
const biller: Biller = scriptedBiller('ccbill', {
  page: async () => ({ kind: 'page', url: 'https://pay.example/x', until: null }),
});
beforeAll(async () => {
  site = await createSite({ settings: { billersOf: () => [biller] } });
  admin = await site.admin();
});
afterAll(() => site.close());

interface Stored {
  readonly callbacks: number;
  readonly apart: number;
  readonly addresses: number;
  readonly bytes: number;
}
const stored = async (): Promise<Stored> =>
  (await site.tx((tx) =>
    sql<Stored>`
  select (select count(*)::int from billing.callbacks) as callbacks, count(*)::int as apart,
    count(distinct address_key)::int as addresses,
    coalesce(sum(length(body) + length(query) + length(headers::text)), 0)::int as bytes
  from billing.unauthenticated_callbacks`.execute(tx.sql())
  )).rows[0] as Stored;

const junk = (bytes: number, address: string = STRANGER) =>
  site.http.app.inject({
    method: 'POST',
    url: '/callbacks/ccbill',
    payload: 'x'.repeat(bytes),
    remoteAddress: address,
    headers: { 'host': 'localhost', 'content-type': 'application/json' },
  });

describe('callbacks of strangers', () => {
  it('leave a bounded trace, however many and however large they are', async () => {
    const before = await stored();
    for (let nth = 0; nth < 150; nth += 1) expect((await junk(64)).statusCode).toBe(400);
    for (let nth = 0; nth < 20; nth += 1) {
      expect((await junk(60 * 1024, `203.0.113.${nth}`)).statusCode).toBe(400);
    }
    const after = await stored();
    // No row among authentic callbacks, and twenty rows of the address in the separate table; oversized ones
    // are only counted.
    expect(after.callbacks).toBe(before.callbacks);
    expect([after.apart, after.addresses]).toEqual([20, 1]);
    // At most thirty per address are counted in a minute.
    expect((await admin.call(getBillingAlarms, {})).forged_today).toBe(30 + 20);
    site.clock.advance(60_000);
    await junk(64);
    expect((await admin.call(getBillingAlarms, {})).forged_today).toBe(51);
  });

  it('displace themselves, and none of another address', async () => {
    site.clock.advance(60_000);
    expect((await junk(100, '192.0.2.77')).statusCode).toBe(400);
    // Fifteen IPv6 networks, each with several addresses.
    for (let net = 0; net < 15; net += 1) {
      for (let nth = 0; nth < 22; nth += 1) await junk(100, `2001:db8:0:${net.toString(16)}::${nth + 1}`);
    }
    const { rows } = await site.tx((tx) =>
      sql<{ key: string; n: number }>`
      select address_key as key, count(*)::int as n from billing.unauthenticated_callbacks group by 1`
        .execute(tx.sql())
    );
    expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(200);
    expect(Math.max(...rows.map(({ n }) => n))).toBeLessThanOrEqual(20);
    expect(rows.find(({ key }) => key === '192.0.2.77')?.n).toBe(1);
    expect((await stored()).bytes).toBeLessThan(200 * 8 * 1024);
  });

  it('are deleted seven days after their day', async () => {
    await site.passes(7 * DAY_MS);
    expect((await stored()).apart).toBeGreaterThan(0);
    await site.passes(DAY_MS);
    expect(await stored()).toMatchObject({ apart: 0, bytes: 0 });
    const { rows } = await site.tx((tx) => sql`select from billing.refused_callbacks`.execute(tx.sql()));
    expect(rows).toHaveLength(0);
    expect(site.log).toEqual([]);
  });
});

describe('a genuine callback signed with a key the site does not know yet', () => {
  it('is applied when the site starts with that key, once', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    const withNewKey: Biller = {
      ...biller,
      read: ({ headers, ...raw }) =>
        biller.read({
          ...raw,
          headers: {
            ...headers,
            'x-word': headers['x-word'] === 'the new secret' ? 'secret' : '',
          },
        }),
    };
    const early = scriptedCallback(scriptedPayment(id, 2_000), 'the new secret');
    const receive = (
      by: Biller,
      raw: RawCallback,
    ) => site.services.billing.receiveCallback(site.scope, by, raw);
    expect((await receive(biller, early)).kind).toBe('forged');
    expect(
      (await receive(biller, scriptedCallback(scriptedPayment(id, 2_000), 'a guess'))).kind,
    ).toBe('forged');
    expect(await tokensOf(member)).toBe(0);
    // The site stops and starts with another key, as after a change of BILLERS_FILE.
    const started = billingSlice({
      ...site.services,
      data: site.data,
      limits: site.data.limits,
      isTest: true,
      secret: SECRET,
      apiBase: '/api/v1',
      extensions: site.extensions,
      text: (_locale, key) => key,
      billersOf: () => [withNewKey],
      onError: (error) => {
        throw error;
      },
    });
    for (let nth = 0; nth < 2; nth += 1) await started.start?.();
    await started.service.settled();
    await site.settle();
    expect((await member.call(getOrder, { id })).order.state).toBe('paid');
    expect(await tokensOf(member)).toBe(200);
    expect((await stored()).apart).toBe(1);
  });
});

describe('a callback with an encoded NUL', () => {
  it.each(
    [
      ['a form', (raw: RawCallback) => ({ ...raw, body: 'subscription=a%00b' })],
      ['a field\'s name in a form', (raw: RawCallback) => ({ ...raw, body: 'a%00b=1' })],
      ['the query', (raw: RawCallback) => ({ ...raw, query: '?reference=%00' })],
      ['JSON', (raw: RawCallback) => ({ ...raw, body: '{"deep":[{"x":"a\\u0000b"}]}' })],
      ['half a character in JSON', (raw: RawCallback) => ({ ...raw, body: '{"x":"\\ud800"}' })],
      ['XML', (raw: RawCallback) => ({ ...raw, body: '<a>&#x0;</a>' })],
    ] as const,
  )('in %s is refused before its biller reads it, and is no error', async (_name, change) => {
    const read: RawCallback[] = [];
    const watched: Biller = {
      ...biller,
      read: (raw) => {
        read.push(raw);
        return biller.read(raw);
      },
    };
    const genuine = scriptedCallback(scriptedPayment(uuidV4(), 2_000));
    const receive = (raw: RawCallback) =>
      site.services.billing.receiveCallback(site.scope, watched, { ...raw, address: '198.51.100.200' });
    expect((await receive(change(genuine))).kind).toBe('unreadable');
    expect(read).toEqual([]);
    expect((await receive(genuine)).kind).toBe('genuine');
    expect(site.log).toEqual([]);
  });
});
