import { getCurrentUser } from '#product/accounts/contract.ts';
import { listRequests } from '#product/support/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { nothingOpens, sentTo } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listProducts } from './contract.ts';
import { listOrders } from './contract/orders.ts';
import { redeemPromoCode } from './contract/promos.ts';
import type { BillingSettings } from './rules.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
let site: TestSite;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  site = shop.site;
  performer = await site.performer({ live: true });
});
afterAll(() => shop.close());

const configure = (settings: { readonly switches: Partial<BillingSettings['switches']> }): Promise<void> =>
  site.tx((tx) => site.services.billing.configure(tx, settings, null));
beforeEach(() =>
  configure({
    switches: { promos: true, joinOffer: true, crypto: true, vouchers: true, paypal: false, postpay: false },
  })
);

/** A member on post-pay who owes something. */
async function debtor(): Promise<Member> {
  const viewer = await site.viewer({ tokens: 100 });
  await shop.buys(viewer, '1_50');
  await configure({ switches: { postpay: true } });
  const page = await openPage(site, viewer, '/account/tokens');
  const section = await page.find('region', 'Pay later');
  await page.click(await page.find('checkbox', undefined, { in: section }));
  await page.press('Turn on', { in: section });
  await page.sees('On', { in: section });
  page.leave();
  viewer.storage.local.clear();
  return viewer;
}

describe('the address opens', () => {
  test('the form of tokens, for token_form [A-106]', async () => {
    for (const query of ['token_form=1', 'token_form']) {
      const page = await openPage(site, await site.viewer(), `/?${query}`);
      await page.find('radio', /^200 /u, { in: await page.find('dialog', 'Get tokens') });
    }
    await nothingOpens(shop, await openPage(site, await site.viewer(), '/?token_form=0'));
  });

  test('crypto first, and its link is for 1_100 [A-105, A-372]', async () => {
    const page = await openPage(site, await site.viewer(), '/?crypto=1');
    const dialog = await page.find('dialog', 'Get tokens');
    expect((await page.find('tab', 'Crypto', { in: dialog })).getAttribute('aria-selected')).toBe('true');
    expect(sentTo(page, '/billing/products').join()).toContain('"crypto":true');
    await page.press(/^Continue to payment/u, { in: dialog });
    await page.until(() => expect(page.left).toHaveLength(1));
    const [link] = sentTo(page, '/purchase-link/');
    expect(link).toContain('/purchase-link/1_100?');
    expect(link).toContain('method=crypto');
    // Without the parameter the dialog starts with cards, and selects the same product after a switch
    // to crypto.
    const other = await openPage(site, await site.viewer(), '/?crypto=0&token_form=1');
    const cards = await other.find('dialog', 'Get tokens');
    expect((await other.find('tab', 'Card', { in: cards })).getAttribute('aria-selected')).toBe('true');
    expect(sentTo(other, '/billing/products').join()).not.toContain('crypto');
    await other.press('Crypto', { role: 'tab', in: cards });
    await other.press(/^Continue to payment/u, { in: cards });
    await other.until(() => expect(other.left).toHaveLength(1));
    expect(sentTo(other, '/purchase-link/').join()).toMatch(/\/purchase-link\/1_100\?.*method=crypto/u);
  });

  test('crypto first on a phone, too, whose tab only charges saved cards [A-105]', async () => {
    const viewer = await site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(site, viewer, '/?crypto=1', { width: 390 });
    const tab = await page.find('tab', 'Crypto', { in: await page.find('dialog', 'Get tokens') });
    expect(tab.getAttribute('aria-selected')).toBe('true');
    expect(sentTo(page, '/billing/products').join()).toContain('"crypto":true');
    expect(page.all('region', 'Get tokens')).toEqual([]);
  });

  test('cash vouchers of the country it names [A-109]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/?cashtocode_country_code=at&token_form=1');
    const dialog = await page.find('dialog', 'Get tokens');
    await page.press(/voucher/iu, { role: 'tab', in: dialog });
    await page.sees('€10.00', { in: dialog });
    expect(sentTo(page, '/billing/products').join()).toContain('"cashtocode_country_code":"AT"');
    const other = await openPage(site, viewer, '/?cashtocode_country_code=us&token_form=1');
    const american = await other.find('dialog', 'Get tokens');
    await other.press(/voucher/iu, { role: 'tab', in: american });
    await other.sees('$10.00', { in: american });
  });

  test('the join offer in the form it names, unless that is disabled [A-102, A-108]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, '/?join_form=4');
    await page.find('heading', 'Create Free Account');
    expect(page.path).toMatch(/^\/join\?/u);
    const other = await openPage(site, guest, '/?join_form=9&_disabled_join_form=0');
    await other.find('heading', '100% Free Access - Credit Card $0');
    for (const query of ['join_form=4&_disabled_join_form=1', 'join=4']) {
      const stays = await openPage(site, guest, `/?${query}`);
      await nothingOpens(shop, stays);
      expect(stays.path).toBe(`/?${query}`);
    }
  });

  test('the promotion of prg for members [A-103]', async () => {
    const page = await openPage(site, await site.viewer(), '/?prg=summer');
    const dialog = await page.find('dialog');
    await page.sees(/^300 tokens/u, { in: dialog });
    expect(sentTo(page, '/billing/promos').join()).toContain('promo=summer');
    await nothingOpens(shop, await openPage(site, await site.viewer(), '/'));
  });

  test('a congratulation on free tokens, while there are some [A-112]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/?free_tokens=1');
    const dialog = await page.find('dialog', 'Congratulations');
    await page.sees('100 tokens', { in: dialog });
    await nothingOpens(shop, await openPage(site, viewer, '/?free_tokens=0'));
    const guest = await openPage(site, await site.visitor({ ofAge: true }), '/?free_tokens=1');
    const gift = await guest.find('dialog', 'Congratulations');
    await guest.sees('100 tokens', { in: gift });
    await guest.press('Accept tokens', { in: gift });
    await guest.find('dialog', 'Sign up');
    await configure({ switches: { promos: false } });
    await nothingOpens(shop, await openPage(site, viewer, '/?free_tokens=1'));
  });
});

describe('the post-pay modal', () => {
  test('opens neither on a page of free registration nor of models [A-273, A-274]', async () => {
    const viewer = await debtor();
    for (const [path, title] of [
      ['/free-register/connect', 'Join free'],
      ['/models/signup', 'Become a performer'],
    ] as const) {
      const page = await openPage(site, viewer, path);
      await page.find('heading', title, { level: 1 });
      await nothingOpens(shop, page);
    }
    await (await openPage(site, viewer, '/')).find('dialog', 'Pay later');
  });
});

describe('while age has to be verified', () => {
  test('no post-pay modal opens at the gate or on a page behind it; elsewhere it does [A-275]', async () => {
    const viewer = await debtor();
    const florida = await site.anotherTabOf(viewer, { region: 'US-FL' });
    expect((await florida.call(getCurrentUser, {})).user.ageVerification.required).toBe(true);
    const gated = await openPage(site, florida, '/');
    await gated.find('heading', /age/iu);
    await nothingOpens(shop, gated);
    // The person's page of tokens is shown nevertheless, with the debt.
    const own = await openPage(site, florida, '/account/tokens');
    await own.sees('On', { in: await own.find('region', 'Pay later') });
    await nothingOpens(shop, own);
    for (const path of ['/', '/account/tokens']) {
      await (await openPage(site, await site.anotherTabOf(viewer), path)).find('dialog', 'Pay later');
    }
  });
});

describe('a promo code', () => {
  test('is FREE_TOKENS at first, or that of the address [A-285]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/account/tokens');
    expect(await page.field('Promo code')).toHaveProperty('value', 'FREE_TOKENS');
    page.leave();
    viewer.storage.session.clear();
    const other = await openPage(site, viewer, '/account/tokens?promo=SUMMER');
    const named = await other.field('Promo code');
    await other.until(() => expect(named).toHaveProperty('value', 'SUMMER'));
    const third = await openPage(site, viewer, '/account/tokens?prg=nwh');
    const short = await third.field('Promo code');
    await third.until(() => expect(short).toHaveProperty('value', 'nwh'));
  });

  test('is required, where it is typed and where it arrives [A-283]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/account/tokens');
    await page.fill('Promo code', '');
    await page.press('Redeem');
    const field = await page.field('Promo code');
    await page.until(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
    await page.sees('Fill in this field.', { in: await page.find('region', /^Promo/u) });
    expect(sentTo(page, '/billing/promo')).toEqual([]);
    for (const missing of [{}, { code: '' }, { code: '   ' }]) {
      expect((await viewer.refused(redeemPromoCode, missing)).status).toBe(422);
    }
  });

  test('has at least three characters, where it is typed and where it arrives [A-284]', async () => {
    await site.tx((tx) =>
      site.services.billing.addCode(tx, {
        code: 'abc',
        tokens: 7,
        startsAt: site.clock.now(),
        endsAt: null,
        maxUses: 9,
      }, null)
    );
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/account/tokens');
    const section = await page.find('region', /^Promo/u);
    await page.fill('Promo code', 'ab', { in: section });
    await page.press('Redeem', { in: section });
    const field = await page.field('Promo code');
    await page.until(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
    expect(sentTo(page, '/billing/promo')).toEqual([]);
    expect((await viewer.refused(redeemPromoCode, { code: 'ab' })).status).toBe(422);
    await page.fill('Promo code', 'abc', { in: section });
    await page.press('Redeem', { in: section });
    await page.find('button', /^7 tokens.*Get tokens$/u);
  });
});

describe('a re-up that fails', () => {
  test.each(
    [
      [
        'opens the declined dialog when a check is needed [A-409]',
        'VERIFY',
        'verification_required',
        'Payment Declined',
        /^This card must be verified before you can pay with it\./u,
      ],
      [
        'leads to support when the biller wants that [A-410]',
        'NMYDNVEL',
        'contact_support',
        'Contact support',
        /Contact support; they can see what happened\.$/u,
      ],
    ] as const,
  )('%s', async (_title, code, error, title, words) => {
    const { page, viewer } = await fails(code);
    const dialog = await page.find('dialog', title);
    await page.sees(words, { in: dialog });
    expect(failures(page)).toEqual([{
      success: false,
      tokens: 0,
      error,
      order_id: (await viewer.call(listOrders, {})).orders[0]?.id,
    }]);
    expect([page.all('dialog').length, page.shows('Auto re-up failed')]).toEqual([1, false]);
  });

  /** The number of tokens selected in the dialog of amounts. */
  const fiftyIsChosen = async (page: Page): Promise<void> => {
    const amounts = await page.find('dialog', 'Get tokens');
    expect(await page.find('radio', /^50 /u, { in: amounts })).toHaveProperty('checked', true);
  };

  test('leads by each way of the declined dialog to what it was to buy [A-409]', async () => {
    const { page: amounts } = await fails('VERIFY');
    await amounts.press('Change the amount', { in: await amounts.find('dialog', 'Payment Declined') });
    await fiftyIsChosen(amounts);
    const { page: other } = await fails('VERIFY');
    await other.press('Try another payment provider', { in: await other.find('dialog', 'Payment Declined') });
    await fiftyIsChosen(other);
    await other.press('Continue to payment · $5.00');
    await other.until(() => expect(other.left).toHaveLength(1));
    expect(new URL(other.left[0] ?? '').pathname).not.toMatch(/^\/ccbill\//u);
    const { page: checks } = await fails('VERIFY');
    const dialog = await checks.find('dialog', 'Payment Declined');
    await checks.press('Verify my card', { role: 'link', in: dialog });
    await checks.press('Not now', { role: 'link' });
    await checks.sees('$5.00', { in: await checks.find('region', 'Finish your purchase') });
  });

  test('keeps the declined dialog open while its order cannot be read', async () => {
    const viewer = await site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer, 'VERIFY');
    const page = await turnsOn(viewer, { mayPrint: /Failed to fetch/u });
    const mends = page.network.fails(/\/billing\/orders\/./u);
    await viewer.tips(performer, 50);
    const dialog = await page.find('dialog', 'Payment Declined');
    for (const way of ['Change the amount', 'Try another payment provider']) {
      await page.press(way, { in: dialog });
      await page.idle();
      expect(page.all('dialog')).toEqual([dialog]);
      await page.find('button', 'Try again', { in: dialog });
    }
    mends();
    await page.press('Change the amount', { in: dialog });
    await fiftyIsChosen(page);
  });

  test('lets its payer write to support without leaving the page [A-411]', async () => {
    const { page } = await fails('NMYDNVEL');
    const dialog = await page.find('dialog', 'Contact support');
    await page.fill('Your message', 'My card works elsewhere.', { in: dialog });
    await page.press('Send message', { in: dialog });
    await page.sees('Your message is with support. We’ll answer by email.', { in: dialog });
    expect(await page.problems()).toEqual([]);
    const { requests } = await (await site.admin()).call(listRequests, {});
    expect(requests).toMatchObject([{ topic: 'payment', message: 'My card works elsewhere.' }]);
  });

  test('says so for any other reason [A-412]', async () => {
    const { page, viewer: declined } = await fails('NDECLINED');
    expect(toastOf(await page.sees('Auto re-up failed'))).toBe('alert');
    expect(failures(page)).toEqual([{
      success: false,
      tokens: 0,
      error: 'declined',
      order_id: (await declined.call(listOrders, {})).orders[0]?.id,
    }]);
    await nothingOpens(shop, page);
    // The daily limit is another reason.
    const viewer = await site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer);
    const next = await turnsOn(viewer);
    await viewer.tips(performer, 50);
    await next.sees(/^Auto re-up successful!/u);
    await viewer.tips(performer, 100);
    expect(toastOf(await next.sees('Auto re-up failed'))).toBe('alert');
    await nothingOpens(shop, next);
  });

  /** The role of the toasts with this text: error toasts are alerts. */
  function toastOf(text: HTMLElement): string | null | undefined {
    return text.closest('[role="status"], [role="alert"]')?.getAttribute('role');
  }

  /** The re-up events that a page received, as sent over the socket. */
  function failures(page: Page): readonly unknown[] {
    return page.network.texts.filter(({ from }) => from === 'site')
      .map(({ text }) => JSON.parse(text) as unknown[])
      .filter(([name]) => name === 'v3.reUp.update').map(([, payload]) => payload);
  }

  /** A member whose re-up has just failed for this reason, and their page. */
  async function fails(code: 'VERIFY' | 'NMYDNVEL' | 'NDECLINED'): Promise<{ page: Page; viewer: Member }> {
    const viewer = await site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer, code);
    const page = await turnsOn(viewer);
    await viewer.tips(performer, 50);
    return { page, viewer };
  }

  /** Turns re-ups of 50 tokens on below 990, as a page does. */
  async function turnsOn(viewer: Member, options: Parameters<typeof openPage>[3] = {}): Promise<Page> {
    const page = await openPage(site, viewer, '/account/tokens', options);
    const section = await page.find('region', 'Auto re-up');
    await page.fill('When my balance falls below', '990', { in: section });
    await page.choose('Buy', '50 tokens · $5.00', { in: section });
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    return page;
  }
});

describe('tokens for guests', () => {
  test('are offered in the header and ask to sign up, with log-in one press away [A-235]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, '/');
    await page.press('Get tokens', { in: await page.find('banner') });
    const dialog = await page.find('dialog', 'Sign up');
    await page.sees('Sign up to get tokens. It’s free.', { in: dialog });
    expect(sentTo(page, '/billing/products')).toEqual([]);
    await page.press('Log in', { in: dialog });
    await page.find('dialog', 'Log in');
    const phone = await openPage(site, guest, '/?token_form=1', { width: 390 });
    await phone.find('dialog', 'Sign up');
    expect([phone.all('region', 'Get tokens'), sentTo(phone, '/billing/products')]).toEqual([[], []]);
    const room = await openRoom(site, guest, performer);
    await room.press('Get tokens', { in: await room.find('banner') });
    await room.find('dialog', 'Sign up');
    expect((await guest.refused(listProducts, {})).status).toBe(401);
    const asked = await openPage(site, guest, '/?token_form=1');
    await asked.find('dialog', 'Sign up');
    await asked.idle();
    expect([asked.all('dialog').length, sentTo(asked, '/billing/products')]).toEqual([1, []]);
  });

  test('are not shown to who closes the sign-up, on a desktop, in a room or on a phone [A-235]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const declines = async (page: Page): Promise<void> => {
      await page.find('dialog', 'Sign up');
      await page.keys('{Escape}');
      await page.gone('dialog', 'Sign up');
      await nothingOpens(shop, page);
      expect(page.all('region', 'Get tokens')).toEqual([]);
      expect(sentTo(page, '/billing/products')).toEqual([]);
    };
    const page = await openPage(site, guest, '/');
    // The second time works like the first, which stored nothing.
    for (let time = 0; time < 2; time += 1) {
      await page.press('Get tokens', { in: await page.find('banner') });
      await declines(page);
    }
    const room = await openRoom(site, guest, performer);
    await room.press('Get tokens', { in: await room.find('banner') });
    await declines(room);
    for (const width of [1_280, 390]) {
      await declines(await openPage(site, guest, '/?token_form=1', { width }));
    }
  });
});
