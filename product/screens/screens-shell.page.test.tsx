import { uuidV4 } from '#platform/data/ids.ts';
import { logout, register } from '#product/accounts/contract.ts';
import { setStandby, setStreamerSettings } from '#product/broadcast/contract/settings.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('a stranger signs up, is in, logs out, and the page reloads [A-030, A-343]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/register');
  const form = await page.find('main');
  await page.fill('Username', 'new_in_town', { in: form });
  await page.fill('Email', 'new_in_town@people.example', { in: form });
  await page.fill('Password', 'harbour-lights-9', { in: form });
  await page.choose('Day', '14', { in: form });
  await page.choose('Month', 'March', { in: form });
  await page.choose('Year', '1991', { in: form });
  await page.click(await page.find('checkbox', undefined, { in: form }));
  await page.press('Sign up', { in: form });
  await page.find('heading', 'Welcome, @new_in_town');
  await page.press('Go to the home page', { role: 'link' });
  await page.find('heading', 'Live now');
  await page.press(/new_in_town’s account$/u);
  // Each document has a network of its own. The sockets' log-out message does not arrive here.
  const { network } = page;
  network.stalls('/ws/lobby');
  await page.press('Log out', { role: 'menuitem' });
  await page.until(() => expect(page.network).not.toBe(network));
  expect(network.sent).toContain('POST /api/v1/auth/logout {}');
  await page.find('link', 'Log in', { in: await page.find('banner') });
  expect([page.path, page.left, page.all('button', /’s account$/u)]).toEqual(['/', [], []]);
});

test('log-in has its page, which says what is wrong and keeps what was typed [A-031]', async () => {
  const { person } = await site.viewer();
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  const form = await page.find('main');
  await page.find('heading', 'Log in', { in: form });
  await page.fill('Username or email', person.username, { in: form });
  await page.fill('Password', 'not-the-password', { in: form });
  await page.press('Log in', { in: form });
  const alert = await page.find('alert', undefined, { in: form });
  await page.until(() => expect(alert.textContent).toBe('Wrong name or password. Try again.'));
  expect(await page.field('Username or email')).toHaveProperty('value', person.username);
  expect([page.path, page.all('button', /’s account$/u)]).toEqual(['/login', []]);
  expect(await page.problems()).toEqual([]);
  await page.fill('Password', 'correct horse battery', { in: form });
  await page.press('Log in', { in: form });
  await page.find('button', /’s account$/u);
  await page.until(() => expect(page.path).toBe('/'));
});

test('on a phone chat, tip and about are one press away [B-104, B-109]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer({ tokens: 50 }), performer, { width: 390 });
  const name = performer.person.displayName;
  await page.find('textbox', 'Message');
  const form = await page.find('form', new RegExp(`^Tip ${name}`, 'u'));
  await page.press('About');
  await page.find('heading', new RegExp(`^About ${name}`, 'u'));
  expect(form.isConnected && page.isShown(form)).toBe(true);
  await page.press('Tip 25', { in: form });
  await page.sees(`You tipped ${name} 25 tokens.`);
});

test('the room on the page, and its tips, are of the one its address names [B-104, B-109]', async () => {
  const [one, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
  await site.says(await (await site.viewer()).joins(one), 'Only in the first room');
  const page = await openRoom(site, await site.viewer({ tokens: 50 }), one);
  await page.find('heading', new RegExp(`^About ${one.person.displayName}`, 'u'));
  await page.sees(/Only in the first room/u);
  await page.press(/^Candela/u, { role: 'link' });
  await page.press(new RegExp(other.person.displayName, 'u'), { role: 'link', in: await page.find('main') });
  await page.find('heading', new RegExp(`^About ${other.person.displayName}`, 'u'));
  await page.field('Message');
  expect(page.path).toBe(`/${other.username}`);
  expect(page.shows(/Only in the first room/u)).toBe(false);
  await page.until(() => {
    const asked = page.network.sent.findLast((sent) => sent.includes('/video/playback/'));
    expect(asked).toContain(`/video/playback/${other.username}`);
  });
  await site.says(await (await site.viewer()).joins(other), 'Only in the second room');
  await page.sees(/Only in the second room/u);
  expect(page.shows(/Only in the first room/u)).toBe(false);
  await page.press('Tip menu');
  const form = await page.find('form', new RegExp(`^Tip ${other.person.displayName}`, 'u'));
  expect(page.all('form', new RegExp(`^Tip ${one.person.displayName}`, 'u'))).toEqual([]);
  await page.fill('Tokens', '30', { in: form });
  await page.fill('Message (optional)', 'for the second room', { in: form });
  await page.press('Tip 30', { in: form });
  await page.sees(`You tipped ${other.person.displayName} 30 tokens.`);
  await page.sees(/for the second room/u, { in: await page.find('list', 'Chat') });
  await page.find('button', /^20 tokens/u);
});

test('logging out leads to the co-registration domain, where the site has one [A-343]', async () => {
  const host = 'partner.example';
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Partner',
    sitecode: 'partner',
    hosts: [host],
    coRegistrationUrl: 'https://co.example/bye',
  });
  const visitor = await site.visitor({ host, ofAge: true });
  await visitor.call(register, {
    username: 'joined_ada',
    email: 'joined_ada@people.example',
    password: 'a horse of another colour',
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  const page = await openPage(site, visitor, '/', { host });
  const { network } = page;
  const received = (): string[] =>
    network.texts.filter(({ from }) => from === 'site').map(({ text }) => text);
  await page.until(() => expect(received().at(-1)).toBe('["v3.lobby.start",{}]'));
  await page.press(/joined_ada’s account$/u);
  await page.press('Log out', { role: 'menuitem' });
  await page.until(() => expect(page.left).toEqual(['https://co.example/bye']));
  // The lobby reports the end of the session, too: it keeps nobody here.
  await page.until(() => expect(received()).toContain('["v3.logout",{}]'));
  await page.idle();
  expect([page.network === network, page.left]).toEqual([true, ['https://co.example/bye']]);
});

test('a log-out elsewhere in the same browser ends the page [A-385]', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/');
  // A message over the socket shows that it is connected.
  await site.tx((tx) => site.services.ledger.grant(tx, viewer.id, 7, 'a test', uuidV4()));
  await page.find('button', /^7 tokens/u);
  const { network } = page;
  await viewer.call(logout, {});
  await page.until(() => expect(page.network).not.toBe(network));
  expect(network.texts.at(-1)).toEqual({ from: 'site', path: '/ws/lobby', text: '["v3.logout",{}]' });
  await page.find('link', 'Log in');
  expect(page.all('button', /’s account$/u)).toEqual([]);
});

test('a success closes after 2,500 ms, and an error stays until it is dismissed [A-225, A-447]', async () => {
  const [viewer, performer] = [await site.viewer({ tokens: 100 }), await site.performer({ live: true })];
  const page = await openRoom(site, viewer, performer);
  await page.press('Tip 25');
  const news = await page.sees(/^You tipped .* 25 tokens\.$/u);
  await site.passes(2_499);
  await page.idle();
  expect(page.isShown(news)).toBe(true);
  await site.passes(1);
  await page.until(() => expect(page.isShown(news)).toBe(false));
  // Pointing at a toast keeps it open.
  await page.press('Tip 25');
  const read = await page.sees(/^You tipped .* 25 tokens\.$/u);
  await page.hover(read);
  await site.passes(60_000);
  await page.idle();
  expect(page.isShown(read)).toBe(true);
  await page.unhover(read);
  await page.until(() => {
    site.clock.advance(500);
    expect(page.isShown(read)).toBe(false);
  });
  await site.anotherTabOf(performer, { region: 'SE' });
  await page.press('Tip 25');
  const error = await page.sees(/^Tipping Unavailable: /u);
  await site.passes(60_000);
  await page.idle();
  expect(page.isShown(error)).toBe(true);
  expect(await page.problems()).toEqual([]);
  await page.press('Dismiss');
  await page.until(() => expect(page.isShown(error)).toBe(false));
});

test('news that the page was sent closes after 2,500 ms too [A-225, A-447]', async () => {
  const [performer, admin] = [await site.performer(), await site.admin()];
  await admin.call(changeOperatorRules, { standby_domains: ['localhost'], reason: 'seen in a test' });
  await performer.call(setStreamerSettings, { standby_notifications_enabled: true });
  await performer.call(setStandby, { on: true });
  const page = await openPage(site, performer, '/go-live');
  await page.until(() => expect(page.network.texts.at(-1)?.text).toBe('["v3.lobby.start",{}]'));
  const viewer = await site.viewer();
  await viewer.joins(performer);
  const news = await page.sees(`${viewer.person.displayName} came into your room`);
  await site.passes(2_499);
  await page.idle();
  expect(page.isShown(news)).toBe(true);
  await site.passes(1);
  await page.until(() => expect(page.isShown(news)).toBe(false));
});

test('a menu goes round by keys, jumps to its ends and to letters, and gives the focus back', async () => {
  const page = await openPage(site, await site.admin(), '/');
  const button = await page.find('button', /’s account$/u);
  const focused = (): string => page.focused?.textContent?.trim() ?? '';
  button.focus();
  await page.keys('{Enter}');
  await page.find('menuitem', 'Tokens');
  const names = page.all('menuitem').map(({ textContent }) => textContent?.trim() ?? '');
  const [first = '', second = ''] = names;
  const last = names.at(-1) ?? '';
  expect(await page.problems()).toEqual([]);
  await page.until(() => expect(focused()).toBe(first));
  for (const [key, expected] of [
    ['{ArrowDown}', second],
    ['{ArrowUp}', first],
    ['{ArrowUp}', last],
    ['{ArrowDown}', first],
    ['{End}', last],
    ['{Home}', first],
    ['b', 'Back office'],
  ] as const) {
    await page.keys(key);
    expect([key, focused()]).toEqual([key, expected]);
  }
  await page.keys('{Escape}');
  await page.gone('menu');
  await page.until(() => expect(page.focused).toBe(button));
  expect(button.getAttribute('aria-expanded')).toBe('false');
  await page.keys('{ArrowUp}');
  await page.until(() => expect(focused()).toBe(last));
  await page.click(await page.find('heading', 'Live now'));
  await page.gone('menu');
  await page.click(button);
  await page.find('menuitem', first);
  await page.click(button);
  await page.gone('menu');
});
