import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { listOrders } from '#product/billing/contract/orders.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, it } from 'vitest';
import { getAgeVerification, getCardToken, verifyByCard } from './contract.ts';

const { site, shop, providers } = await openAgeCheckedSite();
const REGION = 'US-TX';

/** Types a card into the form of the processor, as the page does; returns its token. */
async function typesCard(member: Member, number = cardNumberFor(null)): Promise<string> {
  const { access_token: bearer, url, fields } = await member.call(getCardToken, {});
  const typed = { nameOnCard: 'Kim Doe', cardNumber: number, expMonth: '12', expYear: '30', cvv2: '123' };
  const made = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ ...fields, ...typed }),
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
  });
  return ((await made.json()) as { paymentTokenId: string }).paymentTokenId;
}

const digitsOf = (number: string) => ({ first6: number.slice(0, 6), last4: number.slice(-4) });
/** The form with every field that the specification names. */
const formOf = (payment_token: string, more: Record<string, unknown> = {}, number = cardNumberFor(null)) => ({
  address: '1 Main Street',
  birth_date: '1990-05-17',
  city: 'Austin',
  country: 'US',
  email: 'kim@people.example',
  first_name: 'Kim',
  last_name: 'Doe',
  state: 'TX',
  zip: '73301',
  payment_token,
  card: { exp_month: '12', exp_year: '30', ...digitsOf(number) },
  do_purchase: 0,
  ...more,
});
const send = (member: Member, form: unknown, key?: string) =>
  member.request({
    method: 'POST',
    url: '/api/v1/age-verification',
    payload: form as object,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const gateOf = async (member: Member): Promise<string> => (await member.call(getEntry, {})).gate;
const ordersOf = async (member: Member) => (await member.call(listOrders, {})).orders;

describe('a card check', () => {
  it('gives members a token for the card form, and guests none [C-303]', async () => {
    const member = await site.viewer({ region: REGION });
    const answer = await member.request({ method: 'POST', url: '/api/v1/ccbill/oauth_token', payload: {} });
    expect(answer.json()).toEqual({
      access_token: expect.stringMatching(/^.{16,}$/u),
      token_type: 'bearer',
      url: `${shop.simulators.accounts.ccbill.pages}/payment-tokens`,
      fields: expect.objectContaining({ numberOfUse: '1' }),
      needs_email: false,
      offer: { tokens: 300, free_tokens: 200, price: { minor: 1_099, currency: 'USD' } },
    });
    // It makes tokens, and can charge nothing.
    const token = await typesCard(member);
    const charged = await fetch(
      `${shop.simulators.accounts.ccbill.api}/transactions/payment-tokens/${token}`,
      {
        method: 'POST',
        body: '{}',
        headers: { authorization: `Bearer ${answer.json<{ access_token: string }>().access_token}` },
      },
    );
    expect(charged.status).toBe(401);
    const guest = await site.visitor({ region: REGION });
    expect((await guest.refused(getCardToken, {})).status).toBe(401);
    expect((await guest.refused(verifyByCard, formOf('x'))).status).toBe(401);
  });

  it('opens the gate by CCBill’s token and the whole form [C-304, C-309]', async () => {
    const member = await site.viewer({ region: REGION });
    expect(await gateOf(member)).toBe('verify');
    const answer = await send(member, formOf(await typesCard(member)));
    expect(answer.json()).toEqual({ status: 1, gate: 'open', tokens_bought: 0, purchase: null });
    expect(await gateOf(member)).toBe('open');
    expect(await ordersOf(member)).toEqual([]);
  });

  it('charges nothing with do_purchase 0, and needs the choice to be 0 or 1 [C-207, C-208]', async () => {
    const member = await site.viewer({ region: REGION });
    const token = await typesCard(member);
    for (const choice of [undefined, null, 2, -1, '1', true]) {
      const { statusCode } = await send(member, formOf(token, { do_purchase: choice }));
      expect(statusCode, String(choice)).toBe(422);
    }
    expect(await gateOf(member)).toBe('verify');
    expect((await send(member, formOf(token, { do_purchase: 0 }))).json()).toMatchObject({
      tokens_bought: 0,
    });
    await shop.settle();
    expect(shop.simulators.till('ccbill').payments()).toEqual([]);
    expect(await ordersOf(member)).toEqual([]);
  });

  it('buys 300 tokens for 10.99 dollars with do_purchase 1, once per key [C-209, C-404]', async () => {
    const member = await site.viewer({ region: REGION });
    const form = formOf(await typesCard(member), { do_purchase: 1 });
    const first = await send(member, form, 'the-same-key');
    expect(first.json()).toMatchObject({
      status: 1,
      gate: 'open',
      purchase: { state: 'paid', reason: null },
    });
    const again = await send(member, form, 'the-same-key');
    expect(again.json()).toEqual(first.json());
    await shop.settle();
    const orders = await ordersOf(member);
    expect(orders).toHaveLength(1);
    expect(orders[0]).toMatchObject({ tokens: 300, price: { minor: 1_099, currency: 'USD' }, state: 'paid' });
    expect(shop.simulators.till('ccbill').payments().filter(({ orderId }) => orderId === orders[0]?.id))
      .toHaveLength(1);
    expect(first.json<{ tokens_bought: number }>().tokens_bought).toBe(await tokensOf(member));
    // The key stands for that purchase; and without a key, the token for itself.
    const other = formOf(await typesCard(member), { do_purchase: 1 });
    expect((await send(member, other, 'the-same-key')).json()).toMatchObject({
      errorType: 'idempotency_key_reused',
    });
    expect(await ordersOf(member)).toHaveLength(1);
  });

  it('keeps the proof when the offer is declined', async () => {
    const member = await site.viewer({ region: REGION });
    const number = cardNumberFor('NDECLINEDINSFUNDS');
    const form = formOf(await typesCard(member, number), { do_purchase: 1 }, number);
    expect((await send(member, form)).json()).toMatchObject({
      gate: 'open',
      tokens_bought: 0,
      purchase: { state: 'declined', reason: 'NDECLINEDINSFUNDS' },
    });
    expect(await gateOf(member)).toBe('open');
  });

  it('sells the offer as a first purchase only, and keeps the proof of whoever bought before', async () => {
    const member = await site.viewer({ region: REGION });
    const bought = await send(member, formOf(await typesCard(member), { do_purchase: 1 }));
    expect(bought.json()).toMatchObject({ purchase: { state: 'paid' } });
    const balance = await tokensOf(member);
    const second = await send(member, formOf(await typesCard(member), { do_purchase: 1 }));
    expect(second.json()).toMatchObject({
      gate: 'open',
      tokens_bought: 0,
      purchase: { state: 'refused', reason: 'product_unknown', order_id: null },
    });
    expect(await tokensOf(member)).toBe(balance);
    expect(await ordersOf(member)).toHaveLength(1);
  });

  it('charges once although the answer of the processor is lost, and without a key', async () => {
    const member = await site.viewer({ region: REGION });
    const form = formOf(await typesCard(member), { do_purchase: 1 });
    shop.simulators.arm('ccbill', 'timeout_after_charge');
    expect((await send(member, form)).json()).toMatchObject({ purchase: { state: 'unknown' } });
    expect((await send(member, form)).json()).toMatchObject({
      purchase: { state: expect.stringMatching(/unknown|paid/u) },
    });
    await shop.settle();
    expect((await send(member, form)).json()).toMatchObject({ purchase: { state: 'paid' } });
    const orders = await ordersOf(member);
    expect(orders).toHaveLength(1);
    expect(shop.simulators.till('ccbill').payments().filter(({ orderId }) => orderId === orders[0]?.id))
      .toHaveLength(1);
  });

  it('wants the caller’s own token, with the digits and date that the processor has', async () => {
    const [member, thief] = [await site.viewer({ region: REGION }), await site.viewer({ region: REGION })];
    const token = await typesCard(member);
    const card = formOf(token).card;
    for (
      const [who, form] of [
        [thief, formOf(token)],
        [member, formOf('no-such-token')],
        [member, formOf(token, { card: { ...card, first6: '411112' } })],
        [member, formOf(token, { card: { ...card, last4: '0000' } })],
        [member, formOf(token, { card: { ...card, exp_month: '11' } })],
        [member, formOf(token, { card: { ...card, exp_year: '20' } })],
      ] as const
    ) {
      expect((await send(who, form)).json()).toMatchObject({ errorType: 'check_failed' });
      expect(await gateOf(who)).toBe('verify');
    }
    expect((await thief.call(getAgeVerification, {})).has_failed_attempts).toBe(true);
  });

  it('never gets the number of a card: the server takes six and four digits alone [C-206]', async () => {
    const member = await site.viewer({ region: REGION });
    const number = cardNumberFor(null);
    const form = formOf(await typesCard(member));
    for (
      const wrong of [
        { card: { ...form.card, number } },
        { card: { ...form.card, first6: number } },
        { card: { ...form.card, last4: number } },
        { address: `1 Main Street ${number}` },
        { zip: number },
        { cardNumber: number },
      ]
    ) {
      const { statusCode } = await send(member, { ...form, ...wrong });
      expect(statusCode, JSON.stringify(wrong)).toBe(422);
    }
    expect(await gateOf(member)).toBe('verify');
    expect(providers.asked.join()).not.toContain(number);
    expect(site.log.join()).not.toContain(number);
  });

  it('takes a birth date by the exact day', async () => {
    const member = await site.viewer({ region: REGION });
    const token = await typesCard(member);
    const today = site.clock.now().toISOString().slice(0, 10);
    const year = Number(today.slice(0, 4)) - 18;
    const [eighteen, dayAfter] = [
      `${year}${today.slice(4)}`,
      new Date(Date.parse(`${year}${today.slice(4)}`) + 86_400_000).toISOString().slice(0, 10),
    ];
    for (const birth_date of [dayAfter, '1800-01-01', '2100-01-01']) {
      expect((await send(member, formOf(token, { birth_date }))).json(), birth_date)
        .toMatchObject({ errorType: 'under_age' });
    }
    expect(await gateOf(member)).toBe('verify');
    expect((await send(member, formOf(token, { birth_date: eighteen }))).json()).toMatchObject({
      gate: 'open',
    });
  });

  it('is not accepted in Florida and in France, nor where the operator has no processor', async () => {
    for (const region of ['US-FL', 'FR']) {
      const member = await site.viewer({ region });
      expect((await member.refused(getCardToken, {})).errorType).toBe('check_unavailable');
      expect((await send(member, formOf('x'))).json()).toMatchObject({ errorType: 'check_unavailable' });
      expect((await member.call(getCurrentUser, {})).user.ageVerification)
        .toMatchObject({ required: true, creditCardRequired: false });
    }
  });
});
