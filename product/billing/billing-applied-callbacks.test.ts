import { HOUR_MS } from '#platform/time/units.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { getPurchaseLink, listProducts } from './contract.ts';
import { receiveCallback } from './contract/callbacks.ts';
import { getOrder } from './contract/orders.ts';
import { getBillingAlarms } from './contract/payments.ts';

const shop = await openShop();
const { site } = shop;

const stateOf = async (member: Member, id: string) => (await member.call(getOrder, { id })).order;

describe('a callback', () => {
  const send = (biller: string, body: string, query = ''): Promise<{ statusCode: number }> =>
    site.http.app.inject({
      method: 'POST',
      url: `/callbacks/${biller}${query}`,
      payload: body,
      remoteAddress: '127.0.0.1',
      headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('is stored first, and applied once for any number of repetitions', async () => {
    const member = await site.viewer();
    shop.simulators.arm('ccbill', 'duplicate');
    await shop.buys(member, '1_100');
    await shop.passes(HOUR_MS);
    expect(await tokensOf(member)).toBe(100);
    const stored = await site.tx((tx) =>
      sql<{ n: number }>`
      select count(*)::bigint as n from billing.callbacks where outcome <> 'unread'`.execute(tx.sql())
    );
    expect(stored.rows[0]?.n).toBeGreaterThan(1);
  });

  it('is read again when its biller could not be asked, until it could', async () => {
    const member = await site.viewer();
    shop.simulators.arm('ccbill', 'lost');
    const { orderId } = await shop.buys(member, '1_100');
    const latest = async (): Promise<{ id: number; outcome: string } | undefined> => {
      const { rows } = await site.tx((tx) =>
        sql<{ id: number; outcome: string }>`
        select id, outcome from billing.callbacks order by id desc limit 1`.execute(tx.sql())
      );
      return rows[0];
    };
    const before = await latest();
    shop.simulators.arm('ccbill', 'down', 1);
    await send(
      'ccbill',
      new URLSearchParams({
        clientAccnum: '900100',
        clientSubacc: '0003',
        subscriptionId: '0912345678901234567',
        transactionId: '0912345678901234567',
        'X-orderId': orderId,
        billedInitialPrice: '10.99',
        billedCurrencyCode: '840',
        timestamp: '2026-01-15 12:00:00',
      }).toString(),
      '?eventType=NewSaleSuccess',
    );
    const stored = await latest();
    expect(stored?.id).not.toBe(before?.id);
    expect(stored?.outcome).toBe('unread');
    expect(await tokensOf(member)).toBe(0);
    await shop.passes(300_000);
    expect(['applied', 'deferred']).toContain((await latest())?.outcome);
    expect(await tokensOf(member)).toBe(100);
  });

  it('that is unreadable is counted in the alarms', async () => {
    const admin = await site.admin();
    const { unread: before } = await admin.call(getBillingAlarms, {});
    expect((await send('ccbill', 'price=free')).statusCode).toBeLessThan(500);
    expect((await admin.call(getBillingAlarms, {})).unread).toBe(before + 1);
  });

  it('that is finished, or was never stored, is not read again', async () => {
    const member = await site.viewer();
    await shop.buys(member, '1_100');
    const asked = shop.simulators.till('ccbill').script;
    await site.tx(async (tx) => {
      const { rows } = await sql<{ id: number }>`select max(id) as id from billing.callbacks`
        .execute(tx.sql());
      for (const id of [rows[0]?.id, 999_999_999]) {
        await tx.schedule({ kind: 'billing.reread', key: String(id), at: tx.now });
      }
    });
    shop.simulators.arm('ccbill', 'down', 1);
    await shop.settle();
    // The biller received no request.
    expect(asked.armed).toEqual(['down']);
    asked.clear();
    expect(site.log).toEqual([]);
  });

  it('that is made up credits nothing', async () => {
    const member = await site.viewer();
    shop.simulators.arm('ccbill', 'forged', 3);
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200' });
    const forged = new URLSearchParams({
      clientAccnum: '900100',
      clientSubacc: '0003',
      subscriptionId: '0912345678901234567',
      transactionId: '0912345678901234567',
      'X-orderId': id,
      billedInitialPrice: '20.00',
      billedCurrencyCode: '840',
      timestamp: '2026-01-15 12:00:00',
    });
    await send('ccbill', forged.toString(), '?eventType=NewSaleSuccess');
    await shop.settle();
    expect(await tokensOf(member)).toBe(0);
    expect((await stateOf(member, id)).state).toBe('pending');
    expect((await send('nobody', 'x')).statusCode).toBe(404);
    expect(receiveCallback.credential).toBe('signature');
  });

  it('with another amount or currency credits nothing and raises an alarm', async () => {
    for (const fault of ['wrong_amount', 'wrong_currency'] as const) {
      const member = await site.viewer();
      shop.simulators.arm('ccbill', fault);
      const { orderId } = await shop.buys(member, '1_200');
      expect(await tokensOf(member)).toBe(0);
      expect((await stateOf(member, orderId)).state).not.toBe('paid');
    }
  });
});

describe('a reversal', () => {
  it('of a refunded payment removes its tokens', async () => {
    const member = await site.viewer();
    const { orderId } = await shop.buys(member, '1_100');
    const { reference } = await stateOf(member, orderId);
    expect(shop.simulators.till('ccbill').refund(reference ?? '')).not.toBeNull();
    await shop.passes(60_000);
    expect(await stateOf(member, orderId)).toMatchObject({ state: 'refunded' });
    expect(await tokensOf(member)).toBe(0);
  });

  it('of a charged back payment with spent tokens blocks spending', async () => {
    const performer = await site.performer({ live: true });
    const member = await site.viewer();
    const { orderId } = await shop.buys(member, '1_100');
    await member.tips(performer, 60);
    const { reference } = await stateOf(member, orderId);
    expect(shop.simulators.till('ccbill').chargeback(reference ?? '')).not.toBeNull();
    await shop.passes(60_000);
    expect(await stateOf(member, orderId)).toMatchObject({ state: 'charged_back' });
    expect(await tokensOf(member)).toBe(0);
    expect((await member.refused(listProducts, {})).errorType).toBe('purchases_excluded');
    const limits = await site.tx((tx) => site.services.ledger.limitsOf(tx, member.id));
    expect(limits).toMatchObject({ debtTokens: 60, blocked: { cause: 'chargeback' } });
  });
});
