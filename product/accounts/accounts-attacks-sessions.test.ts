import { API_BASE } from '#platform/contract/client.ts';
import { authorize, authorizeFailed } from '#platform/contract/sockets/lobby.ts';
import { seal } from '#platform/data/database/seal.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { applicationOf } from '#product/testkit/people/application.ts';
import { thiefOf } from '#product/testkit/people/thief.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmEmail, getAuthState, getCurrentUser, login, logout, register } from './contract.ts';
import { updateSettings } from './contract/settings.ts';

const PASSWORD = 'correct horse battery';
const NOBODY = { authenticated: false, username: null, user: null };

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const isIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.call(getAuthState, {})).authenticated;

const tokenOf = async (visitor: Visitor): Promise<string> =>
  (await visitor.call(getCurrentUser, {})).node_token;

/** The caller that the server resolves from a browser's cookies. */
const callerOf = async (visitor: Visitor) =>
  (await site.services.accounts.resolveCaller(
    site.scope,
    {
      cookie: (name: string) => visitor.cookie(name),
      setCookie: () => undefined,
    } as unknown as Parameters<typeof site.services.accounts.resolveCaller>[1],
  )).caller;

describe('sessions', () => {
  it('cannot be fixed: a planted cookie does not log the attacker in', async () => {
    const { username } = await site.viewer();
    const attacker = await site.visitor();
    for (const planted of [attacker.cookie('session') as string, 'a-session-of-my-choice']) {
      const victim = await site.visitor();
      victim.setCookie('session', planted);
      await victim.opens();
      await victim.call(login, { login: username, password: PASSWORD });
      expect(victim.cookie('session')).not.toBe(planted);
      expect(await isIn(victim)).toBe(true);
      attacker.setCookie('session', planted);
      expect(await isIn(attacker)).toBe(false);
    }
  });

  it('change with every log-in, which ends the earlier one', async () => {
    const viewer = await site.viewer();
    const before = await thiefOf(site, viewer, 'session');
    const csrf = viewer.csrf;
    expect(await isIn(before)).toBe(true);
    await viewer.logsIn();
    expect(viewer.csrf).not.toBe(csrf);
    expect([await isIn(before), await isIn(viewer)]).toEqual([false, true]);
  });

  it('accept only their own CSRF token [A-337, B-319]', async () => {
    const [viewer, other, guest] = [await site.viewer(), await site.viewer(), await site.visitor()];
    const viewersOwn = viewer.csrf as string;
    for (const csrf of [other.csrf, guest.csrf, viewersOwn.slice(0, -1), `${viewersOwn}A`, 'null']) {
      viewer.csrf = csrf;
      const refused = await viewer.refused(updateSettings, { volume_tip: 1 });
      expect(refused).toMatchObject({ status: 403, errorType: 'csrf' });
    }
    viewer.csrf = viewersOwn;
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const post = { method: 'POST', url: `${API_BASE}/user/settings`, payload: { volume_tip: 1 } } as const;
    expect((await viewer.request({ ...post, headers: foreign })).json().errorType).toBe('csrf');
    expect((await viewer.request(post)).statusCode).toBe(200);
  });

  it('cannot be forged, and broken ones log nobody in', async () => {
    const visitor = await site.visitor();
    const own = visitor.cookie('session') as string;
    const claim = { id: 'x', until: Number.MAX_SAFE_INTEGER };
    const forged = [
      'x',
      '.',
      '..',
      '.'.repeat(900),
      own.slice(0, -2),
      `${own}A`,
      `A${own}`,
      own.replace('.', ''),
      `${own}.${own}`,
      seal('another secret that is long enough', 'accounts guest of operator 1', claim),
      seal('the secret of a site that only tests ever see', 'accounts guest of operator 2', claim),
      'x'.repeat(4_000),
      '%00',
      '__proto__',
      'null',
      '{}',
      '\'||drop_table_accounts.people--',
    ];
    for (const value of forged) {
      visitor.setCookie('session', value);
      const state = await visitor.call(getAuthState, {});
      expect([value, state]).toEqual([value, NOBODY]);
    }
  });

  it('of guests expire', async () => {
    const visitor = await site.visitor();
    // The browser that asks is remembered as a guest.
    expect((await visitor.call(getAuthState, {})).username).toMatch(/^guest_/);
    site.clock.advance(30 * 24 * 60 * MINUTE_MS);
    expect((await visitor.call(getAuthState, {})).username).toBeNull();
    await visitor.opens();
    expect((await visitor.call(getAuthState, {})).username).toMatch(/^guest_/);
  });

  it('cannot be used by somebody who reads their table', async () => {
    const viewer = await site.viewer();
    const cookie = viewer.cookie('session') as string;
    const stored = await site.tx(async (tx) =>
      (await sql<{ digest: string }>`
      select digest from accounts.sessions where person_id = ${viewer.id}`.execute(tx.sql())).rows
    );
    expect(stored).toHaveLength(1);
    const thief = await site.visitor();
    for (const { digest } of stored) {
      expect(digest).not.toContain(cookie);
      thief.setCookie('session', digest);
      expect(await isIn(thief)).toBe(false);
    }
  });
});

describe('node tokens', () => {
  const redeem = (token: string, from: { readonly sessionId: string | null }) =>
    site.services.accounts.redeemNodeToken(site.scope, token, from);

  it('work once, for members and guests alike', async () => {
    for (const visitor of [await site.viewer(), await site.visitor()]) {
      const { username } = (await visitor.call(getCurrentUser, {})).user;
      const token = await tokenOf(visitor);
      const own = await callerOf(visitor);
      const answers = await Promise.all([redeem(token, own), redeem(token, own), redeem(token, own)]);
      expect(answers.filter((caller) => caller?.username === username)).toHaveLength(1);
      expect(answers.filter((caller) => caller === null)).toHaveLength(2);
      expect(await redeem(token, own)).toBeNull();
    }
  });

  it('belong to the session that asked: a stolen one opens no socket, and is not used up', async () => {
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    const token = await tokenOf(viewer);
    for (const thief of [await site.visitor({ opened: false }), await site.visitor(), other]) {
      const socket = await site.openSocket(thief, '/ws/lobby');
      socket.send(authorize, { token, version: 'v' });
      expect(await socket.waitFor(authorizeFailed)).toMatchObject({ code: 'token_invalid' });
    }
    const own = await site.openSocket(viewer, '/ws/lobby');
    await own.authorizes(token, 'v');
  });

  it('last a minute', async () => {
    const viewer = await site.viewer();
    const [inTime, late] = [await tokenOf(viewer), await tokenOf(viewer)];
    site.clock.advance(60_000 - 1);
    const own = await callerOf(viewer);
    expect(await redeem(inTime, own)).toMatchObject({ username: viewer.username });
    site.clock.advance(1);
    expect(await redeem(late, own)).toBeNull();
  });

  it('end with their session', async () => {
    const viewer = await site.viewer();
    const [token, own] = [await tokenOf(viewer), await callerOf(viewer)];
    await viewer.call(logout, {});
    expect(await redeem(token, own)).toBeNull();
  });

  it('cannot be forged or used as anything else', async () => {
    const viewer = await site.viewer();
    const token = await tokenOf(viewer);
    const [claims = '', signature = ''] = token.split('.');
    const opened = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { session: number };
    const changed = JSON.stringify({ ...opened, session: opened.session + 1 });
    const other = Buffer.from(changed).toString('base64url');
    const guestCookie = (await site.visitor()).cookie('session') as string;
    const long = 'x'.repeat(2_000);
    const own = await callerOf(viewer);
    for (const bad of ['', '.', claims, `${other}.${signature}`, `${token}.`, guestCookie, long]) {
      expect(await redeem(bad, own)).toBeNull();
    }
    expect(await redeem(token, own)).not.toBeNull();
  });
});

describe('another operator', () => {
  const host = 'two.example';

  it('shares no sessions, passwords, guests, tokens or links', async () => {
    const { scope: ours, services } = site;
    const newSite = { displayName: 'Two', sitecode: 'two', hosts: [host] };
    const theirs = await services.site.addOperator('Two', newSite);
    const viewer: Member = await site.viewer({ username: 'in-both' });
    const there = await site.visitor({ host });

    const namesake = { ...applicationOf('in-both'), email: viewer.person.email };
    await there.call(register, namesake);
    const { user } = await there.call(getCurrentUser, {});
    expect(user.id).not.toBe(viewer.id);

    const crossing = await site.visitor({ host, opened: false });
    for (const visitor of [viewer, await site.visitor()]) {
      crossing.setCookie('session', visitor.cookie('session') as string);
      expect(await crossing.call(getAuthState, {})).toEqual(NOBODY);
    }
    await crossing.opens();
    const refused = await crossing.refused(login, { login: 'in-both', password: PASSWORD });
    expect(refused.errorType).toBe('bad_credentials');
    expect(await services.accounts.redeemNodeToken(theirs, await tokenOf(viewer), await callerOf(viewer)))
      .toBeNull();
    expect(await services.accounts.redeemNodeToken(ours, await tokenOf(there), await callerOf(there)))
      .toBeNull();
    expect(await site.tx((tx) => services.accounts.findById(tx, user.id as number))).toBeNull();
    const link = await site.data.tx(theirs, async (tx) =>
      (await sql<{ body: string }>`
      select body from notices.outbox order by id desc limit 1`.execute(tx.sql())).rows[0]?.body ?? '');
    const token = /token=(\S+)/u.exec(link)?.[1] ?? '';
    expect((await viewer.refused(confirmEmail, { token })).errorType).toBe('link_invalid');
    await there.opens();
    await there.call(confirmEmail, { token });
    expect(site.log).toEqual([]);
  });
});
