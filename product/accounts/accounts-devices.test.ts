import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, login } from './contract.ts';
import { endDevice, listDevices } from './contract/devices.ts';

const PASSWORD = 'correct horse battery';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15'
  + ' (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('where one is logged in', () => {
  it('lists devices with browser, system and country, the newest first', async () => {
    const owner = await site.viewer();
    const phone = await site.visitor({ userAgent: SAFARI, region: 'US-FL' });
    await phone.call(login, { login: owner.username, password: PASSWORD });
    const { sessions } = await owner.call(listDevices, {});
    expect(sessions).toHaveLength(2);
    const now = site.clock.now().toISOString();
    expect(sessions[0]).toEqual({
      id: expect.any(Number),
      is_current: false,
      browser: 'Safari',
      platform: 'iOS',
      isoCode: 'US',
      state: 'FL',
      started_at: now,
      used_at: now,
    });
    expect(sessions[1]).toMatchObject({ is_current: true });
    expect((await phone.call(listDevices, {})).sessions[0]).toMatchObject({ is_current: true });
  });

  it('logs out one device: its socket closes, its cookie is nobody’s, the others stay', async () => {
    const owner = await site.viewer();
    const other = await site.anotherTabOf(owner);
    const socket = await site.socketOf(other);
    const [newest] = (await owner.call(listDevices, {})).sessions;
    const { sessions } = await owner.call(endDevice, { id: newest?.id ?? 0 });
    expect(sessions).toEqual([expect.objectContaining({ is_current: true })]);
    await site.settle();
    expect(await socket.closing()).toBe(closeCodes.loggedOut);
    expect(await other.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect(await owner.call(getAuthState, {})).toMatchObject({ authenticated: true });
  });

  it('neither lists nor ends somebody else’s, nor one that has ended', async () => {
    const [owner, thief] = [await site.viewer(), await site.viewer()];
    const [own] = (await owner.call(listDevices, {})).sessions;
    const id = own?.id ?? 0;
    expect((await thief.call(listDevices, {})).sessions.map((session) => session.id)).not.toContain(id);
    expect(await thief.refused(endDevice, { id }))
      .toMatchObject({ status: 404, errorType: 'session_unknown' });
    expect(await owner.call(getAuthState, {})).toMatchObject({ authenticated: true });
    const guest = await site.visitor();
    expect(await guest.refused(listDevices, {})).toMatchObject({ status: 401 });
    expect(await guest.refused(endDevice, { id })).toMatchObject({ status: 401 });
    const phone = await site.visitor();
    await phone.call(login, { login: owner.username, password: PASSWORD });
    await site.passes(31 * DAY_MS);
    const later = await site.visitor();
    await later.call(login, { login: owner.username, password: PASSWORD });
    expect((await later.call(listDevices, {})).sessions).toHaveLength(1);
  });
});

describe('an email about a new device', () => {
  const mailsTo = async (address: string) =>
    (await (await site.admin()).call(listOutbox, {})).mails.filter(({ to }) => to === address);

  it('goes out when a browser logs in for the first time, and not when it does so again', async () => {
    const owner = await site.viewer();
    const browser = await site.visitor({ userAgent: FIREFOX, region: 'DE' });
    const enter = () => browser.call(login, { login: owner.username, password: PASSWORD });
    await enter();
    await site.settle();
    const [mail, ...rest] = await mailsTo(owner.person.email);
    expect(rest).toEqual([]);
    expect(mail?.subject).toBe('New log-in to your account at Candela');
    expect(mail?.text).toContain('Browser: Firefox\nSystem: Windows\nCountry: Germany\nTime: ');
    expect(mail?.text).toContain('/account/settings');
    await browser.opens();
    await enter();
    await site.settle();
    expect(await mailsTo(owner.person.email)).toHaveLength(1);
  });

  it('does not go out for a wrong password', async () => {
    const owner = await site.viewer();
    const browser = await site.visitor({ userAgent: FIREFOX });
    await browser.refused(login, { login: owner.username, password: 'not the password at all' });
    await site.settle();
    expect(await mailsTo(owner.person.email)).toEqual([]);
  });
});
