import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getPurchaseLink, oneClickError } from './contract.ts';
import { listCards } from './contract/cards.ts';
import { setPostpay, settlePostpay } from './contract/credit.ts';
import { listOrders } from './contract/orders.ts';
import type { DeclineCode } from './rules.ts';

let shop: Shop;
let viewer: Member;
beforeAll(async () => {
  shop = await createShop();
  viewer = await shop.site.viewer();
});
afterAll(() => shop.close());

/** Pays on the biller's page with a card that is declined, and returns to the site. */
async function returnsDeclined(code: DeclineCode, {
  who = viewer,
  biller = 'rocketgate',
  title = 'Payment failed',
}: { readonly who?: Member; readonly biller?: 'rocketgate' | 'segpay'; readonly title?: string } = {}) {
  const { returned } = await shop.buys(who, '1_100', { decline: code, biller });
  const { pathname, search } = new URL(returned);
  const page = await openPage(shop.site, who, pathname + search);
  return { page, dialog: await page.find('dialog', title) };
}

/** Pays with one click and a saved card that is declined. */
async function isDeclined(code: DeclineCode = 'NDECLINED', amount: RegExp | null = null) {
  const who = await shop.site.viewer();
  await shop.keeps(who, code);
  const { cards: [card] } = await who.call(listCards, {});
  const page = await openPage(shop.site, who, '/');
  await page.press(/Get tokens$/u, { in: await page.find('banner') });
  if (amount) await page.press(amount, { role: 'radio', in: await page.find('dialog', 'Get tokens') });
  await page.press(/^Pay \$/u);
  return { who, page, dialog: await page.find('dialog', 'Payment Declined'), biller: card?.biller ?? '' };
}

describe('what a declined payment says', () => {
  for (const [id, code, words] of [
    ['A-415', 'NBADZIP', /postal code is wrong/u],
    ['A-416', 'NDECLINED', /bank declined.*new card or another way to pay/u],
    ['A-417', 'NDECLINEDE', /Too many payments in a short time\. Wait 5 minutes/u],
    ['A-418', 'NDECLINEDINSFUNDS', /enough funds/u],
    ['A-419', 'NEXPIRED', /bank declined/u],
    ['A-420', 'NINVCVV2', /CVV2.* is wrong/u],
    ['A-421', 'NMYACNOTACCEPTED', /ACH.* aren’t accepted/u],
    ['A-422', 'NMYAMNOTACCEPTED', /American Express isn’t accepted/u],
    ['A-423', 'NMYDDNOTACCEPTED', /Direct debit isn’t accepted/u],
    ['A-424', 'NMYDNVEL', /Declined too many times/u],
    ['A-425', 'NMYDSNOTACCEPTED', /Discover isn’t accepted/u],
    ['A-426', 'NMYINVAMT', /Contact your bank/u],
    ['A-427', 'NMYINVAUTHCODE', /authorisation code is wrong/u],
    ['A-428', 'NMYINVINFO', /bank declined/u],
    ['A-429', 'NMYINVTRANSTYPE', /action isn’t possible/u],
    ['A-430', 'NMYMCNOTACCEPTED', /Mastercard isn’t accepted/u],
    ['A-431', 'NMYRETRY', /The payment didn’t go through\. Try again\./u],
    ['A-432', 'NMYSERVNOTALLOWED', /service is not allowed/u],
    ['A-433', 'NMYVSNOTACCEPTED', /Visa isn’t accepted/u],
  ] as const) {
    test(`a return with ${code} gives its reason in the dialog [${id}]`, async () => {
      const { page, dialog } = await returnsDeclined(code);
      await page.sees(words, { in: dialog });
      await page.sees(`Code ${code}`, { in: dialog });
      // The return parameters are read once: a reload shows nothing.
      expect(page.path).not.toContain('ans=');
    });
  }

  test('a code outside the list has a reason of its own [A-434]', async () => {
    const { page, dialog } = await isDeclined('VERIFY');
    await page.sees(/must be verified/u, { in: dialog });
    await page.sees('Code VERIFY', { in: dialog });
    // Also when returning from a biller's page.
    const back = await returnsDeclined('VERIFY', { title: 'Payment Declined' });
    await back.page.sees(/must be verified/u, { in: back.dialog });
    await back.page.sees('Code VERIFY', { in: back.dialog });
  });

  test('a code that nobody knows is Declined [A-435]', async () => {
    const payer = await shop.site.viewer();
    const { order_id: orderId } = await payer.call(getPurchaseLink, { internal_id: '1_100' });
    for (const answer of ['NWHATEVER', 'N', 'NDECLINEDX']) {
      const page = await openPage(shop.site, payer, `/?ans=${answer}&transaction_id=1&order_id=${orderId}`);
      const dialog = await page.find('dialog', 'Payment failed');
      await page.sees('Declined', { in: dialog });
      expect(page.shows(/^Code/u, { in: dialog })).toBe(false);
    }
  });

  test('is what the biller said of the order, whatever an address says of it', async () => {
    const payer = await shop.site.viewer();
    const { orderId } = await shop.buys(payer, '1_100', { decline: 'NBADZIP', biller: 'rocketgate' });
    const page = await openPage(shop.site, payer, `/?ans=NMYDNVEL&transaction_id=1&order_id=${orderId}`);
    const dialog = await page.find('dialog', 'Payment failed');
    await page.sees(/postal code is wrong/u, { in: dialog });
    expect(page.shows('Code NMYDNVEL', { in: dialog })).toBe(false);
  });
});

/** The page of tokens offers the declined purchase, and the dialog has it selected. */
async function buysAgain(page: Awaited<ReturnType<typeof openPage>>): Promise<void> {
  const section = await page.find('region', 'Finish your purchase');
  await page.sees('$5.00', { in: section });
  await page.press('Try again', { in: section });
  const amounts = await page.find('dialog', 'Get tokens');
  expect(await page.find('radio', /^50 /u, { in: amounts })).toHaveProperty('checked', true);
  expect(page.shows('Finish your purchase')).toBe(false);
  expect(page.path).toBe('/account/tokens');
  expect(await page.problems()).toEqual([]);
}

describe('the dialog of a declined card', () => {
  test('says that something went wrong [A-436]', async () => {
    const { page, dialog } = await isDeclined();
    await page.find('heading', 'Payment Declined', { in: dialog });
    await page.sees('Something went wrong. We couldn\'t process your credit card.', { in: dialog });
    expect(await page.problems()).toEqual([]);
  });

  /** Codes for which each of the four ways comes first. */
  const CODES = ['NDECLINED', 'VERIFY', 'NDECLINEDINSFUNDS', 'NMYDNVEL'] as const;

  test('offers a check and another card, whatever the reason [A-437, A-439]', async () => {
    for (const code of CODES) {
      const { page, dialog } = await isDeclined(code);
      await page.find('link', 'Verify my card', { in: dialog });
      await page.find('link', 'Try a different card', { in: dialog });
    }
  });

  test('offers another biller and another amount, whatever the reason [A-438, A-440]', async () => {
    for (const code of CODES) {
      const { page, dialog } = await isDeclined(code);
      await page.find('button', 'Try another payment provider', { in: dialog });
      await page.find('button', 'Change the amount', { in: dialog });
    }
  });

  test('leads to the check of the card [A-437]', async () => {
    const { page, dialog } = await isDeclined();
    await page.press('Verify my card', { role: 'link', in: dialog });
    await page.until(() => expect(page.path).toBe('/account/verify?type=rocketgate'));
    await page.gone('dialog', 'Payment Declined');
    await page.press('Start the check');
    await page.until(() => expect(page.left).toHaveLength(1));
    expect(new URL(page.left[0] ?? '').pathname).toMatch(/^\/ccbill\//u);
  });

  test('leads to another biller than the one that declined [A-438]', async () => {
    const { page, dialog, biller } = await isDeclined();
    await page.press('Try another payment provider', { in: dialog });
    await page.press(/^Continue to payment/u);
    await page.until(() => expect(page.left).toHaveLength(1));
    expect(page.left[0]).toMatch(/rocketgate|segpay|ccbill/u);
    expect(page.left[0]).not.toContain(biller);
    // The site's first biller, when the second one declined.
    const { page: other, dialog: declined } = await returnsDeclined('VERIFY', {
      who: await shop.site.viewer(),
      biller: 'segpay',
      title: 'Payment Declined',
    });
    await other.press('Try another payment provider', { in: declined });
    await other.press(/^Continue to payment/u);
    await other.until(() => expect(other.left).toHaveLength(1));
    expect(new URL(other.left[0] ?? '').pathname).toMatch(/^\/ccbill\//u);
  });

  test('stays while it is not known which other biller there is', async () => {
    const who = await shop.site.viewer();
    const { returned } = await shop.buys(who, '1_100', { decline: 'VERIFY', biller: 'ccbill' });
    const { pathname, search } = new URL(returned);
    let mends = (): void => undefined;
    const page = await openPage(shop.site, who, pathname + search, {
      mayPrint: /Failed to fetch/u,
      onNetwork: (network) => {
        mends = network.fails(/\/billing\/products$/u);
      },
    });
    const dialog = await page.find('dialog', 'Payment Declined');
    await page.press('Try another payment provider', { in: dialog });
    await page.idle();
    expect(page.all('dialog')).toEqual([dialog]);
    await page.find('button', 'Try again', { in: dialog });
    mends();
    await page.press('Try another payment provider', { in: dialog });
    await page.press(/^Continue to payment/u);
    await page.until(() => expect(page.left).toHaveLength(1));
    expect(new URL(page.left[0] ?? '').pathname).not.toMatch(/^\/ccbill\//u);
  });

  test('leads to the form of another card [A-439]', async () => {
    const { page, dialog } = await isDeclined();
    await page.press('Try a different card', { role: 'link', in: dialog });
    await page.until(() => expect(page.path).toBe('/account/card'));
    await page.field('Card number');
  });

  test('leads back from the check of the card to what was to be bought', async () => {
    const { page, dialog } = await isDeclined('NDECLINED', /^50 /u);
    await page.press('Verify my card', { role: 'link', in: dialog });
    await page.press('Not now', { role: 'link' });
    await buysAgain(page);
  });

  test('leads from another card to what was to be bought', async () => {
    const { page, dialog, who } = await isDeclined('NDECLINED', /^50 /u);
    await page.press('Try a different card', { role: 'link', in: dialog });
    await page.until(() => expect(page.path).toBe('/account/card'));
    const cookie = /payment_return=(\S+?)(?:;|$)/u.exec(document.cookie)?.[1] ?? '';
    const back = decodeURIComponent(cookie);
    expect(back).toMatch(/^\/account\/tokens\?again=/u);
    await buysAgain(await openPage(shop.site, who, back));
    // Nobody is offered another person's order.
    const stranger = await openPage(shop.site, await shop.site.viewer(), back);
    await stranger.find('heading', 'Saved cards');
    expect(stranger.shows('Finish your purchase')).toBe(false);
  });

  test('leads to other amounts [A-440]', async () => {
    const { page, dialog } = await isDeclined();
    await page.press('Change the amount', { in: dialog });
    const amounts = await page.find('dialog', 'Get tokens');
    await page.press(/^50 /u, { role: 'radio', in: amounts });
    await page.press('Pay $5.00', { in: amounts });
    await page.find('dialog', 'Payment Declined');
    expect(page.network.sent.filter((sent) => sent.includes('/oneclick/')).map((sent) => sent.split(' ')[1]))
      .toEqual(['/api/v1/billing/oneclick/1_200', '/api/v1/billing/oneclick/1_50']);
  });
});

/** Everything an operator can switch on; other tests of this file use the defaults. */
const switches = (on: boolean): Promise<void> =>
  shop.site.tx((tx) =>
    shop.site.services.billing.configure(
      tx,
      { switches: { promos: on, paypal: on, postpay: on } },
      null,
    )
  );

/** Pays on the biller's page and is declined. */
async function declinesOnPage(who: Member, internalId: string) {
  const { orderId, returned } = await shop.buys(who, internalId, { decline: 'NDECLINED' });
  const { pathname, search } = new URL(returned);
  return { orderId, returned: pathname + search };
}

/** A PayPal account refuses to pay for 100 tokens. */
async function refusesAtPaypal(who: Member) {
  const { purchase_link: link, order_id: orderId } = await who.call(getPurchaseLink, {
    internal_id: '1_100',
    method: 'paypal',
  });
  const refused = await fetch((await fetch(link)).url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'refuse' }),
  });
  await shop.settle();
  const { pathname, search } = new URL(refused.headers.get('location') ?? '');
  return { orderId, returned: pathname + search };
}

/** Owes 50 tokens, and settles the debt with a card that is declined. */
async function declinesSettlement(who: Member) {
  await shop.buys(who, '1_50');
  // The post-pay dialog opens automatically once per browser.
  who.storage.local.set('candela.postpaySeen', '1');
  await who.call(setPostpay, { enabled: true });
  await who.tips(await shop.site.performer({ live: true }), 100);
  const cardId = await shop.keeps(who, 'NDECLINED');
  const { order_id: orderId } = await who.call(settlePostpay, { cardId }, key());
  await shop.settle();
  return { orderId, returned: `/?ans=NDECLINED&transaction_id=1&order_id=${orderId}` };
}

/** Tries again after a failed payment, and a second time from the page of tokens. */
async function triesAgain(
  who: Member,
  { orderId, returned }: { readonly orderId: string; readonly returned: string },
) {
  const page = await openPage(shop.site, who, returned);
  await page.press('Try again', { in: await page.find('dialog', 'Payment failed') });
  const later = await openPage(shop.site, who, `/account/tokens?again=${orderId}`);
  await later.press('Try again', { in: await later.find('region', 'Finish your purchase') });
  return [page, later];
}

const checkedIn = (page: Awaited<ReturnType<typeof openPage>>, dialog: HTMLElement): readonly string[] =>
  page.all('radio', undefined, { in: dialog }).filter((element) => (element as HTMLInputElement).checked)
    .map((element) => element.closest('label')?.textContent ?? '');

describe('trying again leads to what was wanted, at its price', () => {
  beforeAll(() => switches(true));
  afterAll(() => switches(false));

  test.each(
    [
      [
        'a promotion',
        (who: Member) => declinesOnPage(who, 'promo_300'),
        'Get tokens',
        'Card',
        /^300.*\+ 200 free.*\$10\.99/u,
        'Continue to payment · $10.99',
      ],
      [
        'the free pass',
        (who: Member) => declinesOnPage(who, 'pass_card'),
        'Get tokens',
        'Card',
        /^Card check, no charge\$0\.00$/u,
        'Continue to payment · $0.00',
      ],
      ['a debt', declinesSettlement, 'Pay later', null, /1111/u, 'Pay $5.00 now'],
      [
        'what PayPal was to pay',
        refusesAtPaypal,
        'Get tokens',
        'PayPal',
        /^100.*\$10\.00/u,
        'Continue to payment · $10.00',
      ],
    ] as const,
  )('for %s', async (_title, declines, title, method, radio, button) => {
    const who = await shop.site.viewer();
    for (const page of await triesAgain(who, await declines(who))) {
      const dialog = await page.find('dialog', title);
      await page.find('button', button, { in: dialog });
      expect(checkedIn(page, dialog)).toEqual([expect.stringMatching(radio)]);
      if (method !== null) {
        const tab = await page.find('tab', method, { in: dialog });
        expect(tab.getAttribute('aria-selected')).toBe('true');
      }
      // No other product can be bought with one tap.
      expect(page.all('button', /\$/u, { in: dialog })).toHaveLength(1);
      expect(await page.problems()).toEqual([]);
    }
  });

  test('and pays as it was to be paid', async () => {
    const who = await shop.site.viewer();
    const page = await openPage(shop.site, who, (await refusesAtPaypal(who)).returned);
    await page.press('Try again', { in: await page.find('dialog', 'Payment failed') });
    await page.press('Continue to payment · $10.00');
    await page.until(() => expect(page.left).toHaveLength(1));
    const { orders } = await who.call(listOrders, {});
    expect(orders.map(({ internal_id: id, method }) => [id, method])).toEqual([
      ['1_100', 'paypal'],
      ['1_100', 'paypal'],
    ]);
  });

  test('and to nothing where it is not for sale any more', async () => {
    const who = await shop.site.viewer();
    const declined = await declinesOnPage(who, 'promo_300');
    // The promotion is for a first purchase.
    await shop.buys(who, '1_50');
    const page = await openPage(shop.site, who, declined.returned);
    await page.press('Try again', { in: await page.find('dialog', 'Payment failed') });
    const dialog = await page.find('dialog', 'Get tokens');
    expect(await page.find('button', 'Choose what to buy', { in: dialog })).toHaveProperty('disabled', true);
    await page.sees(/What you wanted isn’t for sale/u, { in: dialog });
    expect(checkedIn(page, dialog)).toEqual([]);
    expect(page.all('button', /\$/u, { in: dialog })).toEqual([]);
    await page.press(/^50 /u, { role: 'radio', in: dialog });
    await page.find('button', 'Pay $5.00', { in: dialog });
  });
});

describe('a charge whose outcome comes late', () => {
  test('and is a decline opens the dialog on every page of its person [A-375, C-325]', async () => {
    const [who, other] = [await shop.site.viewer(), await shop.site.viewer()];
    const performer = await shop.site.performer({ live: true });
    await shop.keeps(who, 'NDECLINEDINSFUNDS');
    const sockets = [await shop.site.socketOf(who), await who.joins(performer)];
    const others = [await shop.site.socketOf(other), await other.joins(performer)];
    const page = await openPage(shop.site, who, '/');
    await page.press(/Get tokens$/u, { in: await page.find('banner') });
    await page.press(/^200 /u, { role: 'radio', in: await page.find('dialog', 'Get tokens') });
    // The biller declines, and neither its response nor its callback arrives.
    shop.simulators.arm('ccbill', 'timeout_after_charge');
    shop.simulators.arm('ccbill', 'lost');
    await page.press('Pay $20.00');
    await page.press('Close', { in: await page.find('dialog', 'Waiting for payment') });
    await page.gone('dialog', 'Waiting for payment');
    const { orders: [pending] } = await who.call(listOrders, {});
    expect(pending).toMatchObject({ tokens: 200, state: 'unknown' });
    for (const socket of sockets) expect(socket.received(oneClickError)).toEqual([]);
    // The biller is asked for the outcome of the charge.
    await shop.passes(11_000);
    const dialog = await page.find('dialog', 'Payment Declined');
    await page.sees(/enough funds/u, { in: dialog });
    for (const socket of sockets) {
      expect(await socket.waitFor(oneClickError)).toEqual({
        order_id: pending?.id,
        error: 'declined',
        declined_reason: 'NDECLINEDINSFUNDS',
      });
      expect(socket.events.filter(({ name }) => name === 'v3.epoch_oneclick_error')).toHaveLength(1);
    }
    for (const socket of others) expect(socket.received(oneClickError)).toEqual([]);
    expect((await who.call(listOrders, {})).orders).toMatchObject([{ id: pending?.id, state: 'declined' }]);
  });
});
