import { overtaken } from '#product/testkit/people/overtaking.ts';
import { openWaysIn, ORIGIN, PASSWORD, type WaysIn } from '#product/testkit/people/ways-in.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  changePassword,
  getAuthState,
  login,
  logoutEverywhere,
  requestPasswordReset,
  resetPassword,
} from './contract.ts';
import { linkAccount, switchAccount } from './contract/life/linked.ts';
import { beginPasskeyLogin, loginByPasskey } from './contract/passkeys.ts';
import { enterByProvider, finishProvider } from './contract/providers.ts';

const NEXT = 'eleven blue tortoises';
let site: TestSite;
let opened: Awaited<ReturnType<typeof openWaysIn>>;
let ways: WaysIn;
beforeAll(async () => {
  opened = await openWaysIn();
  ({ site, ways } = opened);
});
afterAll(() => opened.close());

/** More than any log-in's units of work. */
const MOST_UNITS = 30;
type Act = () => Promise<unknown>;

/** A way for a thief to log in, in their own browser. */
interface Entry {
  readonly name: string;
  readonly act: (victim: Member, thief: Visitor) => Promise<Act>;
  readonly recovers?: (victim: Member) => Promise<unknown>;
  /**
   * Before this unit of work nobody has proven anything: a recovery leaves passkeys and providers in place.
   */
  readonly from?: number;
}

async function resets(victim: Member): Promise<void> {
  const { email } = victim.person;
  await (await site.visitor()).call(requestPasswordReset, { email });
  await site.settle();
  await site.settle();
  const token = /token=(\S+)/u.exec(await ways.lastTo(email))?.[1] ?? '';
  await (await site.visitor()).call(resetPassword, { token, next: NEXT });
}
const changesPassword = (victim: Member) => victim.call(changePassword, { current: PASSWORD, next: NEXT });
/** Makes the account one that was opened with somebody else's address. */
async function unproven(victim: Member): Promise<void> {
  await site.tx((tx) =>
    sql`update accounts.people set address_proven_at = null where id = ${victim.id}`
      .execute(tx.sql())
  );
}

const byProvider = async (victim: Member, thief: Visitor): Promise<Act> => {
  await ways.linksProvider(victim);
  const query = await ways.cameBack(thief, 'log_in', `subject-${victim.id}`);
  return () => thief.call(finishProvider, { query });
};
const byPasskey = async (victim: Member, thief: Visitor): Promise<Act> => {
  const key = await ways.addsPasskey(victim);
  const { ticket, options } = await thief.call(beginPasskeyLogin, {});
  const credential = key.answers(options, ORIGIN, {});
  return () => thief.call(loginByPasskey, { ticket, credential });
};
const byProviderAndCode = async (victim: Member, thief: Visitor): Promise<Act> => {
  await ways.linksProvider(victim);
  const code = await ways.takesTwoSteps(victim);
  const query = await ways.cameBack(thief, 'log_in', `subject-${victim.id}`);
  expect(await thief.call(finishProvider, { query })).toMatchObject({ outcome: 'code' });
  return () => thief.call(enterByProvider, { code: code() });
};

const ENTRIES: readonly Entry[] = [
  {
    name: 'the password of before, then another one',
    act: async ({ username }, thief) => () => thief.call(login, { login: username, password: PASSWORD }),
    recovers: changesPassword,
  },
  {
    name: 'the password of before, then a reset',
    act: async ({ username }, thief) => () => thief.call(login, { login: username, password: PASSWORD }),
    recovers: resets,
  },
  { name: 'a passkey', act: byPasskey, from: 1 },
  {
    name: 'a passkey, then the first proof of the address',
    act: async (victim, thief) => {
      const act = await byPasskey(victim, thief);
      await unproven(victim);
      return act;
    },
    recovers: resets,
  },
  // The provider is asked after the first unit of work.
  { name: 'a provider', act: byProvider, from: 1 },
  {
    name: 'a provider, then the first proof of the address',
    act: async (victim, thief) => {
      const act = await byProvider(victim, thief);
      await unproven(victim);
      return act;
    },
    recovers: resets,
  },
  { name: 'a provider and a code', act: byProviderAndCode },
  {
    name: 'a provider and a code, then the first proof of the address',
    act: async (victim, thief) => {
      const act = await byProviderAndCode(victim, thief);
      await unproven(victim);
      return act;
    },
    recovers: resets,
  },
];

describe('a recovery overtakes a log-in by', () => {
  it.each(ENTRIES.map((entry) => [entry.name, entry] as const))('%s', async (_name, entry) => {
    const { act: prepare, recovers: takesBack = (victim) => victim.call(logoutEverywhere, {}) } = entry;
    for (let at = entry.from ?? 0; at < MOST_UNITS; at += 1) {
      const [victim, thief] = [await site.viewer(), await site.visitor()];
      const owner = await site.anotherTabOf(victim);
      const act = await prepare(victim, thief);
      const { hasHappened } = await overtaken(site, act, () => takesBack(owner), at);
      const { authenticated } = await thief.call(getAuthState, {});
      expect([at, authenticated]).toEqual([at, !hasHappened]);
      if (!hasHappened) {
        expect(at).toBeGreaterThan(entry.from ?? 0);
        return;
      }
      await site.passes(61_000);
    }
    throw new Error('it has more units of work than that');
  });
});

it('a switch to a linked account', async () => {
  for (let at = 0; at < MOST_UNITS; at += 1) {
    const [victim, thief] = [await site.viewer(), await site.viewer()];
    await thief.call(linkAccount, {
      login: victim.username,
      password: PASSWORD,
      own_password: PASSWORD,
    });
    const { hasHappened, isAnswered } = await overtaken(
      site,
      () => thief.call(switchAccount, { username: victim.username }),
      () => victim.call(logoutEverywhere, {}),
      at,
    );
    expect([at, isAnswered]).toEqual([at, !hasHappened]);
    if (!hasHappened) {
      expect(at).toBeGreaterThan(0);
      return;
    }
    await site.passes(61_000);
  }
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
