import { getCurrentUser, register } from '#product/accounts/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  balanceIs,
  opensPurchase,
  opensTokens,
  sentTo,
  settles,
  wantsTokens,
} from '#product/testkit/pages/purchase-page.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buyAtOnce, getPurchaseLink, listProducts } from './contract.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.close());

/** Goes to the biller's page that this page opened, pays there, and returns. */
async function paysAtBiller(page: Page, visitor: Visitor): Promise<Page> {
  await page.until(() => expect(page.left).toHaveLength(1));
  const { pathname, search } = new URL(await shop.types(page.left[0] ?? ''));
  expect(search).toContain('ans=');
  await shop.settle();
  return openPage(shop.site, visitor, pathname + search);
}

describe('getting tokens', () => {
  test('a dialog offers the products, and sells on the page of the biller [A-079, A-237]', async () => {
    const viewer = await shop.site.viewer();
    const page = await openPage(shop.site, viewer, '/');
    // Wait for the lobby: joining later reloads the page's data, because it missed events.
    await page.until(() => expect(page.network.hasLobby).toBe(true));
    await page.idle();
    expect(sentTo(page, '/api/v1/billing/products')).toEqual([]);
    const dialog = await opensPurchase(page);
    // Every product on sale with its price, as the call listed them.
    expect(sentTo(page, '/api/v1/billing/products')).toHaveLength(1);
    expect(sentTo(page, '/api/v1/billing/products')[0]).toMatch(/^POST /u);
    for (const name of [
      /^Premium membership.*100 tokens.*\$19\.99/u,
      /^VIP membership.*300 tokens.*\$39\.99/u,
      /^Super VIP membership.*1,000 tokens.*\$99\.99/u,
      /^50 .*\$5\.00/u,
      /^100 .*\$10\.00/u,
      /^200 .*\$20\.00/u,
      /^550 .*\$49\.99/u,
      /^1,200 .*\$99\.99/u,
      /^2,600 .*\$199\.99/u,
      /^7,000 .*\$499\.99/u,
    ]) await page.find('radio', name, { in: dialog });
    expect(page.all('radio', undefined, { in: dialog })).toHaveLength(10);
    expect(page.all('radio', /Suggested/u, { in: dialog })).toEqual([]);
    expect(await page.problems()).toEqual([]);
    await page.press(/^550 /u, { role: 'radio', in: dialog });
    // A card is saved only if the buyer asks for it.
    const keep = await page.find('checkbox', /^Save this card for next time/u, { in: dialog });
    expect(keep).toHaveProperty('checked', false);
    await page.press(/^Save this card for next time/u, { role: 'checkbox', in: dialog });
    expect(await page.problems()).toEqual([]);
    await page.press('Continue to payment · $49.99', { in: dialog });
    await page.until(() => expect(page.left).toHaveLength(1));
    expect(
      page.network.sent.filter((sent) => sent.startsWith('GET /api/v1/billing/purchase-link/1_550')),
    ).toEqual([expect.stringContaining('keep_card=true')]);
  });

  test('are offered to members of every kind [A-237]', async () => {
    const vip = await shop.site.viewer();
    await shop.buys(vip, 'membership_vip');
    const admin = await shop.site.admin();
    // Once papers are decided either way, they do not prevent buying.
    const [cleared, revoked] = [await shop.site.viewer(), await shop.site.viewer()];
    await shop.site.handsInPapers(cleared);
    await shop.site.clearsPapers(cleared);
    await shop.site.handsInPapers(revoked);
    await admin.call(decideClearance, {
      username: revoked.username,
      decision: 'revoke',
      reason: 'the document was not theirs',
    });
    await shop.settle();
    for (const [who, status] of [
      [vip, null],
      [admin, null],
      [await shop.site.viewer({ roles: ['site_mod'] }), null],
      [cleared, 'cleared'],
      [revoked, 'revoked'],
    ] as const) {
      expect((await who.call(getCurrentUser, {})).user.compliance_status).toBe(status);
      const page = await openPage(shop.site, who, '/');
      const products = await page.find('group', 'What to buy', { in: await opensPurchase(page) });
      expect(page.all('radio', undefined, { in: products })).toHaveLength(10);
      expect(page.path).toBe('/');
    }
  });

  test('are offered to guests once they signed up [A-237]', async () => {
    const guest = await shop.site.visitor({ ofAge: true });
    const page = await openPage(shop.site, guest, '/');
    await wantsTokens(page);
    const form = await page.find('dialog', 'Sign up');
    await page.fill('Username', 'newcomer', { in: form });
    await page.fill('Email', 'newcomer@people.example', { in: form });
    await page.fill('Password', 'harbour-lights-9', { in: form });
    await page.choose('Day', '14', { in: form });
    await page.choose('Month', 'March', { in: form });
    await page.choose('Year', '1991', { in: form });
    await page.click(await page.find('checkbox', undefined, { in: form }));
    expect(sentTo(page, '/api/v1/billing/products')).toEqual([]);
    await page.press('Sign up', { in: form });
    await page.find('radio', /^200 .*\$20\.00/u, { in: await page.find('dialog', 'Get tokens') });
  });

  test('who returns from the biller, or pays at one click, sees what was bought [A-082, A-247]', async () => {
    const viewer = await shop.site.viewer({ tokens: 1_000 });
    const first = await openPage(shop.site, viewer, '/');
    const dialog = await opensPurchase(first);
    await first.press(/^550 /u, { role: 'radio', in: dialog });
    await first.press(/^Save this card for next time/u, { role: 'checkbox', in: dialog });
    await first.press(/^Continue to payment/u, { in: dialog });
    const page = await paysAtBiller(first, viewer);
    const thanks = await page.find('dialog', 'Payment received');
    await page.sees('550 tokens', { in: thanks });
    await page.press('Done', { in: thanks });
    await balanceIs(page, '1,550');
    // The card was saved on request, so the next link is posted, and its result has `status: true`.
    await page.press('Pay $20.00', { in: await opensPurchase(page) });
    await page.sees('200 tokens', { in: await page.find('dialog', 'Payment received') });
    expect(sentTo(page, '/api/v1/billing/oneclick/1_200')).toHaveLength(1);
  });

  test('an answer of Y is a success whatever follows it, once its order is paid [A-082, A-247]', async () => {
    const viewer = await shop.site.viewer();
    const { orderId } = await shop.buys(viewer, '1_100');
    for (const answer of ['Y', 'YES', 'Y123456:9']) {
      const page = await openPage(shop.site, viewer, `/?ans=${answer}&order_id=${orderId}`);
      await page.sees('100 tokens', { in: await page.find('dialog', 'Payment received') });
      await page.until(() => expect(page.path).toBe('/'));
    }
    const other = await openPage(shop.site, viewer, '/?ans=X');
    await settles(shop, other);
    expect(other.all('dialog')).toEqual([]);
  });

  test('an address alone says nothing of a payment, nor does an order of somebody else', async () => {
    const [viewer, buyer] = [await shop.site.viewer(), await shop.site.viewer()];
    const { orderId } = await shop.buys(buyer, '1_100');
    const guest = await shop.site.visitor({ ofAge: true });
    for (const [who, search] of [
      [viewer, 'ans=Y'],
      [viewer, 'ans=N'],
      [viewer, `ans=Y&order_id=${orderId}`],
      [viewer, `ans=N&order_id=${orderId}`],
      [buyer, 'ans=Y'],
      [buyer, 'ans=N'],
      [guest, 'ans=Y'],
      [guest, `ans=Y&order_id=${orderId}`],
    ] as const) {
      const page = await openPage(shop.site, who, `/?${search}`);
      await settles(shop, page);
      await page.until(() => expect(page.path).toBe('/'));
      expect([search, page.all('dialog', 'Payment received'), page.all('dialog', 'Payment failed')])
        .toEqual([search, [], []]);
    }
    // A paid order is not shown as declined, whatever the address says.
    const paid = await openPage(shop.site, buyer, `/?ans=N&order_id=${orderId}`);
    await paid.find('dialog', 'Payment received');
    // The person's open order is followed, even if the return does not name it.
    const waiting = await shop.site.viewer();
    await waiting.call(getPurchaseLink, { internal_id: '1_100' });
    const page = await openPage(shop.site, waiting, '/?ans=Y');
    await page.find('dialog', 'Waiting for payment');
  });

  test('the dialog of a payment closes by itself after 60 s in which nobody used it [A-226]', async () => {
    const viewer = await shop.site.viewer();
    const { orderId } = await shop.buys(viewer, '1_100');
    const page = await openPage(shop.site, viewer, `/?ans=Y&order_id=${orderId}`);
    const thanks = await page.find('dialog', 'Payment received');
    await page.idle();
    await shop.site.passes(59_000);
    // While somebody points at it, it stays as long again.
    await page.hover(await page.find('button', 'Done', { in: thanks }));
    await page.idle();
    await shop.site.passes(59_999);
    await page.idle();
    expect(page.all('dialog', 'Payment received')).toHaveLength(1);
    await shop.site.passes(1);
    await page.gone('dialog', 'Payment received');
    // A dialog without a time limit stays.
    const { returned } = await shop.buys(viewer, '1_100', { decline: 'NEXPIRED', biller: 'rocketgate' });
    const { pathname, search } = new URL(returned);
    const failed = await openPage(shop.site, viewer, pathname + search);
    await failed.find('dialog', 'Payment failed');
    await shop.site.passes(600_000);
    await failed.idle();
    expect(failed.all('dialog', 'Payment failed')).toHaveLength(1);
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

  test('an answer of N is a failure of an open order, whatever follows it [A-083, A-248]', async () => {
    const viewer = await shop.site.viewer();
    await viewer.call(getPurchaseLink, { internal_id: '1_100' });
    for (const [answer, reason] of [
      ['N', 'Declined'],
      ['NOBODY', 'Declined'],
      ['NDECLINEDINSFUNDS|12', /^This card doesn’t have enough/u],
    ] as const) {
      const page = await openPage(shop.site, viewer, `/?ans=${encodeURIComponent(answer)}`);
      const failed = await page.find('dialog', 'Payment failed');
      await page.sees(reason, { in: failed });
      await page.until(() => expect(page.path).toBe('/'));
      expect(page.all('dialog')).toEqual([failed]);
    }
  });

  test('an address that says failed of an open order sells nothing twice', async () => {
    const viewer = await shop.site.viewer();
    const { purchase_link: link } = await viewer.call(getPurchaseLink, { internal_id: '1_100' });
    const page = await openPage(shop.site, viewer, '/?ans=NEXPIRED');
    const failed = await page.find('dialog', 'Payment failed');
    await page.sees(/^The payment provider hasn’t settled this payment yet\./u, { in: failed });
    expect(page.all('button', 'Try again', { in: failed })).toEqual([]);
    expect(failed.textContent).not.toContain('Nothing was charged');
    await shop.types(link);
    await shop.settle();
    await page.find('dialog', 'Payment received');
  });

  test('whoever tries again after a declined payment has the product chosen that they wanted', async () => {
    const viewer = await shop.site.viewer();
    const { returned } = await shop.buys(viewer, '1_100', { decline: 'NEXPIRED', biller: 'rocketgate' });
    const { pathname, search } = new URL(returned);
    const page = await openPage(shop.site, viewer, pathname + search);
    await page.press('Try again', { in: await page.find('dialog', 'Payment failed') });
    const modal = await page.find('dialog', 'Get tokens');
    expect(await page.find('radio', /^100 .*\$10\.00/u, { in: modal })).toHaveProperty('checked', true);
    await page.find('button', /\$10\.00/u, { in: modal });
    await shop.keeps(viewer, 'NDECLINED');
    const own = await openPage(shop.site, viewer, '/');
    const first = await opensPurchase(own);
    await own.click(await own.find('radio', /^100 .*\$10\.00/u, { in: first }));
    await own.press(/^Pay \$10/u, { in: first });
    await own.press('Change the amount', { in: await own.find('dialog', 'Payment Declined') });
    expect(await own.find('radio', /^100 .*\$10\.00/u, { in: await own.find('dialog', 'Get tokens') }))
      .toHaveProperty('checked', true);
  });

  test('the answer is cleared from the address once it was read, paid or declined [A-249]', async () => {
    for (const decline of [null, 'NEXPIRED'] as const) {
      const viewer = await shop.site.viewer();
      const { returned } = await shop.buys(viewer, '1_100', { decline, biller: 'rocketgate' });
      const { pathname, search } = new URL(returned);
      // Parameters that billers add are removed as well.
      const more = '&transaction_id=T7&email=a%40b.example&from=mail';
      const page = await openPage(shop.site, viewer, pathname + search + more);
      await page.find('dialog', decline ? 'Payment failed' : 'Payment received');
      await page.until(() => expect(page.path).toBe(pathname));
    }
  });

  test('members buy; guests are asked for an account instead [A-310]', async () => {
    const viewer = await shop.site.viewer();
    await shop.buys(viewer, '1_100');
    const own = await openPage(shop.site, viewer, '/');
    await balanceIs(own, '100');
    expect(await viewer.call(buyAtOnce, { internal_id: '1_50' }, key())).toMatchObject({ status: true });
    await balanceIs(own, '150');
    await own.press('Pay $20.00', { in: await opensPurchase(own) });
    await own.find('dialog', 'Payment received');
    await balanceIs(own, '350');
    const guest = await shop.site.visitor({ ofAge: true });
    const model = await shop.site.performer();
    for (const [call, input] of [
      [listProducts, {}],
      [getPurchaseLink, { internal_id: '1_100' }],
      [buyAtOnce, { internal_id: '1_100' }],
    ] as const) {
      expect(await guest.refused(call, input, key()))
        .toMatchObject({ status: 401, errorType: 'not_authenticated' });
      expect(await model.refused(call, input, key()))
        .toMatchObject({ status: 403, errorType: 'model_cannot_buy' });
    }
    const page = await openPage(shop.site, guest, '/');
    await wantsTokens(page);
    await page.sees('Sign up to get tokens. It’s free.', { in: await page.find('dialog', 'Sign up') });
  });

  test('who performs is sent to a page that sells nothing [A-034, A-236]', async () => {
    const waiting = await shop.site.viewer();
    await shop.site.handsInPapers(waiting);
    // A new performer is pending until their papers are accepted.
    const beginner = await shop.site.visitor({ ofAge: true });
    await beginner.call(register, {
      username: 'beginner',
      email: 'beginner@people.example',
      password: 'a horse of another colour',
      birth_date: '1990-05-05',
      type: 'model',
      gender: 'f',
      accept_terms: true,
    });
    await beginner.opens();
    await shop.settle();
    for (const [who, status, why, begins] of [
      [waiting, 'pending', /^We’re still reviewing your identity documents\./u, wantsTokens],
      [beginner, 'incomplete', /^Performers earn tokens and can’t buy any\./u, opensTokens],
      [await shop.site.performer(), 'cleared', /^Performers earn tokens and can’t buy any\./u, opensTokens],
    ] as const) {
      expect((await who.call(getCurrentUser, {})).user.compliance_status).toBe(status);
      const page = await openPage(shop.site, who, '/');
      await begins(page);
      await page.until(() => expect(page.path).toBe('/account/tokens'));
      const main = await page.find('main');
      await page.sees(why, { in: main });
      await settles(shop, page);
      expect([page.all('dialog'), page.all('button', /tokens|Turn on/u, { in: main })]).toEqual([[], []]);
      expect(sentTo(page, '/api/v1/billing/products')).toEqual([]);
    }
  });

  test('who may buy no more ends there what goes on charging them', async () => {
    const member = await shop.site.viewer();
    await shop.buys(member, 'membership_premium');
    await shop.site.handsInPapers(member);
    await shop.settle();
    const page = await openPage(shop.site, member, '/');
    await opensTokens(page);
    await page.sees(/^We’re still reviewing your identity documents\./u);
    const section = await page.find('region', 'Membership');
    expect(page.all('button', 'Change', { in: section })).toEqual([]);
    await page.press('Cancel membership', { in: section });
    await page.press('Cancel membership', { in: await page.find('dialog') });
    await page.gone('dialog');
    await page.sees(/Ends on/u, { in: section });
    const cards = await page.find('region', 'Saved cards');
    expect(page.all('link', 'Add a card', { in: cards })).toEqual([]);
    await page.press('Remove card', { in: cards });
    await page.press('Remove card', { in: await page.find('dialog') });
    await page.gone('region', 'Saved cards');
    expect(await page.problems()).toEqual([]);
  });

  test('a country without sales reads that nothing can be bought [A-443, A-232]', async () => {
    const viewer = await shop.site.viewer({ region: 'SE' });
    const page = await openPage(shop.site, viewer, '/');
    await wantsTokens(page);
    const notice = await page.find('dialog', 'Buying and tipping are disabled');
    await page.sees(/purchasing and tipping are disabled/u, { in: notice });
    await settles(shop, page);
    expect([page.all('dialog'), sentTo(page, '/api/v1/billing/products')]).toEqual([[notice], []]);
    expect((await viewer.refused(getPurchaseLink, { internal_id: '1_100' })).errorType)
      .toBe('country_blocked');
  });

  test('of a membership marks the own one and the next above [A-087]', async () => {
    const viewer = await shop.site.viewer();
    const page = await openPage(shop.site, viewer, '/account/tokens');
    await page.press('See memberships', { in: await page.find('region', 'Membership') });
    const modal = await page.find('dialog', 'Membership');
    await page.until(() => expect(page.all('radio', undefined, { in: modal })).toHaveLength(3));
    await page.sees(/^Charged again until you cancel, at any time under Tokens\./u, { in: modal });
    await page.press(/^Save this card for next time/u, { role: 'checkbox', in: modal });
    await page.press('Continue to payment · $19.99', { in: modal });
    const back = await paysAtBiller(page, viewer);
    await back.press('Done', { in: await back.find('dialog', 'Payment received') });
    const section = await back.find('region', 'Membership');
    await back.sees('Premium membership', { in: section });
    await back.sees('Renews on February 14, 2026 · $19.99', { in: section });
    await back.find('button', 'Cancel membership', { in: section });
    await back.press('Change', { in: section });
    const again = await back.find('dialog', 'Membership');
    await back.sees('Current', { in: again });
    expect(await back.find('radio', /^VIP/u, { in: again })).toHaveProperty('checked', true);
    await back.press(/^Pay \$|^Continue to payment/u, { in: again });
    const vip = back.left.length > 0 ? await paysAtBiller(back, viewer) : back;
    await vip.press('Done', { in: await vip.find('dialog', 'Payment received') });
    await vip.sees('VIP membership', { in: await vip.find('region', 'Membership') });
  });
});
