import { API_BASE } from '#platform/contract/client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  confirmEmail,
  getAuthState,
  getCurrentUser,
  login,
  register,
  requestPasswordReset,
  resetPassword,
} from './contract.ts';
import { resendEmail } from './contract/life/email.ts';

const PASSWORD = 'correct horse battery';
const OTHER = 'a horse of another colour';
const NEXT = 'seven blue tortoises';
const HOUR_MS = 3_600_000;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const application = (username: string, email: string) => ({
  username,
  email,
  password: OTHER,
  birth_date: '1990-05-05',
  type: 'user' as const,
  accept_terms: true as const,
});

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
/** The token of the last link sent to an address. */
const tokenTo = async (address: string): Promise<string> =>
  /token=(\S+)/u.exec((await mailsTo(address)).at(-1)?.body ?? '')?.[1] ?? '';

/** A new browser that signed up. */
async function signsUp(username: string, email: string): Promise<Visitor> {
  const visitor = await site.visitor();
  await visitor.call(register, application(username, email));
  await visitor.opens();
  return visitor;
}

/**
 * The visible part of an answer: its status, the names of its headers, and its body without personal names.
 */
async function answerOf(
  visitor: Visitor,
  path: string,
  payload: object | null,
  hidden: string[],
): Promise<unknown> {
  const { statusCode, headers, body, cookies } = await visitor.request({
    url: API_BASE + path,
    ...(payload === null ? { method: 'GET' } : { method: 'POST', payload }),
  });
  let text = body.replaceAll(/"id":\d+/gu, '"id":0').replaceAll(/"ip":"[^"]+"/gu, '"ip":""');
  for (const name of hidden) text = text.replaceAll(name, '*');
  return { statusCode, headers: Object.keys(headers).sort(), cookies: cookies.map(({ name }) => name), text };
}

const canLogIn = async (name: string, password: string, browser?: Visitor): Promise<boolean> => {
  const visitor = browser ?? await site.visitor();
  const { statusCode } = await visitor.request({
    method: 'POST',
    url: `${API_BASE}/auth/login`,
    payload: { login: name, password },
  });
  return statusCode === 200;
};
const isIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.call(getAuthState, {})).authenticated;

describe('signing up with the address of a member', () => {
  it('gets the same answer as with a new one, then and later', async () => {
    const { person: { email: taken } } = await site.viewer();
    const seen = async (username: string, email: string): Promise<unknown[]> => {
      const visitor = await site.visitor();
      const hidden = [username, email];
      const answers = [await answerOf(visitor, '/auth/register', application(username, email), hidden)];
      await visitor.opens();
      answers.push(await answerOf(visitor, '/user/resend_email', null, hidden));
      const { user } = await visitor.call(getCurrentUser, {});
      answers.push([user.email === email, user.email_confirmed]);
      const stranger = await site.visitor();
      for (const password of [OTHER, 'not the right one']) {
        answers.push(await answerOf(stranger, '/auth/login', { login: email, password }, hidden));
      }
      answers.push(await answerOf(stranger, '/auth/request_password_reset', { email }, hidden));
      return answers;
    };
    const [ofMember, ofNobody] = [
      await seen('mallory-one', taken),
      await seen('mallory-two', 'two@new.example'),
    ];
    expect(ofMember).toEqual(ofNobody);
    expect(ofMember[0]).toMatchObject({ statusCode: 200 });
    expect(ofMember[2]).toEqual([true, false]);
  });

  it('sends its owner an email, and nobody a link that confirms it', async () => {
    const { username, person: { email } } = await site.viewer();
    await (await signsUp('mallory-three', email.toUpperCase())).call(resendEmail, {});
    const mails = await mailsTo(email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'You already have an account at Candela',
      'You already have an account at Candela',
    ]);
    expect(mails[0]?.body).toContain(`It belongs to your account ${username}`);
    expect(mails[0]?.body).toContain('/forgot-password');
    expect(mails[0]?.body).not.toContain('token=');
    expect(await canLogIn(email, PASSWORD)).toBe(true);
  });

  it('does not reset the count of guesses at its owner\'s password', async () => {
    const { username, person: { email } } = await site.viewer();
    await signsUp('mallory-four', email);
    for (let count = 0; count < 5; count += 1) {
      expect(await canLogIn(username, `guess ${count}`)).toBe(false);
      expect(await canLogIn(email, OTHER)).toBe(true);
    }
    expect(await canLogIn(username, PASSWORD)).toBe(false);
    site.clock.advance(15 * 60_000);
    expect(await canLogIn(username, PASSWORD)).toBe(true);
  });

  it('gives the address to the first who confirms it, in any number of attempts at once', async () => {
    const email = 'shared@people.example';
    const tokens: string[] = [];
    for (const username of ['shared-one', 'shared-two', 'shared-three']) {
      await signsUp(username, email);
      tokens.push(await tokenTo(email));
    }
    const visitors = await Promise.all(tokens.map(() => site.visitor()));
    const answers = await Promise.all(visitors.map(async (visitor, at) =>
      (await visitor.request({
        method: 'POST',
        url: `${API_BASE}/auth/confirm_email`,
        payload: { token: tokens[at] },
      })).statusCode
    ));
    expect(answers.sort()).toEqual([200, 422, 422]);
    const { rows } = await site.tx((tx) =>
      sql`select 1 from accounts.people
      where email = ${email} and email_confirmed_at is not null`.execute(tx.sql())
    );
    expect(rows).toHaveLength(1);
  });

  it('sends an address five emails an hour at most, whoever asks for them', async () => {
    for (const email of [(await site.viewer()).person.email, 'flooded@people.example']) {
      const name = email.slice(0, 12).replaceAll(/[^a-z0-9]/gu, '');
      for (let count = 0; count < 4; count += 1) await signsUp(`${name}-${count}`, email);
      const last = await signsUp(`${name}-4`, email);
      await last.call(resendEmail, {});
      await (await site.visitor()).call(requestPasswordReset, { email });
      await site.settle();
      expect(await mailsTo(email)).toHaveLength(5);
      site.clock.advance(HOUR_MS);
      await last.call(resendEmail, {});
      expect(await mailsTo(email)).toHaveLength(6);
    }
  });
});

describe('a password reset', () => {
  const asks = async ({ person: { email } }: Member): Promise<string> => {
    await (await site.visitor()).call(requestPasswordReset, { email });
    await site.settle();
    return tokenTo(email);
  };
  const refusal = async (token: string, next = NEXT): Promise<string> =>
    (await (await site.visitor()).refused(resetPassword, { token, next })).errorType;

  it('gets the same answer for every address, and an email only for a member\'s', async () => {
    const [{ person: { email } }, visitor] = [await site.viewer(), await site.visitor()];
    const path = '/auth/request_password_reset';
    const answers = [];
    for (const one of [email, email.toUpperCase(), 'nobody@people.example']) {
      answers.push(await answerOf(visitor, path, { email: one }, []));
      await site.settle();
    }
    expect(answers[0]).toMatchObject({ statusCode: 200, text: '{"status":1}' });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(await subjectsTo(email)).toHaveLength(2);
    expect(await mailsTo('nobody@people.example')).toEqual([]);
  });

  it('sets a password once, ends the other sessions and is reported by email', async () => {
    const viewer = await site.viewer();
    const { username, person: { email } } = viewer;
    const token = await asks(viewer);
    const visitor = await site.visitor();
    await visitor.call(resetPassword, { token, next: NEXT });
    expect([await isIn(viewer), await isIn(visitor)]).toEqual([false, false]);
    expect([await canLogIn(username, PASSWORD), await canLogIn(email, NEXT, visitor)]).toEqual([false, true]);
    // The browser that opened the link is known; any other takes a code by email.
    expect(await subjectsTo(email)).toEqual([
      'Choose a new password at Candela',
      'Your password at Candela was changed',
    ]);
    expect(await refusal(token, 'eight red tortoises')).toBe('reset_link_invalid');
    const abroad = await site.visitor({ address: '203.0.113.9' });
    expect((await abroad.refused(login, { login: username, password: NEXT })).errorType)
      .toBe('email_code_required');
  });

  it('leaves the session that asks for it', async () => {
    const viewer = await site.viewer();
    const other = await site.anotherTabOf(viewer);
    await viewer.call(resetPassword, { token: await asks(viewer), next: NEXT });
    expect([await isIn(viewer), await isIn(other)]).toEqual([true, false]);
  });

  it('lasts an hour, to the millisecond', async () => {
    const [inTime, late] = [await site.viewer(), await site.viewer()];
    const tokens = [await asks(inTime), await asks(late)] as const;
    site.clock.advance(HOUR_MS - 1);
    await (await site.visitor()).call(resetPassword, { token: tokens[0], next: NEXT });
    site.clock.advance(1);
    expect(await refusal(tokens[1])).toBe('reset_link_invalid');
  });

  it('works by its newest link only, and once of many attempts at once', async () => {
    const viewer = await site.viewer();
    const [old, token] = [await asks(viewer), await asks(viewer)];
    expect(await refusal(old)).toBe('reset_link_invalid');
    const visitors = await Promise.all(Array.from({ length: 10 }, () => site.visitor()));
    const answers = await Promise.all(visitors.map(async (visitor, at) =>
      (await visitor.request({
        method: 'POST',
        url: `${API_BASE}/auth/reset_password`,
        payload: { token, next: `${NEXT} ${at}` },
      })).statusCode
    ));
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
  });

  it('is not used up by a password that is refused', async () => {
    const viewer = await site.viewer();
    const token = await asks(viewer);
    const bad = [['short', 'password_too_short'], ['iloveyou1', 'password_too_common']] as const;
    for (const [next, code] of bad) expect(await refusal(token, next)).toBe(code);
    expect(await refusal(token, `${viewer.username} 1`)).toBe('password_too_common');
    await (await site.visitor()).call(resetPassword, { token, next: NEXT });
  });

  it('cannot be forged, or used by who reads its table, or at another operator', async () => {
    const viewer = await site.viewer();
    const token = await asks(viewer);
    const { rows } = await site.tx((tx) =>
      sql<{ digest: string }>`
      select digest from accounts.password_resets`.execute(tx.sql())
    );
    for (const { digest } of rows) expect(digest).not.toContain(token);
    for (const forged of ['', 'x', token.slice(1), `${token}x`, ...rows.map(({ digest }) => digest)]) {
      site.clock.advance(4_000);
      expect(await refusal(forged)).toBe('reset_link_invalid');
    }
    const host = 'second.example';
    await site.services.site.addOperator('Second', { displayName: 'Two', sitecode: 'second', hosts: [host] });
    const there = await site.visitor({ host });
    expect((await there.refused(resetPassword, { token, next: NEXT })).errorType).toBe('reset_link_invalid');
    await (await site.visitor()).call(resetPassword, { token, next: NEXT });
  });

  it('opens an account that guesses have locked', async () => {
    const viewer = await site.viewer();
    const { username } = viewer;
    for (let count = 0; count < 10; count += 1) {
      expect(
        await canLogIn(username, `guess ${count}`),
      ).toBe(false);
    }
    expect(await canLogIn(username, PASSWORD)).toBe(false);
    const browser = await site.visitor();
    await browser.call(resetPassword, { token: await asks(viewer), next: NEXT });
    expect(await canLogIn(username, NEXT, browser)).toBe(true);
  });

  it('is not for suspended accounts: no email, and no use of an earlier one', async () => {
    const viewer = await site.viewer();
    const token = await asks(viewer);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, viewer.id, {
        suspended: true,
        actorId: null,
        reason: 'seen by the testkit',
      })
    );
    expect(await refusal(token)).toBe('reset_link_invalid');
    await (await site.visitor()).call(requestPasswordReset, { email: viewer.person.email });
    await site.settle();
    expect(await mailsTo(viewer.person.email)).toHaveLength(1);
  });

  it('of an address nobody has confirmed is for each of its accounts, and confirms it', async () => {
    const email = 'nobodys@people.example';
    const first = await signsUp('nobodys-one', email);
    await signsUp('nobodys-two', email);
    await (await site.visitor()).call(requestPasswordReset, { email });
    await site.settle();
    const mails = (await mailsTo(email)).slice(-2);
    expect(
      mails.map(({ body }) => /account (\S+)\./u.exec(body)?.[1]),
    ).toEqual(['no•••ne', 'no•••wo']);
    const [token = ''] = mails.map(({ body }) => /token=(\S+)/u.exec(body)?.[1] ?? '');
    await first.call(resetPassword, { token, next: NEXT });
    expect((await first.call(getCurrentUser, {})).user.email_confirmed).toBe(true);
    await (await site.visitor()).call(login, { login: email, password: NEXT });
    const late = await signsUp('nobodys-three', email);
    expect(
      (await late.refused(confirmEmail, { token: await tokenTo(email) })).errorType,
    ).toBe('link_invalid');
  });
});

it('logs no address, password or token, and no error', () => expect(site.log).toEqual([]));
