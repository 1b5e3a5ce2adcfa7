import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createShop, type Shop } from '../testkit/payments/payments.ts';
import type { Member, TestSite } from '../testkit/site.ts';
import { getSiteConfig } from '../site/contract.ts';
import { listProducts, redeemPromoCode } from './contract.ts';
import type { BillingSettings } from './rules.ts';
import { DEFAULT_PRODUCTS, type CatalogueItem } from './rules/products.ts';

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

const sell = (products: readonly CatalogueItem[]): Promise<void> =>
  site.tx((tx) => site.services.billing.sell(tx, products, null));
const configure = (settings: Partial<Omit<BillingSettings, 'switches'>> & {
  readonly switches?: Partial<BillingSettings['switches']>;
}): Promise<void> => site.tx((tx) => site.services.billing.configure(tx, settings, null));
beforeEach(() => configure({
  switches: { promos: true, joinOffer: true, crypto: true, vouchers: true, paypal: false, postpay: false },
}));

/** Waits until the page is there with its balance and nothing else has opened. */
async function nothingOpens(page: Page): Promise<void> {
  for (let look = 0; look < 2; look += 1) {
    await site.passes(2_000);
    await page.idle();
  }
  await page.find('banner');
  expect(page.all('dialog')).toEqual([]);
}

/** What the page sent to a path, without the method. */
const sentTo = (page: Page, path: string): readonly string[] =>
  page.network.sent.filter((sent) => sent.includes(path));

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
    const page = await openPage(site, await site.viewer(), '/?token_form=1');
    await page.find('dialog', 'Get tokens');
    await nothingOpens(await openPage(site, await site.viewer(), '/?token_form=0'));
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
    const disabled = await openPage(site, guest, '/?join_form=4&_disabled_join_form=1');
    await nothingOpens(disabled);
    expect(disabled.path).toMatch(/^\/\?/u);
  });

  test('the promotion of prg for members [A-103]', async () => {
    const page = await openPage(site, await site.viewer(), '/?prg=summer');
    const dialog = await page.find('dialog');
    await page.sees(/^300 tokens/u, { in: dialog });
    expect(sentTo(page, '/billing/promos').join()).toContain('promo=summer');
  });

  test('a congratulation on free tokens, while there are some [A-112]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/?free_tokens=1');
    const dialog = await page.find('dialog', 'Congratulations');
    await page.sees('100 tokens', { in: dialog });
    await configure({ switches: { promos: false } });
    await nothingOpens(await openPage(site, viewer, '/?free_tokens=1'));
  });
});

describe('a promotion under test', () => {
  test('is the only one offered, and has its picture [A-110]', async () => {
    await configure({ promoOfferImages: { promo_300: '/offers/test.webp', '*': '/offers/all.webp' } });
    const promo = DEFAULT_PRODUCTS.find(({ kind }) => kind === 'promo') as CatalogueItem;
    await sell([...DEFAULT_PRODUCTS, { ...promo, internalId: 'promo_other' }]);
    const viewer = await site.viewer();
    const offered = async (test?: string): Promise<readonly string[]> => {
      const asked = test === undefined ? {} : { custom_promo_test: test };
      const { promo_products: { default: promoted } } = await viewer.call(listProducts, asked);
      return promoted.map(({ internal_id: id }) => id);
    };
    expect(await offered()).toEqual(['promo_300', 'promo_other']);
    for (const one of ['promo_300', 'promo_other']) expect(await offered(one)).toEqual([one]);
    expect((await viewer.call(getSiteConfig, { custom_promo_test: 'promo_300' })).promo_offer_img)
      .toBe('/offers/test.webp');
    expect((await viewer.call(getSiteConfig, {})).promo_offer_img).toBe('/offers/all.webp');
    const page = await openPage(site, viewer, '/?prg=summer&custom_promo_test=promo_300');
    const dialog = await page.find('dialog');
    await page.until(() => {
      expect(dialog.querySelector('img')?.getAttribute('src')).toBe('/offers/test.webp');
    });
    expect(sentTo(page, '/site_config').join()).toContain('custom_promo_test=promo_300');
    const listing = await openPage(site, viewer, '/?token_form=1&custom_promo_test=promo_other');
    await listing.find('dialog', 'Get tokens');
    await listing.until(() => {
      expect(sentTo(listing, '/billing/products').join()).toContain('"custom_promo_test":"promo_other"');
    });
    await configure({ promoOfferImages: {} });
    await sell(DEFAULT_PRODUCTS);
  });

  test('comes by advert and promo; once closed it comes again after 60 seconds [A-269, A-462]', async () => {
    for (const advert of ['xv300fco', 'xv300wo']) {
      const guest = await site.visitor({ ofAge: true });
      const page = await openPage(site, guest, `/?advert_id=${advert}&promo=nwh`);
      await page.find('dialog', 'Special offer');
      await page.press('No, thanks');
      await page.gone('dialog', 'Special offer');
      await site.passes(59_999);
      await page.idle();
      expect(page.all('dialog')).toEqual([]);
      await site.passes(1);
      await page.find('dialog', 'Special offer');
      await page.press('No, thanks');
      await page.gone('dialog', 'Special offer');
      await site.passes(120_000);
      await nothingOpens(page);
    }
    const other = await site.visitor({ ofAge: true });
    await nothingOpens(await openPage(site, other, '/?advert_id=other&promo=nwh'));
  });

  test('needs advert and promo, or a member, and no form or performer [A-268]', async () => {
    const special = 'advert_id=xv300fco&promo=nwh';
    const guest = () => site.visitor({ ofAge: true });
    for (const path of [
      '/?advert_id=xv300fco&promo=other', '/?promo=summer', `/login?${special}`, `/register?${special}`,
      `/models/signup?${special}`, `/free-register/connect?${special}`,
    ]) {
      await nothingOpens(await openPage(site, await guest(), path));
    }
    await nothingOpens(await openPage(site, await site.performer(), `/?${special}`));
    await nothingOpens(await openPage(site, await site.viewer(), `/account/settings?${special}`));
    await (await openPage(site, await guest(), `/?${special}`)).find('dialog', 'Special offer');
    await (await openPage(site, await site.viewer(), '/?promo=summer')).find('dialog', 'An offer for you');
  });

  test('does not come again for other adverts, or after a purchase [A-269]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/?advert_id=other&promo=summer');
    await page.press('No, thanks', { in: await page.find('dialog') });
    await site.passes(60_000);
    await nothingOpens(page);
    const buyer = await site.viewer();
    const special = await openPage(site, buyer, '/?advert_id=xv300fco&promo=nwh');
    await special.press('No, thanks', { in: await special.find('dialog', 'Special offer') });
    await shop.buys(buyer, '1_50');
    await special.find('button', /^50 tokens.*Get tokens$/u);
    await site.passes(60_000);
    await nothingOpens(special);
    await nothingOpens(await openPage(site, buyer, '/?advert_id=xv300fco&promo=nwh'));
  });
});

describe('every third visit', () => {
  test('of a member without a purchase opens the form of tokens [A-278, A-459]', async () => {
    const viewer = await site.viewer();
    let last: Page | null = null;
    const visits = async (): Promise<Page> => {
      // Each is a tab of its own.
      last?.leave();
      viewer.storage.session.clear();
      last = await openPage(site, viewer, '/');
      return last;
    };
    for (let visit = 1; visit <= 6; visit += 1) {
      const page = await visits();
      if (visit % 3 === 0) await page.find('dialog', 'Get tokens');
      else await nothingOpens(page);
    }
    await shop.buys(viewer, '1_50');
    await nothingOpens(await visits());
    await nothingOpens(await visits());
    await nothingOpens(await visits());
  });

  test('of a guest or a performer opens nothing [A-278]', async () => {
    const model = await site.performer();
    for (const who of [await site.visitor({ ofAge: true }), model]) {
      for (let visit = 1; visit <= 3; visit += 1) {
        who.storage.session.clear();
        const page = await openPage(site, who, '/');
        // What opens by itself is decided once the visit is counted; visits of guests are not counted.
        if (who === model) {
          await page.until(() => expect(localStorage.getItem('candela.visits')).toBe(String(visit)));
        }
        await nothingOpens(page);
        // A performer would be led to the page of tokens instead of a dialog.
        expect(page.path).toBe('/');
        page.leave();
      }
    }
  });
});

describe('the post-pay modal', () => {
  test('opens neither on a page of free registration nor of models [A-273, A-274]', async () => {
    const viewer = await debtor();
    for (const [path, title] of [['/free-register/connect', 'Sign up'], ['/models/signup', /./u]] as const) {
      const page = await openPage(site, viewer, path);
      await page.find('heading', title);
      await nothingOpens(page);
    }
    await (await openPage(site, viewer, '/')).find('dialog', 'Pay later');
  });
});

describe('while age has to be verified', () => {
  test('no post-pay modal opens; once that is done it does [A-275]', async () => {
    const viewer = await debtor();
    const florida = await site.anotherTabOf(viewer, { region: 'US-FL' });
    const gated = await openPage(site, florida, '/');
    await gated.find('heading', /age/iu);
    await nothingOpens(gated);
    await (await openPage(site, await site.anotherTabOf(viewer), '/')).find('dialog', 'Pay later');
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
    expect(sentTo(page, '/billing/promo')).toEqual([]);
    for (const missing of [{}, { code: '' }, { code: '   ' }]) {
      expect((await viewer.refused(redeemPromoCode, missing)).status).toBe(422);
    }
  });

  test('has at least three characters, where it is typed and where it arrives [A-284]', async () => {
    await site.tx((tx) => site.services.billing.addCode(tx, {
      code: 'abc', tokens: 7, startsAt: site.clock.now(), endsAt: null, maxUses: 9,
    }, null));
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
  test.each([
    ['opens the declined dialog when a check is needed [A-409]', 'VERIFY', 'Payment Declined'],
    ['leads to support when the biller wants that [A-410]', 'NMYDNVEL', 'Contact support'],
  ] as const)('%s', async (_title, code, dialog) => {
    const page = await fails(code);
    await page.find('dialog', dialog);
  });

  test('says so for any other reason [A-412]', async () => {
    const page = await fails('NDECLINED');
    await page.sees('Auto re-up failed');
    await nothingOpens(page);
    // The limit of the day is another reason.
    const viewer = await site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer);
    const next = await turnsOn(viewer);
    await viewer.tips(performer, 50);
    await next.sees(/^Auto re-up successful!/u);
    await viewer.tips(performer, 100);
    await next.sees('Auto re-up failed');
    await nothingOpens(next);
  });

  /** The room of a member whose re-up has just failed for this reason. */
  async function fails(code: 'VERIFY' | 'NMYDNVEL' | 'NDECLINED'): Promise<Page> {
    const viewer = await site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer, code);
    const page = await turnsOn(viewer);
    await viewer.tips(performer, 50);
    return page;
  }

  /** Turns re-ups on below 990 tokens, as a page does. */
  async function turnsOn(viewer: Member): Promise<Page> {
    const page = await openPage(site, viewer, '/account/tokens');
    const section = await page.find('region', 'Auto re-up');
    await page.fill('When my balance falls below', '990', { in: section });
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
    const room = await openRoom(site, guest, performer);
    await room.press('Get tokens', { in: await room.find('banner') });
    await room.find('dialog', 'Sign up');
    expect((await guest.refused(listProducts, {})).status).toBe(401);
  });
});
