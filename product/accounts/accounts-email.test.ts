import { MINUTE_MS } from '#platform/time/units.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  confirmEmail,
  getCurrentUser,
  login,
  register,
  requestPasswordReset,
  resetPassword,
} from './contract.ts';
import { changeEmail, getEmail, resendEmail } from './contract/life/email.ts';

const PASSWORD = 'correct horse battery';
const HOUR_MS = 60 * MINUTE_MS;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

interface Mail {
  readonly subject: string;
  readonly body: string;
}
/** Every email to an address, oldest first. */
const mailsTo = (address: string): Promise<Mail[]> =>
  site.tx(async (tx) =>
    (await sql<Mail>`
  select subject, body from notices.outbox where recipient = ${address} order by id`.execute(tx.sql())).rows
  );
const subjectsTo = async (address: string): Promise<string[]> =>
  (await mailsTo(address)).map(({ subject }) => subject);
const tokenTo = async (address: string): Promise<string> =>
  /token=(\S+)/u.exec((await mailsTo(address)).at(-1)?.body ?? '')?.[1] ?? '';
const userOf = async (who: Visitor) => (await who.call(getCurrentUser, {})).user;

/** A new browser that signed up with an unconfirmed address. */
async function signsUp(username: string, email: string): Promise<Visitor> {
  const visitor = await site.visitor();
  await visitor.call(register, {
    username,
    email,
    password: 'a horse of another colour',
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  await visitor.opens();
  return visitor;
}

describe('an email address that changes', () => {
  it('counts once the link in the new mailbox is opened; the old one gets two emails', async () => {
    const viewer = await site.viewer();
    const { person: { email: old }, username } = viewer;
    expect(await viewer.call(changeEmail, { email: 'New@Mail.example' })).toEqual({
      status: 1,
      email: old,
      email_confirmed: true,
      pending_email: 'new@mail.example',
    });
    expect(await userOf(viewer)).toMatchObject({ email: old, email_confirmed: true });
    expect(await subjectsTo(old)).toEqual(['New email address for your account at Candela']);
    expect(await subjectsTo('new@mail.example')).toEqual(['Confirm your email address at Candela']);
    const token = await tokenTo('new@mail.example');
    await viewer.call(confirmEmail, { token });
    expect(await userOf(viewer)).toMatchObject({ email: 'new@mail.example', email_confirmed: true });
    expect(await viewer.call(getEmail, {})).toEqual({
      email: 'new@mail.example',
      email_confirmed: true,
      pending_email: null,
      confirmation: 'none',
    });
    const [, last] = await mailsTo(old);
    expect(last?.subject).toBe('Your email address at Candela was changed');
    expect(last?.body).toContain(`account ${username} now has the email address n•••@m•••`);
    await (await site.visitor()).call(login, { login: 'new@mail.example', password: PASSWORD });
    expect((await (await site.visitor()).refused(login, { login: old, password: PASSWORD })).errorType)
      .toBe('bad_credentials');
  });

  it('counts for whoever is logged in to the account, and for nobody else who opens the link', async () => {
    const viewer = await site.viewer();
    const { person: { email: old }, username } = viewer;
    await viewer.call(changeEmail, { email: 'elsewhere@mail.example' });
    const token = await tokenTo('elsewhere@mail.example');
    for (const other of [await site.visitor(), await site.viewer(), await site.admin()]) {
      expect(await other.refused(confirmEmail, { token }))
        .toMatchObject({ status: 403, errorType: 'confirm_logged_out' });
    }
    expect(await viewer.call(getEmail, {})).toMatchObject({
      email: old,
      email_confirmed: true,
      pending_email: 'elsewhere@mail.example',
    });
    // The old address receives nothing more.
    expect(await subjectsTo(old)).toEqual(['New email address for your account at Candela']);
    await (await site.memberOf(username)).call(confirmEmail, { token });
    expect(await userOf(viewer)).toMatchObject({ email: 'elsewhere@mail.example', email_confirmed: true });
  });

  it('counts without a log-in where no address was confirmed yet', async () => {
    const visitor = await signsUp('mail-typo', 'typo@mail.example');
    await visitor.call(changeEmail, { email: 'no-typo@mail.example' });
    await (await site.visitor()).call(confirmEmail, { token: await tokenTo('no-typo@mail.example') });
    expect(await userOf(visitor)).toMatchObject({ email: 'no-typo@mail.example', email_confirmed: true });
  });

  it('ends links to a new password that went to the old mailbox', async () => {
    const viewer = await site.viewer();
    const { person: { email: old } } = viewer;
    await (await site.visitor()).call(requestPasswordReset, { email: old });
    await site.settle();
    const reset = await tokenTo(old);
    await viewer.call(changeEmail, { email: 'safe@mail.example' });
    await viewer.call(confirmEmail, { token: await tokenTo('safe@mail.example') });
    const refused = await (await site.visitor()).refused(resetPassword, {
      token: reset,
      next: 'seven blue tortoises',
    });
    expect(refused.errorType).toBe('reset_link_invalid');
  });

  it('needs the password unless the log-in is recent', async () => {
    const viewer = await site.viewer();
    site.clock.advance(11 * MINUTE_MS);
    const outcome = async (more: object) =>
      (await viewer.refused(changeEmail, { email: 'later@mail.example', ...more })).errorType;
    expect([await outcome({}), await outcome({ password: 'a guess' })])
      .toEqual(['confirmation_needed', 'bad_credentials']);
    await viewer.call(changeEmail, { email: 'later@mail.example', password: PASSWORD });
    expect((await viewer.call(getEmail, {})).confirmation).toBe('password');
  });

  it('answers the same for an address of somebody else, who gets an email; no link is sent', async () => {
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    const { person: { email: taken } } = other;
    expect(await viewer.call(changeEmail, { email: taken }))
      .toMatchObject({ status: 1, pending_email: taken });
    expect(await subjectsTo(taken)).toEqual(['You already have an account at Candela']);
    expect((await mailsTo(taken))[0]?.body).not.toContain('token=');
    await viewer.call(resendEmail, {});
    expect((await mailsTo(taken))[1]?.body).not.toContain('token=');
  });

  it('goes to the first of two who confirm it; the other keeps theirs', async () => {
    const rivals = [await site.viewer(), await site.viewer()];
    const tokens: string[] = [];
    for (const rival of rivals) {
      await rival.call(changeEmail, { email: 'both@mail.example' });
      tokens.push(await tokenTo('both@mail.example'));
    }
    const answers = await Promise.all(rivals.map(async (rival, at) =>
      (await rival.request({
        method: 'POST',
        url: '/api/v1/auth/confirm_email',
        payload: { token: tokens[at] },
      })).statusCode
    ));
    expect(answers.toSorted()).toEqual([200, 422]);
    const emails = await Promise.all(rivals.map(async (rival) => (await userOf(rival)).email));
    expect(emails.filter((email) => email === 'both@mail.example')).toHaveLength(1);
  });

  it('drops the link of an address that was replaced by another, and one of the account itself', async () => {
    const viewer = await site.viewer();
    await viewer.call(changeEmail, { email: 'first@mail.example' });
    const first = await tokenTo('first@mail.example');
    await viewer.call(changeEmail, { email: 'second@mail.example' });
    expect((await viewer.refused(confirmEmail, { token: first })).errorType).toBe('link_invalid');
    const own = await viewer.refused(changeEmail, { email: viewer.person.email });
    expect(own.errorType).toBe('email_unchanged');
  });

  it('is for members alone', async () => {
    const guest = await site.visitor();
    expect(await guest.refused(changeEmail, { email: 'x@mail.example' })).toMatchObject({ status: 401 });
    expect(await guest.refused(getEmail, {})).toMatchObject({ status: 401 });
    expect(await guest.refused(resendEmail, {})).toMatchObject({ status: 401 });
  });
});

describe('GET user/resend_email', () => {
  it('takes nothing and sends the verification email again, three times an hour [A-346]', async () => {
    const visitor = await signsUp('mail-lost', 'lost@mail.example');
    const ask = () => visitor.request({ method: 'GET', url: '/api/v1/user/resend_email' });
    for (let sent = 2; sent <= 4; sent += 1) {
      expect((await ask()).statusCode).toBe(200);
      expect(await mailsTo('lost@mail.example')).toHaveLength(sent);
    }
    expect((await ask()).statusCode).toBe(429);
    expect(await mailsTo('lost@mail.example')).toHaveLength(4);
    await (await site.visitor()).call(confirmEmail, { token: await tokenTo('lost@mail.example') });
    expect(await userOf(visitor)).toMatchObject({ email_confirmed: true });
    site.clock.advance(HOUR_MS);
    await ask();
    expect(await mailsTo('lost@mail.example')).toHaveLength(4);
  });

  it('sends nothing without the CSRF token, whatever page leads a browser there', async () => {
    const visitor = await signsUp('mail-forged', 'forged@mail.example');
    const { statusCode } = await visitor.request({
      method: 'GET',
      url: '/api/v1/user/resend_email',
      headers: { 'x-csrf-token': 'no' },
    });
    expect(statusCode).toBe(403);
    expect(await mailsTo('forged@mail.example')).toHaveLength(1);
  });
});

it('logs no address and no error', () => expect(site.log).toEqual([]));
