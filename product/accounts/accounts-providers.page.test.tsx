import { systemClock } from '#platform/data/clock.ts';
import {
  openIdentitySimulator,
  type IdentitySimulator,
  type SimulatedPerson,
} from '#platform/identities/simulator.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCurrentUser } from './contract.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';

const PASSWORD = 'correct horse battery';
const TERMS = 'I’m at least 18 years old and accept the terms of this site.';
const BUTTONS = { google: 'Continue with Google', facebook: 'Continue with Facebook' } as const;
/** The providers of the sites at these hosts. */
const HOSTS = {
  'localhost': ['google', 'facebook'],
  'google.example': ['google'],
  'facebook.example': ['facebook'],
  'none.example': [],
} as const;
let site: TestSite;
let simulator: IdentitySimulator;
beforeAll(async () => {
  simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  site = await createSite({
    settings: {
      identityProvidersAt: (host) => {
        const names: readonly string[] = HOSTS[host as keyof typeof HOSTS] ?? [];
        return simulator.providers.filter(({ name }) => names.includes(name));
      },
    },
  });
  for (const host of Object.keys(HOSTS).slice(1)) {
    await site.services.site.addSite(site.scope.operatorId, {
      displayName: host,
      sitecode: host.split('.')[0] ?? '',
      hosts: [host],
      isWhitelabel: true,
    });
  }
});
afterAll(async () => {
  await site.close();
  await simulator.close();
});

type Page = Awaited<ReturnType<typeof openPage>>;
const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search;

const nameOf = async (browser: Visitor): Promise<string> =>
  (await browser.call(getCurrentUser, {})).user.username;

/** Clicks a provider's button, logs in there as somebody, and comes back. */
async function goes(page: Page, button: string, person: SimulatedPerson): Promise<void> {
  const before = page.left.length;
  await page.press(button);
  await page.until(() => expect(page.left.length).toBeGreaterThan(before));
  await page.goto(pathOf(await simulator.logsIn(page.left.at(-1) ?? '', person)));
}
async function entersBirthDate(page: Page): Promise<void> {
  await page.choose('Day', '12');
  await page.choose('Month', 'March');
  await page.choose('Year', '1990');
}

test('oauthAvailable says which log-in buttons a site has, in the page and the dialogs [A-151]', async () => {
  for (const [host, names] of Object.entries(HOSTS)) {
    const guest = await site.visitor({ host, ofAge: true });
    const has = (name: string): boolean => (names as readonly string[]).includes(name);
    const { oauthAvailable } = await guest.call(getSiteConfig, {});
    expect(oauthAvailable).toEqual({ facebook: has('facebook'), google: has('google') });
    const page = await openPage(site, guest, '/login', { host });
    const check = (): void => {
      for (const [name, text] of Object.entries(BUTTONS)) {
        expect(page.all('button', text)).toHaveLength(has(name) ? 1 : 0);
      }
    };
    await page.find('button', 'Log in with a passkey');
    check();
    for (const name of names) {
      await page.press(BUTTONS[name]);
      await page.until(() => expect(page.left.at(-1)).toContain(`${simulator.origin}/${name}/`));
    }
    await page.goto('/register');
    await page.find('heading', 'Sign up');
    check();
    await page.goto('/models/signup');
    await page.press('Get tokens', { in: await page.find('banner') });
    const dialog = await page.find('dialog', 'Sign up');
    check();
    await page.press('Log in', { in: dialog });
    await page.find('dialog', 'Log in');
    check();
  }
});

/** After a sign-up the page welcomes the member, and links back to where they came from. */
async function isWelcomed(page: Page, username: string, from: string): Promise<void> {
  await page.find('heading', `Welcome, @${username}`);
  await page.press('Back to where you were', { role: 'link' });
  await page.until(() => expect(page.path).toBe(from));
  await page.idle();
}

test('the free registration page signs up by a form, or connects an account elsewhere [A-041]', async () => {
  const browser = await site.visitor({ ofAge: true });
  const page = await openPage(site, browser, '/login?next=%2Fgirls');
  await page.press('Came from a partner site?', { role: 'link' });
  await page.press('No account yet? Join free', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/free-register/connect?next=%2Fgirls'));
  await page.find('heading', 'Join free');
  await page.fill('Username', 'plain-jo');
  await page.fill('Email', 'plain@people.example');
  await page.fill('Password', PASSWORD);
  await entersBirthDate(page);
  await page.press(TERMS, { role: 'checkbox' });
  await page.press('Sign up', { role: 'button', in: await page.find('main') });
  await isWelcomed(page, 'plain-jo', '/girls');
  expect(await nameOf(browser)).toBe('plain-jo');

  const other = await openPage(site, await site.visitor({ ofAge: true }), '/register?next=%2Fmen', {
    width: 390,
  });
  const person = { subject: 'page-1', email: 'free@people.example', isEmailVerified: true };
  await goes(other, BUTTONS.google, person);
  await other.find('heading', 'Almost done');
  expect(other.path).toBe('/free-register/connect');
  await other.sees('Email: free@people.example');
  expect(await other.problems()).toEqual([]);
  await other.fill('Username', 'login');
  await entersBirthDate(other);
  await other.press(TERMS, { role: 'checkbox' });
  await other.press('Sign up', { role: 'button', in: await other.find('main') });
  await other.sees('This username is taken. Choose another.');
  await other.fill('Username', 'free-jo');
  await other.press('Sign up', { role: 'button', in: await other.find('main') });
  await isWelcomed(other, 'free-jo', '/men');

  const back = await site.visitor({ ofAge: true });
  const again = await openPage(site, back, '/login?next=%2Fgirls');
  await goes(again, BUTTONS.google, person);
  await again.until(() => expect(again.path).toBe('/girls'));
  await again.idle();
  expect(await nameOf(back)).toBe('free-jo');
});

test('an address with an account asks for a log-in once, then the provider logs in', async () => {
  const owner = await site.viewer();
  const person = { subject: 'page-2', email: owner.person.email, isEmailVerified: true };
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await goes(page, BUTTONS.google, person);
  await page.find('heading', 'Connect Google');
  await page.sees(new RegExp(`There’s already an account with ${owner.person.email}`, 'u'));
  expect(page.all('button', BUTTONS.google)).toEqual([]);
  await page.fill('Username or email', owner.username);
  await page.fill('Password', PASSWORD);
  await page.press('Log in', { role: 'button', in: await page.find('main') });
  await page.sees('Google connected');
  await page.goto('/account/settings');
  const list = await page.find('list', 'Other ways to log in');
  expect(list.textContent).toContain(`Google${owner.person.email}`);
  await page.press('Disconnect Google');
  await page.sees('Google disconnected');
  await goes(page, 'Connect Google', person);
  await page.until(() => expect(page.path).toBe('/account/settings'));
  await page.find('button', 'Disconnect Google');
  expect(await page.problems()).toEqual([]);
});

test('somebody who cancelled, or comes back in another browser, can start again', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  await page.press(BUTTONS.facebook);
  await page.until(() => expect(page.left).toHaveLength(1));
  const back = new URL(page.left[0] ?? '');
  const query = `state=${back.searchParams.get('state')}&error=access_denied`;
  await page.goto(`/free-register/connect?${query}`);
  await page.sees('You canceled, so nothing has changed.');
  await page.press('Start again');
  await page.find('heading', 'Join free');
  await page.goto(`/free-register/connect?${query}`);
  await page.sees('That took too long, or was started in another browser. Start again.');
});

test('the partner log-in takes the account of any site of the group [A-148]', async () => {
  const owner = await site.viewer({ host: 'google.example' });
  const guest = await site.visitor({ host: 'none.example', ofAge: true });
  const page = await openPage(site, guest, '/login?next=%2Fgirls', { host: 'none.example' });
  await page.press('Came from a partner site?', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/pg-login?next=%2Fgirls'));
  await page.find('heading', 'Partner log-in');
  await page.sees(/^One account for all our sites: log in with the name and password/u);
  await page.fill('Username or email', owner.username);
  await page.fill('Password', 'a wrong one');
  await page.press('Log in', { role: 'button', in: await page.find('main') });
  await page.sees('Wrong name or password. Try again.');
  await page.fill('Password', PASSWORD);
  await page.press('Log in', { role: 'button', in: await page.find('main') });
  await page.until(() => expect(page.path).toBe('/girls'));
  await page.idle();
  expect(await nameOf(guest)).toBe(owner.username);
});

test(
  'a suspended account leads from a provider, or the code after it, to its page with the day [A-444]',
  async () => {
    const owner = await site.viewer();
    const person = { subject: 'page-3', email: 'late@people.example', isEmailVerified: true };
    const own = await openPage(site, owner, '/account/settings');
    await goes(own, 'Connect Google', person);
    await own.find('button', 'Disconnect Google');
    const { secret } = await owner.call(beginTwoFactor, { password: PASSWORD });
    const code = () => generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
    await owner.call(confirmTwoFactor, { code: code() });
    await site.passes(30_000);
    // The account is suspended between the provider's answer and the code.
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/login');
    await goes(page, BUTTONS.google, person);
    await page.find('heading', 'Two-step log-in');
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, owner.id, {
        suspended: true,
        actorId: null,
        reason: 'for the test',
        notice: { cause: 'payment', message: 'Write to us.' },
      })
    );
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
      .format(site.clock.now());
    const isSuspended = async (where: Page): Promise<void> => {
      await where.find('heading', 'Account suspended', { level: 1 });
      await where.sees(`Your account has been suspended since ${day}.`);
      for (const text of ['There’s a problem with a payment.', 'Write to us.']) await where.sees(text);
      expect(where.path).toBe('/account/suspended');
    };
    await page.fill('Code', code());
    await page.press('Log in', { role: 'button', in: await page.find('main') });
    await isSuspended(page);
    const again = await openPage(site, await site.visitor({ ofAge: true }), '/login');
    await goes(again, BUTTONS.google, person);
    await isSuspended(again);
  },
);
