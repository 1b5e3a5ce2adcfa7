import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateSync } from 'otplib';
import { Authenticator } from '../testkit/passkeys/authenticator.ts';
import { overtaken } from '../testkit/people/overtaking.ts';
import { createSite, Member, type TestSite } from '../testkit/site.ts';
import { changePassword, login, logoutEverywhere } from './contract.ts';
import { changeEmail, getEmail } from './contract/life/email.ts';
import { linkAccount, listLinked, switchAccount } from './contract/life/linked.ts';
import { addPasskey, beginPasskey, listPasskeys } from './contract/passkeys.ts';
import { beginTwoFactor, confirmTwoFactor, getTwoFactor } from './contract/two-factor.ts';

const PASSWORD = 'correct horse battery';
const NEXT = 'eleven blue tortoises';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Somebody in one more browser. */
async function again({ person }: Member): Promise<Member> {
  const browser = new Member(site, person, { address: await site.address() });
  await browser.opens();
  await browser.logsIn();
  return browser;
}

/** No call of these has more units of work. */
const MOST_UNITS = 30;

/** What a thief with the session of somebody does, and whether that is in the account afterwards. */
interface Theft {
  readonly act: () => Promise<unknown>;
  /** Asked by the owner, who has logged in again. */
  readonly isIn: (owner: Member) => Promise<boolean>;
}

/**
 * At each moment of the thief's call the owner logs out everywhere: either the call was through before, and
 * the recovery saw what it did, or it does nothing.
 */
async function expectNothing(thefts: (victim: Member) => Promise<Theft>): Promise<void> {
  let moments = 0;
  for (let at = 0; at < MOST_UNITS; at += 1) {
    const victim = await site.viewer();
    const owner = await again(victim);
    const { act, isIn } = await thefts(victim);
    const recovers = () => owner.call(logoutEverywhere, {});
    const { hasHappened, isAnswered } = await overtaken(site, act, recovers, at);
    if (!hasHappened) break;
    moments += 1;
    expect([at, isAnswered, await isIn(await again(victim))]).toEqual([at, false, false]);
    await site.passes(61_000);
  }
  expect(moments).toBeGreaterThan(0);
  expect(moments).toBeLessThan(MOST_UNITS);
}

it('a change of the address', () => expectNothing(async (victim) => ({
  act: () => victim.call(changeEmail, { email: `thief-${victim.username}@example.com` }),
  isIn: async (owner) => (await owner.call(getEmail, {})).pending_email !== null,
})));

it('a passkey', () => expectNothing(async (victim) => {
  const { ticket, options } = await victim.call(beginPasskey, {});
  const credential = new Authenticator().makes(options, 'http://localhost');
  return {
    act: () => victim.call(addPasskey, { ticket, name: 'Theirs', credential }),
    isIn: async (owner) => (await owner.call(listPasskeys, {})).passkeys.length > 0,
  };
}));

it('two-step log-in', () => expectNothing(async (victim) => {
  const { secret } = await victim.call(beginTwoFactor, { password: PASSWORD });
  return {
    act: () => victim.call(confirmTwoFactor, { code: generateSync({ secret }) }),
    isIn: async (owner) => (await owner.call(getTwoFactor, {})).is_on,
  };
}));

it('a link to another account', () => expectNothing(async (victim) => {
  const thief = await site.viewer();
  return {
    act: () => victim.call(linkAccount, { login: thief.username, password: PASSWORD }),
    isIn: async (owner) => (await owner.call(listLinked, {})).accounts.length > 0,
  };
}));

it('a switch to a linked account', async () => {
  let moments = 0;
  for (let at = 0; at < MOST_UNITS; at += 1) {
    const [victim, thief] = [await site.viewer(), await site.viewer()];
    await thief.call(linkAccount, {
      login: victim.username, password: PASSWORD, own_password: PASSWORD,
    });
    const { hasHappened, isAnswered } = await overtaken(site,
      () => thief.call(switchAccount, { username: victim.username }),
      () => victim.call(logoutEverywhere, {}), at);
    if (!hasHappened) break;
    moments += 1;
    expect([at, isAnswered]).toEqual([at, false]);
    await site.passes(61_000);
  }
  expect(moments).toBeGreaterThan(0);
});

it('a new password', () => expectNothing(async (victim) => ({
  act: () => victim.call(changePassword, { current: PASSWORD, next: NEXT }),
  isIn: async () => (await site.visitor()).call(login, { login: victim.username, password: NEXT })
    .then(() => true, () => false),
})));

it('a log-in by the password of before', async () => {
  let moments = 0;
  for (let at = 0; at < MOST_UNITS; at += 1) {
    const victim = await site.viewer();
    const thief = await site.visitor();
    const { hasHappened, isAnswered } = await overtaken(site,
      () => thief.call(login, { login: victim.username, password: PASSWORD }),
      () => victim.call(changePassword, { current: PASSWORD, next: NEXT }), at);
    if (!hasHappened) break;
    moments += 1;
    expect([at, isAnswered]).toEqual([at, false]);
  }
  expect(moments).toBeGreaterThan(0);
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
