import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSite, type TestSite } from '../site.ts';
import { openPage, openRoom } from './open-page.tsx';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('a guest goes from the header to the log-in page, whose refusal is shown', async () => {
  const { person } = await site.viewer();
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  await page.find('heading', 'Live now');
  await page.press('Log in', { role: 'link' });
  const form = await page.find('main');
  await page.fill('Username or email', person.username, { in: form });
  await page.fill('Password', 'wrong-password', { in: form });
  await page.press('Log in', { in: form });
  await page.find('alert');
  expect(page.path).toBe('/login');
});

test('a tip is sent by a call, and its line arrives by the socket', async () => {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer({ tokens: 100 });
  const page = await openRoom(site, viewer, performer);
  await page.press('Tip 25');
  await page.sees(new RegExp(`${viewer.username} tipped 25 tokens`, 'u'));
  expect(await page.problems()).toEqual([]);
});

test('a page makes its calls below the base that its installation configures [C-247]', async () => {
  const elsewhere = await createSite({ settings: { apiBase: '/backend/v9' } });
  const performer = await elsewhere.performer({ live: true });
  const viewer = await elsewhere.viewer({ tokens: 100 });
  const page = await openRoom(elsewhere, viewer, performer);
  await page.press('Tip 25');
  await page.sees(new RegExp(`${viewer.username} tipped 25 tokens`, 'u'));
  const asked = page.network.sent.map((text) => text.split(' ')[1] ?? '');
  expect(asked).toContain(`/backend/v9/tip/${performer.username}`);
  expect(asked.filter((path) => !path.startsWith('/backend/v9/'))).toEqual([]);
  const tokens = await openPage(elsewhere, viewer, '/account/tokens');
  const csv = (await tokens.find('link', 'Save as CSV')).getAttribute('href');
  expect(csv).toBe('/backend/v9/tokens/history.csv');
  tokens.leave();
  await elsewhere.close();
});

test('a page goes back as far as the address that was opened, whatever page was before it', async () => {
  const first = await openPage(site, await site.viewer(), '/account/tokens');
  await first.press('Men', { role: 'link', in: await first.find('banner') });
  await first.until(() => expect(first.path).toBe('/men'));
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/girls');
  await page.press('Log in', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/login'));
  await page.back();
  await page.until(() => expect(page.path).toBe('/girls'));
  await expect(page.back()).rejects.toThrow('nothing is before this address');
  expect(page.path).toBe('/girls');
});

test('what is seen depends on the width: the bottom bar is for phones', async () => {
  const viewer = await site.viewer();
  const phone = await openPage(site, viewer, '/', { width: 390 });
  const bar = await phone.find('navigation', 'Main navigation');
  await phone.press('Account', { in: bar, role: 'link' });
  const wide = await openPage(site, viewer, '/', { width: 1280 });
  await wide.find('heading', 'Live now');
  expect(wide.all('link', 'Account')).toEqual([]);
});

test('the page runs on the clock of the site: a toast goes after 2.5 s', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer({ tokens: 100 }), performer);
  await page.press('Tip 25');
  const toast = await page.sees(/You tipped .* 25 tokens\./u);
  await site.passes(2_499);
  await page.idle();
  expect(page.isShown(toast)).toBe(true);
  await site.passes(1);
  await page.until(() => {
    if (page.isShown(toast)) throw new Error('the toast stays');
  });
});

test('what is behind a dialog can be seen and not pressed', async () => {
  const performer = await site.performer({ live: true });
  const page = await openPage(site, await site.visitor({ ofAge: true }), `/${performer.username}`);
  const tip = await page.find('button', 'Tip 25');
  await page.click(tip);
  await page.find('dialog');
  await expect(page.click(tip)).rejects.toThrow('behind the dialog');
});

test('toasts are in front of a modal dialog, where a screen reader is, and stay when it closes', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer({ tokens: 100 }), performer);
  await page.press('Tip 25');
  const toast = await page.sees(/You tipped .* 25 tokens\./u);
  expect(toast.closest('dialog')).toBe(null);
  await page.press(/Get tokens$/u, { in: await page.find('banner') });
  const dialog = await page.find('dialog');
  await page.sees(/You tipped .* 25 tokens\./u, { in: dialog });
  expect(await page.problems()).toEqual([]);
  await page.keys('{Escape}');
  await page.gone('dialog');
  await page.press('Dismiss');
  await page.until(() => expect(page.shows(/You tipped/u)).toBe(false));
});

test('a warning of a page fails its test', async () => {
  const page = await openPage(site, await site.viewer(), '/', { mayPrint: /by the test/u });
  // oxlint-disable-next-line no-console -- a page's complaint
  console.error('by the test');
  expect(page.complaints).toEqual(['by the test']);
});
