import { getSiteConfig } from '#product/site/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { nothingOpens, sentTo } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listProducts } from './contract.ts';
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
const configure = (
  settings: Partial<Omit<BillingSettings, 'switches'>> & {
    readonly switches?: Partial<BillingSettings['switches']>;
  },
): Promise<void> => site.tx((tx) => site.services.billing.configure(tx, settings, null));
beforeEach(() => configure({ switches: { promos: true, joinOffer: true } }));

describe('a promotion', () => {
  test('under test is the only one offered, and has its picture [A-110]', async () => {
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
      await nothingOpens(shop, page);
    }
    const other = await site.visitor({ ofAge: true });
    await nothingOpens(shop, await openPage(site, other, '/?advert_id=other&promo=nwh'));
  });

  test('needs advert and promo, or a member, and no form or performer [A-089, A-268]', async () => {
    const special = 'advert_id=xv300fco&promo=nwh';
    const guest = () => site.visitor({ ofAge: true });
    for (const path of [
      '/?advert_id=xv300fco&promo=other',
      '/?advert_id=other&promo=nwh',
      '/?promo=nwh',
      '/?promo=summer',
      '/?advert_id=xv300fco',
      `/join?${special}`,
      `/login?${special}`,
      `/register?${special}`,
      `/models/signup?${special}`,
      `/free-register/connect?${special}`,
    ]) {
      await nothingOpens(shop, await openPage(site, await guest(), path));
    }
    await nothingOpens(shop, await openPage(site, await site.performer(), `/?${special}`));
    for (const [path, who] of [
      ['/account/settings', await site.viewer()],
      ['/verify', await site.viewer()],
      ['/go-live', await site.viewer()],
      ['/admin/products', await site.admin()],
    ] as const) {
      const page = await openPage(site, who, `${path}?${special}`);
      await nothingOpens(shop, page);
      expect(page.path).toBe(`${path}?${special}`);
      page.leave();
      // The offer would have been shown to the same person on another page.
      who.storage.session.clear();
      const other = await openPage(site, who, `/?${special}`);
      await other.find('dialog', 'Special offer');
      other.leave();
    }
    const room = `/${performer.username}?${special}`;
    await (await openPage(site, await guest(), room)).find('dialog', 'Special offer');
    await (await openPage(site, await site.viewer(), '/?promo=summer')).find('dialog', 'An offer for you');
  });

  test('is special for two adverts with three promotions, members or not [A-089, A-268]', async () => {
    const who = [await site.visitor({ ofAge: true }), await site.viewer()];
    for (const [at, advert] of ['advert_id=xv300wo', 'id=xv300fco'].entries()) {
      for (const promo of ['nwh', 'dgs', 'spl']) {
        const by = at === 0 ? 'promo' : 'prg';
        const page = await openPage(site, who[at] as Visitor, `/?${advert}&${by}=${promo}`);
        await page.sees(/^300 tokens \$10\.99$/u, { in: await page.find('dialog', 'Special offer') });
      }
    }
  });

  test('does not come again for other adverts, or after a purchase [A-089, A-269]', async () => {
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, '/?advert_id=other&promo=summer');
    await page.press('No, thanks', { in: await page.find('dialog') });
    await site.passes(60_000);
    await nothingOpens(shop, page);
    const member = await openPage(site, await site.viewer(), '/?advert_id=xv300fco&promo=summer');
    await member.press('No, thanks', { in: await member.find('dialog', 'An offer for you') });
    await member.gone('dialog');
    await site.passes(60_000);
    await member.find('dialog', 'An offer for you');
    const buyer = await site.viewer();
    const special = await openPage(site, buyer, '/?advert_id=xv300fco&promo=nwh');
    await special.press('No, thanks', { in: await special.find('dialog', 'Special offer') });
    await shop.buys(buyer, '1_50');
    await special.find('button', /^50 tokens.*Get tokens$/u);
    await site.passes(60_000);
    await nothingOpens(shop, special);
    await nothingOpens(shop, await openPage(site, buyer, '/?advert_id=xv300fco&promo=nwh'));
  });
});

describe('every third visit', () => {
  test('of a member without a purchase opens the form of tokens [A-278, A-459]', async () => {
    const viewer = await site.viewer();
    let last: Page | null = null;
    const loads = async (): Promise<Page> => {
      last = await openPage(site, viewer, '/');
      return last;
    };
    const visits = async (): Promise<Page> => {
      // Every visit is in a new tab.
      last?.leave();
      viewer.storage.session.clear();
      return loads();
    };
    for (let visit = 1; visit <= 6; visit += 1) {
      const page = await visits();
      if (visit % 3 === 0) await page.find('dialog', 'Get tokens');
      else await nothingOpens(shop, page);
      // Reloading a page in the same tab is not a new visit.
      if (visit === 2) await nothingOpens(shop, await loads());
    }
    await shop.buys(viewer, '1_50');
    await nothingOpens(shop, await visits());
    await nothingOpens(shop, await visits());
    await nothingOpens(shop, await visits());
  });

  test('of a guest or a performer opens nothing [A-278]', async () => {
    for (const who of [await site.visitor({ ofAge: true }), await site.performer()]) {
      for (let visit = 1; visit <= 3; visit += 1) {
        who.storage.session.clear();
        // Visits of guests count when the address has a query.
        const page = await openPage(site, who, '/?from=mail');
        // Whether a dialog opens automatically is decided once the visit is counted.
        await page.until(() => expect(localStorage.getItem('candela.visits')).toBe(String(visit)));
        await nothingOpens(shop, page);
        // A performer would be led to the page of tokens instead of a dialog.
        expect(page.path).toBe('/?from=mail');
        page.leave();
      }
    }
  });
});
