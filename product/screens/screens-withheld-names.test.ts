/** A role that waits for its second step loses the badge, and with it the name that only staff may have. */
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { getPerson } from '#product/accounts/contract/life/people.ts';
import { beginTwoFactor, confirmTwoFactor } from '#product/accounts/contract/two-factor.ts';
import { getBio } from '#product/browse/contract/search.ts';
import { ignorePerson, listIgnored } from '#product/messaging/contract/ignores.ts';
import { chatHistory, getRoom } from '#product/rooms/contract.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** The host of the operator's other site; the first site's is in the testkit. */
const LAGOON = 'lagoon.example';
let site: TestSite;
let chief: Member;
beforeAll(async () => {
  site = await createSite();
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon',
    sitecode: 'lagoon',
    hosts: [LAGOON],
    isWhitelabel: true,
  });
  site.data.start();
  chief = await site.admin();
  await setsUp(chief);
});
afterAll(() => site.close());

/** Sets up the second step of somebody's log-in. */
async function setsUp(who: Member): Promise<void> {
  const { secret } = await who.call(beginTwoFactor, { password: 'correct horse battery' });
  const code = generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
  await who.call(confirmTwoFactor, { code });
}

const called = async (who: Member, display_name: string): Promise<Member> => {
  await who.call(updateProfile, { display_name });
  return who;
};

/** How the reader sees these names in the chat's history, and in their list of ignored people. */
async function namesTo(reader: Member, performer: Member): Promise<readonly (readonly string[])[]> {
  const { messages } = await (await reader.joins(performer)).waitFor(chatHistory);
  const { people } = await reader.call(listIgnored, {});
  return [
    messages.map(({ display_name: name }) => name),
    people.map(({ displayName: name }) => name).toReversed(),
  ];
}

it('shows the username in its place, and the name again once the second step is there', async () => {
  const performer = await called(await site.performer({ roles: ['site_mod'], live: true }), 'Candela Team');
  const [mod, plain, helper, reader] = [
    await called(await site.viewer({ roles: ['site_mod'] }), 'Support ✓'),
    await called(await site.viewer({ roles: ['site_mod'] }), 'Ana Lune'),
    await called(await site.viewer({ roles: ['admin'], username: 'candela-help' }), 'Moderator'),
    await site.viewer(),
  ];
  for (const who of [mod, plain, helper]) {
    await site.says(await who.joins(performer), `hello of ${who.username}`);
    await reader.call(ignorePerson, { username: who.username });
  }
  const { username } = performer;
  const performerTo = async (who: Member): Promise<readonly string[]> => [
    (await who.call(getRoom, { username })).user.displayName,
    (await who.call(getBio, { username })).performer.displayName,
  ];
  await chief.call(changeOperatorRules, { require_two_factor: true, reason: 'the insurer asks for it' });
  const full = ['Support ✓', 'Ana Lune', 'Moderator'];
  expect(await namesTo(reader, performer)).toEqual([full, full]);
  expect(await performerTo(reader)).toEqual(['Candela Team', 'Candela Team']);
  await site.passes(7 * DAY_MS);

  const now = await site.memberOf(reader.username);
  const bare = [mod.username, 'Ana Lune', `member-${helper.id}`];
  expect(await namesTo(now, performer)).toEqual([bare, bare]);
  expect(await performerTo(now)).toEqual([username, username]);
  const back = await site.memberOf(mod.username);
  // The stored name is not lost: its owner and admins can read it.
  expect((await back.call(getCurrentUser, {})).user.display_name).toBe('Support ✓');
  expect((await chief.call(getPerson, { username: mod.username })).display_name).toBe('Support ✓');
  await setsUp(back);
  expect((await namesTo(now, performer))[1]).toEqual(['Support ✓', 'Ana Lune', `member-${helper.id}`]);
});

it.each([
  ['localhost', 'Lagoon', 'lagoon-crew'],
  [LAGOON, 'Candela', 'candela-crew'],
])('shows at %s no name of the operator’s other site', async (host, shown, held) => {
  const performer = await called(await site.performer({ roles: ['site_mod'], live: true }), shown);
  const [mod, helper] = [
    await called(await site.viewer({ roles: ['site_mod'] }), shown),
    await called(await site.viewer({ roles: ['site_mod'], username: held }), `${shown} Team`),
  ];
  for (const who of [mod, helper]) await site.says(await who.joins(performer), `hello of ${who.username}`);
  await chief.call(changeOperatorRules, { require_two_factor: false, reason: 'a new start' });
  await chief.call(changeOperatorRules, { require_two_factor: true, reason: 'the insurer asks for it' });
  const names = async (): Promise<readonly string[]> => {
    const reader = await site.viewer({ host });
    const { messages } = await (await reader.joins(performer)).waitFor(chatHistory);
    const { user } = await reader.call(getRoom, { username: performer.username });
    return [user.displayName, ...messages.map(({ display_name: name }) => name)];
  };
  expect(await names()).toEqual([shown, shown, `${shown} Team`]);
  await site.passes(7 * DAY_MS);
  expect(await names()).toEqual([performer.username, mod.username, `member-${helper.id}`]);
});
