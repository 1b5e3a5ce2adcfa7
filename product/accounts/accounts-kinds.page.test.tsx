import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getAuthState, getCurrentUser } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const HEADER = ['Log in', 'Sign up'] as const;

/** What a header offers: the log-in and sign-up to a guest, the entries of the user menu to a member. */
async function header(visitor: Visitor) {
  const page = await openPage(site, visitor, '/');
  const banner = await page.find('banner');
  const ways = HEADER.filter((name) => page.all('link', name, { in: banner }).length > 0);
  if (page.all('button', /’s account$/u, { in: banner }).length === 0) return { ways, menu: null };
  await page.press(/’s account$/u, { in: banner });
  await page.find('menuitem', 'Log out');
  // The link to support appears once the page knows that support is open.
  await page.idle();
  return { ways, menu: page.all('menuitem').map(({ textContent }) => textContent?.trim() ?? '') };
}

const OWN = [
  'Notifications',
  'Following',
  'Fan clubs',
  'Viewing history',
  'Tokens',
  'My tips',
  'Shows',
  'Settings',
];

test('a viewer is a guest, who may log in, or a member, who has a menu [A-220, B-002]', async () => {
  const guest = await site.visitor({ ofAge: true });
  expect((await guest.call(getAuthState, {})).username).toMatch(/^guest_/u);
  expect(await header(guest)).toEqual({ ways: ['Log in', 'Sign up'], menu: null });
  const member = await site.viewer();
  expect(member.username).not.toMatch(/^guest_/u);
  expect(await header(member)).toEqual({ ways: [], menu: [...OWN, 'Leave quickly', 'Log out'] });
});

test('in a room a guest is asked to log in where a member tips [B-002]', async () => {
  const performer = await site.performer({ live: true });
  const guest = await openRoom(site, await site.visitor({ ofAge: true }), performer);
  await guest.press('Tip 25', { in: await guest.find('form', /^Tip /u) });
  await guest.find('dialog', 'Log in');
  const viewer = await site.viewer({ tokens: 100 });
  const member = await openRoom(site, viewer, performer);
  await member.press('Tip 25', { in: await member.find('form', /^Tip /u) });
  await member.sees(new RegExp(`${viewer.username} tipped 25 tokens`, 'u'));
  await member.idle();
  expect(member.all('dialog')).toEqual([]);
});

const STAGE = [
  'Go live',
  'My room',
  'Earnings',
  'How you’re listed',
  'My fan club',
  'Recordings',
  'Streamer settings',
  'End everything and hide me now',
];

test('a visitor, a user, a performer and staff are offered pages of their own [C-022]', async () => {
  expect((await header(await site.visitor({ ofAge: true }))).menu).toBeNull();
  for (const [who, menu] of [
    [await site.viewer(), [...OWN, 'Leave quickly', 'Log out']],
    [await site.performer(), [...STAGE, ...OWN, 'Chat with support', 'Leave quickly', 'Log out']],
    [await site.viewer({ roles: ['site_mod'] }), [...OWN, 'Back office', 'Leave quickly', 'Log out']],
    [await site.admin(), [...OWN, 'Back office', 'Leave quickly', 'Log out']],
  ] as const) {
    expect((await header(who)).menu).toEqual(menu);
  }
});

test('the back office opens for staff alone, each to their page [C-022]', async () => {
  for (const [who, path] of [
    [await site.viewer({ roles: ['site_mod'] }), '/admin/cases'],
    [await site.admin(), '/admin/ledger'],
  ] as const) {
    const page = await openPage(site, who, '/admin');
    await page.find('navigation', 'Back office');
    expect(page.path).toBe(path);
  }
  for (const who of [await site.viewer(), await site.performer()]) {
    const page = await openPage(site, who, '/admin', { mayPrint: /403/u });
    await page.find('heading', 'You don’t have access');
    expect(page.all('navigation', 'Back office')).toEqual([]);
  }
  const guest = await openPage(site, await site.visitor({ ofAge: true }), '/admin');
  await guest.find('heading', 'Log in');
  expect(guest.path).toMatch(/^\/login\?/u);
});

test('a performer signs up for one of four sections, each with its code [C-411]', async () => {
  for (const [name, code] of [['Girls', 'f'], ['Men', 'm'], ['Trans', 't'], ['Couples', 'c']] as const) {
    const browser = await site.visitor({ ofAge: true });
    const page = await openPage(site, browser, '/models/signup');
    await page.fill('Username', `stage_${code}`);
    await page.fill('Email', `stage_${code}@people.example`);
    await page.fill('Password', 'correct horse battery staple');
    await page.choose('Section you appear in', name);
    for (const [field, value] of [['Day', '12'], ['Month', 'March'], ['Year', '1990']] as const) {
      await page.choose(field, value);
    }
    await page.press(/^I’m at least 18/u, { role: 'checkbox' });
    await page.press('Sign up', { role: 'button', in: await page.find('main') });
    await page.find('heading', 'Your way to going live', { level: 1 });
    expect(page.network.sent.find((sent) => sent.includes('/auth/register')))
      .toContain(`"gender":"${code}"`);
    expect((await browser.call(getCurrentUser, {})).user).toMatchObject({ gender: code });
  }
});

/** Fills in the form of a new member, and sends it. */
async function fillsIn(page: Awaited<ReturnType<typeof openPage>>, username: string): Promise<void> {
  await page.fill('Username', username);
  await page.fill('Email', `${username}@people.example`);
  await page.fill('Password', 'correct horse battery staple');
  for (const [field, value] of [['Day', '12'], ['Month', 'March'], ['Year', '1990']] as const) {
    await page.choose(field, value);
  }
  await page.press(/^I’m at least 18/u, { role: 'checkbox' });
  await page.press('Sign up', { role: 'button', in: await page.find('main') });
}

test('who signs up is welcomed, asked to check their email, and led back where they came from', async () => {
  const browser = await site.visitor({ ofAge: true });
  const page = await openPage(site, browser, '/girls');
  // Guests watch, and do not chat.
  await page.sees(/Watching is free\. Chat with a free account\./u);
  await page.press('Sign up', { role: 'link', in: await page.find('banner') });
  await fillsIn(page, 'just_arrived');
  await page.find('heading', 'Welcome, @just_arrived');
  const main = await page.find('main');
  await page.sees(/^Check your email: the link in it confirms/u, { in: main });
  await page.find('button', 'Confirm email', { in: main });
  for (const [name, path] of [['See who is live', '/girls'], ['Get tokens', '/account/tokens']] as const) {
    expect((await page.find('link', name, { in: main })).getAttribute('href')).toBe(path);
  }
  await page.find('region', 'Confirm your email address');
  await page.press('Back to where you were', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/girls'));
  // The notice stays until the address is confirmed, and sends the link again.
  await page.press('Confirm email', { in: await page.find('region', 'Confirm your email address') });
  await page.press('Resend email', { in: await page.find('dialog') });
  await page.sees('Verification email resent.');

  for (const elsewhere of ['//evil.example', 'https://evil.example/girls', '/\\evil.example']) {
    const other = await openPage(site, browser, `/account/welcome?next=${encodeURIComponent(elsewhere)}`);
    const link = await other.find('link', 'Go to the home page');
    expect(link.getAttribute('href')).toBe('/');
    expect(other.all('link', 'Back to where you were')).toEqual([]);
  }
});

test('who signs up on a phone is led back to the room, by way of the log-in, or to the listing', async () => {
  const performer = await site.performer({ live: true });
  const room = await openRoom(site, await site.visitor({ ofAge: true }), performer, { width: 390 });
  await room.press('Log in', { role: 'link', in: await room.find('banner') });
  await room.press('Sign up', { role: 'link', in: await room.find('main') });
  await fillsIn(room, 'from_a_room');
  await room.press('Back to where you were', { role: 'link' });
  await room.until(() => expect(room.path).toBe(`/${performer.username}`));

  const list = await openPage(site, await site.visitor({ ofAge: true }), '/girls', { width: 390 });
  await list.press('Sign up', { role: 'link', in: await list.find('navigation', 'Main navigation') });
  await fillsIn(list, 'from_a_list');
  await list.press('Back to where you were', { role: 'link' });
  await list.until(() => expect(list.path).toBe('/girls'));
});
