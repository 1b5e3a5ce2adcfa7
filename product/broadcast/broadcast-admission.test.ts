import { DAY_MS } from '#platform/time/units.ts';
import { confirmEmail, getCurrentUser, register } from '#product/accounts/contract.ts';
import { resendEmail } from '#product/accounts/contract/life/email.ts';
import { getPerson, suspendPerson } from '#product/accounts/contract/life/people.ts';
import { addPasskey, beginPasskey } from '#product/accounts/contract/passkeys.ts';
import { becomePerformer } from '#product/accounts/contract/performing.ts';
import { becomeFirstAdmin, setRole } from '#product/accounts/contract/staff-roles.ts';
import { beginTwoFactor, confirmTwoFactor } from '#product/accounts/contract/two-factor.ts';
import { decideClearance, hideMe, listClearances } from '#product/compliance/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getOwnBroadcast, makeBrowserKey } from './contract.ts';
import { setStandby } from './contract/settings.ts';

const PASSWORD = 'correct horse battery';
let site: TestSite;
/** The first admin, once there is one. */
let chief: Member;
// Configured as a real site, not as a demo.
beforeAll(async () => {
  site = await createSite({ settings: { staffNeedsSecondStep: true, needsAdmin: true } });
});
afterAll(() => site.close());

const tokenOf = () => site.tx((tx) => site.services.accounts.firstAdminToken(tx));
const turnsOn = async (who: Member) => {
  const { secret } = await who.call(beginTwoFactor, { password: PASSWORD });
  const epoch = Math.floor(site.clock.now().getTime() / 1000);
  await who.call(confirmTwoFactor, { code: generateSync({ secret, epoch }) });
};
const change = ({ username }: Member, role: 'admin' | 'super_admin') => ({
  username,
  role,
  on: true,
  reason: 'ticket 13',
});
const auditOf = ({ id }: Member) =>
  site.tx(async (tx) =>
    (await sql<{ actor: number; detail: object }>`
  select actor_id as actor, detail from platform.audit
  where subject = ${`person:${id}`} and action = 'accounts.setRole'`
      .execute(tx.sql())).rows
  );
const mailsTo = async (address: string) => {
  await site.settle();
  return (await chief.call(listOutbox, {})).mails.filter(({ to }) => to === address);
};
const refusalOf = (error: unknown) => (error as { problem?: { errorType: string } }).problem?.errorType;
const WAITS = { status: 403, errorType: 'two_factor_required' };

it('a site without an admin airs nothing, and makes one of whoever brings its newest link', async () => {
  const performer = await site.performer();
  const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
  expect(await performer.refused(makeBrowserKey, {}))
    .toMatchObject({ status: 403, errorType: 'admin_missing' });
  expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: false });
  await expect(performer.goesLive()).rejects.toThrow('admin_missing');

  const [first, second] = [await site.viewer(), await site.viewer()];
  const old = await tokenOf();
  await site.passes(DAY_MS);
  expect((await first.refused(becomeFirstAdmin, { token: old ?? '' })).errorType).toBe('first_admin_over');
  const [replaced, token] = [await tokenOf() ?? '', await tokenOf() ?? ''];
  const stored = await site.tx(async (tx) =>
    JSON.stringify((await sql`select * from accounts.first_admin_links`.execute(tx.sql())).rows)
  );
  expect(stored).not.toContain(token);
  for (const wrong of [replaced, '', 'x', `${token}x`]) {
    expect((await first.refused(becomeFirstAdmin, { token: wrong })).errorType).toBe('first_admin_over');
  }
  const guest = await site.visitor();
  expect((await guest.refused(becomeFirstAdmin, { token })).status).toBe(401);
  await first.call(becomeFirstAdmin, { token });
  expect((await second.refused(becomeFirstAdmin, { token })).errorType).toBe('first_admin_over');
  expect(await tokenOf()).toBeNull();
  expect(await auditOf(first)).toEqual([{ actor: first.id, detail: { role: 'super_admin', on: true } }]);

  // Staff calls stay closed until a log-in with a second step.
  const order = { username: second.username, suspended: true, reason: 'none' };
  expect(await first.refused(suspendPerson, order)).toMatchObject(WAITS);
  expect(await first.refused(setRole, change(second, 'admin'))).toMatchObject(WAITS);
  expect((await first.call(getCurrentUser, {})).user.two_factor_required_by).not.toBeNull();
  // Performers cannot go live either: no admin could act.
  const isAired = async () => [
    await performer.call(makeBrowserKey, {}).then(() => 'key', (error: unknown) => refusalOf(error)),
    (await site.rtmp.publishes(key)).admitted,
  ];
  expect(await isAired()).toEqual(['admin_missing', false]);
  await expect(performer.goesLive()).rejects.toThrow('admin_missing');
  await turnsOn(first);
  chief = first;
  expect((await isAired())[0]).toBe('key');
  await first.call(setRole, change(second, 'admin'));
  expect(await second.refused(getPerson, { username: first.username })).toMatchObject(WAITS);
  await performer.goesLive();
});

it('a passkey that verified nobody is no second step of the first admin, who sets up an app', async () => {
  const other = await createSite({ settings: { staffNeedsSecondStep: true, needsAdmin: true } });
  const [performer, first] = [await other.performer(), await other.viewer()];
  const addsKey = async (who: Member) => {
    const { ticket, options } = await who.call(beginPasskey, { password: PASSWORD });
    const credential = new Authenticator({ verifies: false }).makes(options, 'http://localhost');
    await who.call(addPasskey, { ticket, name: 'A key', credential });
  };
  await addsKey(first);
  const token = await other.tx((tx) => other.services.accounts.firstAdminToken(tx));
  await first.call(becomeFirstAdmin, { token: token ?? '' });
  expect(await first.refused(getPerson, { username: first.username })).toMatchObject(WAITS);
  expect((await performer.refused(makeBrowserKey, {})).errorType).toBe('admin_missing');
  const { secret } = await first.call(beginTwoFactor, { password: PASSWORD });
  const epoch = Math.floor(other.clock.now().getTime() / 1000);
  await first.call(confirmTwoFactor, { code: generateSync({ secret, epoch }) });
  expect((await first.call(getPerson, { username: first.username })).roles).toEqual(['super_admin']);
  await performer.call(makeBrowserKey, {});
  // A newer admin who could not act, even with such a passkey, does not hide the one who can.
  other.clock.advance(1_000);
  const later = await other.viewer();
  await addsKey(later);
  await first.call(setRole, change(later, 'admin'));
  await performer.call(makeBrowserKey, {});
  await other.close();
});

it('an admin with a passkey could act, until they are suspended, whoever else is one without', async () => {
  const other = await createSite({ settings: { staffNeedsSecondStep: true, needsAdmin: true } });
  const [performer, admin] = [await other.performer(), await other.admin()];
  const key = async () =>
    (await performer.refused(makeBrowserKey, {}).catch(() => ({ errorType: 'a key' })))
      .errorType;
  expect(await key()).toBe('admin_missing');
  const { ticket, options } = await admin.call(beginPasskey, {});
  const credential = new Authenticator().makes(options, 'http://localhost');
  await admin.call(addPasskey, { ticket, name: 'A key', credential });
  // The newest admin has no passkey.
  other.clock.advance(1_000);
  await other.admin();
  expect(await key()).toBe('a key');
  const order = { suspended: true, actorId: null, reason: 'a test' };
  await other.tx((tx) => other.services.accounts.suspend(tx, admin.id, order));
  expect(await key()).toBe('admin_missing');
  await other.close();
});

it('a member becomes a performer with their account, and is written to when they are cleared', async () => {
  const member = await site.viewer({ tokens: 300, language: 'de' });
  const { username, id } = member;
  expect((await member.refused(makeBrowserKey, {})).errorType).toBe('forbidden');
  await member.call(becomePerformer, { gender: 'm', accept_terms: true });
  await site.settle();
  expect(await member.call(getCurrentUser, {}))
    .toMatchObject({ user: { id, username, type: 'model', gender: 'm' }, tokens: 300 });
  // A second call changes nothing, not even the gender.
  expect((await member.call(becomePerformer, { gender: 'f', accept_terms: true })).user.gender).toBe('m');
  expect((await member.refused(makeBrowserKey, {})).errorType).toBe('clearance_missing');
  const waiting = await chief.call(listClearances, { status: 'pending' });
  expect(waiting.lines.map((line) => line.username)).toContain(username);

  const decision = { username, decision: 'clear', reason: 'passport and release examined' } as const;
  await chief.call(decideClearance, decision);
  await chief.call(decideClearance, decision);
  const mails = await mailsTo(member.person.email);
  expect(mails.map(({ subject }) => subject)).toEqual(['Du kannst bei Candela live gehen']);
  expect(mails[0]?.text).toContain('http://localhost/go-live');
  await member.goesLive();
});

it('a performer whose address is not confirmed goes live by no way, until it is', async () => {
  const browser = await site.visitor({ ofAge: true });
  const { user } = await browser.call(register, {
    username: 'unproven',
    email: 'unproven@people.example',
    password: 'velvet lantern 42',
    birth_date: '1990-01-31',
    type: 'model',
    gender: 'f',
    accept_terms: true,
  });
  await browser.opens();
  await site.settle();
  const performerId = Number(user.id);
  const decision = { decision: 'clear', reason: 'passport and release examined' } as const;
  await chief.call(decideClearance, { username: 'unproven', ...decision });
  const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performerId));
  const whip = () =>
    browser.request({
      method: 'POST',
      url: '/whip',
      payload: TEST_OFFER,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
    });
  expect(await browser.refused(makeBrowserKey, {}))
    .toMatchObject({ status: 403, errorType: 'email_unconfirmed' });
  expect(JSON.parse((await whip()).body)).toMatchObject({ errorType: 'email_unconfirmed' });
  expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: false });
  // Nor may they be in standby, waiting for a private show.
  await chief.call(changeOperatorRules, {
    standby_domains: ['localhost'],
    standby_studios: [],
    reason: 'ticket 19',
  });
  const stands = { on: true };
  expect(await browser.refused(setStandby, stands))
    .toMatchObject({ status: 403, errorType: 'standby_not_allowed' });
  expect(await browser.call(getOwnBroadcast, {})).toMatchObject({ standbyAllowed: false, standby: false });

  await browser.call(resendEmail, {});
  const [mail] = await mailsTo('unproven@people.example');
  const token = /confirm-email\?token=(\S+)/u.exec(mail?.text ?? '')?.[1] ?? '';
  await browser.call(confirmEmail, { token });
  expect(await browser.call(setStandby, stands)).toEqual({ status: 1, standby: true });
  await browser.call(makeBrowserKey, {});
  expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: true });
});

it('whoever is hidden may not be in standby', async () => {
  await chief.call(changeOperatorRules, {
    standby_domains: ['localhost'],
    standby_studios: [],
    reason: 'ticket 19',
  });
  const performer = await site.performer();
  expect(await performer.call(setStandby, { on: true })).toMatchObject({ standby: true });
  await performer.call(hideMe, {});
  await site.settle();
  expect((await performer.refused(setStandby, { on: true })).errorType).toBe('standby_not_allowed');
  expect((await performer.call(getOwnBroadcast, {})).standby).toBe(false);
});
