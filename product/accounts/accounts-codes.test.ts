import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import type { Visitor } from '../testkit/visitor.ts';
import { login } from './contract.ts';
import { linkAccount, switchAccount } from './contract/life/linked.ts';
import { beginTwoFactor, confirmTwoFactor, endTwoFactor, renewRecoveryCodes } from './contract/two-factor.ts';
import { ATTEMPT_LIMITS, ATTEMPT_WINDOW_SECONDS, CODES_PER_DAY } from './rules.ts';

const password = 'correct horse battery';
const WINDOW_MS = ATTEMPT_WINDOW_SECONDS * 1000;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const appOf = (secret: string) => (): string =>
  generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
async function withTwoSteps(owner: Member): Promise<() => string> {
  const code = appOf((await owner.call(beginTwoFactor, { password })).secret);
  await owner.call(confirmTwoFactor, { code: code() });
  await site.passes(30_000);
  return code;
}
/** Never the code of now, nor of the steps beside it. */
const wrong = (count: number): string => `zz${count}zzzzzz`;
const refusal = async (asking: Promise<{ readonly errorType: string }>): Promise<string> =>
  (await asking).errorType;
/** How often each answer came. */
const tally = (answers: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
};
const LIMIT = ATTEMPT_LIMITS.second_step;

describe('wrong codes of a second step are counted by the account that they are for', () => {
  it('whatever is right in between: the password, a log-in with another code', async () => {
    const owner = await site.viewer();
    await withTwoSteps(owner);
    const answers: string[] = [];
    for (let count = 0; count < 3 * LIMIT; count += 1) {
      answers.push(await refusal(owner.refused(endTwoFactor, { password, code: wrong(count) })));
      // Proves the password each time.
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
      answers.push(await refusal(count % 2 === 0 ? owner.refused(renewRecoveryCodes, guess)
        : (await site.visitor()).refused(login, { login: owner.username, password, ...guess })));
    }
    expect(tally(answers)).toEqual({ code_wrong: LIMIT });
    expect(await refusal(owner.refused(renewRecoveryCodes, { code: code() }))).toBe('login_locked');
    expect(await refusal(owner.refused(endTwoFactor, { password, code: code() }))).toBe('login_locked');
    // Time alone ends it, and a right code resets it.
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
      answers.push(await refusal(session.refused(switchAccount, {
        username: owner.username, code: wrong(count),
      })));
    }
    expect(tally(answers)).toEqual({ code_wrong: LIMIT, login_locked: LIMIT });
    expect(await refusal(other.refused(switchAccount, { username: owner.username, code: code() })))
      .toBe('login_locked');
  });

  it('a day long too, so that patience gains nothing', async () => {
    const owner = await site.viewer();
    const code = await withTwoSteps(owner);
    const answers: string[] = [];
    for (let count = 0; count < CODES_PER_DAY.points + 1; count += 1) {
      if (count % LIMIT === 0) site.clock.advance(WINDOW_MS);
      answers.push(await refusal(owner.refused(renewRecoveryCodes, { code: wrong(count) })));
    }
    expect(tally(answers)).toEqual({ code_wrong: CODES_PER_DAY.points, login_locked: 1 });
    site.clock.advance(WINDOW_MS);
    expect(await refusal(owner.refused(renewRecoveryCodes, { code: code() }))).toBe('login_locked');
  });
});

it('wrong codes of emails are counted by the account, however many codes are sent', async () => {
  const owner = await site.viewer();
  const answers: string[] = [];
  for (let round = 0; round < 14; round += 1) {
    // Each from a network of its own, once the count of passwords is over: a code is sent, and guessed at.
    site.clock.advance(WINDOW_MS);
    const guesser = await site.visitor({ address: `198.51.${100 + round}.7` });
    const given = { login: owner.username, password };
    expect(await refusal(guesser.refused(login, given))).toBe('email_code_required');
    for (let count = 0; count < 4; count += 1) {
      answers.push(await refusal(guesser.refused(login, { ...given, code: `00000${count}` })));
    }
  }
  expect(tally(answers)).toEqual({
    email_code_wrong: CODES_PER_DAY.points, login_locked: 14 * 4 - CODES_PER_DAY.points,
  });
});
