import { actionBar } from '#product/testkit/pages/look/action-bar.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { wantsTokens } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { privatePerformer } from '#product/testkit/shows/private-show.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let shop: Shop;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  performer = await privatePerformer(shop.site, { pricePerMinuteInToken: 45 });
});
afterAll(() => shop.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
const PRICES = [
  '50 tokens$5.00',
  '100 tokens$10.00',
  '200 tokens$20.00',
  '550 tokens$49.99',
  '1,200 tokens$99.99',
  '2,600 tokens$199.99',
  '7,000 tokens$499.99',
];

/** What tokens cost, as a dialog lists it. */
async function pricesIn(page: Page, dialog: HTMLElement): Promise<string[]> {
  const prices = await page.find('region', 'What tokens cost', { in: dialog });
  return page.all('listitem', undefined, { in: prices }).map(textOf);
}

async function opens(): Promise<Page> {
  return openRoom(shop.site, await shop.site.visitor({ ofAge: true }), performer);
}

/** Logs in with the form of a dialog. */
async function logsIn(page: Page, dialog: HTMLElement, { username }: Member): Promise<void> {
  await page.fill('Username or email', username, { in: dialog });
  await page.fill('Password', 'correct horse battery', { in: dialog });
  await page.press('Log in', { in: dialog });
}

describe('a guest in a room', () => {
  test('reads what a tip is in money, and a minute of a private show in tokens', async () => {
    const page = await opens();
    const bar = await actionBar(page);
    await page.sees('About $2.50', { in: bar });
    await page.fill('Tokens', '1234', { in: bar });
    await page.sees('About $123.40', { in: bar });
    const ask = await page.find('button', 'Ask for a private show', { in: bar });
    const price = document.getElementById(ask.getAttribute('aria-describedby') ?? '');
    expect(textOf(price!)).toBe('45 tokens per minute');
  });

  test('who tips reads what tokens cost, signs up or logs in, and is in the room again', async () => {
    const page = await opens();
    await page.press('Tip 25', { in: await actionBar(page) });
    const login = await page.find('dialog', 'Log in');
    await page.sees('Log in to tip. You stay in this room.', { in: login });
    expect(await pricesIn(page, login)).toEqual(PRICES);
    await page.press('Sign up', { in: login });
    const form = await page.find('dialog', 'Sign up');
    expect(await pricesIn(page, form)).toEqual(PRICES);
    expect(await page.problems()).toEqual([]);
    await page.press('Log in', { in: form });
    const again = await page.find('dialog', 'Log in');
    await logsIn(page, again, await shop.site.viewer({ tokens: 40 }));
    await page.gone('dialog', 'Log in');
    await page.find('button', /^40 tokens/u);
    expect(page.path).toBe(`/${performer.username}`);
    // Nothing was sent before they saw that they are logged in.
    await page.press('Tip 25', { in: await actionBar(page) });
    await page.find('button', /^15 tokens/u);
  });

  test('who wants tokens reads what they cost, and buys them in the room', async () => {
    const page = await opens();
    await wantsTokens(page);
    const form = await page.find('dialog', 'Sign up');
    await page.sees('Sign up to get tokens. It’s free.', { in: form });
    expect(await pricesIn(page, form)).toEqual(PRICES);
    await page.press('Log in', { in: form });
    const login = await page.find('dialog', 'Log in');
    expect(await pricesIn(page, login)).toEqual(PRICES);
    await logsIn(page, login, await shop.site.viewer());
    await page.find('radio', /^200 .*\$20\.00/u, { in: await page.find('dialog', 'Get tokens') });
    expect(page.path).toBe(`/${performer.username}`);
  });

  test('who chats or asks for a show is asked to log in, without prices', async () => {
    const page = await opens();
    await page.press('Ask for a private show', { in: await actionBar(page) });
    const login = await page.find('dialog', 'Log in');
    await page.sees('Log in to ask for a private show. You stay in this room.', { in: login });
    await page.idle();
    expect(page.all('region', 'What tokens cost', { in: login })).toEqual([]);
    await page.press('Sign up', { in: login });
    await page.field('Email', { in: await page.find('dialog', 'Sign up') });
  });
});

test('nothing went wrong on the server', () => expect(shop.site.log).toEqual([]));
