import { uuidV4 } from '#platform/data/ids.ts';
import type { PaymentEvent } from '#platform/payments/biller.ts';
import { TEST_CARDS } from '#platform/payments/simulators/checkout/test-cards.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { findOperations } from '#product/ledger/contract/explorer.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { changeSeller } from '#product/site/contract/seller.ts';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import {
  scriptedBiller,
  scriptedCallback,
  scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { getPurchaseLink, paymentUpdate } from './contract.ts';
import { listBillingChanges } from './contract/operator.ts';
import { getMembership, getOrder, listOrders } from './contract/orders.ts';
import { getBillingAlarms, refundPayment } from './contract/payments.ts';
import { DEFAULT_PRODUCTS } from './rules/products.ts';

/** Partial reversals, and emails about failed renewals. */

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const performer = await site.performer({ live: true });

const stateOf = async (member: Member, id: string): Promise<string> =>
  (await member.call(getOrder, { id })).order.state;
const limitsOf = ({ id }: Member) => site.tx((tx) => site.services.ledger.limitsOf(tx, id));
const mailsOf = async ({ person }: Member, kind: string) =>
  (await admin.call(listOutbox, {})).mails
    .filter((mail) => mail.to === person.email && mail.kind === `billing:mails.${kind}`);

/** Money of an order in the journal, by account, in cents. */
async function moneyOf(orderId: string): Promise<Record<string, number>> {
  const { rows } = await site.tx((tx) =>
    sql<{ account: string; minor: number }>`
    select m.account, sum(m.minor)::bigint as minor from ledger.money_postings m
    join ledger.journal j on j.operator_id = m.operator_id and j.id = m.journal_id
    where j.operation in (select o.operation from billing.orders o where o.id = ${orderId})
      or j.memo ->> 'operation' in (select o.operation::text from billing.orders o where o.id = ${orderId})
    group by m.account`.execute(tx.sql())
  );
  return Object.fromEntries(rows.map(({ account, minor }) => [account, minor]));
}
const soundness = () =>
  site.tx(async (tx) => [
    (await sql`select * from ledger.faults()`.execute(tx.sql())).rows,
    (await sql`select * from ledger.alarms(${tx.now}) where alarm = 'not_covered'`.execute(tx.sql())).rows,
  ]);

type More = Partial<PaymentEvent>;
/** A paid order of 200 tokens for 20 dollars; `reports` delivers further events of its biller. */
async function bought(internalId = '1_200', minor = 2_000): Promise<{
  member: Member;
  id: string;
  reports: (event: PaymentEvent) => Promise<unknown>;
  back: (minor: number, type?: PaymentEvent['type'], more?: More) => PaymentEvent;
}> {
  const member = await site.viewer();
  const { order_id: id } = await member.call(getPurchaseLink, { internal_id: internalId, biller: 'ccbill' });
  const reports = (event: PaymentEvent) =>
    site.services.billing.receiveCallback(site.scope, scriptedBiller('ccbill'), scriptedCallback(event));
  const back = (cents: number, type: PaymentEvent['type'] = 'refunded', more: More = {}): PaymentEvent => {
    const name = uuidV4();
    return scriptedPayment(id, cents, { id: name, type, reference: name, of: `r ${id}`, ...more });
  };
  await reports(scriptedPayment(id, minor));
  return { member, id, reports, back };
}

describe('a refund of a part', () => {
  it('removes its share of the tokens, over a biller\'s own format, and sends an email', async () => {
    const member = await site.viewer();
    const tab = await site.socketOf(member);
    const { orderId } = await shop.buys(member, '1_200');
    const { order: { reference } } = await member.call(getOrder, { id: orderId });
    expect((await member.call(getOrder, { id: orderId })).order.refunded_minor).toBe(0);
    const part = { minor: 333, currency: 'USD' };
    expect(shop.simulators.till('ccbill').refund(reference ?? '', part)).not.toBeNull();
    await shop.passes(60_000);
    expect(await tokensOf(member)).toBe(200 - 34);
    expect(await stateOf(member, orderId)).toBe('paid');
    await tab.waitFor(paymentUpdate, ({ tokens }) => tokens === -34);
    expect(await moneyOf(orderId)).toEqual({ 'biller:ccbill': 1_667, sales: -2_000, refunds: 333 });
    const [mail, ...others] = await mailsOf(member, 'partRefund');
    expect(others).toEqual([]);
    expect(mail?.text).toMatch(/3\.33 USD of the 20\.00 USD.*34 tokens/su);
    const { mismatched } = await admin.call(getBillingAlarms, {});
    expect(mismatched.some(({ id }) => id === orderId)).toBe(false);
    expect((await member.call(getOrder, { id: orderId })).order)
      .toMatchObject({ state: 'paid', refunded_minor: 333, refunded_at: null });
  });

  it('and then of the rest is on the receipt, in the list, and in emails with the seller', async () => {
    const company = { name: 'Candela Media GmbH', address: 'Lampenweg 1\n10115 Berlin' };
    await admin.call(changeSeller, { ...company, reason: 'founded' });
    const { member, id, reports, back } = await bought();
    // A receipt shows the seller as of the day it was paid.
    await admin.call(changeSeller, { ...company, name: 'Somebody Else Ltd', reason: 'sold' });
    const receipt = async () => (await member.call(getOrder, { id })).order;
    const seller = { ...company, brand: 'Candela' };
    expect(await receipt()).toMatchObject({ refunded_minor: 0, seller, descriptor: 'CANDELA TEST' });
    await reports(back(333));
    expect(await receipt()).toMatchObject({ state: 'paid', refunded_minor: 333, refunded_at: null, seller });
    await reports(back(1_667));
    expect(await receipt()).toMatchObject({ state: 'refunded', refunded_minor: 2_000, seller });
    expect((await receipt()).refunded_at).not.toBeNull();
    const [listed] = (await member.call(listOrders, {})).orders;
    expect(listed).toMatchObject({ id, refunded_minor: 2_000, price: { minor: 2_000, currency: 'USD' } });
    const said = {
      receipt: '20.00 USD on',
      partRefund: '3.33 USD of 20.00 USD',
      refund: '20.00 USD of 20.00 USD',
    };
    for (const [kind, amount] of Object.entries(said)) {
      const [mail, ...others] = await mailsOf(member, kind);
      expect(others).toEqual([]);
      expect(mail?.text).toContain(amount);
      expect(mail?.text).toContain('Sold by Candela Media GmbH, Lampenweg 1, 10115 Berlin\n');
      expect(mail?.text).toContain('at Candela');
      expect(mail?.text).toContain('appear on your statement as CANDELA TEST.');
      expect(mail?.text).toMatch(/on [A-Z][a-z]{2} \d{1,2}, 2026, \d{1,2}:\d{2}\s[AP]M UTC/u);
    }
    expect((await admin.call(listBillingChanges, {})).changes[0]).toMatchObject({
      action: 'changeSeller',
      username: admin.username,
      reason: 'sold',
      fields: [{ name: 'name', before: '"Candela Media GmbH"', after: '"Somebody Else Ltd"' }],
    });
  });

  it('and a chargeback of the whole reverse no more than was paid', async () => {
    const { member, id, reports, back } = await bought();
    await reports(back(500));
    await reports(back(2_000, 'charged_back'));
    expect((await member.call(getOrder, { id })).order)
      .toMatchObject({ state: 'charged_back', refunded_minor: 2_000 });
  });

  it('and another, repeated and in any order, remove the whole and no token more', async () => {
    for (const turn of [0, 1, 2]) {
      const { member, id, reports, back } = await bought();
      const parts = [back(333), back(667), back(1_000)];
      const turned = [...parts.slice(turn), ...parts.slice(0, turn)];
      for (const part of [...turned, ...turned]) await reports(part);
      expect(await tokensOf(member)).toBe(0);
      expect(await stateOf(member, id)).toBe('refunded');
      expect(await moneyOf(id)).toEqual({ 'biller:ccbill': 0, sales: -2_000, refunds: 2_000 });
      expect(await limitsOf(member)).toMatchObject({ debtTokens: 0, blocked: null });
      expect(await mailsOf(member, 'partRefund')).toHaveLength(2);
    }
    expect(await soundness()).toEqual([[], []]);
  });

  it('before its payment waits for it, and a reversal of the whole is posted as one', async () => {
    const member = await site.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    const reports = (event: PaymentEvent) =>
      site.services.billing.receiveCallback(site.scope, scriptedBiller('ccbill'), scriptedCallback(event));
    for (const [name, minor] of [['x', 500], ['y', 250]] as const) {
      await reports(scriptedPayment(id, minor, {
        id: `${name} ${id}`,
        type: 'refunded',
        reference: `${name} ${id}`,
        of: `r ${id}`,
        orderId: null,
      }));
    }
    await Promise.all([reports(scriptedPayment(id, 2_000)), reports(scriptedPayment(id, 2_000))]);
    expect(await tokensOf(member)).toBe(200 - 75);
    expect(await moneyOf(id)).toMatchObject({ 'biller:ccbill': 1_250, refunds: 750 });
  });

  it('above the whole raises an alarm, and removes no more than the whole', async () => {
    const { member, id, reports, back } = await bought();
    await reports(back(1_500));
    await reports(back(1_500));
    expect(await tokensOf(member)).toBe(0);
    expect(await moneyOf(id)).toMatchObject({ 'biller:ccbill': 0, refunds: 2_000 });
    const { mismatched } = await admin.call(getBillingAlarms, {});
    expect(mismatched.some((item) => item.id === id)).toBe(true);
  });

  it('removes unspent tokens while there are enough; the rest is owed', async () => {
    const { member, reports, back } = await bought();
    await member.tips(performer, 120);
    await reports(back(500));
    expect(await tokensOf(member)).toBe(30);
    expect(await limitsOf(member)).toMatchObject({ debtTokens: 0, blocked: null });
    await member.tips(performer, 10);
    await reports(back(500));
    expect(await tokensOf(member)).toBe(0);
    expect(await limitsOf(member)).toMatchObject({ debtTokens: 30, blocked: { cause: 'chargeback' } });
    expect(await soundness()).toEqual([[], []]);
  });

  it('is shown to admins with what is left, which they can reverse too', async () => {
    const { member, id, reports, back } = await bought();
    await reports(back(500));
    const operation = (await site.tx((tx) =>
      sql<{ operation: string }>`
      select operation from billing.orders where id = ${id}`.execute(tx.sql())
    )).rows[0]?.operation ?? '';
    const found = async () => (await admin.call(findOperations, { operation })).operations[0];
    expect(await found()).toMatchObject({ is_reversed: false, reversed_by: [expect.any(String)] });
    const reverse = (mode: 'refund' | 'chargeback') =>
      site.tx((tx) =>
        site.services.ledger.reverse(
          tx,
          { id: uuidV4(), operation, mode, reason: 'test', actorId: null },
        )
      );
    expect(await reverse('refund')).toMatchObject({ status: 'posted' });
    expect(await tokensOf(member)).toBe(0);
    expect((await found())?.reversed_by).toHaveLength(2);
    expect((await found())?.is_reversed).toBe(true);
    // The biller paid out our reversal; every account of the purchase is at zero.
    expect(await moneyOf(id)).toEqual({ 'biller:ccbill': 0, sales: 0, refunds: 0 });
    expect(await reverse('chargeback')).toMatchObject({ status: 'not_reversible' });
  });
});

describe('a chargeback', () => {
  it('after a partial refund removes the rest, with spent tokens owed, and closes spending', async () => {
    const { member, id, reports, back } = await bought();
    await reports(back(500));
    await member.tips(performer, 100);
    await reports(back(2_000, 'charged_back'));
    expect(await tokensOf(member)).toBe(0);
    expect(await stateOf(member, id)).toBe('charged_back');
    expect(await limitsOf(member)).toMatchObject({ debtTokens: 100, blocked: { cause: 'chargeback' } });
    expect(await moneyOf(id)).toEqual(
      { 'biller:ccbill': 0, sales: -2_000, refunds: 500, chargebacks: 1_500 },
    );
    await reports(back(500));
    expect(await limitsOf(member)).toMatchObject({ debtTokens: 100 });
    expect(await soundness()).toEqual([[], []]);
  });

  it('of a part removes a part and closes spending', async () => {
    const { member, id, reports, back } = await bought();
    await reports(back(500, 'charged_back'));
    expect(await tokensOf(member)).toBe(150);
    expect(await stateOf(member, id)).toBe('paid');
    expect(await limitsOf(member)).toMatchObject({ debtTokens: 0, blocked: { cause: 'chargeback' } });
    expect(await mailsOf(member, 'partRefund')).toEqual([]);
  });

  it('of a purchase with free tokens removes those too, spent ones as debt', async () => {
    const gifted = DEFAULT_PRODUCTS.map((
      item,
    ) => (item.internalId === '1_200' ? { ...item, freeTokens: 50 } : item));
    await site.tx((tx) => site.services.billing.sell(tx, gifted, null));
    const ways = [['charged_back', 2_000], ['refunded', 2_000], ['refunded', 1_000]] as const;
    for (const [type, minor] of ways) {
      const { member, reports, back } = await bought();
      expect(await tokensOf(member)).toBe(250);
      // Free tokens are spent first.
      await member.tips(performer, 30);
      await reports(back(minor, type));
      const share = minor / 2_000;
      const { debtTokens } = await limitsOf(member);
      expect((await tokensOf(member)) - debtTokens).toBe(220 - 250 * share);
      expect(debtTokens).toBe(share === 1 ? 30 : 5);
    }
    await site.tx((tx) => site.services.billing.sell(tx, DEFAULT_PRODUCTS, null));
    expect(await soundness()).toEqual([[], []]);
  });

  it('of a purchase without tokens is posted, and closes spending', async () => {
    const bare = DEFAULT_PRODUCTS.map((
      item,
    ) => (item.internalId === 'membership_vip' ? { ...item, tokens: 0 } : item));
    await site.tx((tx) => site.services.billing.sell(tx, bare, null));
    const { member, id, reports, back } = await bought('membership_vip', 3_999);
    await reports(back(1_000));
    expect(await moneyOf(id)).toMatchObject({ 'biller:ccbill': 2_999, refunds: 1_000 });
    // After a partial refund the membership continues.
    expect((await member.call(getMembership, {})).membership).toBe('vip');
    await reports(back(3_999, 'charged_back'));
    expect(await stateOf(member, id)).toBe('charged_back');
    expect(await moneyOf(id)).toMatchObject({ 'biller:ccbill': 0, chargebacks: 2_999 });
    expect((await limitsOf(member)).blocked).not.toBeNull();
    expect((await member.call(getMembership, {})).membership).toBeNull();
    await site.tx((tx) => site.services.billing.sell(tx, DEFAULT_PRODUCTS, null));
  });
});

describe('a renewal that fails', () => {
  it('sends one email with the reason and what to do next, in the language of the purchase', async () => {
    for (const [language, said] of [['en', 'could not be renewed'], ['de', 'konnte nicht']] as const) {
      const member = await site.viewer({ language });
      const card = TEST_CARDS.find(({ renewalDecline }) => renewalDecline !== null)?.number ?? '';
      const { orderId } = await shop.buys(member, 'membership_vip', { card });
      const { order: { reference } } = await member.call(getOrder, { id: orderId });
      const { until } = await member.call(getMembership, {});
      await shop.passes(29 * DAY_MS);
      const till = shop.simulators.till('ccbill');
      for (const tries of [1, 2]) {
        expect(till.renew(reference ?? '')?.state, `try ${tries}`).toBe('declined');
        await shop.passes(60_000);
      }
      await admin.logsIn();
      const mails = await mailsOf(member, 'renewalFailed');
      expect(mails).toHaveLength(1);
      expect(mails[0]?.subject + (mails[0]?.text ?? '')).toContain(said);
      expect(mails[0]?.text).toContain(until?.slice(0, 10));
      expect(mails[0]?.text).toContain('39.99 USD');
    }
  });

  it('sends another email when it fails again after a success', async () => {
    const { member, id, reports } = await bought('membership_vip', 3_999);
    const fails = () =>
      reports(scriptedPayment(id, 0, {
        id: uuidV4(),
        type: 'renewal_failed',
        amount: null,
        reference: uuidV4(),
        decline: 'NEXPIRED',
      }));
    const emailsSent = async () => (await mailsOf(member, 'renewalFailed')).length;
    await fails();
    await shop.passes(DAY_MS);
    await fails();
    expect(await emailsSent()).toBe(1);
    const again = `again ${id}`;
    await reports(scriptedPayment(id, 3_999, { id: again, type: 'renewed', reference: again }));
    expect(await emailsSent()).toBe(1);
    await shop.passes(DAY_MS);
    await fails();
    expect(await emailsSent()).toBe(2);
  });
});

describe('a refund by staff', () => {
  const refund = (id: string) => ({ id, reason: 'returned at the biller, ticket 14' });

  it('is booked once, by the rules for one that the biller reports, which then changes nothing', async () => {
    const { member, id, reports, back } = await bought();
    await member.tips(performer, 150);
    await admin.call(refundPayment, refund(id));
    await site.settle();
    expect([await stateOf(member, id), (await limitsOf(member)).debtTokens]).toEqual(['refunded', 150]);
    const money = { 'biller:ccbill': 0, 'sales': -2_000, 'refunds': 2_000 };
    expect(await moneyOf(id)).toEqual(money);
    expect(await mailsOf(member, 'refund')).toHaveLength(1);
    expect((await admin.refused(refundPayment, refund(id))).errorType).toBe('not_refundable');
    await reports(back(2_000));
    await site.settle();
    expect([await moneyOf(id), (await limitsOf(member)).debtTokens]).toEqual([money, 150]);
    const { mismatched } = await admin.call(getBillingAlarms, {});
    expect(mismatched.filter((item) => item.id === id)).toEqual([]);
    expect(await soundness()).toEqual([[], []]);
    const audited = await site.tx(async (tx) =>
      (await sql<{ actor_id: number; reason: string }>`
      select actor_id, reason from platform.audit where action = 'billing.refundPayment'
        and subject = ${`order:${id}`}`.execute(tx.sql())).rows
    );
    expect(audited).toEqual([{ actor_id: admin.id, reason: 'returned at the biller, ticket 14' }]);
  });

  it('takes the rest of what was refunded in part, and nothing of what nobody paid', async () => {
    const { member, id, reports, back } = await bought();
    await reports(back(500));
    await admin.call(refundPayment, refund(id));
    await site.settle();
    expect([await tokensOf(member), await stateOf(member, id)]).toEqual([0, 'refunded']);
    const { order_id: open } = await member.call(getPurchaseLink, { internal_id: '1_200', biller: 'ccbill' });
    expect((await admin.refused(refundPayment, refund(open))).errorType).toBe('not_refundable');
    expect((await admin.refused(refundPayment, refund('none'))).errorType).toBe('order_unknown');
    expect((await member.refused(refundPayment, refund(id))).status).toBe(403);
    expect(await soundness()).toEqual([[], []]);
  });
});
