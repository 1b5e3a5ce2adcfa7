import { implement } from '#platform/contract/extension-point.ts';
import { unreadRows } from '#platform/data/database/owned-rows.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, login, register, requestPasswordReset } from './contract.ts';
import { getDeletion, keepAccount, requestDeletion } from './contract/life/deletion.ts';
import { getPerson, suspendPerson } from './contract/life/people.ts';
import { addPasskey, beginPasskey, beginPasskeyLogin, loginByPasskey } from './contract/passkeys.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';
import { personalData } from './extension-points.ts';
import { ownRows } from './store/life/own-rows.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
/** Whether the process dies after the slices have erased their rows and before the account is erased. */
let crashes = false;
const crashing = unreadRows('it is a test', {
  table: 'tests.crash',
  owners: [],
  erase: {
    by: async () => {
      if (crashes) throw new Error('the process died');
      return 0;
    },
  },
});
let admin: Member;
beforeAll(async () => {
  site = await createSite({ implementations: [implement(personalData, [crashing])] });
  admin = await site.admin();
});
/** Admins log in again, because a session ends after thirty days without use. */
const staff = () => site.memberOf(admin.username);
afterAll(() => site.close());

const asks = (who: Member) => who.call(requestDeletion, { username: who.username, password: PASSWORD });
const codeOf = async (who: Visitor, input: object): Promise<string> =>
  (await who.refused(requestDeletion, input)).errorType;
/** Somebody logs in to an account in deletion: they get a ticket instead of a session. */
async function comesBack(username: string, browser?: Visitor) {
  const visitor = browser ?? await site.visitor();
  const problem = await visitor.refused(login, { login: username, password: PASSWORD });
  return { visitor, problem, ticket: String(problem['ticket']) };
}
const mailsOf = async (address: string): Promise<string[]> =>
  (await (await staff()).call(listOutbox, {})).mails
    .filter(({ to }) => to === address).map(({ kind }) => kind.replace('accounts:mails.', ''));
const looksUp = async (username: string) => (await staff()).call(getPerson, { username });
const grants = (who: Member, tokens: number, book: 'tokens' | 'earnings') =>
  site.tx((tx) =>
    site.services.ledger.post(tx, [{
      id: crypto.randomUUID(),
      kind: 'test',
      memo: {},
      facts: [],
      parameterHash: '',
      legs: [
        { account: { kind: 'operator', name: 'float' }, tokens: -tokens },
        { account: { kind: 'person', personId: who.id, book }, tokens },
      ],
    }])
  );

describe('asking for deletion', () => {
  it('takes the password, however recent the log-in, and the typed name', async () => {
    const viewer = await site.viewer({ tokens: 40 });
    expect(await viewer.call(getDeletion, {})).toEqual({
      username: viewer.username,
      tokens: 40,
      earned: 0,
      membership: null,
      obstacle: null,
      confirmation: 'password',
      deletion_at: new Date(site.clock.now().getTime() + 30 * DAY_MS).toISOString(),
    });
    const { username } = viewer;
    expect(await codeOf(viewer, { username: 'somebody', password: PASSWORD })).toBe('name_not_typed');
    expect(await codeOf(viewer, { username: (await site.viewer()).username, password: PASSWORD }))
      .toBe('name_not_typed');
    expect(await codeOf(viewer, { username })).toBe('confirmation_needed');
    expect(await codeOf(viewer, { username, password: 'a wrong guess' })).toBe('bad_credentials');
    expect(await viewer.call(getAuthState, {})).toMatchObject({ authenticated: true });
    const guest = await site.visitor();
    expect((await guest.refused(requestDeletion, { username, password: PASSWORD })).status).toBe(401);
    await asks(viewer);
    // Nothing is left of the session: neither its token nor its cookie counts.
    expect((await viewer.refused(requestDeletion, { username, password: PASSWORD })).status).toBe(403);
    expect((await viewer.refused(getDeletion, {})).status).toBe(401);
  });

  it('by two tabs at once is one request', async () => {
    const viewer = await site.viewer();
    const [one, two] = await Promise.allSettled([asks(viewer), asks(viewer)]);
    expect([one.status, two.status]).toContain('fulfilled');
    expect((await mailsOf(viewer.person.email)).filter((kind) => kind === 'deletionAsked')).toHaveLength(1);
  });

  it('is refused to the suspended, to whoever owes tokens, and to the last admin', async () => {
    const suspect = await site.viewer();
    const chief = await staff();
    await chief.call(suspendPerson, { username: suspect.username, suspended: true, reason: 'ticket 1' });
    expect((await suspect.refused(getDeletion, {})).status).toBe(401);
    await suspect.opens();
    expect(
      (await suspect.refused(requestDeletion, { username: suspect.username, password: PASSWORD }))
        .status,
    ).toBe(401);
    const debtor = await site.viewer({ tokens: 1 });
    await site.tx((tx) => site.services.ledger.setCredit(tx, debtor.id, 500));
    await debtor.tips(await site.performer({ live: true }), 25);
    expect(await debtor.call(getDeletion, {})).toMatchObject({ obstacle: 'debt_open', tokens: 0 });
    expect(await codeOf(debtor, { username: debtor.username, password: PASSWORD })).toBe('debt_open');
    expect(await chief.call(getDeletion, {})).toMatchObject({ obstacle: 'last_admin' });
    expect(await codeOf(chief, { username: chief.username, password: PASSWORD })).toBe('last_admin');
    const second = await site.admin();
    await asks(second);
    expect(await codeOf(chief, { username: chief.username, password: PASSWORD })).toBe('last_admin');
  });
});

describe('the ticket of an account in deletion', () => {
  it('is of the session that proved who it is, for fifteen minutes and for one request', async () => {
    const viewer = await site.viewer();
    const { username } = viewer;
    await asks(viewer);
    const { visitor, ticket } = await comesBack(username);
    const thief = await site.viewer();
    for (const who of [thief, await site.visitor()]) {
      expect((await who.refused(keepAccount, { ticket })).errorType).toBe('keep_over');
    }
    expect((await visitor.refused(keepAccount, { ticket: `${ticket}x` })).errorType).toBe('keep_over');
    site.clock.advance(15 * MINUTE_MS);
    expect((await visitor.refused(keepAccount, { ticket })).errorType).toBe('keep_over');
    // The person stayed with one ticket of two, and asked for deletion again: the unused ticket is void.
    const { ticket: early } = await comesBack(username, visitor);
    const { ticket: used } = await comesBack(username, visitor);
    await visitor.call(keepAccount, { ticket: used });
    const again = await site.memberOf(username);
    await again.call(requestDeletion, { username, password: PASSWORD });
    await visitor.opens();
    expect((await visitor.refused(keepAccount, { ticket: early })).errorType).toBe('keep_over');
  });

  it('is for nobody with a wrong password, and not for the suspended', async () => {
    const viewer = await site.viewer();
    await asks(viewer);
    const guesser = await site.visitor();
    const wrong = await guesser.refused(login, { login: viewer.username, password: 'no' });
    expect(wrong).toMatchObject({ errorType: 'bad_credentials' });
    expect(wrong).not.toHaveProperty('ticket');
    const { visitor, ticket } = await comesBack(viewer.username);
    await (await staff()).call(suspendPerson, {
      username: viewer.username,
      suspended: true,
      reason: 'ticket 2',
    });
    expect((await visitor.refused(keepAccount, { ticket })).errorType).toBe('keep_over');
    const { problem } = await comesBack(viewer.username);
    expect(problem).toMatchObject({ errorType: 'suspended' });
  });

  it('takes every step of a log-in, by code or passkey', async () => {
    const viewer = await site.viewer();
    const { ticket: asked, options } = await viewer.call(beginPasskey, {});
    const key = new Authenticator();
    await viewer.call(addPasskey, {
      ticket: asked,
      name: 'My key',
      credential: key.makes(options, 'http://localhost'),
    });
    const { secret } = await viewer.call(beginTwoFactor, { password: PASSWORD });
    const code = () => generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
    await viewer.call(confirmTwoFactor, { code: code() });
    const { username } = viewer;
    site.clock.advance(MINUTE_MS);
    expect(await codeOf(viewer, { username, password: PASSWORD })).toBe('code_required');
    await viewer.call(requestDeletion, { username, password: PASSWORD, code: code() });
    const { problem } = await comesBack(username);
    expect(problem.errorType).toBe('code_required');
    expect(problem).not.toHaveProperty('ticket');
    const browser = await site.visitor();
    const begun = await browser.call(beginPasskeyLogin, {});
    const refused = await browser.refused(loginByPasskey, {
      ticket: begun.ticket,
      credential: key.answers(begun.options, 'http://localhost'),
    });
    expect(refused.errorType).toBe('in_deletion');
    expect((await browser.call(keepAccount, { ticket: String(refused['ticket']) })).user.username)
      .toBe(username);
  });

  it('comes after a forgotten password too', async () => {
    const viewer = await site.viewer();
    await asks(viewer);
    await (await site.visitor()).call(requestPasswordReset, { email: viewer.person.email });
    await site.settle();
    expect(await mailsOf(viewer.person.email)).toContain('resetPassword');
  });
});

describe('thirty days later', () => {
  it('the account is erased, after a reminder, and nothing brings it back', async () => {
    const viewer = await site.viewer({ tokens: 60 });
    const { username, person: { email } } = viewer;
    await asks(viewer);
    await site.passes(27 * DAY_MS - MINUTE_MS);
    expect(await mailsOf(email)).not.toContain('deletionSoon');
    await site.passes(2 * MINUTE_MS);
    expect(await mailsOf(email)).toContain('deletionSoon');
    site.clock.advance(3 * DAY_MS - 6 * MINUTE_MS);
    const { visitor, ticket } = await comesBack(username);
    await site.passes(6 * MINUTE_MS);
    expect((await visitor.refused(keepAccount, { ticket })).errorType).toBe('keep_over');
    expect((await comesBack(username)).problem).toMatchObject({ errorType: 'bad_credentials' });
    expect(await mailsOf(email)).toEqual([]);
    expect(await mailsOf(`deleted-${viewer.id}`)).toEqual(['deletionDone']);
    expect((await (await staff()).refused(getPerson, { username })).errorType).toBe('person_unknown');
    expect(await looksUp(`deleted-${viewer.id}`))
      .toMatchObject({ erased_at: expect.any(String) as string, roles: [], email_confirmed: false });
    expect(await site.tx((tx) => site.services.ledger.balance(tx, viewer.id))).toBe(0);
  });

  it('the name is nobody’s for a year, nor one that looks the same, nor the pseudonym', async () => {
    const viewer = await site.viewer({ username: 'look-alike_0' });
    await asks(viewer);
    site.clock.advance(30 * DAY_MS);
    await site.settle();
    const signsUp = async (name: string): Promise<string> => {
      const answer = await (await site.visitor()).refused(register, {
        username: name,
        email: `${crypto.randomUUID()}@example.com`,
        password: PASSWORD,
        birth_date: '1990-01-01',
        type: 'user',
        accept_terms: true,
      }).catch(() => ({ errorType: 'signed_up' }));
      return answer.errorType;
    };
    for (const name of ['look-alike_0', 'look_alike-o', `deleted-${viewer.id}`, 'deleted-999999']) {
      expect([name, await signsUp(name)]).toEqual([name, 'username_taken']);
    }
    site.clock.advance(366 * DAY_MS);
    expect(await signsUp('look-alike_0')).toBe('signed_up');
  });

  it('waits while earnings are not paid out, and can be undone until then', async () => {
    const performer = await site.performer({ username: 'unpaid-star' });
    await grants(performer, 80, 'earnings');
    expect(await performer.call(getDeletion, {})).toMatchObject({ earned: 80, obstacle: null });
    await asks(performer);
    await site.passes(35 * DAY_MS);
    expect(await looksUp('unpaid-star')).toMatchObject({ erased_at: null });
    const { visitor, ticket } = await comesBack('unpaid-star');
    await visitor.call(keepAccount, { ticket });
    const back = await site.memberOf('unpaid-star');
    await asks(back);
    await grants(performer, -80, 'earnings');
    await site.passes(31 * DAY_MS);
    const found = await looksUp(`deleted-${performer.id}`);
    expect(found.erased_at).not.toBeNull();
  });

  it('a crash in the middle costs nothing, and two processes at once do it once', async () => {
    const viewer = await site.viewer({ username: 'crash-fan', tokens: 50 });
    const performer = await site.performer({ live: true });
    await viewer.tips(performer, 25);
    await site.settle();
    await asks(viewer);
    crashes = true;
    await site.passes(30 * DAY_MS);
    // The slices are done; the account is still there, so the job can resume.
    const { rows } = await site.tx((tx) =>
      sql`select from tips.recent where sender_id = ${viewer.id}`
        .execute(tx.sql())
    );
    expect(rows).toEqual([]);
    expect(await looksUp('crash-fan')).toMatchObject({ erased_at: null });
    expect((await comesBack('crash-fan')).problem).toMatchObject({ errorType: 'in_deletion', ticket: null });
    crashes = false;
    await site.passes(HOUR_MS);
    const again = { kind: 'accounts.erasure', key: String(viewer.id) };
    await site.tx((tx) => tx.schedule({ ...again, at: tx.now }));
    await site.settle();
    expect((await mailsOf(`deleted-${viewer.id}`)).filter((kind) => kind === 'deletionDone')).toHaveLength(1);
    const found = await looksUp(`deleted-${viewer.id}`);
    expect(found.erased_at).not.toBeNull();
    expect(await site.tx((tx) => site.services.ledger.balance(tx, viewer.id))).toBe(0);
  });
});

it('every table of the accounts with a column of a person says what becomes of its rows', async () => {
  const { rows } = await site.tx((tx) =>
    sql<{ name: string }>`
    select distinct table_schema || '.' || table_name as name from information_schema.columns
    where table_schema = 'accounts' and column_name in ('person_id', 'other_id')`.execute(tx.sql())
  );
  const known = new Set(ownRows.map(({ table }) => table));
  expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  expect(ownRows.filter(({ erase, keeps }) => erase === null && keeps === null)).toEqual([]);
});
