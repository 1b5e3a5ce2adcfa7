import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { setPreference } from '#product/notices/contract/preferences.ts';
import { registerPush } from '#product/notices/contract/push.ts';
import { LOCALES } from '#product/site/rules.ts';
import { TestPushService } from '#product/testkit/outside/push-service.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmEmail, login, register, requestPasswordReset } from './contract.ts';
import { keepAccount, requestDeletion } from './contract/life/deletion.ts';
import { changeEmail, resendEmail } from './contract/life/email.ts';
import { linkAccount } from './contract/life/linked.ts';
import { changeUsername } from './contract/life/username.ts';
import { addPasskey, beginPasskey, removePasskey } from './contract/passkeys.ts';

const PASSWORD = 'a horse of another colour';
const WINS = 'WIN: https://evil.example/now www.evil.example evil.example';
let site: TestSite;
const pushes = new TestPushService();
beforeAll(async () => {
  await pushes.start();
  site = await createSite({ settings: { pushAllowsLoopback: true } });
});
afterAll(async () => {
  await site.close();
  await pushes.close();
});

interface Mail {
  readonly subject: string;
  readonly body: string;
  readonly html: string;
  readonly kind: string;
}
const mailsTo = (address: string): Promise<Mail[]> =>
  site.tx(async (tx) =>
    (await sql<Mail>`
  select subject, body, html, kind from notices.outbox where recipient = ${address} order by id`
      .execute(tx.sql())).rows
  );
const everything = (mails: readonly Mail[]): string =>
  mails.map(({ subject, body, html }) => `${subject}\n${body}\n${html}`).join('\n');

async function signsUp(username: string, email: string, browser: Visitor): Promise<Visitor> {
  await browser.call(register, {
    username,
    email,
    password: PASSWORD,
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  });
  await browser.opens();
  return browser;
}

describe('mail that a spammer would send through us', () => {
  it('carries nothing that a person typed to an address that nobody confirmed', async () => {
    const victim = 'victim@people.example';
    const spammer = await signsUp('visit-evil-now', victim, await site.visitor());
    await site.tx((tx) =>
      sql`update accounts.people set display_name = ${WINS} where email = ${victim}`
        .execute(tx.sql())
    );
    await spammer.call(resendEmail, {});
    await (await site.visitor()).call(requestPasswordReset, { email: victim });
    await site.settle();
    const browser = await site.visitor({ userAgent: `${WINS}/1.0 x` });
    await browser.call(login, { login: 'visit-evil-now', password: PASSWORD });
    const mails = await mailsTo(victim);
    expect(mails.map(({ kind }) => kind.replace('accounts:mails.', '')))
      .toEqual(['welcome', 'confirm', 'resetPassword', 'newDevice']);
    expect(everything(mails)).not.toMatch(/WIN|evil|visit-evil/u);
    for (const { body, html } of mails) {
      const hosts = [...`${body}\n${html}`.matchAll(/https?:\/\/([^/\s"<]+)/gu)].map(([, host]) => host);
      expect(new Set(hosts)).toEqual(new Set(['localhost']));
    }
  });

  it('says nothing to such an address of what passkeys and accounts are called', async () => {
    const victim = 'other-victim@people.example';
    const spammer = await signsUp('visit-evil-later', victim, await site.visitor());
    await signsUp('evil-friend', 'friend@people.example', await site.visitor());
    const { ticket, options } = await spammer.call(beginPasskey, {});
    const credential = new Authenticator().makes(options, 'http://localhost');
    const name = WINS.slice(0, 30);
    const { passkeys: [key] } = await spammer.call(addPasskey, { ticket, name, credential });
    await spammer.call(removePasskey, { id: key?.id ?? 0 });
    await spammer.call(linkAccount, { login: 'evil-friend', password: PASSWORD });
    await spammer.call(changeUsername, { username: 'plain-name' });
    const mails = (await mailsTo(victim)).slice(1);
    expect(mails.map(({ kind }) => kind.replace('accounts:mails.', '')))
      .toEqual(['passkeyAdded', 'passkeyRemoved', 'accountLinked', 'usernameChanged']);
    expect(everything(mails)).not.toMatch(/WIN|evil|plain-name/u);
  });

  it('says to who confirmed what passkeys and accounts are called, without addresses', async () => {
    const reader = await site.viewer();
    await signsUp('linked-friend', 'linked-friend@people.example', await site.visitor());
    const { ticket, options } = await reader.call(beginPasskey, {});
    const credential = new Authenticator().makes(options, 'http://localhost');
    const name = '<b>Key</b> www.evil.example';
    await reader.call(addPasskey, { ticket, name, credential });
    await reader.call(linkAccount, { login: 'linked-friend', password: PASSWORD });
    const mails = (await mailsTo(reader.person.email)).filter(({ kind }) =>
      /passkeyAdded|accountLinked/u.test(kind)
    );
    expect(mails).toHaveLength(2);
    expect(mails[0]?.body).toContain('<b>Key</b>');
    expect(mails[0]?.html).toContain('&lt;b&gt;Key&lt;/b&gt;');
    expect(mails[1]?.body).toContain('linked-friend');
    expect(everything(mails)).not.toMatch(/evil/u);
  });

  it('says names to who confirmed, escaped, without addresses, and no value is a link', async () => {
    const reader = await site.viewer();
    const { email } = reader.person;
    await reader.call(setPreference, { kind: 'browse:notices.searchMatched', channel: 'email', on: true });
    await site.tx((tx) =>
      site.services.notices.notify(tx, {
        personId: reader.id,
        kind: 'browse:notices.searchMatched',
        link: '/ada',
        values: { name: `<b>Ada</b> ${WINS}`, search: WINS },
      })
    );
    const [mail] = await mailsTo(email);
    expect(mail?.subject).toBe('<b>Ada</b> WIN: matches “WIN:”');
    expect(mail?.html).toContain('&lt;b&gt;Ada&lt;/b&gt; WIN:');
    expect(everything([mail as Mail])).not.toMatch(/evil/u);
    const linked = [...(mail?.html ?? '').matchAll(/href="([^"]+)"/gu)].map(([, link = '']) => new URL(link));
    expect(linked.map(({ pathname }) => pathname)).toEqual(['/ada', '/email/subscription']);
  });

  it('greets by username: no email of any slice says a display name', () => {
    const product = new URL('../', import.meta.url);
    const texts = readdirSync(product, { withFileTypes: true }).filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => LOCALES.map((locale) => new URL(`${name}/messages/${locale}.json`, product)))
      .flatMap((file) => {
        try {
          const { mails = {} } = JSON.parse(readFileSync(file, 'utf8')) as { mails?: object };
          return JSON.stringify(mails);
        } catch {
          return [];
        }
      });
    expect(texts.length).toBeGreaterThan(LOCALES.length);
    expect(texts.filter((text) => /\{\{(?:name|display_?name)\}\}/iu.test(text))).toEqual([]);
  });
});

it('a link for a new password is the same work to ask for, whether an account has the address', async () => {
  const { person: { email } } = await site.viewer();
  const asked = () =>
    site.tx(async (tx) =>
      (await sql<{ key: string }>`
    select key from platform.due where kind = 'accounts.resetAsked'`.execute(tx.sql())).rows
    );
  await site.settle();
  const visitor = await site.visitor();
  for (const address of [email, 'nobody@people.example']) {
    await visitor.call(requestPasswordReset, { email: address });
    // The account is looked up later, so that the time to answer does not reveal whether it exists.
    expect(await mailsTo(address)).toEqual([]);
  }
  const rows = await asked();
  expect(rows).toHaveLength(2);
  // The key of the job contains no address.
  expect(JSON.stringify(rows)).not.toContain('@');
  await site.settle();
  expect(await asked()).toEqual([]);
  expect((await mailsTo(email)).map(({ kind }) => kind)).toEqual(['accounts:mails.resetPassword']);
  expect(await mailsTo('nobody@people.example')).toEqual([]);
});

describe('mail to unconfirmed addresses', () => {
  /** Emails a day. */
  const [OF_AN_ACCOUNT, OF_AN_ADDRESS, OF_A_NETWORK] = [10, 10, 100];

  /** Changes the address to each of these, an hour apart; returns how many emails each got. */
  async function aimsAt(spammer: Visitor, password: string, aims: readonly string[]): Promise<number[]> {
    for (const email of aims) {
      await spammer.call(changeEmail, { email, password });
      await site.passes(HOUR_MS);
    }
    return Promise.all(aims.map(async (email) => (await mailsTo(email)).length));
  }
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

  it('ends for a day after so many of an account, wherever it aims them', async () => {
    const spammer = await signsUp('sprays-many', 'own@people.example', await site.visitor());
    const aims = Array.from({ length: OF_AN_ACCOUNT + 3 }, (_none, nth) => `victim${nth}@people.example`);
    // The first email went to the spammer's own address.
    expect(sum(await aimsAt(spammer, PASSWORD, aims))).toBe(OF_AN_ACCOUNT - 1);
  });

  it('ends the same for an account whose own address is confirmed, and for whom many aim at', async () => {
    const password = 'correct horse battery';
    const strangers = Array.from({ length: 13 }, (_none, nth) => `unasked${nth}@people.example`);
    expect(sum(await aimsAt(await site.viewer(), password, strangers))).toBe(10);
    // Ten others reach one person in a day; an eleventh does not.
    const one = ['aimed-by-many@people.example'];
    const counts: number[] = [];
    for (let nth = 0; nth < 11; nth += 1) counts.push(...await aimsAt(await site.viewer(), password, one));
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]);
  });

  it('ends for an address and for a network too, and never for confirmed ones', async () => {
    const send = (to: string, personId: number, address: string, isConfirmed: boolean) =>
      site.tx((tx) =>
        site.services.notices.send(tx, {
          to,
          personId,
          address,
          isConfirmed,
          username: 'ada',
          kind: 'accounts:mails.passwordChanged',
          locale: 'en',
          values: { site: 'Candela' },
        })
      );
    for (let nth = 0; nth < OF_AN_ADDRESS + 3; nth += 1) {
      await send('aimed@people.example', 900_000 + nth, `198.51.${nth}.7`, false);
    }
    expect(await mailsTo('aimed@people.example')).toHaveLength(OF_AN_ADDRESS);
    // Plus addresses share a mailbox.
    for (let nth = 0; nth < OF_AN_ADDRESS + 3; nth += 1) {
      await send(`victim+${nth}@plus.example`, 920_000 + nth, `192.88.${nth}.7`, false);
    }
    expect(await mailsTo(`victim+${OF_AN_ADDRESS - 1}@plus.example`)).toHaveLength(1);
    expect(await mailsTo(`victim+${OF_AN_ADDRESS}@plus.example`)).toEqual([]);
    for (let nth = 0; nth < OF_A_NETWORK + 3; nth += 1) {
      await send(`${nth}@net.example`, 910_000 + nth, `203.0.113.${nth}`, false);
    }
    expect(await mailsTo(`${OF_A_NETWORK - 1}@net.example`)).toHaveLength(1);
    expect(await mailsTo(`${OF_A_NETWORK}@net.example`)).toEqual([]);
    await send(`${OF_A_NETWORK}@net.example`, 910_000, '203.0.113.9', true);
    expect(await mailsTo(`${OF_A_NETWORK}@net.example`)).toHaveLength(1);
    // The network's limit covers sign-ups too; a sign-up from another network gets its email.
    const [full, free] = ['full-net@people.example', 'free-net@people.example'];
    await signsUp('full-net', full, await site.visitor({ address: '203.0.113.77' }));
    await signsUp('free-net', free, await site.visitor({ address: '192.0.2.77' }));
    expect([await mailsTo(full), (await mailsTo(free)).length]).toEqual([[], 1]);
  });

  it('counts links for a new password, and what a deletion says, by the network that asked', async () => {
    for (let nth = 0; nth < OF_A_NETWORK; nth += 1) {
      await site.tx((tx) =>
        site.services.notices.send(tx, {
          to: `${nth}@filled.example`,
          personId: 930_000 + nth,
          address: `198.51.100.${nth}`,
          isConfirmed: false,
          username: 'ada',
          kind: 'accounts:mails.passwordChanged',
          locale: 'en',
          values: { site: 'Candela' },
        })
      );
    }
    expect(await mailsTo(`${OF_A_NETWORK - 1}@filled.example`)).toHaveLength(1);
    // From a full network, and from another.
    for (const [address, username, sent] of [
      ['198.51.100.9', 'asks-in-vain', []],
      ['203.0.114.9', 'asks-elsewhere', ['welcome', 'resetPassword', 'deletionAsked', 'deletionKept']],
    ] as const) {
      const email = `${username}@people.example`;
      const browser = await signsUp(username, email, await site.visitor({ address }));
      await browser.call(requestPasswordReset, { email });
      await site.settle();
      expect((await mailsTo(email)).map(({ kind }) => kind))
        .toEqual(sent.slice(0, 2).map((kind) => `accounts:mails.${kind}`));
      await browser.call(requestDeletion, { username, password: PASSWORD });
      const back = await site.visitor({ address });
      const { ticket } = await back.refused(login, { login: username, password: PASSWORD });
      await back.call(keepAccount, { ticket: String(ticket) });
      expect((await mailsTo(email)).map(({ kind }) => kind))
        .toEqual(sent.map((kind) => `accounts:mails.${kind}`));
    }
  });
});

describe('the language of mail', () => {
  it('is the recipient’s, recorded at sign-up, whoever asks', async () => {
    const email = 'gerda@people.example';
    await signsUp('gerda', email, await site.visitor({ language: 'de-AT,de;q=0.9' }));
    await (await site.visitor({ language: 'fr' })).call(requestPasswordReset, { email });
    await site.settle();
    const [welcome, reset] = await mailsTo(email);
    expect(welcome?.body).toContain('Hallo,');
    expect(reset?.body).toContain('Hallo g•••,');
    const token = /token=(\S+)/u.exec(welcome?.body ?? '')?.[1] ?? '';
    await (await site.visitor({ language: 'it' })).call(confirmEmail, { token });
    await signsUp('somebody-else', email, await site.visitor({ language: 'es' }));
    expect((await mailsTo(email)).at(-1)?.body).toContain('Hallo gerda,');
  });

  it('is the recipient’s in the four emails of a deletion, dates too, wherever it is asked for', async () => {
    const reader = await site.viewer({ language: 'de-AT,de;q=0.9' });
    const { username, person: { email } } = reader;
    const proof = { login: username, password: 'correct horse battery' };
    const asks = async (): Promise<void> => {
      const french = await site.visitor({ language: 'fr' });
      await french.call(login, proof);
      await french.opens();
      await french.call(requestDeletion, { username, password: proof.password });
    };
    const before = (await mailsTo(email)).length;
    await asks();
    await site.passes(27 * DAY_MS);
    const french = await site.visitor({ language: 'fr' });
    const { ticket } = await french.refused(login, proof);
    await french.call(keepAccount, { ticket: String(ticket) });
    const mails = (await mailsTo(email)).slice(before)
      .filter(({ kind }) => kind.startsWith('accounts:mails.deletion'));
    await asks();
    await site.passes(30 * DAY_MS);
    // After an account is erased, nothing names its address any more.
    mails.push(
      ...await site.tx(async (tx) =>
        (await sql<Mail>`
      select subject, body, html, kind from notices.outbox where kind = 'accounts:mails.deletionDone'`
          .execute(tx.sql())).rows
      ),
    );
    expect(mails.map(({ kind, subject }) => [kind.slice('accounts:mails.'.length), subject])).toEqual([
      ['deletionAsked', 'Dein Konto bei Candela wird gelöscht'],
      ['deletionSoon', expect.stringMatching(/^Dein Konto bei Candela wird am \d+\. \p{L}+ \d+ endgültig/u)],
      ['deletionKept', 'Du hast dein Konto bei Candela behalten'],
      ['deletionDone', 'Dein Konto bei Candela ist gelöscht'],
    ]);
    expect(mails[0]?.body).toMatch(/wird am \d+\. \p{L}+ 20\d\d endgültig gelöscht/u);
  });

  it('is the recipient’s for the country of a new device', async () => {
    const reader = await site.viewer({ language: 'de-AT,de;q=0.9' });
    const elsewhere = await site.visitor({ language: 'fr', region: 'DE', userAgent: 'A new phone' });
    await elsewhere.call(login, { login: reader.username, password: 'correct horse battery' });
    await site.settle();
    const mail = (await mailsTo(reader.person.email)).find(({ kind }) => kind === 'accounts:mails.newDevice');
    expect(mail?.body).toContain('Deutschland');
    expect(mail?.body).not.toMatch(/Germany|Allemagne/u);
  });

  it('is the recipient’s in notices too, by email and by push', async () => {
    const reader = await site.viewer({ language: 'de-AT,de;q=0.9' });
    const kind = 'browse:notices.searchMatched';
    await reader.call(setPreference, { kind, channel: 'email', on: true });
    await reader.call(registerPush, pushes.subscription('german'));
    await site.tx((tx) =>
      site.services.notices.notify(tx, {
        personId: reader.id,
        kind,
        link: '/ada',
        values: { name: 'Ada', search: 'Jazz' },
      })
    );
    await site.settle();
    const [mail, ...more] = await mailsTo(reader.person.email);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe('Ada passt zu „Jazz“');
    expect(mail?.body).toContain('Ada ist gerade live gegangen und passt zu deiner gespeicherten Suche');
    expect(mail?.body).toContain('Du bekommst diese E-Mail, weil du Mitglied bei ');
    expect(mail?.html).toContain('<html lang="de"');
    expect(pushes.received.map(({ message }) => message)).toEqual([
      { title: 'Neue Benachrichtigung', body: 'Öffnen und sehen, was es Neues gibt.', link: '/ada' },
    ]);
  });
});
