import { DAY_MS } from '#platform/time/units.ts';
import { registerPush } from '#product/notices/contract/push.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { thiefOf } from '#product/testkit/people/thief.ts';
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
import { changeEmail, getEmail } from './contract/life/email.ts';
import { linkAccount, switchAccount } from './contract/life/linked.ts';
import { confirmWaysIn, getWaysInCheck } from './contract/life/ways-in.ts';
import { removePasskey } from './contract/passkeys.ts';
import { confirmPhone, getPhone, sendPhoneCode } from './contract/phones.ts';
import { linkProvider, removeProvider, signUpByProvider } from './contract/providers.ts';
import { updateSettings } from './contract/settings.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';

const NEXT = 'eleven blue tortoises';
const PHONE = '+31612345678';
let site: TestSite;
let ways: WaysIn;
let close: () => Promise<void>;
const push = new TestPushService();
beforeAll(async () => {
  await push.start();
  ({ site, ways, close } = await openWaysIn({ pushAllowsLoopback: true }));
});
afterAll(async () => {
  await close();
  await push.close();
});

const tokenTo = async (address: string): Promise<string> =>
  /token=(\S+)/u.exec(await ways.lastTo(address))?.[1] ?? '';
const isIn = async (visitor: Visitor): Promise<boolean> =>
  (await visitor.call(getAuthState, {})).authenticated;
async function askedReset(email: string): Promise<string> {
  await (await site.visitor()).call(requestPasswordReset, { email });
  await site.settle();
  await site.settle();
  return tokenTo(email);
}
/** A browser with a cookie of another one, on a page. */
async function intruderOf(victim: Visitor, cookie = 'session'): Promise<Visitor> {
  const intruder = await thiefOf(site, victim, cookie);
  await intruder.opens();
  return intruder;
}
let subjects = 0;
const nobody = () => {
  subjects += 1;
  return `stranger-${subjects}`;
};

/** Logs in in a browser, with the code by email if it is asked for. */
async function logsIn(browser: Visitor, { username, person }: Member, password: string): Promise<void> {
  const given = { login: username, password };
  // Reloads a page of a session that has ended.
  await browser.opens();
  await browser.call(login, given).catch(async () => {
    const [code] = await site.loginCodesOf(person.email);
    await browser.call(login, { ...given, code });
  });
  await browser.opens();
}

/** Recovers an account; takes the password before and after, and returns the one that logs in now. */
type Recovers = (owner: Member, current?: string, next?: string) => Promise<string>;
const RECOVERIES: Readonly<Record<string, Recovers>> = {
  'a new password': async (owner, current = PASSWORD, next = NEXT) => {
    await owner.call(changePassword, { current, next });
    return next;
  },
  'a reset': async (owner, _current, next = NEXT) => {
    const token = await askedReset(owner.person.email);
    await (await site.visitor()).call(resetPassword, { token, next });
    return next;
  },
  'a log-out everywhere': async (owner, current = PASSWORD) => {
    await owner.call(logoutEverywhere, {});
    return current;
  },
};

describe.each(Object.entries(RECOVERIES))('%s', (name, recovers) => {
  it('ends what an intruder has asked for: another address, links, codes, half a second step', async () => {
    const owner = await site.viewer();
    const { email } = owner.person;
    const intruder = await intruderOf(owner);
    await intruder.call(changeEmail, { email: `evil-${owner.id}@mail.example` });
    const change = await tokenTo(`evil-${owner.id}@mail.example`);
    const reset = await askedReset(email);
    await intruder.call(beginTwoFactor, { password: PASSWORD });
    await site.tx(async (tx) => {
      for (const table of ['login_codes', 'phone_codes']) {
        await sql`insert into ${sql.table(`accounts.${table}`)} (person_id, digest, sent_at, expires_at)
          values (${owner.id}, 'x', ${tx.now}, ${new Date(tx.now.getTime() + DAY_MS)})`.execute(tx.sql());
      }
    });
    const half = await ways.comesBack(intruder, 'log_in', nobody());
    expect(half).toBe('sign_up');
    const password = await recovers(owner);
    expect(await isIn(intruder)).toBe(false);
    const later = await site.visitor();
    expect((await later.refused(confirmEmail, { token: change })).errorType).toBe('link_invalid');
    if (name !== 'a reset') {
      expect((await later.refused(resetPassword, { token: reset, next: 'yet another one' })).errorType)
        .toBe('reset_link_invalid');
    }
    // A provider's earlier proof connects nothing, even in a browser that is logged in again.
    const proof = intruder.cookie('provider_proof') as string;
    await logsIn(later, owner, password);
    later.setCookie('provider_proof', proof);
    expect((await later.refused(linkProvider, {})).errorType).toBe('provider_over');
    expect(await later.call(getEmail, {})).toMatchObject({ email, pending_email: null });
    const left = await site.tx(async (tx) => {
      const found: string[] = [];
      // The log-in just above remembered its network, so `login_networks` has a row again.
      for (const table of [
        'email_changes',
        'password_resets',
        'login_codes',
        'phone_codes',
        'linked',
        'two_factor',
        'phones',
      ]) {
        const { rows } = await sql`select 1 from ${sql.table(`accounts.${table}`)}
          where person_id = ${owner.id}`.execute(tx.sql());
        if (rows.length > 0) found.push(table);
      }
      return found;
    });
    expect(left).toEqual([]);
  });

  it('ends text messages to a number that was confirmed in the last 30 days, and to no other', async () => {
    const confirms = async (who: Visitor, number: string) => {
      await who.call(updateSettings, { phone: number });
      await who.call(sendPhoneCode, {});
      const text = await ways.lastTo(number);
      await who.call(confirmPhone, { code: /\d{6}/u.exec(text)?.[0] ?? '' });
      expect(await who.call(getPhone, {})).toMatchObject({ confirmed: true });
    };
    const [robbed, old] = [await site.viewer(), await site.viewer()];
    const last = Object.keys(RECOVERIES).indexOf(name);
    await confirms(old, `+49151129998${last}`);
    await site.passes(2 * DAY_MS);
    const intruder = await intruderOf(robbed);
    await confirms(intruder, `+49151129999${last}`);
    await site.passes(29 * DAY_MS);
    for (const member of [robbed, old]) await recovers(await site.anotherTabOf(member));
    const { rows } = await site.tx((tx) =>
      sql<{ person_id: number }>`select person_id from accounts.phones
      where person_id in (${robbed.id}, ${old.id})`.execute(tx.sql())
    );
    expect(rows).toEqual([{ person_id: old.id }]);
  });

  it('makes a stranger of every browser that was known, and ends push in the others', async () => {
    const owner = await site.viewer();
    const device = owner.cookie('device') as string;
    const other = await site.anotherTabOf(owner);
    await owner.call(registerPush, push.subscription(`own-${owner.id}`));
    await other.call(registerPush, push.subscription(`other-${owner.id}`));
    const password = await recovers(owner);
    const { rows } = await site.tx((tx) =>
      sql<{ endpoint: string }>`
      select endpoint from notices.push_subscriptions where person_id = ${owner.id}`.execute(tx.sql())
    );
    const goesOn = name === 'a new password';
    expect(rows.map(({ endpoint }) => new URL(endpoint).pathname))
      .toEqual(goesOn ? [`/own-${owner.id}`] : []);
    // Ten wrong passwords from elsewhere lock out every browser that is not known.
    for (let count = 0; count < 10; count += 1) {
      await (await site.visitor()).refused(login, { login: owner.username, password: `wrong ${count}` });
    }
    const thief = await site.visitor();
    thief.setCookie('device', device);
    expect((await thief.refused(login, { login: owner.username, password })).errorType).toBe('login_locked');
    expect(await isIn(owner)).toBe(goesOn);
    // The owner's browser gets a new device cookie: a copy of the old one is worthless.
    if (goesOn) {
      expect(owner.cookie('device')).not.toBe(device);
      const again = await intruderOf(owner, 'device');
      await again.call(login, { login: owner.username, password });
    }
  });

  it('shows passkeys and providers of the last 30 days, until they are removed or confirmed', async () => {
    const owner = await site.viewer();
    const old = await ways.addsPasskey(owner);
    await site.passes(20 * DAY_MS);
    const tab = await site.memberOf(owner.username);
    expect((await tab.call(getCurrentUser, {})).user.ways_in_to_check).toBe(false);
    await site.passes(11 * DAY_MS);
    const intruder = await site.memberOf(owner.username);
    const key = await ways.addsPasskey(intruder);
    const strange = nobody();
    expect(await ways.comesBack(intruder, 'link', strange)).toBe('linked');
    const mine = await site.memberOf(owner.username);
    const password = await recovers(mine);
    await site.passes(1_000);
    const back = await site.visitor();
    await logsIn(back, owner, password);
    expect((await back.call(getCurrentUser, {})).user.ways_in_to_check).toBe(true);
    const { ways_in: shown } = await back.call(getWaysInCheck, {});
    expect(shown.map(({ kind }) => kind).toSorted()).toEqual(['passkey', 'provider']);
    // The intruder cannot log in by them, neither to take the address nor to confirm them.
    expect(await ways.entersByPasskey(key)).toBe('way_in_unchecked');
    expect(await ways.comesBack(await site.visitor(), 'log_in', strange)).toBe('way_in_unchecked');
    expect(await ways.entersByPasskey(old)).toBe('in');
    await back.call(removePasskey, { id: shown.find(({ kind }) => kind === 'passkey')?.id ?? 0 });
    await back.call(removeProvider, { provider: 'google' });
    expect((await back.call(getWaysInCheck, {})).ways_in).toEqual([]);
    expect([await ways.entersByPasskey(key), await ways.entersByPasskey(old)]).toEqual([
      'passkey_refused',
      'in',
    ]);
    await ways.addsPasskey(back);
    await back.call(confirmWaysIn, {});
    expect((await back.call(getCurrentUser, {})).user.ways_in_to_check).toBe(false);
  });

  it('asks of a passkey that is 29 days old at the recovery, and of none that is 31', async () => {
    const owner = await site.viewer();
    const old = await ways.addsPasskey(owner);
    await site.passes(2 * DAY_MS);
    const late = await ways.addsPasskey(await site.memberOf(owner.username));
    const lateSince = site.clock.now().toISOString();
    await site.passes(29 * DAY_MS);
    const password = await recovers(await site.memberOf(owner.username));
    await site.passes(1_000);
    const back = await site.visitor();
    await logsIn(back, owner, password);
    const { ways_in: shown } = await back.call(getWaysInCheck, {});
    expect(shown.map((item) => [item.kind, item.added_at])).toEqual([['passkey', lateSince]]);
    expect([await ways.entersByPasskey(late), await ways.entersByPasskey(old)]).toEqual([
      'way_in_unchecked',
      'in',
    ]);
  });

  it('forgets nothing that nobody has looked at, however often the account is taken back', async () => {
    const owner = await site.viewer();
    await site.passes(DAY_MS);
    const intruder = await site.memberOf(owner.username);
    const [key, strange] = [await ways.addsPasskey(intruder), nobody()];
    expect(await ways.comesBack(intruder, 'link', strange)).toBe('linked');
    await site.passes(20 * DAY_MS);
    await logsIn(owner, owner, PASSWORD);
    const second = await recovers(owner);
    expect(await ways.entersByPasskey(key)).toBe('way_in_unchecked');
    await site.passes(15 * DAY_MS);
    await logsIn(owner, owner, second);
    const third = await recovers(owner, second, 'twelve green herons');
    await site.passes(1_000);
    await logsIn(owner, owner, third);
    expect([await ways.entersByPasskey(key), await ways.comesBack(await site.visitor(), 'log_in', strange)])
      .toEqual(['way_in_unchecked', 'way_in_unchecked']);
    expect((await owner.call(getCurrentUser, {})).user.ways_in_to_check).toBe(true);
    const { ways_in: shown } = await owner.call(getWaysInCheck, {});
    expect(shown.map(({ kind }) => kind).toSorted()).toEqual(['passkey', 'provider']);
    await owner.call(confirmWaysIn, {});
    expect([await ways.entersByPasskey(key), await ways.comesBack(await site.visitor(), 'log_in', strange)])
      .toEqual(['in', 'logged_in']);
  });

  it('asks of the last 30 days alone where an earlier one left nothing to look at', async () => {
    const owner = await site.viewer();
    const second = await recovers(owner);
    await site.passes(5 * DAY_MS);
    await logsIn(owner, owner, second);
    const own = await ways.addsPasskey(owner);
    await site.passes(295 * DAY_MS);
    await logsIn(owner, owner, second);
    const third = await recovers(owner, second, 'twelve green herons');
    await site.passes(1_000);
    await logsIn(owner, owner, third);
    expect((await owner.call(getCurrentUser, {})).user.ways_in_to_check).toBe(false);
    expect((await owner.call(getWaysInCheck, {})).ways_in).toEqual([]);
    expect(await ways.entersByPasskey(own)).toBe('in');
  });

  it('lets the person in by what they added before, once they said that it is theirs', async () => {
    const owner = await site.viewer();
    await site.passes(DAY_MS);
    const tab = await site.memberOf(owner.username);
    const [key, subject] = [await ways.addsPasskey(tab), nobody()];
    expect(await ways.comesBack(tab, 'link', subject)).toBe('linked');
    const password = await recovers(tab);
    await site.passes(1_000);
    const back = await site.visitor();
    await logsIn(back, owner, password);
    const added = await ways.addsPasskey(back);
    expect([await ways.entersByPasskey(key), await ways.entersByPasskey(added)]).toEqual([
      'way_in_unchecked',
      'in',
    ]);
    await back.call(confirmWaysIn, {});
    expect([await ways.entersByPasskey(key), await ways.comesBack(await site.visitor(), 'log_in', subject)])
      .toEqual(['in', 'logged_in']);
  });
});

it('a ticket to keep an account in deletion ends with a reset', async () => {
  const owner = await site.viewer();
  const { requestDeletion, keepAccount } = await import('./contract/life/deletion.ts');
  await owner.call(requestDeletion, { username: owner.username, password: PASSWORD });
  const intruder = await site.visitor();
  const refused = await intruder.refused(login, { login: owner.username, password: PASSWORD });
  const token = await askedReset(owner.person.email);
  await (await site.visitor()).call(resetPassword, { token, next: NEXT });
  const { errorType } = await intruder.refused(keepAccount, { ticket: refused['ticket'] });
  expect(errorType).toBe('keep_over');
});

describe('an account that a stranger opened with somebody’s address', () => {
  /** Everything that a stranger can plant in an account. */
  async function hijacked(username: string, email: string) {
    const stranger = await site.visitor();
    await stranger.call(register, {
      username,
      email,
      password: 'a horse of another colour',
      birth_date: '1990-05-05',
      type: 'user',
      accept_terms: true,
    });
    await stranger.opens();
    const confirm = await tokenTo(email);
    return { stranger, confirm, ...await waysInto(stranger, username) };
  }
  async function waysInto(stranger: Visitor, username: string) {
    const key = await ways.addsPasskey(stranger);
    const subject = nobody();
    expect(await ways.comesBack(stranger, 'link', subject)).toBe('linked');
    const accomplice = await site.viewer();
    await accomplice.call(linkAccount, { login: username, password: 'a horse of another colour' });
    const { secret } = await stranger.call(beginTwoFactor, { password: 'a horse of another colour' });
    const code = ways.appCode(secret);
    await stranger.call(confirmTwoFactor, { code });
    await stranger.call(updateSettings, { phone: PHONE });
    await stranger.call(sendPhoneCode, {});
    const text = await ways.lastTo(PHONE);
    await stranger.call(confirmPhone, { code: /\d{6}/u.exec(text)?.[0] ?? '' });
    return { key, subject, accomplice, secret };
  }

  const outcomes = 'is the owner’s alone after their reset; its link clicked before: %s';
  it.each([false, true])(outcomes, async (clicked) => {
    const email = `victim-${clicked}@people.example`;
    const username = `victim-${clicked}`;
    const { stranger, confirm, key, subject, accomplice } = await hijacked(username, email);
    await stranger.call(changeEmail, { email: `${username}@evil.example` });
    const change = await tokenTo(`${username}@evil.example`);
    if (clicked) await (await site.visitor()).call(confirmEmail, { token: confirm });
    // However long the stranger waits, the reset works.
    await site.passes(29 * DAY_MS);
    const owner = await site.visitor();
    await owner.call(resetPassword, { token: await askedReset(email), next: NEXT });
    expect(await isIn(stranger)).toBe(false);
    expect(await ways.entersByPasskey(key)).toBe('passkey_refused');
    expect(await ways.comesBack(await site.visitor(), 'log_in', subject)).toBe('sign_up');
    expect((await (await site.memberOf(accomplice.username)).refused(switchAccount, { username })).errorType)
      .toBe('link_unknown');
    expect((await owner.refused(confirmEmail, { token: change })).errorType).toBe('link_invalid');
    // The stranger's second step does not lock the owner out.
    await owner.call(login, { login: email, password: NEXT });
    await owner.opens();
    expect((await owner.call(getCurrentUser, {})).user).toMatchObject({ email, email_confirmed: true });
    expect(await owner.call(getPhone, {})).toMatchObject({ confirmed: false });
  });

  it('is the owner’s alone when it was the stranger’s for long, and its address became theirs', async () => {
    const [own, email, username] = ['mover@evil.example', 'victim-moved@people.example', 'victim-moved'];
    const { stranger, key, subject, accomplice, secret } = await hijacked(username, own);
    for (const _half of [0, 1]) {
      // A session that is used stays logged in.
      await site.passes(15.5 * DAY_MS);
      expect(await isIn(stranger)).toBe(true);
    }
    const code = ways.appCode(secret);
    await stranger.call(login, { login: username, password: 'a horse of another colour', code });
    await stranger.opens();
    await stranger.call(changeEmail, { email });
    const owner = await site.visitor();
    await owner.call(confirmEmail, { token: await tokenTo(email) });
    await site.passes(DAY_MS);
    await owner.call(resetPassword, { token: await askedReset(email), next: NEXT });
    expect(await isIn(stranger)).toBe(false);
    expect(await ways.entersByPasskey(key)).toBe('passkey_refused');
    expect(await ways.comesBack(await site.visitor(), 'log_in', subject)).toBe('sign_up');
    expect((await (await site.memberOf(accomplice.username)).refused(switchAccount, { username })).errorType)
      .toBe('link_unknown');
    await owner.call(login, { login: email, password: NEXT });
    await owner.opens();
    expect((await owner.call(getCurrentUser, {})).user).toMatchObject({ email, email_confirmed: true });
  });

  it('is the owner’s alone when a provider opened it that did not verify the address', async () => {
    const [email, subject] = ['victim-provided@people.example', nobody()];
    const stranger = await site.visitor();
    const person = { email, isEmailVerified: false };
    expect(await ways.comesBack(stranger, 'log_in', subject, person)).toBe('sign_up');
    await stranger.call(signUpByProvider, {
      username: 'victim-provided',
      email,
      birth_date: '1990-05-05',
      accept_terms: true,
    });
    await stranger.opens();
    expect(await ways.comesBack(await site.visitor(), 'log_in', subject, person)).toMatch(/logged_in|code/u);
    const owner = await site.visitor();
    await owner.call(resetPassword, { token: await askedReset(email), next: NEXT });
    expect(await isIn(stranger)).toBe(false);
    expect(await ways.comesBack(await site.visitor(), 'log_in', subject, person)).toBe('sign_up');
    await owner.call(login, { login: email, password: NEXT });
    await owner.opens();
    expect((await owner.call(getCurrentUser, {})).user).toMatchObject({ email, email_confirmed: true });
  });

  it('keeps the ways in of whoever opened the link in their own browser, and resets later', async () => {
    const email = 'own@people.example';
    const owner = await site.visitor();
    await owner.call(register, {
      username: 'own-browser',
      email,
      password: 'a horse of another colour',
      birth_date: '1990-05-05',
      type: 'user',
      accept_terms: true,
    });
    await owner.opens();
    await owner.call(confirmEmail, { token: await tokenTo(email) });
    const key = await ways.addsPasskey(owner);
    await (await site.visitor()).call(resetPassword, { token: await askedReset(email), next: NEXT });
    expect(await ways.entersByPasskey(key)).toBe('way_in_unchecked');
    const back = await site.visitor();
    await back.call(login, { login: 'own-browser', password: NEXT }).catch(async () => {
      const [code] = await site.loginCodesOf(email);
      await back.call(login, { login: 'own-browser', password: NEXT, code });
    });
    await back.opens();
    await back.call(confirmWaysIn, {});
    expect(await ways.entersByPasskey(key)).toBe('in');
  });
});
