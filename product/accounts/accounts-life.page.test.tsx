import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmEmail, getCurrentUser, register } from './contract.ts';
import { changeEmail } from './contract/life/email.ts';
import { linkAccount } from './contract/life/linked.ts';
import { changeUsername } from './contract/life/username.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Opens the settings from the user menu, and finds the section of the account. */
async function opensAccount(who: Visitor) {
  const page = await openPage(site, who, '/');
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Settings', { role: 'menuitem' });
  await page.find('heading', 'Settings', { level: 1 });
  return { page, account: await page.find('region', 'Account') };
}
const userOf = async (who: Visitor) => (await who.call(getCurrentUser, {})).user;
const linkTo = async (address: string): Promise<string> =>
  /https?:\/\/[^/]+(\/\S+)/u.exec(await site.tx((tx) => lastMessageTo(tx, address)))?.[1] ?? '';
const mailsTo = (address: string): Promise<number> =>
  site.tx(async (tx) =>
    (await sql`
  select 1 from notices.outbox where recipient = ${address}`.execute(tx.sql())).rows.length
  );

describe('the username', () => {
  test('is changed in a modal of the settings, with the password, once in 30 days [A-078]', async () => {
    const viewer = await site.viewer({ username: 'first-name' });
    await site.viewer({ username: 'somebodys' });
    site.clock.advance(11 * MINUTE_MS);
    const { page, account } = await opensAccount(viewer);
    await page.sees('@first-name', { in: account });
    await page.press('Change username', { in: account });
    const modal = await page.find('dialog', 'Change username');
    await page.sees(/You’re @first-name now\. You can change your name once in 30 days\./u, { in: modal });
    expect(await page.problems()).toEqual([]);
    const tries = async (name: string, password: string) => {
      await page.fill('New username', name, { in: modal });
      await page.fill('Current password', password, { in: modal });
      await page.press('Change', { in: modal });
    };
    await tries('somebodys', PASSWORD);
    await page.sees('This username is taken. Choose another.', { in: modal });
    await tries('second-name', 'a wrong guess');
    await page.sees('Wrong name or password. Try again.', { in: modal });
    expect((await userOf(viewer)).username).toBe('first-name');
    await tries('second-name', PASSWORD);
    await page.sees('You’re @second-name now');
    await page.gone('dialog', 'Change username');
    await page.sees('@second-name', { in: account });
    await page.find('button', 'second-name’s account');
    expect((await userOf(viewer)).username).toBe('second-name');
    await page.press('Change username', { in: account });
    const again = await page.find('dialog', 'Change username');
    await page.sees(/You changed your username not long ago\. You can change it again on/u, { in: again });
    expect(page.all('textbox', 'New username', { in: again })).toEqual([]);
    // Thirty days later the username can be changed again.
    site.clock.advance(30 * DAY_MS);
    const later = await site.memberOf('second-name');
    const { page: next, account: part } = await opensAccount(later);
    await next.press('Change username', { in: part });
    await next.fill('New username', 'third-name', { in: await next.find('dialog', 'Change username') });
    await next.press('Change');
    await next.sees('You’re @third-name now');
  });

  test('shows in every tab once it has changed', async () => {
    const viewer = await site.viewer({ username: 'two-tabs' });
    const { page, account } = await opensAccount(viewer);
    await viewer.call(changeUsername, { username: 'both-tabs' });
    await page.sees('@both-tabs', { in: account });
  });
});

describe('the email address', () => {
  async function signsUp(username: string): Promise<Visitor> {
    const visitor = await site.visitor({ ofAge: true });
    await visitor.call(register, {
      username,
      email: `${username}@mail.example`,
      password: PASSWORD,
      birth_date: '1990-05-05',
      type: 'user',
      accept_terms: true,
    });
    await visitor.opens();
    return visitor;
  }

  test('that is not confirmed has a modal, which sends the email again [A-088, A-347]', async () => {
    const visitor = await signsUp('not-yet');
    const { page, account } = await opensAccount(visitor);
    await page.sees('Not confirmed yet', { in: account });
    await page.press('Confirm email', { in: account });
    const modal = await page.find('dialog', 'Confirm your email address');
    await page.sees(/We’ve sent a link to not-yet@mail\.example\./u, { in: modal });
    expect(await page.problems()).toEqual([]);
    const before = page.network.sent.length;
    const answer = page.network.holds(/\/user\/resend_email/u);
    await page.press('Resend email', { in: modal });
    // The page reports success only after the answer.
    await page.until(() => expect(page.network.sent.length).toBeGreaterThan(before));
    expect(page.shows('Verification email resent.')).toBe(false);
    answer();
    await page.sees('Verification email resent.');
    expect(page.network.sent.slice(before).filter((sent) => /^GET \S*\/user\/resend_email$/u.test(sent)))
      .toHaveLength(1);
    expect(await mailsTo('not-yet@mail.example')).toBe(2);
    page.leave();
    const offline = await opensAccount(visitor);
    await offline.page.press('Confirm email', { in: offline.account });
    offline.page.network.goesDown(true);
    await offline.page.press('Resend email', { in: await offline.page.find('dialog') });
    await offline.page.sees(/^We can’t reach the site\./u, { in: await offline.page.find('dialog') });
    expect(offline.page.shows('Verification email resent.')).toBe(false);
    offline.page.leave();
    const link = await openPage(site, visitor, await linkTo('not-yet@mail.example'));
    await link.press('Confirm', { in: await link.find('main') });
    await link.sees('Your email address is confirmed.');
    const { page: after, account: part } = await opensAccount(visitor);
    await after.sees('Confirmed', { in: part });
    expect(after.all('button', 'Confirm email', { in: part })).toEqual([]);
  });

  test('is changed in a modal, and counts once the link is opened', async () => {
    const viewer = await site.viewer();
    const { page, account } = await opensAccount(viewer);
    await page.press('Change email', { in: account });
    const modal = await page.find('dialog', 'Change email');
    await page.fill('New email address', viewer.person.email, { in: modal });
    await page.press('Send link', { in: modal });
    await page.sees('This is your email address already, and it’s confirmed.', { in: modal });
    await page.fill('New email address', 'other@mail.example', { in: modal });
    await page.press('Send link', { in: modal });
    const sent = await page.find('dialog', 'Confirm your email address');
    await page.sees(/We’ve sent a link to other@mail\.example\./u, { in: sent });
    expect(await page.problems()).toEqual([]);
    await page.press('Close', { in: sent });
    await page.sees('Changes to other@mail.example once that address is confirmed.', { in: account });
    expect((await userOf(viewer)).email).toBe(viewer.person.email);
    const token = /token=(\S+)/u.exec(await linkTo('other@mail.example'))?.[1] ?? '';
    await viewer.call(confirmEmail, { token });
    await page.sees('other@mail.example', { in: account });
    await page.until(() => expect(page.shows(/Changes to/u, { in: account })).toBe(false));
  });

  test('that changes takes a log-in where the link is opened, which leads there and back', async () => {
    const viewer = await site.viewer();
    await viewer.call(changeEmail, { email: 'there@mail.example' });
    const elsewhere = await site.visitor({ ofAge: true });
    const link = await openPage(site, elsewhere, await linkTo('there@mail.example'), { width: 390 });
    await link.press('Confirm', { in: await link.find('main') });
    await link.sees('Log in to the account that you want to give this address, then confirm it.');
    expect((await userOf(viewer)).email).toBe(viewer.person.email);
    expect(await link.problems()).toEqual([]);
    await link.click(await link.find('link', 'Log in', { in: await link.find('main') }));
    await link.until(() => expect(link.path).toMatch(/^\/login/u));
    await link.fill('Username or email', viewer.username, { in: await link.find('main') });
    await link.fill('Password', PASSWORD, { in: await link.find('main') });
    await link.press('Log in', { in: await link.find('main') });
    await link.find('heading', 'Confirm your email address');
    await link.press('Confirm', { in: await link.find('main') });
    await link.sees('Your email address is confirmed.');
    expect((await userOf(viewer)).email).toBe('there@mail.example');
  });
});

test('a copy of one’s data is downloaded from the settings, with the password', async () => {
  const viewer = await site.viewer({ username: 'copy-mine' });
  site.clock.advance(11 * MINUTE_MS);
  const { page } = await opensAccount(viewer);
  await page.press('Download my data', { in: await page.find('region', 'Your data') });
  const modal = await page.find('dialog', 'Download my data');
  await page.fill('Current password', 'a wrong guess', { in: modal });
  await page.press('Prepare file', { in: modal });
  await page.sees('Wrong name or password. Try again.', { in: modal });
  await page.fill('Current password', PASSWORD, { in: modal });
  await page.press('Prepare file', { in: modal });
  await page.sees('Your file is ready. The link works for 5 minutes.', { in: modal });
  expect(await page.problems()).toEqual([]);
  const url = (await page.find('link', 'Download file', { in: modal })).getAttribute('href') ?? '';
  const { statusCode, headers, body } = await viewer.request({ method: 'GET', url });
  expect([statusCode, headers['content-disposition']])
    .toEqual([200, 'attachment; filename="copy-mine-data.json"']);
  expect((JSON.parse(body) as { data: Record<string, unknown[]> }).data['accounts.people'])
    .toEqual([expect.objectContaining({ username: 'copy-mine' })]);
});

test('three accounts can be linked in the settings, and not a fourth [A-453]', async () => {
  const viewer = await site.viewer();
  const others = [await site.viewer(), await site.viewer(), await site.viewer()];
  const last = others.pop();
  for (const { username } of others) await viewer.call(linkAccount, { login: username, password: PASSWORD });
  const { page } = await opensAccount(viewer);
  const linked = await page.find('region', 'Linked accounts');
  await page.press('Link an account', { in: linked });
  const modal = await page.find('dialog', 'Link an account');
  await page.fill('Username or email of the other account', last?.username ?? '', { in: modal });
  await page.fill('Password of the other account', PASSWORD, { in: modal });
  await page.press('Link', { in: modal });
  await page.sees('You’ve linked 3 accounts, as many as there can be.', { in: linked });
  expect(page.all('button', 'Link an account', { in: linked })).toEqual([]);
});

test('other accounts are linked in the settings, and switched to from the own menu', async () => {
  const viewer = await site.viewer({ username: 'day-name' });
  const other = await site.viewer({ username: 'night-name' });
  const { page } = await opensAccount(viewer);
  const linked = await page.find('region', 'Linked accounts');
  await page.press('Link an account', { in: linked });
  const modal = await page.find('dialog', 'Link an account');
  await page.fill('Username or email of the other account', 'night-name', { in: modal });
  await page.fill('Password of the other account', 'a wrong guess', { in: modal });
  await page.press('Link', { in: modal });
  await page.sees('Wrong name or password. Try again.', { in: modal });
  await page.fill('Password of the other account', PASSWORD, { in: modal });
  expect(await page.problems()).toEqual([]);
  await page.press('Link', { in: modal });
  await page.sees('Account linked');
  await page.sees('@night-name', { in: linked });
  // With linked accounts hidden, the menu does not lead there.
  const menu = async () => {
    await page.press(/’s account$/u, { in: await page.find('banner') });
    await page.find('menuitem', 'Settings');
    const has = page.all('menuitem', 'Switch account').length > 0;
    await page.keys('{Escape}');
    return has;
  };
  await page.idle();
  expect(await menu()).toBe(true);
  const hides = async () => {
    const asked = () => page.network.sent.filter((sent) => /^GET \S*\/user\/current/u.test(sent)).length;
    const before = asked();
    await page.press('Don’t show linked accounts in my menu', { role: 'checkbox', in: linked });
    await page.until(() => expect(asked()).toBeGreaterThan(before));
    await page.idle();
  };
  await hides();
  expect((await viewer.call(getCurrentUser, {})).linkedAccounts).toEqual([]);
  expect(await menu()).toBe(false);
  await hides();
  expect((await viewer.call(getCurrentUser, {})).linkedAccounts).toEqual([{ username: 'night-name' }]);
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Switch account', { role: 'menuitem' });
  expect(page.path).toBe('/account/settings');
  await page.press('Switch to @night-name', { in: await page.find('region', 'Linked accounts') });
  const asking = await page.find('dialog', 'Switch to @night-name');
  await page.press('Switch', { in: asking });
  await page.find('button', 'night-name’s account');
  expect((await userOf(viewer)).id).toBe(other.id);
  const { page: there } = await opensAccount(viewer);
  const back = await there.find('region', 'Linked accounts');
  await there.press('Unlink @day-name', { in: back });
  await there.gone('list', 'Linked accounts');
  expect((await viewer.call(getCurrentUser, {})).linkedAccounts).toEqual([]);
});

test('a linked account that is suspended leads to its page, with the day [A-444]', async () => {
  const [viewer, other] = [await site.viewer(), await site.viewer()];
  await viewer.call(linkAccount, { login: other.username, password: PASSWORD });
  await site.tx((tx) =>
    site.services.accounts.suspend(tx, other.id, {
      suspended: true,
      actorId: null,
      reason: 'fraud',
      notice: { cause: 'payment', message: 'Write to us.' },
    })
  );
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(site.clock.now());
  await site.passes(3 * DAY_MS);
  const { page } = await opensAccount(viewer);
  await page.press(`Switch to @${other.username}`, { in: await page.find('region', 'Linked accounts') });
  await page.press('Switch', { in: await page.find('dialog') });
  await page.find('heading', 'Account suspended', { level: 1 });
  expect(page.path).toBe('/account/suspended');
  await page.sees(`Your account has been suspended since ${day}.`);
  for (const text of ['There’s a problem with a payment.', 'Write to us.']) await page.sees(text);
  expect((await userOf(viewer)).id).toBe(viewer.id);
});
