import type { OutputOf } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { saveBlockedRegions } from '#product/compliance/contract.ts';
import { getBalance, getHistory } from '#product/ledger/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getFans,
  getOwnClub,
  joinFanclub,
  listMembers,
  listMemberships,
  planMembership,
  saveOwnClub,
  type ClubView,
} from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const CLUB: ClubView = {
  enabled: true,
  description: 'Hello there.',
  prices: { supporter: 100, insider: 250, legend: 501 },
  perks: { supporter: ['A postcard'], insider: [], legend: ['A song of your own'] },
};
const key = (): { idempotencyKey: string } => ({ idempotencyKey: uuidV4() });
const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

async function clubOwner(club: Partial<ClubView> = {}): Promise<Member> {
  const performer = await site.performer();
  await performer.call(saveOwnClub, { ...CLUB, ...club });
  return performer;
}

/** Sum of tokens on an account, over all postings of one person or of the operator. */
async function sums(personId: number | null, account: string): Promise<number> {
  const { rows } = await site.tx((tx) =>
    sql<{ sum: number }>`select coalesce(sum(tokens), 0)::bigint as sum
    from ledger.postings where account = ${account}
    and person_id is not distinct from ${personId}`.execute(tx.sql())
  );
  return rows[0]?.sum ?? 0;
}

describe('a performer', () => {
  it('sells three tiers of a fan club at prices within limits, and closes it [A-017, B-316]', async () => {
    const performer = await site.performer();
    const { username } = performer;
    const viewer = await site.viewer({ tokens: 2_000 });
    const before = await performer.call(getOwnClub, {});
    expect(before.club)
      .toMatchObject({ enabled: false, prices: { supporter: 100, insider: 250, legend: 500 } });
    expect((await viewer.refused(joinFanclub, { username, level: 'supporter', price: 100 }, key())).errorType)
      .toBe('club_closed');
    await performer.call(saveOwnClub, CLUB);
    const { profile } = await viewer.call(getFans, { username, profile: '1' });
    expect(profile?.tiers.map(({ level, price }) => [level, price]))
      .toEqual([['supporter', 100], ['insider', 250], ['legend', 501]]);
    for (const level of ['supporter', 'insider', 'legend'] as const) {
      const fan = await site.viewer({ tokens: 600 });
      await fan.call(joinFanclub, { username, level, price: CLUB.prices[level] }, key());
      expect(await tokensOf(fan)).toBe(600 - CLUB.prices[level]);
    }
    expect((await performer.call(getOwnClub, {})).members).toEqual({ supporter: 1, insider: 1, legend: 1 });
    expect((await viewer.refused(joinFanclub, { username, level: 'gold', price: 900 }, key())).status)
      .toBe(422);
    for (const prices of [
      { supporter: 9, insider: 250, legend: 500 },
      { supporter: 100, insider: 250, legend: 10_001 },
    ]) expect((await performer.refused(saveOwnClub, { ...CLUB, prices })).status).toBe(422);
    const uneven = { supporter: 300, insider: 250, legend: 500 };
    expect((await performer.refused(saveOwnClub, { ...CLUB, prices: uneven })).errorType)
      .toBe('prices_uneven');
    await performer.call(saveOwnClub, { ...CLUB, enabled: false });
    expect((await viewer.call(getFans, { username, profile: '1' })).profile)
      .toMatchObject({ enabled: false, tiers: [], description: '' });
    expect((await viewer.refused(joinFanclub, { username, level: 'legend', price: 501 }, key())).errorType)
      .toBe('club_closed');
    expect(await tokensOf(viewer)).toBe(2_000);
    // Only a performer has a club.
    expect((await viewer.refused(saveOwnClub, CLUB)).status).toBe(403);
  });
});

describe('joining', () => {
  it('takes the tokens of a month, of which the performer gets 80% [A-461]', async () => {
    const performer = await clubOwner();
    const viewer = await site.viewer({ tokens: 600 });
    const fees = await sums(null, 'fees');
    const answer = await viewer.call(joinFanclub, {
      username: performer.username,
      level: 'legend',
      price: 501,
    }, key());
    expect(answer).toMatchObject({
      status: 1,
      charged: 501,
      tokens: 99,
      membership: { level: 'legend', state: 'active', renews: true },
    });
    // 80% of 501 is 400.8: whole tokens, rounded down.
    expect(await sums(performer.id, 'earnings')).toBe(400);
    expect(await sums(null, 'fees') - fees).toBe(101);
    const { lines } = await viewer.call(getHistory, {});
    expect(lines[0]).toMatchObject({
      kind: 'fanclub',
      tokens: -501,
      memo: { to: performer.username, title: 'legend', type: 'join' },
    });
    expect(await site.tx((tx) => site.services.fanclubs.levelOf(tx, viewer.id, performer.id))).toBe('legend');
  });

  it('names the club and the level in the current user [A-210, A-211]', async () => {
    const viewer = await site.viewer({ tokens: 1_000 });
    expect(await viewer.call(getCurrentUser, {}))
      .toMatchObject({ fanclub_membership_list: [], has_fans_subscription: false });
    const owners: Member[] = [];
    for (const level of ['supporter', 'insider', 'legend'] as const) {
      const performer = await clubOwner();
      owners.unshift(performer);
      await viewer.call(joinFanclub, { username: performer.username, level, price: 501 }, key());
    }
    const { fanclub_membership_list: list, has_fans_subscription: has, user } = await viewer.call(
      getCurrentUser,
      {},
    );
    expect(list).toEqual(
      owners.map(({ username }, at) => ({
        modelUsername: username,
        level: (['legend', 'insider', 'supporter'] as const)[at],
      })),
    );
    expect([has, user.modelFanClubList]).toEqual([true, owners.map(({ username }) => ({ username }))]);
    const { username } = await clubOwner();
    const gold = { username, level: 'gold' as never, price: 501 };
    expect((await viewer.refused(joinFanclub, gold, key())).status).toBe(422);
  });

  it('charges the site\'s price, whatever a client says of it', async () => {
    const { username, id } = await clubOwner();
    const viewer = await site.viewer({ tokens: 2_000 });
    // Less than the price is refused: an outdated page would send that.
    expect(await viewer.refused(joinFanclub, { username, level: 'insider', price: 1 }, key()))
      .toMatchObject({ status: 409, errorType: 'club_price_changed', price: 250 });
    expect((await viewer.refused(joinFanclub, { username, level: 'insider', price: -250 }, key())).status)
      .toBe(422);
    expect(await tokensOf(viewer)).toBe(2_000);
    // Agreeing to more than the price changes nothing.
    const { charged } = await viewer.call(joinFanclub, { username, level: 'insider', price: 2_000 }, key());
    expect([charged, await tokensOf(viewer), await sums(id, 'earnings')]).toEqual([250, 1_750, 200]);
  });

  it('twice at once charges once, with one key and with two', async () => {
    const { username, id } = await clubOwner();
    const viewer = await site.viewer({ tokens: 2_000 });
    const input = { username, level: 'insider', price: 250 } as const;
    const one = key();
    const same = await Promise.all([1, 2, 3].map(() => viewer.call(joinFanclub, input, one)));
    expect(new Set(same.map(({ charged }) => charged))).toEqual(new Set([250]));
    expect([await tokensOf(viewer), await sums(id, 'earnings')]).toEqual([1_750, 200]);
    expect((await viewer.refused(joinFanclub, { ...input, level: 'legend', price: 900 }, one)).errorType)
      .toBe('idempotency_key_reused');
    const other = await site.viewer({ tokens: 2_000 });
    const both = await Promise.allSettled([key(), key()].map((each) => other.call(joinFanclub, input, each)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await other.refused(joinFanclub, input, key())).errorType).toBe('already_member');
    expect([await tokensOf(other), await sums(id, 'earnings')]).toEqual([1_750, 400]);
    const up = await viewer.call(joinFanclub, { ...input, level: 'legend', price: 900 }, key());
    expect(up.charged).toBe(251);
  });

  it(
    'is refused to the performer, guests, who lacks tokens, who is banned, and where it is hidden',
    async () => {
      const performer = await clubOwner();
      const input = { username: performer.username, level: 'supporter', price: 100 } as const;
      expect((await performer.refused(joinFanclub, input, key())).errorType).toBe('own_club');
      const guest = await site.visitor({ ofAge: true });
      expect((await guest.refused(joinFanclub, input, key())).status).toBe(401);
      const poor = await site.viewer({ tokens: 99 });
      expect(await poor.refused(joinFanclub, input, key()))
        .toMatchObject({ status: 402, errorType: 'not_enough_tokens' });
      const banned = await site.viewer({ tokens: 500 });
      await performer.moderates('ban', banned);
      expect((await banned.refused(joinFanclub, input, key())).errorType).toBe('room_banned');
      expect((await banned.refused(getFans, { username: input.username })).errorType).toBe('room_banned');
      const blocked = await site.viewer({ tokens: 500, region: 'FR' });
      await performer.call(saveBlockedRegions, { regions: ['FR'] });
      await site.settle();
      expect((await blocked.refused(joinFanclub, input, key())).errorType).toMatch(/^room_/u);
      expect((await poor.refused(joinFanclub, { ...input, username: 'nobody' }, key())).errorType)
        .toBe('room_unknown');
      expect((await performer.call(listMembers, {})).members).toEqual([]);
      expect([await tokensOf(poor), await tokensOf(banned), await tokensOf(blocked)]).toEqual([99, 500, 500]);
    },
  );

  it('goes up at once for the price less what is left, and down with the next month', async () => {
    const { username } = await clubOwner();
    const viewer = await site.viewer({ tokens: 1_000 });
    const first = await viewer.call(joinFanclub, { username, level: 'supporter', price: 100 }, key());
    await site.passes(15 * 86_400_000);
    const { profile } = await viewer.call(getFans, { username, profile: '1' });
    expect(profile?.tiers.map(({ charge }) => charge)).toEqual([null, 200, 451]);
    const up = await viewer.call(joinFanclub, { username, level: 'insider', price: 200 }, key());
    expect(up).toMatchObject({ charged: 200, tokens: 700, membership: { level: 'insider' } });
    expect(new Date(up.membership.paid_until).getTime() - new Date(first.membership.paid_until).getTime())
      .toBe(15 * 86_400_000);
    expect((await viewer.refused(joinFanclub, { username, level: 'supporter', price: 100 }, key())).errorType)
      .toBe('already_member');
    const { id } = up.membership;
    expect((await viewer.refused(planMembership, { id, renews: true, level: 'legend' })).errorType)
      .toBe('level_not_paid');
    const { membership } = await viewer.call(planMembership, {
      id,
      renews: true,
      level: 'supporter',
      price: 100,
    });
    expect(membership).toMatchObject({ level: 'insider', next_level: 'supporter', renews: true });
    expect(await tokensOf(viewer)).toBe(700);
  });
});

describe('members', () => {
  it('are listed for their performer alone, and cancelled by themselves alone', async () => {
    const [own, other] = [await clubOwner(), await clubOwner()];
    const viewer = await site.viewer({ tokens: 500 });
    const { membership: { id } } = await viewer.call(joinFanclub, {
      username: own.username,
      level: 'insider',
      price: 250,
    }, key());
    const { members } = await own.call(listMembers, {});
    expect(members).toMatchObject([{ username: viewer.username, level: 'insider', state: 'active' }]);
    expect((await other.call(listMembers, {})).members).toEqual([]);
    expect((await own.call(listMembers, { level: 'legend' })).members).toEqual([]);
    expect((await viewer.refused(listMembers, {})).status).toBe(403);
    const stranger = await site.viewer();
    for (const one of [stranger, other, own]) {
      expect((await one.refused(planMembership, { id, renews: false })).errorType).toBe('membership_unknown');
    }
    // The public profile of the club has the number of members, but no names.
    const read = await stranger.call(getFans, { username: own.username, profile: '1' });
    expect(read).toMatchObject({ membership: null, profile: { member_count: 1 } });
    expect(JSON.stringify(read)).not.toContain(viewer.username);
    // A banned member can still cancel.
    await own.moderates('ban', viewer);
    await viewer.call(planMembership, { id, renews: false });
    expect((await viewer.call(listMemberships, {})).memberships)
      .toMatchObject([{ id, renews: false, username: own.username, state: 'active' }]);
  });

  it('read what they are in a club, and everybody its profile when they ask [C-256]', async () => {
    const performer = await clubOwner();
    const { username } = performer;
    await performer.call(updateProfile, { display_name: 'Ivy of the Rain' });
    const viewer = await site.viewer({ tokens: 500 });
    const guest = await site.visitor({ ofAge: true });
    expect(await guest.call(getFans, { username })).toEqual({ username, membership: null, profile: null });
    const read = await guest.request({ method: 'GET', url: `/api/v1/chat/${username}/fans?profile=1` });
    const asGuest = read.json<OutputOf<typeof getFans>>();
    expect(asGuest).toEqual({
      username,
      membership: null,
      profile: {
        display_name: 'Ivy of the Rain',
        enabled: true,
        description: 'Hello there.',
        member_count: 0,
        tiers: [
          {
            level: 'supporter',
            price: 100,
            perks: ['A postcard'],
            discount_percent: 0,
            free_spy: false,
            charge: 100,
          },
          { level: 'insider', price: 250, perks: [], discount_percent: 10, free_spy: true, charge: 250 },
          {
            level: 'legend',
            price: 501,
            perks: ['A song of your own'],
            discount_percent: 25,
            free_spy: true,
            charge: 501,
          },
        ],
      },
    });
    await viewer.call(joinFanclub, { username, level: 'insider', price: 250 }, key());
    const own = await viewer.call(getFans, { username, profile: '1' });
    expect(own.username).toBe(username);
    const since = site.clock.now();
    expect(own.membership).toEqual({
      id: expect.any(Number),
      level: 'insider',
      state: 'active',
      price: 250,
      since: since.toISOString(),
      paid_until: new Date(since.getTime() + 30 * DAY_MS).toISOString(),
      renews: true,
      next_level: null,
      next_price: null,
      grace_until: null,
    });
    expect(own.profile).toMatchObject({ member_count: 1, tiers: [{ charge: null }, { charge: null }, {}] });
    expect(
      (await performer.call(getFans, { username, profile: '1' })).profile?.tiers
        .every(({ charge }) => charge === null),
    ).toBe(true);
    expect((await guest.refused(getFans, { username, profile: '2' })).status).toBe(422);
  });
});
