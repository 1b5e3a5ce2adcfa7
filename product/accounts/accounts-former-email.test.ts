import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { openWaysIn, PASSWORD, type WaysIn } from '#product/testkit/people/ways-in.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changePassword,
  confirmEmail,
  getAuthState,
  getCurrentUser,
  login,
  logoutEverywhere,
  register,
  requestPasswordReset,
  resetPassword,
} from './contract.ts';
import { keepAccount, requestDeletion } from './contract/life/deletion.ts';
import { changeEmail, getEmail } from './contract/life/email.ts';
import { getEmailToRestore, restoreEmail } from './contract/life/former-email.ts';
import { linkAccount, switchAccount } from './contract/life/linked.ts';
import { suspendPerson } from './contract/life/people.ts';
import { getWaysInCheck } from './contract/life/ways-in.ts';
import { finishProvider } from './contract/providers.ts';
import { getTwoFactor } from './contract/two-factor.ts';

const THEIRS = 'a horse of another colour';
const NEXT = 'eleven blue tortoises';
const THIRTY_DAYS_MS = 30 * DAY_MS;
let site: TestSite;
let opened: Awaited<ReturnType<typeof openWaysIn>>;
let ways: WaysIn;
beforeAll(async () => {
  opened = await openWaysIn();
  ({ site, ways } = opened);
});
afterAll(() => opened.close());

const browser = (): Promise<Visitor> => site.visitor();
const mailsTo = (address: string): Promise<{ kind: string; body: string }[]> =>
  site.tx(async (tx) =>
    (await sql<{ kind: string; body: string }>`select kind, body from notices.outbox
    where recipient = ${address} order by id`.execute(tx.sql())).rows
  );
/** The token of the newest link to a page in the emails to an address. */
async function tokenTo(address: string, page: string): Promise<string> {
  const found = (await mailsTo(address)).map(({ body }) => body)
    .flatMap((body) => [...body.matchAll(/http:\/\/localhost\/(\S+?)\?(?:name=\S+?&)?token=(\S+)/gu)])
    .filter(([, path]) => path === page).map(([, , token]) => token);
  return found.at(-1) ?? `no link to ${page}`;
}
/** Changes the address and confirms the new one; returns the token that restores the former one. */
async function moves(who: Visitor, from: string, to: string, password = PASSWORD): Promise<string> {
  await who.call(changeEmail, { email: to, password });
  await who.call(confirmEmail, { token: await tokenTo(to, 'confirm-email') });
  return tokenTo(from, 'restore-email');
}
const puts = async (token: string, from?: Visitor) => (from ?? await browser()).call(restoreEmail, { token });
const refusedTo = async (token: string): Promise<string[]> => [
  (await (await browser()).refused(getEmailToRestore, { token })).errorType,
  (await (await browser()).refused(restoreEmail, { token })).errorType,
];
const emailOf = (id: number) => site.tx(async (tx) => (await site.services.accounts.findById(tx, id))?.email);
const isIn = async (who: Visitor) => (await who.call(getAuthState, {})).authenticated;
async function intruderOf(victim: Member): Promise<Visitor> {
  const thief = await site.visitor({ opened: false });
  thief.setCookie('session', victim.cookie('session') as string);
  await thief.opens();
  return thief;
}
/** Sets a password by the link in the email to an address, and logs in with it. */
async function comesBack(email: string, username: string): Promise<Visitor> {
  const back = await browser();
  await back.call(resetPassword, { token: await tokenTo(email, 'reset-password'), next: NEXT });
  await back.call(login, { login: username, password: NEXT });
  await back.opens();
  return back;
}

describe('an address that an intruder changed and confirmed at once', () => {
  it('comes back by the link in the old mailbox, with the account: the intruder is out', async () => {
    const owner = await site.viewer();
    const { id, username, person: { email } } = owner;
    await site.passes(1_000);
    const intruder = await intruderOf(owner);
    const accomplice = await site.viewer();
    const link = await moves(intruder, email, `evil-${id}@mail.example`);
    const key = await ways.addsPasskey(intruder);
    await intruder.call(finishProvider, { query: await ways.cameBack(intruder, 'link', `evil-${id}`) });
    await intruder.call(changePassword, { current: PASSWORD, next: THEIRS });
    await intruder.opens();
    await intruder.call(linkAccount, { login: accomplice.username, password: PASSWORD });
    const device = intruder.cookie('device');
    await site.passes(MINUTE_MS);
    expect(await (await browser()).call(getEmailToRestore, { token: link }))
      .toEqual({ username, email: 'v•••@p•••' });
    // Looking at the link has changed nothing.
    expect([await emailOf(id), await isIn(intruder)]).toEqual([`evil-${id}@mail.example`, true]);
    expect(await puts(link)).toEqual({ status: 1, username, email: 'v•••@p•••', email_confirmed: true });
    expect([await emailOf(id), await isIn(intruder)]).toEqual([email, false]);
    await site.passes(1_000);
    const again = await browser();
    again.setCookie('device', device as string);
    expect((await again.refused(login, { login: username, password: THEIRS })).errorType)
      .toBe('bad_credentials');
    expect(await ways.entersByPasskey(key)).toBe('way_in_unchecked');
    expect(
      (await again.refused(finishProvider, {
        query: await ways.cameBack(again, 'log_in', `evil-${id}`),
      })).errorType,
    ).toBe('way_in_unchecked');
    const other = await site.memberOf(accomplice.username);
    expect((await other.refused(switchAccount, { username })).errorType).toBe('link_unknown');
    // A reset for the intruder's mailbox finds no account.
    await again.call(requestPasswordReset, { email: `evil-${id}@mail.example` });
    await site.settle();
    expect(await tokenTo(`evil-${id}@mail.example`, 'reset-password')).toBe('no link to reset-password');
    const back = await comesBack(email, username);
    expect(await back.call(getEmail, {})).toMatchObject({
      email,
      email_confirmed: true,
      pending_email: null,
    });
    expect((await back.call(getWaysInCheck, {})).ways_in.map(({ kind }) => kind).toSorted())
      .toEqual(expect.arrayContaining(['passkey', 'provider']));
    expect((await mailsTo(`evil-${id}@mail.example`)).at(-1)?.kind).toBe('accounts:mails.emailRestored');
  });

  it('loses the second step that was set up since, and keeps the one of before', async () => {
    const [robbed, careful] = [await site.viewer(), await site.viewer()];
    const intruder = await intruderOf(robbed);
    const link = await moves(intruder, robbed.person.email, 'evil-step@mail.example');
    await site.passes(1_000);
    await ways.takesTwoSteps(intruder);
    await puts(link);
    const back = await comesBack(robbed.person.email, robbed.username);
    expect(await back.call(getTwoFactor, {})).toMatchObject({ is_on: false });
    const code = await ways.takesTwoSteps(careful);
    await site.passes(1_000);
    await puts(await moves(careful, careful.person.email, 'evil-late@mail.example'));
    const at = await browser();
    await at.call(resetPassword, {
      token: await tokenTo(careful.person.email, 'reset-password'),
      next: NEXT,
    });
    const given = { login: careful.username, password: NEXT };
    expect((await at.refused(login, given)).errorType).toBe('code_required');
    await site.passes(60_000);
    await at.call(login, { ...given, code: code() });
  });

  it('asks of what was added in the 30 days before the change, however late the link is used', async () => {
    const owner = await site.viewer();
    const key = await ways.addsPasskey(await intruderOf(owner));
    await site.passes(29 * DAY_MS);
    const tab = await site.memberOf(owner.username);
    const link = await moves(tab, owner.person.email, 'evil-wait@mail.example');
    await site.passes(29 * DAY_MS);
    await puts(link);
    expect(await ways.entersByPasskey(key)).toBe('way_in_unchecked');
    // Neither the new password nor another recovery much later confirms the passkey.
    const back = await comesBack(owner.person.email, owner.username);
    await site.passes(20 * DAY_MS);
    await back.call(logoutEverywhere, {});
    expect(await ways.entersByPasskey(key)).toBe('way_in_unchecked');
  });

  it('ends what a stranger left who had opened the account with that address', async () => {
    const [email, username] = ['planted@people.example', 'planted-one'];
    const stranger = await browser();
    await stranger.call(register, {
      username,
      email,
      password: PASSWORD,
      birth_date: '1990-05-05',
      type: 'user',
      accept_terms: true,
    });
    await stranger.opens();
    const key = await ways.addsPasskey(stranger);
    await (await browser()).call(confirmEmail, { token: await tokenTo(email, 'confirm-email') });
    await stranger.call(changeEmail, { email: 'planter@mail.example' });
    // In the stranger's own session, so that this second address counts as theirs.
    await stranger.call(confirmEmail, { token: await tokenTo('planter@mail.example', 'confirm-email') });
    await puts(await tokenTo(email, 'restore-email'));
    expect(await ways.entersByPasskey(key)).toBe('passkey_refused');
  });
});

describe('an account whose address a stranger changes to that of somebody else', () => {
  const [own, second, third] = ['mover@evil.example', 'mover-2@evil.example', 'mover-3@evil.example'];
  const victim = 'tricked@people.example';
  /** The stranger changes the address, and the reader of its mailbox opens the link in another browser. */
  async function asks(stranger: Visitor, password: string): Promise<string> {
    await stranger.call(changeEmail, { email: victim, password });
    const token = await tokenTo(victim, 'confirm-email');
    return (await (await browser()).refused(confirmEmail, { token })).errorType;
  }

  it('never becomes theirs, so no link of the stranger leads back into what they hold', async () => {
    const stranger = await browser();
    await stranger.call(register, {
      username: 'mover-one',
      email: own,
      password: PASSWORD,
      birth_date: '1990-05-05',
      type: 'user',
      accept_terms: true,
    });
    await stranger.opens();
    await stranger.call(confirmEmail, { token: await tokenTo(own, 'confirm-email') });
    const { user } = await stranger.call(getCurrentUser, {});
    expect(await asks(stranger, PASSWORD)).toBe('confirm_logged_out');
    expect(await tokenTo(own, 'restore-email')).toBe('no link to restore-email');
    // Nor with an unconfirmed address: an accomplice takes the address that the stranger goes back to.
    const first = await moves(stranger, own, second);
    const link = await moves(stranger, second, third);
    const accomplice = await site.viewer();
    await moves(accomplice, accomplice.person.email, second);
    expect(await puts(link, stranger)).toMatchObject({ email_confirmed: false });
    const back = await comesBack(second, 'mover-one');
    expect(await asks(back, NEXT)).toBe('confirm_logged_out');
    expect(await emailOf(user.id as number)).toBe(second);
    // A reset by the victim's address finds no account: the victim has none.
    await (await browser()).call(requestPasswordReset, { email: victim });
    await site.settle();
    expect(await tokenTo(victim, 'reset-password')).toBe('no link to reset-password');
    await puts(first);
    expect(await emailOf(user.id as number)).toBe(own);
  });
});

describe('a link that puts an address back', () => {
  it('works for 30 days, and leaves nothing behind', async () => {
    const [soon, late] = [await site.viewer(), await site.viewer()];
    const links = [
      await moves(soon, soon.person.email, 'soon@mail.example'),
      await moves(late, late.person.email, 'late@mail.example'),
    ];
    await site.passes(THIRTY_DAYS_MS - 1_000);
    await puts(links[0] as string);
    expect(await emailOf(soon.id)).toBe(soon.person.email);
    site.clock.advance(1_000);
    expect(await refusedTo(links[1] as string)).toEqual(['restore_link_over', 'restore_link_over']);
    expect(await emailOf(late.id)).toBe('late@mail.example');
    await site.passes(MINUTE_MS);
    const { rows } = await site.tx((tx) =>
      sql`select 1 from accounts.former_emails
      where person_id in (${soon.id}, ${late.id})`.execute(tx.sql())
    );
    expect(rows).toEqual([]);
  });

  it('works once, also for two at once, and says so afterwards', async () => {
    const owner = await site.viewer();
    const link = await moves(owner, owner.person.email, 'once@mail.example');
    const both = await Promise.all([0, 1].map(async () =>
      (await browser()).request({
        method: 'POST',
        url: '/api/v1/auth/restore_email',
        payload: { token: link },
      })
    ));
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 422]);
    expect(await refusedTo(link)).toEqual(['restore_link_used', 'restore_link_used']);
    expect(await refusedTo('made up')).toEqual(['restore_link_over', 'restore_link_over']);
    const resets = (await mailsTo(owner.person.email)).filter(({ kind }) => /emailBack/u.test(kind));
    expect(resets).toHaveLength(1);
  });

  it('goes back to the oldest address, whatever the intruder does with those of later', async () => {
    const owner = await site.viewer();
    const { email } = owner.person;
    const intruder = await intruderOf(owner);
    const first = await moves(intruder, email, 'evil-one@mail.example');
    const second = await moves(intruder, 'evil-one@mail.example', 'evil-two@mail.example');
    const third = await moves(intruder, 'evil-two@mail.example', 'evil-three@mail.example');
    // The intruder's own recovery ends no earlier link.
    await puts(second, intruder);
    expect(await emailOf(owner.id)).toBe('evil-one@mail.example');
    expect(await refusedTo(third)).toEqual(['restore_link_used', 'restore_link_used']);
    await comesBack('evil-one@mail.example', owner.username);
    await puts(first);
    expect(await emailOf(owner.id)).toBe(email);
    expect(await refusedTo(second)).toEqual(['restore_link_used', 'restore_link_used']);
    await comesBack(email, owner.username);
  });

  it('is not crowded out by many changes', async () => {
    const owner = await site.viewer();
    const first = await moves(owner, owner.person.email, 'crowd-0@mail.example');
    for (let count = 1; count <= 25; count += 1) {
      // An account may send only a few emails a day to unconfirmed addresses.
      site.clock.advance(8 * 60 * MINUTE_MS);
      await moves(owner, `crowd-${count - 1}@mail.example`, `crowd-${count}@mail.example`);
    }
    const { rows } = await site.tx((tx) =>
      sql`select 1 from accounts.former_emails
      where person_id = ${owner.id}`.execute(tx.sql())
    );
    expect(rows).toHaveLength(20);
    await puts(first);
    expect(await emailOf(owner.id)).toBe(owner.person.email);
  });

  it('gives the account back where another one has the address meanwhile, which stays theirs', async () => {
    const owner = await site.viewer();
    const { email } = owner.person;
    const link = await moves(owner, email, 'evil-taken@mail.example');
    const other = await site.viewer();
    await moves(other, other.person.email, email);
    expect(await puts(link)).toMatchObject({ email_confirmed: false });
    const back = await comesBack(email, owner.username);
    expect((await back.call(getCurrentUser, {})).user).toMatchObject({ email, email_confirmed: false });
    expect((await other.call(getCurrentUser, {})).user).toMatchObject({ email, email_confirmed: true });
    await (await browser()).call(login, { login: email, password: PASSWORD });
  });

  it('does nothing while the account is suspended, and works afterwards', async () => {
    const owner = await site.viewer();
    const link = await moves(owner, owner.person.email, 'evil-banned@mail.example');
    const admin = await site.admin();
    const { username } = owner;
    await admin.call(suspendPerson, { username, suspended: true, reason: 'ticket 1' });
    expect(await refusedTo(link)).toEqual(['restore_link_over', 'restore_link_over']);
    await admin.call(suspendPerson, { username, suspended: false, reason: 'ticket 2' });
    await puts(link);
    expect(await emailOf(owner.id)).toBe(owner.person.email);
  });

  it('brings back an account that the intruder deletes, while it can be undone', async () => {
    const { id, username, person: { email } } = await site.viewer();
    const intruder = await site.memberOf(username);
    const link = await moves(intruder, email, 'evil-end@mail.example');
    await intruder.call(requestDeletion, { username, password: PASSWORD });
    await puts(link);
    const back = await browser();
    await back.call(resetPassword, { token: await tokenTo(email, 'reset-password'), next: NEXT });
    const { ticket } = await back.refused(login, { login: username, password: NEXT });
    await back.call(keepAccount, { ticket: String(ticket) });
    expect(await emailOf(id)).toBe(email);
  });

  it('leaves whoever opens it in their own browser logged in there, by another session', async () => {
    const owner = await site.viewer();
    const session = owner.cookie('session');
    const intruder = await intruderOf(owner);
    await puts(await moves(intruder, owner.person.email, 'evil-own@mail.example'), owner);
    expect([await isIn(owner), await isIn(intruder)]).toEqual([true, false]);
    expect(owner.cookie('session')).not.toBe(session);
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
