import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { opensPurchase, sentTo } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getJoinOffer } from './contract.ts';
import { listCards } from './contract/cards.ts';
import { changeBillingRules, createProduct } from './contract/operator.ts';
import { listOrders } from './contract/orders.ts';
import { findPayments } from './contract/payments.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
let admin: Member;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  admin = await shop.site.admin();
  performer = await shop.site.performer({ live: true });
  await admin.call(changeBillingRules, {
    switches: (['promos', 'joinOffer', 'paypal', 'crypto', 'vouchers'] as const)
      .map((name) => ({ name, on: true })),
    reason: 'a test of the offers',
  });
});
afterAll(() => shop.close());

/** The input of every product list that the page requested. */
const listings = (page: Page): readonly Record<string, unknown>[] =>
  sentTo(page, 'POST /api/v1/billing/products')
    .map((sent) => JSON.parse(sent.slice(sent.indexOf('{'))) as Record<string, unknown>);

/** The product list that the page's dialog requested. */
const listing = (page: Page): Record<string, unknown> => listings(page).at(-1) ?? {};

/** The values of `popup_requested` that a page sent, without duplicates. */
const popups = (
  page: Page,
): readonly unknown[] => [...new Set(listings(page).map(({ popup_requested: popup }) => popup))];

/** Parameters in the address, and the input that the page then sends. */
const ASKED = 'advert_id=spring.7&cashtocode_country_code=at&custom_promo_test=promo_300';
const REPORT = {
  fp: expect.stringMatching(/^[\da-f-]{36}$/u) as unknown,
  iobb: expect.stringMatching(/^[\w+/]{100,}=*$/u) as unknown,
};
const SENT = {
  advert_id: 'spring.7',
  cashtocode_country_code: 'AT',
  custom_promo_test: 'promo_300',
  popup_requested: false,
  ...REPORT,
};

describe('a page that lists products', () => {
  test('sends what its address asks for, and a report of the device [A-353]', async () => {
    const who = await shop.site.viewer();
    const plain = await openPage(shop.site, who, '/');
    await opensPurchase(plain);
    const { fp, iobb } = listing(plain);
    expect(listing(plain)).toEqual({ popup_requested: false, ...REPORT });
    plain.leave();
    who.storage.session.clear();

    const page = await openPage(shop.site, who, `/?${ASKED}&crypto=1`);
    const crypto = await page.find('tab', 'Crypto', { in: await page.find('dialog', 'Get tokens') });
    expect(crypto.getAttribute('aria-selected')).toBe('true');
    expect(listing(page)).toEqual({ ...SENT, crypto: true, fp });
    // Each page makes its own report.
    expect(listing(page)['iobb']).not.toBe(iobb);
  });

  test('says that it opened by itself, for a balance that was too low [A-353]', async () => {
    const who = await shop.site.viewer({ tokens: 10 });
    const room = await openRoom(shop.site, who, performer);
    const form = await room.find('form', /^Tip /u);
    await room.fill('Tokens', '25', { in: form });
    await room.press('Tip 25', { in: form });
    await room.find('radio', /Suggested/u, { in: await room.find('dialog', 'Not enough tokens') });
    expect(listing(room)).toMatchObject({ popup_requested: true });
  });

  test(
    'says that it opened by itself on every third visit, and not when it is asked for [A-353]',
    async () => {
      const who = await shop.site.viewer();
      for (const visit of [1, 2, 3]) {
        who.storage.session.clear();
        const page = await openPage(shop.site, who, '/');
        if (visit < 3) await opensPurchase(page);
        else await page.find('dialog', 'Get tokens');
        await page.until(() => expect(popups(page)).toEqual([visit === 3]));
        page.leave();
      }
      const asked = await openPage(shop.site, who, '/?token_form=1');
      await asked.find('dialog', 'Get tokens');
      await asked.until(() => expect(popups(asked)).toEqual([false]));
    },
  );

  test('says on a phone, too, whether its tab opened by itself [A-238, A-353]', async () => {
    const who = await shop.site.viewer({ tokens: 10 });
    await shop.keeps(who);
    const room = await openRoom(shop.site, who, performer, { width: 390 });
    const form = await room.find('form', /^Tip /u);
    await room.fill('Tokens', '25', { in: form });
    await room.press('Tip 25', { in: form });
    await room.find('button', /^200 tokens/u, { in: await room.find('region', 'Get tokens') });
    expect([popups(room), room.all('dialog')]).toEqual([[true], []]);
    const page = await openPage(shop.site, who, '/', { width: 390 });
    await page.press(/Get tokens$/u, { in: await page.find('banner') });
    await page.find('region', 'Get tokens');
    expect([popups(page), page.all('dialog')]).toEqual([[false], []]);
    page.leave();
    who.storage.session.clear();
    const link = await openPage(shop.site, who, `/?${ASKED}&token_form=1`, { width: 390 });
    await link.find('region', 'Get tokens');
    expect(listing(link)).toEqual(SENT);
    link.leave();
    who.storage.session.clear();
    // Crypto is not available with one tap: its list opens in the dialog, on phones too.
    const crypto = await openPage(shop.site, who, `/?${ASKED}&crypto=1`, { width: 390 });
    await crypto.find('tab', 'Crypto', { in: await crypto.find('dialog', 'Get tokens') });
    expect(listing(crypto)).toEqual({ ...SENT, crypto: true });
  });

  test('sends another biller after a decline [A-353]', async () => {
    const who = await shop.site.viewer();
    await shop.keeps(who, 'NDECLINED');
    const page = await openPage(shop.site, who, '/');
    await page.press(/^Pay \$/u, { in: await opensPurchase(page) });
    expect(listing(page)).not.toHaveProperty('biller_pref');
    const declined = await page.find('dialog', 'Payment Declined');
    await page.press('Try another payment provider', { in: declined });
    await page.press(/^Continue to payment/u, { in: await page.find('dialog', 'Get tokens') });
    expect(listing(page)).toMatchObject({ biller_pref: 'segpay' });
    await page.until(() => expect(page.left).toHaveLength(1));
    expect(sentTo(page, '/purchase-link/').at(-1)).toContain('biller=segpay');
  });

  test('says which advert and which device a purchase came from [A-353]', async () => {
    const traces = [];
    const who = await shop.site.viewer();
    for (const visitor of [who, await shop.site.viewer()]) {
      const before = visitor.storage.local.get('candela.device');
      expect(before).toBeUndefined();
      const page = await openPage(shop.site, visitor, '/?advert_id=spring.7');
      await page.find('banner');
      expect(visitor.storage.local.get('candela.device')).toBeUndefined();
      await page.press(/^Continue to payment/u, { in: await opensPurchase(page) });
      await page.until(() => expect(page.left).toHaveLength(1));
      traces.push(await traceOf(visitor));
    }
    const again = await openPage(shop.site, who, '/');
    await again.press(/^Continue to payment/u, { in: await opensPurchase(again) });
    await again.until(() => expect(again.left).toHaveLength(1));
    const later = await traceOf(who);
    expect(traces[0]).toMatchObject({
      advert_id: 'spring.7',
      device: { people: 1 },
      blackbox: { people: 1 },
    });
    // A different browser is a different device; the same browser is recognised, with a new report.
    expect(traces[1]?.device?.id).not.toBe(traces[0]?.device?.id);
    expect(later?.device?.id).toBe(traces[0]?.device?.id);
    expect(later?.blackbox?.id).not.toBe(traces[0]?.blackbox?.id);
  });

  test('shows groups, the last decline and what may be bought today [A-353]', async () => {
    const who = await shop.site.viewer();
    await shop.buys(who, '1_50');
    await shop.buys(who, '1_100', { decline: 'NEXPIRED', biller: 'rocketgate' });
    const page = await openPage(shop.site, who, '/');
    const dialog = await opensPurchase(page);
    await page.sees(/bank declined/u, { in: dialog });
    await page.sees('Code NEXPIRED', { in: dialog });
    await page.sees('$995.00', { in: dialog });
    await page.find('tab', 'Card', { in: dialog });
    await page.press('PayPal', { role: 'tab', in: dialog });
    await page.find('radio', /^550 /u, { in: await page.find('tabpanel', 'PayPal', { in: dialog }) });
  });

  test('shows ten tokens for a dollar, and what costs less with its discount [A-020, A-449]', async () => {
    for (const [id, price_minor] of [['plain_80', 800], ['cheap_80', 720]] as const) {
      await admin.call(createProduct, {
        internal_id: id,
        kind: 'pack',
        membership: null,
        tokens: 80,
        free_tokens: 0,
        price_minor,
        currency: 'USD',
        days: null,
        one_click: true,
        countries: [],
        reason: 'a test of the rate',
      });
    }
    const page = await openPage(shop.site, await shop.site.viewer(), '/');
    const dialog = await opensPurchase(page);
    for (const pack of [
      /^50 tokens \$5\.00/u,
      /^100 tokens \$10\.00/u,
      /^200 tokens \$20\.00/u,
      /^80 tokens \$8\.00/u,
      /^80 tokens −10% \$7\.20/u,
      /^550 tokens −9% \$49\.99/u,
    ]) {
      await page.find('radio', pack, { in: dialog });
    }
  });

  test('shows what a card statement will say, and who is behind it [A-352]', async () => {
    await shop.site.tx((tx) =>
      shop.site.services.billing.configure(tx, { companies: ['Lanterna GmbH'] }, null)
    );
    const page = await openPage(shop.site, await shop.site.viewer(), '/');
    const dialog = await opensPurchase(page);
    const named = await page.sees('CANDELA TEST', { in: dialog });
    expect(named.closest('dd')?.getAttribute('title')).toBe('Lanterna GmbH, CANDELA TEST');
    expect(new Set(sentTo(page, '/fling_live_site')))
      .toEqual(new Set(['GET /api/v1/billing/fling_live_site']));
  });

  test('leads to a page that checks a card, and charges nothing [A-351]', async () => {
    const who = await shop.site.viewer();
    const page = await openPage(shop.site, who, '/account/verify?type=rocketgate');
    await page.press(/^Save this card for next time/u, { role: 'checkbox' });
    await page.press('Start the check');
    await page.until(() => expect(page.left).toHaveLength(1));
    expect(new Set(sentTo(page, '/product_av')))
      .toEqual(new Set(['GET /api/v1/billing/product_av?keep_card=true']));
    await shop.types(page.left[0] ?? '');
    await shop.settle();
    expect((await who.call(listCards, {})).cards).toMatchObject([{ last4: '1111' }]);
    expect((await who.call(listOrders, {})).orders.map(({ price }) => price.minor)).toEqual([0]);
  });

  /** The attribution of somebody's newest purchase, as an admin sees it. */
  async function traceOf(who: Member) {
    const { orders: [newest] } = await who.call(listOrders, {});
    return (await admin.call(findPayments, { order: newest?.id ?? '' })).payments[0]?.trace;
  }
});

describe('the special offer', () => {
  test(
    'opens for either advert with any of three promotions: 300 tokens, $10.99, 200 free [A-464, A-485]',
    async () => {
      for (const advert of ['xv300wo', 'xv300fco']) {
        for (const promo of ['nwh', 'dgs', 'spl']) {
          const guest = await shop.site.visitor({ ofAge: true });
          const page = await openPage(shop.site, guest, `/?advert_id=${advert}&promo=${promo}`);
          const offer = await page.find('dialog', 'Special offer');
          for (const shown of [/^300 tokens/u, /\$10\.99/u, /^200 tokens/u]) {
            await page.sees(shown, { in: offer });
          }
          const [asked] = sentTo(page, 'GET /api/v1/billing/promos?');
          expect(asked).toContain(`advert_id=${advert}`);
        }
      }
    },
  );

  test('has the image of the advert in the address [A-339, A-355]', async () => {
    await shop.site.tx((tx) =>
      shop.site.services.billing.configure(tx, {
        promoOfferImages: { xv300wo: '/offers/wo.webp', '*': '/offers/all.webp' },
      }, null)
    );
    for (const [advert, image] of [['xv300wo', '/offers/wo.webp'], ['xv300fco', '/offers/all.webp']]) {
      const page = await openPage(
        shop.site,
        await shop.site.visitor({ ofAge: true }),
        `/?id=${advert}&promo=nwh`,
      );
      const offer = await page.find('dialog', 'Special offer');
      await page.until(() => expect(offer.querySelector('img')?.getAttribute('src')).toBe(image));
      expect(sentTo(page, '/site_config').join()).toContain(`id=${advert}`);
      expect(sentTo(page, '/billing/promos').join())
        .toContain(`GET /api/v1/billing/promos?advert_id=${advert}`);
    }
  });

  test('gives 300 and 200 tokens for its price, on the page of a biller [A-485]', async () => {
    const who = await shop.site.viewer();
    const page = await openPage(shop.site, who, '/?id=xv300wo&promo=dgs');
    await page.press('Get it for $10.99', { in: await page.find('dialog', 'Special offer') });
    await page.until(() => expect(page.left).toHaveLength(1));
    await shop.types(page.left[0] ?? '');
    await shop.settle();
    expect(await tokensOf(who)).toBe(500);
    expect((await who.call(listOrders, {})).orders)
      .toMatchObject([{ price: { minor: 1_099, currency: 'USD' }, tokens: 300, free_tokens: 200 }]);
  });
});

describe('the join offer', () => {
  test('asks without a query, and follows the link of what is chosen [A-354, B-323]', async () => {
    const guest = await shop.site.visitor({ ofAge: true });
    const { cc, pp } = await guest.call(getJoinOffer, {});
    for (const [button, product] of [['With a card', cc], ['With PayPal', pp]] as const) {
      const page = await openPage(shop.site, await someone(), '/join');
      await page.find('heading', '100% Free Access - Credit Card $0');
      expect(sentTo(page, '/products_rcc')).toEqual(['GET /api/v1/billing/products_rcc']);
      await page.press(button);
      await joins(page, `joins_by_${product?.biller}`);
      await follows(page, product?.biller_link);
    }
    const form = await openPage(shop.site, await someone(), '/join?join_form=4');
    await form.find('heading', 'Create Free Account');

    const promoted = await openPage(shop.site, await someone(), '/join?promo=x');
    await promoted.find('radio', /New Member Special!/u);
    await promoted.press('Redeem offer now');
    await joins(promoted, 'joins_for_tokens');
    const { promo } = await guest.call(getJoinOffer, { promo: 'x' });
    await follows(promoted, promo?.link);

    const member = await shop.site.viewer();
    const page = await openPage(shop.site, member, '/join');
    await page.press(/^200 tokens \$20\.00/u, { role: 'radio', in: await page.find('main') });
    await page.press('Purchase');
    const { regular } = await member.call(getJoinOffer, {});
    const chosen = regular?.find(({ tokens, amount }) => tokens === 200 && amount === 20);
    await follows(page, chosen?.biller_link);
  });

  const someone = (): Promise<Visitor> => shop.site.visitor({ ofAge: true });

  /** The page requests this link, with its whole query, and leaves for a biller's page. */
  async function follows(page: Page, link: string | undefined): Promise<void> {
    await page.until(() => expect(page.left).toHaveLength(1));
    // Somebody who just signed up sends the request twice, first with the guest's token.
    const [sent, ...others] = new Set(sentTo(page, '/purchase-link/'));
    expect(others).toEqual([]);
    const asked = new URL(`http://x${sent?.replace('GET /api/v1', '')}`);
    const wanted = new URL(`http://x${link}`);
    expect(asked.pathname).toBe(wanted.pathname);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject(Object.fromEntries(wanted.searchParams));
    expect(wanted.searchParams.get('method')).toMatch(/^(?:card|paypal)$/u);
    expect(page.left[0]).toContain(`/${wanted.searchParams.get('biller')}/`);
  }

  /** Signs up in the dialog that a button of the offer opened. */
  async function joins(page: Page, username: string): Promise<void> {
    const form = await page.find('dialog');
    await page.fill('Username', username, { in: form });
    await page.fill('Email', `${username}@people.example`, { in: form });
    await page.fill('Password', 'harbour-lights-9', { in: form });
    await page.choose('Day', '14', { in: form });
    await page.choose('Month', 'March', { in: form });
    await page.choose('Year', '1991', { in: form });
    await page.click(await page.find('checkbox', undefined, { in: form }));
    await page.press('Sign up', { in: form });
  }
});
