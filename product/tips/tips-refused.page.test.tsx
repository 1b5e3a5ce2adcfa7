import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createShop, type Shop } from '../testkit/payments/payments.ts';
import type { Member, TestSite } from '../testkit/site.ts';
import { saveTipRules, sendTip } from './contract.ts';

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

/** Types a tip in the room and sends it. */
async function tips(page: Page, amount: number): Promise<void> {
  const form = await page.find('form', /^Tip /u);
  await page.fill('Tokens', String(amount), { in: form });
  await page.press(`Tip ${amount}`, { in: form });
}

const balanceOf = (member: Member): Promise<number> =>
  site.tx((tx) => site.services.ledger.balance(tx, member.id));

describe('a tip from the room', () => {
  test('is 25 tokens unless another amount is typed [A-451, C-409]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const page = await openRoom(site, viewer, performer);
    const form = await page.find('form', /^Tip /u);
    expect(await page.field('Tokens', { in: form })).toHaveProperty('value', '25');
    await page.press('Tip 25', { in: form });
    await page.sees(/^You tipped .* 25 tokens\.$/u);
    expect(await balanceOf(viewer)).toBe(75);
  });

  test('is sent by members; guests are asked to log in, and nothing is sent [A-308, A-311]', async () => {
    const viewer = await site.viewer({ tokens: 40 });
    const member = await openRoom(site, viewer, performer);
    await tips(member, 30);
    await member.sees(/^You tipped .* 30 tokens\.$/u);
    expect(await balanceOf(viewer)).toBe(10);
    const guest = await site.visitor({ ofAge: true });
    const page = await openRoom(site, guest, performer);
    await tips(page, 30);
    const prompt = await page.find('dialog', 'Log in');
    await page.sees('Log in to tip. You stay in this room.', { in: prompt });
    expect(page.network.sent.filter((sent) => sent.includes('/tip/'))).toEqual([]);
    const attack = await guest.refused(sendTip, { username: performer.username, amount: 30 });
    expect(attack).toMatchObject({ status: 401, errorType: 'not_authenticated' });
  });

  test('asks a guest to log in with what the page of log-in offers [A-033]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const offers = (page: Page, part: HTMLElement): readonly string[] =>
      ['textbox', 'button', 'link'].flatMap((role) => page.all(role, undefined, { in: part }))
        .map((element) => element.getAttribute('name') ?? element.textContent ?? '')
        .filter((text) => !/close|sign up/iu.test(text));
    const own = await openPage(site, guest, '/login');
    const ofPage = offers(own, await own.find('main'));
    expect(ofPage).toEqual(expect.arrayContaining(['login', 'Log in']));
    const room = await openRoom(site, guest, performer);
    await tips(room, 25);
    const dialog = await room.find('dialog', 'Log in');
    await room.until(() => expect(offers(room, dialog)).toEqual(expect.arrayContaining([...ofPage])));
  });
});

describe('a tip that is refused', () => {
  test('for the card of a post-pay account opens the dialog of that card [A-401]', async () => {
    const viewer = await site.viewer({ tokens: 10 });
    await site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, 100));
    await viewer.tips(performer, 90);
    const page = await openRoom(site, viewer, performer);
    await tips(page, 50);
    await page.find('dialog', 'Pay later');
  });

  test('as not enough tokens, with or without a card, stops there and says so [A-402]', async () => {
    const viewer = await site.viewer({ tokens: 10 });
    await site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, 100));
    const page = await openRoom(site, viewer, performer);
    await tips(page, 111);
    await page.sees('Not enough tokens', { in: await page.find('form', /^Tip /u) });
    expect(page.all('dialog')).toEqual([]);
    expect(await balanceOf(viewer)).toBe(10);
  });

  test('above what the operator allows in a day opens the check of the card [A-403, A-085]', async () => {
    const admin = await site.admin();
    await admin.call(saveTipRules, { daily_limit: 20 });
    const viewer = await site.viewer({ tokens: 100 });
    const page = await openRoom(site, viewer, performer);
    await tips(page, 25);
    const verify = await page.find('dialog', 'Verify your card');
    await page.sees(/more than you can spend in one day/u, { in: verify });
    await page.sees(/Resets/u, { in: verify });
    expect(await balanceOf(viewer)).toBe(100);
    await admin.call(saveTipRules, { daily_limit: null });
  });

  test('above the person\'s own limit of a day opens the low limit [A-404]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    await site.tx((tx) => site.services.ledger.setBudgets(tx, viewer.id, { day: 10 }));
    const page = await openRoom(site, viewer, performer);
    await tips(page, 25);
    await page.sees('10 tokens', { in: await page.find('dialog', 'Your budget') });
    expect(await balanceOf(viewer)).toBe(100);
  });

  test.each([
    ['of the performer, says that tipping is unavailable [A-405]', 'receiver'],
    ['of the viewer, says that tipping is unavailable [A-406]', 'sender'],
  ] as const)('for the country %s', async (_title, side) => {
    const [viewer, other] = [await site.viewer({ tokens: 100 }), await site.performer({ live: true })];
    const page = await openRoom(site, viewer, other);
    // The last log-in counts, whichever tab tips.
    await site.anotherTabOf(side === 'sender' ? viewer : other, { region: 'SE' });
    await tips(page, 25);
    await page.sees(/^Tipping Unavailable: /u, { in: await page.find('alert') });
    expect(page.all('dialog')).toEqual([]);
    expect(await balanceOf(viewer)).toBe(100);
  });
});
