import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cardNumberFor } from '../../platform/payments/simulators/checkout/test-cards.ts';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createShop, type Shop } from '../testkit/payments/payments.ts';
import { key } from '../testkit/payments/wallet.ts';
import type { Member } from '../testkit/site.ts';
import type { Visitor } from '../testkit/visitor.ts';
import { buyAtOnce } from './contract.ts';
import type { BillingSettings } from './rules.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
let performer: Member;
beforeAll(async () => {
  shop = await createShop();
  performer = await shop.site.performer({ live: true });
});
afterAll(() => shop.close());

const switches = (on: Partial<BillingSettings['switches']>): Promise<void> =>
  shop.site.tx((tx) => shop.site.services.billing.configure(tx, { switches: on }, null));

/** Presses the balance in the header, which leads to tokens. */
const wantsTokens = async (page: Page): Promise<void> =>
  page.press(/Get tokens$/u, { in: await page.find('banner') });

/** Opens the purchase dialog from the header and waits for its products. */
async function opensPurchase(page: Page): Promise<HTMLElement> {
  await wantsTokens(page);
  const dialog = await page.find('dialog', 'Get tokens');
  await page.until(() => expect(page.all('radio', undefined, { in: dialog }).length).toBeGreaterThan(2));
  return dialog;
}

/** Goes to the page of the biller that this page led to, pays there, and is sent back. */
async function paysAtBiller(page: Page, visitor: Visitor): Promise<Page> {
  await page.until(() => expect(page.left).toHaveLength(1));
  const { pathname, search } = new URL(await shop.types(page.left[0] ?? ''));
  expect(search).toContain('ans=');
  await shop.settle();
  return openPage(shop.site, visitor, pathname + search);
}

const balanceIs = (page: Page, tokens: string): Promise<HTMLElement> =>
  page.find('button', new RegExp(`^${tokens} tokens.*Get tokens$`, 'u'));

/** Types a tip in a room and sends it. */
async function tips(page: Page, amount: string): Promise<void> {
  const form = await page.find('form', /^Tip /u);
  await page.fill('Tokens', amount, { in: form });
  await page.press(`Tip ${amount}`, { in: form });
}

describe('getting tokens', () => {
  test('a dialog offers the products, and sells on the page of the biller [A-079, A-237]', async () => {
    const viewer = await shop.site.viewer();
    const page = await openPage(shop.site, viewer, '/');
    const dialog = await opensPurchase(page);
    for (const name of [
      /^50 /u, /^100 /u, /^200 /u, /^550 /u,
    ]) await page.find('radio', name, { in: dialog });
    expect(await page.problems()).toEqual([]);
    await page.press(/^550 /u, { role: 'radio', in: dialog });
    await page.press('Continue to payment · $49.99', { in: dialog });
    await page.until(() => expect(page.left).toHaveLength(1));
    expect(
      page.network.sent.some((sent) => sent.startsWith('GET /api/v1/billing/purchase-link/1_550')),
    ).toBe(true);
  });

  test('who returns from the biller sees what was bought [A-082, A-247]', async () => {
    const viewer = await shop.site.viewer({ tokens: 1_000 });
    const first = await openPage(shop.site, viewer, '/');
    const dialog = await opensPurchase(first);
    await first.press(/^550 /u, { role: 'radio', in: dialog });
    await first.press(/^Continue to payment/u, { in: dialog });
    const page = await paysAtBiller(first, viewer);
    const thanks = await page.find('dialog', 'Payment received');
    await page.sees('550 tokens', { in: thanks });
    await page.press('Done', { in: thanks });
    await balanceIs(page, '1,550');
  });

  test('a failed payment says why [A-083, A-248]', async () => {
    const viewer = await shop.site.viewer();
    const { returned } = await shop.buys(viewer, '1_100', { decline: 'NEXPIRED', biller: 'rocketgate' });
    expect(returned).toContain('ans=N');
    const { pathname, search } = new URL(returned);
    const page = await openPage(shop.site, viewer, pathname + search);
    const failed = await page.find('dialog', 'Payment failed');
    await page.sees('Code NEXPIRED', { in: failed });
    await page.sees(/bank declined/u, { in: failed });
    await balanceIs(page, '0');
  });

  test('the answer is cleared from the address once it was read, paid or declined [A-249]', async () => {
    for (const decline of [null, 'NEXPIRED'] as const) {
      const viewer = await shop.site.viewer();
      const { returned } = await shop.buys(viewer, '1_100', { decline, biller: 'rocketgate' });
      const { pathname, search } = new URL(returned);
      const page = await openPage(shop.site, viewer, pathname + search);
      await page.find('dialog', decline ? 'Payment failed' : 'Payment received');
      await page.until(() => expect(page.path).toBe(pathname));
    }
  });

  test('members buy; guests are asked for an account instead [A-310]', async () => {
    const viewer = await shop.site.viewer();
    await shop.buys(viewer, '1_100');
    await balanceIs(await openPage(shop.site, viewer, '/'), '100');
    const guest = await shop.site.visitor({ ofAge: true });
    const refused = await guest.request({ url: '/api/v1/billing/purchase-link/1_100' });
    expect([refused.statusCode, refused.json().errorType]).toEqual([401, 'not_authenticated']);
  });

  test('who performs is sent to a page that sells nothing [A-034, A-236]', async () => {
    const waiting = await shop.site.viewer();
    await shop.site.handsInPapers(waiting);
    for (const [who, why] of [
      [waiting, /^We’re still reviewing your identity documents\./u],
      [await shop.site.performer(), /^Performers earn tokens and can’t buy any\./u],
    ] as const) {
      const page = await openPage(shop.site, who, '/');
      await wantsTokens(page);
      await page.until(() => expect(page.path).toBe('/account/tokens'));
      const main = await page.find('main');
      await page.sees(why, { in: main });
      expect([page.all('dialog'), page.all('button', /tokens|Turn on/u, { in: main })]).toEqual([[], []]);
    }
  });
});

describe('a saved card', () => {
  test('pays at one click: the link is posted, and the payment shown [A-240, A-243]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/');
    const dialog = await opensPurchase(page);
    await page.press(/^200 /u, { role: 'radio', in: dialog });
    await page.press('Pay $20.00', { in: dialog });
    await page.sees('200 tokens', { in: await page.find('dialog', 'Payment received') });
    expect(
      page.network.sent.filter((sent) => sent.startsWith('POST /api/v1/billing/oneclick/1_200')),
    ).toHaveLength(1);
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
    const release = page.network.holds(/oneclick/u);
    await page.click(pay);
    await page.until(() => expect(pay.getAttribute('aria-busy')).toBe('true'));
    page.network.goesDown(true);
    release();
    await page.sees('Error purchasing product, if this persists, please contact support.', { in: dialog });
    expect(pay.getAttribute('aria-busy')).toBeNull();
  });

  test('is tried again without the error of the last time [A-242]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/', { mayPrint: /Failed to fetch/u });
    const dialog = await opensPurchase(page);
    const error = 'Error purchasing product, if this persists, please contact support.';
    page.network.goesDown(true);
    await page.press(/^Pay \$/u, { in: dialog });
    await page.sees(error, { in: dialog });
    page.network.goesDown(false);
    const release = page.network.holds(/oneclick/u);
    await page.press(/^Pay \$/u, { in: dialog });
    await page.until(() => expect(page.shows(error)).toBe(false));
    release();
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
    await page.sees(words, { in: await page.find('dialog', 'Payment Declined') });
    await page.keys('{Escape}');
    await page.gone('dialog', 'Payment Declined');
    const section = await page.find('region', 'Auto re-up');
    await page.press(new RegExp(cardNumberFor('VERIFY').slice(-4), 'u'), { role: 'radio', in: section });
    await page.fill('When my balance falls below', '990', { in: section });
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    await viewer.tips(performer, 50);
    await page.sees(words, { in: await page.find('dialog', 'Payment Declined') });
  });

  test('fills up a falling balance once that is confirmed, and says so [A-408, A-382]', async () => {
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
    await page.sees('Auto re-up successful! 50 tokens added to your balance');
    await balanceIs(page, '250');
    await page.press('Turn off', { in: section });
    await page.sees('Off', { in: section });
  });

  test('comes in a tab at the foot of a phone, and no dialog [A-238]', async () => {
    const viewer = await shop.site.viewer();
    await shop.keeps(viewer);
    const page = await openPage(shop.site, viewer, '/', { width: 390 });
    await wantsTokens(page);
    const tab = await page.find('region', 'Get tokens');
    await page.sees(/One tap charges/u, { in: tab });
    for (const pack of [
      /^50 tokens/u, /^100 tokens/u, /^200 tokens/u,
    ]) await page.find('button', pack, { in: tab });
    expect(page.all('button', /^\d+ tokens/u, { in: tab })).toHaveLength(3);
    expect(page.all('dialog')).toEqual([]);
    await page.until(() => expect(page.focused).toBe(tab));
    expect(await page.problems()).toEqual([]);
    await page.press('More ways to pay', { in: tab });
    await page.find('dialog', 'Get tokens');
  });
});

describe('too few tokens', () => {
  test('show what would be enough [A-487, C-405]', async () => {
    const viewer = await shop.site.viewer({ tokens: 10 });
    const page = await openRoom(shop.site, viewer, performer);
    await tips(page, '25');
    const low = await page.find('dialog', 'Not enough tokens');
    // The only product of 200 or 210 tokens that is no membership.
    expect(await page.find('radio', /^200 .*Suggested/u, { in: low })).toHaveProperty('checked', true);
    expect(page.all('radio', /Suggested/u, { in: low })).toHaveLength(1);
    expect(await page.problems()).toEqual([]);
  });

  test('and the membership dialog marks the own one and the next above [A-087]', async () => {
    const viewer = await shop.site.viewer();
    const page = await openPage(shop.site, viewer, '/account/tokens');
    await page.press('See memberships', { in: await page.find('region', 'Membership') });
    const modal = await page.find('dialog', 'Membership');
    await page.until(() => expect(page.all('radio', undefined, { in: modal })).toHaveLength(3));
    await page.press('Continue to payment · $19.99', { in: modal });
    const back = await paysAtBiller(page, viewer);
    await back.press('Done', { in: await back.find('dialog', 'Payment received') });
    const section = await back.find('region', 'Membership');
    await back.sees('Premium membership', { in: section });
    await back.press('Change', { in: section });
    const again = await back.find('dialog', 'Membership');
    await back.sees('Current', { in: again });
    expect(await back.find('radio', /^VIP/u, { in: again })).toHaveProperty('checked', true);
    await back.press(/^Pay \$|^Continue to payment/u, { in: again });
    const vip = back.left.length > 0 ? await paysAtBiller(back, viewer) : back;
    await vip.press('Done', { in: await vip.find('dialog', 'Payment received') });
    await vip.sees('VIP membership', { in: await vip.find('region', 'Membership') });
  });

  test('a budget that is reached stops a tip and says what is left of it [A-086]', async () => {
    const viewer = await shop.site.viewer({ tokens: 100 });
    await shop.site.tx((tx) => shop.site.services.ledger.setBudgets(tx, viewer.id, { day: 10 }));
    const page = await openRoom(shop.site, viewer, performer);
    await tips(page, '25');
    const limit = await page.find('dialog', 'Your budget');
    await page.find('heading', 'Today', { in: limit });
    await page.sees('10 tokens', { in: limit });
    await balanceIs(page, '100');
  });

  test('a country without sales reads that nothing can be bought [A-443, A-232]', async () => {
    const viewer = await shop.site.viewer({ region: 'SE' });
    const page = await openPage(shop.site, viewer, '/');
    await wantsTokens(page);
    const notice = await page.find('dialog', 'Buying and tipping are disabled');
    await page.sees(/purchasing and tipping are disabled/u, { in: notice });
  });
});

describe('spending on account', () => {
  /** A member who pays later, and owes this much. */
  async function owes(tokens: number): Promise<Member> {
    const viewer = await shop.site.viewer({ tokens: 950 });
    await shop.keeps(viewer);
    await viewer.call(buyAtOnce, { internal_id: '1_50' }, key());
    await shop.settle();
    await switches({ postpay: true });
    const page = await openPage(shop.site, viewer, '/account/tokens');
    const section = await page.find('region', 'Pay later');
    await page.click(await page.find('checkbox', undefined, { in: section }));
    await page.press('Turn on', { in: section });
    await page.sees('On', { in: section });
    await viewer.tips(performer, 1_000 + tokens);
    return viewer;
  }

  test('is paid from a modal that members on account see [A-234, A-270]', async () => {
    const viewer = await owes(100);
    const page = await openPage(shop.site, viewer, '/');
    const modal = await page.find('dialog', 'Pay later');
    await page.sees('100 tokens', { in: modal });
    expect(await page.problems()).toEqual([]);
    await page.press('Pay $10.00 now', { in: modal });
    await page.find('dialog', 'Payment received');
    await page.press('Done');
    await wantsTokens(page);
    await page.sees('You don’t owe anything.', { in: await page.find('dialog', 'Pay later') });
    const other = await openPage(shop.site, await shop.site.viewer(), '/');
    await balanceIs(other, '0');
    expect(other.all('dialog')).toEqual([]);
  });

  test('is not asked for again in the same browser [A-271]', async () => {
    const viewer = await owes(100);
    const first = await openPage(shop.site, viewer, '/');
    await first.find('dialog', 'Pay later');
    await first.keys('{Escape}');
    await first.gone('dialog', 'Pay later');
    const again = await openPage(shop.site, viewer, '/');
    await balanceIs(again, '0');
    await shop.site.passes(2_000);
    await again.idle();
    expect(again.all('dialog')).toEqual([]);
    const other = await openPage(shop.site, await shop.site.anotherTabOf(viewer), '/');
    await other.find('dialog', 'Pay later');
  });

  test('asks for the card where the limit of the account is reached [A-084]', async () => {
    const viewer = await owes(900);
    const page = await openRoom(shop.site, viewer, performer);
    await page.find('dialog', 'Pay later');
    await page.keys('{Escape}');
    await tips(page, '200');
    await page.sees('900 tokens', { in: await page.find('dialog', 'Pay later') });
  });
});
