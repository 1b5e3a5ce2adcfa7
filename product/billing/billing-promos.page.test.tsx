import { getCurrentUser } from '#product/accounts/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { balanceIs, nothingOpens } from '#product/testkit/pages/purchase-page.ts';
import { createShop, endMemberships, type Shop } from '#product/testkit/payments/payments.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getJoinOffer, listProducts } from './contract.ts';
import { listCards } from './contract/cards.ts';
import { changeProduct, listManagedProducts } from './contract/operator.ts';
import { listOrders } from './contract/orders.ts';
import { getSpins, spin } from './contract/promos.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  const { configure } = shop.site.services.billing;
  await shop.site.tx((tx) =>
    configure(tx, {
      switches: { promos: true, wheel: true, joinOffer: true, paypal: true, crypto: false },
    }, null)
  );
});
afterAll(() => shop.close());

/** Requests for links to billers' pages. */
const links = (page: Page): readonly string[] =>
  page.network.sent.filter((sent) => sent.includes('/purchase-link/'));

/** Waits until the page has opened a biller's page. */
const leaves = (page: Page): Promise<void> => page.until(() => expect(page.left).toHaveLength(1));

/** Pays on the biller's page that this page opened, and returns. */
async function pays(page: Page, visitor: Visitor): Promise<Page> {
  await leaves(page);
  const { pathname, search } = new URL(await shop.types(page.left[0] ?? ''));
  await shop.settle();
  return openPage(shop.site, visitor, pathname + search);
}

/** The page shows a wheel prize and the new balance. */
async function wins(page: Page, viewer: Visitor, wheel: HTMLElement, before: number): Promise<void> {
  await page.sees(/^You won/u, { in: wheel });
  const { tokens } = await viewer.call(getBalance, {});
  expect([2, 5, 10, 25, 100]).toContain(tokens - before);
  await page.sees(`You won ${tokens - before} tokens`, { in: wheel });
  await balanceIs(page, String(tokens));
}

/** Signs up in the dialog that a button of the join offer opened. */
async function signsUp(page: Page, username: string): Promise<void> {
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

test('the special offer shows what it gives and costs, and closes with Escape [A-089]', async () => {
  const page = await openPage(shop.site, await shop.site.viewer(), '/?id=xv300wo&prg=spl');
  const offer = await page.find('dialog', 'Special offer');
  for (const shown of [/300 tokens/u, /\$10\.99/u, /200 tokens/u]) await page.sees(shown, { in: offer });
  expect(await page.problems()).toEqual([]);
  await page.keys('{Escape}');
  await page.gone('dialog', 'Special offer');
  await shop.site.passes(60_000);
  await page.find('dialog', 'Special offer');
});

/** Opens a page with this balance, and checks that no dialog opens. */
async function opensQuietly(viewer: Visitor, path: string, tokens: string): Promise<void> {
  const page = await openPage(shop.site, viewer, path);
  await balanceIs(page, tokens);
  await nothingOpens(shop, page);
}

test('free tokens are congratulated on, accepted, and given once [A-414, A-463]', async () => {
  const viewer = await shop.site.viewer();
  // The dialog opens only if the address asks for it, but then also for guests.
  for (const path of ['/', '/?free_tokens=0']) await opensQuietly(viewer, path, '0');
  const guest = await openPage(shop.site, await shop.site.visitor({ ofAge: true }), '/?free_tokens');
  await guest.sees('100 tokens', { in: await guest.find('dialog', 'Congratulations') });
  const page = await openPage(shop.site, viewer, '/?free_tokens=1');
  const dialog = await page.find('dialog', 'Congratulations');
  await page.sees('100 tokens', { in: dialog });
  expect(await page.problems()).toEqual([]);
  await page.press('Accept tokens', { in: dialog });
  await balanceIs(page, '100');
  await page.gone('dialog');
  for (const path of ['/?free_tokens=1', '/']) await opensQuietly(viewer, path, '100');
});

test('`av` asks for the verification of a card, of whoever is logged in or logs in [A-104]', async () => {
  const viewer = await shop.site.viewer();
  const stays = await openPage(shop.site, viewer, '/?av=0');
  await stays.find('heading', 'Live now');
  await shop.passes(2_000);
  await stays.idle();
  expect(stays.path).toMatch(/^\/(?:\?|$)/u);
  const page = await openPage(shop.site, viewer, '/?av=1');
  await page.until(() => expect(page.path).toContain('/account/verify?type=rocketgate'));
  await page.press('Start the check');
  await leaves(page);
  const guest = await openPage(shop.site, await shop.site.visitor({ ofAge: true }), '/?av=1');
  await guest.until(() => expect(guest.path).toMatch(/^\/login\?next=.*verify/u));
  const form = await guest.find('main');
  await guest.fill('Username or email', viewer.username, { in: form });
  await guest.fill('Password', 'correct horse battery', { in: form });
  await guest.press('Log in', { in: form });
  await guest.find('heading', 'Verify your card');
  expect(guest.path).toBe('/account/verify?type=rocketgate');
});

test('the wheel turns by keys, shows its odds, and counts spins of every tab [A-090, A-386]', async () => {
  const viewer = await shop.site.viewer();
  const page = await openPage(shop.site, viewer, '/account/tokens');
  (await page.find('button', 'Promo wheel (1 spin)')).focus();
  expect(page.network.sent).toContain('GET /api/v1/promo-wheel/spins');
  await page.keys('{Enter}');
  const wheel = await page.find('dialog', 'Promo wheel');
  await page.sees(/1 spin left/u, { in: wheel });
  await page.find('row', /100 tokens.*1%/u, { in: wheel });
  expect(await page.problems()).toEqual([]);
  (await page.find('button', 'Spin', { in: wheel })).focus();
  await page.keys('{Enter}');
  await wins(page, viewer, wheel, 0);
  expect(await page.find('button', 'Spin', { in: wheel })).toHaveProperty('disabled', true);
  await page.keys('{Escape}');
  await page.gone('dialog');
  await page.find('button', 'Promo wheel (0 spins)');

  const other = await shop.site.viewer();
  const open = await openPage(shop.site, other, '/account/tokens');
  await open.find('button', 'Promo wheel (1 spin)');
  const tab = await shop.site.anotherTabOf(other);
  await tab.call(spin, {}, key());
  await open.find('button', 'Promo wheel (0 spins)');
  expect((await tab.call(getSpins, {})).spins).toBe(0);
  expect(counts(open)).toEqual([{ spins: 0 }]);
  await open.press('Promo wheel (0 spins)');
  const counted = await open.find('dialog', 'Promo wheel');
  await open.sees('0 spins left', { in: counted });
  await shop.buys(tab, '1_50');
  await open.sees('1 spin left', { in: counted });
  await open.keys('{Escape}');
  await open.find('button', 'Promo wheel (1 spin)');
  expect(counts(open)).toEqual([{ spins: 0 }, { spins: 1 }]);

  /** The wheel counts that a page received, as sent over the socket. */
  function counts({ network }: Page): readonly unknown[] {
    return network.texts.filter(({ from }) => from === 'site')
      .map(({ text }) => JSON.parse(text) as unknown[])
      .filter(([name]) => name === 'v3.promo_wheel_count').map(([, payload]) => payload);
  }
});

test('an offer that is bought puts a spin into the vault, whose wheel opens with it [A-091]', async () => {
  const viewer = await shop.site.viewer();
  const before = await openPage(shop.site, viewer, '/account/tokens?prg=nwh');
  await before.find('button', /^Promo wheel/u);
  expect(before.all('button', /^Free wheel/u)).toEqual([]);
  const first = await openPage(shop.site, viewer, '/?prg=nwh');
  await first.press('Get it for $10.99', { in: await first.find('dialog', 'An offer for you') });
  const paid = await pays(first, viewer);
  await paid.press('Done', { in: await paid.find('dialog', 'Payment received') });
  const page = await openPage(shop.site, viewer, '/account/tokens');
  // The spins of both wheels: today's free one, and the vault's.
  await page.find('button', 'Promo wheel (2 spins)');
  expect(await vaultOf()).toEqual({ spins: 1 });
  await page.press('Free wheel (1 spin)');
  const wheel = await page.find('dialog', 'Free vault wheel');
  await page.sees('1 spin left', { in: wheel });
  await page.press('Spin', { in: wheel });
  await wins(page, viewer, wheel, 500);
  expect(await page.find('button', 'Spin', { in: wheel })).toHaveProperty('disabled', true);
  await page.keys('{Escape}');
  await page.gone('button', /^Free wheel/u);
  await page.find('button', 'Promo wheel (1 spin)');
  expect(await vaultOf()).toEqual({ spins: 0 });

  async function vaultOf(): Promise<unknown> {
    return (await viewer.call(getCurrentUser, {})).user.vault_wheel;
  }
});

test('join form 4 leads with a card or PayPal to the biller after sign-up [B-121, B-128]', async () => {
  for (const [button, method] of [['With PayPal', 'paypal'], ['With a card', 'card']] as const) {
    const guest = await shop.site.visitor({ ofAge: true });
    const page = await openPage(shop.site, guest, '/join?join_form=4');
    await page.find('heading', 'Create Free Account');
    await page.find('button', 'With a card');
    expect(await page.problems()).toEqual([]);
    await page.press(button);
    await signsUp(page, `joins_${method}`);
    await leadsToBiller(page, method);
  }
});

test('free access has a card button and a PayPal button, which lead to billers [B-127, B-128]', async () => {
  for (const [button, method] of [['With PayPal', 'paypal'], ['With a card', 'card']] as const) {
    const guest = await shop.site.visitor({ ofAge: true });
    const page = await openPage(shop.site, guest, '/join');
    await page.find('heading', '100% Free Access - Credit Card $0');
    await page.find('button', 'With PayPal');
    await page.press(button);
    await signsUp(page, `joins_free_${method}`);
    await leadsToBiller(page, method);
  }
});

test.each([
  ['100% Free Access - Credit Card $0', '/join'],
  ['Create Free Account', '/join?join_form=4'],
])('%s stores the card where its box is ticked, which it is not at first', async (title, path) => {
  for (const stored of [0, 1]) {
    const guest = await shop.site.visitor({ ofAge: true });
    const page = await openPage(shop.site, guest, path);
    await page.find('heading', title);
    const main = await page.find('main');
    const box = await page.find('checkbox', /Save this card for next time/u, { in: main });
    expect(box).toHaveProperty('checked', false);
    if (stored === 1) await page.click(box);
    expect(await page.problems()).toEqual([]);
    await page.press('With a card', { in: main });
    await signsUp(page, `keeps_${stored}_${path === '/join' ? 'free' : 'account'}`);
    const back = await pays(page, guest);
    await back.find('dialog', 'Payment received');
    expect((await guest.call(listCards, {})).cards).toHaveLength(stored);
  }
});

/** The page opened the `biller_link` of the offer's card or PayPal product, on another site. */
async function leadsToBiller(page: Page, method: 'card' | 'paypal'): Promise<void> {
  await leaves(page);
  const { cc, pp } = await (await shop.site.visitor({ ofAge: true })).call(getJoinOffer, {});
  const [path, query] = ((method === 'card' ? cc : pp)?.biller_link ?? '').split('?');
  expect([path, query]).toEqual(
    method === 'card'
      ? ['/billing/purchase-link/pass_card', 'method=card&biller=ccbill']
      : ['/billing/purchase-link/pass_card', 'method=paypal&biller=segpay'],
  );
  const [asked = ''] = links(page);
  expect(asked).toContain(`${path}?`);
  for (const part of query?.split('&') ?? []) expect(asked).toContain(part);
  const [biller = ''] = page.left;
  const { hostname, pathname, searchParams } = new URL(biller);
  expect(hostname).not.toBe('localhost');
  expect(pathname).toMatch(method === 'card' ? /^\/ccbill\//u : /^\/segpay\//u);
  if (method === 'paypal') expect(searchParams.get('paymenttypes')).toBe('PayPal');
  expect((await fetch(biller)).status).toBe(200);
}

test('the second choice of a promotion is a free pass with a card on file [B-125, B-126]', async () => {
  const guest = await shop.site.visitor({ ofAge: true });
  const page = await openPage(shop.site, guest, '/join?promo=spl');
  await page.find('heading', 'Free Lifetime Access!');
  await page.find('radio', /New Member Special!/u);
  const choices = page.all('radio', undefined, { in: await page.find('main') });
  expect(choices).toHaveLength(2);
  const pass = await page.find('radio', /FREE Lifetime Pass.*Card on file, no charge/u);
  expect(choices[1]).toBe(pass);
  await page.click(pass);
  expect(await page.problems()).toEqual([]);
  await page.press('Redeem offer now');
  await signsUp(page, 'joins_by_promo');
  await leaves(page);
  expect(links(page)[0]).toContain('/purchase-link/pass_card?');
  const back = await pays(page, guest);
  await back.find('dialog', 'Payment received');
  await balanceIs(back, '0');
  const { cards } = await guest.call(listCards, {});
  expect(cards).toHaveLength(1);
  const { orders } = await guest.call(listOrders, {});
  expect(orders.map(({ price, state }) => [price.minor, state])).toEqual([[0, 'paid']]);
  const member = await openPage(shop.site, await shop.site.visitor({ ofAge: true }), '/join?promo=spl');
  await member.press('Redeem offer now', { in: await member.find('main') });
  await signsUp(member, 'joins_by_special');
  await leaves(member);
  expect(links(member)[0]).toContain('/purchase-link/promo_300?');
});

test('whoever has an account is welcomed back to token packs, and can log out [B-122]', async () => {
  const page = await openPage(shop.site, await shop.site.viewer(), '/join?join_form=4');
  await page.find('heading', 'Welcome back');
  const main = await page.find('main');
  for (const pack of [
    /^50 tokens \$5\.00/u,
    /^100 tokens \$10\.00/u,
    /^200 tokens \$20\.00/u,
    /^550 tokens .*\$49\.99/u,
  ]) await page.find('radio', pack, { in: main });
  expect(page.all('radio', /membership/iu, { in: main })).toEqual([]);
  expect(await page.problems()).toEqual([]);
  await page.press(/^200 /u, { role: 'radio', in: main });
  await page.press('Purchase', { in: main });
  await leaves(page);
  expect(links(page)[0]).toContain('/purchase-link/1_200?');
  const again = await openPage(shop.site, await shop.site.viewer(), '/join?join_form=4');
  await again.press('Logout', { in: await again.find('main') });
  await again.find('link', 'Log in');
});

test('who stays keeps the price they joined at, and who left is offered to come back [A-176]', async () => {
  const viewer = await shop.site.viewer();
  const none = await openPage(shop.site, viewer, '/account/tokens');
  await none.sees('You have no membership.', { in: await none.find('region', 'Membership') });
  await shop.buys(viewer, 'membership_premium');
  const admin = await shop.site.admin();
  const { products } = await admin.call(listManagedProducts, {});
  const premium = products.find(({ internal_id: id }) => id === 'membership_premium');
  await admin.call(changeProduct, {
    internal_id: 'membership_premium',
    revision: premium?.revision ?? 0,
    tokens: 100,
    free_tokens: 0,
    price_minor: 2_999,
    currency: 'USD',
    days: 30,
    one_click: true,
    countries: [],
    reason: 'a dearer year',
  });

  const page = await openPage(shop.site, viewer, '/account/tokens');
  const section = await page.find('region', 'Membership');
  await page.sees(/\$19\.99/u, { in: section });
  await page.sees('You keep the price you joined at. New members pay more.', { in: section });
  await page.press('Change', { in: section });
  const dialog = await page.find('dialog', 'Membership');
  await page.sees(/Premium membership for \$19\.99 and keep that price/u, { in: dialog });
  // A membership that somebody has at a lower price is not offered at a higher one.
  await page.until(() => expect(page.all('radio', /VIP membership/u, { in: dialog })).toHaveLength(2));
  expect(page.all('radio', /Premium membership/u, { in: dialog })).toEqual([]);
  expect(await page.problems()).toEqual([]);
  await page.keys('{Escape}');
  await page.gone('dialog');
  await page.press('Cancel membership', { in: section });
  const question = await page.find('dialog');
  await page.sees(/You’ll lose your current price\./u, { in: question });
  expect(await page.problems()).toEqual([]);
  await page.press('Cancel membership', { in: question });
  await page.gone('dialog');
  await page.sees(/Ends on/u, { in: section });
  await shop.settle();
  await shop.site.tx(endMemberships);

  const left = await openPage(shop.site, viewer, '/account/tokens');
  const over = await left.find('region', 'Membership');
  await left.sees(/for less: \$14\.99\./u, { in: over });
  await left.press('See memberships', { in: over });
  const offers = await left.find('dialog', 'Membership');
  const premiumAgain = /Premium membership.*instead of \$29\.99.*\$14\.99/u;
  const again = await left.find('radio', premiumAgain, { in: offers });
  expect(again).toHaveProperty('checked', true);
  await left.sees(/get it back for less: \$14\.99\./u, { in: offers });
  expect(await left.problems()).toEqual([]);
  await left.keys('{Escape}');
  await left.gone('dialog');
  // Returning members get renewals too, so the terms are shown first.
  await left.press('Get it back', { in: over });
  const terms = await left.find('dialog', 'Membership');
  expect(await left.find('radio', premiumAgain, { in: terms })).toHaveProperty('checked', true);
  await left.sees('Then every 30 days', { in: terms });
  expect(left.left).toEqual([]);
  await left.press('Pay $14.99', { in: terms });
  await left.find('dialog', 'Payment received');
});

test('an operator makes a product, sees its cost, sells it, retires it, and is in the log', async () => {
  const page = await openPage(shop.site, await shop.site.admin({ username: 'clerk' }), '/admin/products');
  const products = await outer('Products');
  await page.find('row', /promo_300.*\$14\.01/u, { in: products });
  expect(await page.problems()).toEqual([]);
  await page.press('New product', { in: products });
  const form = await page.find('dialog', 'New product');
  for (const [label, text] of [
    ['ID', 'pack_80'],
    ['Tokens', '80'],
    ['Price', '3.99'],
    ['Reason', 'asked for by viewers'],
  ] as const) await page.fill(label, text, { in: form });
  await page.sees(/\$0\.01/u, { in: form });
  await page.click(await page.find('checkbox', /may cost \$0\.01/u, { in: form }));
  await page.press('Save', { in: form });
  await page.sees(/Raise the price or include fewer tokens/u, { in: form });
  await page.fill('Price', '8.00', { in: form });
  expect(await page.problems()).toEqual([]);
  await page.press('Save', { in: form });
  await page.gone('dialog');
  await page.press('Move pack_80 up', { in: products });
  await answers('before the largest', 'Save');
  const shelf = await shop.site.viewer();
  const sold = async (): Promise<readonly string[]> =>
    (await shelf.call(listProducts, {})).products.credit.map(({ internal_id: id }) => id);
  expect((await sold()).slice(-2)).toEqual(['1_7000', 'pack_80']);
  await page.press('Retire pack_80', { in: products });
  await answers('nobody bought it', 'Retire');
  expect(await sold()).not.toContain('pack_80');
  const log = await outer('Changes');
  await page.find('row', /@clerk.*Product retired.*pack_80.*nobody bought it/u, { in: log });

  /** A section whose table has the same name. */
  function outer(name: string): Promise<HTMLElement> {
    return page.until(() => {
      const [section] = page.all('region', name);
      if (!section) throw new Error(`no section ${name}`);
      return section;
    });
  }

  /** Enters the reason of a change and confirms it. */
  async function answers(reason: string, button: string): Promise<void> {
    const asked = await page.find('dialog');
    await page.fill('Reason', reason, { in: asked });
    await page.press(button, { in: asked });
    await page.gone('dialog');
  }
});
