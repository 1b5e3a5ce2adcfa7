import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  const { configure } = shop.site.services.billing;
  await shop.site.tx((tx) =>
    configure(tx, { switches: { joinOffer: true, promos: true, paypal: true } }, null)
  );
});
afterAll(() => shop.close());

const TITLES = {
  account: 'Create Free Account',
  member: 'Welcome back',
  promo: 'Free Lifetime Access!',
  free: '100% Free Access - Credit Card $0',
};

/** The join offer as a viewer sees it, and the titles of the variants shown. */
async function offer(visitor: Visitor, query = '') {
  const page = await openPage(shop.site, visitor, `/join${query}`);
  await page.until(() => {
    if (titles().length === 0) throw new Error('no offer');
  });
  function titles(): string[] {
    return Object.values(TITLES).filter((title) => page.all('heading', title).length > 0);
  }
  const asked = query.replace('?', '');
  // The offer may be requested twice, because joining the lobby after the page was loaded reloads it.
  expect(new Set(page.network.sent.filter((sent) => sent.includes('/billing/products_rcc'))))
    .toEqual(new Set([`GET /api/v1/billing/products_rcc${asked === '' ? '' : `?${asked}`}`]));
  return { page, titles: titles() };
}

test('the join offer of form 4 is an account with card or PayPal [B-120]', async () => {
  const { page, titles } = await offer(await shop.site.visitor({ ofAge: true }), '?join_form=4');
  expect(titles).toEqual([TITLES.account]);
  await page.find('button', 'With a card');
  await page.find('button', 'With PayPal');
  expect([page.all('radio'), page.all('button', 'Logout')]).toEqual([[], []]);
});

test('the join offer of a member has packs and a log-out [B-120]', async () => {
  const { page, titles } = await offer(await shop.site.viewer(), '?join_form=4&promo=x');
  expect(titles).toEqual([TITLES.member]);
  await page.find('radio', /^200 tokens/u);
  await page.find('button', 'Purchase');
  expect(page.all('button', 'With a card')).toEqual([]);
  await page.press('Logout');
  await page.until(() => {
    if (page.all('link', 'Log in').length === 0) throw new Error('still logged in');
  });
});

test('the join offer of a promotion is 300 tokens with a gift, or a free pass [B-120, B-123]', async () => {
  const { page, titles } = await offer(await shop.site.visitor({ ofAge: true }), '?promo=x');
  expect(titles).toEqual([TITLES.promo]);
  const special = await page.find('radio', /New Member Special!/u);
  expect(special).toHaveProperty('checked', true);
  const pass = await page.find('radio', /FREE Lifetime Pass/u);
  await page.click(pass);
  expect(pass).toHaveProperty('checked', true);
  expect(page.all('radio')).toEqual([special, pass]);
  expect(special).toHaveProperty('checked', false);
  expect(page.all('button', 'With a card')).toEqual([]);
  await page.press('Redeem offer now');
  await page.find('dialog', 'Sign up');
});

test('the promotion shows and brings 300 tokens for $10.99, with 200 free [B-124, B-437]', async () => {
  const guest = await shop.site.visitor({ ofAge: true });
  const { page } = await offer(guest, '?promo=x');
  const special = await page.find('radio', /New Member Special!/u);
  expect(page.all('radio')[0]).toBe(special);
  const choice = special.closest('label');
  for (const shown of [
    /300 tokens \$10\.99/u,
    /free with it: .*200 tokens/u,
  ]) expect(choice?.textContent).toMatch(shown);
  await page.press('Redeem offer now');
  const form = await page.find('dialog', 'Sign up');
  await page.fill('Username', 'newmember', { in: form });
  await page.fill('Email', 'newmember@people.example', { in: form });
  await page.fill('Password', 'harbour-lights-9', { in: form });
  await page.choose('Day', '14', { in: form });
  await page.choose('Month', 'March', { in: form });
  await page.choose('Year', '1991', { in: form });
  await page.click(await page.find('checkbox', undefined, { in: form }));
  await page.press('Sign up', { in: form });
  await page.until(() => expect(page.left).toHaveLength(1));
  const { pathname, search } = new URL(await shop.types(page.left[0] ?? ''));
  await shop.settle();
  const paid = await openPage(shop.site, guest, pathname + search);
  const thanks = await paid.find('dialog', 'Payment received');
  const facts = thanks.querySelector('dl')?.textContent ?? '';
  for (const shown of [/Tokens300/u, /Free tokens200/u, /Paid\$10\.99/u]) expect(facts).toMatch(shown);
  await paid.find('button', /^500 tokens.*Get tokens$/u);
});

test('the join offer is free access by card or PayPal otherwise [B-120]', async () => {
  const { page, titles } = await offer(await shop.site.visitor({ ofAge: true }));
  expect(titles).toEqual([TITLES.free]);
  await page.find('button', 'With a card');
  await page.find('button', 'With PayPal');
  expect(page.all('radio')).toEqual([]);
  // Any form other than 4 is ignored.
  const other = await offer(await shop.site.visitor({ ofAge: true }), '?join_form=3');
  expect(other.titles).toEqual([TITLES.free]);
});

test('the join offer follows the answer of the site, not its address [B-120]', async () => {
  const { configure } = shop.site.services.billing;
  const promosAre = (isOn: boolean): Promise<void> =>
    shop.site.tx(async (tx) => {
      await configure(tx, { switches: { promos: isOn } }, null);
    });
  await promosAre(false);
  const { page, titles } = await offer(await shop.site.visitor({ ofAge: true }), '?promo=x');
  expect([titles, page.all('radio')]).toEqual([[TITLES.free], []]);
  await promosAre(true);
});
