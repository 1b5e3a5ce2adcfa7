import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_SCOPE } from '../product/site/rules.ts';
import { DEMO_PASSWORD } from '../product/testkit/demo/demo.ts';
import { findings } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';

const MODERATOR = 'demo_moderator';
let demoSite: DemoSite;
beforeAll(async () => {
  demoSite = await openDemoSite();
  // Somebody who keeps order in rooms and has nothing to do with money.
  const { accounts } = demoSite.services;
  await accounts.create(DEFAULT_SCOPE, {
    username: MODERATOR, displayName: MODERATOR, type: 'user', roles: ['site_mod'], password: DEMO_PASSWORD,
    passwordHash: await accounts.hashPassword(DEMO_PASSWORD), email: `${MODERATOR}@demo.example`,
    birthDate: '1990-01-01', avatarUrl: null, gender: null, about: '', languages: [],
  });
});
afterAll(() => demoSite.close());

const PAGES = ['ledger', 'payments', 'products', 'clearances', 'blocked-words', 'outbox'];
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Back office' });
const statusOf = async (page: Page, path: string): Promise<number | undefined> =>
  (await page.goto(path))?.status();

it('the menu leads staff into the back office, whose navigation links its pages', async () => {
  const { page, context, complaints } = await demoSite.visit({ as: 'demo_admin' });
  await page.getByRole('button', { name: /’s account$/u }).click();
  await page.getByRole('menuitem', { name: 'Back office' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  const links = navigation(page).getByRole('link');
  const current = navigation(page).locator('[aria-current=page]');
  expect(await current.allTextContents()).toEqual(['Ledger']);
  expect(await navigation(page).getByRole('listitem').count()).toBe(PAGES.length);
  await links.filter({ hasText: 'Payments' }).click();
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  expect(await current.allTextContents()).toEqual(['Payments']);
  // Clicking it again from a page of the back office starts over.
  await page.getByRole('button', { name: /’s account$/u }).click();
  await page.getByRole('menuitem', { name: 'Back office' }).click();
  await page.waitForURL('**/admin/ledger');
  expect(complaints).toEqual([]);
  await context.close();
});

it('on a phone a row holds every page, as high as a finger, and marks the current one', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_admin', phone: true, path: '/admin/outbox' });
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await page.reload();
    const last = navigation(page).getByRole('link', { name: 'Outbox' });
    await expect.poll(async () => {
      const box = await last.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= width && box.height >= 44;
    }).toBe(true);
    expect(await navigation(page).getByRole('listitem').count()).toBe(PAGES.length);
    expect(await findings(page)).toEqual([]);
  }
  await context.close();
});

it('a member is refused on every page, by status and in words, and sees nothing of it', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_performer' });
  await page.getByRole('button', { name: /’s account$/u }).click();
  await page.getByRole('menuitem', { name: 'Settings', exact: true }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Back office' }).count()).toBe(0);
  for (const name of PAGES) {
    expect([name, await statusOf(page, `/admin/${name}`)]).toEqual([name, 403]);
    await page.getByRole('heading', { name: 'You don’t have access' }).waitFor();
    expect(await navigation(page).count()).toBe(0);
  }
  expect(await page.getByRole('button', { name: 'Check ledger' }).count()).toBe(0);
  expect(await statusOf(page, '/admin')).toBe(403);
  await context.close();
});

it('a moderator finds the one page of theirs, and is refused on the others', async () => {
  const { page, context } = await demoSite.visit({ as: MODERATOR });
  expect(await statusOf(page, '/admin')).toBe(200);
  await page.getByRole('heading', { level: 1, name: 'Blocked words' }).waitFor();
  expect(await navigation(page).getByRole('listitem').allTextContents()).toEqual(['Blocked words']);
  expect(await statusOf(page, '/admin/ledger')).toBe(403);
  await page.getByRole('heading', { name: 'You don’t have access' }).waitFor();
  await navigation(page).getByRole('link', { name: 'Blocked words' }).click();
  await page.getByRole('heading', { level: 1, name: 'Blocked words' }).waitFor();
  await context.close();
});

it('guests log in first, and what is not there is not found', async () => {
  const { page, context } = await demoSite.visit();
  await page.goto('/admin/ledger');
  await page.waitForURL('**/login?next=%2Fadmin%2Fledger');
  expect(await statusOf(page, '/admin/vaults')).toBe(404);
  await context.close();
});
