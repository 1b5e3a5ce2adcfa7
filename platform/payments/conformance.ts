import { DECLINE_CODES } from '#platform/contract/payment.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import assert from 'node:assert/strict';
import type { Biller, Order, PaymentEvent } from './biller.ts';
import type { BillerWorld, Traits } from './conformance-world.ts';
import { cardNumberFor, TEST_CARDS } from './simulators/checkout/test-cards.ts';

export interface Scenario {
  readonly title: string;
  readonly requires?: (world: { readonly biller: Biller; readonly traits: Traits }) => boolean;
  readonly run: (world: BillerWorld) => Promise<void>;
}

/** An order was paid once, with its amount. */
function assertPaid(world: BillerWorld, order: Order): PaymentEvent {
  const paid = world.believed(order, 'paid');
  assert.equal(paid.length, 1, 'paid once');
  assert.deepEqual(paid[0]?.amount, order.amount);
  assert.ok(paid[0]);
  return paid[0];
}

const pageScenarios: readonly Scenario[] = [
  {
    title: 'a page is paid, the callback says so once with the amount, the return is only a hint',
    run: async (world) => {
      const order = world.order();
      const location = await world.pay(order);
      assert.match(location, /^http:\/\/shop\.example\/return\?order=1&ans=Y/);
      assertPaid(world, order);
      const kinds = new Set(world.readings.map(({ kind }) => kind));
      assert.equal(kinds.has('genuine'), world.traits.signs);
      assert.equal(kinds.has('forged') || kinds.has('unreadable'), false);
    },
  },
  {
    title: 'each reason to decline comes back as itself',
    requires: ({ traits }) => traits.declines,
    run: async (world) => {
      for (const decline of DECLINE_CODES) {
        const order = world.order();
        const location = await world.pay(order, world.paying(cardNumberFor(decline)));
        assert.equal(new URL(location).searchParams.get('ans'), decline);
        assert.deepEqual(world.believed(order, 'declined').map((event) => event.decline), [decline]);
        assert.equal(world.believed(order, 'paid').length, 0);
      }
    },
  },
  {
    title: 'somebody who leaves the page has paid nothing',
    run: async (world) => {
      const order = world.order();
      assert.equal(await world.pay(order, { action: 'leave' }), order.returnUrl);
      assert.equal(world.believed(order, 'paid').length, 0);
    },
  },
  {
    title: 'a page that takes another amount or currency says what it took',
    run: async (world) => {
      for (const fault of ['wrong_amount', 'wrong_currency'] as const) {
        world.arm(fault);
        const order = world.order();
        await world.pay(order);
        const [paid] = world.believed(order, 'paid');
        assert.ok(paid?.amount);
        assert.notDeepEqual(paid.amount, order.amount);
      }
    },
  },
];

const isCrypto: Scenario['requires'] = ({ biller }) => biller.abilities.methods.includes('crypto');

const transferScenarios: readonly Scenario[] = [
  {
    title: 'a transfer is pending until it is confirmed, an hour later',
    requires: isCrypto,
    run: async (world) => {
      const order = world.order();
      await world.pay(order, { action: 'slow' });
      assert.equal(world.believed(order, 'pending').length, 1);
      assert.equal(world.believed(order, 'paid').length, 0);
      await world.pass(HOUR_MS);
      assertPaid(world, order);
    },
  },
  {
    title: 'half a transfer is money that came, and never the price of the order',
    requires: isCrypto,
    run: async (world) => {
      const order = world.order();
      await world.pay(order, { action: 'partly' });
      const [paid] = world.believed(order, 'paid');
      assert.equal(paid?.amount?.currency, order.amount.currency);
      // Coins have eight decimals, so that a part of a price may be a smallest unit off.
      assert.ok(Math.abs((paid?.amount?.minor ?? 0) - order.amount.minor / 2) <= 1);
    },
  },
  {
    title: 'a transfer that fails or never comes ends the order without money',
    requires: isCrypto,
    run: async (world) => {
      for (const [action, type] of [['fail', 'declined'], ['never', 'expired']] as const) {
        const order = world.order();
        await world.pay(order, { action });
        assert.equal(world.believed(order, type).length, 1);
        assert.equal(world.believed(order, 'paid').length, 0);
      }
    },
  },
  {
    title: 'a code is paid the next day, and again: each payment is one of its own',
    requires: ({ biller }) => biller.abilities.methods.includes('voucher'),
    run: async (world) => {
      const order = world.order();
      const page = await world.biller.page(order, 'voucher');
      assert.ok(page.kind === 'page');
      await world.presses(page.url, { action: 'later' });
      assert.equal(world.believed(order, 'paid').length, 0);
      await world.pass(DAY_MS);
      assertPaid(world, order);
      await world.presses(page.url, { action: 'pay' });
      assert.equal(world.believed(order, 'paid').length, 2);
      const odd = world.order({ amount: { minor: 1234, currency: 'EUR' } });
      assert.equal((await world.biller.page(odd, 'voucher')).kind, 'unreachable');
    },
  },
];

const callbackScenarios: readonly Scenario[] = [
  {
    title: 'twice is once, late is not never, out of order is in order',
    run: async (world) => {
      for (const fault of ['duplicate', 'reorder', 'delay', 'truncated'] as const) {
        world.arm(fault, 3);
        const [order, next] = [world.order(), world.order()];
        await world.pay(order);
        await world.pay(next);
        await world.pass(4 * DAY_MS);
        assertPaid(world, order);
        assertPaid(world, next);
      }
    },
  },
  {
    title: 'a forged callback moves nothing',
    run: async (world) => {
      world.arm('forged');
      const order = world.order();
      await world.pay(order);
      assertPaid(world, order);
      const believed = world.believedInAll;
      const [raw] = world.raws;
      assert.ok(raw);
      const elsewhere = world.order();
      await world.take({
        ...raw,
        body: raw.body.replaceAll(order.id, elsewhere.id),
        query: raw.query.replaceAll(order.id, elsewhere.id),
      });
      assert.equal(world.believedInAll, believed);
      assert.equal(world.believed(elsewhere, 'paid').length, 0);
    },
  },
  {
    title: 'a lost callback is made good by asking',
    requires: ({ biller }) => biller.abilities.answers,
    run: async (world) => {
      world.arm('lost', 8);
      const order = world.order();
      await world.pay(order);
      assert.equal(world.believed(order, 'paid').length, 0);
      await world.ask(order.id, null);
      assertPaid(world, order);
      assert.deepEqual(await world.biller.find({ id: uuidV4(), reference: null }), { kind: 'nothing' });
    },
  },
];

const reversalScenarios: readonly Scenario[] = [
  {
    title: 'a refund names what it takes back',
    requires: ({ traits }) => traits.refunds,
    run: async (world) => {
      const order = world.order();
      await world.pay(order);
      const paid = assertPaid(world, order);
      assert.ok(world.till.refund(world.sale(order).reference));
      await world.settle();
      const [refund] = world.believed(order, 'refunded');
      assert.deepEqual(refund?.amount, order.amount);
      assert.equal(refund?.of, paid.reference);
      world.arm('late_reversal');
      const late = world.order();
      await world.pay(late);
      await world.pass(4 * DAY_MS);
      assert.equal(world.believed(late, 'refunded').length, 1);
    },
  },
  {
    title: 'a chargeback comes days later and names what it takes back',
    requires: ({ traits }) => traits.chargebacks,
    run: async (world) => {
      world.arm('chargeback');
      const order = world.order();
      await world.pay(order);
      const paid = assertPaid(world, order);
      assert.equal(world.believed(order, 'charged_back').length, 0);
      await world.pass(4 * DAY_MS);
      const [back] = world.believed(order, 'charged_back');
      assert.deepEqual(back?.amount, order.amount);
      assert.equal(back?.of, paid.reference);
    },
  },
];

const renewalScenarios: readonly Scenario[] = [
  {
    title: 'what renews is charged again under the same subscription, until it is cancelled',
    requires: ({ biller }) => biller.abilities.renews,
    run: async (world) => {
      const order = world.monthly();
      await world.pay(order);
      const { subscription } = assertPaid(world, order);
      assert.ok(subscription);
      await world.pass(30 * DAY_MS);
      assert.ok(world.till.renew(world.sale(order).reference));
      await world.settle();
      const [renewed] = world.believed(order, 'renewed');
      assert.equal(renewed?.subscription, subscription);
      assert.deepEqual(renewed?.amount, order.amount);
      assert.equal(await world.biller.cancel(subscription), 'cancelled');
      await world.settle();
      assert.equal(world.believed(order, 'cancelled').length, 1);
      assert.equal(world.till.renew(world.sale(order).reference), null);
      assert.equal(await world.biller.cancel('0000000000000000000'), 'unknown');
    },
  },
  {
    title: 'a renewal that is declined says so',
    requires: ({ biller }) => biller.abilities.renews,
    run: async (world) => {
      const order = world.monthly();
      const failing = TEST_CARDS.find((card) => card.renewalDecline !== null);
      assert.ok(failing);
      await world.pay(order, world.paying(failing.number));
      assert.ok(world.till.renew(world.sale(order).reference));
      await world.settle();
      const [failed] = world.believed(order, 'renewal_failed');
      assert.equal(failed?.decline, failing.renewalDecline);
    },
  },
];

const chargeScenarios: readonly Scenario[] = [
  {
    title: 'a card of a paid page pays again without a page, and again',
    requires: ({ biller }) => biller.abilities.charges,
    run: async (world) => {
      const first = world.order();
      await world.pay(first);
      let { card } = assertPaid(world, first);
      for (let round = 0; round < 2; round += 1) {
        assert.ok(card);
        const order = world.order();
        const outcome = await world.biller.charge(order, card);
        assert.equal(outcome.kind, 'paid');
        if (outcome.kind !== 'paid') return;
        world.believe([outcome.event]);
        await world.settle();
        // The callback for the same charge carries the same event.
        assertPaid(world, order);
        card = outcome.event.card ?? card;
      }
    },
  },
  {
    title: 'a charge is declined with its reason, once, and says nothing of a card number',
    requires: ({ biller }) => biller.abilities.charges,
    run: async (world) => {
      for (const decline of DECLINE_CODES.filter((text) => text !== 'VERIFY')) {
        const order = world.order();
        const saved = world.till.keep(cardNumberFor(decline), '12/29', order.payer.ref, 1);
        assert.ok(saved);
        const face = { brand: saved.brand, first6: saved.first6, last4: saved.last4, expiry: saved.expiry };
        const outcome = await world.biller.charge(order, { token: saved.token, face });
        assert.equal(outcome.kind, 'declined');
        if (outcome.kind === 'declined') world.believe([outcome.event]);
        await world.settle();
        assert.deepEqual(world.believed(order, 'declined').map((event) => event.decline), [decline]);
        assert.ok(!JSON.stringify(outcome).includes(cardNumberFor(decline)));
      }
    },
  },
  {
    title: 'a charge whose answer is lost is unknown, found by asking, and paid once',
    requires: ({ biller }) => biller.abilities.charges && biller.abilities.answers,
    run: async (world) => {
      const first = world.order();
      await world.pay(first);
      const { card } = assertPaid(world, first);
      assert.ok(card);
      const order = world.order();
      world.arm('timeout_after_charge');
      world.arm('lost');
      const outcome = await world.biller.charge(order, card);
      assert.equal(outcome.kind, 'unknown');
      assert.equal(world.believed(order, 'paid').length, 0);
      await world.ask(order.id, null);
      const found = assertPaid(world, order);
      // The charge returns the card for the next one.
      const next = world.order();
      const again = await world.biller.charge(next, found.card ?? card);
      assert.equal(again.kind, 'paid');
      assert.equal(world.till.ofOrder(order.id).length, 1);
    },
  },
];

const outageScenarios: readonly Scenario[] = [
  {
    title: 'a biller that is down is unreachable, and nothing was charged',
    run: async (world) => {
      const { abilities } = world.biller;
      const first = world.order();
      await world.pay(first);
      const { card } = assertPaid(world, first);
      world.fall();
      const order = world.order();
      if (abilities.charges && card) {
        assert.equal((await world.biller.charge(order, card)).kind, 'unreachable');
      }
      if (abilities.answers) {
        assert.equal((await world.biller.find({ id: order.id, reference: null })).kind, 'unreachable');
      }
      if (abilities.saves) {
        assert.equal(await world.biller.cardOf(card?.token ?? 'none', order.payer), 'unreachable');
      }
      if (abilities.renews) assert.equal(await world.biller.cancel('1'), 'unknown');
      assert.equal(world.till.ofOrder(order.id).length, 0);
    },
  },
];

/** The scenarios for every biller. Each runs in a world of its own, if the biller has the ability for it. */
export const SCENARIOS: readonly Scenario[] = [
  ...pageScenarios,
  ...transferScenarios,
  ...callbackScenarios,
  ...reversalScenarios,
  ...renewalScenarios,
  ...chargeScenarios,
  ...outageScenarios,
];
