/** What an intruder has confirmed is asked about again once the owner takes the account back. */
import { MINUTE_MS } from '#platform/time/units.ts';
import { openWaysIn, PASSWORD, type WaysIn } from '#product/testkit/people/ways-in.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  changePassword,
  getCurrentUser,
  login,
  logoutEverywhere,
  requestPasswordReset,
  resetPassword,
} from './contract.ts';
import { confirmWaysIn, getWaysInCheck } from './contract/life/ways-in.ts';

const NEXT = 'eleven blue tortoises';
let site: TestSite;
let ways: WaysIn;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ site, ways, close } = await openWaysIn());
});
afterAll(() => close());

const comesByProvider = async (subject: string): Promise<string> =>
  ways.comesBack(await site.visitor(), 'log_in', subject);

/** How an account is taken back, and the password afterwards. */
const RECOVERIES: readonly (readonly [string, (owner: Member) => Promise<string>])[] = [
  ['a new password', async (owner) => {
    await owner.call(changePassword, { current: PASSWORD, next: NEXT });
    return NEXT;
  }],
  ['a reset', async ({ person: { email } }) => {
    await (await site.visitor()).call(requestPasswordReset, { email });
    await site.settle();
    await site.settle();
    const token = /token=(\S+)/u.exec(await ways.lastTo(email))?.[1] ?? '';
    await (await site.visitor()).call(resetPassword, { token, next: NEXT });
    return NEXT;
  }],
  ['a log-out everywhere', async (owner) => {
    await owner.call(logoutEverywhere, {});
    return PASSWORD;
  }],
];

it.each(RECOVERIES)(
  '%s asks about ways in that an intruder confirmed after a recovery of their own',
  async (_name, recovers) => {
    const owner = await site.viewer();
    await site.passes(MINUTE_MS);
    const intruder = await site.memberOf(owner.username);
    const key = await ways.addsPasskey(intruder);
    await ways.linksProvider(intruder);
    await intruder.call(logoutEverywhere, {});
    await site.passes(MINUTE_MS);
    const again = await site.memberOf(owner.username);
    await again.call(confirmWaysIn, {});
    expect([await ways.entersByPasskey(key), await comesByProvider(`subject-${owner.id}`)])
      .toEqual(['in', 'logged_in']);
    await site.passes(MINUTE_MS);
    const password = await recovers(await site.memberOf(owner.username));
    await site.passes(1_000);
    const back = await site.visitor();
    await back.call(login, { login: owner.username, password }).catch(async () => {
      const [code] = await site.loginCodesOf(owner.person.email);
      await back.call(login, { login: owner.username, password, code });
    });
    await back.opens();
    expect((await back.call(getCurrentUser, {})).user.ways_in_to_check).toBe(true);
    const { ways_in: shown } = await back.call(getWaysInCheck, {});
    expect(shown.map(({ kind }) => kind).toSorted()).toEqual(['passkey', 'provider']);
    expect([await ways.entersByPasskey(key), await comesByProvider(`subject-${owner.id}`)])
      .toEqual(['way_in_unchecked', 'way_in_unchecked']);
  },
);
