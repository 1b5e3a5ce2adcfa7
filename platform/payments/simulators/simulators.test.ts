import { DECLINE_CODES } from '#platform/contract/payment.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Biller, Order, SavedCard } from '../biller.ts';
import { billersFor } from '../billers.ts';
import { outsideWithin } from '../outside.ts';
import { behaviourOf, cardNumberFor, isCardNumber, TEST_CARDS } from './checkout/test-cards.ts';
import { Courier, type WireCallback } from './courier.ts';
import { FaultScript, type Fault } from './faults.ts';
import { openSimulators } from './open.ts';

const GOOD_CARD = cardNumberFor(null);
const SHOP = 'http://shop.example:3000';

const order: Order = {
  id: 'order-1',
  amount: { minor: 1099, currency: 'USD' },
  renewal: null,
  title: '<b>100</b> tokens',
  returnUrl: `${SHOP}/return`,
  payer: { ref: 'payer-1', email: null, country: 'DE', address: null },
};

async function open() {
  const clock = new VirtualClock();
  const received: string[] = [];
  const simulators = await openSimulators({
    port: 0,
    host: '127.0.0.1',
    clock,
    callback: (biller) => `${SHOP}/callbacks/${biller}`,
    fetch: async (input, init) => {
      received.push(await new Request(input, init).text());
      return new Response('OK');
    },
  });
  onTestFinished(() => simulators.close());
  const billers = billersFor(simulators.accounts, outsideWithin(20_000, clock));
  const ccbill = billers.find((biller) => biller.name === 'ccbill') as Biller;
  return { clock, received, simulators, ccbill };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Does what the card page of a shop does in the browser. */
async function typesCard({ ccbill }: Opened, number: string, change: Record<string, string> = {}) {
  const form = await ccbill.cardForm(order.payer);
  if (!form) throw new Error('no card form');
  const answer = await fetch(form.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${form.bearer}`, 'content-type': 'application/json', origin: SHOP },
    body: JSON.stringify({
      ...form.fields,
      nameOnCard: 'A B',
      cardNumber: number,
      expMonth: '4',
      expYear: '2029',
      cvv2: '123',
      ...change,
    }),
  });
  return {
    answer,
    body: await answer.json() as { paymentTokenId?: string; errors?: { propertyName: string }[] },
  };
}

describe('test cards', () => {
  it('are card numbers, one for each reason to decline, and no other number pays', () => {
    expect(TEST_CARDS.every(({ number }) => isCardNumber(number))).toBe(true);
    expect(new Set(TEST_CARDS.map(({ number }) => number)).size).toBe(TEST_CARDS.length);
    for (const decline of DECLINE_CODES) expect(behaviourOf(cardNumberFor(decline)).decline).toBe(decline);
    expect(behaviourOf('4222222222222').decline).toBe('NDECLINED');
    expect(isCardNumber('4111111111111112')).toBe(false);
  });

  it('are listed on a page', async () => {
    const { simulators } = await open();
    const text = await (await fetch(`${simulators.origin}/test-cards`)).text();
    for (const { number, label } of TEST_CARDS) {
      expect(text).toContain(number);
      expect(text).toContain(label);
    }
  });
});

describe('the token service', () => {
  it('takes a card from the page of a shop and gives a token that only this payer can bring', async () => {
    const opened = await open();
    const { answer, body } = await typesCard(opened, GOOD_CARD);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
    const { ccbill } = opened;
    const card = await ccbill.cardOf(body.paymentTokenId!, order.payer) as SavedCard;
    expect(card).toEqual({
      token: body.paymentTokenId,
      face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '04/29' },
    });
    expect(await ccbill.cardOf(body.paymentTokenId!, { ...order.payer, ref: 'payer-2' })).toBeNull();
    expect(await ccbill.cardOf('no-such-token', order.payer)).toBeNull();
    expect((await ccbill.charge(order, card)).kind).toBe('paid');
    // A token pays once: the second charge moves no money.
    expect((await ccbill.charge({ ...order, id: 'order-2' }, card)).kind).toBe('declined');
    expect(opened.simulators.till('ccbill').ofOrder('order-2')).toEqual([]);
  });

  it('answers the question browsers ask first', async () => {
    const { simulators } = await open();
    const answer = await fetch(`${simulators.origin}/ccbill/payment-tokens`, {
      method: 'OPTIONS',
      headers: { origin: SHOP, 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-headers')).toContain('authorization');
  });

  it('says which field is wrong', async () => {
    const opened = await open();
    const wrongFields = async (number: string, change: Record<string, string>) =>
      (await typesCard(opened, number, change)).body.errors?.map(({ propertyName }) => propertyName);
    expect(await wrongFields('4111111111111112', {})).toEqual(['cardNumber']);
    expect(await wrongFields(GOOD_CARD, { nameOnCard: ' ', cvv2: '12', expYear: '2020' }))
      .toEqual(['nameOnCard', 'expYear', 'cvv2']);
  });

  it('gives browsers a bearer that can only make tokens', async () => {
    const { simulators, ccbill } = await open();
    const form = await ccbill.cardForm(order.payer);
    const saved = simulators.till('ccbill').keep(GOOD_CARD, '04/29', 'payer-1', 1);
    for (const path of [`transactions/payment-tokens/${saved!.token}`, `payment-tokens/${saved!.token}`]) {
      const answer = await fetch(`${simulators.origin}/ccbill/${path}`, {
        method: path.startsWith('tr') ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${form!.bearer}` },
      });
      expect(answer.status).toBe(401);
    }
  });

  it('wants somebody verified on a page first, where the bank does', async () => {
    const opened = await open();
    const { body } = await typesCard(opened, cardNumberFor('VERIFY'));
    const card = await opened.ccbill.cardOf(body.paymentTokenId!, order.payer) as SavedCard;
    expect(await opened.ccbill.charge(order, card)).toMatchObject({ kind: 'page' });
  });
});

describe('card numbers', () => {
  it('are nowhere once a payment is made: not in the records, callbacks, pages or reports', async () => {
    const opened = await open();
    const { simulators, ccbill, received } = opened;
    await typesCard(opened, GOOD_CARD);
    const page = await ccbill.page(order, 'card');
    const shown = await fetch(page.kind === 'page' ? page.url : '');
    expect(await shown.text()).toContain('&lt;b&gt;100&lt;/b&gt; tokens');
    const typed = { action: 'pay', number: '5555 5555 5555 4444', expiry: '12/29', cvv: '987' };
    const paid = await fetch(shown.url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(typed),
    });
    await simulators.settle();
    const finding = await ccbill.find({ id: order.id, reference: null });
    const staff = await (await fetch(`${simulators.origin}/ccbill/operator`)).text();
    const everything = JSON.stringify([
      received,
      finding,
      staff,
      paid.headers.get('location'),
      simulators.till('ccbill').payments(),
    ]);
    expect(everything).toContain('4444');
    for (const number of ['5555555555554444', GOOD_CARD, '987"']) expect(everything).not.toContain(number);
  });
});

describe('the page of the staff', () => {
  it('refunds and charges back once each, and arms a fault', async () => {
    const { simulators, received } = await open();
    const till = simulators.till('ccbill');
    const card = till.keep(GOOD_CARD, '04/29', 'payer-1', 1);
    const sale = till.sell({ ...order, orderId: order.id, method: 'card', checkoutId: null }, card);
    const press = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      (await fetch(
        `${simulators.origin}/ccbill/operator`,
        { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(fields) },
      )).status;
    const refund = { action: 'refund', reference: sale.reference };
    expect(await press(refund, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await press(refund)).toBe(303);
    expect(await press(refund)).toBe(409);
    expect(await press({ ...refund, action: 'chargeback' })).toBe(409);
    expect(await press({ action: 'arm', fault: 'duplicate' })).toBe(303);
    expect(till.script.armed).toEqual(['duplicate']);
    expect(await press({ action: 'arm', fault: 'no-such-fault' })).toBe(409);
    await simulators.settle();
    expect(received).toHaveLength(2);
  });

  it('is there for scripts as well', async () => {
    const { simulators } = await open();
    const send = async (path: string, fields: Record<string, string>) =>
      (await fetch(
        `${simulators.origin}/control/${path}`,
        { method: 'POST', body: new URLSearchParams(fields) },
      )).status;
    expect(await send('segpay/faults', { fault: 'lost', times: '3' })).toBe(200);
    expect(simulators.till('segpay').script.armed).toEqual(['lost', 'lost', 'lost']);
    expect(await send('segpay/faults', { fault: 'lost', times: '-1' })).toBe(400);
    expect(await send('segpay/faults', { fault: 'odd' })).toBe(400);
    expect(await send('segpay/act', { action: 'refund', reference: '1' })).toBe(409);
    expect(await send('nobody/faults', { fault: 'lost' })).toBe(404);
  });

  it('lets a processor be down: everything it serves says 503', async () => {
    const { simulators, ccbill } = await open();
    simulators.arm('ccbill', 'down', 2);
    expect((await ccbill.find({ id: order.id, reference: null })).kind).toBe('unreachable');
    expect(await ccbill.cardForm(order.payer)).toBeNull();
    expect((await ccbill.find({ id: order.id, reference: null })).kind).toBe('nothing');
  });
});

describe('the courier', () => {
  function courier(statuses: readonly number[], retryMs: readonly number[] = [10_000, 60_000]) {
    const clock = new VirtualClock();
    const script = new FaultScript();
    const carried: { readonly body: string; readonly atMs: number }[] = [];
    const startMs = clock.now().getTime();
    const sends = new Courier({
      clock,
      script,
      retryMs,
      forge: (callback) => ({ ...callback, body: `forged ${callback.body}` }),
      again: (callback) => ({ ...callback, body: `${callback.body}'` }),
      carry: async ({ body }) => {
        carried.push({ body, atMs: clock.now().getTime() - startMs });
        const status = statuses[carried.length - 1] ?? 200;
        if (status === 0) throw new TypeError('fetch failed');
        return status;
      },
    });
    return { clock, script, carried, sends, bodies: () => carried.map(({ body }) => body) };
  }
  const callback = (body: string): WireCallback => ({ method: 'POST', query: '', headers: {}, body });

  it('is retried with growing waits until it is received, and gives up after the last', async () => {
    const { clock, sends, carried } = courier([500, 0, 200]);
    sends.send(callback('a'));
    await sends.settle();
    for (const ms of [10_000, 60_000, 600_000]) {
      clock.advance(ms);
      await sends.settle();
    }
    expect(carried).toEqual([{ body: 'a', atMs: 0 }, { body: 'a\'', atMs: 10_000 }, {
      body: 'a\'\'',
      atMs: 70_000,
    }]);
    const deaf = courier([500, 500, 500, 500]);
    deaf.sends.send(callback('b'));
    await deaf.sends.settle();
    for (const ms of [10_000, 60_000, 600_000]) {
      deaf.clock.advance(ms);
      await deaf.sends.settle();
    }
    expect(deaf.carried).toHaveLength(3);
  });

  it('does what the script says, once each', async () => {
    const { clock, script, sends, bodies } = courier([]);
    const run = async (fault: Fault) => {
      const before = bodies().length;
      script.arm(fault, 1);
      sends.send(callback('12'));
      sends.send(callback('34'));
      await sends.settle();
      const soon = bodies().slice(before);
      clock.advance(4 * DAY_MS);
      await sends.settle();
      return [soon, bodies().slice(before + soon.length)];
    };
    expect(await run('duplicate')).toEqual([['12', '12\'', '34'], []]);
    expect(await run('reorder')).toEqual([['34', '12'], []]);
    expect(await run('delay')).toEqual([['34'], ['12']]);
    expect(await run('lost')).toEqual([['34'], []]);
    expect(await run('forged')).toEqual([['forged 12', '12', '34'], []]);
    expect(await run('truncated')).toEqual([['1', '34'], []]);
    expect(script.armed).toEqual([]);
    expect(script.arm('lost', 1001)).toBe(false);
  });

  it('lets go of what it holds back when nothing else comes', async () => {
    const { clock, script, sends, bodies } = courier([]);
    script.arm('reorder', 1);
    sends.send(callback('alone'));
    await sends.settle();
    expect(bodies()).toEqual([]);
    clock.advance(5_000);
    await sends.settle();
    expect(bodies()).toEqual(['alone']);
  });
});
