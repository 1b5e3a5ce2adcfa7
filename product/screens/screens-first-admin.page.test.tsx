import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite } from '#product/testkit/site.ts';
import { generateSync } from 'otplib';
import { expect, onTestFinished, test } from 'vitest';

const PASSWORD = 'correct horse battery staple';

test.each([
  { name: 'who never passed the entry gate', region: undefined, gate: 'Are you 18 or older?' },
  { name: 'whose region asks for proof of age', region: 'US-FL', gate: 'Age verification required' },
])('somebody $name opens a new site as its first admin, by sign-up', async ({ region, gate }) => {
  const site = await createSite({ settings: { needsAdmin: true } });
  onTestFinished(() => site.close());
  const token = await site.tx((tx) => site.services.accounts.firstAdminToken(tx));
  const printed = `/admin/first-admin?token=${token}`;
  const visitor = await site.visitor(region === undefined ? {} : { region });
  const page = await openPage(site, visitor, printed);
  await page.until(() => expect(page.path).toBe(`/login?next=${encodeURIComponent(printed)}`));
  await page.press('Sign up', { role: 'link', in: await page.find('main') });
  await page.fill('Username', 'owner');
  await page.fill('Email', 'owner@people.example');
  await page.fill('Password', PASSWORD);
  for (const [field, value] of [['Day', '12'], ['Month', 'March'], ['Year', '1990']] as const) {
    await page.choose(field, value);
  }
  await page.press(/^I’m at least 18/u, { role: 'checkbox' });
  await page.press('Sign up', { role: 'button', in: await page.find('main') });
  await page.find('heading', 'Welcome, @owner');
  await page.press('Back to where you were', { role: 'link' });
  await page.until(() => expect(page.path).toBe(printed));
  await page.press('Make me the admin');
  await page.press('Set it up', { role: 'link' });
  const section = await page.find('region', 'Two-step log-in');
  await page.press('Turn on', { in: section });
  const dialog = await page.find('dialog', 'Two-step log-in');
  await page.fill('Current password', PASSWORD, { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.find('img', 'QR code for your authenticator app', { in: dialog });
  const secret = dialog.querySelector('code')?.textContent ?? '';
  const code = generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1_000) });
  await page.fill('Code from the app', code, { in: dialog });
  await page.press('Confirm', { in: dialog });
  await page.press('I’ve saved them', { in: await page.find('dialog', 'Recovery codes') });
  await page.goto('/admin/people');
  await page.find('button', 'Find account');
  expect(await page.problems()).toEqual([]);
  // The entry gate still covers everything else.
  await page.goto('/tags');
  await page.sees(gate);
});
