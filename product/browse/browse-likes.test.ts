import { DAY_MS } from '#platform/time/units.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { DEMO_LISTING_NAMES } from '#product/testkit/demo/cast.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getContest,
  getLikes,
  giveLike,
  listContests,
  type ContestView,
  type LikesView,
} from './contract/likes.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await site.tx((tx) => site.services.site.nameListings(tx, site.scope.siteId, DEMO_LISTING_NAMES));
});
afterAll(() => site.close());

const likes = (who: Member, whom: Member): Promise<unknown> =>
  who.call(giveLike, { username: whom.username });
const board = async (who: Visitor): Promise<LikesView> => who.call(getLikes, {});
const names = ({ leaderboard }: Pick<LikesView, 'leaderboard'>): string[] =>
  leaderboard.map(({ username }) => username);
/** Moves the clock to the first day of the next month. */
async function nextMonth(): Promise<void> {
  const now = site.clock.now();
  const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12);
  await site.passes(first - now.getTime());
}
/** Performers whom the listings know. */
async function performers(count: number, where: TestSite = site): Promise<Member[]> {
  const made: Member[] = [];
  for (let more = 0; more < count; more += 1) made.push(await where.performer());
  await where.settle();
  return made;
}
async function fans(count: number): Promise<Member[]> {
  const members: Member[] = [];
  for (let more = 0; more < count; more += 1) members.push(await site.viewer());
  return members;
}

describe('likes', () => {
  it('make a board with past winners and one’s own count and position [B-174] [B-330]', async () => {
    const [first] = await performers(1) as [Member];
    const second = await site.performer({ live: true });
    const [one, two] = await fans(2) as [Member, Member];
    // The loser received likes first.
    await likes(one, second);
    for (const fan of [one, two]) await likes(fan, first);
    await nextMonth();
    const [ann, ben, cid] = await fans(3) as [Member, Member, Member];
    for (const fan of [ann, ben, cid]) await likes(fan, second);
    await likes(ann, first);
    const { month: current, ...shown } = await board(ann);
    expect(current).toBe(site.clock.now().toISOString().slice(0, 7));
    const card = {
      thumbUrl: null,
      refererCount: null,
      userMediaTopList: [],
    };
    const [firstCard, secondCard] = [first, second].map(({ id, username, person }) => ({
      ...card,
      id,
      username,
      displayName: person.displayName,
    }));
    expect(shown.leaderboard).toEqual([
      { ...secondCard, status: 'online', position: 1, likes: 3, isLiked: true },
      { ...firstCard, status: 'offline', position: 2, likes: 1, isLiked: true },
    ]);
    const before = new Date(site.clock.now().getTime() - 15 * DAY_MS).toISOString().slice(0, 7);
    expect(shown.past_winners).toEqual([{ ...firstCard, status: 'offline', month: before, likes: 2 }]);
    expect([shown.user_like_count, shown.user_position]).toEqual([2, null]);
    // Likes of last month do not count this month.
    expect((await board(one)).user_like_count).toBe(0);
    const own = await board(await site.anotherTabOf(first));
    expect([own.user_like_count, own.user_position]).toEqual([1, 2]);
    const none = await board((await performers(1))[0] as Member);
    expect([none.user_like_count, none.user_position]).toEqual([0, null]);
    const guest = await board(await site.visitor({ ofAge: true }));
    expect(names(guest)).toEqual([second.username, first.username]);
    expect([guest.user_like_count, guest.user_position]).toEqual([null, null]);
    expect(guest.leaderboard.every(({ isLiked }) => !isLiked)).toBe(true);
  });

  it('are given once a day to each performer, never to oneself, by members alone', async () => {
    await nextMonth();
    const [performer] = await performers(1) as [Member];
    const [fan] = await fans(1) as [Member];
    expect(await fan.call(giveLike, { username: performer.username.toUpperCase() }))
      .toEqual({ username: performer.username, likes: 1 });
    expect(await fan.refused(giveLike, { username: performer.username }))
      .toMatchObject({ status: 409, errorType: 'liked_today' });
    expect(await performer.refused(giveLike, { username: performer.username }))
      .toMatchObject({ status: 403, errorType: 'own_like' });
    const guest = await site.visitor({ ofAge: true });
    expect(await guest.refused(giveLike, { username: performer.username })).toMatchObject({ status: 401 });
    expect(await fan.refused(giveLike, { username: fan.username }))
      .toMatchObject({ status: 404, errorType: 'like_target_unknown' });
    await site.passes(DAY_MS);
    expect(await fan.call(giveLike, { username: performer.username })).toMatchObject({ likes: 2 });
    expect((await board(fan)).user_like_count).toBe(2);
  });

  it('are at most fifty a day, also when they come at the same time', async () => {
    const [fan] = await fans(1) as [Member];
    const all = await performers(52);
    for (const performer of all.slice(0, 49)) await likes(fan, performer);
    const last = all.slice(49, 51);
    const tries = await Promise.allSettled(last.map((performer) => likes(fan, performer)));
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await fan.refused(giveLike, { username: all[51]?.username }))
      .toMatchObject({ status: 429, errorType: 'likes_used_up' });
  });

  it('show nobody whom a viewer may not perceive, and leave no gap where they would be', async () => {
    await nextMonth();
    const [suspended, hidden, blocked, shown] = await performers(4) as [Member, Member, Member, Member];
    const [ann, ben] = await fans(2) as [Member, Member];
    for (const performer of [suspended, hidden, blocked]) {
      await likes(ann, performer);
      await likes(ben, performer);
    }
    await likes(ann, shown);
    const { accounts, compliance } = site.services;
    await ben.call(hidePerformer, { username: hidden.username });
    await site.tx((tx) => compliance.blockRegions(tx, blocked.id, ['BR']));
    await site.tx((tx) =>
      accounts.suspend(tx, suspended.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    await site.settle();
    const seen = (await board(ben)).leaderboard.map(({ username, position }) => [username, position]);
    expect(seen).toEqual([[blocked.username, 1], [shown.username, 2]]);
    const brazilian = await site.visitor({ region: 'BR', ofAge: true });
    expect(names(await board(brazilian))).not.toContain(blocked.username);
    expect(names(await board(await site.visitor()))).toEqual([]);
    expect(await ben.refused(giveLike, { username: suspended.username }))
      .toMatchObject({ errorType: 'like_target_unknown' });
    await nextMonth();
    expect((await board(await site.visitor({ ofAge: true }))).past_winners.map(({ username }) => username))
      .not.toContain(suspended.username);
  });
});

describe('contests', () => {
  const contest = (who: Visitor, input: object = {}): Promise<ContestView> =>
    who.call(getContest, { gender: 'girls', contest: 'sodastars', ...input });
  const placed = ({ places }: ContestView): (readonly [string, number, number])[] =>
    places.map(({ username, position, likes: count }) => [username, position, count]);

  it('have boards of this month, of thirty days and of all time [B-043]', async () => {
    const own = await createSite();
    try {
      const [woman, old, man] = [
        await own.performer({ gender: 'c' }),
        await own.performer({ gender: 'c' }),
        await own.performer({ gender: 'm' }),
      ];
      await own.settle();
      const fan = await own.viewer();
      await likes(fan, old);
      await own.passes(40 * DAY_MS);
      await likes(await own.anotherTabOf(fan), man);
      const again = await own.anotherTabOf(fan);
      await likes(again, woman);
      // The pass of the entry gate would expire when the clock jumps.
      const of = async (wanted?: 'month' | 'top2000' | '30days', gender = 'couples') =>
        placed(
          await contest(
            await own.visitor({ ofAge: true }),
            { gender, ...(wanted ? { board: wanted } : {}) },
          ),
        );
      expect(await of()).toEqual([[woman.username, 1, 1]]);
      expect(await of('30days')).toEqual([[woman.username, 1, 1]]);
      expect(await of('top2000')).toEqual([[old.username, 1, 1], [woman.username, 2, 1]]);
      await own.passes(29 * DAY_MS);
      expect(await of('30days')).toEqual([[woman.username, 1, 1]]);
      await own.passes(DAY_MS);
      expect(await of('30days')).toEqual([]);
      expect(await of('top2000', 'men')).toEqual([[man.username, 1, 1]]);
      expect(await of('top2000')).toHaveLength(2);
    } finally {
      await own.close();
    }
  });

  it('are of exactly girls, couples, men and trans [B-044]', async () => {
    const guest = await site.visitor({ ofAge: true });
    for (const gender of ['girls', 'couples', 'men', 'trans']) {
      for (const more of [{}, { board: 'top2000' }, { board: '30days' }]) {
        expect(await contest(guest, { gender, ...more }))
          .toMatchObject({ slug: 'sodastars', title: 'Sodastars' });
      }
    }
    for (const gender of ['girl', 'women', 'f', 'all', 'Girls', 'constructor']) {
      for (const more of [{}, { board: 'top2000' }, { board: '30days' }]) {
        expect(await guest.refused(getContest, { gender, contest: 'sodastars', ...more }))
          .toMatchObject({ status: 404, errorType: 'contest_unknown' });
      }
    }
    expect(await guest.refused(getContest, { gender: 'girls', contest: 'nothing' }))
      .toMatchObject({ status: 404, errorType: 'contest_unknown' });
    expect(await guest.call(listContests, {}))
      .toEqual({ contests: [{ slug: 'sodastars', title: 'Sodastars' }] });
  });

  it('are called by what they are where the site names nothing', async () => {
    const fresh = await createSite();
    const guest = await fresh.visitor({ ofAge: true });
    expect(await guest.call(listContests, {}))
      .toEqual({ contests: [{ slug: 'sodastars', title: 'Monthly stars' }] });
    expect(await contest(guest, { gender: 'girls' })).toMatchObject({ title: 'Monthly stars' });
    await fresh.close();
  });
});
