import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidV4 } from '../platform/data/ids.ts';
import { cardNumberFor } from '../platform/payments/simulators/checkout/test-cards.ts';
import { DECLINE_CODES, DEFAULT_SETTINGS, type DeclineCode } from '../product/billing/rules.ts';
import { EXTRAS } from '../product/testkit/demo/cast.ts';
import { DEMO_PASSWORD } from '../product/testkit/demo/demo.ts';
import { findings } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import type { Visit } from './stage.ts';

let demoSite: DemoSite;
let viewer: Visit;
/** Origin of the simulated billers, as the browser met it. */
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

/** Types a test card on the biller's page and pays: one that is good, or one that is declined with a code. */
async function payOnPage(page: Page | FrameLocator, decline: DeclineCode | null = null): Promise<void> {
  await page.getByLabel('Card number').fill(cardNumberFor(decline));
  await page.getByLabel('Expires (MM/YY)').fill('12/30');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: /^Pay/u }).click();
}

/** Types a card on the card page; its number goes to the biller. */
async function saveCard(page: Page, decline: DeclineCode | null): Promise<void> {
  await page.goto('/account/card');
  await page.getByLabel('Card number').fill(cardNumberFor(decline));
  await page.getByLabel('Expires').fill('1230');
  await page.getByLabel('Security code').fill('123');
  await page.getByLabel('Name on the card').fill('Ada Viewer');
  await page.getByLabel('Country').selectOption('DE');
  await page.getByLabel('Postal code').fill('10115');
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.waitForURL(/account\/tokens/u);
}

const balance = (page: Page): Locator => page.getByRole('button', { name: /tokens.*Get tokens/u });
const tipForm = (page: Page): Locator => page.getByRole('form', { name: 'Tip Demo Performer' });
const tipButton = (page: Page): Locator => tipForm(page).getByRole('button', { name: /^Tip \d/u });
const hasFocus = (one: Locator): Promise<boolean> =>
  one.evaluate((element) => element === globalThis.document.activeElement);

/** More presses than any of these dialogs has places to stop at, so that the focus goes round. */
const TABS = 30;

/** The operator's limit of what may be tipped in a day; null for none. */
async function limitTips(tokens: number | null): Promise<void> {
  const { page, context } = await demoSite.visit({ as: 'demo_admin' });
  const answered = await page.evaluate(async (limit) => {
    const { csrf } = await (await fetch('/api/v1/site_config')).json() as { csrf: string };
    return (await fetch('/api/v1/tips/rules', {
      method: 'POST', body: JSON.stringify({ daily_limit: limit }),
      headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
    })).status;
  }, tokens);
  expect(answered).toBe(200);
  await context.close();
}

/** An open dialog takes the focus, keeps it from the page, and gives it back; axe finds nothing in it. */
async function expectFocusTrapped(page: Page, opener: Locator): Promise<void> {
  expect(await findings(page)).toEqual([]);
  const focus = (): Promise<string> => page.evaluate(() => {
    const { activeElement, body } = globalThis.document;
    if (activeElement === body) return 'browser';
    if (activeElement?.matches('dialog[open] iframe')) return 'frame';
    return activeElement?.closest('dialog[open]') ? 'dialog' : activeElement?.outerHTML ?? 'nothing';
  });
  await expect.poll(focus).toBe('dialog');
  for (let press = 0; press < TABS; press += 1) {
    await page.keyboard.press('Tab');
    // Past the last one the focus is the browser's own, for one press.
    expect(['dialog', 'frame', 'browser']).toContain(await focus());
  }
  // A page in a frame has an Escape of its own.
  while (await focus() === 'frame') await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(opener)).toBe(true);
}

/** Spends tokens as a show would. */
async function spend(username: string, tokens: number): Promise<string> {
  const { ledger } = demoSite.services;
  const [payer, performer] = [await demoSite.idOf(username), await demoSite.idOf('demo_performer')];
  return demoSite.tx(async (tx) => {
    const [outcome] = await ledger.post(tx, [{
      id: uuidV4(), kind: 'tip', memo: {}, parameterHash: uuidV4(), facts: [],
      legs: [
        { account: { kind: 'person', personId: payer, book: 'tokens' }, tokens: -tokens },
        { account: { kind: 'person', personId: performer, book: 'earnings' }, tokens },
      ],
    }]);
    return outcome?.status ?? 'nothing';
  });
}

it('a test card on the biller\'s page brings tokens to every tab [A-079, A-082, A-310]', async () => {
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

it('declines come back with their words, and the address is cleared [A-083, A-248, A-249]', async () => {
  const { page } = viewer;
  const said = new Set<string>();
  // Every fifth walks through the page of the biller; the words of the others are tested by their rule.
  for (const code of DECLINE_CODES.filter((_, at) => at % 5 === 0)) {
    await openPurchase(page);
    await page.getByRole('radio', { name: 'Another card, on the payment page' }).check();
    await page.getByRole('button', { name: /^Continue to payment/u }).click();
    await payOnPage(page, code);
    const failed = page.getByRole('dialog');
    await failed.getByText(`Code ${code}`).waitFor();
    said.add(await failed.innerText());
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Escape');
  }
  expect(said.size).toBe(4);
  await balanceOf(page, '1,550').waitFor();
});

it('the number goes to the biller alone, and the card pays at one click [A-025, A-240, A-243]', async () => {
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
  expect(policy).toContain("form-action 'none'");
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.getByText('Check the card number.').waitFor();
  expect(await page.getByLabel('Card number').evaluate((field) =>
    field === globalThis.document.activeElement)).toBe(true);
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
  // The page may show this biller's pages, and nobody else's.
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
  await payOnPage(framed);
  const entered = await returning;
  expect(entered.frame()).not.toBe(page.mainFrame());
  const { searchParams: said } = new URL(entered.url());
  expect([said.get('type'), said.get('model'), said.get('id')])
    .toEqual(['purchase', 'demo_performer', said.get('order_id')]);
  const headers = await (await entered.response())?.allHeaders();
  expect(headers?.['content-security-policy']).toContain("frame-ancestors 'self'");
  await page.getByRole('dialog', { name: 'Payment received' }).getByText('200 tokens', { exact: true })
    .waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/demo_performer');
  await page.keyboard.press('Escape');
  await openPurchase(page);
  await page.getByRole('button', { name: /^Continue to payment/u }).click();
  const [apart] = await Promise.all([
    context.waitForEvent('page'), modal.getByRole('link', { name: 'Open in a new tab' }).click(),
  ]);
  await page.getByRole('dialog', { name: 'Waiting for payment' }).waitFor();
  await payOnPage(apart);
  // Without a page around it, it leads back to the room itself; both tabs get the outcome.
  await apart.waitForURL(/\/demo_performer$/u);
  for (const tab of [page, apart]) await tab.getByRole('dialog', { name: 'Payment received' }).waitFor();
  await apart.goto('/enter.php?id=1&type=verify&model=');
  await apart.waitForURL(/\/account\/verify/u);
  await demoSite.tx((tx) => demoSite.services.billing.configure(tx, { framedBillers: [] }, null));
  await context.close();
});

it('a product link says that it is busy, clears the last error, and says when it fails [A-241, A-242, A-441]',
  async () => {
  const [, who = ''] = EXTRAS;
  const { page, context } = await demoSite.visit({ as: who });
  await saveCard(page, 'NDECLINEDINSFUNDS');
  await openPurchase(page);
  const pay = page.getByRole('button', { name: 'Pay $20.00' });
  const failed = page.getByText('Error purchasing product, if this persists, please contact support.');
  await page.route('**/billing/oneclick/*', (route) => route.abort(), { times: 1 });
  await pay.click();
  await failed.waitFor();
  expect(await pay.getAttribute('aria-busy')).toBeNull();
  let release = (): void => undefined;
  const held = new Promise<void>((done) => { release = done; });
  await page.route('**/billing/oneclick/*', async (route) => {
    await held;
    await route.continue();
  }, { times: 1 });
  await pay.click();
  await page.locator('button[aria-busy="true"]', { hasText: 'Pay $20.00' }).waitFor();
  expect(await failed.count()).toBe(0);
  release();
  const declined = page.getByRole('dialog', { name: 'Payment Declined' });
  await declined.getByText('Code NDECLINEDINSFUNDS').waitFor();
  // Another company is really another one.
  await declined.getByRole('button', { name: 'Try another payment provider' }).click();
  await page.getByRole('dialog').getByRole('radio').first().waitFor();
  await page.getByRole('button', { name: /^Continue to payment/u }).click();
  await page.getByRole('heading', { name: /Segpay/u }).waitFor();
  await context.close();
});

it('a declined card opens its dialog, after a link and after a re-up [A-081]', async () => {
  const who = EXTRAS[2] ?? '';
  const { page, context } = await demoSite.visit({ as: who });
  await saveCard(page, 'NDECLINED');
  await saveCard(page, 'VERIFY');
  const declined = page.getByRole('dialog', { name: 'Payment Declined' });
  const words = declined.getByText('Something went wrong. We couldn\'t process your credit card.');
  await openPurchase(page);
  await page.getByRole('button', { name: 'Pay $20.00' }).click();
  await words.waitFor();
  await expectFocusTrapped(page, balance(page));
  const section = page.getByRole('region', { name: 'Auto re-up' });
  await section.getByRole('radio', { name: cardNumberFor('VERIFY').slice(-4) }).check();
  await section.getByLabel('When my balance falls below', { exact: true }).fill('19990');
  await section.getByRole('checkbox').check();
  await section.getByRole('button', { name: 'Turn on' }).click();
  await section.getByText('On', { exact: true }).waitFor();
  expect(await spend(who, 50)).toBe('posted');
  await words.waitFor();
  await declined.getByRole('link', { name: 'Verify my card' }).click();
  await page.waitForURL(/\/account\/verify\?type=rocketgate/u);
  await declined.waitFor({ state: 'detached' });
  await context.close();
});

it('who lacks tokens is shown what would be enough, and a member what is above [A-487, A-087]', async () => {
  const who = EXTRAS[3] ?? '';
  expect(await spend(who, 19_990)).toBe('posted');
  const { page, context } = await demoSite.visit({ as: who, path: '/demo_performer' });
  await tipButton(page).click();
  const low = page.getByRole('dialog', { name: 'Not enough tokens' });
  await low.getByText('Suggested').waitFor();
  expect(await low.getByRole('radio', { name: /^200 .*Suggested/u }).isChecked()).toBe(true);
  await expectFocusTrapped(page, tipButton(page));
  await page.goto('/account/tokens');
  const section = page.getByRole('region', { name: 'Membership' });
  const see = section.getByRole('button', { name: 'See memberships' });
  await see.click();
  const modal = page.getByRole('dialog', { name: 'Membership' });
  await modal.getByRole('radio').first().waitFor();
  expect(await modal.getByRole('radio').count()).toBe(3);
  await expectFocusTrapped(page, see);
  await see.click();
  await modal.getByRole('button', { name: 'Continue to payment · $19.99' }).click();
  await payOnPage(page);
  await page.getByRole('dialog', { name: 'Payment received' }).getByRole('button', { name: 'Done' }).click();
  await section.getByText('Premium membership').waitFor();
  await section.getByRole('button', { name: 'Change' }).click();
  await modal.getByText('Current', { exact: true }).waitFor();
  // The next above the own is offered.
  expect(await modal.getByRole('radio', { name: /^VIP/u }).isChecked()).toBe(true);
  await context.close();
});

it('on a phone one-click packs come in a tab at the foot, and no dialog [A-238]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', phone: true });
  await balance(page).click();
  const tab = page.getByRole('region', { name: 'Get tokens' });
  await tab.getByText('One tap charges').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await tab.getByRole('button', { name: /^\d+ tokens/u }).count()).toBe(3);
  await expect.poll(() => hasFocus(tab)).toBe(true);
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await tab.waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(balance(page))).toBe(true);
  await balance(page).click();
  await tab.getByRole('button', { name: 'More ways to pay' }).click();
  await page.getByRole('dialog', { name: 'Get tokens' }).getByRole('radio').first().waitFor();
  await expectFocusTrapped(page, balance(page));
  await context.close();
});

it('auto re-up is off until confirmed, then fills up by itself and says so [A-408, A-382]', async () => {
  const { page } = viewer;
  await page.goto('/account/tokens');
  const section = page.getByRole('region', { name: 'Auto re-up' });
  const turnOn = section.getByRole('button', { name: 'Turn on' });
  expect(await turnOn.isDisabled()).toBe(true);
  await section.getByLabel('When my balance falls below', { exact: true }).fill('1000');
  await section.getByRole('checkbox').check();
  await turnOn.click();
  await section.getByText('On', { exact: true }).waitFor();
  expect(await spend('demo_viewer', 800)).toBe('posted');
  await page.getByText('Auto re-up successful! 50 tokens added to your balance').waitFor();
  await balanceOf(page, '1,000').waitFor();
  await section.getByRole('button', { name: 'Turn off' }).click();
  await section.getByText('Off', { exact: true }).waitFor();
});

it('what is spent on account is paid from a modal that comes once [A-234, A-270, A-271]', async () => {
  const { billing } = demoSite.services;
  const switches = { ...DEFAULT_SETTINGS.switches, postpay: true };
  await demoSite.tx((tx) => billing.configure(tx, { switches }, null));
  const { page } = viewer;
  await page.goto('/account/tokens');
  const section = page.getByRole('region', { name: 'Pay later' });
  await section.getByRole('checkbox').check();
  await section.getByRole('button', { name: 'Turn on' }).click();
  await section.getByText('On', { exact: true }).waitFor();
  await balanceOf(page, '1,000').waitFor();
  expect(await spend('demo_viewer', 1_100)).toBe('posted');
  await page.goto('/');
  const modal = page.getByRole('dialog', { name: 'Pay later' });
  await modal.getByText('100 tokens').first().waitFor();
  expect(await findings(page)).toEqual([]);
  await modal.getByRole('button', { name: 'Pay $10.00 now' }).click();
  await page.getByRole('dialog', { name: 'Payment received' }).waitFor();
  await page.goto('/');
  await balanceOf(page, '0').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

it('who spends on account is asked for the card, past a limit to verify it [A-084, A-085]', async () => {
  const { page } = viewer;
  await page.goto('/demo_performer');
  const card = page.getByRole('dialog', { name: 'Pay later' });
  await balance(page).click();
  await card.getByText('You don’t owe anything.').waitFor();
  await expectFocusTrapped(page, balance(page));
  expect(await spend('demo_viewer', 900)).toBe('posted');
  // What was read a moment ago is asked for again where somebody is to pay it.
  await tipForm(page).getByLabel('Tokens').fill('200');
  await tipButton(page).click();
  await card.getByText('900 tokens').first().waitFor();
  await expectFocusTrapped(page, tipButton(page));
  await limitTips(20);
  await tipButton(page).click();
  const verify = page.getByRole('dialog', { name: 'Verify your card' });
  await verify.getByText('more than you can spend in one day').waitFor();
  await verify.getByText('Resets').waitFor();
  await expectFocusTrapped(page, tipButton(page));
  await limitTips(null);
  await tipButton(page).click();
  await card.getByRole('button', { name: 'Pay $90.00 now' }).click();
  await page.getByRole('dialog', { name: 'Payment received' }).getByRole('button', { name: 'Done' }).click();
});

it('a budget that is reached stops a tip and shows what is left of it [A-086]', async () => {
  const { page } = viewer;
  const id = await demoSite.idOf('demo_viewer');
  await demoSite.tx((tx) => demoSite.services.ledger.setBudgets(tx, id, { day: 10 }));
  await page.goto('/demo_performer');
  const form = page.getByRole('form', { name: 'Tip Demo Performer' });
  await form.getByRole('button', { name: /^Tip \d/u }).click();
  const limit = page.getByRole('dialog', { name: 'Your budget' });
  await limit.getByRole('heading', { name: 'Today' }).waitFor();
  await limit.getByText('10 tokens', { exact: true }).waitFor();
  await limit.getByRole('button', { name: 'Close' }).last().click();
});

it('a chargeback at the biller closes spending and buying', async () => {
  const { page, context } = viewer;
  const staff = await context.newPage();
  await staff.goto(`${biller}/ccbill/operator`);
  await staff.getByRole('row').filter({ hasText: '49.99' }).getByRole('button', {
    name: 'Charge back' }).click();
  await staff.close();
  await expect.poll(() => spend('demo_viewer', 1), { timeout: 30_000 }).toBe('blocked');
  await page.goto('/account/tokens');
  await page.getByRole('table').getByText('Charged back').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Get tokens' }).click();
  await page.getByRole('dialog').getByText(/Pay later|spending is blocked/u).first().waitFor();
  await viewer.context.close();
});

it('a member in a country without sales reads that nothing can be bought [A-443]', async () => {
  const { page, context } = await demoSite.visit({ gated: true });
  await context.setExtraHTTPHeaders({ 'x-candela-test-region': 'SE' });
  await page.goto('/login');
  await page.getByLabel('Username or email').fill(EXTRAS[4] ?? '');
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await page.getByRole('main').getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByRole('button', { name: 'I am 18 or older' }).click();
  await balance(page).click();
  const notice = page.getByRole('dialog', { name: 'Buying and tipping are disabled' });
  await notice.getByText('purchasing and tipping are disabled').waitFor();
  await expectFocusTrapped(page, balance(page));
  await page.goto('/demo_performer');
  await tipButton(page).click();
  await page.getByText('Tipping Unavailable').waitFor();
  await context.close();
});

it('who waits for papers or performs is sent to a page that sells nothing [A-034, A-236]', async () => {
  const who = EXTRAS[5] ?? '';
  const id = await demoSite.idOf(who);
  await demoSite.tx((tx) => demoSite.services.compliance.enrol(tx, id));
  for (const [as, why] of [
    [who, 'We’re still reviewing your identity documents.'],
    ['demo_performer', 'Performers earn tokens and can’t buy any.'],
  ] as const) {
    const { page, context } = await demoSite.visit({ as });
    await balance(page).click();
    await page.waitForURL(/\/account\/tokens$/u);
    await page.getByRole('main').getByText(why).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('main').getByRole('button', { name: /tokens|Turn on/u }).count()).toBe(0);
    await context.close();
  }
});
