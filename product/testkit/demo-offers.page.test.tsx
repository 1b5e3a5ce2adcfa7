import { requestPasswordReset } from '#product/accounts/contract.ts';
import { getJoinOffer, getPurchaseLink, listProducts } from '#product/billing/contract.ts';
import { listPromos, redeemPromoCode } from '#product/billing/contract/promos.ts';
import { getBio } from '#product/browse/contract/search.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FANS } from './demo/cast.ts';
import { seedDemo } from './demo/demo.ts';
import { TestMailServer } from './outside/mail-server.ts';
import { openPage } from './pages/open-page.tsx';
import { createShop, type Shop } from './payments/payments.ts';
import type { Member } from './site.ts';
import { storedAddresses } from './store/stored-people.ts';

/** The variant for visitors without a campaign. */
const OFFER = '100% Free Access - Credit Card $0';
/** The portraits of the whole cast are drawn. */
const SEEDING_MS = 180_000;

const mailServer = new TestMailServer();
let demo: Shop;
let other: Shop;
let invented: readonly string[];
beforeAll(async () => {
  const smtp = { url: await mailServer.start(), from: 'mail@cam.example' };
  [demo, other] = [await createShop({ settings: { smtp } }), await createShop()];
  const { site: { data, blobs, services } } = demo;
  await seedDemo({ data, blobs, services });
  invented = await demo.site.tx(storedAddresses);
  await demo.settle();
}, SEEDING_MS);
afterAll(async () => {
  await demo.close();
  await other.close();
  await mailServer.close();
});

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

test('nobody of the demo gets mail from a mail server: each has an address that is nobody’s', async () => {
  const [fan = ''] = FANS;
  expect(invented).toEqual(expect.arrayContaining([
    `${fan}@demo.example`,
    'demo_viewer@demo.example',
    'demo_performer@demo.example',
    'demo_admin@demo.example',
  ]));
  expect(invented.filter((address) => !address.endsWith('@demo.example'))).toEqual([]);
  const { person } = await demo.site.viewer();
  const named = async (address: string): Promise<void> => {
    const guest = await demo.site.visitor();
    await guest.call(requestPasswordReset, { email: address });
    await demo.settle();
  };
  for (const address of [`${fan}@demo.example`, 'demo_performer@demo.example', person.email]) {
    await named(address);
  }
  // Emails sent by the seeding would be here too.
  expect(mailServer.received.map(({ to }) => to.join())).toEqual([person.email]);
  const { mails } = await (await demo.site.admin()).call(listOutbox, {});
  expect(mails.map(({ to }) => to))
    .toEqual(expect.arrayContaining([`${fan}@demo.example`, 'demo_performer@demo.example']));
});

test('a code of the demo gives tokens, once; another site knows none', async () => {
  const viewer = await demo.site.viewer();
  expect((await viewer.call(listPromos, {})).promos.map(({ kind }) => kind)).toContain('free_tokens');
  await viewer.call(redeemPromoCode, { code: 'FREE_TOKENS' });
  expect(await tokensOf(viewer)).toBe(100);
  expect((await viewer.refused(redeemPromoCode, { code: 'FREE_TOKENS' })).status).toBe(409);
  expect(await tokensOf(viewer)).toBe(100);
  const stranger = await other.site.viewer();
  expect((await stranger.call(listPromos, {})).promos).toEqual([]);
  expect((await stranger.refused(redeemPromoCode, { code: 'FREE_TOKENS' })).errorType)
    .toBe('promo_unavailable');
});

test('a voucher pays for tokens in the demo; another site sells none', async () => {
  const viewer = await demo.site.viewer({ region: 'DE' });
  const { products: { voucher: [first] } } = await viewer.call(listProducts, {});
  expect(first).toMatchObject({ biller: 'cashtocode', price: { minor: 1_000, currency: 'EUR' } });
  const { internal_id: id = '', tokens = 0 } = first ?? {};
  const voucher = { internal_id: id, method: 'voucher', biller: 'cashtocode' } as const;
  const { purchase_link: link } = await viewer.call(getPurchaseLink, voucher);
  await demo.types(link);
  await demo.settle();
  expect(tokens).toBeGreaterThan(0);
  expect(await tokensOf(viewer)).toBe(tokens);
  const stranger = await other.site.viewer({ region: 'DE' });
  expect((await stranger.call(listProducts, {})).products.voucher).toEqual([]);
  expect((await stranger.refused(getPurchaseLink, voucher)).errorType).toBe('product_unknown');
});

test('a visitor of the demo is led to the join offer and sees it; another site has none', async () => {
  const guest = await demo.site.visitor({ ofAge: true });
  expect((await guest.call(getSiteConfig, {})).has_join_offer).toBe(true);
  const page = await openPage(demo.site, guest, '/tags');
  await page.press('Join offer', { role: 'link', in: await page.find('contentinfo') });
  await page.find('heading', OFFER);
  expect(page.path).toBe('/join');
  const stranger = await other.site.visitor({ ofAge: true });
  expect((await stranger.call(getSiteConfig, {})).has_join_offer).toBe(false);
  expect((await stranger.refused(getJoinOffer, {})).errorType).toBe('promo_unavailable');
  const plain = await openPage(other.site, stranger, '/tags');
  expect(plain.all('link', 'Join offer')).toEqual([]);
  await plain.goto('/join');
  await plain.find('link', 'Go to the site');
  expect(plain.all('heading', OFFER)).toEqual([]);
});

test('a bio of the demo names the studio of who works for one, and others of it', async () => {
  const { site } = demo;
  const guest = await site.visitor({ ofAge: true });
  for (const [username, studio, words] of [
    ['tess_arden', 'north-light', 'north light'],
    ['jade_orlo', 'casa-lumen', 'casa lumen'],
    ['luna_vale', null, null],
  ] as const) {
    expect((await guest.call(getBio, { username })).studio).toBe(studio);
    const page = await openPage(site, guest, `/${username}/bio`);
    await page.find('main');
    await page.idle();
    expect(page.shows('Studio')).toBe(words !== null);
    if (words !== null) await page.sees(words);
  }
});
