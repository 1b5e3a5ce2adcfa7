import type { AnyCall } from '#platform/contract/call.ts';
import { API_BASE, requestOf } from '#platform/contract/client.ts';
import { authorizeSuccess, lobbyRestarting, lobbyStart } from '#platform/contract/sockets/lobby.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { applicationOf } from '#product/testkit/people/application.ts';
import { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { hash } from '@node-rs/argon2';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changePassword,
  confirmEmail,
  getAuthState,
  getCurrentUser,
  loggedOut,
  login,
  logout,
  logoutEverywhere,
  register,
  updateProfile,
} from './contract.ts';
import { resendEmail } from './contract/life/email.ts';
import { updateSettings } from './contract/settings.ts';
import { ARGON2, isCurrentHash, MAX_SESSIONS } from './rules.ts';

const PASSWORD = 'correct horse battery';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const usernameOf = async (visitor: Visitor): Promise<string> =>
  (await visitor.call(getCurrentUser, {})).user.username;

/** The newest email to an address, as an admin sees it. */
async function mailTo(admin: Member, address: string): Promise<{ subject: string; text: string }> {
  const mail = (await admin.call(listOutbox, {})).mails.find(({ to }) => to === address);
  if (!mail) throw new Error(`nothing was sent to ${address}`);
  return mail;
}

describe('guests and members', () => {
  it('says whether somebody is logged in: guests are not, members are [A-220, A-341]', async () => {
    const visitor = await site.visitor();
    const guest = await visitor.call(getAuthState, {});
    expect(guest).toMatchObject({ authenticated: false, user: null });
    expect(guest.username).toMatch(/^guest_[a-z0-9]{8}$/);

    const { user } = await visitor.call(register, applicationOf('Grace-Hopper'));
    expect(user).toMatchObject({
      username: 'grace-hopper',
      display_name: 'Grace-Hopper',
      type: 'user',
      user_roles: [],
    });
    const member = await visitor.call(getAuthState, {});
    expect(member).toMatchObject({ authenticated: true, username: 'grace-hopper', user: { id: user.id } });
    await visitor.opens();
    await visitor.call(logout, {});
    expect(await visitor.call(getAuthState, {}))
      .toEqual({ authenticated: false, username: null, user: null });
  });

  it('answers GET /auth/state with whether, as whom, and the current user [A-341]', async () => {
    const viewer = await site.viewer();
    const answer = await viewer.request({ method: 'GET', url: '/api/v1/auth/state' });
    const { user } = await viewer.call(getCurrentUser, {});
    expect([answer.statusCode, answer.json()])
      .toEqual([200, { authenticated: true, username: viewer.username, user }]);
    expect(user).toMatchObject({ id: viewer.id, username: viewer.username, email: viewer.person.email });
    const guest = await site.visitor();
    expect((await guest.request({ method: 'GET', url: '/api/v1/auth/state' })).json())
      .toEqual({ authenticated: false, username: await usernameOf(guest), user: null });
  });

  it('nobody takes a name that makes them a guest [A-220]', async () => {
    const visitor = await site.visitor();
    for (const username of ['guest_ada', 'Guest_12345678']) {
      expect((await visitor.refused(register, applicationOf(username))).errorType).toBe('username_taken');
    }
    expect(await visitor.call(getAuthState, {})).toMatchObject({ authenticated: false, user: null });
  });

  it('authorizes sockets of guests and members, and says who they are [C-145, C-339]', async () => {
    const guest = await site.visitor();
    const member = await site.viewer({ roles: ['site_mod'] });
    const performer = await site.performer();
    const name = await usernameOf(guest);
    for (const [visitor, user] of [
      [guest, { id: null, username: name, display_name: name, type: 'user', user_roles: [] }],
      [member, {
        id: member.id,
        username: member.username,
        display_name: member.person.displayName,
        type: 'user',
        user_roles: ['site_mod'],
      }],
      [performer, {
        id: performer.id,
        username: performer.username,
        display_name: performer.person.displayName,
        type: 'model',
        user_roles: [],
      }],
    ] as const) {
      const socket = await site.socketOf(visitor);
      expect(socket.events[0]).toMatchObject({
        name: 'v3.authorize.success',
        payload: { success: true, user },
      });
      expect(socket.received(authorizeSuccess)).toEqual([{ success: true, user }]);
    }
  });

  it(
    'sends lobbies v3.lobby.start once it runs, and v3.lobby.restarting as it stops [C-147, C-149]',
    async () => {
      const own = await createSite();
      const viewer = await own.viewer();
      const { node_token: token } = await viewer.call(getCurrentUser, {});
      const sent = Object.entries(viewer.headers).filter(([, value]) => value !== undefined);
      const url = `${(await own.address()).replace('http', 'ws')}/ws/lobby`;
      const socket = await TestSocket.open(url, Object.fromEntries(sent) as Record<string, string>);
      await socket.authorizes(token, 'test');
      await socket.waitFor(lobbyStart);
      expect(socket.events.map(({ name, payload }) => [name, payload]).slice(1))
        .toEqual([['v3.lobby.start', {}]]);
      await own.close();
      expect(await socket.closing()).toBe(closeCodes.restarting);
      expect(socket.received(lobbyRestarting)).toEqual([{}]);
    },
  );

  it('identifies a guest again without storing a row', async () => {
    const visitor = await site.visitor();
    const [first, second] = [await usernameOf(visitor), await usernameOf(visitor)];
    expect(first).toBe(second);
    expect(await usernameOf(await site.visitor())).not.toBe(first);
    const { user } = await visitor.call(getCurrentUser, {});
    expect(user).toMatchObject({ id: null, email: null, isAdmin: false });
  });

  it('starts no session for a browser that only reads the current user', async () => {
    const visitor = await site.visitor({ opened: false });
    const answered = await visitor.call(getCurrentUser, {});
    expect(answered).toMatchObject({ user: { username: 'guest_' }, node_token: '' });
    expect(visitor.cookie('session')).toBeNull();
  });

  it('gives the sockets of guests, members, performers and staff their roles [C-022]', async () => {
    const rolesAt = async (visitor: Visitor): Promise<readonly string[] | undefined> => {
      const { node_token: token } = await visitor.call(getCurrentUser, {});
      const { accounts } = site.services;
      const { caller } = await accounts.resolveCaller(
        site.scope,
        {
          cookie: (name: string) => visitor.cookie(name),
          setCookie: () => undefined,
        } as unknown as Parameters<typeof accounts.resolveCaller>[1],
      );
      return (await accounts.redeemNodeToken(site.scope, token, caller))?.roles;
    };
    expect(await rolesAt(await site.visitor())).toEqual(['guest']);
    expect(await rolesAt(await site.viewer())).toEqual(['member']);
    expect(await rolesAt(await site.performer())).toEqual(['member', 'performer']);
    expect(await rolesAt(await site.viewer({ roles: ['site_mod'] }))).toEqual(['member', 'site_mod']);
  });

  it('lets each of four kinds of user make its own calls and no others [B-002, C-022]', async () => {
    const people = {
      visitor: await site.visitor(),
      user: await site.viewer(),
      performer: await site.performer(),
      moderator: await site.viewer({ roles: ['site_mod'] }),
      admin: await site.admin(),
    };
    const mayMake = async (method: 'GET' | 'POST', path: string): Promise<string[]> => {
      const allowed: string[] = [];
      for (const [kind, person] of Object.entries(people)) {
        const body = method === 'GET' ? {} : { payload: {} };
        const { statusCode } = await person.request({ method, url: API_BASE + path, ...body });
        if (statusCode === 200) allowed.push(kind);
        else expect([kind, statusCode]).toEqual([kind, kind === 'visitor' ? 401 : 403]);
      }
      return allowed;
    };
    expect(await mayMake('GET', '/user/current'))
      .toEqual(['visitor', 'user', 'performer', 'moderator', 'admin']);
    expect(await mayMake('POST', '/user/profile')).toEqual(['user', 'performer', 'moderator', 'admin']);
    expect(await mayMake('GET', '/broadcast')).toEqual(['performer']);
    expect(await mayMake('GET', '/admin/chat_rules')).toEqual(['moderator', 'admin']);
    expect(await mayMake('GET', '/notices/outbox')).toEqual(['admin']);
  });
});

describe('credentials of calls', () => {
  it('answers every call below one base address', async () => {
    const visitor = await site.visitor();
    const { path } = requestOf(getAuthState, {});
    expect(path).toBe(`${API_BASE}/auth/state`);
    expect((await visitor.request({ url: path })).statusCode).toBe(200);
    expect((await visitor.request({ url: '/auth/state' })).statusCode).toBe(404);
  });

  it('refuses every call with effects without its session or its CSRF token [A-337, B-319]', async () => {
    const member = await site.viewer();
    const calls = await callsWithEffects(member);
    expect(calls.length).toBeGreaterThan(8);
    for (const { url, method } of calls) {
      // An address may make only so many of these calls a minute.
      site.clock.advance(1_000);
      const bare = { method, url, payload: method === 'DELETE' ? undefined : {} } as const;
      const lacking = [{ 'x-csrf-token': undefined }, { 'x-csrf-token': '' }, { cookie: undefined }];
      for (const headers of lacking) {
        const response = await member.request({ ...bare, headers });
        expect([url, response.statusCode, response.json().errorType]).toEqual([url, 403, 'csrf']);
      }
    }
    expect((await member.call(updateSettings, { volume_tip: 10 })).settings.volume_tip).toBe(10);
  });

  it('returns the current user only to a session [A-336, B-318]', async () => {
    const member = await site.viewer();
    const response = await member.request({ url: `${API_BASE}/auth/state`, headers: { cookie: undefined } });
    expect(response.json()).toMatchObject({ authenticated: false });
    expect(await member.call(getAuthState, {})).toMatchObject({ authenticated: true });
  });
});

interface Address {
  readonly url: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
}

/** All cookie-authenticated calls that change something, from the published API description. */
async function callsWithEffects(visitor: Visitor): Promise<Address[]> {
  interface Operation {
    readonly security: readonly Readonly<Record<string, unknown>>[];
  }
  const { paths } = (await visitor.request({ url: `${API_BASE}/openapi.json` }))
    .json<{ paths: Record<string, Record<string, Operation>> }>();
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.some((item) => 'csrf' in item))
      .map(([method]) => ({
        url: path.replaceAll(/\{\w+\}/gu, 'somebody'),
        method: method.toUpperCase() as Address['method'],
      }))
  );
}

describe('logging in and out', () => {
  it('logs in by username or email in any case', async () => {
    const { username } = await site.viewer();
    for (const name of [username.toUpperCase(), ` ${username}@People.example`]) {
      const visitor = await site.visitor();
      const { user } = await visitor.call(login, { login: name, password: PASSWORD });
      expect(user.username).toBe(username);
      expect(await usernameOf(visitor)).toBe(username);
    }
  });

  it('logs out: ends the session and closes its open sockets [A-342, A-385]', async () => {
    const viewer = await site.viewer();
    const other = await site.anotherTabOf(viewer);
    const socket = await site.socketOf(viewer);
    const session = viewer.cookie('session') as string;
    expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: true });
    const answer = await viewer.request({ method: 'POST', url: '/api/v1/auth/logout' });
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 1, redirect: null }]);
    await site.settle();
    expect(await socket.waitFor(loggedOut)).toEqual({});
    expect(socket.events.at(-1)?.name).toBe('v3.logout');
    expect(await socket.closing()).toBe(closeCodes.loggedOut);
    expect(viewer.cookie('session')).toBeNull();

    const thief = await site.visitor();
    thief.setCookie('session', session);
    expect(await thief.call(getAuthState, {})).toMatchObject({ authenticated: false, username: null });
    expect(await usernameOf(other)).toBe(viewer.username);
  });

  it('returns the co-registration address of the site, if it has one [A-343]', async () => {
    const host = 'partner.example';
    await site.services.site.addSite(site.scope.operatorId, {
      displayName: 'Partner',
      sitecode: 'partner',
      hosts: [host],
      coRegistrationUrl: 'https://co.example/bye',
    });
    const visitor = await site.visitor({ host });
    await visitor.call(register, applicationOf('co-registered'));
    await visitor.opens();
    expect(await visitor.call(logout, {})).toEqual({ status: 1, redirect: 'https://co.example/bye' });
    expect(await visitor.call(getAuthState, {})).toMatchObject({ authenticated: false });
    const viewer = await site.viewer();
    expect(await viewer.call(logout, {})).toEqual({ status: 1, redirect: null });
  });

  it('logs out everywhere', async () => {
    const viewer = await site.viewer();
    const other = await site.anotherTabOf(viewer);
    expect(await viewer.call(logoutEverywhere, {})).toEqual({ status: 1, sessions: 2 });
    expect(await other.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: false });
  });

  it('ends every other session after a password change, and sends an email', async () => {
    const viewer = await site.viewer();
    const other = await site.anotherTabOf(viewer);
    const next = 'seven blue tortoises';
    await viewer.call(changePassword, { current: PASSWORD, next });
    expect(await usernameOf(viewer)).toBe(viewer.username);
    expect(await other.call(getAuthState, {})).toMatchObject({ authenticated: false });
    const visitor = await site.visitor();
    const refused = await visitor.refused(login, { login: viewer.username, password: PASSWORD });
    expect(refused.errorType).toBe('bad_credentials');
    const mail = await mailTo(await site.admin(), viewer.person.email);
    expect(mail.subject).toContain('was changed');
    await visitor.call(login, { login: viewer.username, password: next });
  });

  it('ends the oldest sessions of a person with too many', async () => {
    const viewer = await site.viewer();
    for (let count = 0; count < MAX_SESSIONS; count += 1) {
      if (count % 10 === 0) site.clock.advance(60_000);
      const visitor = await site.visitor({ address: `127.1.0.${count + 100}` });
      await visitor.call(login, { login: viewer.username, password: PASSWORD });
    }
    expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: false });
    const last = await site.anotherTabOf(viewer);
    expect(await last.call(logoutEverywhere, {})).toEqual({ status: 1, sessions: MAX_SESSIONS });
  });

  it('hashes a password again if its hash has older parameters', async () => {
    const real = await createSite({ settings: { passwordCost: ARGON2 } });
    const { accounts } = real.services;
    const old = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    const person = await accounts.create(real.scope, {
      username: 'oldtimer',
      email: 'oldtimer@people.example',
      password: PASSWORD,
      passwordHash: old,
      birthDate: '1970-01-01',
      type: 'user',
    });
    const visitor = await real.visitor();
    await visitor.call(login, { login: 'oldtimer', password: PASSWORD });
    const { rows } = await real.tx((tx) =>
      sql<{ hash: string }>`
      select hash from accounts.passwords where person_id = ${person.id}`.execute(tx.sql())
    );
    expect([isCurrentHash(old), isCurrentHash(rows[0]?.hash ?? '')]).toEqual([false, true]);
    await (await real.visitor()).call(login, { login: 'oldtimer', password: PASSWORD });
    await real.close();
  });
});

describe('the lifetime of a session', () => {
  it('rolls with use for 30 days each, is renewed at most daily, and ends after 180', async () => {
    const viewer = await site.viewer();
    const state: AnyCall = getAuthState;
    const asks = async (): Promise<{ renewed: boolean; authenticated: boolean }> => {
      const response = await viewer.request({ url: API_BASE + state.path });
      const { authenticated } = response.json<{ authenticated: boolean }>();
      return { renewed: response.cookies.length > 0, authenticated };
    };
    expect(await asks()).toEqual({ renewed: false, authenticated: true });
    for (let days = 29; days < 180; days += 29) {
      site.clock.advance(29 * DAY_MS);
      expect(await asks()).toEqual({ renewed: true, authenticated: true });
      expect(await asks()).toEqual({ renewed: false, authenticated: true });
    }
    site.clock.advance(7 * DAY_MS);
    expect(await asks()).toEqual({ renewed: false, authenticated: false });
  });

  it('ends after 30 days without use', async () => {
    const viewer = await site.viewer();
    site.clock.advance(30 * DAY_MS);
    expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: false });
  });
});

describe('the account of a person', () => {
  it('changes single fields of the profile', async () => {
    const performer = await site.performer();
    const languages = ['en', 'de'];
    await performer.call(updateProfile, { display_name: ' Ada Löwe ', about: 'I paint.', languages });
    const { user } = await performer.call(updateProfile, { gender: 'c' });
    const texts = { about: 'I paint.', languages, gender: 'c', type: 'model' };
    expect(user).toMatchObject({ display_name: 'Ada Löwe', ...texts });
    const found = await site.tx((tx) => site.services.accounts.findByUsername(tx, performer.username));
    expect(found).toMatchObject({ displayName: 'Ada Löwe', ...texts });
  });

  it('changes single settings, and applies the language in every browser', async () => {
    const viewer = await site.viewer();
    const before = await viewer.call(getCurrentUser, {});
    expect(before.settings).toMatchObject({ dark_mode_enabled: true, locale: null, volume_tip: 70 });
    await viewer.call(updateSettings, { locale: 'nl' });
    expect((await viewer.call(updateSettings, { dark_mode_enabled: false })).settings)
      .toEqual({ ...before.settings, dark_mode_enabled: false, locale: 'nl' });
    const other = await site.anotherTabOf(viewer);
    expect(other.cookie('locale')).toBe('nl');
    expect((await other.refused(login, { login: 'x', password: 'y' })).message).toContain('wachtwoord');
  });

  it('confirms the address by the link in the email, in the language of the sign-up', async () => {
    const visitor = await site.visitor({ language: 'de' });
    const { user } = await visitor.call(register, applicationOf('konrad'));
    expect(user.email_confirmed).toBe(false);
    const mail = await mailTo(await site.admin(), 'konrad@people.example');
    expect(mail.subject).toBe('Willkommen bei Candela');
    const token = /^http:\/\/localhost\/confirm-email\?token=(\S+)$/mu.exec(mail.text)?.[1] ?? '';
    const elsewhere = await site.visitor();
    const refused = await elsewhere.refused(confirmEmail, { token: `${token}x` });
    expect(refused.errorType).toBe('link_invalid');
    await elsewhere.call(confirmEmail, { token });
    await elsewhere.call(confirmEmail, { token });
    expect((await visitor.call(getCurrentUser, {})).user.email_confirmed).toBe(true);
  });

  it('leads to the published address, whatever port the request named', async () => {
    const published = await createSite({ settings: { publicUrl: 'http://localhost:3000' } });
    try {
      const attacker = await published.visitor({ host: 'localhost:4444' });
      await attacker.call(register, applicationOf('portia'));
      const mail = await mailTo(await published.admin(), 'portia@people.example');
      expect(mail.text).toContain('http://localhost:3000/confirm-email?token=');
      expect(mail.text).not.toContain('4444');
    } finally {
      await published.close();
    }
  });

  it('sends the link again, which expires after a week', async () => {
    const visitor = await site.visitor();
    await visitor.call(register, applicationOf('vera'));
    await visitor.opens();
    await visitor.call(resendEmail, {});
    const mail = await mailTo(await site.admin(), 'vera@people.example');
    expect(mail.subject).toBe('Confirm your email address at Candela');
    const token = /token=(\S+)/u.exec(mail.text)?.[1] ?? '';
    site.clock.advance(7 * DAY_MS);
    const refused = await visitor.refused(confirmEmail, { token });
    expect(refused).toMatchObject({ errorType: 'link_invalid', status: 422 });
  });
});

describe('for later slices', () => {
  it('finds people and lists performers in pages, oldest first', async () => {
    const { accounts } = site.services;
    const made = [await site.performer(), await site.performer(), await site.viewer()];
    const [one, two, viewer] = made.map(({ id }) => id) as [number, number, number];
    const found = await site.tx((tx) => accounts.findMany(tx, [two, viewer, 999_999]));
    expect([...found.keys()].sort((a, b) => a - b)).toEqual([two, viewer]);
    const page = async (after: number, limit: number): Promise<number[]> =>
      (await site.tx((tx) => accounts.listPerformers(tx, after, limit))).map(({ id }) => id);
    expect(await page(one - 1, 1)).toEqual([one]);
    expect(await page(one, 10)).toEqual([two]);
  });

  it('creates accounts by the same rules as sign-up', async () => {
    const { accounts } = site.services;
    const good = {
      username: 'seeded',
      email: 'seeded@people.example',
      password: PASSWORD,
      birthDate: '1990-01-01',
      type: 'user' as const,
    };
    await accounts.create(site.scope, good);
    for (const bad of [{ username: 'login' }, { birthDate: '2010-01-01' }, { password: 'password1' }, {}]) {
      await expect(accounts.create(site.scope, { ...good, ...bad })).rejects.toThrow('refused');
    }
  });
});
