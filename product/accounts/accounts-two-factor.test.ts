import { listOutbox } from '#product/notices/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, login } from './contract.ts';
import {
  beginTwoFactor,
  confirmTwoFactor,
  endTwoFactor,
  getTwoFactor,
  renewRecoveryCodes,
} from './contract/two-factor.ts';
import { recoveryCode, secondStepOf } from './rules/two-factor.ts';

const password = 'correct horse battery';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** The code of an authenticator app whose clock is `late` seconds late. */
const codeOf = (secret: string, late = 0): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) - late });
const nextStep = (): Promise<void> => site.passes(30_000);

async function turnedOn(): Promise<{ owner: Member; secret: string; codes: readonly string[] }> {
  const owner = await site.viewer();
  const { secret } = await owner.call(beginTwoFactor, { password });
  const { recovery_codes: codes } = await owner.call(confirmTwoFactor, { code: codeOf(secret) });
  await nextStep();
  return { owner, secret, codes };
}
/** The outcome of a log-in in a new browser. */
async function logsIn(owner: Member, code?: string): Promise<string> {
  const browser = await site.visitor();
  const input = { login: owner.username, password, ...(code === undefined ? {} : { code }) };
  const answer = await browser.call(login, input).then(() => 'in', (error: Error) => error);
  if (answer === 'in') return (await browser.call(getAuthState, {})).authenticated ? 'in' : 'out';
  return (answer as unknown as { problem: { errorType: string } }).problem.errorType;
}

describe('codes of an authenticator app', () => {
  it('are those of RFC 6238, appendix B', () => {
    // "12345678901234567890" in base32; the last six of its eight digits.
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    for (const [epoch, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
    ] as const) expect(generateSync({ secret, epoch })).toBe(code);
  });

  it('and recovery codes are read however they are spaced', () => {
    expect(secondStepOf(' 287 082')).toEqual({ kind: 'app', code: '287082' });
    expect(secondStepOf('K3MX 9aqp-72hd')).toEqual({ kind: 'recovery', code: 'k3mx9aqp72hd' });
    expect(secondStepOf('28708')).toMatchObject({ kind: 'recovery' });
    expect(recoveryCode(Uint8Array.from({ length: 16 }, (_, at) => at * 21)))
      .toMatch(/^([a-z0-9]{4}-){2}[a-z0-9]{4}$/u);
  });
});

describe('two-step log-in', () => {
  it('begins with the password, counts once it is confirmed, and is reported by email', async () => {
    const owner = await site.viewer();
    expect(await owner.call(getTwoFactor, {})).toEqual({ is_on: false, recovery_codes_left: 0 });
    expect(await owner.refused(confirmTwoFactor, { code: '123456' }))
      .toMatchObject({ status: 409, errorType: 'two_factor_off' });
    expect(await owner.refused(beginTwoFactor, { password: 'a wrong one' }))
      .toMatchObject({ status: 401, errorType: 'bad_credentials' });
    const { secret, uri } = await owner.call(beginTwoFactor, { password });
    expect(uri).toBe(`otpauth://totp/Candela:${owner.username}?secret=${secret}&issuer=Candela`);
    expect(await logsIn(owner)).toBe('in');
    const wrong = codeOf(secret) === '000000' ? '000001' : '000000';
    expect(await owner.refused(confirmTwoFactor, { code: wrong }))
      .toMatchObject({ status: 401, errorType: 'code_wrong' });
    const { recovery_codes: codes, ...state } = await owner.call(confirmTwoFactor, { code: codeOf(secret) });
    expect([new Set(codes).size, state]).toEqual([10, { is_on: true, recovery_codes_left: 10 }]);
    expect(await owner.refused(beginTwoFactor, { password }))
      .toMatchObject({ status: 409, errorType: 'two_factor_on' });
    await site.settle();
    const { mails } = await (await site.admin()).call(listOutbox, {});
    expect(mails.find(({ to }) => to === owner.person.email)?.subject)
      .toBe('Two-step log-in at Candela is on');
  });

  it('lets nobody in with the password alone, nor with a code and a wrong password', async () => {
    const { owner, secret } = await turnedOn();
    expect(await logsIn(owner)).toBe('code_required');
    expect(await logsIn(owner, '  ')).toBe('code_required');
    const browser = await site.visitor();
    const guess = { login: owner.username, password: 'a wrong one', code: codeOf(secret) };
    expect(await browser.refused(login, guess))
      .toMatchObject({ errorType: 'bad_credentials' });
    expect(await logsIn(owner, codeOf(secret))).toBe('in');
  });

  it('takes each code once, of the step before at the earliest, and each person’s own', async () => {
    const { owner, secret } = await turnedOn();
    const stranger = await turnedOn();
    const code = codeOf(secret);
    expect(await logsIn(stranger.owner, code)).toBe('code_wrong');
    expect(await logsIn(owner, code)).toBe('in');
    expect(await logsIn(owner, code)).toBe('code_wrong');
    expect(await logsIn(owner, codeOf(secret, 30))).toBe('code_wrong');
    await site.passes(120_000);
    expect(await logsIn(owner, codeOf(secret, 90))).toBe('code_wrong');
    expect(await logsIn(owner, codeOf(secret, 30))).toBe('in');
  });

  it('lets one of two log-ins with the same code in', async () => {
    const { owner, secret } = await turnedOn();
    const code = codeOf(secret);
    expect((await Promise.all([logsIn(owner, code), logsIn(owner, code)])).toSorted())
      .toEqual(['code_wrong', 'in']);
  });

  it('takes each recovery code once, and none of those that were replaced', async () => {
    const { owner, secret, codes: [first = '', second = '', third = ''] } = await turnedOn();
    expect(await logsIn(owner, first.toUpperCase().replaceAll('-', ' '))).toBe('in');
    expect(await logsIn(owner, first)).toBe('code_wrong');
    expect(await owner.call(getTwoFactor, {})).toEqual({ is_on: true, recovery_codes_left: 9 });
    expect((await Promise.all([logsIn(owner, second), logsIn(owner, second)])).toSorted())
      .toEqual(['code_wrong', 'in']);
    const renewed = await owner.call(renewRecoveryCodes, { code: codeOf(secret) });
    expect([renewed.recovery_codes_left, renewed.recovery_codes.includes(third)]).toEqual([10, false]);
    expect(await logsIn(owner, third)).toBe('code_wrong');
    expect(await logsIn(owner, renewed.recovery_codes[0])).toBe('in');
  });

  it('stops guessing after ten attempts, even where a right code comes then', async () => {
    const { owner, secret } = await turnedOn();
    for (let at = 0; at < 10; at += 1) expect(await logsIn(owner, 'aaaa-aaaa-aaaa')).toBe('code_wrong');
    expect(await logsIn(owner, codeOf(secret))).toBe('login_locked');
  });

  it('is turned off with password and code alone, by its person alone', async () => {
    const { owner, secret, codes: [recovery = ''] } = await turnedOn();
    const stranger = await site.viewer();
    expect(await stranger.refused(endTwoFactor, { password, code: codeOf(secret) }))
      .toMatchObject({ errorType: 'two_factor_off' });
    expect(await owner.refused(endTwoFactor, { password: 'a wrong one', code: codeOf(secret) }))
      .toMatchObject({ errorType: 'bad_credentials' });
    expect(await owner.refused(endTwoFactor, { password, code: 'aaaa-aaaa-aaaa' }))
      .toMatchObject({ errorType: 'code_wrong' });
    expect(await logsIn(owner)).toBe('code_required');
    expect(await owner.call(endTwoFactor, { password, code: recovery }))
      .toEqual({ is_on: false, recovery_codes_left: 0 });
    expect(await logsIn(owner)).toBe('in');
    const guest = await site.visitor();
    for (const [call, input] of [
      [getTwoFactor, {}],
      [beginTwoFactor, { password }],
      [confirmTwoFactor, { code: '123456' }],
      [renewRecoveryCodes, { code: '123456' }],
      [endTwoFactor, { password, code: '123456' }],
    ] as const) expect(await guest.refused(call, input)).toMatchObject({ status: 401 });
  });

  it('stores neither the secret nor a recovery code readably', async () => {
    const { secret, codes } = await turnedOn();
    const stored = await site.tx(async (tx) => {
      const { rows } = await sql<{ text: string }>`select secret as text from accounts.two_factor
        union all select digest from accounts.recovery_codes`.execute(tx.sql());
      return rows.map(({ text }) => text);
    });
    expect(stored.length).toBeGreaterThan(10);
    for (const plain of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
      expect(stored.some((text) => text.includes(plain))).toBe(false);
    }
  });
});
