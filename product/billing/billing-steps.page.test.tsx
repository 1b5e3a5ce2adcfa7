import type { Biller } from '#platform/payments/biller.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { opensTokens, settles, wantsTokens } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import {
  scriptedBiller,
  scriptedCallback,
  scriptedPayment,
} from '#product/testkit/payments/scripted-biller.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { getPurchaseLink } from './contract.ts';
import { listCards } from './contract/cards.ts';
import { createProduct, listManagedProducts, orderProducts } from './contract/operator.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  performer = await shop.site.performer({ live: true });
});
afterAll(() => shop.close());

const configure = (
  settings: Parameters<typeof shop.site.services.billing.configure>[1],
): Promise<void> => shop.site.tx((tx) => shop.site.services.billing.configure(tx, settings, null));
beforeEach(() =>
  configure({
    switches: { postpay: false, paypal: false },
    purchaseBlockedCountries: [],
    framedBillers: [],
  })
);

/** Requests for products that the page sent. */
const listings = (page: Page): readonly string[] =>
  page.network.sent.filter((sent) => sent.includes('/billing/products'));

/** The page in the frame of a dialog. */
const sourceOf = (dialog: HTMLElement): string => dialog.querySelector('iframe')?.getAttribute('src') ?? '';

/** A member on post-pay, who has already seen its modal. */
async function onAccount(region: string): Promise<Member> {
  const viewer = await shop.site.viewer({ region });
  await shop.buys(viewer, '1_50');
  await configure({ switches: { postpay: true } });
  const page = await openPage(shop.site, viewer, '/account/tokens');
  const section = await page.find('region', 'Pay later');
  await page.click(await page.find('checkbox', undefined, { in: section }));
  await page.press('Turn on', { in: section });
  await page.sees('On', { in: section });
  page.leave();
  const next = await openPage(shop.site, viewer, '/');
  await next.find('dialog', 'Pay later');
  await next.keys('{Escape}');
  await next.gone('dialog', 'Pay later');
  next.leave();
  return viewer;
}

describe('getting tokens', () => {
  test('checks the country, post-pay, the guest, the model, then offers products [A-239]', async () => {
    const blocked = 'Buying and tipping are disabled';
    const debtor = await onAccount('NO');
    await shop.site.handsInPapers(debtor);
    const waiting = await shop.site.viewer({ region: 'NO' });
    await shop.site.handsInPapers(waiting);
    const model = await shop.site.performer({ region: 'NO' });
    const opens = async (who: Member, dialog: string | null, begins = wantsTokens): Promise<void> => {
      const page = await openPage(shop.site, who, '/');
      await begins(page);
      if (dialog === null) await page.until(() => expect(page.path).toBe('/account/tokens'));
      else await page.find('dialog', dialog);
      await settles(shop, page);
      expect(page.all('dialog')).toHaveLength(dialog === null ? 0 : 1);
      expect(listings(page)).toEqual([]);
    };
    // A person who fails several checks gets the first one's dialog.
    await configure({ purchaseBlockedCountries: ['NO'] });
    for (const who of [debtor, waiting]) await opens(who, blocked);
    await configure({ purchaseBlockedCountries: [] });
    await opens(debtor, 'Pay later');
    await opens(waiting, null);
    await opens(model, null, opensTokens);
    const guest = await openPage(shop.site, await shop.site.visitor({ ofAge: true }), '/');
    await guest.press('Get tokens', { in: await guest.find('banner') });
    await guest.find('dialog', 'Sign up');
    expect(listings(guest)).toEqual([]);
    const free = await openPage(shop.site, await shop.site.viewer({ region: 'NO' }), '/');
    await wantsTokens(free);
    await free.find('radio', /^200 /u, { in: await free.find('dialog', 'Get tokens') });
    expect(listings(free)).not.toEqual([]);
  });
});

describe('the link of a product', () => {
  test('that the card biller declines opens the declined dialog; a late answer waits [A-244]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer, 'NDECLINED');
    const page = await openPage(shop.site, viewer, '/');
    await wantsTokens(page);
    await page.press(/^Pay \$/u, { in: await page.find('dialog', 'Get tokens') });
    const dialog = await page.find('dialog', 'Payment Declined');
    await page.sees(/couldn't process your credit card/u, { in: dialog });
    expect(page.all('dialog')).toHaveLength(1);
    expect(page.left).toEqual([]);
    await buysFrom({ charge: async () => ({ kind: 'unknown', reason: 'timed out' }) }, async (late) => {
      await late.find('dialog', 'Waiting for payment');
      expect(late.all('dialog')).toHaveLength(1);
    });
  });

  test('that is answered with a page leads there [A-245]', async () => {
    const url = 'https://bank.example/confirm';
    await buysFrom({ charge: async () => ({ kind: 'page', url }) }, async (page) => {
      await page.until(() => expect(page.left).toEqual([url]));
      expect(page.all('dialog', 'Payment Declined')).toEqual([]);
    });
  });

  test('that may be framed opens in the dialog of the biller, any other leads away [A-245]', async () => {
    const viewer = await shop.site.viewer();
    const away = await openPage(shop.site, viewer, '/');
    await wantsTokens(away);
    await away.press(/^Continue to payment/u, { in: await away.find('dialog', 'Get tokens') });
    await away.until(() => expect(away.left).toHaveLength(1));
    expect(away.all('dialog', 'Payment page')).toEqual([]);
    // In the tab or the frame, it is the biller's page for the selected product: 200 tokens.
    const ccbill = `${shop.simulators.origin}/ccbill/`;
    expect(away.left[0]?.startsWith(ccbill)).toBe(true);
    await shop.types(away.left[0] ?? '');
    await shop.settle();
    expect(await tokensOf(viewer)).toBe(200);
    await configure({ framedBillers: ['ccbill'] });
    const other = await shop.site.viewer();
    const page = await openPage(shop.site, other, '/');
    await wantsTokens(page);
    await page.press(/^Continue to payment/u, { in: await page.find('dialog', 'Get tokens') });
    const source = sourceOf(await page.find('dialog', 'Payment page'));
    expect(source.startsWith(ccbill)).toBe(true);
    await shop.types(source);
    await shop.settle();
    await page.sees('200 tokens', { in: await page.find('dialog', 'Payment received') });
    expect(page.all('dialog')).toHaveLength(1);
    expect(await tokensOf(other)).toBe(200);
    expect(page.left).toEqual([]);
  });

  /** Buys 200 tokens with one click and a card, at a biller that responds like this. */
  async function buysFrom(answers: Partial<Biller>, looks: (page: Page) => Promise<void>): Promise<void> {
    const biller = scriptedBiller('segpay', {
      page: async (order) => ({ kind: 'page', url: `https://pay.example/${order.id}`, until: null }),
      ...answers,
    });
    const site = await createSite({ settings: { billersOf: () => [biller] } });
    try {
      const who = await site.viewer();
      const { order_id: first } = await who.call(getPurchaseLink, { internal_id: '1_100', keep_card: true });
      const face = { brand: 'VISA', first6: '411111', last4: '1111', expiry: '12/30' };
      await site.services.billing.receiveCallback(
        site.scope,
        biller,
        scriptedCallback(scriptedPayment(first, 1_000, { card: { token: 'c', face } })),
      );
      const page = await openPage(site, who, '/');
      await wantsTokens(page);
      await page.press(/^200 /u, { role: 'radio', in: await page.find('dialog', 'Get tokens') });
      await page.press('Pay $20.00');
      await looks(page);
      page.leave();
    } finally {
      await site.close();
    }
  }
});

describe('a payment that returns elsewhere', () => {
  test('continues where it began, as a cookie of the session says [A-250]', async () => {
    const viewer = await shop.site.viewer();
    const written = vi.spyOn(viewer, 'writesCookie');
    const began = `/${performer.username}?from=mail`;
    const page = await openPage(shop.site, viewer, began);
    await wantsTokens(page);
    await page.press(/^Continue to payment/u, { in: await page.find('dialog', 'Get tokens') });
    await page.until(() => expect(page.left).toHaveLength(1));
    const cookies = written.mock.calls.map(([text]) => text)
      .filter((text) => text.includes('payment_return'));
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toContain(encodeURIComponent(began));
    // Without these attributes the cookie ends with the browser session.
    expect(cookies[0]).not.toMatch(/expires|max-age/iu);
    // The cookie can be read on any page the biller returns to.
    expect(cookies[0]).toMatch(/; Path=\/(?:;|$)/u);
    const { search } = new URL(await shop.types(page.left[0] ?? ''));
    await shop.settle();
    const back = await openPage(shop.site, viewer, `/account/tokens${search}`);
    await back.find('dialog', 'Payment received');
    await back.until(() => expect(back.path).toBe(began));
    expect(viewer.readableCookies).not.toContain('payment_return');
  });

  test('continues where it began, after a page of the biller in a tab of its own, too [A-250]', async () => {
    await configure({ framedBillers: ['ccbill'] });
    const viewer = await shop.site.viewer();
    const page = await openPage(shop.site, viewer, '/account/settings');
    await wantsTokens(page);
    await page.press(/^Continue to payment/u, { in: await page.find('dialog', 'Get tokens') });
    const modal = await page.find('dialog', 'Payment page');
    const source = sourceOf(modal);
    await page.press('Open in a new tab', { role: 'link', in: modal });
    await page.find('dialog', 'Waiting for payment');
    const { pathname, search } = new URL(await shop.types(source));
    expect(pathname).toBe('/enter.php');
    await shop.settle();
    const back = await openPage(shop.site, viewer, pathname + search);
    await back.find('dialog', 'Payment received');
    await back.until(() => expect(back.path).toBe('/account/settings'));
    expect(viewer.readableCookies).not.toContain('payment_return');
  });

  test('never continues on another site, whatever the cookie says [A-250]', async () => {
    for (const elsewhere of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
      const viewer = await shop.site.viewer();
      const { returned } = await shop.buys(viewer, '1_100');
      viewer.writesCookie(`payment_return=${encodeURIComponent(elsewhere)}`);
      const page = await openPage(shop.site, viewer, `/account/tokens${new URL(returned).search}`);
      await page.find('dialog', 'Payment received');
      await page.until(() => expect(page.path).toBe('/account/tokens'));
      expect(page.left).toEqual([]);
    }
  });
});

describe('the verification of a card', () => {
  test.each(
    [
      ['at /account/verify?type=rocketgate [A-035]', 'localhost', '/account/verify?type=rocketgate'],
      ['at /verify on a fling subdomain [A-036]', 'fling.localhost', '/verify'],
    ] as const,
  )('is %s', async (_title, host, path) => {
    const viewer = await shop.site.viewer({ host });
    await shop.keeps(viewer, 'NDECLINED');
    const page = await openPage(shop.site, viewer, '/', { host });
    await wantsTokens(page);
    await page.press(/^Pay \$/u, { in: await page.find('dialog', 'Get tokens') });
    const declined = await page.find('dialog', 'Payment Declined');
    await page.press('Verify my card', { role: 'link', in: declined });
    await page.until(() => expect(page.path).toBe(path));
    await page.find('heading', 'Verify your card');
    expect(page.left).toEqual([]);
    await page.press(/^Save this card for next time/u, { role: 'checkbox' });
    await page.press('Start the check');
    await page.until(() => expect(page.left).toHaveLength(1));
    // The biller's page saves a card on request, charges nothing, and returns.
    expect(page.left[0]?.startsWith(`${shop.simulators.origin}/ccbill/`)).toBe(true);
    const returned = new URL(await shop.types(page.left[0] ?? ''));
    expect([returned.hostname, returned.pathname]).toEqual([host, path.split('?')[0]]);
    await shop.settle();
    const back = await openPage(shop.site, viewer, returned.pathname + returned.search, { host });
    await back.find('dialog', 'Payment received');
    const { cards } = await viewer.call(listCards, {});
    expect([cards.map(({ last4 }) => last4).includes('1111'), await tokensOf(viewer)]).toEqual([true, 0]);
    back.leave();
    const direct = await openPage(shop.site, viewer, path, { host });
    await direct.find('heading', 'Verify your card');
    const asked = await openPage(shop.site, viewer, '/?av=1', { host });
    await asked.find('heading', 'Verify your card');
    expect(asked.path).toBe(path);
  });

  test.each(
    [
      ['at /account/verify [A-035]', 'localhost', '/account/verify?type=rocketgate'],
      ['at /verify on a fling subdomain [A-036]', 'fling.localhost', '/verify'],
    ] as const,
  )('is offered over the limit of a day, %s', async (_title, host, path) => {
    const admin = await shop.site.admin();
    const limits = async (daily_limit: number | null): Promise<void> => {
      const payload = { daily_limit };
      const { statusCode } = await admin.request({ method: 'POST', url: '/api/v1/tips/rules', payload });
      expect(statusCode).toBe(200);
    };
    await limits(20);
    const viewer = await shop.site.viewer({ tokens: 100, host });
    const room = await openRoom(shop.site, viewer, performer, { host });
    const form = await room.find('form', /^Tip /u);
    await room.fill('Tokens', '25', { in: form });
    await room.press('Tip 25', { in: form });
    const dialog = await room.find('dialog', 'Verify your card');
    await room.press('Verify my card', { role: 'link', in: dialog });
    await room.until(() => expect(room.path).toBe(path));
    await room.find('button', 'Start the check');
    await limits(null);
  });
});

describe('the products of a dialog', () => {
  test('that lacks tokens say how many, and the smallest pack that covers them is chosen', async () => {
    // Among packs of 50, 100, 200 and more tokens, 100 is the smallest that covers 85.
    const room = await openRoom(shop.site, await shop.site.viewer({ tokens: 5 }), performer);
    const form = await room.find('form', /^Tip /u);
    await room.fill('Tokens', '90', { in: form });
    await room.press('Tip 90', { in: form });
    const low = await room.find('dialog', 'Not enough tokens');
    await room.sees('You need 85 more tokens for this. Nothing was charged.', { in: low });
    const enough = await room.find('radio', /Enough for this/u, { in: low });
    expect(enough).toMatchObject({ checked: true });
    expect(enough.closest('label')?.textContent).toMatch(/^100100 tokens/u);
  });

  test('are memberships first; packs of 200 or 210 tokens are highlighted [A-246, A-486]', async () => {
    const admin = await shop.site.admin();
    const common = {
      free_tokens: 0,
      currency: 'USD',
      one_click: true,
      countries: [],
      reason: 'a test of the dialog',
    };
    await admin.call(createProduct, {
      ...common,
      internal_id: 'pack_210',
      kind: 'pack',
      membership: null,
      tokens: 210,
      price_minor: 2_100,
      days: null,
    });
    await admin.call(createProduct, {
      ...common,
      internal_id: 'membership_200',
      kind: 'membership',
      membership: 'premium',
      tokens: 200,
      price_minor: 2_000,
      days: 30,
    });
    const { products } = await admin.call(listManagedProducts, {});
    const last = products.toSorted((a, b) =>
      Number(a.kind === 'membership') - Number(b.kind === 'membership')
    );
    await admin.call(orderProducts, { internal_ids: last.map(({ internal_id: id }) => id), reason: 'last' });
    const room = await openRoom(shop.site, await shop.site.viewer({ tokens: 10 }), performer);
    const form = await room.find('form', /^Tip /u);
    await room.fill('Tokens', '25', { in: form });
    await room.press('Tip 25', { in: form });
    const low = await room.find('dialog', 'Not enough tokens');
    await room.find('radio', /^210 .*Suggested/u, { in: low });
    const lines = room.all('radio', undefined, { in: low })
      .map((radio) => radio.closest('label')?.textContent ?? '');
    await room.find('radio', /^200 .*Suggested/u, { in: low });
    expect(room.all('radio', /Suggested/u, { in: low })).toHaveLength(2);
    const memberships = (all: readonly string[]): readonly boolean[] =>
      all.map((line) => /membership/iu.test(line));
    expect(memberships(lines).filter(Boolean)).toHaveLength(4);
    expect(memberships(lines).slice(0, 4)).toEqual([true, true, true, true]);
    // Without a lack of tokens the order is the same, and no product is highlighted.
    await configure({ switches: { paypal: true } });
    const page = await openPage(shop.site, await shop.site.viewer(), '/');
    await wantsTokens(page);
    const dialog = await page.find('dialog', 'Get tokens');
    for (const method of ['Card', 'PayPal']) {
      await page.press(method, { role: 'tab', in: dialog });
      await page.find('radio', /^210 /u, { in: dialog });
      const listed = page.all('radio', undefined, { in: dialog })
        .map((radio) => radio.closest('label')?.textContent ?? '');
      expect(memberships(listed)).toEqual(listed.map((_line, at) => at < 4));
      expect(listed.filter((line) => /Suggested/u.test(line))).toEqual([]);
    }
  });
});
