import { DAY_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PASSWORD = 'correct horse battery';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const day = (after: number): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
    .format(site.clock.now().getTime() + after * DAY_MS);

test('an admin requires two-step log-in; performers see the day above each page, and set it up', async () => {
  const performer = await site.performer();
  const back = await openPage(site, await site.admin(), '/admin');
  await back.press('Sites', { role: 'link', in: await back.find('navigation', 'Back office') });
  const form = await back.find('region', 'Rules');
  await back.press(/^Two-step log-in is required of staff and performers/u, { role: 'checkbox', in: form });
  await back.fill('Reason', 'the insurer asks for it', { in: form });
  await back.press('Save', { in: form });
  await back.sees('Saved');
  back.leave();

  const page = await openPage(site, performer, '/');
  const bar = await page.find('region', 'Two-step log-in is required');
  const text = new RegExp(`From ${day(7)} on, pages for performers and staff stay closed`, 'u');
  await page.sees(text, { in: bar });
  expect(await page.problems()).toEqual([]);
  await page.press('Set it up', { role: 'link', in: bar });
  const section = await page.find('heading', 'Two-step log-in', { level: 2 });
  expect(page.path).toBe('/account/settings');
  await page.sees(text, { in: section.parentElement as HTMLElement });
  expect(await page.problems()).toEqual([]);
  await page.press('Turn on');
  const dialog = await page.find('dialog', 'Two-step log-in');
  await page.fill('Current password', PASSWORD, { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.find('img', 'QR code for your authenticator app', { in: dialog });
  const secret = dialog.querySelector('code')?.textContent ?? '';
  const code = generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
  await page.fill('Code from the app', code, { in: dialog });
  await page.press('Confirm', { in: dialog });
  await page.press('I’ve saved them', { in: await page.find('dialog', 'Recovery codes') });
  await page.gone('region', 'Two-step log-in is required');
  await page.sees('On. Recovery codes left: 10.');
  expect(section.parentElement?.textContent).not.toContain('stay closed until');
});
