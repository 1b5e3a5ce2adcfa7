import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { follow, hidePerformer } from '#product/messaging/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { crowd } from '#product/testkit/store/crowd.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseLive, browseMore } from './contract.ts';
import {
  clearForYouLearned,
  getForYouLearned,
  getViewHistory,
  removeForYouLearned,
  saveForYou,
  saveViewHistory,
} from './contract/history.ts';
import { getHome } from './contract/home.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const dancer = async (...tags: readonly string[]): Promise<Member> => {
  const performer = await site.performer({ live: true });
  await performer.call(setDetails, { title: '', tags: [...tags] });
  await site.settle();
  return performer;
};
/** What was learned about somebody, as stored: performers by name, and tags. */
const storedOf = async ({ id }: Member): Promise<Record<string, number>> => {
  const { rows } = await site.tx((tx) =>
    sql<{ what: string; seconds: number }>`
    select p.username as what, l.seconds from browse.learned_performers l
      join accounts.people p on p.id = l.performer_id where l.viewer_id = ${id}
    union all select '#' || tag, seconds from browse.learned_tags where viewer_id = ${id}`
      .execute(tx.sql<object>())
  );
  return Object.fromEntries(rows.map(({ what, seconds }) => [what, seconds]));
};
/** The same as the person reads it. */
const readOf = async (viewer: Member) => {
  await site.settle();
  const { performerList, tagList, learns } = await viewer.call(getForYouLearned, {});
  const performers = performerList.map(({ username, seconds }) => [username, seconds]);
  return { learns, performers, tags: tagList.map(({ tag, seconds }) => [tag, seconds]) };
};
/** When each room of the history was seen last: stored in the same unit as what is learned. */
const lastAt = async ({ id }: Member): Promise<number> =>
  (await site.tx((tx) =>
    sql<{ at: Date | null }>`
  select max(counted_until) as at from browse.views where viewer_id = ${id}`.execute(tx.sql<object>())
  ))
    .rows[0]?.at?.getTime() ?? 0;
/** Enters a room, and leaves it after a while. */
async function watches(viewer: Member, performer: Member, ms: number): Promise<void> {
  const socket = await viewer.joins(performer);
  await expect.poll(async () =>
    (await viewer.call(getViewHistory, {})).userList
      .map(({ username }) => username)
  ).toContain(performer.username);
  await site.passes(ms);
  await socket.leaves();
  await expect.poll(() => lastAt(viewer)).toBe(site.clock.now().getTime());
}

describe('what for-you learns', () => {
  it('is the time a member was in rooms, by performer and by the tags of the room', async () => {
    const [one, two] = [await dancer('dance', 'music'), await dancer('dance')];
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    await watches(viewer, one, 10 * MINUTE_MS);
    await watches(viewer, two, 20 * MINUTE_MS);
    expect(await readOf(viewer)).toEqual({
      learns: true,
      performers: [[two.username, 1_200], [one.username, 600]],
      tags: [['dance', 1_800], ['music', 600]],
    });
    expect(await readOf(other)).toEqual({ learns: true, performers: [], tags: [] });
    // It halves every three weeks.
    await site.passes(21 * DAY_MS);
    expect((await readOf(viewer)).performers).toEqual([[two.username, 600], [one.username, 300]]);
  });

  it('counts two tabs once, an hour of one visit at most, and no look of a few seconds', async () => {
    const [performer, short] = [await dancer(), await dancer()];
    const viewer = await site.viewer();
    const first = await viewer.joins(performer);
    const tab = await viewer.joins(performer);
    await expect.poll(() => lastAt(viewer)).not.toBe(0);
    await site.passes(90_000);
    await tab.leaves();
    await expect.poll(() => storedOf(viewer)).toEqual({ [performer.username]: 90 });
    await site.passes(30_000);
    await first.leaves();
    await expect.poll(async () => Math.round((await storedOf(viewer))[performer.username] ?? 0)).toBe(120);
    await watches(viewer, performer, 9 * HOUR_MS);
    expect(Math.round((await storedOf(viewer))[performer.username] ?? 0)).toBeLessThanOrEqual(3_720);
    await watches(viewer, short, 9_000);
    expect(Object.keys(await storedOf(viewer))).toEqual([performer.username]);
  });

  it('is not learned of guests, of one’s own room, nor while it is off', async () => {
    const performer = await dancer('opera');
    const guest = await site.socketOf(await site.visitor({ ofAge: true }), performer.username);
    const own = await performer.joins(performer);
    const viewer = await site.viewer();
    const socket = await viewer.joins(performer);
    await expect.poll(() => lastAt(viewer)).not.toBe(0);
    await site.passes(MINUTE_MS);
    expect(await viewer.call(saveForYou, { learns: false })).toMatchObject({ learns: false, is_shown: true });
    await site.passes(MINUTE_MS);
    await guest.leaves();
    await own.leaves();
    await watches(viewer, performer, MINUTE_MS);
    await socket.leaves();
    await site.settle();
    const { rows } = await site.tx((tx) =>
      sql`
      select * from browse.learned_performers where performer_id = ${performer.id}`
        .execute(tx.sql<object>())
    );
    expect(rows).toEqual([]);
    // Learning that is turned on during a visit counts from that moment.
    const again = await viewer.joins(performer);
    await site.settle();
    await site.passes(5 * MINUTE_MS);
    await viewer.call(saveForYou, { learns: true });
    await site.passes(MINUTE_MS);
    await again.leaves();
    await expect.poll(() => storedOf(viewer)).toEqual({ [performer.username]: 60, '#opera': 60 });
  });

  it('is off with the history, unless its person chose otherwise', async () => {
    const viewer = await site.viewer();
    await viewer.call(saveViewHistory, { is_on: false });
    expect((await readOf(viewer)).learns).toBe(false);
    await viewer.call(saveForYou, { learns: true });
    expect((await readOf(viewer)).learns).toBe(true);
  });

  it('shows nobody whom its person hides or may not perceive, and names none as a reason', async () => {
    const seen = [await dancer('tango'), await dancer('tango'), await dancer('tango')];
    const [hidden, blocked, open] = seen as [Member, Member, Member];
    const like = await dancer('tango');
    const viewer = await site.viewer({ region: 'BR' });
    await viewer.call(declareAge, { of_age: true });
    for (const one of seen) await watches(viewer, one, 11 * MINUTE_MS);
    for (const one of [hidden, blocked]) await viewer.call(follow, { username: one.username });
    await viewer.call(hidePerformer, { username: hidden.username });
    await site.tx((tx) => site.services.compliance.blockRegions(tx, blocked.id, ['BR']));
    expect((await readOf(viewer)).performers.map(([name]) => name)).toEqual([open.username]);
    const { userList } = await viewer.call(browseLive, { path: 'for-you' });
    const reasonsOf = ({ username: name }: Member) =>
      userList.find(({ username }) => username === name)?.because;
    expect(reasonsOf(like)).toEqual([{ kind: 'watchedTag', value: 'tango' }]);
    const answer = JSON.stringify(userList);
    for (const one of [hidden, blocked]) expect(answer).not.toContain(one.username);
  });

  it('has 200 performers and 100 tags at most, and leaves what was watched longest ago', async () => {
    const [viewer, performer] = [await site.viewer(), await dancer('waltz')];
    const ids = await crowd(site, 200, 'learned');
    await site.tx(async (tx) => {
      const at = (n: unknown) => sql`${tx.now}::timestamptz - (${n} || ' seconds')::interval`;
      await sql`insert into browse.learned_performers (viewer_id, performer_id, seconds, counted_until)
        select ${viewer.id}, id, 60, ${at(sql`n`)} from unnest(${ids}::bigint[]) with ordinality as p(id, n)`
        .execute(tx.sql<object>());
      await sql`insert into browse.learned_tags (viewer_id, tag, seconds, counted_until)
        select ${viewer.id}, 'tag' || n, 60, ${at(sql`n`)} from generate_series(1, 100) as n`
        .execute(tx.sql<object>());
    });
    await watches(viewer, performer, MINUTE_MS);
    const stored = Object.keys(await storedOf(viewer));
    expect(stored.filter((text) => text.startsWith('#'))).toHaveLength(100);
    expect(stored.filter((text) => !text.startsWith('#'))).toHaveLength(200);
    expect(stored).toEqual(expect.arrayContaining([performer.username, '#waltz', '#tag99']));
    expect(stored).not.toContain('#tag100');
  });

  it('is deleted 90 days after it was watched, read or not', async () => {
    const [one, two] = [await dancer('folk'), await dancer('punk')];
    const viewer = await site.viewer();
    await watches(viewer, one, MINUTE_MS);
    await watches(viewer, two, MINUTE_MS);
    const age = (performer: Member, tag: string, ms: number) =>
      site.tx(async (tx) => {
        const at = new Date(tx.now.getTime() - ms);
        await sql`update browse.learned_performers set counted_until = ${at}
        where viewer_id = ${viewer.id} and performer_id = ${performer.id}`.execute(tx.sql<object>());
        await sql`update browse.learned_tags set counted_until = ${at}
        where viewer_id = ${viewer.id} and tag = ${tag}`.execute(tx.sql<object>());
      });
    await age(one, 'folk', 90 * DAY_MS);
    await age(two, 'punk', 89 * DAY_MS);
    expect((await readOf(viewer)).performers.map(([name]) => name)).toEqual([two.username]);
    const dueAt = async () =>
      (await site.tx((tx) =>
        sql<{ at: Date }>`
      select at from platform.due where kind = 'browse.learned' and key = ${String(viewer.id)}`
          .execute(tx.sql<object>())
      )).rows[0]?.at.getTime() ?? 0;
    const now = site.clock.now().getTime();
    expect(await dueAt()).toBeGreaterThan(now);
    expect(await dueAt()).toBeLessThanOrEqual(now + 90 * DAY_MS);
    await site.tx((tx) => tx.schedule({ kind: 'browse.learned', key: String(viewer.id), at: tx.now }));
    await site.settle();
    expect(Object.keys(await storedOf(viewer)).toSorted()).toEqual(['#punk', two.username].toSorted());
    expect(await dueAt()).toBe(now + DAY_MS);
  });
});

describe('what was learned', () => {
  it('is removed and cleared by its person alone, and a visit that goes on brings nothing back', async () => {
    const [one, two] = [await dancer('ballet', 'jazz'), await dancer('jazz')];
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    for (const who of [viewer, other]) {
      await watches(who, one, MINUTE_MS);
      await watches(who, two, MINUTE_MS);
    }
    const all = await storedOf(other);
    expect(Object.keys(all)).toHaveLength(4);
    const socket = await viewer.joins(one);
    await site.settle();
    await site.passes(5 * MINUTE_MS);
    const left = await viewer.call(removeForYouLearned, { performer_id: one.id });
    expect(left.performerList.map(({ username }) => username)).toEqual([two.username]);
    expect(left.tagList.map(({ tag }) => tag)).toEqual(['jazz', 'ballet']);
    expect((await viewer.call(removeForYouLearned, { tag: 'jazz' })).tagList.map(({ tag }) => tag))
      .toEqual(['ballet']);
    await socket.leaves();
    await site.settle();
    expect(Object.keys(await storedOf(viewer)).toSorted()).toEqual(['#ballet', two.username].toSorted());
    expect(await viewer.call(clearForYouLearned, {})).toMatchObject({ performerList: [], tagList: [] });
    expect([await storedOf(viewer), await storedOf(other)]).toEqual([{}, all]);
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(getForYouLearned, {})).status).toBe(401);
    expect((await guest.refused(clearForYouLearned, {})).status).toBe(401);
    expect((await guest.refused(removeForYouLearned, { performer_id: one.id })).status).toBe(401);
    expect((await guest.refused(saveForYou, { learns: false })).status).toBe(401);
    // The call takes no person: it is always the caller's own.
    expect(
      (await viewer.request({
        method: 'POST',
        url: '/api/v1/browse/for-you/learned/clear',
        payload: { viewer_id: other.id },
      })).statusCode,
    ).toBe(422);
    expect(await storedOf(other)).toEqual(all);
  });
});

describe('for you', () => {
  it('puts whom one often watches first and says so, on the home page too', async () => {
    const [watched, like] = [await dancer('polka', 'accordion'), await dancer('polka')];
    const viewer = await site.viewer();
    expect((await viewer.call(getHome, {})).forYou).toBeNull();
    await watches(viewer, watched, 30 * MINUTE_MS);
    const shown = (await viewer.call(browseLive, { path: 'for-you' })).userList.slice(0, 2)
      .map(({ username, because }) => ({ username, because }));
    expect(shown).toEqual([
      { username: watched.username, because: [{ kind: 'watched', value: null }] },
      { username: like.username, because: [{ kind: 'watchedTag', value: 'polka' }] },
    ]);
    // The featured performer is already above.
    const { forYou: row, featured } = await viewer.call(getHome, {});
    const below = shown.filter(({ username }) => username !== featured?.username);
    expect(below.length).toBeGreaterThan(0);
    expect(row?.userList.slice(0, below.length)).toMatchObject(below);
    expect(row?.seeMore).toBe('/for-you');
    expect((await (await site.visitor({ ofAge: true })).call(getHome, {})).forYou).toBeNull();
    // What was learned is not used while learning is off, and is used again once it is on.
    const firstBecause = async () =>
      (await viewer.call(browseLive, { path: 'for-you' })).userList.flatMap(({ because }) => because ?? []);
    await viewer.call(saveForYou, { learns: false });
    expect(await firstBecause()).toEqual([]);
    expect((await viewer.call(getHome, {})).forYou).toBeNull();
    await viewer.call(saveForYou, { learns: true });
    expect(await firstBecause()).toContainEqual({ kind: 'watched', value: null });
  });

  it('lists nobody once its person turned it off, until they turn it on', async () => {
    const [performer, viewer] = [await dancer(), await site.viewer()];
    await viewer.call(follow, { username: performer.username });
    await site.settle();
    expect((await viewer.call(getHome, {})).forYou).not.toBeNull();
    await viewer.call(saveForYou, { is_shown: false });
    for (const [call, input] of [
      [browseLive, {}],
      [browseMore, {}],
      [browseLive, { sort: 'viewers' }],
    ] as const) {
      expect(await viewer.call(call, { path: 'for-you', ...input })).toMatchObject({
        isOff: true,
        userList: [],
        alternativeUserList: [],
        totalCount: 0,
      });
    }
    expect((await viewer.call(getHome, {})).forYou).toBeNull();
    await viewer.call(saveForYou, { is_shown: true });
    const { userList, isOff } = await viewer.call(browseLive, { path: 'for-you' });
    expect(isOff).toBeUndefined();
    expect(userList[0]).toMatchObject({
      username: performer.username,
      because: [{ kind: 'followed', value: null }],
    });
  });
});
