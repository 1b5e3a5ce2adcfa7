import { openShop } from '#product/testkit/payments/open-shop.ts';
import {
  scriptedBiller,
  scriptedCallback,
  scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { key, plainOffer, tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member } from '#product/testkit/site.ts';
import { expect, test } from 'vitest';
import { buyAtOnce, getPurchaseLink, listProducts } from './contract.ts';
import { getAutoReUp, setAutoReUp } from './contract/credit.ts';
import { changeProduct, createProduct } from './contract/operator.ts';
import { listOrders } from './contract/orders.ts';
import { DEFAULT_PRODUCTS } from './rules/products.ts';

// Nobody pays for an offer that their page did not show.

const shop = await openShop();
const { site } = shop;
const admin = await site.admin();
const reason = 'prices of the season';

const SOLD = {
  tokens: 100,
  free_tokens: 0,
  price_minor: 1_000,
  currency: 'USD',
  days: null,
  one_click: true,
  countries: [] as string[],
  reason,
  accepted_cost_cents: 1_000,
};
let made = 0;
/** A pack of 100 tokens for ten dollars, a member with a saved card, and admin changes of the pack. */
async function counter(product: Partial<typeof SOLD> = {}) {
  made += 1;
  const id = `pack_agreed_${made}`;
  let { product: { revision } } = await admin.call(createProduct, {
    ...SOLD,
    ...product,
    internal_id: id,
    kind: 'pack',
    membership: null,
  });
  const member = await site.viewer();
  const cardId = await shop.keeps(member);
  const listed = (await member.call(listProducts, {})).products.credit
    .find(({ internal_id: one }) => one === id);
  if (!listed) throw new Error(`${id} is not listed`);
  const { price, tokens, free_tokens, days } = listed;
  return {
    id,
    member,
    cardId,
    shown: { price, tokens, free_tokens, days },
    changes: async (changes: Partial<typeof SOLD>): Promise<void> => {
      ({ product: { revision } } = await admin.call(changeProduct, {
        ...SOLD,
        ...product,
        ...changes,
        internal_id: id,
        revision,
      }));
    },
  };
}
const ordersOf = async (member: Member) => (await member.call(listOrders, {})).orders;

test.each(
  [
    ['a higher price', { price_minor: 1_100 }],
    ['a lower price', { price_minor: 900 }],
    ['fewer tokens', { tokens: 90 }],
    ['tokens for nothing', { free_tokens: 10 }],
  ] as const,
)('a saved card is not charged for an offer with %s than was shown', async (_what, changes) => {
  const { id, member, shown, changes: change } = await counter();
  await change(changes);
  const now = { ...SOLD, ...changes };
  const problem = await member.refused(buyAtOnce, { internal_id: id, shown }, key());
  const offer = {
    price: { minor: now.price_minor, currency: 'USD' },
    tokens: now.tokens,
    free_tokens: now.free_tokens,
    days: null,
  };
  expect(problem).toMatchObject({ status: 409, errorType: 'offer_changed', offer });
  expect(problem.message).toBe(
    'The offer has changed: it costs '
      + `$${(now.price_minor / 100).toFixed(2)} now. Nothing was charged. Check it and try again.`,
  );
  await shop.settle();
  expect([await ordersOf(member), await tokensOf(member)]).toEqual([[], 0]);
  // The offer that is shown now can be bought.
  expect(await member.call(buyAtOnce, { internal_id: id, shown: offer }, key()))
    .toMatchObject({ status: true });
  await shop.settle();
  expect((await ordersOf(member)).map(({ price }) => price)).toEqual([offer.price]);
});

test('an amount in another currency is another price, and so are other days', async () => {
  const { id, member, shown } = await counter();
  for (const other of [{ price: { minor: 1_000, currency: 'EUR' } }, { days: 30 }]) {
    const wish = { internal_id: id, shown: { ...shown, ...other } };
    expect((await member.refused(buyAtOnce, wish, key())).errorType).toBe('offer_changed');
  }
  expect(await ordersOf(member)).toEqual([]);
});

test(
  'a purchase that was made answers its outcome again, though its product has another price by now',
  async () => {
    const { id, member, shown, changes } = await counter();
    const tap = key();
    const paid = await member.call(buyAtOnce, { internal_id: id, shown }, tap);
    await changes({ price_minor: 1_500 });
    // A page that got no response may have read the new price before it repeats the charge.
    const dearer = { ...shown, price: { minor: 1_500, currency: 'USD' } };
    for (const again of [shown, dearer]) {
      expect(await member.call(buyAtOnce, { internal_id: id, shown: again }, tap)).toEqual(paid);
    }
    await shop.settle();
    expect((await ordersOf(member)).map(({ price: { minor } }) => minor)).toEqual([1_000]);
    expect(await tokensOf(member)).toBe(100);
  },
);

test('an order that never reached its biller is charged for what it was made for, or not', async () => {
  let isDown = true;
  const charged: number[] = [];
  const biller = scriptedBiller('segpay', {
    page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
    charge: async ({ amount }) => {
      if (isDown) return { kind: 'unreachable', reason: 'no connection' };
      charged.push(amount.minor);
      return { kind: 'page', url: 'https://bank.example/confirm' };
    },
  });
  const own = await createSite({ settings: { billersOf: () => [biller] } });
  try {
    const member = await own.viewer();
    const { order_id: id } = await member.call(getPurchaseLink, { internal_id: '1_100', keep_card: true });
    const card = { token: 'c', face: { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' } };
    await own.services.billing.receiveCallback(
      own.scope,
      biller,
      scriptedCallback(scriptedPayment(id, 1_000, { card })),
    );
    const [tap, tried] = [key(), { internal_id: '1_50', shown: plainOffer(50) }];
    expect((await member.refused(buyAtOnce, tried, tap)).errorType).toBe('biller_unavailable');
    isDown = false;
    const dearer = { ...plainOffer(50), price: { minor: 700, currency: 'USD' } };
    await own.tx((tx) =>
      own.services.billing.sell(
        tx,
        DEFAULT_PRODUCTS.map((
          product,
        ) => (product.internalId === '1_50' ? { ...product, priceMinor: 700 } : product)),
        null,
      )
    );
    expect(await member.refused(buyAtOnce, { ...tried, shown: dearer }, tap))
      .toMatchObject({ errorType: 'offer_changed', offer: dearer });
    expect(charged).toEqual([]);
    expect(await member.call(buyAtOnce, tried, tap)).toMatchObject({ link: 'https://bank.example/confirm' });
    expect(charged).toEqual([500]);
  } finally {
    await own.close();
  }
});

test('auto re-up is turned on for the offer that was confirmed, and for no other one', async () => {
  const { id, member, cardId, shown, changes } = await counter();
  const wish = {
    enabled: true,
    threshold: 60,
    internal_id: id,
    cardId,
    per_day: 1,
    confirmed: true as const,
  };
  await changes({ price_minor: 1_100 });
  for (const agreed of [shown, undefined, plainOffer(100), { ...shown, tokens: 110 }]) {
    expect(await member.refused(setAutoReUp, { ...wish, ...(agreed ? { shown: agreed } : {}) }))
      .toMatchObject({
        status: 409,
        errorType: 'offer_changed',
        offer: { price: { minor: 1_100, currency: 'USD' } },
      });
  }
  expect(await member.call(getAutoReUp, {})).toMatchObject({ enabled: false, internal_id: null });
  const now = { ...shown, price: { minor: 1_100, currency: 'USD' } };
  expect(await member.call(setAutoReUp, { ...wish, shown: now })).toMatchObject({ enabled: true });
  // Turning it off needs no agreement.
  expect(await member.call(setAutoReUp, { ...wish, enabled: false })).toMatchObject({ enabled: false });
});
