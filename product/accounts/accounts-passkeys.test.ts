import { MINUTE_MS } from '#platform/time/units.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { Authenticator, type Lies } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, login } from './contract.ts';
import {
  addPasskey,
  beginPasskey,
  beginPasskeyLogin,
  listPasskeys,
  loginByPasskey,
  removePasskey,
  renamePasskey,
} from './contract/passkeys.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';

const password = 'correct horse battery';
const ORIGIN = 'http://localhost';
const LAGOON = 'lagoon.example';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  const brand = { displayName: 'Lagoon', sitecode: 'lagoon', hosts: [LAGOON], isWhitelabel: true };
  await site.services.site.addSite(site.scope.operatorId, brand);
  await site.services.site.addOperator('Other', { ...brand, sitecode: 'other', hosts: ['other.example'] });
});
afterAll(() => site.close());

/** Adds a passkey of an authenticator, just after a log-in. */
async function adds(owner: Member, key = new Authenticator(), origin = ORIGIN): Promise<Authenticator> {
  const { ticket, options } = await owner.call(beginPasskey, {});
  await owner.call(addPasskey, { ticket, name: 'My key', credential: key.makes(options, origin) });
  return key;
}
const codeOf = (error: unknown): string =>
  (error as { problem?: { errorType: string } }).problem?.errorType ?? String(error);
/** The outcome of a log-in by passkey. */
async function enters(
  browser: Visitor,
  key: Authenticator,
  lies: Lies = {},
  { origin = ORIGIN, code = '' } = {},
): Promise<string> {
  const { ticket, options } = await browser.call(beginPasskeyLogin, {});
  const credential = key.answers(options, origin, lies);
  const answer = await browser.call(loginByPasskey, { ticket, credential, ...(code && { code }) })
    .catch(codeOf);
  return typeof answer === 'string' ? answer : answer.user.username;
}
async function withTwoSteps(owner: Member): Promise<() => string> {
  const { secret } = await owner.call(beginTwoFactor, { password });
  const code = () => generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
  await owner.call(confirmTwoFactor, { code: code() });
  await site.passes(30_000);
  return code;
}

describe('one’s own passkeys', () => {
  it('are added, listed, named, used and removed, each with an email', async () => {
    const owner = await site.viewer();
    expect(await owner.call(listPasskeys, {})).toEqual({ passkeys: [], confirmation: 'none' });
    const added = site.clock.now().toISOString();
    const key = await adds(owner);
    const [first] = (await owner.call(listPasskeys, {})).passkeys;
    expect(first).toEqual({
      id: expect.any(Number),
      name: 'My key',
      host: 'localhost',
      created_at: added,
      used_at: null,
    });
    const id = first?.id ?? 0;
    expect((await owner.call(renamePasskey, { id, name: ' Pho\u200Bne ' })).passkeys[0]?.name).toBe('Phone');
    expect((await owner.refused(renamePasskey, { id, name: '\u200B' })).errorType)
      .toBe('passkey_name_refused');
    await site.passes(MINUTE_MS);
    expect(await enters(await site.visitor(), key)).toBe(owner.username);
    expect((await owner.call(listPasskeys, {})).passkeys[0]?.used_at).toBe(site.clock.now().toISOString());
    expect((await owner.call(removePasskey, { id })).passkeys).toEqual([]);
    expect(await enters(await site.visitor(), key)).toBe('passkey_refused');
    await site.settle();
    const { mails } = await (await site.admin()).call(listOutbox, {});
    expect(mails.filter(({ to }) => to === owner.person.email).map(({ subject }) => subject).toReversed())
      .toEqual([
        'New passkey at Candela',
        'New log-in to your account at Candela',
        'Passkey removed at Candela',
      ]);
  });

  it('take the password once the log-in is over ten minutes old, and a code beside it', async () => {
    const owner = await site.viewer();
    await site.passes(9 * MINUTE_MS);
    await owner.call(beginPasskey, {});
    await site.passes(MINUTE_MS);
    expect((await owner.call(listPasskeys, {})).confirmation).toBe('password');
    expect(await owner.refused(beginPasskey, {}))
      .toMatchObject({ status: 403, errorType: 'confirmation_needed' });
    expect(await owner.refused(beginPasskey, { password: 'a wrong one' }))
      .toMatchObject({ status: 401, errorType: 'bad_credentials' });
    await owner.call(beginPasskey, { password });
    const code = await withTwoSteps(owner);
    expect(await owner.refused(beginPasskey, { password })).toMatchObject({ errorType: 'code_required' });
    expect(await owner.refused(beginPasskey, { password, code: 'aaaa-aaaa-aaaa' }))
      .toMatchObject({ errorType: 'code_wrong' });
    await owner.call(beginPasskey, { password, code: code() });
    for (let at = 0; at < 10; at += 1) await owner.refused(beginPasskey, { password: 'a wrong one' });
    expect(await owner.refused(beginPasskey, { password, code: code() }))
      .toMatchObject({ status: 429, errorType: 'login_locked' });
  });

  it('are ten at most, and none of them twice', async () => {
    const owner = await site.viewer();
    for (let at = 0; at < 9; at += 1) await adds(owner);
    const asked = [await owner.call(beginPasskey, {}), await owner.call(beginPasskey, {})];
    const made = asked.map(({ ticket, options }) => ({
      ticket,
      name: 'Key',
      credential: new Authenticator().makes(options, ORIGIN),
    }));
    const ends = await Promise.all(
      made.map((item) => owner.call(addPasskey, item).then(() => 'added', codeOf)),
    );
    expect(ends.toSorted()).toEqual(['added', 'too_many_passkeys']);
    expect(await owner.refused(beginPasskey, {})).toMatchObject({ status: 409 });
    const [oldest] = (await owner.call(listPasskeys, {})).passkeys;
    await owner.call(removePasskey, { id: oldest?.id ?? 0 });
    const { options } = await owner.call(beginPasskey, {});
    expect(options.excludeCredentials).toHaveLength(9);
  });

  it('are nobody else’s to see, name, remove, or register again', async () => {
    const [owner, thief] = [await site.viewer(), await site.viewer()];
    const key = await adds(owner);
    const [own] = (await owner.call(listPasskeys, {})).passkeys;
    const id = own?.id ?? 0;
    expect((await thief.call(listPasskeys, {})).passkeys).toEqual([]);
    expect(await thief.refused(renamePasskey, { id, name: 'Mine' }))
      .toMatchObject({ status: 404, errorType: 'passkey_unknown' });
    expect(await thief.refused(removePasskey, { id })).toMatchObject({ status: 404 });
    expect((await owner.call(listPasskeys, {})).passkeys).toEqual([own]);
    const guest = await site.visitor();
    for (const [call, input] of [
      [listPasskeys, {}],
      [beginPasskey, {}],
      [renamePasskey, { id, name: 'x' }],
      [removePasskey, { id }],
      [addPasskey, {
        ticket: 'x',
        name: 'x',
        credential: key.makes(
          (await owner.call(beginPasskey, {})).options,
          ORIGIN,
        ),
      }],
    ] as const) expect(await guest.refused(call, input)).toMatchObject({ status: 401 });
  });

  it('never bring a certificate along, whose addresses a stranger could have us ask', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const owner = await site.viewer();
    const { ticket, options } = await owner.call(beginPasskey, {});
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
    const certificate = new Uint8Array(Buffer.from(address));
    const credential = new Authenticator().makes(options, ORIGIN, {}, [
      'packed',
      new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(64)],
        ['x5c', [certificate]],
      ]),
    ]);
    expect(await owner.refused(addPasskey, { ticket, name: 'Key', credential }))
      .toMatchObject({ status: 401, errorType: 'passkey_refused' });
    expect(asked).toEqual([]);
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
});

describe('log-in by a passkey', () => {
  it('counts as two steps where the user was verified, and asks for the second one otherwise', async () => {
    const owner = await site.viewer();
    const phone = await adds(owner);
    const usb = await adds(owner, new Authenticator({ verifies: false }));
    const code = await withTwoSteps(owner);
    expect(await enters(await site.visitor(), phone)).toBe(owner.username);
    const browser = await site.visitor();
    const { ticket, options } = await browser.call(beginPasskeyLogin, {});
    const credential = usb.answers(options, ORIGIN);
    expect(await browser.refused(loginByPasskey, { ticket, credential }))
      .toMatchObject({ status: 401, errorType: 'code_required' });
    expect(await browser.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect(await browser.refused(loginByPasskey, { ticket, credential, code: 'aaaa-aaaa-aaaa' }))
      .toMatchObject({ errorType: 'code_wrong' });
    await browser.call(loginByPasskey, { ticket, credential, code: code() });
    expect(await browser.call(getAuthState, {}))
      .toMatchObject({ authenticated: true, username: owner.username });
  });

  it('takes each answer once, of this very browser, within five minutes', async () => {
    const owner = await site.viewer();
    const key = await adds(owner, new Authenticator({ counts: false }));
    const [browser, other] = [await site.visitor(), await site.visitor()];
    const asked = await browser.call(beginPasskeyLogin, {});
    const answer = { ticket: asked.ticket, credential: key.answers(asked.options, ORIGIN) };
    expect(await other.refused(loginByPasskey, answer))
      .toMatchObject({ status: 409, errorType: 'challenge_over' });
    const both = await Promise.all(
      [1, 2].map(() => browser.call(loginByPasskey, answer).then(() => 'in', codeOf)),
    );
    expect(both.toSorted()).toEqual(['challenge_over', 'in']);
    const late = await other.call(beginPasskeyLogin, {});
    const lateAnswer = { ticket: late.ticket, credential: key.answers(late.options, ORIGIN) };
    const begun = await owner.call(beginPasskey, {});
    await site.passes(5 * MINUTE_MS);
    expect(await other.refused(loginByPasskey, lateAnswer)).toMatchObject({ errorType: 'challenge_over' });
    const credential = new Authenticator().makes(begun.options, ORIGIN);
    expect(await owner.refused(addPasskey, { ticket: begun.ticket, name: 'Key', credential }))
      .toMatchObject({ errorType: 'challenge_over' });
  });

  it('refuses a forged ticket, and one for adding', async () => {
    const owner = await site.viewer();
    const key = await adds(owner);
    const { ticket, options } = await owner.call(beginPasskey, {});
    const credential = key.answers({ ...options, rpId: 'localhost', userVerification: 'preferred' }, ORIGIN);
    for (const forged of [ticket, `${ticket}A`, 'x.y', 'x']) {
      expect(await owner.refused(loginByPasskey, { ticket: forged, credential }))
        .toMatchObject({ status: 409, errorType: 'challenge_over' });
    }
  });

  it.each<[string, Lies]>([
    ['another origin', { origin: 'https://localhost.evil.example' }],
    ['another port of the host', { origin: 'http://localhost:8080' }],
    ['another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['another person’s handle', { handle: Buffer.alloc(16, 7).toString('base64url') }],
    ['an unknown passkey', { id: Buffer.alloc(16, 7).toString('base64url') }],
    ['a counter that went back', { counter: 1 }],
  ])('refuses an answer with %s', async (_what, lies) => {
    const owner = await site.viewer();
    const key = await adds(owner);
    await enters(await site.visitor(), key);
    expect(await enters(await site.visitor(), key, lies)).toBe('passkey_refused');
    expect(await enters(await site.visitor(), key)).toBe(owner.username);
  });

  it('refuses somebody else’s passkey id, however it is signed', async () => {
    const [owner, thief] = [await site.viewer(), await site.viewer()];
    const [key, other] = [await adds(owner), await adds(thief)];
    const [own] = key.credentials;
    const lies = { id: own?.id ?? '' };
    expect(await enters(await site.visitor(), other, lies)).toBe('passkey_refused');
    expect(await enters(await site.visitor(), other, { ...lies, handle: own?.handle ?? '' }))
      .toBe('passkey_refused');
  });

  it('lets nobody in who is suspended', async () => {
    const owner = await site.viewer();
    const key = await adds(owner);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, owner.id, {
        suspended: true,
        actorId: null,
        reason: 'for the test',
      })
    );
    expect(await enters(await site.visitor(), key)).toBe('suspended');
  });

  it('is bound to the host, of each site and of each operator', async () => {
    const owner = await site.viewer();
    const key = await adds(owner);
    const lagoon = { origin: `http://${LAGOON}` };
    const there = await site.visitor({ host: LAGOON });
    // A browser would not offer the passkey here; a program can.
    expect(await enters(there, key, { host: 'localhost' }, lagoon)).toBe('passkey_refused');
    const second = await site.anotherTabOf(owner, { host: LAGOON });
    const begun = await second.call(beginPasskey, {});
    expect(begun.options).toMatchObject({ rp: { id: LAGOON, name: 'Lagoon' }, excludeCredentials: [] });
    const own = await adds(second, new Authenticator(), lagoon.origin);
    expect(await enters(there, own, {}, lagoon)).toBe(owner.username);
    expect((await owner.call(listPasskeys, {})).passkeys.map(({ host }) => host))
      .toEqual(['localhost', LAGOON]);
    const elsewhere = await site.visitor({ host: 'other.example' });
    const lies = { host: 'localhost' };
    expect(await enters(elsewhere, key, lies, { origin: 'http://other.example' })).toBe('passkey_refused');
  });

  it('stops guessing after ten attempts, and never locks the owner’s own browser', async () => {
    const owner = await site.viewer();
    const key = await adds(owner);
    const thief = new Authenticator();
    await adds(await site.viewer(), thief);
    const lies = { id: key.credentials[0]?.id ?? '' };
    for (let at = 0; at < 10; at += 1) {
      expect(await enters(await site.visitor(), thief, lies)).toBe('passkey_refused');
    }
    expect(await enters(await site.visitor(), thief, lies)).toBe('login_locked');
    // Passkeys are counted separately: guessing at one does not lock the password.
    await (await site.visitor()).call(login, { login: owner.username, password });
    expect(await enters(owner, key)).toBe(owner.username);
  });

  it('stores public keys and nothing that logs in', async () => {
    await adds(await site.viewer());
    const rows = await site.tx(async (tx) =>
      (await sql<{ text: string }>`
      select row_to_json(p)::text as text from accounts.passkeys p`.execute(tx.sql())).rows
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) {
      expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual([
        'counter',
        'created_at',
        'credential_id',
        'host',
        'id',
        'is_verified',
        'name',
        'operator_id',
        'person_id',
        'public_key',
        'transports',
        'used_at',
      ]);
    }
  });
});
