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

const codeOf = (secret: string): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });

test('somebody turns two-step log-in on, logs in with a code, and turns it off', async () => {
  const owner = await site.viewer();
  const page = await openPage(site, owner, '/account/settings');
  await page.press('Turn on');
  const dialog = await page.find('dialog', 'Two-step log-in');
  await page.fill('Current password', 'a wrong one', { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.sees('Wrong name or password. Try again.', { in: dialog });
  await page.fill('Current password', PASSWORD, { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.find('img', 'QR code for your authenticator app', { in: dialog });
  const secret = dialog.querySelector('code')?.textContent ?? '';
  expect(secret).toMatch(/^[A-Z2-7]{32}$/u);
  expect(await page.problems()).toEqual([]);
  await page.fill('Code from the app', codeOf(secret), { in: dialog });
  await page.press('Confirm', { in: dialog });
  const codes = await page.find('dialog', 'Recovery codes');
  expect(page.all('listitem', undefined, { in: codes })).toHaveLength(10);
  const recovery = page.all('listitem', undefined, { in: codes })[0]?.textContent ?? '';
  await page.press('I’ve saved them', { in: codes });
  await page.sees('On. Recovery codes left: 10.');

  await site.passes(30_000);
  const other = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await other.fill('Username or email', owner.username);
  await other.fill('Password', PASSWORD);
  await other.press('Log in', { role: 'button', in: await other.find('main') });
  await other.sees('Enter the code from your authenticator app.');
  await other.until(() => expect(other.focused?.getAttribute('autocomplete')).toBe('one-time-code'));
  await other.fill('Code', '000');
  await other.press('Log in', { role: 'button', in: await other.find('main') });
  await other.sees('That code isn’t right, or was used before. Wait for the next one and try again.');
  await other.fill('Code', codeOf(secret));
  await other.press('Log in', { role: 'button', in: await other.find('main') });
  await other.until(() => expect(other.path).toBe('/'));

  const again = await openPage(site, owner, '/account/settings');
  await again.press('Turn off');
  const off = await again.find('dialog', 'Turn off');
  await again.fill('Current password', PASSWORD, { in: off });
  await again.fill('Code from the app, or a recovery code', recovery, { in: off });
  await again.press('Turn off', { in: off });
  await again.sees('Two-step log-in is off');
  await again.find('button', 'Turn on');
});

test('a new browser on a new network asks for the code of an email, and for another one', async () => {
  const owner = await site.viewer();
  const codes = () => site.loginCodesOf(owner.person.email);
  const page = await openPage(site, await site.visitor({ ofAge: true, address: '127.9.9.9' }), '/login');
  const main = await page.find('main');
  await page.fill('Username or email', owner.username, { in: main });
  await page.fill('Password', PASSWORD, { in: main });
  await page.press('Log in', { role: 'button', in: main });
  await page.sees(/^We don’t know this browser yet\. Enter the code we’ve sent/u, { in: main });
  await page.sees('6 digits from the email we’ve sent you. Check your spam folder too.', { in: main });
  await page.until(() => expect(page.focused?.getAttribute('autocomplete')).toBe('one-time-code'));
  expect(await page.problems()).toEqual([]);
  const [first = ''] = await codes();
  await page.fill('Code', first === '111111' ? '222222' : '111111', { in: main });
  await page.press('Log in', { role: 'button', in: main });
  await page.sees(/^That code isn’t right or has expired/u, { in: main });
  await site.passes(60_000);
  await page.press('Send another code', { in: main });
  await page.until(async () => expect(await codes()).toHaveLength(2));
  await page.fill('Code', (await codes())[0] ?? '', { in: main });
  await page.press('Log in', { role: 'button', in: main });
  await page.until(() => expect(page.path).toBe('/'));
});
