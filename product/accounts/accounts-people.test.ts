import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  confirmEmail,
  getAuthState,
  getCurrentUser,
  login,
  register,
  resetPassword,
  updateProfile,
} from './contract.ts';
import { changeEmail, getEmail } from './contract/life/email.ts';
import { restoreEmail } from './contract/life/former-email.ts';
import { getPerson, suspendPerson } from './contract/life/people.ts';
import { becomePerformer } from './contract/performing.ts';
import { listPersonSessions, searchPeople } from './contract/staff-lookup.ts';
import { becomeFirstAdmin, setRole } from './contract/staff-roles.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';

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
      username: viewer.username,
      display_name: viewer.person.displayName,
      type: 'user',
      roles: [],
      roles_to_give: ['site_mod', 'model_admin'],
      step_to_reset: null,
      email_confirmed: true,
      created_at: expect.stringMatching(/^\d{4}-/u) as string,
      last_login_at: expect.stringMatching(/^\d{4}-/u) as string,
      suspended_at: null,
      suspension_cause: null,
      suspension_message: null,
      deletion_at: null,
      erased_at: null,
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
      .toMatchObject({
        errorType: 'suspended',
        status: 403,
        suspension_date: at,
        suspension_cause: null,
        suspension_message: null,
      });
    expect(await admin.call(suspendPerson, order(viewer, false))).toMatchObject({ suspended_at: null });
    const entered = await browser.call(login, { login: viewer.username, password: PASSWORD });
    expect(entered.status).toBe(1);
  });

  it('says to whoever is suspended why: a cause that has a text, and a message, not the reason', async () => {
    const viewer = await site.viewer();
    const hostile = { ...order(viewer, true), message: 'Write to us\u0007: \u202ehttps://x.example' };
    expect((await admin.refused(suspendPerson, hostile)).status).toBe(422);
    const message = 'Write to us: https://x.example\nBye';
    await admin.call(suspendPerson, { ...order(viewer, true), cause: 'payment', message });
    const browser = await site.visitor();
    const refused = await browser.refused(login, { login: viewer.username, password: PASSWORD });
    expect(refused).toMatchObject({ suspension_cause: 'payment', suspension_message: message });
    expect(JSON.stringify(refused)).not.toContain('ticket 12');
    const wrong = await browser.refused(login, { login: viewer.username, password: 'not this one' });
    expect(JSON.stringify(wrong)).not.toContain('payment');
    // A lifted suspension leaves nothing for the next one.
    await admin.call(suspendPerson, order(viewer, false));
    await admin.call(suspendPerson, order(viewer, true));
    expect(await browser.refused(login, { login: viewer.username, password: PASSWORD }))
      .toMatchObject({ suspension_cause: null, suspension_message: null });
    expect((await admin.refused(suspendPerson, { ...order(viewer, true), cause: 'mood' as 'age' })).status)
      .toBe(422);
  });

  it('says why once the cause comes later, or another: the day stays, and what is left out', async () => {
    const viewer = await site.viewer();
    const at = site.clock.now().toISOString();
    await admin.call(suspendPerson, order(viewer, true));
    site.clock.advance(HOUR_MS);
    const browser = await site.visitor();
    const reads = async () => {
      const { suspension_date: day, suspension_cause: cause, suspension_message: message } = await browser
        .refused(login, { login: viewer.username, password: PASSWORD });
      return { day, cause, message };
    };
    const suspends = async (more: { cause?: 'payment' | 'age'; message?: string }, reason: string) => {
      const { suspended_at: day, suspension_cause: cause, suspension_message: message } = await admin.call(
        suspendPerson,
        { ...order(viewer, true), reason, ...more },
      );
      return { day, cause, message };
    };
    for (const [more, reason, cause, message] of [
      [{ cause: 'payment' }, 'ticket 13', 'payment', null],
      [{ message: '  Write to us ' }, 'ticket 14', 'payment', 'Write to us'],
      [{ cause: 'age' }, 'ticket 15', 'age', 'Write to us'],
      [{}, 'ticket 16', 'age', 'Write to us'],
      [{ message: '' }, 'ticket 17', 'age', null],
    ] as const) {
      expect(await suspends(more, reason)).toEqual({ day: at, cause, message });
      expect(await reads()).toEqual({ day: at, cause, message });
      expect(await admin.call(getPerson, { username: viewer.username }))
        .toMatchObject({ suspended_at: at, suspension_cause: cause, suspension_message: message });
    }
    // A change is logged with its reason; nothing else is logged.
    const { rows } = await site.tx((tx) =>
      sql<{ reason: string }>`
      select reason from platform.audit where subject = ${`person:${viewer.id}`}
      and action = 'accounts.suspend' order by id`.execute(tx.sql())
    );
    expect(rows.map((line) => line.reason))
      .toEqual(['ticket 12', 'ticket 13', 'ticket 14', 'ticket 15', 'ticket 17']);
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

describe('a look-up', () => {
  const namesOf = async (query: string) =>
    (await admin.call(searchPeople, { query })).people.map(({ username }) => username);

  it('finds accounts by a part of a name or an address, or by the id, a page at a time', async () => {
    const viewer = await site.viewer({ username: 'quetzal_7' });
    await viewer.call(updateProfile, { display_name: '100% Ümläut' });
    for (const query of ['etzal', 'QUETZ', '@quetzal', 'zal_7@peop', '0% Üml', String(viewer.id)]) {
      expect(await namesOf(query), query).toContain('quetzal_7');
    }
    // Characters that are patterns to LIKE match literally.
    const patterns = ['%%', '__', 'quetzal%7', 'q_etzal', String.raw`\\`, '\' or 1=1 --'];
    for (const query of ['people.example', ...patterns]) {
      expect(await namesOf(query), query).toEqual([]);
    }
    const { people: [found] } = await admin.call(searchPeople, { query: 'quetzal' });
    expect(found).toMatchObject({ id: viewer.id, email_hint: 'q•••@p•••' });
    for (let more = 0; more < 21; more += 1) await site.viewer({ username: `crowd-of-${more}` });
    const first = await admin.call(searchPeople, { query: 'crowd-of-' });
    const rest = await admin.call(searchPeople, { query: 'crowd-of-', before: first.next ?? 0 });
    expect([first.people.length, rest.people.length, rest.next]).toEqual([20, 1, null]);
    for (const query of ['', 'x', ' y ', 'x'.repeat(255)]) {
      expect((await admin.refused(searchPeople, { query })).status).toBe(422);
    }
  });

  it('finds an account by a part of its address that its names have nothing of', async () => {
    const visitor = await site.visitor();
    await visitor.call(register, {
      username: 'plain-name',
      email: 'xylophone.zither@people.example',
      password: PASSWORD,
      birth_date: '1990-01-01',
      type: 'user',
      accept_terms: true,
    });
    for (const query of ['xylophone.zither', 'XYLOPH', 'zither', 'zither@peop']) {
      expect(await namesOf(query), query).toEqual(['plain-name']);
    }
  });

  it('lists the sessions of whom it is about, and of nobody else', async () => {
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const edge = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) '
      + 'Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0';
    const viewer = await site.viewer();
    const startedAt = site.clock.now().toISOString();
    site.clock.advance(HOUR_MS);
    await site.anotherTabOf(viewer, { userAgent: firefox });
    const laterAt = site.clock.now().toISOString();
    const looker = await site.anotherTabOf(admin, { userAgent: edge });
    const { sessions } = await looker.call(listPersonSessions, { username: viewer.username });
    expect(sessions.map(({ browser, started_at: at }) => [browser, at]))
      .toEqual([['Firefox', laterAt], ['', startedAt]]);
  });

  it('is logged with who was found, never with what was typed', async () => {
    const viewer = await site.viewer({ username: 'looked-up' });
    await admin.call(searchPeople, { query: 'looked-up@people.example' });
    await admin.call(getPerson, { username: 'looked-up' });
    const { sessions } = await admin.call(listPersonSessions, { username: 'looked-up' });
    expect(sessions).toHaveLength(1);
    expect((await auditOf(site, viewer)).map(({ action }) => action))
      .toEqual(['accounts.listPersonSessions', 'accounts.getPerson']);
    const [line] = await site.tx(async (tx) =>
      (await sql<Pick<Line, 'action' | 'detail'>>`
      select action, detail from platform.audit where subject = 'people' order by id desc limit 1`
        .execute(tx.sql())).rows
    );
    expect(line).toEqual({ action: 'accounts.searchPeople', detail: { found: [viewer.id] } });
  });
});

it('nobody else looks up or suspends anybody', async () => {
  const victim = await site.viewer();
  const others = [
    await site.visitor(),
    await site.viewer(),
    await site.performer(),
    victim,
    await site.viewer({ roles: ['site_mod'] }),
    await site.viewer({ roles: ['model_admin'] }),
  ];
  for (const one of others) {
    for (const refused of [
      await one.refused(getPerson, { username: victim.username }),
      await one.refused(searchPeople, { query: victim.username }),
      await one.refused(listPersonSessions, { username: victim.username }),
      await one.refused(suspendPerson, order(victim, true)),
    ]) expect([401, 403]).toContain(refused.status);
  }
  expect((await admin.call(getPerson, { username: victim.username })).suspended_at).toBeNull();
});

const change = ({ username }: Member, role: string, on = true) => ({
  username,
  role: role as 'admin',
  on,
  reason: 'ticket 13',
});
const rolesOf = async (who: Member) => (await admin.call(getPerson, { username: who.username })).roles;
interface Line {
  readonly action: string;
  readonly actor: number | null;
  readonly reason: string | null;
  readonly detail: unknown;
}
/** Entries of the audit log about a person, newest first. */
const auditOf = (of: TestSite, { id }: Pick<Member, 'id'>) =>
  of.tx(async (tx) =>
    (await sql<Line>`
  select action, actor_id as actor, reason, detail from platform.audit where subject = ${`person:${id}`}
  order by id desc`
      .execute(tx.sql())).rows
  );

describe('a role', () => {
  it('is given and taken by whoever may, with a line in the audit log, and ends with sessions', async () => {
    const [chief, viewer] = [await site.viewer({ roles: ['super_admin'] }), await site.viewer()];
    expect(await chief.call(setRole, change(viewer, 'admin'))).toMatchObject({ roles: ['admin'] });
    expect(await viewer.call(getPerson, { username: chief.username })).toMatchObject({
      roles_to_give: [
        'site_mod',
        'model_admin',
      ],
    });
    expect(await chief.call(setRole, change(viewer, 'admin', false))).toMatchObject({ roles: [] });
    expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect((await auditOf(site, viewer)).filter(({ action }) => action === 'accounts.setRole'))
      .toEqual([false, true].map((on) => ({
        action: 'accounts.setRole',
        actor: chief.id,
        reason: 'ticket 13',
        detail: { role: 'admin', on },
      })));
  });

  it('is not given by who has no right to it, nor to oneself', async () => {
    const [chief, other] = [await site.viewer({ roles: ['super_admin'] }), await site.admin()];
    const viewer = await site.viewer();
    for (const role of ['admin', 'super_admin']) {
      for (const subject of [viewer, admin, other, chief]) {
        for (const on of [true, false]) {
          const { errorType } = await admin.refused(setRole, change(subject, role, on));
          expect(errorType).toBe('role_refused');
        }
      }
    }
    for (const role of ['site_mod', 'super_admin', 'admin']) {
      expect((await chief.refused(setRole, change(chief, role, false))).errorType).toBe('role_refused');
    }
    for (const role of ['test_user', 'member', 'performer', '']) {
      expect((await chief.refused(setRole, change(viewer, role))).status).toBe(422);
    }
    const powerless = [
      await site.visitor(),
      viewer,
      await site.performer(),
      await site.viewer({ roles: ['site_mod'] }),
      await site.viewer({ roles: ['model_admin'] }),
    ];
    for (const one of powerless) {
      expect([401, 403]).toContain((await one.refused(setRole, change(viewer, 'site_mod'))).status);
    }
    expect([await rolesOf(viewer), await rolesOf(chief)]).toEqual([[], ['super_admin']]);
  });
});

it('a site has no link for a first admin once there is one, whichever way they came', async () => {
  const other = await createSite();
  try {
    const of = () => other.tx((tx) => other.services.accounts.firstAdminToken(tx));
    const [token, viewer] = [await of() ?? '', await other.viewer()];
    const appointment = { email: 'Anna.Muster@People.example', origin: 'http://localhost' };
    const made = await other.services.accounts.appoint(other.scope, appointment);
    expect(made).toMatchObject({ username: 'anna-muster', isNew: true });
    expect((await viewer.refused(becomeFirstAdmin, { token })).errorType).toBe('first_admin_over');
    expect(await of()).toBeNull();
    const anna = await other.tx((tx) => other.services.accounts.findByUsername(tx, 'anna-muster'));
    expect(await auditOf(other, { id: anna?.id ?? 0 })).toMatchObject([
      { action: 'accounts.setRole', actor: null, detail: { role: 'super_admin', on: true } },
    ]);
    // The command's link sets a password, once.
    const link = 'passwordLink' in made ? made.passwordLink : null;
    const sent = new URL(link ?? '').searchParams.get('token') ?? '';
    const reset = { token: sent, next: 'another horse battery' };
    const browser = await other.visitor();
    await browser.call(resetPassword, reset);
    expect((await browser.refused(resetPassword, reset)).errorType).toBe('reset_link_invalid');
    // An account with a proven address stays as it is; a second address makes another username.
    expect(await other.services.accounts.appoint(other.scope, appointment))
      .toEqual({ username: 'anna-muster', isNew: false, passwordLink: null });
    const again = { ...appointment, email: 'anna.muster@b.example' };
    expect(await other.services.accounts.appoint(other.scope, again))
      .toMatchObject({ username: 'anna-muster-2' });
    const young = { ...appointment, email: 'c@b.example', birthDate: '2020-01-01' };
    expect(await other.services.accounts.appoint(other.scope, young)).toEqual({ refused: 'birth_date' });
  } finally {
    await other.close();
  }
});

it('the command gives no stranger the site who signed up with the address of its operator', async () => {
  const other = await createSite();
  try {
    // The operator opened the link of the mail in their own browser: the address is confirmed, not proven.
    const stranger = await other.viewer();
    const { username, person: { email } } = stranger;
    await other.tx((tx) =>
      sql`
      update accounts.people set address_proven_at = null where id = ${stranger.id}`.execute(tx.sql())
    );
    const asked = { email, origin: 'http://localhost' };
    const appointed = await other.services.accounts.appoint(other.scope, asked);
    expect(appointed)
      .toMatchObject({ username, isNew: false, passwordLink: expect.stringContaining('token=') });
    expect((await stranger.refused(getPerson, { username })).status).toBe(401);
    const browser = await other.visitor();
    expect((await browser.refused(login, { login: username, password: 'correct horse battery' })).errorType)
      .toBe('bad_credentials');
    const link = 'passwordLink' in appointed ? appointed.passwordLink : null;
    const token = new URL(link ?? '').searchParams.get('token') ?? '';
    await browser.call(resetPassword, { token, next: 'another horse battery' });
    await browser.call(login, { login: username, password: 'another horse battery' });
    expect((await browser.call(getPerson, { username })).username).toBe(username);
    const { user } = await browser.call(getCurrentUser, {});
    expect(user.username).toBe(username);
    // The address is proven now: the command changes nothing but the role.
    expect(await other.services.accounts.appoint(other.scope, asked)).toMatchObject({ passwordLink: null });
    expect((await browser.call(getCurrentUser, {})).user.username).toBe(username);
  } finally {
    await other.close();
  }
});

it('the command ends the link of the address that a stranger had before that of the operator', async () => {
  const other = await createSite();
  try {
    const stranger = await other.viewer();
    const { username, person: { email } } = stranger;
    const tokenTo = async (address: string): Promise<string> =>
      /token=(\S+)/u.exec(
        await other.tx((tx) => lastMessageTo(tx, address)),
      )?.[1] ?? '';
    await stranger.call(changeEmail, { email: 'chief@people.example' });
    await stranger.call(confirmEmail, { token: await tokenTo('chief@people.example') });
    const link = await tokenTo(email);
    // Makes the account one whose address the operator confirmed before that took a log-in.
    await other.tx((tx) =>
      sql`
      update accounts.people set address_proven_at = null where id = ${stranger.id}`.execute(tx.sql())
    );
    const asked = { email: 'chief@people.example', origin: 'http://localhost' };
    const appointed = await other.services.accounts.appoint(other.scope, asked);
    const reset = 'passwordLink' in appointed ? appointed.passwordLink : null;
    const operator = await other.visitor();
    const given = { login: username, password: 'another horse battery' };
    await operator.call(resetPassword, {
      token: new URL(reset ?? '').searchParams.get('token') ?? '',
      next: given.password,
    });
    await operator.call(login, given);
    await operator.opens();
    const { secret } = await operator.call(beginTwoFactor, { password: given.password });
    const codeNow = () => generateSync({ secret, epoch: Math.floor(other.clock.now().getTime() / 1000) });
    await operator.call(confirmTwoFactor, { code: codeNow() });
    const tried = await (await other.visitor()).refused(restoreEmail, { token: link });
    expect(tried.errorType).toBe('restore_link_over');
    expect(await operator.call(getEmail, {})).toMatchObject({ email: 'chief@people.example' });
    other.clock.advance(MINUTE_MS);
    const later = await other.visitor();
    expect((await later.refused(login, given)).errorType).toBe('code_required');
    await later.call(login, { ...given, code: codeNow() });
  } finally {
    await other.close();
  }
});

it('a viewer whose name reads as a performer’s does not become one under it', async () => {
  await site.performer({ username: 'look0ut' });
  const member = await site.viewer();
  // Viewers may have had such a name before performers' names were guarded.
  await site.tx((tx) =>
    sql`update accounts.people set username = 'lookout' where id = ${member.id}`.execute(tx.sql())
  );
  const asked = { gender: 'f', accept_terms: true } as const;
  expect((await member.refused(becomePerformer, asked)).errorType).toBe('username_taken');
  expect((await member.call(getCurrentUser, {})).user.type).toBe('user');
});
