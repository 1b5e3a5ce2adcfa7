import { uuidV4 } from '#platform/data/ids.ts';
import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import type { DeclineCode } from '#product/billing/rules.ts';
import { EXTRAS } from '#product/testkit/demo/cast.ts';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import type { Visit } from './stage.ts';

let demoSite: DemoSite;
let viewer: Visit;
/** Origin of the simulated billers, as the browser saw it. */
let biller: string;
beforeAll(async () => {
  demoSite = await openDemoSite();
  viewer = await demoSite.visit({ as: 'demo_viewer' });
});
afterAll(() => demoSite.close());

const balanceOf = (page: Page, tokens: string) =>
  page.getByRole('button', { name: new RegExp(`^${tokens} tokens.*Get tokens`, 'u') });

async function openPurchase(page: Page): Promise<void> {
  await page.getByRole('button', { name: /tokens.*Get tokens/u }).click();
  await page.getByRole('dialog').getByRole('radio').first().waitFor();
}

/** Types a test card on the biller's page and pays: a good card, or one declined with a code. */
async function payOnPage(page: Page | FrameLocator, decline: DeclineCode | null = null): Promise<void> {
  await page.getByLabel('Card number').fill(cardNumberFor(decline));
  await page.getByLabel('Expires (MM/YY)').fill('12/30');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: /^Pay/u }).click();
}

const balance = (page: Page): Locator => page.getByRole('button', { name: /tokens.*Get tokens/u });
const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === globalThis.document.activeElement);

/** More presses than any of these dialogs has tab stops, so that the focus wraps around. */
const TABS = 30;

/** Checks that an open dialog takes the focus, traps it, and returns it, and that axe finds nothing. */
async function expectFocusTrapped(page: Page, opener: Locator): Promise<void> {
  expect(await findings(page)).toEqual([]);
  const focus = (): Promise<string> =>
    page.evaluate(() => {
      const { activeElement, body } = globalThis.document;
      if (activeElement === body) return 'browser';
      if (activeElement?.matches('dialog[open] iframe')) return 'frame';
      return activeElement?.closest('dialog[open]') ? 'dialog' : activeElement?.outerHTML ?? 'nothing';
    });
  await expect.poll(focus).toBe('dialog');
  for (let press = 0; press < TABS; press += 1) {
    await page.keyboard.press('Tab');
    // After the last element the focus is on the browser itself, for one press.
    expect(['dialog', 'frame', 'browser']).toContain(await focus());
  }
  // A framed page handles Escape itself.
  while (await focus() === 'frame') await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(opener)).toBe(true);
}

/** Holds back a page's reads of orders until they are released. */
async function holdOrders(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/\/billing\/orders\/./u, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Spends tokens as a show would. */
async function spend(username: string, tokens: number): Promise<string> {
  const { ledger } = demoSite.services;
  const [payer, performer] = [await demoSite.idOf(username), await demoSite.idOf('demo_performer')];
  return demoSite.tx(async (tx) => {
    const [outcome] = await ledger.post(tx, [{
      id: uuidV4(),
      kind: 'tip',
      memo: {},
      parameterHash: uuidV4(),
      facts: [],
      legs: [
        { account: { kind: 'person', personId: payer, book: 'tokens' }, tokens: -tokens },
        { account: { kind: 'person', personId: performer, book: 'earnings' }, tokens },
      ],
    }]);
    return outcome?.status ?? 'nothing';
  });
}

it('a test card on the biller\'s page brings tokens to every tab', async () => {
  const { page, context } = viewer;
  const second = await context.newPage();
  await second.goto('/');
  await balanceOf(second, '1,000').waitFor();
  await openPurchase(page);
  expect(await findings(page)).toEqual([]);
  await page.getByRole('radio', { name: /^550 / }).check();
  await page.getByRole('button', { name: 'Continue to payment · $49.99' }).click();
  await page.getByLabel('Card number').waitFor();
  biller = new URL(page.url()).origin;
  await payOnPage(page);
  const thanks = page.getByRole('dialog', { name: 'Payment received' });
  await thanks.getByText('550 tokens', { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('');
  await balanceOf(second, '1,550').waitFor();
  await second.close();
  await thanks.getByRole('button', { name: 'Done' }).click();
  await balanceOf(page, '1,550').waitFor();
});

it('the number goes to the biller alone, and the card pays at one click [A-025]', async () => {
  const { page } = viewer;
  const number = cardNumberFor(null);
  const received: string[] = [];
  page.on('request', (request) => {
    const text = `${request.url()} ${request.postData() ?? ''}`.replaceAll(/\s/gu, '');
    if (text.includes(number)) received.push(new URL(request.url()).origin);
  });
  const document = page.waitForResponse((answer) => answer.url().endsWith('/account/card'));
  await page.goto('/account/card');
  const policy = (await document).headers()['content-security-policy'] ?? '';
  expect(policy).toContain('form-action \'none\'');
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.getByText('Check the card number.').waitFor();
  expect(
    await page.getByLabel('Card number').evaluate((field) => field === globalThis.document.activeElement),
  ).toBe(true);
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expires').fill('1230');
  await page.getByLabel('Security code').fill('123');
  await page.getByLabel('Name on the card').fill('Ada Viewer');
  await page.getByLabel('Country').selectOption('DE');
  await page.getByLabel('Postal code').fill('10115');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(/account\/tokens/u);
  expect([...new Set(received)].filter((origin) => origin === demoSite.origin)).toEqual([]);
  expect(received.length).toBe(1);
  expect(policy).toContain(received[0]);
  await openPurchase(page);
  await page.getByRole('radio', { name: /^200 / }).check();
  await page.getByRole('button', { name: 'Pay $20.00' }).click();
  await page.getByRole('dialog', { name: 'Payment received' }).getByRole('button', { name: 'Done' }).click();
  await balanceOf(page, '1,750').waitFor();
});

it('a biller\'s page in a frame ends in /enter.php, and the outcome closes it [A-052, A-080]', async () => {
  const [who = ''] = EXTRAS;
  await demoSite.tx((tx) => demoSite.services.billing.configure(tx, { framedBillers: ['ccbill'] }, null));
  const { page, context } = await demoSite.visit({ as: who });
  const room = await page.goto('/demo_performer');
  await openPurchase(page);
  await page.getByRole('button', { name: /^Continue to payment/u }).click();
  const modal = page.getByRole('dialog', { name: 'Payment page' });
  const source = await modal.locator('iframe').getAttribute('src');
  const { origin } = new URL(source ?? '');
  // The page may frame this biller's pages, and no other site's.
  expect(room?.headers()['content-security-policy']).toContain(`frame-src 'self' ${origin};`);
  const framed = modal.frameLocator('iframe');
  await framed.getByLabel('Card number').waitFor();
  await expectFocusTrapped(page, balance(page));
  await openPurchase(page);
  await page.getByRole('button', { name: /^Continue to payment/u }).click();
  await payOnPage(framed, 'NEXPIRED');
  await page.getByRole('dialog', { name: 'Payment Declined' }).getByText('Code NEXPIRED').waitFor();
  await page.keyboard.press('Escape');
  await openPurchase(page);
  await page.getByRole('radio', { name: /^200 / }).check();
  await page.getByRole('button', { name: /^Continue to payment/u }).click();
  const returning = page.waitForRequest((request) => new URL(request.url()).pathname === '/enter.php');
  // While the order can't be read, only the message from the frame can move the page on.
  const release = await holdOrders(page);
  await payOnPage(framed);
  const entered = await returning;
  await page.getByRole('dialog', { name: 'Waiting for payment' }).waitFor();
  release();
  expect(entered.frame()).not.toBe(page.mainFrame());
  const { searchParams: said } = new URL(entered.url());
  expect([said.get('type'), said.get('model'), said.get('id')])
    .toEqual(['purchase', 'demo_performer', said.get('order_id')]);
  const headers = await (await entered.response())?.allHeaders();
  expect(headers?.['content-security-policy']).toContain('frame-ancestors \'self\'');
  await page.getByRole('dialog', { name: 'Payment received' }).getByText('200 tokens', { exact: true })
    .waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/demo_performer');
  await page.keyboard.press('Escape');
  await openPurchase(page);
  await page.getByRole('button', { name: /^Continue to payment/u }).click();
  const [apart] = await Promise.all([
    context.waitForEvent('page'),
    modal.getByRole('link', { name: 'Open in a new tab' }).click(),
  ]);
  await page.getByRole('dialog', { name: 'Waiting for payment' }).waitFor();
  await payOnPage(apart);
  // Outside a frame, the biller's page leads back to the room itself; both tabs get the outcome.
  await apart.waitForURL(/\/demo_performer$/u);
  for (const tab of [page, apart]) await tab.getByRole('dialog', { name: 'Payment received' }).waitFor();
  // These parameters are enough, even in another browser of the same person.
  const { orders } = await page.evaluate(async () =>
    (await fetch('/api/v1/billing/orders')).json() as Promise<{ orders: readonly { id: string }[] }>
  );
  const paid = orders[0]?.id ?? '';
  expect(said.get('id')).toMatch(/^[\da-f-]{36}$/u);
  const own = await demoSite.visit({ as: who });
  await own.page.goto(`/enter.php?id=${paid}&type=purchase&model=demo_performer`);
  await own.page.getByRole('dialog', { name: 'Payment received' }).waitFor();
  expect(new URL(own.page.url()).pathname).toBe('/demo_performer');
  await own.context.close();
  await apart.goto('/enter.php?id=1&type=verify&model=');
  await apart.waitForURL(/\/account\/verify/u);
  await demoSite.tx((tx) => demoSite.services.billing.configure(tx, { framedBillers: [] }, null));
  await context.close();
});

it('a chargeback at the biller closes spending and buying', async () => {
  const { page, context } = viewer;
  const staff = await context.newPage();
  await staff.goto(`${biller}/ccbill/operator`);
  await staff.getByRole('row').filter({ hasText: '49.99' }).getByRole('button', {
    name: 'Charge back',
  }).click();
  await staff.close();
  await expect.poll(() => spend('demo_viewer', 1), { timeout: 30_000 }).toBe('blocked');
  await page.goto('/account/tokens');
  await page.getByRole('table').getByText('Charged back').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Get tokens' }).click();
  await page.getByRole('dialog').getByText(/Pay later|spending is blocked/u).first().waitFor();
  await viewer.context.close();
});
