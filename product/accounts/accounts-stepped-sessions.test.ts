/** Each staff session needs the second step: where an account has one, its password alone opens nothing. */
import { systemClock } from '#platform/data/clock.ts';
import { openIdentitySimulator, type IdentitySimulator } from '#platform/identities/simulator.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { Authenticator, type Lies } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changePassword, getCurrentUser, login, requestPasswordReset, resetPassword } from './contract.ts';
import { getPerson } from './contract/life/people.ts';
import {
  addPasskey,
  beginPasskey,
  beginPasskeyLogin,
  listPasskeys,
  loginByPasskey,
  removePasskey,
} from './contract/passkeys.ts';
import { finishProvider, startProvider } from './contract/providers.ts';
import { setRole } from './contract/staff-roles.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';

const PASSWORD = 'correct horse battery';
const NEXT = 'velvet lantern 42';
const ORIGIN = 'http://localhost';
const CLOSED = { status: 403, errorType: 'two_factor_required' };
let site: TestSite;
let simulator: IdentitySimulator;
let member: Member;
beforeAll(async () => {
  simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  site = await createSite({
    settings: {
      staffNeedsSecondStep: true,
      identityProvidersAt: () => simulator.providers,
    },
  });
  member = await site.viewer();
});
afterAll(async () => {
  await site.close();
  await simulator.close();
});

const superAdmin = () => site.admin({ roles: ['super_admin'] });
const codeOf = (secret: string): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
async function addsKey(owner: Visitor, key = new Authenticator()): Promise<Authenticator> {
  const { ticket, options } = await owner.call(beginPasskey, { password: PASSWORD });
  await owner.call(addPasskey, { ticket, name: 'A key', credential: key.makes(options, ORIGIN) });
  return key;
}
async function addsApp(owner: Visitor): Promise<string> {
  const { secret } = await owner.call(beginTwoFactor, { password: PASSWORD });
  await owner.call(confirmTwoFactor, { code: codeOf(secret) });
  return secret;
}
/** A new browser that logs in by name and password. */
async function byPassword({ username }: Member, password = PASSWORD, code?: string): Promise<Visitor> {
  const browser = await site.visitor();
  await browser.call(login, { login: username, password, ...(code && { code }) });
  await browser.opens();
  return browser;
}
/** A new browser that logs in by a passkey. */
async function byKey(key: Authenticator, lies: Lies = {}): Promise<Visitor> {
  const entering = await site.visitor();
  const { ticket, options } = await entering.call(beginPasskeyLogin, {});
  await entering.call(loginByPasskey, { ticket, credential: key.answers(options, ORIGIN, lies) });
  await entering.opens();
  return entering;
}
const given = () => ({ username: member.username, role: 'site_mod' as const, on: true, reason: 'a test' });
const opens = (browser: Visitor) => browser.call(getPerson, { username: member.username });
async function staysClosed(browser: Visitor): Promise<void> {
  expect(await browser.refused(getPerson, { username: member.username })).toMatchObject(CLOSED);
  expect(await browser.refused(setRole, given())).toMatchObject(CLOSED);
}
const stepOf = async (browser: Visitor) => {
  const { two_factor_required_by: by, two_factor_at_log_in: atLogIn } =
    (await browser.call(getCurrentUser, {})).user;
  return { isDue: by !== null, atLogIn };
};
async function resetOf({ person: { email } }: Member): Promise<Visitor> {
  const browser = await site.visitor();
  await browser.call(requestPasswordReset, { email });
  await site.settle();
  await site.settle();
  const token = await site.tx(async (tx) => {
    const { rows } = await sql<{ body: string }>`select body from notices.outbox
      where recipient = ${email} and body like '%token=%' order by id desc limit 1`.execute(tx.sql());
    return /token=(\S+)/u.exec(rows[0]?.body ?? '')?.[1] ?? '';
  });
  await browser.call(resetPassword, { token, next: NEXT });
  return browser;
}
/** Goes to a provider as somebody, and comes back. */
async function byProvider(browser: Visitor, subject: string, purpose: 'log_in' | 'link'): Promise<string> {
  const { url } = await browser.call(startProvider, { provider: 'google', purpose, next: '/' });
  const person = { subject, email: `${subject}@people.example`, isEmailVerified: true };
  const query = new URL(await simulator.logsIn(url, person)).search.slice(1);
  return (await browser.call(finishProvider, { query })).outcome;
}

describe('a session of staff', () => {
  it('that added the first passkey counts, and one by the password alone does not', async () => {
    const owner = await superAdmin();
    expect(await stepOf(owner)).toEqual({ isDue: true, atLogIn: false });
    await staysClosed(owner);
    await addsKey(owner);
    await opens(owner);
    expect(await stepOf(owner)).toEqual({ isDue: false, atLogIn: false });
    const thief = await byPassword(owner);
    await staysClosed(thief);
    expect(await stepOf(thief)).toEqual({ isDue: true, atLogIn: true });
    await opens(owner);
  });

  it('counts by a verified passkey, and by a code of the app, whatever was logged in before', async () => {
    const owner = await superAdmin();
    const key = await addsKey(owner);
    const browser = await byKey(key);
    await opens(browser);
    // In the same browser, after the password: the log-in's own answer already shows the second step.
    const second = await byPassword(owner);
    const { ticket, options } = await second.call(beginPasskeyLogin, {});
    const { user } = await second.call(loginByPasskey, { ticket, credential: key.answers(options, ORIGIN) });
    expect(user).toMatchObject({ two_factor_required_by: null, two_factor_at_log_in: false });
    await second.opens();
    await opens(second);
    const { user: again } = await second.call(login, { login: owner.username, password: PASSWORD });
    expect(again).toMatchObject({ two_factor_required_by: expect.any(String), two_factor_at_log_in: true });
    await second.opens();
    await staysClosed(second);
    const secret = await addsApp(browser);
    await site.passes(MINUTE_MS);
    await opens(await byPassword(owner, PASSWORD, codeOf(secret)));
  });

  it('does not count by a link in the mail, nor by a provider', async () => {
    const owner = await superAdmin();
    const key = await addsKey(owner);
    expect(await byProvider(owner, `of-${owner.username}`, 'link')).toBe('linked');
    const browser = await site.visitor();
    expect(await byProvider(browser, `of-${owner.username}`, 'log_in')).toBe('logged_in');
    await browser.opens();
    await staysClosed(browser);
    const recovered = await resetOf(owner);
    await recovered.call(login, { login: owner.username, password: NEXT });
    await recovered.opens();
    await staysClosed(recovered);
    // An unchecked passkey logs nobody in, and no other can replace it.
    await expect(byKey(key)).rejects.toMatchObject({ problem: { errorType: 'way_in_unchecked' } });
    expect(await recovered.refused(beginPasskey, {})).toMatchObject(CLOSED);
  });

  it('that began before the app was confirmed elsewhere stays closed', async () => {
    const owner = await superAdmin();
    const [early, other] = [await byPassword(owner), await site.viewer()];
    const before = await byPassword(other);
    await addsApp(owner);
    await opens(owner);
    await staysClosed(early);
    // So does a session from before the role was given.
    await addsApp(other);
    await owner.call(setRole, { username: other.username, role: 'admin', on: true, reason: 'a test' });
    expect(await before.refused(getPerson, { username: member.username })).toMatchObject(CLOSED);
  });

  it('carries its second step over a new password, and another browser does not get it', async () => {
    const owner = await superAdmin();
    await addsKey(owner);
    await owner.call(changePassword, { current: PASSWORD, next: NEXT });
    await owner.opens();
    await opens(owner);
    expect(await stepOf(owner)).toEqual({ isDue: false, atLogIn: false });
    const thief = await byPassword(owner, NEXT);
    await thief.call(changePassword, { current: NEXT, next: PASSWORD });
    await thief.opens();
    await staysClosed(thief);
  });
});

describe('a session without the second step that the account has', () => {
  it('adds none of its own, takes none away, and finishes none that it began before', async () => {
    const owner = await superAdmin();
    const thief = await byPassword(owner);
    const begun = await thief.call(beginPasskey, { password: PASSWORD });
    const { secret } = await thief.call(beginTwoFactor, { password: PASSWORD });
    await addsKey(owner);
    const own = new Authenticator();
    const late = { ticket: begun.ticket, name: 'Mine', credential: own.makes(begun.options, ORIGIN) };
    expect(await thief.refused(addPasskey, late)).toMatchObject(CLOSED);
    expect(await thief.refused(confirmTwoFactor, { code: codeOf(secret) })).toMatchObject(CLOSED);
    expect(await thief.refused(beginPasskey, { password: PASSWORD })).toMatchObject(CLOSED);
    expect(await thief.refused(beginTwoFactor, { password: PASSWORD })).toMatchObject(CLOSED);
    const [key] = (await owner.call(listPasskeys, {})).passkeys;
    expect(await thief.refused(removePasskey, { id: key?.id ?? 0 })).toMatchObject(CLOSED);
    expect((await owner.call(listPasskeys, {})).passkeys).toHaveLength(1);
    await staysClosed(thief);
    // The owner can do all of it.
    await addsKey(owner);
    await owner.call(removePasskey, { id: key?.id ?? 0 });
    await addsApp(owner);
  });

  it('is no session of staff by a passkey that verified nobody', async () => {
    const careless = new Authenticator({ verifies: false });
    const owner = await superAdmin();
    await expect(addsKey(owner, careless)).rejects
      .toMatchObject({ problem: { errorType: 'passkey_refused' } });
    await staysClosed(owner);
    // A passkey from before the role logs in, and opens nothing.
    await addsKey(owner);
    const later = await site.viewer();
    const key = await addsKey(later, new Authenticator({ verifies: false }));
    await owner.call(setRole, { username: later.username, role: 'admin', on: true, reason: 'a test' });
    for (const browser of [await byKey(key), later]) {
      expect(await browser.refused(getPerson, { username: member.username })).toMatchObject(CLOSED);
    }
    // The passkey counts once it has verified its owner; then the password alone adds no other passkey.
    await opens(await byKey(key, { verifies: true }));
    const thief = await byPassword(later);
    expect(await thief.refused(beginPasskey, { password: PASSWORD })).toMatchObject(CLOSED);
  });
});
