import { DAY_MS } from '#platform/time/units.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { balanceIs, opensPurchase, settles, wantsTokens } from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buyAtOnce } from './contract.ts';
import { listCards } from './contract/cards.ts';
import { setPostpay } from './contract/credit.ts';
import { createProduct } from './contract/operator.ts';
import type { BillingSettings } from './rules.ts';
import { DEFAULT_PRODUCTS } from './rules/products.ts';

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

/** Types a tip in a room and sends it. */
async function tips(page: Page, amount: string): Promise<void> {
  const form = await page.find('form', /^Tip /u);
  await page.fill('Tokens', amount, { in: form });
  await page.press(`Tip ${amount}`, { in: form });
}

describe('too few tokens', () => {
  test('show what would be enough [A-487, C-405]', async () => {
    const viewer = await shop.site.viewer({ tokens: 10 });
    const page = await openRoom(shop.site, viewer, performer);
    await tips(page, '25');
    const low = await page.find('dialog', 'Not enough tokens');
    // The only non-membership product of 200 or 210 tokens; the smallest sufficient one is selected.
    await page.find('radio', /^200 .*Suggested/u, { in: low });
    expect(page.all('radio', /Suggested/u, { in: low })).toHaveLength(1);
    expect(await page.find('radio', /^50 .*Enough for this/u, { in: low })).toHaveProperty('checked', true);
    expect(await page.problems()).toEqual([]);
  });

  test('highlight packs of 200 or 210 tokens, and no membership of as many [A-486, C-405]', async () => {
    const admin = await shop.site.admin();
    const common = { free_tokens: 0, currency: 'USD', one_click: true, countries: [], reason: 'a test' };
    for (const tokens of [199, 201, 209, 210, 211]) {
      await admin.call(createProduct, {
        ...common,
        internal_id: `pack_${tokens}`,
        kind: 'pack',
        membership: null,
        tokens,
        price_minor: tokens * 10,
        days: null,
      });
    }
    for (const tokens of [200, 210]) {
      await admin.call(createProduct, {
        ...common,
        internal_id: `membership_${tokens}`,
        kind: 'membership',
        membership: 'premium',
        tokens,
        price_minor: tokens * 10,
        days: 30,
      });
    }
    const page = await openRoom(shop.site, await shop.site.viewer({ tokens: 10 }), performer);
    await tips(page, '25');
    const low = await page.find('dialog', 'Not enough tokens');
    for (const tokens of [200, 210]) {
      await page.find('radio', new RegExp(`^${tokens} .*Suggested`, 'u'), { in: low });
      const name = new RegExp(`^Premium membership.* ${tokens} tokens`, 'u');
      const membership = await page.find('radio', name, { in: low });
      expect(membership.closest('label')?.textContent).not.toContain('Suggested');
    }
    expect(page.all('radio', undefined, { in: low })).toHaveLength(17);
    expect(page.all('radio', /Suggested/u, { in: low })).toHaveLength(2);
    await shop.site.tx((tx) => shop.site.services.billing.sell(tx, DEFAULT_PRODUCTS, null));
  });

  test('a budget that is reached stops a tip and says what is left of it [A-086]', async () => {
    const viewer = await shop.site.viewer({ tokens: 100 });
    await viewer.call(setLimits, { day: 30 });
    const page = await openRoom(shop.site, viewer, performer);
    await tips(page, '10');
    await balanceIs(page, '90');
    expect(page.all('dialog')).toEqual([]);
    await tips(page, '25');
    const limit = await page.find('dialog', 'Your budget');
    await page.find('heading', 'Today', { in: limit });
    const facts = limit.querySelector('dl')?.textContent ?? '';
    expect(facts).toMatch(/Spent10.*Limit30.*Left20.*Resets/u);
    await expect(viewer.tips(performer, 25)).rejects
      .toMatchObject({ problem: { status: 429, errorType: 'user_daily_limit' } });
    await balanceIs(page, '90');
  });
});

describe('spending on account', () => {
  /** A member on post-pay who owes this much. */
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
    page.leave();
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
    // It also opens automatically for members who owe nothing.
    page.leave();
    viewer.storage.local.clear();
    const paid = await openPage(shop.site, viewer, '/');
    await paid.sees('You don’t owe anything.', { in: await paid.find('dialog', 'Pay later') });
    // Members without post-pay, and guests, see nothing of it.
    const other = await openPage(shop.site, await shop.site.viewer(), '/');
    await balanceIs(other, '0');
    await settles(shop, other);
    expect(other.all('dialog')).toEqual([]);
    await opensPurchase(other);
    const guest = await openPage(shop.site, await shop.site.visitor({ ofAge: true }), '/');
    await guest.find('button', 'Get tokens', { in: await guest.find('banner') });
    await settles(shop, guest);
    expect(guest.all('dialog')).toEqual([]);
  });

  test('leads from the email about a failed charge to a page that settles it [A-371]', async () => {
    const viewer = await shop.site.viewer({ tokens: 950 });
    await shop.keeps(viewer);
    await viewer.call(buyAtOnce, { internal_id: '1_50' }, key());
    await switches({ postpay: true });
    const cardId = await shop.keeps(viewer, 'NDECLINEDINSFUNDS');
    await viewer.call(setPostpay, { enabled: true, cardId });
    await viewer.tips(performer, 1_100);
    const admin = await shop.site.admin();
    const mails = async () =>
      (await admin.call(listOutbox, {})).mails
        .filter(({ to, kind }) => to === viewer.person.email && kind === 'billing:mails.postpayFailed');
    expect(await mails()).toEqual([]);
    await shop.passes(DAY_MS);
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    const [link = '', ...further] = mail?.text.match(/https?:\S+/gu) ?? [];
    expect([link, further]).toEqual(['http://localhost/api/v1/billing/postpay_decline', []]);
    // Follows the link as the person's browser does; without a log-in, it asks for one first.
    const follows = async (who: Visitor): Promise<Page> => {
      const { statusCode, headers } = await who.request({ url: new URL(link).pathname });
      expect(statusCode).toBe(302);
      return openPage(shop.site, who, String(headers.location));
    };
    const guest = await follows(await shop.site.visitor({ ofAge: true }));
    await guest.until(() => expect(guest.path).toBe('/login?next=%2Faccount%2Ftokens%3Fpostpay%3Ddeclined'));
    const page = await follows(viewer);
    // Opened automatically, once per browser.
    await page.find('dialog', 'Pay later');
    await page.keys('{Escape}');
    await page.gone('dialog', 'Pay later');
    const notice = await page.find('region', 'Your Pay later payment failed');
    await page.sees(/^Your card couldn’t be charged .* You owe \$10\.00\.$/u, { in: notice });
    expect(await page.problems()).toEqual([]);
    await page.press('Pay what you owe', { in: notice });
    const modal = await page.find('dialog', 'Pay later');
    const { cards } = await viewer.call(listCards, {});
    const paying = cards.find(({ id }) => id !== cardId);
    await page.press(new RegExp(`ending in ${String(paying?.last4)}`, 'u'), { role: 'radio', in: modal });
    await page.press('Pay $10.00 now', { in: modal });
    await page.find('dialog', 'Payment received');
    await page.press('Done');
    await page.sees('You don’t owe anything for Pay later.', {
      in: await page.find('region', 'Nothing left to pay'),
    });
    expect(page.all('region', 'Your Pay later payment failed')).toEqual([]);
    // Nobody else sees the notice, and its owner only after the redirect.
    const plain = await openPage(shop.site, viewer, '/account/tokens');
    await plain.find('region', 'Pay later');
    expect(plain.all('region', 'Nothing left to pay')).toEqual([]);
  });

  test('is not asked for again in the same browser [A-271]', async () => {
    const viewer = await owes(100);
    const asksNobody = async (who: Member, path = '/'): Promise<void> => {
      const again = await openPage(shop.site, who, path);
      await balanceIs(again, '0');
      await settles(shop, again);
      expect(again.all('dialog')).toEqual([]);
      again.leave();
    };
    // Being shown is enough; nobody closed it.
    await (await openPage(shop.site, viewer, '/')).find('dialog', 'Pay later');
    // Neither in the tab, nor in another one of the browser.
    await asksNobody(viewer);
    viewer.storage.session.clear();
    await asksNobody(viewer, `/${performer.username}`);
    // Nor to another person in the same browser.
    const next = await owes(100);
    for (const [name, value] of viewer.storage.local) next.storage.local.set(name, value);
    await asksNobody(next);
    const elsewhere = await shop.site.anotherTabOf(viewer);
    const other = await openPage(shop.site, elsewhere, '/');
    await other.find('dialog', 'Pay later');
    await other.keys('{Escape}');
    await other.gone('dialog', 'Pay later');
    await asksNobody(elsewhere);
  });

  test('asks for the card where the limit of the account is reached [A-084]', async () => {
    const viewer = await owes(900);
    const page = await openRoom(shop.site, viewer, performer);
    const closes = async (): Promise<void> => {
      await page.sees('900 tokens', { in: await page.find('dialog', 'Pay later') });
      await page.keys('{Escape}');
      await page.gone('dialog', 'Pay later');
    };
    // Opens once automatically, then when tokens are wanted, then after the refused tip.
    await closes();
    await wantsTokens(page);
    await closes();
    await tips(page, '200');
    await closes();
    await expect(viewer.tips(performer, 200)).rejects
      .toMatchObject({ problem: { status: 402, errorType: 'postpay_card_fail' } });
    // A tip that the account still covers is sent.
    await tips(page, '100');
    const sent = (): readonly string[] => page.network.sent.filter((text) => text.includes('/tip/'));
    await page.until(() => expect(sent()).toHaveLength(2));
    await settles(shop, page);
    expect(page.all('dialog')).toEqual([]);
  });
});
