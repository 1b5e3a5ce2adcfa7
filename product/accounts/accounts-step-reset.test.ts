/** Staff who lost their second step have it reset by another admin, and by nobody else. */
import { uuidV4 } from '#platform/data/ids.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, login } from './contract.ts';
import { getPerson } from './contract/life/people.ts';
import { addPasskey, beginPasskey, beginPasskeyLogin, loginByPasskey } from './contract/passkeys.ts';
import { resetSecondStep } from './contract/staff-second-step.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';
import type { StaffRole } from './rules/staff/roles.ts';

const PASSWORD = 'correct horse battery';
const ORIGIN = 'http://localhost';
const CLOSED = { status: 403, errorType: 'two_factor_required' };
const REFUSED = { status: 403, errorType: 'step_reset_refused' };
const REASON = 'lost the telephone';
let site: TestSite;
beforeAll(async () => {
  site = await createSite({ settings: { staffNeedsSecondStep: true } });
});
afterAll(() => site.close());

const codeOf = (secret: string): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });

async function addsKey(owner: Visitor): Promise<Authenticator> {
  const key = new Authenticator();
  const { ticket, options } = await owner.call(beginPasskey, { password: PASSWORD });
  await owner.call(addPasskey, { ticket, name: 'A key', credential: key.makes(options, ORIGIN) });
  return key;
}
async function addsApp(owner: Visitor): Promise<string> {
  const { secret } = await owner.call(beginTwoFactor, { password: PASSWORD });
  await owner.call(confirmTwoFactor, { code: codeOf(secret) });
  return secret;
}
/** A member of staff with a passkey, in a session that used it. */
async function staff(...roles: StaffRole[]): Promise<Member> {
  const member = await site.admin({ roles });
  await addsKey(member);
  return member;
}
async function byPassword({ username }: Member, code?: string): Promise<Visitor> {
  const browser = await site.visitor();
  await browser.call(login, { login: username, password: PASSWORD, ...(code && { code }) });
  await browser.opens();
  return browser;
}
/** Emails to an address, newest first. */
const mailsTo = (email: string): Promise<readonly { readonly subject: string; readonly body: string }[]> =>
  site.tx(async (tx) =>
    (await sql<{ subject: string; body: string }>`select subject, body
    from notices.outbox where recipient = ${email} order by id desc limit 5`.execute(tx.sql())).rows
  );
/** The password alone opens nothing without the mailbox, because the browser is new again. */
async function comesBack({ username, person: { email } }: Member): Promise<Visitor> {
  const browser = await site.visitor();
  expect(await browser.refused(login, { login: username, password: PASSWORD }))
    .toMatchObject({ errorType: 'email_code_required' });
  await site.settle();
  const code = /\b\d{6}\b/u.exec((await mailsTo(email))[0]?.body ?? '')?.[0] ?? '';
  await browser.call(login, { login: username, password: PASSWORD, code });
  await browser.opens();
  return browser;
}
const stepOf = async (chief: Visitor, { username }: Member): Promise<string> =>
  (await chief.call(getPerson, { username })).step_to_reset ?? '';
const orderOf = (username: string, step: string) => ({ username, step, reason: REASON });
const someStep = (): string => site.clock.now().toISOString();
const hasStep = async ({ id }: Member): Promise<boolean> =>
  site.tx(async (tx) => {
    const { rows } = await sql<{ has: boolean }>`select
    exists (select from accounts.passkeys where person_id = ${id})
    or exists (select from accounts.two_factor where person_id = ${id})
    or exists (select from accounts.recovery_codes where person_id = ${id}) as has`.execute(tx.sql());
    return rows[0]?.has === true;
  });

describe('the second step of staff that an admin resets', () => {
  it(
    'is gone with its codes and passkeys, every session too, and there is mail and a line in the log',
    async () => {
      const [chief, owner] = [await staff('super_admin'), await staff('admin')];
      const secret = await addsApp(owner);
      await site.passes(60_000);
      const second = await byPassword(owner, codeOf(secret));
      const { username, id, person: { email } } = owner;
      const answer = await chief.call(resetSecondStep, orderOf(username, await stepOf(chief, owner)));
      expect(answer).toMatchObject({ username, roles: ['admin'], step_to_reset: null });
      expect(await hasStep(owner)).toBe(false);
      for (const browser of [owner, second]) {
        expect((await browser.call(getAuthState, {})).authenticated).toBe(false);
      }
      await site.settle();
      const lines = await site.tx(async (tx) =>
        (await sql<{ actor_id: number; reason: string; subject: string }>`select actor_id, reason, subject
          from platform.audit where action = 'accounts.resetSecondStep'
          order by id desc limit 1`.execute(tx.sql())).rows
      );
      const [mail] = await mailsTo(email);
      expect(mail?.subject).toMatch(/^Your second step at .* was reset$/u);
      expect(mail?.body).toContain(username);
      expect(lines).toEqual([{ actor_id: chief.id, reason: REASON, subject: `person:${id}` }]);
    },
  );

  it('opens nothing again before another is set up, in a session of afterwards', async () => {
    const [chief, owner] = [await staff('super_admin'), await staff('admin')];
    const key = await addsKey(owner);
    // Setting up a passkey that began before the reset cannot be finished: its session is over.
    const begun = await owner.call(beginPasskey, { password: PASSWORD });
    await chief.call(resetSecondStep, orderOf(owner.username, await stepOf(chief, owner)));
    const entering = await site.visitor();
    const { ticket, options } = await entering.call(beginPasskeyLogin, {});
    expect(await entering.refused(loginByPasskey, { ticket, credential: key.answers(options, ORIGIN) }))
      .toMatchObject({ status: 401 });
    const browser = await comesBack(owner);
    const looks = { username: chief.username };
    expect(await browser.refused(getPerson, looks)).toMatchObject(CLOSED);
    expect(
      (await browser.refused(addPasskey, {
        ticket: begun.ticket,
        name: 'A key',
        credential: new Authenticator().makes(begun.options, ORIGIN),
      })).status,
    ).toBeGreaterThanOrEqual(400);
    expect(await browser.refused(getPerson, looks)).toMatchObject(CLOSED);
    await addsApp(browser);
    await browser.call(getPerson, looks);
    expect(await (await byPassword(chief)).refused(getPerson, looks), 'of others').toMatchObject(CLOSED);
  });

  it('is not one’s own, nor that of whoever has a role the caller could not take', async () => {
    const [chief, admin] = [await staff('super_admin'), await staff('admin')];
    const both = await staff('site_mod', 'super_admin');
    const equal = await staff('admin');
    const member = await site.viewer();
    await addsKey(member);
    const attempts: readonly (readonly [Member, Member])[] = [
      [chief, chief],
      [admin, admin],
      [admin, chief],
      [admin, both],
      [admin, equal],
      [chief, member],
    ];
    for (const [caller, target] of attempts) {
      const { username } = target;
      expect((await caller.call(getPerson, { username })).step_to_reset).toBeNull();
      const { rows } = await site.tx((tx) =>
        sql<{ at: Date }>`select created_at as at
        from accounts.passkeys where person_id = ${target.id}`.execute(tx.sql())
      );
      const since = rows[0]?.at.toISOString();
      expect(await caller.refused(resetSecondStep, orderOf(username, since ?? ''))).toMatchObject(REFUSED);
      expect(await hasStep(target), username).toBe(true);
    }
    const moderator = await staff('site_mod');
    expect(await moderator.refused(resetSecondStep, orderOf(equal.username, someStep())))
      .toMatchObject({ status: 403 });
    // An admin resets the step of somebody whose role they may take.
    await admin.call(resetSecondStep, orderOf(moderator.username, await stepOf(admin, moderator)));
    expect(await hasStep(moderator)).toBe(false);
  });

  it('is not reset from a session without a second step, nor by a role that was taken since', async () => {
    const [chief, owner] = [await staff('super_admin'), await staff('admin')];
    const order = orderOf(owner.username, await stepOf(chief, owner));
    const thief = await byPassword(chief);
    expect(await thief.refused(resetSecondStep, order)).toMatchObject(CLOSED);
    const fresh = await site.admin({ roles: ['super_admin'] });
    expect(await fresh.refused(resetSecondStep, order)).toMatchObject(CLOSED);
    await site.tx((tx) =>
      sql`update accounts.people set roles = '{}' where id = ${chief.id}`
        .execute(tx.sql())
    );
    expect((await chief.refused(resetSecondStep, order)).status).toBe(403);
    expect(await hasStep(owner)).toBe(true);
  });

  it('is reset once: the same request again leaves the next one as it is', async () => {
    const [chief, owner] = [await staff('super_admin'), await staff('admin')];
    const order = orderOf(owner.username, await stepOf(chief, owner));
    await chief.call(resetSecondStep, order);
    const changed = { status: 409, errorType: 'step_changed' };
    expect(await chief.refused(resetSecondStep, order)).toMatchObject(changed);
    await site.passes(1_000);
    const browser = await comesBack(owner);
    await addsKey(browser);
    expect(await chief.refused(resetSecondStep, order)).toMatchObject(changed);
    await browser.call(getPerson, { username: chief.username });
    expect(await hasStep(owner)).toBe(true);
  });

  it('of two who reset each other’s at once, one keeps theirs', async () => {
    const [one, other] = [await staff('super_admin'), await staff('super_admin')];
    const orders = [
      orderOf(other.username, await stepOf(one, other)),
      orderOf(one.username, await stepOf(other, one)),
    ] as const;
    const done = await Promise.allSettled([
      one.call(resetSecondStep, orders[0]),
      other.call(resetSecondStep, orders[1]),
    ]);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([await hasStep(one), await hasStep(other)].filter(Boolean)).toHaveLength(1);
  });

  it('names its fields: unknown ones and no reason are refused', async () => {
    const [chief, owner] = [await staff('super_admin'), await staff('admin')];
    const order = orderOf(owner.username, await stepOf(chief, owner));
    for (const body of [{ ...order, force: uuidV4() }, { ...order, reason: ' ' }]) {
      expect(await chief.refused(resetSecondStep, body)).toMatchObject({ status: 422 });
    }
    expect(await hasStep(owner)).toBe(true);
  });
});

it('where staff need no second step, as in a demo, who resets one has one all the same', async () => {
  const demo = await createSite({ settings: { staffNeedsSecondStep: false } });
  try {
    const chief = await demo.admin({ roles: ['super_admin'] });
    const owner = await demo.admin({ roles: ['admin'] });
    await addsKey(owner);
    const order = orderOf(owner.username, await stepOf(chief, owner));
    expect(await chief.refused(resetSecondStep, order))
      .toMatchObject({ status: 403, errorType: 'own_step_needed' });
    await addsKey(chief);
    await chief.call(resetSecondStep, order);
  } finally {
    await demo.close();
  }
});
