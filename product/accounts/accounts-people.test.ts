import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../platform/time/units.ts';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import { getAuthState, login } from './contract.ts';
import { getPerson, suspendPerson } from './contract/life/people.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

const PASSWORD = 'correct horse battery';
const order = ({ username }: Member, suspended: boolean) => ({ username, suspended, reason: 'ticket 12' });

describe('an admin', () => {
  it('looks an account up by its username, and reads no address', async () => {
    const viewer = await site.viewer();
    const found = await admin.call(getPerson, { username: viewer.username.toUpperCase() });
    expect(found).toEqual({
      username: viewer.username, display_name: viewer.person.displayName, type: 'user', roles: [],
      email_confirmed: true, created_at: expect.stringMatching(/^\d{4}-/u) as string,
      last_login_at: expect.stringMatching(/^\d{4}-/u) as string, suspended_at: null,
      deletion_at: null, erased_at: null,
    });
    expect((await admin.refused(getPerson, { username: 'nobody_at_all' })).errorType).toBe('person_unknown');
  });

  it('suspends an account: its sessions end, and a log-in says since when', async () => {
    const viewer = await site.viewer();
    const at = site.clock.now().toISOString();
    expect(await admin.call(suspendPerson, order(viewer, true))).toMatchObject({ suspended_at: at });
    expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: false });
    site.clock.advance(HOUR_MS);
    expect(await admin.call(suspendPerson, order(viewer, true))).toMatchObject({ suspended_at: at });
    const browser = await site.visitor();
    expect(await browser.refused(login, { login: viewer.username, password: PASSWORD }))
      .toMatchObject({ errorType: 'suspended', status: 403, suspension_date: at });
    expect(await admin.call(suspendPerson, order(viewer, false))).toMatchObject({ suspended_at: null });
    const entered = await browser.call(login, { login: viewer.username, password: PASSWORD });
    expect(entered.status).toBe(1);
  });

  it('suspends neither another admin nor themselves, and nobody without a reason', async () => {
    const viewer = await site.viewer();
    for (const staff of [admin, await site.admin(), await site.viewer({ roles: ['super_admin'] })]) {
      expect((await admin.refused(suspendPerson, order(staff, true))).errorType).toBe('staff_protected');
      expect((await admin.call(getPerson, { username: staff.username })).suspended_at).toBeNull();
    }
    for (const reason of ['', '   ', 'x'.repeat(501)]) {
      const { status } = await admin.refused(suspendPerson, { ...order(viewer, true), reason });
      expect(status).toBe(422);
    }
    const nobody = { username: 'nobody_at_all', suspended: true, reason: 'x' };
    expect((await admin.refused(suspendPerson, nobody)).errorType).toBe('person_unknown');
    expect((await admin.call(getPerson, { username: viewer.username })).suspended_at).toBeNull();
  });
});

it('nobody else looks up or suspends anybody', async () => {
  const victim = await site.viewer();
  const others = [
    await site.visitor(), await site.viewer(), await site.performer(), victim,
    await site.viewer({ roles: ['site_mod'] }), await site.viewer({ roles: ['model_admin'] }),
  ];
  for (const one of others) {
    for (const refused of [
      await one.refused(getPerson, { username: victim.username }),
      await one.refused(suspendPerson, order(victim, true)),
    ]) expect([401, 403]).toContain(refused.status);
  }
  expect((await admin.call(getPerson, { username: victim.username })).suspended_at).toBeNull();
});
