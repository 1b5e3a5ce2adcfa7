import { systemClock } from '#platform/data/clock.ts';
import { openIdentitySimulator, type IdentitySimulator } from '#platform/identities/simulator.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePassword, confirmEmail, getAuthState } from './contract.ts';
import { changeEmail } from './contract/life/email.ts';
import { addPasskey, beginPasskey, listPasskeys } from './contract/passkeys.ts';
import { finishProvider, listProviders, startProvider } from './contract/providers.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
let simulator: IdentitySimulator;
beforeAll(async () => {
  simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  site = await createSite({ settings: { identityProvidersAt: () => simulator.providers } });
});
afterAll(async () => {
  await site.close();
  await simulator.close();
});

async function addsPasskey(owner: Member, name: string): Promise<void> {
  const { ticket, options } = await owner.call(beginPasskey, {});
  const credential = new Authenticator().makes(options, 'http://localhost');
  await owner.call(addPasskey, { ticket, name, credential });
}

async function connectsGoogle(owner: Member, email: string): Promise<void> {
  const { url } = await owner.call(startProvider, { provider: 'google', purpose: 'link' });
  const back = await simulator.logsIn(url, { subject: email, email, isEmailVerified: true });
  await owner.call(finishProvider, { query: new URL(back).search.slice(1) });
}

test(
  'after a new password somebody stays in, checks what was added, and removes what is not theirs',
  async () => {
    const owner = await site.viewer();
    await addsPasskey(owner, 'My phone');
    await addsPasskey(owner, 'Their laptop');
    await site.passes(1_000);
    await connectsGoogle(owner, 'them@elsewhere.example');
    const before = owner.cookie('session');
    const page = await openPage(site, owner, '/account/settings', { width: 390 });
    const form = (await page.find('button', 'Change password')).closest('form') as HTMLFormElement;
    const username = form.querySelector<HTMLInputElement>('input[autocomplete=username]');
    expect(username?.value).toBe(owner.username);
    await page.fill('Current password', PASSWORD, { in: form });
    await page.fill('New password', 'eleven blue tortoises', { in: form });
    await page.press('Change password', { in: form });
    await page.click(await page.find('link', 'Check them'));
    expect(owner.cookie('session')).not.toBe(before);
    await page.until(() => expect(page.path).toBe('/account/ways-in'));
    // The settings page before it has buttons with the same names.
    await page.find('heading', 'Ways to log in', { level: 1 });
    const removals = () => page.all('button', /^Remove /u).map((button) => button.getAttribute('aria-label'));
    await page.find('button', 'Remove My phone');
    await page.sees(/Other account · them@elsewhere\.example/u);
    await page.press('Remove Their laptop');
    await page.press('Remove Google');
    await page.until(() => expect(removals()).toEqual(['Remove My phone']));
    await page.press('All of these are mine');
    await page.sees('Nothing to check: no ways to log in were added lately.');
    expect(await page.problems()).toEqual([]);
    expect((await owner.call(getAuthState, {})).authenticated).toBe(true);
    await owner.opens();
    const names = async () => (await owner.call(listPasskeys, {})).passkeys.map(({ name }) => name);
    // Calls are limited per minute.
    await expect.poll(names, { interval: 500 }).toEqual(['My phone']);
    expect((await owner.call(listProviders, {})).linked).toEqual([]);
  },
);

test('an address that was replaced stands among them, until somebody says that it was them', async () => {
  const owner = await site.viewer();
  const { person: { email } } = owner;
  await owner.call(changeEmail, { email: 'moved-lately@mail.example' });
  const mail = await site.tx((tx) => lastMessageTo(tx, 'moved-lately@mail.example'));
  await owner.call(confirmEmail, { token: /token=(\S+)/u.exec(mail)?.[1] ?? '' });
  await site.passes(1_000);
  await owner.call(changePassword, { current: PASSWORD, next: 'eleven blue tortoises' });
  await owner.opens();
  const page = await openPage(site, owner, '/account/ways-in', { width: 390 });
  await page.sees(email);
  await page.sees(/^Former email address · replaced/u);
  await page.sees(/If you didn’t change it, put this one back with the link in the email we sent to it\./u);
  expect(page.all('button', /^Remove /u)).toEqual([]);
  expect(await page.problems()).toEqual([]);
  await page.press('All of these are mine');
  await page.sees('Nothing to check: no ways to log in were added lately.');
});

test('a guest who opens the page logs in first', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/account/ways-in');
  await page.until(() => expect(page.path).toMatch(/^\/login/u));
});

test('what was answered before a change does not undo it on the page', async () => {
  const owner = await site.viewer();
  const page = await openPage(site, owner, '/account/settings');
  await page.find('button', 'Change password');
  const release = page.network.holdsAnswers(/user\/current/u);
  const asked = () => page.network.sent.filter((request) => /user\/current/u.test(request)).length;
  page.network.forgets();
  // Another tab adds a way to log in, and this one asks who they are now.
  await addsPasskey(owner, 'My phone');
  await page.until(() => expect(asked()).toBeGreaterThan(0));
  const form = (await page.field('Display name')).closest('form') as HTMLFormElement;
  await page.fill('Display name', 'Rosalind', { in: form });
  await page.press('Save', { in: form });
  await page.until(() => expect(page.network.sent.some((request) => /profile/u.test(request))).toBe(true));
  await site.settle();
  release();
  await page.find('button', /^Rosalind’s account/u);
});
