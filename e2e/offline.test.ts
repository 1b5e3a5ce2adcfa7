import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings } from './axe.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('without a network a page of the site says so in its language, and is back by one press', async () => {
  const { page, context } = await stage.visit({ path: '/legal?lang=de', phone: true, appWorker: true });
  // The worker controls only pages that are opened after it is ready.
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await context.setOffline(true);
  await page.goto('/tags');
  await page.getByRole('heading', { name: 'Du bist offline', level: 1 }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  expect(await findings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.getByRole('link', { name: 'Noch einmal versuchen' }).click();
  await page.getByRole('heading', { name: 'Du bist offline', level: 1 }).waitFor();
  await context.setOffline(false);
  await page.getByRole('link', { name: 'Noch einmal versuchen' }).click();
  await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/tags');
  // No document and no answer of a call is stored, since those are personal.
  const stored = await page.evaluate(async () => {
    const names = await caches.keys();
    const keys = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return keys.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.filter((path) => !path.startsWith('/assets/'))).toEqual([]);
  await context.close();
});
