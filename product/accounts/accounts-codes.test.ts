import { systemClock } from '#platform/data/clock.ts';
import { openIdentitySimulator, type IdentitySimulator } from '#platform/identities/simulator.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { Authenticator } from '#product/testkit/passkey-authenticator.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { login } from './contract.ts';
import { requestDeletion } from './contract/life/deletion.ts';
import { changeEmail } from './contract/life/email.ts';
import { linkAccount, switchAccount } from './contract/life/linked.ts';
import { askForCopy } from './contract/life/own-data.ts';
import { changeUsername } from './contract/life/username.ts';
import { addPasskey, beginPasskey, beginPasskeyLogin, loginByPasskey } from './contract/passkeys.ts';
import { startProvider } from './contract/providers.ts';
import { beginTwoFactor, confirmTwoFactor, endTwoFactor, renewRecoveryCodes } from './contract/two-factor.ts';

const password = 'correct horse battery';
const WINDOW_MS = 15 * MINUTE_MS;
/** Wrong codes that an account may try in 15 minutes, and in a day. */
const LIMIT = 10;
const A_DAY = 50;
let site: TestSite;
let simulator: IdentitySimulator;
beforeAll(async () => {
  simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  site = await createSite({ settings: { identityProvidersAt: () => simulator.providers } });
});
afterAll(async () => {
  await site.close();
  await simulator.close();
});

const appOf = (secret: string) => (): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
async function withTwoSteps(owner: Member): Promise<() => string> {
  const code = appOf((await owner.call(beginTwoFactor, { password })).secret);
  await owner.call(confirmTwoFactor, { code: code() });
  await site.passes(30_000);
  return code;
}
/** A wrong code: never that of the current time step or of the steps beside it. */
const wrong = (count: number): string => `zz${count}zzzzzz`;
const refusal = async (asking: Promise<{ readonly errorType: string }>): Promise<string> =>
  (await asking).errorType;
/** What proves again that the person is the owner. */
interface Proof {
  readonly password: string;
  readonly code: string;
}
/** Counts how often each answer came. */
const tally = (answers: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
};

describe('wrong codes of a second step are counted by the account that they are for', () => {
  it('whatever is right in between: the password, a log-in with another code', async () => {
    const owner = await site.viewer();
    await withTwoSteps(owner);
    const answers: string[] = [];
    for (let count = 0; count < 3 * LIMIT; count += 1) {
      answers.push(await refusal(owner.refused(endTwoFactor, { password, code: wrong(count) })));
      // The right password in between resets nothing.
      expect(await refusal(owner.refused(beginTwoFactor, { password })))
        .toBe('two_factor_on');
      site.clock.advance(10_000);
    }
    expect(tally(answers)).toEqual({ code_wrong: LIMIT, login_locked: 2 * LIMIT });
  });

  it('wherever they are typed: log-in, settings, each session', async () => {
    const owner = await site.viewer();
    const code = await withTwoSteps(owner);
    const answers: string[] = [];
    for (let count = 0; count < LIMIT; count += 1) {
      const guess = { code: wrong(count) };
      answers.push(
        await refusal(
          count % 2 === 0
            ? owner.refused(renewRecoveryCodes, guess)
            : (await site.visitor()).refused(login, { login: owner.username, password, ...guess }),
        ),
      );
    }
    expect(tally(answers)).toEqual({ code_wrong: LIMIT });
    expect(await refusal(owner.refused(renewRecoveryCodes, { code: code() }))).toBe('login_locked');
    expect(await refusal(owner.refused(endTwoFactor, { password, code: code() }))).toBe('login_locked');
    // Only time ends the lock; then a right code resets the count.
    site.clock.advance(WINDOW_MS);
    await owner.call(renewRecoveryCodes, { code: code() });
  });

  it('from however many sessions somebody switches to it', async () => {
    const [other, owner] = [await site.viewer(), await site.viewer()];
    await other.call(linkAccount, { login: owner.username, password });
    const code = await withTwoSteps(owner);
    const answers: string[] = [];
    for (let count = 0; count < 2 * LIMIT; count += 1) {
      const session: Visitor = count % 4 === 0 ? other : await site.anotherTabOf(other);
      answers.push(
        await refusal(session.refused(switchAccount, {
          username: owner.username,
          code: wrong(count),
        })),
      );
    }
    expect(tally(answers)).toEqual({ code_wrong: LIMIT, login_locked: LIMIT });
    expect(await refusal(other.refused(switchAccount, { username: owner.username, code: code() })))
      .toBe('login_locked');
  });

  it('in front of whatever asks again who somebody is, once their log-in is not recent', async () => {
    const owner = await site.viewer();
    const code = await withTwoSteps(owner);
    site.clock.advance(11 * MINUTE_MS);
    const { username } = owner;
    const asking = [
      (proof: Proof) => owner.refused(beginPasskey, proof),
      (proof: Proof) => owner.refused(changeUsername, { username: 'quiet-heron', ...proof }),
      (proof: Proof) => owner.refused(changeEmail, { email: 'heron@people.example', ...proof }),
      (proof: Proof) => owner.refused(requestDeletion, { username, ...proof }),
      (proof: Proof) => owner.refused(startProvider, { provider: 'google', purpose: 'link', ...proof }),
      (proof: Proof) => owner.refused(askForCopy, proof),
    ];
    const answers: string[] = [];
    for (let round = 0; answers.length < 2 * LIMIT; round += 1) {
      const ask = asking[round % asking.length] ?? expect.fail();
      answers.push(await refusal(ask({ password, code: wrong(round) })));
    }
    expect(answers).toEqual([
      ...Array<string>(LIMIT).fill('code_wrong'),
      ...Array<string>(LIMIT).fill('login_locked'),
    ]);
    expect(await refusal(owner.refused(renewRecoveryCodes, { code: code() }))).toBe('login_locked');
  });

  it('a day long too, so that patience gains nothing', async () => {
    const owner = await site.viewer();
    const code = await withTwoSteps(owner);
    const answers: string[] = [];
    for (let count = 0; count < A_DAY + 1; count += 1) {
      if (count % LIMIT === 0) site.clock.advance(WINDOW_MS);
      answers.push(await refusal(owner.refused(renewRecoveryCodes, { code: wrong(count) })));
    }
    expect(tally(answers)).toEqual({ code_wrong: A_DAY, login_locked: 1 });
    site.clock.advance(WINDOW_MS);
    expect(await refusal(owner.refused(renewRecoveryCodes, { code: code() }))).toBe('login_locked');
  });
});

it('wrong codes of emails are counted by the account, however many codes are sent', async () => {
  const owner = await site.viewer();
  const answers: string[] = [];
  for (let round = 0; round < 14; round += 1) {
    // Each round uses another network, after the password window: a code is sent, and guessed at.
    site.clock.advance(WINDOW_MS);
    const guesser = await site.visitor({ address: `198.51.${100 + round}.7` });
    const given = { login: owner.username, password };
    expect(await refusal(guesser.refused(login, given))).toBe('email_code_required');
    for (let count = 0; count < 4; count += 1) {
      answers.push(await refusal(guesser.refused(login, { ...given, code: `00000${count}` })));
    }
  }
  expect(tally(answers)).toEqual({
    email_code_wrong: A_DAY,
    login_locked: 14 * 4 - A_DAY,
  });
});

describe('the count of one way in is reset by its own success alone', () => {
  async function withPasskey(owner: Member): Promise<Authenticator> {
    const key = new Authenticator();
    const { ticket, options } = await owner.call(beginPasskey, {});
    const credential = key.makes(options, 'http://localhost');
    await owner.call(addPasskey, { ticket, name: 'A key', credential });
    return key;
  }
  async function entersByPasskey(key: Authenticator, code?: string): Promise<void> {
    const browser = await site.visitor();
    const { ticket, options } = await browser.call(beginPasskeyLogin, {});
    const credential = key.answers(options, 'http://localhost', {});
    await browser.call(loginByPasskey, { ticket, credential, ...(code === undefined ? {} : { code }) });
  }

  it('a log-in by a passkey leaves that of codes, whatever is typed beside it', async () => {
    const owner = await site.viewer();
    const key = await withPasskey(owner);
    const code = await withTwoSteps(owner);
    const answers: string[] = [];
    for (let count = 0; count < LIMIT + 1; count += 1) {
      answers.push(await refusal(owner.refused(renewRecoveryCodes, { code: wrong(count) })));
      // The passkey verifies its owner, so the log-in asks for no code.
      if (count === 4) await entersByPasskey(key);
      if (count === 7) await entersByPasskey(key, wrong(count));
    }
    // The code typed together with the passkey was one of the ten.
    expect(tally(answers)).toEqual({ code_wrong: LIMIT - 1, login_locked: 2 });
    expect(await refusal(owner.refused(renewRecoveryCodes, { code: code() }))).toBe('login_locked');
  });

  it('a log-in by a passkey leaves that of passwords', async () => {
    const owner = await site.viewer();
    const key = await withPasskey(owner);
    const answers: string[] = [];
    for (let count = 0; count < LIMIT + 1; count += 1) {
      const given = { login: owner.username, password: `wrong ${count}` };
      answers.push(await refusal((await site.visitor()).refused(login, given)));
      await entersByPasskey(key);
    }
    expect(tally(answers)).toEqual({ bad_credentials: LIMIT, login_locked: 1 });
  });

  it('a log-in that asks for no code leaves that of codes by email', async () => {
    const owner = await site.viewer();
    const given = { login: owner.username, password };
    const answers: string[] = [];
    for (let round = 0; round < 7; round += 1) {
      // These stay below the 15-minute limits of passwords and codes: only the daily limit is left.
      site.clock.advance(WINDOW_MS);
      for (let count = 0; count < 8; count += 1) {
        const browser = await site.visitor({ address: `203.0.113.${count}` });
        answers.push(await refusal(browser.refused(login, { ...given, code: `00000${count}` })));
      }
      // The owner's own browser is not asked for a code, but sends one.
      if (round === 3) await owner.call(login, { ...given, code: '12345' });
    }
    // That code was counted too.
    expect(tally(answers)).toEqual({ email_code_wrong: A_DAY - 1, login_locked: 7 * 8 - A_DAY + 1 });
  });

  it(
    'new recovery codes reset it by a right code, never by a wrong one or where there is no second step',
    async () => {
      const owner = await site.viewer();
      expect(await refusal(owner.refused(renewRecoveryCodes, { code: wrong(0) }))).toBe('two_factor_off');
      const code = await withTwoSteps(owner);
      const answers: string[] = [];
      for (let count = 0; count < LIMIT - 1; count += 1) {
        answers.push(await refusal(owner.refused(renewRecoveryCodes, { code: wrong(count) })));
      }
      expect(tally(answers)).toEqual({ code_wrong: LIMIT - 1 });
      await owner.call(renewRecoveryCodes, { code: code() });
      expect(await refusal(owner.refused(renewRecoveryCodes, { code: wrong(0) }))).toBe('code_wrong');
    },
  );
});
