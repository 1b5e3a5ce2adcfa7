import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { changeUsername } from '#product/accounts/contract/life/username.ts';
import { setRole } from '#product/accounts/contract/staff-roles.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { joinFanclub, listMembers, saveOwnClub } from '#product/fanclubs/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getModeration } from '#product/room-moderation/contract.ts';
import { chatHistory, getRoom, sayInChat, startUserList, userList } from '#product/rooms/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { crowd } from '#product/testkit/store/crowd.ts';
import { auditedActions, storesDisplayName, takesRoles } from '#product/testkit/store/stored-people.ts';
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

describe('the badge of staff', () => {
  const NAME = 'Candela Support';
  /** Which of these people have the badge, by the flag in a call or an event. */
  const badged = (people: readonly { username: string; is_staff?: boolean; isStaff?: boolean }[]) =>
    Object.fromEntries(
      people.map(({ username, is_staff: inRoom, isStaff }) => [username, inRoom ?? isStaff ?? false]),
    );

  it('stands with the name of staff wherever it stands, and with nobody who is called the same', async () => {
    const performer = await site.performer({ live: true });
    const [staff, impostor, named] = [
      await site.viewer({ roles: ['site_mod'], tokens: 200 }),
      await site.viewer({ tokens: 200 }),
      await site.viewer(),
    ];
    await staff.call(updateProfile, { display_name: NAME });
    // The identical name, saved before names were checked.
    await site.tx((tx) => storesDisplayName(tx, impostor.id, NAME));
    const expected = { [staff.username]: true, [impostor.username]: false };
    const { username } = performer;
    await performer.call(saveRoomSettings, { username, isUserListVisible: true });
    // A room moderator has the performer's trust, not the site's.
    for (const who of [named, impostor]) await performer.moderates('moderator', who);
    await site.settle();
    for (const who of [staff, impostor, named]) {
      const socket = await who.joins(performer);
      const { id } = await site.says(socket, `hello of ${who.username}`);
      socket.send(sayInChat, { message: `again of ${who.username}`, reply_to: id });
      await site.settle();
    }
    const reader = await site.viewer();
    const socket = await reader.joins(performer);
    const { messages } = await socket.waitFor(chatHistory);
    expect(messages.map(({ username: name, is_staff: flag, reply }) => [name, flag, reply?.is_staff]))
      .toEqual([staff, impostor, named].flatMap(({ username: name }) => {
        const flag = name === staff.username ? true : undefined;
        return [[name, flag, undefined], [name, flag, flag]];
      }));
    socket.send(startUserList, {});
    await expect.poll(() => {
      site.clock.advance(5_000);
      return socket.received(userList).length;
    }).toBeGreaterThan(0);
    expect(badged(socket.received(userList).at(-1)?.users ?? [])).toMatchObject(expected);
    const { entries } = await performer.call(getModeration, { username, list: 'moderators' });
    expect(badged(entries)).toMatchObject({ [impostor.username]: false });
    for (const who of [staff, impostor]) await reader.call(ignorePerson, { username: who.username });
    expect(badged((await reader.call(listIgnored, {})).people)).toEqual(expected);
    await performer.call(saveOwnClub, {
      enabled: true,
      description: '',
      prices: { supporter: 100, insider: 250, legend: 501 },
      perks: { supporter: [], insider: [], legend: [] },
    });
    for (const who of [staff, impostor]) {
      const key = { idempotencyKey: uuidV4() };
      await who.call(joinFanclub, { username, level: 'supporter', price: 100 }, key);
    }
    expect(badged((await performer.call(listMembers, {})).members)).toEqual(expected);
  });

  it('is of each of their roles, of performers too, and ends with the role', async () => {
    const reader = await site.viewer();
    const flagOf = async ({ username }: Member) => (await reader.call(getRoom, { username })).user.isStaff;
    for (const role of ['site_mod', 'model_admin', 'admin', 'super_admin'] as const) {
      const performer = await site.performer({ roles: [role] });
      expect([role, await flagOf(performer)]).toEqual([role, true]);
      await site.tx((tx) => takesRoles(tx, performer.id));
      expect([role, await flagOf(performer)]).toEqual([role, undefined]);
    }
    expect(await flagOf(await site.performer({ roles: ['test_user', 'remote_logging'] }))).toBeUndefined();
  });

  it('takes the name of staff with it when the last role ends: no line says it any more', async () => {
    const [chief, performer] = [await site.viewer({ roles: ['super_admin'] }), await site.performer()];
    await performer.goesLive();
    const staff = await site.viewer({ roles: ['site_mod', 'admin'] });
    await staff.call(updateProfile, { display_name: NAME });
    expect((await site.says(await staff.joins(performer), 'on duty')).display_name).toBe(NAME);
    const taken = ({ username }: Member, role: 'admin' | 'site_mod') =>
      chief.call(setRole, { username, role, on: false, reason: 'left' });
    const { username } = staff;
    expect((await taken(staff, 'admin')).display_name).toBe(NAME);
    expect((await taken(staff, 'site_mod')).display_name).toBe(username);
    const back = await site.memberOf(username);
    expect((await back.call(getCurrentUser, {})).user).toMatchObject({ username, display_name: username });
    const socket = await back.joins(performer);
    const { messages } = await socket.waitFor(chatHistory);
    expect(messages.map(({ message, display_name: name }) => [message, name]))
      .toEqual([['on duty', username]]);
    expect((await site.says(socket, 'still here')).display_name).toBe(username);
    // Nor can the staff name be chosen again; an ordinary name stays when a role ends.
    const { errorType } = await back.refused(updateProfile, { display_name: NAME });
    expect(errorType).toBe('display_name_refused');
    const other = await site.viewer({ roles: ['site_mod'] });
    await other.call(updateProfile, { display_name: 'Ana Lune' });
    expect(await taken(other, 'site_mod'))
      .toMatchObject({ username: other.username, display_name: 'Ana Lune' });
  });

  it('takes a username of staff too: a neutral one stands there, and another can be chosen', async () => {
    const [chief, staff] = [
      await site.viewer({ roles: ['super_admin'] }),
      await site.viewer({ roles: ['site_mod'], username: 'candela-help' }),
    ];
    // Somebody else already has the neutral name.
    const { username: squatted } = await site.viewer({ username: `member-${staff.id}` });
    const given = await chief.call(setRole, {
      username: 'candela-help',
      role: 'site_mod',
      on: false,
      reason: 'left',
    });
    const username = `${squatted}-2`;
    expect(given).toMatchObject({ username, display_name: username, roles: [] });
    await site.settle();
    const [mail] = (await chief.call(listOutbox, {})).mails.filter(({ to }) => to === staff.person.email);
    expect(mail?.text).toContain(`is now called ${username}`);
    expect(await site.tx((tx) => auditedActions(tx, staff.id)))
      .toEqual(['accounts.setRole', 'accounts.changeUsername']);
    const back = await site.memberOf(username);
    const name = (wanted: string) => ({ username: wanted, password: 'correct horse battery' });
    expect((await back.refused(changeUsername, name('candela-help'))).errorType).toBe('username_taken');
    await back.call(changeUsername, name('quiet-lark'));
    expect((await back.call(getCurrentUser, {})).user).toMatchObject({
      username: 'quiet-lark',
      display_name: 'quiet-lark',
    });
  });
});
