import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cardNumberFor } from '../platform/payments/simulators/checkout/test-cards.ts';
import { getPurchaseLink, listProducts } from '../product/billing/contract.ts';
import { DEFAULT_PRODUCTS } from '../product/billing/rules/products.ts';
import {
  changeBillingRules, changeProduct, listManagedProducts,
} from '../product/billing/contract/operator.ts';
import { SWITCHES } from '../product/billing/rules.ts';
import { endMemberships } from '../product/testkit/payments/payments.ts';
import { lookProblems, findings } from './axe.ts';
import { Client } from './client.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { signUp, type Visit } from './stage.ts';

let demoSite: DemoSite;
let viewer: Visit;
beforeAll(async () => {
  demoSite = await openDemoSite();
  const admin = await Client.logIn(demoSite.origin, 'demo_admin');
  const wanted = ['promos', 'wheel', 'joinOffer', 'paypal'];
  await admin.call(changeBillingRules, {
    switches: SWITCHES.map((name) => ({ name, on: wanted.includes(name) })), reason: 'a journey',
  });
  viewer = await demoSite.visit({ as: 'demo_viewer' });
});
afterAll(() => demoSite.close());

const balanceOf = (page: Page, tokens: string) =>
  page.getByRole('button', { name: new RegExp(`^${tokens} tokens.*Get tokens`, 'u') });

/** Types a test card on the biller's page and pays. */
async function payOnPage(page: Page | FrameLocator): Promise<void> {
  await page.getByLabel('Card number').fill(cardNumberFor(null));
  await page.getByLabel('Expires (MM/YY)').fill('12/30');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: /^Pay|^Confirm|^Verify/u }).click();
}

/** Whether a page left for a biller of another origin. */
const isAway = (page: Page): boolean => new URL(page.url()).origin !== demoSite.origin;

it('an advert brings the special offer, and once more a minute after it was closed [A-089]', async () => {
  const { page } = viewer;
  await page.clock.install();
  await page.goto('/?id=xv300wo&prg=spl');
  const offer = page.getByRole('dialog', { name: 'Special offer' });
  await offer.getByText('300 tokens').first().waitFor();
  await offer.getByText('$10.99').first().waitFor();
  await offer.getByText('200 tokens').first().waitFor();
  expect(await findings(page)).toEqual([]);
  await offer.getByRole('button', { name: 'No, thanks' }).click();
  await offer.waitFor({ state: 'detached' });
  await page.clock.fastForward(59_000);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.clock.fastForward(2_000);
  await offer.waitFor();
  await page.keyboard.press('Escape');
  await page.clock.fastForward(120_000);
  expect(await page.getByRole('dialog').count()).toBe(0);
});

it('the promo of the address fills in the code, which is FREE_TOKENS without one [A-285]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: '/account/tokens' });
  const code = page.getByRole('region', { name: 'Promotions' }).getByLabel('Promo code');
  await code.waitFor();
  expect(await code.inputValue()).toBe('FREE_TOKENS');
  await page.goto('/account/tokens?promo=SPRING26');
  await expect.poll(() => code.inputValue()).toBe('SPRING26');
  await page.goto('/account/tokens?prg=nwh');
  await expect.poll(() => code.inputValue()).toBe('nwh');
  await context.close();
});

it('free tokens are congratulated on when the address says so, and given once [A-414, A-463]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: '/?free_tokens=1' });
  const dialog = page.getByRole('dialog', { name: 'Congratulations' });
  await dialog.getByText('100 tokens').waitFor();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Accept tokens' }).click();
  await balanceOf(page, '1,100').waitFor();
  await dialog.waitFor({ state: 'detached' });
  const asked = page.waitForResponse((answer) => answer.url().includes('/billing/promos'));
  await page.goto('/?free_tokens=1');
  await (await asked).finished();
  await page.getByRole('heading', { name: 'Live now' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.goto('/');
  await balanceOf(page, '1,100').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await context.close();
});

it('`av` asks for the verification of a card, of whoever is logged in or logs in [A-104]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer' });
  await page.goto('/?av=0');
  await page.getByRole('heading', { name: 'Live now' }).waitFor();
  await page.goto('/?av=1');
  await page.waitForURL(/\/account\/verify\?type=rocketgate/u);
  await page.getByRole('main').getByRole('button').first().click();
  await page.waitForURL(() => isAway(page));
  await context.close();
  const guest = await demoSite.visit();
  await guest.page.goto('/?av=1');
  await guest.page.waitForURL(/\/login\?next=.*verify/u);
  await guest.context.close();
});

it('the wheel turns on a press, shows its odds, and counts spins in every tab [A-090]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: '/account/tokens' });
  const other = await context.newPage();
  await other.goto('/account/tokens');
  await other.getByRole('button', { name: 'Promo wheel (1 spin)' }).waitFor();
  // With the keyboard alone: to the button, in, and a turn.
  await page.getByRole('button', { name: 'Promo wheel (1 spin)' }).focus();
  await page.keyboard.press('Enter');
  const wheel = page.getByRole('dialog', { name: 'Promo wheel' });
  await wheel.getByRole('status').filter({ hasText: '1 spin left' }).waitFor();
  await wheel.getByRole('row', { name: /100 tokens.*1%/u }).waitFor();
  expect(await findings(page)).toEqual([]);
  await wheel.getByRole('button', { name: 'Spin' }).focus();
  await page.keyboard.press('Enter');
  await wheel.getByRole('status').filter({ hasText: /You won \d+ tokens/u }).waitFor();
  await other.getByRole('button', { name: 'Promo wheel (0 spins)' }).waitFor();
  expect(await wheel.getByRole('button', { name: 'Spin' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await wheel.waitFor({ state: 'detached' });
  await context.close();
});

it('a purchase puts a spin into the vault, and its wheel opens with it [A-091]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: '/account/tokens?prg=nwh' });
  expect(await page.getByRole('button', { name: /^Free wheel/u }).count()).toBe(0);
  await page.goto('/?prg=nwh');
  await page.getByRole('dialog', { name: 'An offer for you' })
    .getByRole('button', { name: 'Get it for $10.99' }).click();
  await page.waitForURL(() => isAway(page));
  await payOnPage(page);
  await page.getByRole('dialog', { name: 'Payment received' }).getByRole('button', { name: 'Done' }).click();
  await page.goto('/account/tokens');
  await page.getByRole('button', { name: 'Free wheel (1 spin)' }).click();
  const wheel = page.getByRole('dialog', { name: 'Free vault wheel' });
  await wheel.getByRole('button', { name: 'Spin' }).click();
  await wheel.getByRole('status').filter({ hasText: /You won \d+ tokens/u }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Free wheel/u }).waitFor({ state: 'detached' });
  await context.close();
});

it('join form 4 makes a free account, with a card or PayPal at the biller [B-121, B-128]', async () => {
  const { page, context } = await demoSite.visit({ path: '/join?join_form=4' });
  await page.getByRole('heading', { name: 'Create Free Account' }).waitFor();
  expect(await findings(page)).toEqual([]);
  const links: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/billing/purchase-link/')) links.push(new URL(request.url()).search);
  });
  await page.getByRole('button', { name: 'With PayPal' }).click();
  await signUp(page.getByRole('dialog'), 'joins_by_form');
  await page.waitForURL(() => isAway(page));
  expect(links.join()).toMatch(/method=paypal/u);
  expect(links.join()).toMatch(/biller=segpay/u);
  await context.close();
});

it('anybody else is offered free access, whose card button leads to the biller [B-127, B-128]', async () => {
  const { page, context } = await demoSite.visit({ path: '/join' });
  await page.getByRole('heading', { name: '100% Free Access - Credit Card $0' }).waitFor();
  await page.getByRole('button', { name: 'With PayPal' }).waitFor();
  const asked = page.waitForRequest(/purchase-link\/pass_card\?.*method=card/u);
  asked.catch(() => undefined);
  await page.getByRole('button', { name: 'With a card' }).click();
  await signUp(page.getByRole('dialog'), 'joins_free');
  await asked;
  await page.waitForURL(() => isAway(page));
  await context.close();
});

it('a promo offers lifetime access in two ways to redeem [B-125, B-126]', async () => {
  const { page, context } = await demoSite.visit({ path: '/join?promo=spl' });
  await page.getByRole('heading', { name: 'Free Lifetime Access!' }).waitFor();
  const choices = page.getByRole('main').getByRole('radio');
  expect(await choices.count()).toBe(2);
  const special = page.getByRole('radio', { name: /New Member Special!/u });
  expect(await special.isChecked()).toBe(true);
  await page.getByText('$10.99').waitFor();
  await page.getByRole('radio', { name: /FREE Lifetime Pass.*Card on file, no charge/u }).check();
  expect(await findings(page)).toEqual([]);
  const asked = page.waitForRequest(/purchase-link\/pass_card/u);
  asked.catch(() => undefined);
  await page.getByRole('button', { name: 'Redeem offer now' }).click();
  await signUp(page.getByRole('dialog'), 'joins_by_promo');
  await asked;
  await page.waitForURL(() => isAway(page));
  await context.close();
});

it('the join offer and the promo dialog keep a biller that may be framed over our page', async () => {
  const admin = await Client.logIn(demoSite.origin, 'demo_admin');
  await admin.call(changeBillingRules, { framed_billers: ['ccbill'], reason: 'a journey' });
  const { page, context } = await demoSite.visit({ path: '/join' });
  await page.getByRole('button', { name: 'With a card' }).click();
  await signUp(page.getByRole('dialog'), 'joins_in_a_frame');
  const modal = page.getByRole('dialog', { name: 'Payment page' });
  await payOnPage(modal.frameLocator('iframe'));
  await page.getByRole('dialog', { name: 'Payment received' }).getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/account\/tokens$/u);
  await page.goto('/?prg=nwh');
  await page.getByRole('dialog', { name: 'An offer for you' })
    .getByRole('button', { name: 'Get it for $10.99' }).click();
  await modal.frameLocator('iframe').getByLabel('Card number').waitFor();
  expect(isAway(page)).toBe(false);
  await admin.call(changeBillingRules, { framed_billers: [], reason: 'a journey' });
  await context.close();
});

it('whoever has an account is welcomed back to token packs, and can log out [B-122]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: '/join?join_form=4' });
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  const packs = page.getByRole('main').getByRole('radio');
  expect(await packs.count()).toBe(DEFAULT_PRODUCTS.filter(({ kind }) => kind === 'pack').length);
  expect(await findings(page)).toEqual([]);
  await page.getByRole('main').getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Log in' }).or(page.getByRole('button', { name: 'Log in' })).first()
    .waitFor();
  await context.close();
});

it('who stays keeps the price they joined at, and who left is offered to come back', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: '/account/tokens' });
  const section = page.getByRole('region', { name: 'Membership', exact: true });
  await section.getByText('You have no membership.').waitFor();
  const member = await Client.logIn(demoSite.origin, 'demo_viewer');
  await page.goto((await member.call(getPurchaseLink, { internal_id: 'membership_premium' })).purchase_link);
  await payOnPage(page);
  await page.waitForURL(() => !isAway(page));
  const admin = await Client.logIn(demoSite.origin, 'demo_admin');
  const { products } = await admin.call(listManagedProducts, {});
  const premium = products.find(({ internal_id: id }) => id === 'membership_premium');
  await admin.call(changeProduct, {
    internal_id: 'membership_premium', revision: premium?.revision ?? 0, tokens: 100, free_tokens: 0,
    price_minor: 2_999, currency: 'USD', days: 30, one_click: true, countries: [], reason: 'a dearer year',
  });
  await page.goto('/account/tokens');
  await section.getByText('$19.99').waitFor();
  await section.getByText('You keep the price you joined at. New members pay more.').waitFor();
  await section.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog', { name: 'Membership' });
  await dialog.getByText('Premium membership for $19.99 a month and keep that price').waitFor();
  // The one somebody has for less is not sold to them for more.
  await expect.poll(() => dialog.getByRole('radio', { name: /VIP membership/u }).count()).toBe(2);
  expect(await dialog.getByRole('radio', { name: /Premium membership/u }).count()).toBe(0);
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await section.getByRole('button', { name: 'Cancel membership' }).click();
  await page.getByRole('dialog').getByText('You’ll lose your current price.').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel membership' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await section.getByText('Ends on').waitFor();
  // The biller's callback of the cancellation may come after the page has changed, and sets the end again.
  await expect.poll(async () => {
    await demoSite.tx(endMemberships);
    await page.goto('/account/tokens');
    await section.getByText('You have no membership.').or(section.getByText('Ends on')).waitFor();
    return section.getByText('for less: $14.99 a month').count();
  }).toBe(1);
  expect(await findings(page)).toEqual([]);
  await section.getByRole('button', { name: 'See memberships' }).click();
  const again = dialog.getByRole('radio', { name: /Premium membership.*instead of \$29\.99.*\$14\.99/u });
  expect(await again.isChecked()).toBe(true);
  await dialog.getByText('get it back for less: $14.99 a month').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await section.getByRole('button', { name: 'Get it back' }).click();
  await page.waitForURL(() => isAway(page));
  await context.close();
});

it('an operator makes a product, sees its cost, sells it, retires it, and is in the log', async () => {
  const { page, context, complaints } = await demoSite.visit({ as: 'demo_admin', path: '/admin/products' });
  const products = page.getByRole('region', { name: 'Products', exact: true }).first();
  await products.getByRole('row', { name: /promo_300.*\$14\.01/u }).waitFor();
  expect(await lookProblems(page)).toEqual([]);
  await products.getByRole('button', { name: 'New product' }).click();
  const form = page.getByRole('dialog', { name: 'New product' });
  await form.getByLabel('ID', { exact: true }).fill('pack_80');
  await form.getByLabel('Tokens', { exact: true }).fill('80');
  await form.getByLabel('Price').fill('3.99');
  await form.getByLabel('Reason').fill('asked for by viewers');
  await form.getByText('$0.01').first().waitFor();
  await form.getByRole('checkbox', { name: /may cost \$0\.01/u }).check();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText(/Raise the price or include fewer tokens/u).waitFor();
  await form.getByLabel('Price').fill('8.00');
  expect(await findings(page)).toEqual([]);
  await form.getByRole('button', { name: 'Save' }).click();
  const row = products.getByRole('row', { name: /pack_80/u });
  await row.getByRole('button', { name: 'Move pack_80 up' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('before the largest');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const shelf = await Client.logIn(demoSite.origin, 'demo_viewer');
  const sold = async () => (await shelf.call(listProducts, {})).products.credit
    .map(({ internal_id: id }) => id);
  expect((await sold()).slice(-2)).toEqual(['1_7000', 'pack_80']);
  await row.getByRole('button', { name: 'Retire pack_80' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('nobody bought it');
  await page.getByRole('dialog').getByRole('button', { name: 'Retire', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  expect(await sold()).not.toContain('pack_80');
  const log = page.getByRole('region', { name: 'Changes', exact: true }).first();
  await log.getByRole('row', { name: /@demo_admin.*Product retired.*pack_80.*nobody bought it/u }).waitFor();
  // The price that was refused is the one thing a console speaks of.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await context.close();
});
