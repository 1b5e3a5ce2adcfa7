import { DAY_MS } from '#platform/time/units.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getAuthState, login } from './contract.ts';
import { keepAccount, requestDeletion } from './contract/life/deletion.ts';
import { getPerson } from './contract/life/people.ts';

const PASSWORD = 'correct horse battery';
/** The site's address: a port that no request of the tests uses. */
const ADDRESS = 'http://localhost:4123';
let site: TestSite;
beforeAll(async () => {
  site = await createSite({ settings: { localUrl: ADDRESS } });
  await servesDocuments(site);
});
afterAll(() => site.close());

async function opensDeletion(who: Visitor) {
  const page = await openPage(site, who, '/account/settings');
  const section = await page.find('region', 'Delete account');
  await page.press('Delete account', { in: section });
  return { page, modal: await page.find('dialog', 'Delete your account?') };
}
async function logsIn(username: string) {
  const browser = await site.visitor();
  const page = await openPage(site, browser, '/login');
  await page.fill('Username or email', username);
  await page.fill('Password', PASSWORD);
  await page.press('Log in', { in: await page.find('main') });
  return { browser, page };
}

test('an account is deleted from its settings, and comes back by a log-in', async () => {
  const viewer = await site.viewer({ username: 'page-leaver', tokens: 40 });
  const { page, modal } = await opensDeletion(viewer);
  await page.sees(/logged out everywhere at once/u, { in: modal });
  await page.sees(/February 14, 2026/u, { in: modal });
  await page.sees(/You have 40 tokens\. If you don’t spend them, they’re forfeited/u, { in: modal });
  expect(await page.problems()).toEqual([]);
  const tries = async (name: string, password: string) => {
    await page.fill('Type page-leaver to confirm', name, { in: modal });
    await page.fill('Current password', password, { in: modal });
    await page.press('Delete account', { in: modal });
  };
  await tries('somebody-else', PASSWORD);
  await page.sees('That isn’t your username. Type it exactly.', { in: modal });
  await tries('page-leaver', 'a wrong guess');
  await page.sees('Wrong name or password. Try again.', { in: modal });
  expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: true });
  await tries('page-leaver', PASSWORD);
  await page.find('heading', 'Your account is being deleted', { level: 1 });
  await page.sees('It’s hidden now, and will be erased on February 14, 2026.');
  await page.sees(/Changed your mind\? Log in before then/u);
  expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: false });

  const { browser, page: back } = await logsIn('page-leaver');
  await back.find('heading', 'Your account is being deleted', { level: 1 });
  await back.sees('It’s hidden now, and will be erased on February 14, 2026.');
  expect(await back.problems()).toEqual([]);
  // No page of a member opens: nobody is logged in.
  expect(await browser.call(getAuthState, {})).toMatchObject({ authenticated: false });
  await back.press('Keep my account');
  await back.sees('Welcome back. Your account stays.');
  await back.find('button', 'page-leaver’s account');
  expect(await browser.call(getAuthState, {})).toMatchObject({ authenticated: true });
});

test('whoever reads for too long logs in once more, and later it is too late', async () => {
  const viewer = await site.viewer({ username: 'slow-leaver' });
  await viewer.call(requestDeletion, { username: 'slow-leaver', password: PASSWORD });
  const { page } = await logsIn('slow-leaver');
  await page.find('heading', 'Your account is being deleted', { level: 1 });
  site.clock.advance(DAY_MS);
  await page.press('Keep my account');
  await page.sees('This took too long. Log in again to keep your account.');
  await page.press('Log in', { role: 'link', in: await page.find('main') });
  await page.find('heading', 'Log in', { level: 1 });
  await site.passes(30 * DAY_MS);
  const { page: late } = await logsIn('slow-leaver');
  await late.sees('Wrong name or password. Try again.');
  // The URL alone reveals nothing about an account, whatever its fragment says.
  for (const address of ['/account/leaving', '/account/leaving#2026-02-14', '/account/leaving#2031-01-01']) {
    const alone = await openPage(site, await site.visitor(), address);
    await alone.find('heading', 'Is your account being deleted?', { level: 1 });
    await alone.sees('Log in to see whether it is, and to keep it.');
    expect(textOf(await alone.find('main'))).not.toMatch(/erased|hidden now|20\d\d/u);
    expect(alone.all('button', 'Keep my account')).toEqual([]);
  }
});

test('what stands in the way is said instead of a form, and admins read until when', async () => {
  const admin = await site.admin();
  const { page, modal } = await opensDeletion(admin);
  await page.sees(/only admin who can act/u, { in: modal });
  expect(page.all('button', 'Delete account', { in: modal })).toEqual([]);
  const viewer = await site.viewer({ username: 'looked-up' });
  await viewer.call(requestDeletion, { username: 'looked-up', password: PASSWORD });
  const people = await openPage(site, admin, '/admin/people?username=looked-up');
  await people.sees(/In deletion until/u);
  const { deletion_at: at } = await admin.call(getPerson, { username: 'looked-up' });
  expect(at).not.toBeNull();
  expect((await (await site.visitor()).refused(login, { login: 'looked-up', password: PASSWORD })).errorType)
    .toBe('in_deletion');
});

/** The newest email of a kind in the outbox, and every address in its text, its HTML and its header. */
async function emailOf(kind: string) {
  const { mails } = await (await site.admin()).call(listOutbox, {});
  const mail = mails.find((item) => item.kind === `accounts:mails.${kind}`);
  const written = [mail?.text, mail?.html, mail?.unsubscribe].join('\n');
  return {
    text: mail?.text ?? '',
    written,
    addresses: [...written.matchAll(/https?:[^\s"<>]+/gu)].map(([address]) => address),
  };
}

/** Opens a URL in a browser that has never been here. */
async function follows(address: string): Promise<string> {
  const { host, pathname, search } = new URL(address);
  const reader = await site.visitor({ host, opened: false });
  const { statusCode, body } = await reader.request({
    url: `${pathname}${search}`,
    headers: { accept: 'text/html', 'sec-fetch-site': 'none' },
  });
  return statusCode === 200 ? body : `${statusCode}`;
}

test('each email of a deletion names the port, and its link opens the log-in', async () => {
  const viewer = await site.viewer({ username: 'mail-leaver' });
  const { username } = viewer;
  const asks = (who: Visitor) => who.call(requestDeletion, { username, password: PASSWORD });
  const opens = async (kind: string): Promise<void> => {
    const { addresses, written } = await emailOf(kind);
    expect([kind, [...new Set(addresses)]]).toEqual([kind, [`${ADDRESS}/login`]]);
    // The link is there once as text and once to click.
    expect(addresses.length).toBeGreaterThan(1);
    expect(written).not.toMatch(/href="\//u);
    for (const address of new Set(addresses)) expect(await follows(address)).toMatch(/<h1[^>]*>Log in</u);
  };
  await asks(viewer);
  await opens('deletionAsked');
  await site.passes(27 * DAY_MS);
  await opens('deletionSoon');
  const browser = await site.visitor();
  const { ticket } = await browser.refused(login, { login: username, password: PASSWORD });
  await browser.call(keepAccount, { ticket: String(ticket) });
  await opens('deletionKept');
  await asks(await site.memberOf(username));
  await site.passes(30 * DAY_MS);
  const { text, addresses, written } = await emailOf('deletionDone');
  expect(text).toMatch(/your account deleted-\d+ is deleted/u);
  expect([addresses, /href=/u.test(written)]).toEqual([[], false]);
});
