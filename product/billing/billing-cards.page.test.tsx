import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  balanceIs,
  opensPurchase,
  sentTo,
  settles,
  wantsTokens,
} from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listProducts } from './contract.ts';
import { createProduct, retireProduct } from './contract/operator.ts';
import { DEFAULT_PRODUCTS } from './rules/products.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  performer = await shop.site.performer({ live: true });
});
afterAll(() => shop.close());

/** Presses the button that charges a card; it stays busy until the returned function releases the charge. */
async function starts(page: Page, button: HTMLElement): Promise<() => void> {
  const release = page.network.holds(/oneclick/u);
  await page.click(button);
  await page.until(() => expect(button.getAttribute('aria-busy')).toBe('true'));
  return release;
}

const ERROR = 'Error purchasing product, if this persists, please contact support.';

describe('a saved card', () => {
  test('pays at one click: the link is posted, and the payment shown [A-240, A-243]', async () => {
    const viewer = await shop.site.viewer();
    const card = await shop.keeps(viewer);
    const { products: { credit } } = await viewer.call(listProducts, {});
    const link = credit.find((item) => item.internal_id === '1_200')?.biller_link;
    const page = await openPage(shop.site, viewer, '/');
    const dialog = await opensPurchase(page);
    await page.press(/^200 /u, { role: 'radio', in: dialog });
    await page.press('Pay $20.00', { in: dialog });
    await page.sees('200 tokens', { in: await page.find('dialog', 'Payment received') });
    const posted = page.network.sent.filter((sent) => /^POST .*\/oneclick\//u.test(sent));
    expect(posted).toHaveLength(1);
    expect(posted[0]).toMatch(new RegExp(`^POST /api/v1${link} .*"cardId":${card}\\b`, 'u'));
    await page.press('Done');
    await balanceIs(page, '200');
  });

  test('shows that it is charged, and says when it could not be [A-241, A-441]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/', { mayPrint: /Failed to fetch/u });
    const dialog = await opensPurchase(page);
    const pay = await page.find('button', /^Pay \$/u, { in: dialog });
    expect(pay.getAttribute('aria-busy')).toBeNull();
    const release = await starts(page, pay);
    page.network.goesDown(true);
    release();
    await page.sees(ERROR, { in: dialog });
    expect(pay.getAttribute('aria-busy')).toBeNull();
  });

  test('says so too when the site refuses the link of a card or of a page [A-441]', async () => {
    const admin = await shop.site.admin();
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    for (const [id, cents, pay] of [
      ['pack_80', 800, 'Pay $8.00'],
      ['pack_90', 900, 'Continue to payment · $9.00'],
    ] as const) {
      const { product: { revision } } = await admin.call(createProduct, {
        internal_id: id,
        kind: 'pack',
        membership: null,
        tokens: cents / 10,
        free_tokens: 0,
        price_minor: cents,
        currency: 'USD',
        days: null,
        one_click: true,
        countries: [],
        reason: 'for a day',
      });
      const page = await openPage(shop.site, viewer, '/');
      const dialog = await opensPurchase(page);
      await page.press(new RegExp(`^${cents / 10} `, 'u'), { role: 'radio', in: dialog });
      if (pay.startsWith('Continue')) await page.press(/^Another card/u, { role: 'radio', in: dialog });
      await admin.call(retireProduct, { internal_id: id, revision, retired: true, reason: 'it is over' });
      expect(page.shows(/^Error purchasing product/u, { in: dialog })).toBe(false);
      await page.press(pay, { in: dialog });
      await page.sees(new RegExp(`^${ERROR.replaceAll('.', '\\.')} `, 'u'), { in: dialog });
      expect([page.left, page.all('dialog')]).toEqual([[], [dialog]]);
    }
    await shop.site.tx((tx) => shop.site.services.billing.sell(tx, DEFAULT_PRODUCTS, null));
  });

  test('is tried again without the error of the last time [A-242]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/', { mayPrint: /Failed to fetch/u });
    const dialog = await opensPurchase(page);
    page.network.goesDown(true);
    await page.press(/^Pay \$/u, { in: dialog });
    await page.sees(ERROR, { in: dialog });
    page.network.goesDown(false);
    const release = page.network.holds(/oneclick/u);
    await page.press(/^Pay \$/u, { in: dialog });
    await page.until(() => expect(page.shows(ERROR)).toBe(false));
    release();
    await page.find('dialog', 'Payment received');
  });

  test('shows its charge on a phone, too, and drops the error of before [A-241, A-242]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/', { width: 390, mayPrint: /Failed to fetch/u });
    await wantsTokens(page);
    const tab = await page.find('region', 'Get tokens');
    const pack = await page.find('button', /^100 tokens/u, { in: tab });
    expect(pack.getAttribute('aria-busy')).toBeNull();
    const fails = await starts(page, pack);
    page.network.goesDown(true);
    fails();
    await page.sees(ERROR, { in: tab });
    expect(pack.getAttribute('aria-busy')).toBeNull();
    page.network.goesDown(false);
    const succeeds = await starts(page, pack);
    expect(page.shows(ERROR)).toBe(false);
    succeeds();
    await page.find('dialog', 'Payment received');
  });

  test('that is declined opens its dialog, after a link and after a re-up [A-081]', async () => {
    const viewer = await shop.site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer, 'NDECLINED');
    await shop.keeps(viewer, 'VERIFY');
    const page = await openPage(shop.site, viewer, '/account/tokens');
    await opensPurchase(page);
    await page.press(/^Pay \$/u);
    const words = 'Something went wrong. We couldn\'t process your credit card.';
    const declined = await page.find('dialog', 'Payment Declined');
    await page.sees(words, { in: declined });
    await page.sees('Code NDECLINED', { in: declined });
    await page.keys('{Escape}');
    await page.gone('dialog', 'Payment Declined');
    const section = await page.find('region', 'Auto re-up');
    await page.press(new RegExp(cardNumberFor('VERIFY').slice(-4), 'u'), { role: 'radio', in: section });
    await page.fill('When my balance falls below', '990', { in: section });
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    await viewer.tips(performer, 50);
    const checked = await page.find('dialog', 'Payment Declined');
    await page.sees(words, { in: checked });
    await page.sees(/^This card must be verified before you can pay with it\./u, { in: checked });
  });

  test('fills up a falling balance once that is confirmed, and says so [A-194, A-408]', async () => {
    const viewer = await shop.site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/account/tokens');
    const section = await page.find('region', 'Auto re-up');
    const turnOn = await page.find('button', 'Turn on', { in: section });
    expect(turnOn).toHaveProperty('disabled', true);
    await page.fill('When my balance falls below', '1000', { in: section });
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    await viewer.tips(performer, 800);
    const toast = await page.sees('Auto re-up successful! 50 tokens added to your balance');
    // A success toast: not an error, which would stay, and not a neutral one, which has a different edge.
    expect(toast.closest('[role="status"], [role="alert"]')?.getAttribute('role')).toBe('status');
    expect(toast.closest('.border-l-4')?.className).toContain('border-l-online');
    await balanceIs(page, '250');
    await page.press('Turn off', { in: section });
    await page.sees('Off', { in: section });
    const stored = async () => (await viewer.call(getCurrentUser, {})).settings.auto_re_ups;
    expect(await stored()).toMatchObject({ enabled: false, disabled_by_user: true });
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    expect(await stored()).toMatchObject({ enabled: true, disabled_by_user: false });
  });

  test('fills up with the free tokens of a pack, too, and says how many in all [A-408]', async () => {
    const admin = await shop.site.admin();
    const viewer = await shop.site.viewer({ tokens: 1_000 });
    await shop.keeps(viewer);
    const { product: { revision } } = await admin.call(createProduct, {
      internal_id: 'pack_gift',
      kind: 'pack',
      membership: null,
      tokens: 100,
      free_tokens: 20,
      price_minor: 1_100,
      currency: 'USD',
      days: null,
      one_click: true,
      countries: [],
      accepted_cost_cents: 100,
      reason: 'for a day',
    });
    const page = await openPage(shop.site, viewer, '/account/tokens');
    const section = await page.find('region', 'Auto re-up');
    await page.fill('When my balance falls below', '990', { in: section });
    await page.choose('Buy', '100 tokens · $11.00', { in: section });
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    await viewer.tips(performer, 800);
    const toast = await page.sees('Auto re-up successful! 120 tokens added to your balance');
    expect(toast.closest('[role="status"], [role="alert"]')?.getAttribute('role')).toBe('status');
    await balanceIs(page, '320');
    expect(await tokensOf(viewer)).toBe(320);
    await admin.call(retireProduct, {
      internal_id: 'pack_gift',
      revision,
      retired: true,
      reason: 'it is over',
    });
  });

  test('comes in a tab at the foot of a phone, and no dialog until it is paid [A-082, A-238]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/', { width: 390 });
    await wantsTokens(page);
    const tab = await page.find('region', 'Get tokens');
    await page.sees(/One tap charges/u, { in: tab });
    for (const pack of [
      /^50 tokens/u,
      /^100 tokens/u,
      /^200 tokens/u,
    ]) await page.find('button', pack, { in: tab });
    expect(page.all('button', /^\d+ tokens/u, { in: tab })).toHaveLength(3);
    await page.until(() => expect(page.focused).toBe(tab));
    expect(await page.problems()).toEqual([]);
    await settles(shop, page);
    expect(page.all('dialog')).toEqual([]);
    await page.press(/^100 tokens/u, { in: tab });
    await page.sees('100 tokens', { in: await page.find('dialog', 'Payment received') });
    expect(sentTo(page, '/api/v1/billing/oneclick/1_100')).toHaveLength(1);
    await page.press('Done');
    await wantsTokens(page);
    await page.press('More ways to pay', { in: await page.find('region', 'Get tokens') });
    await page.find('dialog', 'Get tokens');
    // Without a card there are no suggestions, so a phone shows the modal.
    const other = await openPage(shop.site, await shop.site.viewer(), '/', { width: 390 });
    await opensPurchase(other);
    expect(other.all('region', 'Get tokens')).toEqual([]);
  });
});
