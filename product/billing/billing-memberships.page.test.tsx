import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop } from '#product/testkit/payments/payments.ts';
import { scriptedBiller } from '#product/testkit/payments/scripted-biller.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterEach, expect, test } from 'vitest';
import { listProducts } from './contract.ts';
import { changeProduct, listManagedProducts } from './contract/operator.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Page = Awaited<ReturnType<typeof openPage>>;

async function opensMemberships(
  site: TestSite,
): Promise<{ readonly page: Page; readonly dialog: HTMLElement }> {
  const page = await openPage(site, await site.viewer(), '/account/tokens');
  await page.press('See memberships', { in: await page.find('region', 'Membership') });
  const dialog = await page.find('dialog', 'Membership');
  await page.until(() => expect(page.all('radio', undefined, { in: dialog })).toHaveLength(3));
  return { page, dialog };
}

/** Terms and values beside the pay button. */
const termsIn = (dialog: HTMLElement): string[][] =>
  [...dialog.querySelectorAll('.sticky dt')]
    .map((term) => [term.textContent, textOf(term.nextElementSibling!)]);

/** The operator chooses how long a membership lasts. */
async function lasts(site: TestSite, internalId: string, days: number, priceMinor: number): Promise<void> {
  const admin = await site.admin();
  const { products } = await admin.call(listManagedProducts, {});
  const revision = products.find(({ internal_id: id }) => id === internalId)?.revision ?? 0;
  await admin.call(changeProduct, {
    internal_id: internalId,
    revision,
    tokens: 100,
    free_tokens: 0,
    price_minor: priceMinor,
    currency: 'USD',
    days,
    one_click: true,
    countries: [],
    reason: 'a quarter of a year',
  });
}

test('before the first payment: the price, the day of renewal, and how to cancel', async () => {
  const shop = await createShop();
  closing.push(() => shop.close());
  await lasts(shop.site, 'membership_premium', 90, 4_500);
  const { page, dialog } = await opensMemberships(shop.site);
  await page.find('radio', /^Premium membership.*\$45\.00\s*every 90 days/u, { in: dialog });
  await page.press(/^Premium membership/u, { role: 'radio', in: dialog });
  // The site's clock says January 15, 2026.
  expect(termsIn(dialog)).toEqual([
    ['You pay now', '$45.00'],
    ['Renews on', 'April 15, 2026'],
    ['Then every 90 days', '$45.00'],
  ]);
  await page.sees(/until you cancel, at any time under Tokens\. You stay a member until the end/u, {
    in: dialog,
  });
  // Nothing is ordered and no card saved before the button is pressed.
  expect(await page.find('checkbox', /^Save this card/u, { in: dialog })).toHaveProperty('checked', false);
  expect(page.left).toEqual([]);
  await page.press(/^VIP membership/u, { role: 'radio', in: dialog });
  expect(termsIn(dialog)).toEqual([
    ['You pay now', '$39.99'],
    ['Renews on', 'February 14, 2026'],
    ['Then every 30 days', '$39.99'],
  ]);
  expect(await page.problems()).toEqual([]);
});

test('where no biller can charge again, the page says when it ends, and promises no renewal', async () => {
  const site = await createSite({ settings: { billersOf: () => [scriptedBiller('ccbill')] } });
  closing.push(() => site.close());
  const { page, dialog } = await opensMemberships(site);
  await page.find('radio', /^Premium membership.*\$19\.99\s*for 30 days/u, { in: dialog });
  expect(termsIn(dialog)).toEqual([['You pay now', '$19.99'], ['Ends on', 'February 14, 2026']]);
  await page.sees('You pay once. It ends by itself, and nothing more is charged.', { in: dialog });
  expect(page.shows(/[Rr]enews|until you cancel/u)).toBe(false);
  const { products: { credit } } = await page.visitor.call(listProducts, {});
  expect(credit.map(({ membership, days, renews }) => [membership !== null, days, renews]))
    .toEqual(credit.map(({ membership }) => (membership ? [true, 30, false] : [false, null, false])));
});
