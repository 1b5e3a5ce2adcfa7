import { mailboxOf } from '#platform/text/usernames.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmEmail, getCurrentUser, register, requestPasswordReset, resetPassword } from './contract.ts';
import { changeEmail } from './contract/life/email.ts';
import { isDisposable } from './rules/life/mailboxes.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

let made = 0;
const signUp = (email: string) => ({
  username: `box${(made += 1)}`,
  email,
  password: 'a horse of another colour',
  birth_date: '1990-05-05',
  type: 'user' as const,
  accept_terms: true as const,
});
/** Signs up in a new browser, and confirms the address if asked to. */
async function joins(email: string, { confirms = false } = {}) {
  const visitor = await site.visitor();
  await visitor.call(register, signUp(email));
  await visitor.opens();
  if (confirms) await visitor.call(confirmEmail, { token: await tokenTo(email) });
  return visitor;
}
const refusedAs = async (email: string) => (await site.visitor()).refused(register, signUp(email));
const tokenTo = async (address: string): Promise<string> =>
  /token=(\S+)/u.exec(await site.tx((tx) => lastMessageTo(tx, address)))?.[1] ?? '';
const limits = (on: boolean) =>
  admin.call(changeOperatorRules, { limit_mailboxes: on, reason: 'one person, many names' });

describe('the address of a throwaway mailbox', () => {
  it('opens no account, in any spelling or part of the domain, and is nobody’s new one', async () => {
    for (const email of [
      'jo@mailinator.com',
      'Jo@MAILINATOR.com',
      'jo@mx.eu.yopmail.com',
      'a+b@trashmail.de',
    ]) {
      expect(await refusedAs(email)).toMatchObject({ status: 422, errorType: 'email_disposable' });
    }
    const viewer = await site.viewer();
    expect(await viewer.refused(changeEmail, { email: 'jo@guerrillamail.com' }))
      .toMatchObject({ status: 422, errorType: 'email_disposable' });
    // Domains that only end alike are different.
    await joins('jo@notmailinator.com');
    await joins('jo@mailinator.com.people.example');
  });

  it('is taken where the operator allows it', async () => {
    await admin.call(changeOperatorRules, { refuse_disposable_emails: false, reason: 'a test site' });
    await joins('jo@mailinator.com');
    await admin.call(changeOperatorRules, { refuse_disposable_emails: true, reason: 'the test is over' });
    expect(await refusedAs('al@mailinator.com')).toMatchObject({ errorType: 'email_disposable' });
  });
});

describe('a mailbox, where the operator limits them', () => {
  it('gets three accounts that wait to be confirmed, whatever follows a plus', async () => {
    await limits(true);
    for (const email of ['ann@people.example', 'ann+cam@people.example', 'Ann+2@People.example']) {
      await joins(email);
    }
    expect(await refusedAs('ann+4@people.example')).toMatchObject({ status: 409, errorType: 'mailbox_full' });
    expect(await refusedAs('ann@people.example')).toMatchObject({ errorType: 'mailbox_full' });
    // With other providers, dots are part of the name.
    await joins('an.n@people.example');
  });

  it('is the same at Gmail with dots or without, at either of its domains, many at once', async () => {
    const emails = [
      'ri.ta@gmail.com',
      'rita@googlemail.com',
      'r.i.t.a+x@gmail.com',
      'rita@gmail.com',
      'r.ita@gmail.com',
    ];
    const ends = await Promise.all(emails.map(async (email) => {
      const visitor = await site.visitor();
      return visitor.call(register, signUp(email)).then(() => 'in', () => 'out');
    }));
    expect(ends.toSorted()).toEqual(['in', 'in', 'in', 'out', 'out']);
  });

  it('confirms three accounts; a fourth stays unconfirmed, by link, new address and reset', async () => {
    for (const at of [1, 2, 3]) await joins(`kim+${at}@people.example`, { confirms: true });
    // Sign-up answers as for an unused mailbox, so that it does not reveal who is a member.
    const fourth = await joins('kim+4@people.example');
    expect(await fourth.refused(confirmEmail, { token: await tokenTo('kim+4@people.example') }))
      .toMatchObject({ status: 409, errorType: 'mailbox_full' });
    const viewer = await site.viewer();
    await viewer.call(changeEmail, { email: 'kim@people.example' });
    expect(await viewer.refused(confirmEmail, { token: await tokenTo('kim@people.example') }))
      .toMatchObject({ errorType: 'mailbox_full' });
    expect((await viewer.call(getCurrentUser, {})).user.email).toBe(viewer.person.email);
    await fourth.call(requestPasswordReset, { email: 'kim+4@people.example' });
    await site.settle();
    const next = 'another horse of this colour';
    await fourth.call(resetPassword, { token: await tokenTo('kim+4@people.example'), next });
    expect((await fourth.call(getCurrentUser, {})).user.email_confirmed).toBe(false);
  });

  it('has any number of accounts elsewhere', async () => {
    await limits(false);
    for (const at of [1, 2, 3, 4]) {
      const { user } = await (await joins(`lou+${at}@people.example`)).call(getCurrentUser, {});
      expect(user.email).toBe(`lou+${at}@people.example`);
    }
  });
});

it('an address leads to the same mailbox for the rules and for the database', async () => {
  const addresses = [
    'a@b.example',
    'a+b@b.example',
    'a+b+c@b.example',
    '+a@b.example',
    'a.b+c@gmail.com',
    'a.b@googlemail.com',
    'a.b@notgmail.com',
    'a.b@gmail.com.example',
    'a+@gmail.com',
    'a.b@mail.gmail.com',
  ];
  expect(addresses.map(mailboxOf)).toEqual([
    'a@b.example',
    'a@b.example',
    'a@b.example',
    '+a@b.example',
    'ab@gmail.com',
    'ab@gmail.com',
    'a.b@notgmail.com',
    'a.b@gmail.com.example',
    'a@gmail.com',
    'a.b@mail.gmail.com',
  ]);
  for (const email of addresses) {
    const { person } = await site.viewer();
    const { rows } = await site.tx((tx) =>
      sql<{ mailbox: string }>`update accounts.people
      set email = ${email}, email_confirmed_at = null where id = ${person.id} returning mailbox`
        .execute(tx.sql())
    );
    expect(rows[0]?.mailbox).toBe(mailboxOf(email));
  }
  expect(isDisposable('a@')).toBe(false);
});
