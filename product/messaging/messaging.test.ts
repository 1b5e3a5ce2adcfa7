import { DAY_MS } from '#platform/time/units.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { crowd } from '#product/testkit/store/crowd.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  countNewFollowers,
  follow,
  hidePerformer,
  listFollowed,
  listHidden,
  messagingPart,
  relationChanged,
  unfollow,
  unhidePerformer,
} from './contract.ts';
import {
  getIgnoredNames,
  ignoreChanged,
  ignorePerson,
  listIgnored,
  unignorePerson,
} from './contract/ignores.ts';
import { IGNORES_PAGE, MAX_IGNORES } from './rules/ignores.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const namesIn = ({ performers }: { readonly performers: readonly { readonly username: string }[] }) =>
  performers.map(({ username }) => username);
/** A listing, which a later slice serves. */
const listing = async (who: Member, path: string) =>
  (await who.request({ url: `/api/v1/browse/react/${path}` })).json<{
    readonly userList: readonly { readonly username: string; readonly followers: number }[];
    readonly totalCount: number;
  }>();
const codeOf = (problem: { readonly errorType: string }): string => problem.errorType;
const roomOf = async (who: Member, { username }: Member) => {
  await site.settle();
  return who.call(getRoom, { username });
};
const followersOf = async (who: Member, performer: Member) =>
  readPart(await roomOf(who, performer), messagingPart).user.follower;
/** Hides a performer in Brazil, or in other regions. */
const blocks = async ({ id }: Member, regions: readonly string[] = ['BR']): Promise<void> => {
  await site.tx((tx) => site.services.compliance.blockRegions(tx, id, regions));
  await site.settle();
};
const brazilian = async (): Promise<Member> => {
  const viewer = await site.viewer({ region: 'BR' });
  await viewer.call(declareAge, { of_age: true });
  return viewer;
};

describe('following', () => {
  it('counts once, stays until it is ended, and is each person’s own', async () => {
    const performer = await site.performer({ live: true });
    const [ann, ben] = [await site.viewer(), await site.viewer()];
    const { username } = performer;
    const answer = { status: 1, username, is_following: true, is_hidden: false };
    expect(await ann.call(follow, { username }))
      .toEqual({ ...answer, follower: { countRecent: 1, countTotal: 1 } });
    // Following again changes nothing, in other spelling or from two tabs at once.
    expect(await ann.call(follow, { username: username.toUpperCase() }))
      .toEqual({ ...answer, follower: { countRecent: 1, countTotal: 1 } });
    const tab = await site.anotherTabOf(ben);
    await Promise.all([ben.call(follow, { username }), tab.call(follow, { username })]);
    expect(await roomOf(ann, performer)).toMatchObject({
      user: { follower: { countRecent: 2, countTotal: 2 } },
      auth: { isFollowing: true, isHidden: false },
    });
    expect(await roomOf(performer, performer)).toMatchObject({ auth: { isFollowing: false } });
    expect(await ann.call(unfollow, { username })).toMatchObject({
      is_following: false,
      follower: { countRecent: 1, countTotal: 1 },
    });
    expect(await ann.call(unfollow, { username })).toMatchObject({ follower: { countTotal: 1 } });
    expect(namesIn(await ben.call(listFollowed, {}))).toEqual([username]);
    expect(namesIn(await ann.call(listFollowed, {}))).toEqual([]);
  });

  it('counts as recent for 30 days', async () => {
    const performer = await site.performer({ live: true });
    const ann = await site.viewer();
    await ann.call(follow, { username: performer.username });
    const ids = await crowd(site, 2, 'early');
    await site.tx(async (tx) => {
      for (const [nth, id] of ids.entries()) {
        const at = new Date(tx.now.getTime() - 30 * DAY_MS + nth * 60_000);
        await sql`insert into messaging.follows (viewer_id, performer_id, created_at)
          values (${id}, ${performer.id}, ${at}::timestamptz)`.execute(tx.sql<object>());
      }
      await sql`update messaging.follower_counts set followers = 3 where performer_id = ${performer.id}`
        .execute(tx.sql<object>());
    });
    expect(await followersOf(ann, performer)).toEqual({ countRecent: 2, countTotal: 3 });
  });

  it('reaches listings, the other tabs in the room, and later slices', async () => {
    const performer = await site.performer({ live: true });
    const ann = await site.viewer();
    const { username } = performer;
    const tab = await ann.joins(performer);
    const stranger = await (await site.viewer()).joins(performer);
    await ann.call(follow, { username });
    expect(await tab.waitFor(relationChanged)).toEqual({
      is_following: true,
      is_hidden: false,
      follower: { countRecent: 1, countTotal: 1 },
    });
    await site.settle();
    const listed = async () =>
      (await listing(ann, '')).userList
        .find((item) => item.username === username)?.followers;
    expect(await listed()).toBe(1);
    expect((await listing(ann, 'followed')).userList.map((item) => item.username))
      .toEqual([username]);
    await ann.call(unfollow, { username });
    await tab.waitFor(relationChanged, ({ is_following: isFollowing }) => !isFollowing);
    await site.settle();
    expect(await listed()).toBe(0);
    expect((await listing(ann, 'followed')).totalCount).toBe(0);
    expect(stranger.received(relationChanged)).toEqual([]);
  });

  it('is refused of oneself, of nobody, by a ban and by the performer', async () => {
    const performer = await site.performer({ live: true });
    const ann = await site.viewer();
    const { username } = performer;
    expect(codeOf(await performer.refused(follow, { username }))).toBe('own_relation');
    for (const nobody of ['nobody', ann.username, '%20']) {
      expect(codeOf(await ann.refused(follow, { username: nobody }))).toBe('performer_unknown');
    }
    await performer.call(saveRoomSettings, { username, followEnabled: false });
    expect(codeOf(await ann.refused(follow, { username }))).toBe('follow_disabled');
    await performer.call(saveRoomSettings, { username, followEnabled: true });
    await performer.moderates('ban', ann);
    await site.settle();
    expect(codeOf(await ann.refused(follow, { username }))).toBe('room_banned');
    expect(namesIn(await ann.call(listFollowed, {}))).toEqual([]);
    const lists = await site.tx((tx) => site.services.messaging.followersOf(tx, [performer.id]));
    expect(lists.size).toBe(0);
  });

  it('is refused of whom this viewer may not perceive as of nobody, and can still be ended', async () => {
    const [hidden, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const [ann, ben] = [await site.viewer(), await site.viewer()];
    for (const { username } of [hidden, other]) await ann.call(follow, { username });
    await ann.call(hidePerformer, { username: (await site.performer()).username });
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, hidden.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    await site.settle();
    const { username } = hidden;
    const nobody = await ben.refused(follow, { username: 'nobody' });
    const { reference: _one, ...expected } = nobody;
    for (const call of [follow, unfollow, hidePerformer, unhidePerformer]) {
      const { reference: _two, ...refused } = await ben.refused(call, { username });
      expect(refused).toEqual(expected);
    }
    // The performer is gone from the list, without counts, but the follow can be ended.
    expect(namesIn(await ann.call(listFollowed, {}))).toEqual([other.username]);
    expect(await ann.call(unfollow, { username })).toEqual({
      status: 1,
      username,
      is_following: false,
      is_hidden: false,
      follower: { countRecent: 0, countTotal: 0 },
    });
    expect(codeOf(await ann.refused(unfollow, { username }))).toBe('performer_unknown');
  });

  it('needs a log-in, as every list does', async () => {
    const { username } = await site.performer({ live: true });
    const guest = await site.visitor({ ofAge: true });
    for (const call of [follow, unfollow, hidePerformer, unhidePerformer]) {
      expect((await guest.refused(call, { username })).status).toBe(401);
    }
    for (const call of [listFollowed, listHidden]) expect((await guest.refused(call, {})).status).toBe(401);
  });

  it('lists by 50, newest first', async () => {
    const ann = await site.viewer();
    const ids = await crowd(site, 55, 'paged');
    await site.tx((tx) =>
      sql`
      insert into messaging.follows (viewer_id, performer_id, created_at)
      select ${ann.id}, id, ${tx.now}::timestamptz from unnest(${ids}::bigint[]) as p(id)`
        .execute(tx.sql<object>())
    );
    const first = await ann.call(listFollowed, {});
    const second = await ann.call(listFollowed, { before: Number(first.next) });
    // None of them is cleared, so none may be shown: the pages are there, and empty.
    expect([first.performers, second.performers, second.next]).toEqual([[], [], null]);
    const seen = await Promise.all([site.performer(), site.performer(), site.performer()]);
    for (const { username } of seen) await ann.call(follow, { username });
    const after = await ann.call(listFollowed, {});
    expect(namesIn(after)).toEqual(seen.map(({ username }) => username).reverse());
    expect(after.next).toBeGreaterThan(Number(first.next));
  });

  it('ends at 5,000, and hiding at 2,000', async () => {
    const [ann, performer] = [await site.viewer(), await site.performer()];
    const { username } = performer;
    const ids = await crowd(site, 5_000, 'many');
    const fill = (table: string, count: number) =>
      site.tx((tx) =>
        sql`
      insert into ${sql.table(table)} (viewer_id, performer_id, created_at)
      select ${ann.id}, id, ${tx.now}::timestamptz from unnest(${ids.slice(0, count)}::bigint[]) as p(id)`
          .execute(tx.sql<object>())
      );
    await fill('messaging.follows', 5_000);
    await fill('messaging.hides', 2_000);
    expect(codeOf(await ann.refused(follow, { username }))).toBe('too_many_followed');
    expect(codeOf(await ann.refused(hidePerformer, { username }))).toBe('too_many_hidden');
    await site.tx((tx) =>
      sql`delete from messaging.follows where performer_id = ${ids[0]}`
        .execute(tx.sql<object>())
    );
    expect(await ann.call(follow, { username })).toMatchObject({ is_following: true });
  });
});

describe('hiding', () => {
  it('takes a performer out of all listings of this viewer, counts included, of nobody else', async () => {
    const performer = await site.performer({ live: true, gender: 't' });
    const [ann, ben] = [await site.viewer(), await site.viewer()];
    const { username } = performer;
    const trans = async (who: Member) => {
      await site.settle();
      const { userList, totalCount } = await listing(who, 'trans');
      return [userList.map((item) => item.username), totalCount];
    };
    expect(await trans(ann)).toEqual([[username], 1]);
    await ann.call(follow, { username });
    expect(await ann.call(hidePerformer, { username })).toEqual({
      status: 1,
      username,
      is_following: false,
      is_hidden: true,
      follower: { countRecent: 0, countTotal: 0 },
    });
    await ann.call(hidePerformer, { username });
    expect([await trans(ann), await trans(ben)]).toEqual([[[], 0], [[username], 1]]);
    expect((await listing(ann, 'followed')).totalCount).toBe(0);
    expect(namesIn(await ann.call(listHidden, {}))).toEqual([username]);
    expect(namesIn(await ben.call(listHidden, {}))).toEqual([]);
    // The room itself stays open to viewers who have its URL.
    expect(await roomOf(ann, performer)).toMatchObject({ auth: { isHidden: true, isFollowing: false } });
    // Another viewer cannot undo it.
    await ben.call(unhidePerformer, { username });
    expect(await trans(ann)).toEqual([[], 0]);
    expect(await ann.call(unhidePerformer, { username })).toMatchObject({ is_hidden: false });
    expect(await trans(ann)).toEqual([[username], 1]);
    // Following a hidden performer shows them again.
    await ann.call(hidePerformer, { username });
    await ann.call(follow, { username });
    expect(namesIn(await ann.call(listHidden, {}))).toEqual([]);
    expect(await trans(ann)).toEqual([[username], 1]);
    expect(codeOf(await performer.refused(hidePerformer, { username }))).toBe('own_relation');
  });

  it('lists nobody whom the viewer may not perceive now', async () => {
    const performer = await site.performer({ live: true });
    const ann = await brazilian();
    const { username } = performer;
    await ann.call(hidePerformer, { username });
    await blocks(performer);
    expect(namesIn(await ann.call(listHidden, {}))).toEqual([]);
    await blocks(performer, []);
    expect(namesIn(await ann.call(listHidden, {}))).toEqual([username]);
  });
});

describe('ignoring', () => {
  it('is one’s own, once, paged, and known to nobody else', async () => {
    const [reader, loud, performer] = [await site.viewer(), await site.viewer(), await site.performer()];
    const { username } = loud;
    const theirs = await loud.joins(await site.performer({ live: true }));
    for (const _again of [1, 2]) {
      expect(await reader.call(ignorePerson, { username })).toEqual({ username, is_ignored: true });
    }
    await reader.call(ignorePerson, { username: performer.username });
    await site.settle();
    expect((await reader.call(getIgnoredNames, {})).usernames.toSorted())
      .toEqual([username, performer.username].toSorted());
    expect((await reader.call(listIgnored, {})).people.map((person) => person.username))
      .toEqual([performer.username, username]);
    for (const other of [loud, performer]) {
      expect(await other.call(getIgnoredNames, {})).toEqual({ usernames: [] });
    }
    expect(theirs.received(ignoreChanged)).toEqual([]);
    expect(await reader.call(unignorePerson, { username })).toEqual({ username, is_ignored: false });
    expect((await reader.call(getIgnoredNames, {})).usernames).toEqual([performer.username]);
    expect(codeOf(await reader.refused(ignorePerson, { username: reader.username }))).toBe('own_ignore');
    const hidden = await site.performer({ cleared: false });
    for (const name of [hidden.username, 'nobody_here']) {
      expect(codeOf(await reader.refused(ignorePerson, { username: name }))).toBe('ignore_unknown');
      expect(codeOf(await reader.refused(unignorePerson, { username: name }))).toBe('ignore_unknown');
    }
    expect((await (await site.visitor()).refused(ignorePerson, { username })).status).toBe(401);
  });

  it('ends at a limit, and is read in pages', async () => {
    const reader = await site.viewer();
    const ids = await crowd(site, MAX_IGNORES, 'noise');
    await site.tx((tx) =>
      sql`insert into messaging.ignores (person_id, ignored_id, created_at)
      select ${reader.id}, id, ${tx.now} from unnest(${[...ids]}::bigint[]) as id`.execute(tx.sql())
    );
    const { username } = await site.viewer();
    expect(codeOf(await reader.refused(ignorePerson, { username }))).toBe('too_many_ignored');
    const first = await reader.call(listIgnored, {});
    expect(first.people).toHaveLength(IGNORES_PAGE);
    const second = await reader.call(listIgnored, { before: first.next ?? 0 });
    const names = [...first.people, ...second.people].map((person) => person.username);
    expect(new Set(names).size).toBe(2 * IGNORES_PAGE);
  });
});

describe('what later slices ask', () => {
  it('is whom somebody follows and hides, and how many follow', async () => {
    const performer = await site.performer({ live: true });
    const ann = await site.viewer();
    const { username } = performer;
    const { messaging } = site.services;
    const asked = () =>
      site.tx(async (tx) => [
        await messaging.followedBy(tx, ann.id),
        await messaging.hiddenBy(tx, ann.id),
        (await messaging.followersOf(tx, [performer.id, ann.id])).get(performer.id),
      ]);
    await ann.call(follow, { username });
    expect(await asked()).toEqual([[performer.id], [], 1]);
    await ann.call(hidePerformer, { username });
    expect(await asked()).toEqual([[], [performer.id], undefined]);
    expect((await site.tx((tx) => messaging.followersOf(tx, []))).size).toBe(0);
  });
});

it('a performer learns how many began to follow since a moment, and no one else does', async () => {
  const [performer, early, late] = [
    await site.performer({ live: true }),
    await site.viewer(),
    await site.viewer(),
  ];
  await early.call(follow, { username: performer.username });
  await site.passes(1_000);
  const since = site.clock.now().toISOString();
  await site.passes(1_000);
  await late.call(follow, { username: performer.username });
  expect(await performer.call(countNewFollowers, { since })).toEqual({ count: 1 });
  await expect(early.call(countNewFollowers, { since })).rejects.toThrow();
});
