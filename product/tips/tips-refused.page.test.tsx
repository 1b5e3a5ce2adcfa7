import { buyAtOnce } from '#product/billing/contract.ts';
import { setPostpay } from '#product/billing/contract/credit.ts';
import { listClientReports } from '#product/client-logs/contract.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveTipRules, sendTip } from './contract.ts';

/** The password of every member that the testkit creates. */
const PASSWORD = 'correct horse battery';

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

/** Types an amount in the room and sends the tip. */
async function tips(page: Page, amount: number): Promise<void> {
  const form = await page.find('form', /^Tip /u);
  await page.fill('Tokens', String(amount), { in: form });
  await page.press(`Tip ${amount.toLocaleString('en')}`, { in: form });
}

/** The refusal of a tip by this viewer, as their page receives it. */
const refusalOf = async (viewer: Member, amount: number, to = performer) => {
  const { status, errorType, error } = await viewer.refused(
    sendTip,
    { username: to.username, amount },
    key(),
  );
  return { status, errorType, error };
};

/** Waits until nothing more can open. Returns the open dialogs. */
async function dialogs(page: Page): Promise<readonly HTMLElement[]> {
  await site.passes(2_000);
  await page.idle();
  return page.all('dialog');
}

/** Waits for an error toast: an alert with exactly these words that can be dismissed. */
const errorToast = (page: Page, words: string) =>
  page.until(() => {
    const toasts = page.all('alert').filter((item) => page.all('button', 'Dismiss', { in: item }).length > 0);
    expect(toasts.map((toast) => page.shows(words, { in: toast }))).toEqual([true]);
  });

/** A member with 1,000 tokens and post-pay for up to 1,000 more. */
async function onAccount(): Promise<Member> {
  const viewer = await site.viewer({ tokens: 950 });
  await shop.keeps(viewer);
  await viewer.call(buyAtOnce, { internal_id: '1_50' }, key());
  await shop.settle();
  await site.tx((tx) => site.services.billing.configure(tx, { switches: { postpay: true } }, null));
  await viewer.call(setPostpay, { enabled: true });
  return viewer;
}

/** Opens the room for a post-pay member, and closes the debt dialog, which opens by itself. */
async function roomOnAccount(viewer: Member): Promise<Page> {
  const page = await openRoom(site, viewer, performer);
  await page.find('dialog', 'Pay later');
  await page.keys('{Escape}');
  await page.gone('dialog', 'Pay later');
  return page;
}

describe('a tip from the room', () => {
  test('is 25 tokens unless another amount is typed [A-451, C-409]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const page = await openRoom(site, viewer, performer);
    const form = await page.find('form', /^Tip /u);
    expect(await page.field('Tokens', { in: form })).toHaveProperty('value', '25');
    await page.sees('About $2.50', { in: form });
    await page.press('Tip 25', { in: form });
    await page.sees(/^You tipped .* 25 tokens\.$/u);
    expect(await tokensOf(viewer)).toBe(75);
    expect(await dialogs(page)).toEqual([]);
  });

  test('is sent by members; guests are asked to log in, and nothing is sent [A-308, A-311]', async () => {
    const viewer = await site.viewer({ tokens: 40 });
    const member = await openRoom(site, viewer, performer);
    await tips(member, 30);
    await member.sees(/^You tipped .* 30 tokens\.$/u);
    expect(await tokensOf(viewer)).toBe(10);
    const guest = await site.visitor({ ofAge: true });
    const page = await openRoom(site, guest, performer);
    await tips(page, 30);
    const prompt = await page.find('dialog', 'Log in');
    await page.sees('Log in to tip. You stay in this room.', { in: prompt });
    expect(page.network.sent.filter((sent) => sent.includes('/tip/'))).toEqual([]);
    const attack = await guest.refused(sendTip, { username: performer.username, amount: 30 }, key());
    expect(attack).toMatchObject({ status: 401, errorType: 'not_authenticated' });
  });

  test('asks a guest to log in with what the page of log-in offers [A-033]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const offers = (page: Page, part: HTMLElement): readonly string[] =>
      ['textbox', 'button', 'link'].flatMap((role) => page.all(role, undefined, { in: part }))
        .map((element) => element.getAttribute('name') ?? element.textContent ?? '')
        .filter((text) => !/close/iu.test(text));
    const own = await openPage(site, guest, '/login');
    const ofPage = offers(own, await own.find('main'));
    expect(ofPage).toEqual(expect.arrayContaining(['login', 'Log in', 'Sign up', 'Forgot your password?']));
    await own.field('Password');
    const room = await openRoom(site, guest, performer);
    await tips(room, 25);
    const dialog = await room.find('dialog', 'Log in');
    await room.until(() => expect(offers(room, dialog)).toEqual(expect.arrayContaining([...ofPage])));
    // The dialog opens what the page links to, and can return from there.
    for (const [name, field] of [['Sign up', 'Email'], ['Forgot your password?', /email/iu]] as const) {
      await room.press(name, { in: dialog });
      await room.gone('button', 'Forgot your password?');
      await room.field(field, { in: await room.find('dialog') });
      await room.press(/log.in/iu, { in: await room.find('dialog') });
      await room.find('button', 'Forgot your password?', { in: dialog });
    }
    // The dialog logs in as the page does, and shows the same error for a wrong password.
    const member = await site.viewer({ tokens: 30 });
    await room.fill('Username or email', member.username, { in: dialog });
    await room.fill('Password', 'no such password', { in: dialog });
    await room.press('Log in', { in: dialog });
    await room.until(() =>
      expect(
        room.all('alert', undefined, { in: dialog })
          .map(({ textContent }) => textContent),
      ).toContain('Wrong name or password. Try again.')
    );
    await room.fill('Password', PASSWORD, { in: dialog });
    await room.press('Log in', { in: dialog });
    await room.gone('dialog', 'Log in');
    await tips(room, 25);
    await room.sees(/^You tipped .* 25 tokens\.$/u);
    expect([room.path, await tokensOf(member)]).toEqual([`/${performer.username}`, 5]);
  });
});

describe('a tip that is refused', () => {
  test('does what its error type says, whatever its status is [A-231]', async () => {
    const [viewer, admin] = [await site.viewer({ tokens: 100 }), await site.admin()];
    const page = await openRoom(site, viewer, performer);
    const opens = async (amount: number, title: string): Promise<void> => {
      await tips(page, amount);
      await page.find('dialog', title);
      expect(await dialogs(page)).toHaveLength(1);
      await page.keys('{Escape}');
      await page.gone('dialog', title);
    };
    // 402, 429 and 429 again, 403: a dialog each, or none.
    expect(await refusalOf(viewer, 101)).toMatchObject({ status: 402, errorType: 'not_enough_tokens' });
    await opens(101, 'Not enough tokens');
    await admin.call(saveTipRules, { daily_limit: 20 });
    expect(await refusalOf(viewer, 25)).toMatchObject({ status: 429, errorType: 'over_daily_limit' });
    await opens(25, 'Verify your card');
    await admin.call(saveTipRules, { daily_limit: null });
    await viewer.call(setLimits, { day: 10 });
    expect(await refusalOf(viewer, 25)).toMatchObject({ status: 429, errorType: 'user_daily_limit' });
    await opens(25, 'Your budget');
    await performer.moderates('silence', viewer);
    await page.press('Tip menu');
    const form = await page.find('form', /^Tip /u);
    await page.fill('Message (optional)', 'for you', { in: form });
    await tips(page, 5);
    await page.sees(/^You’re silenced in this room\. Change or remove your comment\./u, { in: form });
    await page.press('Tip menu');
    expect(await dialogs(page)).toEqual([]);
    await tips(page, 5);
    await page.sees(/^You tipped .* 5 tokens\.$/u);
    expect([await dialogs(page), await tokensOf(viewer)]).toEqual([[], 95]);
  });

  test('for lack of tokens opens the purchase of tokens [A-400]', async () => {
    const viewer = await site.viewer({ tokens: 24 });
    const page = await openRoom(site, viewer, performer);
    await tips(page, 25);
    const dialog = await page.find('dialog', 'Not enough tokens');
    await page.find('button', /^Continue to payment/u, { in: dialog });
    expect(page.all('radio', undefined, { in: dialog }).length).toBeGreaterThan(2);
    expect(await tokensOf(viewer)).toBe(24);
  });

  test('for the card of a post-pay account opens the dialog of that card [A-231, A-401]', async () => {
    const viewer = await onAccount();
    await viewer.tips(performer, 1_900);
    const page = await roomOnAccount(viewer);
    expect(await refusalOf(viewer, 200)).toMatchObject({ status: 402, errorType: 'postpay_card_fail' });
    await tips(page, 200);
    const dialog = await page.find('dialog', 'Pay later');
    await page.sees('900 tokens', { in: dialog });
    await page.find('button', 'Pay $90.00 now', { in: dialog });
  });

  test('as not enough tokens, which no card would mend, stops there and says so [A-402]', async () => {
    const viewer = await onAccount();
    const page = await roomOnAccount(viewer);
    expect(await refusalOf(viewer, 2_001))
      .toEqual({ status: 402, errorType: 'postpay_card_fail', error: 'Not enough tokens' });
    await tips(page, 2_001);
    await page.sees('Not enough tokens', { in: await page.find('form', /^Tip /u) });
    expect(await dialogs(page)).toEqual([]);
    expect(await tokensOf(viewer)).toBe(1_000);
  });

  test('above what the operator allows in a day opens the check of the card [A-403, A-085]', async () => {
    const admin = await site.admin();
    await admin.call(saveTipRules, { daily_limit: 20 });
    const viewer = await site.viewer({ tokens: 100 });
    expect(await refusalOf(viewer, 21)).toMatchObject({ status: 429, errorType: 'over_daily_limit' });
    const page = await openRoom(site, viewer, performer);
    await tips(page, 25);
    const verify = await page.find('dialog', 'Verify your card');
    await page.sees(/more than you can spend in one day/u, { in: verify });
    await page.sees(/Resets/u, { in: verify });
    expect(await tokensOf(viewer)).toBe(100);
    await page.click(page.all('link', undefined, { in: verify })[0] as HTMLElement);
    await page.until(() => expect(page.path).toBe('/account/verify?type=rocketgate'));
    await admin.call(saveTipRules, { daily_limit: null });
  });

  test('above the person\'s own limit of a day opens the low limit [A-404]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    await viewer.call(setLimits, { day: 10 });
    expect(await refusalOf(viewer, 11)).toMatchObject({ status: 429, errorType: 'user_daily_limit' });
    const page = await openRoom(site, viewer, performer);
    await tips(page, 25);
    await page.sees('10 tokens', { in: await page.find('dialog', 'Your budget') });
    expect(await tokensOf(viewer)).toBe(100);
  });

  test('an error toast with a title is reported with all it says, and admins read it [A-364]', async () => {
    const [viewer, other] = [await site.viewer({ tokens: 100 }), await site.performer({ live: true })];
    const page = await openRoom(site, viewer, other);
    await site.anotherTabOf(other, { region: 'SE' });
    await tips(page, 25);
    const content = 'Tipping Unavailable: You can’t tip this performer from your location.';
    await errorToast(page, content);
    const sent = (): string[] =>
      page.network.sent.filter((text) => text.startsWith('POST /api/v1/log/react-toast '));
    await page.until(() => expect(sent()).toHaveLength(1));
    expect(JSON.parse(sent()[0]?.slice('POST /api/v1/log/react-toast '.length) ?? '')).toEqual({
      appearance: 'error',
      content,
      title: 'Tipping Unavailable',
      url: `http://localhost/${other.username}`,
    });
    await page.idle();
    const { reports } = await (await site.admin()).call(listClientReports, { kind: 'toast' });
    expect(reports).toContainEqual(expect.objectContaining({
      kind: 'toast',
      message: content,
      detail: 'error: Tipping Unavailable',
      page: '/:username',
      count: 1,
    }));
  });

  test.each(
    [
      [
        'of the performer, says that tipping is unavailable [A-231, A-405]',
        'receiver',
        'You can’t tip this performer from your location.',
      ],
      [
        'of the viewer, says that tipping is unavailable [A-233, A-406]',
        'sender',
        'Purchasing and tipping are disabled in your country.',
      ],
    ] as const,
  )('for the country %s', async (_title, side, why) => {
    const [viewer, other] = [await site.viewer({ tokens: 100 }), await site.performer({ live: true })];
    const page = await openRoom(site, viewer, other);
    // The last log-in counts, regardless of the tab that tips.
    await site.anotherTabOf(side === 'sender' ? viewer : other, { region: 'SE' });
    expect(await refusalOf(viewer, 25, other))
      .toEqual({ status: 403, errorType: `tip_geo_block_${side}`, error: why });
    await tips(page, 25);
    await errorToast(page, `Tipping Unavailable: ${why}`);
    expect(await dialogs(page)).toEqual([]);
    expect(await tokensOf(viewer)).toBe(100);
    await site.anotherTabOf(side === 'sender' ? viewer : other);
    await tips(page, 25);
    await page.sees(/^You tipped .* 25 tokens\.$/u);
  });
});
