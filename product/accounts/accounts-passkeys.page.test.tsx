import { MINUTE_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { installPasskeys } from '#product/testkit/pages/page-passkeys.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCurrentUser } from './contract.ts';
import { listDevices } from './contract/devices.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('somebody adds a passkey, names it, logs in by it, and removes it', async () => {
  const owner = await site.viewer();
  const page = await openPage(site, owner, '/account/settings');
  await page.press('Add a passkey');
  const dialog = await page.find('dialog', 'Add a passkey');
  await page.fill('Name', 'My phone', { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.sees('This browser can’t use passkeys.', { in: dialog });
  const held: { key: Authenticator | null } = { key: null };
  installPasskeys(held);
  await page.press('Continue', { in: dialog });
  await page.sees('Nothing was chosen. Try again when you’re ready.', { in: dialog });
  held.key = new Authenticator();
  await page.press('Continue', { in: dialog });
  await page.sees('Passkey added');
  const list = await page.find('list', 'Passkeys');
  expect(list.textContent).toMatch(/^My phoneadded .*not used yet/u);
  await page.press('Rename My phone');
  const renaming = await page.find('dialog', 'Rename My phone');
  await page.fill('Name', 'Old phone', { in: renaming });
  await page.press('Save', { in: renaming });
  await page.find('button', 'Rename Old phone');
  expect(await page.problems()).toEqual([]);

  const browser = await site.visitor({ ofAge: true });
  const guest = await openPage(site, browser, '/register');
  await guest.press('Get tokens', { in: await guest.find('banner') });
  const prompt = await guest.find('dialog', 'Sign up');
  await guest.press('Log in', { in: prompt });
  await guest.press('Log in with a passkey', { in: await guest.find('dialog', 'Log in') });
  await guest.until(() => expect(guest.all('dialog', 'Log in')).toEqual([]));
  expect((await browser.call(getCurrentUser, {})).user.username).toBe(owner.username);

  const again = await openPage(site, owner, '/account/settings');
  expect((await again.find('list', 'Passkeys')).textContent).toMatch(/last used/u);
  await again.press('Remove Old phone');
  await again.press('Remove', { in: await again.find('dialog', 'Remove Old phone') });
  await again.sees('Passkey removed');
  expect(again.all('list', 'Passkeys')).toEqual([]);
});

test('after a while it takes the password, and a key without a check of its user a code', async () => {
  const owner = await site.viewer();
  const { secret } = await owner.call(beginTwoFactor, { password: PASSWORD });
  const code = () => generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
  await owner.call(confirmTwoFactor, { code: code() });
  await site.passes(11 * MINUTE_MS);
  installPasskeys({ key: new Authenticator({ verifies: false }) });
  const page = await openPage(site, owner, '/account/settings', { width: 390 });
  await page.press('Add a passkey');
  const dialog = await page.find('dialog', 'Add a passkey');
  await page.fill('Current password', 'a wrong one', { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.sees('Wrong name or password. Try again.', { in: dialog });
  await page.fill('Current password', PASSWORD, { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.fill('Code', code(), { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.sees('Passkey added');

  await site.passes(30_000);
  const login = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await login.press('Log in with a passkey');
  await login.fill('Code', code());
  const form = await login.find('form', 'Log in with a passkey');
  await login.press('Log in', { in: form });
  await login.until(() => expect(login.path).toBe('/'));
  await login.idle();
});

test('a passkey that the field and the button both return logs in once', async () => {
  const owner = await site.viewer();
  let take = (): void => undefined;
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const key = new Authenticator();
  let answersBoth = false;
  installPasskeys({
    get key() {
      if (answersBoth) take();
      return key;
    },
  }, taken);
  const page = await openPage(site, owner, '/account/settings');
  await page.press('Add a passkey');
  await page.press('Continue', { in: await page.find('dialog', 'Add a passkey') });
  await page.sees('Passkey added');
  const { sessions } = await owner.call(listDevices, {});

  const login = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await login.idle();
  answersBoth = true;
  await login.press('Log in with a passkey');
  await login.until(() => expect(login.path).toBe('/'));
  await login.idle();
  expect((await owner.call(listDevices, {})).sessions).toHaveLength(sessions.length + 1);
});

const suspends = (owner: Member) =>
  site.tx((tx) =>
    site.services.accounts.suspend(tx, owner.id, {
      suspended: true,
      actorId: null,
      reason: 'for the test',
      notice: { cause: 'payment', message: 'Write to us.' },
    })
  );
const today = (): string =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(site.clock.now());

test('a suspended account leads from the dialog to its page with the day [A-444]', async () => {
  const owner = await site.viewer();
  installPasskeys({ key: new Authenticator() });
  const page = await openPage(site, owner, '/account/settings');
  await page.press('Add a passkey');
  const dialog = await page.find('dialog', 'Add a passkey');
  await page.fill('Name', 'Key', { in: dialog });
  await page.press('Continue', { in: dialog });
  await page.sees('Passkey added');
  await suspends(owner);
  const day = today();
  for (const by of ['passkey', 'password'] as const) {
    const guest = await openPage(site, await site.visitor({ ofAge: true }), '/register');
    await guest.press('Get tokens', { in: await guest.find('banner') });
    await guest.press('Log in', { in: await guest.find('dialog', 'Sign up') });
    const login = await guest.find('dialog', 'Log in');
    if (by === 'passkey') await guest.press('Log in with a passkey', { in: login });
    else {
      await guest.fill('Username or email', owner.username, { in: login });
      await guest.fill('Password', PASSWORD, { in: login });
      await guest.press('Log in', { in: login });
    }
    await guest.find('heading', 'Account suspended', { level: 1 });
    await guest.sees(`Your account has been suspended since ${day}.`);
    for (const text of ['There’s a problem with a payment.', 'Write to us.']) await guest.sees(text);
    expect([guest.path, guest.all('dialog', 'Log in')]).toEqual(['/account/suspended', []]);
  }
});

test('so does one that is suspended before the code after a passkey is sent [A-444]', async () => {
  const owner = await site.viewer();
  installPasskeys({ key: new Authenticator({ verifies: false }) });
  const page = await openPage(site, owner, '/account/settings');
  await page.press('Add a passkey');
  await page.press('Continue', { in: await page.find('dialog', 'Add a passkey') });
  await page.sees('Passkey added');
  const { secret } = await owner.call(beginTwoFactor, { password: PASSWORD });
  const code = () => generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
  await owner.call(confirmTwoFactor, { code: code() });
  await site.passes(30_000);
  const login = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await login.press('Log in with a passkey');
  await login.fill('Code', code());
  await suspends(owner);
  await login.press('Log in', { in: await login.find('form', 'Log in with a passkey') });
  await login.find('heading', 'Account suspended', { level: 1 });
  await login.sees(`Your account has been suspended since ${today()}.`);
  for (const text of ['There’s a problem with a payment.', 'Write to us.']) await login.sees(text);
  expect(login.path).toBe('/account/suspended');
});
