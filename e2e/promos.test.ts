import { cardNumberFor } from '#platform/payments/simulators/checkout/test-cards.ts';
import { changeBillingRules } from '#product/billing/contract/operator.ts';
import { SWITCHES } from '#product/billing/rules.ts';
import type { FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from './client.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { signUp } from './stage.ts';

let demoSite: DemoSite;
beforeAll(async () => {
  demoSite = await openDemoSite();
  const admin = await Client.logIn(demoSite.origin, 'demo_admin');
  const wanted = ['promos', 'joinOffer'];
  await admin.call(changeBillingRules, {
    switches: SWITCHES.map((name) => ({ name, on: wanted.includes(name) })),
    framed_billers: ['ccbill'],
    reason: 'a journey',
  });
});
afterAll(() => demoSite.close());

/** Types a test card on the biller's page and pays. */
async function payOnPage(page: FrameLocator): Promise<void> {
  await page.getByLabel('Card number').fill(cardNumberFor(null));
  await page.getByLabel('Expires (MM/YY)').fill('12/30');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: /^Pay|^Confirm|^Verify/u }).click();
}

it('the join offer and the promo dialog keep a biller that may be framed over our page', async () => {
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
  expect(new URL(page.url()).origin).toBe(demoSite.origin);
  await context.close();
});
