import { MINUTE_MS } from '#platform/time/units.ts';
import { TestMailServer } from '#product/testkit/outside/mail-server.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOutbox } from './contract.ts';
import { setPreference } from './contract/preferences.ts';
import { ownRows } from './store/own-rows.ts';

const KIND = 'browse:notices.searchMatched';
const server = new TestMailServer();
let url = '';
beforeAll(async () => {
  url = await server.start();
});
afterAll(() => server.close());

/** What a test of either mailer reads of an email that arrived. */
interface Arrived {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly unsubscribe: string | null;
}

const header = (raw: string, name: string): string | null =>
  new RegExp(`^${name}: (?<value>.*)$`, 'imu')
    .exec((raw.split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n[ \t]+/gu, ' '))
    ?.groups?.['value']?.trim() ?? null;

/** Texts of the parts of a message (RFC 2045), decoded. */
function parts(raw: string): { text: string; html: string } {
  const boundary = /boundary="(?<boundary>[^"]+)"/u.exec(raw)?.groups?.['boundary'] ?? '';
  const [text = '', html = ''] = raw.split(`--${boundary}`).slice(1, 3).map((part) => {
    const [head = '', ...body] = part.split('\r\n\r\n');
    const encoded = body.join('\r\n\r\n').trim();
    if (/base64/iu.test(head)) return Buffer.from(encoded, 'base64').toString('utf8');
    const bytes = encoded.replaceAll('=\r\n', '').replaceAll(
      /=(?<hex>[0-9A-F]{2})/gu,
      (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return /quoted-printable/iu.test(head) ? Buffer.from(bytes, 'latin1').toString('utf8') : encoded;
  });
  return { text, html };
}

const emailsOfServer = (): Arrived[] =>
  server.received.map(({ to, raw }) => ({
    to: to.join(),
    subject: header(raw, 'Subject') ?? '',
    ...parts(raw),
    unsubscribe: header(raw, 'List-Unsubscribe')?.replaceAll(/[<>]/gu, '') ?? null,
  }));

const emailsOfOutbox = async (site: TestSite): Promise<Arrived[]> =>
  (await (await site.admin()).call(listOutbox, {})).mails.map(({ html, ...mail }) => ({
    ...mail,
    html: html ?? '',
  })).toReversed();

describe.each([
  { name: 'the development outbox', smtp: () => null, arrived: emailsOfOutbox },
  {
    name: 'a mail server',
    smtp: () => ({ url, from: 'mail@cam.example' }),
    arrived: async () => emailsOfServer(),
  },
])('$name', ({ smtp, arrived }) => {
  let site: TestSite;
  beforeAll(async () => {
    site = await createSite({ settings: { smtp: smtp() } });
  });
  afterAll(() => site.close());

  const send = (name: string, to = 'ada@people.example') =>
    site.tx((tx) =>
      site.services.notices.send(tx, {
        to,
        kind: 'accounts:mails.passwordChanged',
        locale: 'en',
        values: { site: 'Candela' },
        username: name,
        personId: 1,
        address: null,
        isConfirmed: true,
      })
    );
  const to = async (address: string): Promise<Arrived[]> => {
    await site.settle();
    return (await arrived(site)).filter((item) => item.to === address);
  };

  it('delivers text and HTML to one person, once', async () => {
    await send('Ada');
    await site.passes(MINUTE_MS);
    const [mail, ...more] = await to('ada@people.example');
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ subject: 'Your password at Candela was changed', unsubscribe: null });
    expect(mail?.text).toContain('Hello Ada,');
    expect(mail?.html).toContain('Hello Ada,');
  });

  it('delivers nothing of a unit of work that fails', async () => {
    await expect(site.tx(async (tx) => {
      await site.services.notices.send(tx, {
        to: 'bea@people.example',
        kind: 'accounts:mails.passwordChanged',
        locale: 'en',
        values: { site: 'Candela' },
        username: 'bea',
        personId: 1,
        address: null,
        isConfirmed: true,
      });
      throw new Error('changed my mind');
    })).rejects.toThrow('changed my mind');
    expect(await to('bea@people.example')).toEqual([]);
  });

  it('takes no header from a value, and every letter', async () => {
    await send('Zoë\r\nBcc: all@people.example\r\n.\r\nQUIT', 'zoe@people.example');
    const [mail] = await to('zoe@people.example');
    expect(mail?.text).toContain('Zoë');
    expect(await to('all@people.example')).toEqual([]);
    if (smtp() !== null) expect(header(server.received.at(-1)?.raw ?? '', 'Bcc')).toBeNull();
  });

  it('says where one click ends emails of a kind', async () => {
    const viewer = await site.viewer();
    await viewer.call(setPreference, { kind: KIND, channel: 'email', on: true });
    await site.tx((tx) =>
      site.services.notices.notify(tx, {
        personId: viewer.id,
        kind: KIND,
        values: { name: 'Ada', search: 'Jazz' },
        link: '/ada',
      })
    );
    const [mail] = await to(`${viewer.username}@people.example`);
    expect(new URL(mail?.unsubscribe ?? '').pathname).toMatch(/^\/api\/v1\/email\/unsubscribe\/[\w.-]+$/u);
  });
});

describe('a mail server that fails', () => {
  let site: TestSite;
  beforeAll(async () => {
    site = await createSite({ settings: { smtp: { url, from: 'mail@cam.example' } } });
  });
  afterAll(() => site.close());
  const send = (address: string) =>
    site.tx((tx) =>
      site.services.notices.send(tx, {
        to: address,
        kind: 'accounts:mails.passwordChanged',
        locale: 'en',
        values: { site: 'Candela' },
        username: 'ada',
        personId: 1,
        address: null,
        isConfirmed: true,
      })
    );
  const got = (address: string) => server.received.filter(({ to }) => to.includes(address));

  it('for a time delays an email and loses none', async () => {
    server.refusals.push('450 busy', '450 busy');
    await send('late@people.example');
    await site.settle();
    expect(got('late@people.example')).toEqual([]);
    await site.passes(MINUTE_MS);
    expect(got('late@people.example')).toEqual([]);
    await site.passes(5 * MINUTE_MS);
    expect(got('late@people.example')).toHaveLength(1);
    await site.passes(60 * MINUTE_MS);
    expect(got('late@people.example')).toHaveLength(1);
    expect(site.log).toEqual([]);
  });

  it('for good ends an email, and the site says so without its address', async () => {
    server.refusals.push('550 nobody of that name');
    await send('gone@people.example');
    for (let tries = 0; tries < 3; tries += 1) await site.passes(60 * MINUTE_MS);
    expect(got('gone@people.example')).toEqual([]);
    expect(site.log).toHaveLength(1);
    expect(site.log[0]).not.toContain('gone@people');
  });

  it('nothing stays of the last email to somebody who was erased', async () => {
    server.refusals.push('550 nobody of that name', '550 nobody of that name');
    await site.tx(async (tx) => {
      for (const kind of ['accounts:mails.deletionDone', 'accounts:mails.deletionSoon'] as const) {
        await site.services.notices.send(tx, {
          to: 'erased@people.example',
          kind,
          locale: 'en',
          username: 'ada',
          personId: 1,
          address: null,
          values: { site: 'Candela', link: 'http://localhost/login', date: '' },
          isConfirmed: true,
        });
      }
    });
    await site.settle();
    const { rows } = await site.tx((tx) =>
      sql<{ kind: string }>`select payload ->> 'kind' as kind
      from notices.deliveries where payload ->> 'to' = 'erased@people.example'`.execute(tx.sql())
    );
    expect(rows).toEqual([{ kind: 'accounts:mails.deletionSoon' }]);
  });

  it('loses no email to others when somebody is erased, though it has the name or the address', async () => {
    const [waiting, failed] = ['waits@people.example', 'failed@people.example'];
    const sendAs = (personId: number, to: string, username: string) =>
      site.tx((tx) =>
        site.services.notices.send(tx, {
          to,
          kind: 'accounts:mails.passwordChanged',
          locale: 'en',
          values: { site: 'Candela' },
          username,
          personId,
          address: null,
          isConfirmed: true,
        })
      );
    server.refusals.push('550 no', '450 busy', '450 busy');
    await sendAs(900, failed, 'Password');
    await site.settle();
    // One to another account with the same address, and one to somebody else, in which the name is a common
    // word of the text.
    await sendAs(901, 'shared@people.example', 'one');
    await sendAs(902, waiting, 'two');
    await site.settle();
    expect(server.refusals).toEqual([]);
    const person = {
      id: 903,
      names: ['password'],
      displayName: '',
      pseudonym: 'deleted-903',
      isEmailConfirmed: true,
      email: 'shared@people.example',
    };
    const deliveries = ownRows.find(({ table }) => table === 'notices.deliveries');
    await site.tx(async (tx) => deliveries?.erase?.(tx, person, 100));
    const left = await site.tx(async (tx) =>
      (await sql<{ to: string }>`select payload ->> 'to' as to
      from notices.deliveries where payload ->> 'to' = any(${[waiting, failed, person.email]}::text[])
      order by id`.execute(tx.sql())).rows
    );
    expect(left.map(({ to }) => to)).toEqual([person.email, waiting]);
    await site.passes(MINUTE_MS);
    expect([got(waiting).length, got(person.email).length]).toEqual([1, 1]);
  });

  it('after taking it gets the same email again, by the same id', async () => {
    server.cuts = 1;
    await send('twice@people.example');
    await site.settle();
    await site.passes(MINUTE_MS);
    const ids = got('twice@people.example').map(({ raw }) => header(raw, 'Message-ID'));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

it('emails name their mail headers of one click as RFC 8058 wants', () => {
  const [raw] = server.received.map((email) => email.raw)
    .filter((text) => header(text, 'List-Unsubscribe') !== null);
  expect(header(raw ?? '', 'List-Unsubscribe')).toMatch(/^<https?:\/\/[^>]+>$/u);
  expect(header(raw ?? '', 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(header(raw ?? '', 'From')).toBe('Candela <mail@cam.example>');
});

it('the people that a demo invents get no mail: theirs stay in the outbox', async () => {
  const site = await createSite({
    settings: { smtp: { url, from: 'mail@cam.example' }, localUrl: 'http://localhost:3130' },
  });
  const before = server.received.length;
  await site.tx(async (tx) => {
    for (const to of ['aurora@demo.example', 'Aurora@DEMO.example', 'real@people.example']) {
      await site.services.notices.send(tx, {
        to,
        isConfirmed: true,
        kind: 'accounts:mails.passwordChanged',
        locale: 'en',
        personId: 1,
        address: null,
        username: 'ada',
        values: { site: 'Candela', username: 'ada' },
      });
    }
  });
  await site.settle();
  expect(server.received.slice(before).map(({ to }) => to.join())).toEqual(['real@people.example']);
  expect((await emailsOfOutbox(site)).map(({ to }) => to))
    .toEqual(['aurora@demo.example', 'Aurora@DEMO.example']);
  await site.close();
});

it('an email names the port in every address', async () => {
  const site = await createSite({
    settings: { smtp: { url, from: 'mail@cam.example' }, localUrl: 'http://localhost:3130' },
  });
  const before = server.received.length;
  const reader = await site.viewer();
  await reader.call(setPreference, { kind: KIND, channel: 'email', on: true });
  await site.tx((tx) =>
    site.services.notices.notify(tx, {
      personId: reader.id,
      kind: KIND,
      values: { name: 'Ada', search: 'Jazz' },
      link: '/ada',
    })
  );
  await site.settle();
  const mails = emailsOfServer().slice(before);
  expect(mails.map(({ to }) => to)).toEqual([`${reader.username}@people.example`]);
  for (const { text, html, unsubscribe } of mails) {
    const addresses = [...`${text}\n${html}\n${unsubscribe ?? ''}`.matchAll(/https?:\/\/[^\s"<>]+/gu)];
    expect(addresses.length).toBeGreaterThan(1);
    for (const [address] of addresses) expect(address).toMatch(/^http:\/\/localhost:3130\/\w/u);
  }
  expect(mails[0]?.text).toMatch(/^http:\/\/localhost:3130\/ada\r?$/mu);
  await site.close();
});
