import { memoryAttendance } from '#platform/data/attendance.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { getContest } from '#product/browse/contract/likes.ts';
import { getFans } from '#product/fanclubs/contract.ts';
import { listPosts } from '#product/fanclubs/contract/posts.ts';
import { listFollowed } from '#product/messaging/contract.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { getTipRoom } from '#product/tips/contract/tools.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAudience } from './demo/audience.ts';
import { CLUBS, GOALS } from './demo/cast.ts';
import { seedEvening } from './demo/evening.ts';
import { seededRandom } from './demo/portraits.ts';
import { createSite, type Member, type TestSite } from './site.ts';

let site: TestSite;
let performers: Member[];
let fans: Member[];
beforeAll(async () => {
  site = await createSite();
  performers = await Promise.all(
    ['mara_lind', 'otto_brandt', 'willa_frost'].map((username) => site.performer({ username })),
  );
  fans = await Promise.all(Array.from({ length: 6 }, () => site.viewer()));
  await site.tx(async (tx) => {
    const people = await site.services.accounts.findMany(tx, [...performers, ...fans].map(({ id }) => id));
    const of = (members: readonly Member[]) => members.flatMap(({ id }) => people.get(id) ?? []);
    await seedEvening(site.services, tx, {
      performers: of(performers),
      live: new Set(['mara_lind', 'otto_brandt']),
      fans: of(fans),
    });
  });
  await site.settle();
});
afterAll(() => site.close());

describe('what an evening of the demo finds when it begins', () => {
  it('fans follow performers, and lists and counts know it', async () => {
    const follows = await Promise.all(fans.map((fan) => fan.call(listFollowed, {})));
    const named = follows.flatMap((follow) => follow.performers.map(({ username }) => username));
    expect(named.length).toBeGreaterThanOrEqual(fans.length);
    const counts = await site.tx((tx) =>
      site.services.messaging.followersOf(tx, performers.map(({ id }) => id))
    );
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(named.length);
  });

  it('likes make the boards of contests', async () => {
    const { places } = await (fans[0] as Member).call(getContest, { gender: 'girls', contest: 'sodastars' });
    expect(places.length).toBeGreaterThan(0);
    expect(places[0]?.likes).toBeGreaterThanOrEqual(places.at(-1)?.likes ?? 0);
  });

  it('performers collect for a goal, the first one of their list', async () => {
    const [title, target] = GOALS['mara_lind']?.[0] ?? [];
    const { goal } = await (fans[0] as Member).call(getTipRoom, { username: 'mara_lind' });
    expect(goal).toMatchObject({ title, target, progress: 0 });
  });

  it('some performers have a fan club, with prices and promises of their own', async () => {
    const fan = fans[0] as Member;
    const { profile } = await fan.call(getFans, { username: 'mara_lind', profile: '1' });
    expect(profile).toMatchObject({ enabled: true, description: CLUBS['mara_lind']?.description });
    expect(profile?.tiers.map(({ price, perks }) => [price, perks.length]))
      .toEqual([[80, 1], [200, 1], [400, 1]]);
    const { posts } = await fan.call(listPosts, { username: 'mara_lind' });
    expect(posts.map(({ audience, body }) => [audience, body])).toEqual(
      CLUBS['mara_lind']?.posts
        .toReversed().map(([audience, body]) => [audience, audience === 'everyone' ? body : null]),
    );
    expect((await fan.call(getFans, { username: 'otto_brandt', profile: '1' })).profile?.enabled).toBe(false);
  });

  it('who is away was live before, who goes live was not', async () => {
    const views = await site.tx((tx) => site.services.broadcast.viewsOf(tx, performers.map(({ id }) => id)));
    const ended = performers.map(({ id }) => views.get(id)?.lastOnlineAt ?? null);
    expect(ended.slice(0, 2)).toEqual([null, null]);
    expect(ended[2]?.getTime()).toBeLessThan(site.clock.now().getTime());
  });
});

describe('the audience of the demo', () => {
  const ROOMS = Array.from({ length: 24 }, (_, at) => 100 + at);
  const attendance = memoryAttendance();
  const clock = new VirtualClock();
  const countOf = (room: number) => attendance.countOf({ operatorId: 1, topic: roomTopic(room) });
  const total = () => ROOMS.reduce((sum, room) => sum + countOf(room), 0);
  const leave = startAudience({
    attendance,
    clock,
    operatorId: 1,
    rooms: ROOMS,
    members: [7, 8],
    random: seededRandom('audience'),
  });

  it('fills a few rooms and leaves a long tail, members among them', () => {
    expect(total()).toBe(622);
    expect(countOf(100)).toBeGreaterThan(120);
    const tail = ROOMS.slice(12).map(countOf);
    expect(Math.max(...tail)).toBeLessThan(30);
    expect(Math.min(...tail)).toBeGreaterThan(0);
    const present = ROOMS.flatMap((room) => attendance.attendees({ operatorId: 1, topic: roomTopic(room) }));
    const members = present.flatMap(({ personId }) => personId ?? []);
    expect(members.toSorted()).toEqual([7, 8]);
  });

  it('moves on, and goes home at the end', () => {
    const before = ROOMS.map(countOf);
    clock.advance(10 * MINUTE_MS);
    expect(ROOMS.map(countOf)).not.toEqual(before);
    expect(total()).toBe(622);
    leave();
    expect(total()).toBe(0);
    clock.advance(MINUTE_MS);
    expect(total()).toBe(0);
  });
});
