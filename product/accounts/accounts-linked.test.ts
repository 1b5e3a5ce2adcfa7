import { MINUTE_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changePassword,
  getAuthState,
  getCurrentUser,
  login,
  requestPasswordReset,
  resetPassword,
} from './contract.ts';
import { linkAccount, listLinked, switchAccount, unlinkAccount } from './contract/life/linked.ts';
import { updateSettings } from './contract/settings.ts';

const PASSWORD = 'correct horse battery';
const NEXT = 'seven blue tortoises';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const links = (who: Visitor, other: Member, more: { own_password?: string } = {}) =>
  who.call(linkAccount, { login: other.username, password: PASSWORD, ...more });
const namesOf = async (who: Visitor): Promise<string[]> =>
  (await who.call(listLinked, {})).accounts.map(({ username }) => username);
const pair = async (): Promise<[Member, Member]> => {
  const [one, other] = [await site.viewer(), await site.viewer()];
  await links(one, other);
  return [one, other];
};
const isIn = async (who: Visitor) => (await who.call(getAuthState, {})).username;

describe('linked accounts', () => {
  it('are three at most, from either side [A-453]', async () => {
    const viewer = await site.viewer();
    const others: Member[] = [];
    for (let count = 0; count < 4; count += 1) others.push(await site.viewer());
    const [first, second, third, fourth] = others as [Member, Member, Member, Member];
    for (const other of [first, second, third]) await links(viewer, other);
    expect(await namesOf(viewer)).toEqual([first, second, third].map(({ username }) => username));
    expect(await viewer.refused(linkAccount, { login: fourth.username, password: PASSWORD }))
      .toMatchObject({ status: 409, errorType: 'too_many_linked' });
    // Nor can the fourth account link from its own side.
    expect(await fourth.refused(linkAccount, { login: viewer.username, password: PASSWORD }))
      .toMatchObject({ status: 409, errorType: 'too_many_linked' });
    expect((await viewer.call(getCurrentUser, {})).settings.max_linked_accounts).toBe(3);
    // Linking a linked account again changes nothing; after one is unlinked, another may be linked.
    expect((await links(viewer, second)).accounts).toHaveLength(3);
    await viewer.call(unlinkAccount, { username: first.username });
    expect((await links(viewer, fourth)).accounts).toHaveLength(3);
  });

  it('switch to each other: one session ends, one of the other begins in the same browser', async () => {
    const [one, other] = await pair();
    expect([await namesOf(one), await namesOf(other)]).toEqual([[other.username], [one.username]]);
    const tab = await site.anotherTabOf(one);
    const { user } = await one.call(switchAccount, { username: other.username });
    expect(user.id).toBe(other.id);
    await one.opens();
    expect([await isIn(one), await isIn(tab)]).toEqual([other.username, one.username]);
    await one.call(switchAccount, { username: one.username });
    await one.opens();
    expect(await isIn(one)).toBe(one.username);
  });

  it('stand in the current user unless they are hidden there', async () => {
    const [one, other] = await pair();
    const shown = async () => (await one.call(getCurrentUser, {})).linkedAccounts;
    expect(await shown()).toEqual([{ username: other.username }]);
    await one.call(updateSettings, { hide_linked_accounts: true });
    expect(await shown()).toEqual([]);
    expect(await namesOf(one)).toEqual([other.username]);
    await one.call(updateSettings, { hide_linked_accounts: false });
    expect(await shown()).toEqual([{ username: other.username }]);
  });

  it('need a log-in to the other account, counted as any other, and the own password later on', async () => {
    const [one, other] = [await site.viewer(), await site.viewer()];
    const outcome = async (input: { password: string; own_password?: string }, name = other.username) =>
      (await one.refused(linkAccount, { login: name, ...input })).errorType;
    expect(await outcome({ password: 'a guess' })).toBe('bad_credentials');
    expect(await outcome({ password: PASSWORD }, 'nobody-at-all')).toBe('bad_credentials');
    for (let guess = 2; guess <= 10; guess += 1) await outcome({ password: `guess ${guess}` });
    expect(await outcome({ password: PASSWORD })).toBe('login_locked');
    const stranger = await site.visitor();
    expect((await stranger.refused(login, { login: other.username, password: PASSWORD })).errorType)
      .toBe('login_locked');
    site.clock.advance(15 * MINUTE_MS);
    expect(await outcome({ password: PASSWORD })).toBe('confirmation_needed');
    expect(await outcome({ password: PASSWORD, own_password: 'a guess' })).toBe('bad_credentials');
    await links(one, other, { own_password: PASSWORD });
    expect(await namesOf(one)).toEqual([other.username]);
  });

  it('are never oneself, nor staff, nor suspended', async () => {
    const [viewer, admin, away] = [await site.viewer(), await site.admin(), await site.viewer()];
    const outcome = async (who: Visitor, other: Member) =>
      (await who.refused(linkAccount, { login: other.username, password: PASSWORD })).errorType;
    expect(await outcome(viewer, viewer)).toBe('link_refused');
    expect(await outcome(viewer, admin)).toBe('link_refused');
    expect(await outcome(admin, viewer)).toBe('link_refused');
    await links(viewer, away);
    const suspend = (who: Member, suspended: boolean) =>
      site.tx((tx) =>
        site.services.accounts.suspend(
          tx,
          who.id,
          { suspended, actorId: null, reason: 'seen by the testkit' },
        )
      );
    await suspend(away, true);
    expect(await viewer.refused(switchAccount, { username: away.username }))
      .toMatchObject({ errorType: 'suspended', suspension_date: site.clock.now().toISOString() });
    await suspend(away, false);
    // Roles given after the link close it too.
    await site.tx((tx) =>
      sql`update accounts.people set roles = '{site_mod}' where id = ${away.id}`
        .execute(tx.sql())
    );
    expect((await viewer.refused(switchAccount, { username: away.username })).errorType).toBe('link_refused');
    expect(await isIn(viewer)).toBe(viewer.username);
  });

  it('are reached by nobody without a link, and by no guest', async () => {
    const [[one, other], thief] = [await pair(), await site.viewer()];
    for (const victim of [one, other]) {
      for (const call of [switchAccount, unlinkAccount]) {
        expect((await thief.refused(call, { username: victim.username })).errorType).toBe('link_unknown');
      }
    }
    const guest = await site.visitor();
    expect((await guest.refused(listLinked, {})).status).toBe(401);
    expect((await guest.refused(switchAccount, { username: one.username })).status).toBe(401);
    expect((await guest.refused(unlinkAccount, { username: one.username })).status).toBe(401);
    expect((await guest.refused(linkAccount, { login: one.username, password: PASSWORD })).status).toBe(401);
    await one.call(unlinkAccount, { username: other.username });
    expect((await other.refused(switchAccount, { username: one.username })).errorType).toBe('link_unknown');
  });

  it('end with a new password of either, changed or reset', async () => {
    const [one, other] = await pair();
    await other.call(changePassword, { current: PASSWORD, next: NEXT });
    expect([await namesOf(one), await namesOf(other)]).toEqual([[], []]);
    const [third, fourth] = await pair();
    await (await site.visitor()).call(requestPasswordReset, { email: fourth.person.email });
    await site.settle();
    const mail = await site.tx((tx) => lastMessageTo(tx, fourth.person.email));
    await (await site.visitor()).call(resetPassword, {
      token: /token=(\S+)/u.exec(mail)?.[1] ?? '',
      next: NEXT,
    });
    expect(await namesOf(third)).toEqual([]);
  });

  it('both get an email about the link', async () => {
    const [one, other] = await pair();
    for (const [to, another] of [[one, other], [other, one]] as const) {
      const { rows } = await site.tx((tx) =>
        sql<{ subject: string; body: string }>`
        select subject, body from notices.outbox where recipient = ${to.person.email}`.execute(tx.sql())
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]?.subject).toBe('Account linked at Candela');
      expect(rows[0]?.body).toContain(`${to.username} was just linked with ${another.username}`);
    }
  });
});

it('logs no password and no error', () => expect(site.log).toEqual([]));
