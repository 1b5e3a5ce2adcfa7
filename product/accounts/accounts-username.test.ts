import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCurrentUser, login } from './contract.ts';
import { accountChanged, changeUsername, getUsernameChange } from './contract/life/username.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';
import { skeletonOf } from './rules/life/usernames.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const outcome = async (who: Visitor, username: string, more: { password?: string } = {}): Promise<string> =>
  (await who.refused(changeUsername, { username, ...more })).errorType;
const signsUp = async (username: string): Promise<string> => {
  const visitor = await site.visitor();
  const { statusCode, body } = await visitor.request({
    method: 'POST',
    url: '/api/v1/auth/register',
    payload: {
      username,
      email: `${username}@new.example`,
      password: 'a horse of another colour',
      birth_date: '1990-05-05',
      type: 'user',
      accept_terms: true,
    },
  });
  return statusCode === 200 ? 'free' : (JSON.parse(body) as { errorType: string }).errorType;
};
const named = async (username: string): Promise<number | null> =>
  (await site.tx((tx) => site.services.accounts.findByUsername(tx, username)))?.id ?? null;
/** Somebody who logged in long ago. */
async function longIn(options: Parameters<TestSite['viewer']>[0] = {}): Promise<Member> {
  const viewer = await site.viewer(options);
  site.clock.advance(11 * MINUTE_MS);
  return viewer;
}

describe('a username that changes', () => {
  it('needs the password unless the log-in is recent, and a guess is counted', async () => {
    const recent = await site.viewer();
    expect(await recent.call(getUsernameChange, {})).toEqual({
      username: recent.username,
      changeable_at: null,
      confirmation: 'none',
    });
    await recent.call(changeUsername, { username: 'nova-quick' });
    const viewer = await longIn();
    expect(await viewer.call(getUsernameChange, {})).toMatchObject({ confirmation: 'password' });
    expect(await outcome(viewer, 'nova-one')).toBe('confirmation_needed');
    expect(await outcome(viewer, 'nova-one', { password: 'wrong guess' })).toBe('bad_credentials');
    for (let guess = 1; guess < 10; guess += 1) {
      site.clock.advance(MINUTE_MS / 5);
      await outcome(viewer, 'nova-one', { password: `guess ${guess}` });
    }
    site.clock.advance(MINUTE_MS / 5);
    expect(await outcome(viewer, 'nova-one', { password: PASSWORD })).toBe('login_locked');
    site.clock.advance(15 * MINUTE_MS);
    const { user } = await viewer.call(changeUsername, { username: 'Nova-One', password: PASSWORD });
    expect(user).toMatchObject({ id: viewer.id, username: 'nova-one', display_name: 'Nova-One' });
    expect((await viewer.call(getCurrentUser, {})).user.username).toBe('nova-one');
    await (await site.visitor()).call(login, { login: 'nova-one', password: PASSWORD });
  });

  it('leaves a display name that was chosen', async () => {
    const viewer = await site.viewer();
    await site.tx((tx) =>
      sql`update accounts.people set display_name = 'Chosen' where id = ${viewer.id}`
        .execute(tx.sql())
    );
    const { user } = await viewer.call(changeUsername, { username: 'quiet-name' });
    expect(user.display_name).toBe('Chosen');
  });

  it('is for members alone, and only for themselves', async () => {
    expect(await (await site.visitor()).refused(changeUsername, { username: 'nova-guest' }))
      .toMatchObject({ status: 401 });
    expect(await (await site.visitor()).refused(getUsernameChange, {})).toMatchObject({ status: 401 });
    const viewer = await site.viewer();
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, viewer.id, {
        suspended: true,
        actorId: null,
        reason: 'seen by the testkit',
      })
    );
    await viewer.opens();
    expect(await viewer.refused(changeUsername, { username: 'nova-away' })).toMatchObject({ status: 401 });
    const thief = await site.viewer();
    const { body } = await thief.request({
      method: 'POST',
      url: '/api/v1/user/username',
      payload: { username: 'nova-two', id: viewer.id },
    });
    expect(body).toContain('invalid_input');
    expect(await named(thief.username)).toBe(thief.id);
  });

  it('follows the rules of sign-up: form, reserved words, look-alikes of staff and performers', async () => {
    await site.performer({ username: 'paypal_modern' });
    const viewer = await site.viewer();
    for (const [name, code] of [
      ['ab', 'username_invalid'],
      ['with space', 'username_invalid'],
      // A Cyrillic а.
      ['pаypal', 'username_invalid'],
      ['settings', 'username_taken'],
      ['adm1n', 'username_taken'],
      ['supp0rt', 'username_taken'],
      ['guest_abc', 'username_taken'],
      ['moderat0r', 'username_taken'],
      ['paypal_modern', 'username_taken'],
      ['paypa1-modern', 'username_taken'],
      ['paypa1_modem', 'username_taken'],
      ['PAYPAL-MODERN', 'username_taken'],
    ] as const) {
      site.clock.advance(MINUTE_MS / 5);
      expect([name, await outcome(viewer, name)]).toEqual([name, code]);
      if (code === 'username_taken') expect([name, await signsUp(name)]).toEqual([name, code]);
    }
    expect(await signsUp('paypal-friend')).toBe('free');
  });

  it('comes at most once in 30 days, to the millisecond', async () => {
    const viewer = await site.viewer();
    await viewer.call(changeUsername, { username: 'month-one' });
    const refused = await viewer.refused(changeUsername, { username: 'month-two' });
    const again = new Date(site.clock.now().getTime() + 30 * DAY_MS);
    expect(refused).toMatchObject({
      status: 409,
      errorType: 'username_changed_lately',
      changeable_at: again.toISOString(),
    });
    expect((await viewer.call(getUsernameChange, {})).changeable_at).toBe(again.toISOString());
    site.clock.advance(30 * DAY_MS - 1);
    const late = await site.memberOf('month-one');
    expect(await outcome(late, 'month-two')).toBe('username_changed_lately');
    site.clock.advance(1);
    await late.call(changeUsername, { username: 'month-two' });
  });

  it('finds the person by the former name for 90 days, and gives it to nobody else for 365', async () => {
    const viewer = await site.viewer({ username: 'former-lane' });
    await viewer.call(changeUsername, { username: 'present-lane' });
    expect(await named('former-lane')).toBe(viewer.id);
    const other = await site.viewer();
    expect([await outcome(other, 'former-lane'), await signsUp('former-lane'), await signsUp('former_1ane')])
      .toEqual(['username_taken', 'username_taken', 'username_taken']);
    site.clock.advance(90 * DAY_MS - 1);
    expect(await named('former-lane')).toBe(viewer.id);
    site.clock.advance(1);
    expect(await named('former-lane')).toBeNull();
    site.clock.advance(275 * DAY_MS - 1);
    expect(await signsUp('former-lane')).toBe('username_taken');
    site.clock.advance(1);
    expect(await signsUp('former-lane')).toBe('free');
    expect(await named('former-lane')).not.toBe(viewer.id);
  });

  it('takes one\'s own former name back, which stays nobody else\'s meanwhile', async () => {
    const viewer = await site.viewer({ username: 'return-lane' });
    await viewer.call(changeUsername, { username: 'away-lane' });
    site.clock.advance(31 * DAY_MS);
    const later = await site.memberOf('away-lane');
    await later.call(changeUsername, { username: 'return-lane' });
    expect([await named('return-lane'), await named('away-lane')]).toEqual([viewer.id, viewer.id]);
  });

  it('is had once, by whoever is first of many at once', async () => {
    const rivals = await Promise.all(Array.from({ length: 5 }, () => site.viewer()));
    const answers = await Promise.all(rivals.map(async (rival) =>
      (await rival.request({
        method: 'POST',
        url: '/api/v1/user/username',
        payload: { username: 'wanted-lane' },
      })).statusCode
    ));
    expect(answers.toSorted()).toEqual([200, 409, 409, 409, 409]);
    // Two people who swap names at once do not deadlock, and neither gets the other's.
    const [one, two] = [await site.viewer(), await site.viewer()];
    const swap = await Promise.all(
      [[one, two.username], [two, one.username]].map(async ([who, username]) =>
        ((who as Member).request({
          method: 'POST',
          url: '/api/v1/user/username',
          payload: { username },
        })).then(({ statusCode }) => statusCode)
      ),
    );
    expect(swap).toEqual([409, 409]);
  });

  it('is reported by email and in the audit log, and the change is a fact for every tab', async () => {
    const viewer = await site.viewer({ username: 'noted-lane' });
    const tab = await site.socketOf(await site.anotherTabOf(viewer));
    await viewer.call(changeUsername, { username: 'renoted-lane' });
    await site.settle();
    expect(await tab.waitFor(accountChanged)).toEqual({});
    const { rows } = await site.tx((tx) =>
      sql<{ subject: string; body: string }>`
      select subject, body from notices.outbox where recipient = ${viewer.person.email}
      order by id desc limit 1`.execute(tx.sql())
    );
    expect(rows[0]?.subject).toBe('Your username at Candela was changed');
    expect(rows[0]?.body).toContain('Your account noted-lane is now called renoted-lane.');
    const audit = await site.tx((tx) =>
      sql<{ action: string }>`
      select action from platform.audit where subject = ${`person:${viewer.id}`} order by id desc limit 1`
        .execute(tx.sql())
    );
    expect(audit.rows[0]?.action).toBe('accounts.changeUsername');
  });

  it('needs a code too where log-in takes two steps', async () => {
    const viewer = await site.viewer();
    const { secret } = await viewer.call(beginTwoFactor, { password: PASSWORD });
    const now = () => Math.floor(site.clock.now().getTime() / 1000);
    await viewer.call(confirmTwoFactor, { code: generateSync({ secret, epoch: now() }) });
    site.clock.advance(11 * MINUTE_MS);
    expect(await outcome(viewer, 'two-steps', { password: PASSWORD })).toBe('code_required');
    const code = generateSync({ secret, epoch: now() });
    await viewer.call(changeUsername, { username: 'two-steps', password: PASSWORD, code });
  });
});

it('skeletons are the same in the database', async () => {
  const names = ['a0b1', 'modern_vv', 'rn-1_0', 'vvv-rrn', 'plain', 'x__-0o'];
  const { rows } = await site.tx((tx) =>
    sql<{ name: string; skeleton: string }>`
    select name, replace(replace(translate(name, '01_', 'ol-'), 'rn', 'm'), 'vv', 'w') as skeleton
    from unnest(${names}::text[]) name`.execute(tx.sql())
  );
  expect(rows.map(({ skeleton }) => skeleton)).toEqual(names.map(skeletonOf));
  await site.viewer({ username: 'col1_umn0' });
  const stored = await site.tx((tx) =>
    sql<{ skeleton: string }>`
    select skeleton from accounts.people where username = 'col1_umn0'`.execute(tx.sql())
  );
  expect(stored.rows[0]?.skeleton).toBe(skeletonOf('col1_umn0'));
});

it('logs no password and no error', () => expect(site.log).toEqual([]));
