import { API_BASE } from '#platform/contract/client.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { applicationOf } from '#product/testkit/people/application.ts';
import { thiefOf } from '#product/testkit/people/thief.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changePassword,
  getAuthState,
  getCurrentUser,
  login,
  logout,
  register,
  updateProfile,
} from './contract.ts';
import { updateSettings } from './contract/settings.ts';

const [PASSWORD, WRONG] = ['correct horse battery', 'not the right one'];
const WINDOW_SECONDS = 900;
/** Failed log-ins allowed in that window. */
const [OF_AN_ACCOUNT, OF_A_DEVICE, OF_AN_ADDRESS, OF_A_PASSWORD] = [10, 10, 60, 10];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const isIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.call(getAuthState, {})).authenticated;

/** Fails to log in `times` times, each time from another address. */
async function guesses(name: string, times: number): Promise<string[]> {
  const codes: string[] = [];
  for (let count = 0; count < times; count += 1) {
    const visitor = await site.visitor();
    codes.push((await visitor.refused(login, { login: name, password: `${WRONG} ${count}` })).errorType);
  }
  return codes;
}

describe('guessing passwords', () => {
  it('is locked after ten attempts, even with the right password, until the window ends', async () => {
    const { username } = await site.viewer();
    expect(new Set(await guesses(username, OF_AN_ACCOUNT))).toEqual(new Set(['bad_credentials']));
    const visitor = await site.visitor();
    const right = { login: username, password: PASSWORD };
    const response = await visitor.request({ method: 'POST', url: `${API_BASE}/auth/login`, payload: right });
    expect([response.statusCode, response.json().errorType]).toEqual([429, 'login_locked']);
    expect(Number(response.headers['retry-after'])).toBe(WINDOW_SECONDS);
    site.clock.advance(15 * MINUTE_MS);
    await visitor.call(login, right);
  });

  it('gains nothing from concurrent attempts', async () => {
    const { username } = await site.viewer();
    const visitors = await Promise.all(Array.from({ length: 30 }, () => site.visitor()));
    const problems = await Promise.all(
      visitors.map((visitor, count) =>
        visitor.refused(login, { login: username, password: `${WRONG} ${count}` })
      ),
    );
    const tried = problems.filter(({ errorType }) => errorType === 'bad_credentials');
    expect(tried).toHaveLength(OF_AN_ACCOUNT);
  });

  it('is counted by person, whether by username or email', async () => {
    const { username, person } = await site.viewer();
    const half = OF_AN_ACCOUNT / 2;
    const codes = [...await guesses(username, half), ...await guesses(person.email, half + 1)];
    expect(codes.lastIndexOf('bad_credentials')).toBe(OF_AN_ACCOUNT - 1);
    expect(codes.at(-1)).toBe('login_locked');
  });

  it('does not lock the owner out: open sessions continue, and a known browser can log in', async () => {
    const viewer = await site.viewer();
    const known = await site.anotherTabOf(viewer);
    await known.call(logout, {});
    await known.opens();
    await guesses(viewer.username, OF_AN_ACCOUNT + 1);
    expect(await isIn(viewer)).toBe(true);
    await known.call(login, { login: viewer.username, password: PASSWORD });
    expect(await isIn(known)).toBe(true);
  });

  it('gains nothing from a browser known for another account', async () => {
    const { username } = await site.viewer();
    const attacker = await site.viewer();
    await attacker.call(logout, {});
    await attacker.opens();
    await guesses(username, OF_AN_ACCOUNT);
    const { errorType } = await attacker.refused(login, { login: username, password: PASSWORD });
    expect(errorType).toBe('login_locked');
  });

  it('is limited in a stolen known browser too', async () => {
    const viewer = await site.viewer();
    await viewer.call(logout, {});
    await viewer.opens();
    for (let count = 0; count < OF_A_DEVICE; count += 1) {
      const guess = { login: viewer.username, password: `${WRONG} ${count}` };
      const { errorType } = await viewer.refused(login, guess);
      expect(errorType).toBe('bad_credentials');
    }
    const { errorType } = await viewer.refused(login, { login: viewer.username, password: PASSWORD });
    expect(errorType).toBe('login_locked');
  });

  it('is limited for one address that tries many names', async () => {
    const stuffer = await site.visitor({ address: '203.0.113.66' });
    const codes: string[] = [];
    for (let count = 0; count <= OF_AN_ADDRESS; count += 1) {
      // The call itself allows twenty a minute from an address.
      if (count % 20 === 0) site.clock.advance(MINUTE_MS);
      codes.push((await stuffer.refused(login, { login: `stuffed${count}`, password: WRONG })).errorType);
    }
    expect(codes.lastIndexOf('bad_credentials')).toBe(OF_AN_ADDRESS - 1);
    expect(codes.at(-1)).toBe('login_locked');
    const viewer = await site.viewer();
    expect(await isIn(viewer)).toBe(true);
  });

  it('is limited for one IPv6 network, however many addresses come through a trusted proxy', async () => {
    const behind = await createSite({ settings: { trustedProxies: ['127.0.0.0/8'] } });
    try {
      const visitor = await behind.visitor({ ofAge: true });
      const signsUp = async (count: number, network: string): Promise<number> => {
        const payload = { ...applicationOf(`swarm${network}x${count}`), password: 'short' };
        const { statusCode } = await visitor.request({
          method: 'POST',
          url: `${API_BASE}/auth/register`,
          payload,
          headers: { 'x-forwarded-for': `2001:db8:0:${network}::${count.toString(16)}` },
        });
        return statusCode;
      };
      const swarm = async (network: string, size: number): Promise<number> => {
        let past = 0;
        for (let count = 1; count <= size; count += 1) if ((await signsUp(count, network)) !== 429) past += 1;
        return past;
      };
      expect(await swarm('1', 100)).toBe(20);
      // Networks of the same /56 are locked together, at eight times the limit.
      const others = [];
      for (const network of '23456789a') others.push(await swarm(network, 21));
      expect(others).toEqual([20, 20, 20, 20, 20, 20, 20, 0, 0]);
      expect(await swarm('100', 1)).toBe(1);
    } finally {
      await behind.close();
    }
  });

  it('is limited in a stolen session too', async () => {
    const thief = await thiefOf(site, await site.viewer(), 'session');
    await thief.opens();
    const next = 'eleven blue tortoises';
    for (let count = 0; count < OF_A_PASSWORD; count += 1) {
      const { errorType } = await thief.refused(changePassword, { current: WRONG, next });
      expect(errorType).toBe('bad_credentials');
    }
    const { errorType } = await thief.refused(changePassword, { current: PASSWORD, next });
    expect(errorType).toBe('login_locked');
  });
});

describe('finding out who has an account', () => {
  it('fails: the same refusal for every wrong login, before and after the lock', async () => {
    const viewer = await site.viewer();
    const problems = async (name: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let count = 0; count <= OF_AN_ACCOUNT; count += 1) {
        const visitor = await site.visitor();
        seen.push(JSON.stringify(await visitor.refused(login, { login: name, password: WRONG })));
      }
      return seen;
    };
    const ofSomebody = await problems(viewer.username);
    expect(await problems('nobody-here')).toEqual(ofSomebody);
    expect(await problems('nobody@people.example')).toEqual(ofSomebody);
  });

  it('fails by timing: an unknown login takes a password hash too', async () => {
    const known = (await site.viewer()).username;
    const timeOf = async (name: string): Promise<number> => {
      const visitor = await site.visitor();
      const began = performance.now();
      await visitor.refused(login, { login: name, password: WRONG });
      return performance.now() - began;
    };
    // Log-ins alternate, and the test counts which is slower, so that a busy machine favors neither.
    let muchFaster = 0;
    for (let count = 0; count < OF_AN_ACCOUNT; count += 1) {
      const knownMs = await timeOf(known);
      if (await timeOf('nobody-at-all') < knownMs / 2) muchFaster += 1;
    }
    // Without the decoy the unknown login is faster every time: the hash takes most of a refused log-in.
    expect(muchFaster).toBeLessThan(OF_AN_ACCOUNT - 1);
  });
});

describe('taking more than allowed', () => {
  it('fails at sign-up: roles, ids and suspension cannot be set', async () => {
    const visitor = await site.visitor();
    const wishes = {
      roles: ['admin'],
      user_roles: ['super_admin'],
      isAdmin: true,
      id: 1,
      email_confirmed: true,
      operator_id: 2,
      suspended_at: null,
      membership: 'vip',
      tokens: 1_000_000,
      identity_confirmed: true,
    };
    const refused = await visitor.refused(register, { ...applicationOf('mallory'), ...wishes });
    expect(refused.issues?.map(({ path }) => path)).toEqual(Object.keys(wishes));
    await visitor.call(register, applicationOf('mallory'));
    await visitor.opens();
    const answered = await visitor.call(getCurrentUser, {});
    expect(answered.user).toMatchObject({
      user_roles: [],
      isAdmin: false,
      isSuperAdmin: false,
      email_confirmed: false,
      membership: null,
      identity_confirmed: false,
    });
    expect(answered.user.id).toBeGreaterThan(1);
    expect(answered.tokens).toBe(0);
    const profile = await visitor.refused(updateProfile, { ...wishes, type: 'model', username: 'root' });
    expect(profile.issues?.map(({ path }) => path)).toEqual([...Object.keys(wishes), 'type', 'username']);
    const { user } = await visitor.call(getCurrentUser, {});
    expect(user).toMatchObject({ username: 'mallory', type: 'user', user_roles: [], isAdmin: false });
    const stored = { roles: ['admin'], isAdmin: true } as object;
    expect((await visitor.refused(updateSettings, stored)).issues).toHaveLength(2);
    for (const settings of [{ postpay: true }, { max_linked_accounts: 99 }, { is_admin: true }]) {
      expect((await visitor.refused(updateSettings, settings as object)).errorType).toBe('invalid_input');
    }
    expect((await visitor.call(updateSettings, {})).settings)
      .toMatchObject({ postpay: false, max_linked_accounts: 3 });
  });

  it('refuses minors, bad usernames and weak passwords, and stores nothing', async () => {
    const visitor = await site.visitor();
    const good = applicationOf('almost');
    const taken = await site.viewer({ username: 'taken-name' });
    const bad: [object, string][] = [
      [{ birth_date: '2015-01-01' }, 'underage'],
      [{ birth_date: '1990-02-30' }, 'birth_date_invalid'],
      [{ username: 'guest_almost' }, 'username_taken'],
      [{ username: 'tokens' }, 'username_taken'],
      [{ username: taken.username.toUpperCase() }, 'username_taken'],
      [{ username: 'a/../b' }, 'username_invalid'],
      [{ password: 'short' }, 'password_too_short'],
      [{ password: 'iloveyou1' }, 'password_too_common'],
      [{ password: 'PASSWORD1' }, 'password_too_common'],
      [{ password: 'my name is ALMOST' }, 'password_too_common'],
      [{ accept_terms: false }, 'invalid_input'],
      [{ email: 'a@b\r\nBcc: c@d.example' }, 'invalid_input'],
      [{ password: 'x'.repeat(257) }, 'invalid_input'],
    ];
    for (const [index, [change, code]] of bad.entries()) {
      if (index % 10 === 0) site.clock.advance(MINUTE_MS);
      const problem = await visitor.refused(register, { ...good, ...change });
      expect([change, problem.errorType]).toEqual([change, code]);
    }
    expect(await isIn(visitor)).toBe(false);
    expect(await site.tx((tx) => site.services.accounts.findByUsername(tx, 'almost'))).toBeNull();
    await visitor.call(register, good);
  });

  it('gives a name to one of several concurrent sign-ups', async () => {
    const visitors = await Promise.all(Array.from({ length: 6 }, () => site.visitor()));
    const answers = await Promise.allSettled(
      visitors.map((visitor, count) =>
        visitor.call(register, { ...applicationOf('the-only'), email: `only${count}@people.example` })
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('refuses names and texts without a visible character, or too long', async () => {
    const viewer = await site.viewer();
    for (const [name, code] of [
      ['x'.repeat(41), 'invalid_input'],
      ['', 'display_name_refused'],
      ['   ', 'display_name_refused'],
      ['\u202e\u200b', 'display_name_refused'],
    ]) {
      expect((await viewer.refused(updateProfile, { display_name: name })).errorType).toBe(code);
    }
    expect((await viewer.refused(updateSettings, { locale: 'xx' })).errorType).toBe('invalid_input');
    expect((await viewer.refused(updateSettings, { volume_tip: 1e9 })).errorType).toBe('invalid_input');
  });

  it('refuses input that is too large for a form', async () => {
    const visitor = await site.visitor();
    const payload = { login: 'x', password: 'y'.repeat(17 * 1024) };
    const response = await visitor.request({ method: 'POST', url: `${API_BASE}/auth/login`, payload });
    expect([response.statusCode, response.json().errorType]).toEqual([413, 'too_large']);
  });
});

describe('suspension', () => {
  it('ends all sessions, refuses the right password and reveals nothing to a wrong one', async () => {
    const viewer = await site.viewer();
    const { accounts } = site.services;
    const order = { actorId: null, reason: 'seen by the testkit' };
    await site.tx((tx) => accounts.suspend(tx, viewer.id, { ...order, suspended: true }));
    expect(await isIn(viewer)).toBe(false);
    const visitor = await site.visitor();
    const refused = async (password: string): Promise<string> =>
      (await visitor.refused(login, { login: viewer.username, password })).errorType;
    expect([await refused(WRONG), await refused(PASSWORD)]).toEqual(['bad_credentials', 'suspended']);
    await site.tx((tx) => accounts.suspend(tx, viewer.id, { ...order, suspended: false }));
    await visitor.call(login, { login: viewer.username, password: PASSWORD });
  });
});

describe('the log', () => {
  it('holds no password and no address, and no error', () => {
    expect(site.log.join('\n')).not.toMatch(/people\.example|correct horse|another colour/u);
    expect(site.log).toEqual([]);
  });
});
