import { openPage } from '#product/testkit/pages/open-page.tsx';
import { LOBBY, payloads } from '#product/testkit/pages/room-sockets.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmEmail, getAuthState, login, logout } from './contract.ts';
import { endDevice, listDevices } from './contract/devices.ts';
import { changeEmail } from './contract/life/email.ts';

const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15'
  + ' (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('settings list where one is logged in, and log out another device', async () => {
  const owner = await site.viewer();
  const phone = await site.visitor({ userAgent: SAFARI, region: 'FR' });
  await phone.call(login, { login: owner.username, password: 'correct horse battery' });
  const page = await openPage(site, owner, '/account/settings');
  const list = await page.find('list', 'Sessions');
  expect(page.all('listitem', undefined, { in: list })).toHaveLength(2);
  await page.sees('Safari · iOS', { in: list });
  await page.sees('This device', { in: list });
  expect(await page.problems()).toEqual([]);
  await page.press('Log out Safari · iOS', { in: list });
  await page.until(() => expect(page.all('listitem', undefined, { in: list })).toHaveLength(1));
  expect(await phone.call(getAuthState, {})).toMatchObject({ authenticated: false });
  expect(await owner.call(getAuthState, {})).toMatchObject({ authenticated: true });
});

test('“Log out everywhere” ends each session, and the link to another address', async () => {
  const owner = await site.viewer();
  const phone = await site.visitor({ userAgent: SAFARI });
  await phone.call(login, { login: owner.username, password: 'correct horse battery' });
  await phone.opens();
  await phone.call(changeEmail, { email: 'intruder@mail.example' });
  const mail = await site.tx((tx) => lastMessageTo(tx, 'intruder@mail.example'));
  const token = /token=(\S+)/u.exec(mail)?.[1] ?? '';
  const page = await openPage(site, owner, '/account/settings', { width: 390 });
  await page.press('Log out everywhere');
  const question = await page.find('dialog', 'Log out everywhere');
  await page.sees(/^All your devices will be logged out, including this one\./u, { in: question });
  await page.press('Log out everywhere', { in: question });
  await page.until(() => expect(page.path).toBe('/'));
  await page.find('link', 'Log in');
  for (const who of [owner, phone]) {
    expect(await who.call(getAuthState, {})).toMatchObject({ authenticated: false });
  }
  const { errorType } = await (await site.visitor()).refused(confirmEmail, { token });
  expect(errorType).toBe('link_invalid');
});

test('a device that has ended meanwhile says so', async () => {
  const owner = await site.viewer();
  const phone = await site.visitor({ userAgent: SAFARI });
  await phone.call(login, { login: owner.username, password: 'correct horse battery' });
  const page = await openPage(site, owner, '/account/settings');
  const list = await page.find('list', 'Sessions');
  await phone.opens();
  await phone.call(logout, {});
  await page.press('Log out Safari · iOS', { in: list });
  await page.sees('No session of yours has this id. It may have ended already.');
});

describe('a session that another device ends becomes a guest’s page', () => {
  type Page = Awaited<ReturnType<typeof openPage>>;
  async function opensMember() {
    const owner = await site.viewer();
    const page = await openPage(site, owner, '/');
    await page.until(() => expect(page.network.hasLobby).toBe(true));
    const phone = await site.visitor({ userAgent: SAFARI });
    await phone.call(login, { login: owner.username, password: 'correct horse battery' });
    const endsOwner = async () => {
      await phone.opens();
      const { sessions } = await phone.call(listDevices, {});
      const [other] = sessions.filter(({ is_current: isCurrent }) => !isCurrent);
      await phone.call(endDevice, { id: other?.id ?? 0 });
    };
    return { page, endsOwner };
  }
  const isGuests = async (page: Page) => {
    await page.until(async () => {
      // A page asks a second time before it treats a session as ended.
      await site.passes(500);
      return page.shows(/Sign up/u);
    });
    await page.idle();
    expect(page.shows(/We couldn’t connect you/u)).toBe(false);
    expect(page.network.sent.filter((text) => text.includes('/log/react-toast'))).toEqual([]);
  };

  test('while it has no socket', async () => {
    const { page, endsOwner } = await opensMember();
    const mend = page.network.cuts(LOBBY);
    await endsOwner();
    mend();
    await isGuests(page);
  });

  test('while its socket waits to be let in', async () => {
    const { page, endsOwner } = await opensMember();
    const mend = page.network.cuts(LOBBY);
    const lets = page.network.stalls(LOBBY);
    const asked = () => payloads(page, 'page', LOBBY, 'v3.authorize').length;
    const before = asked();
    mend();
    await page.until(() => expect(asked()).toBeGreaterThan(before));
    await endsOwner();
    lets();
    await isGuests(page);
  });
});
