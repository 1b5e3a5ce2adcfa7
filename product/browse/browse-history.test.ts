import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { crowd } from '#product/testkit/store/crowd.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseLive } from './contract.ts';
import { clearViewHistory, getViewHistory, saveViewHistory } from './contract/history.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

interface Stored {
  readonly performer_id: number;
  readonly seconds: number;
  readonly first_at: Date;
  readonly last_at: Date;
}
const storedOf = async ({ id }: Member): Promise<readonly Stored[]> =>
  (await site.tx((tx) =>
    sql<Stored>`
  select performer_id, seconds, first_at, last_at from browse.views where viewer_id = ${id}
  order by last_at desc, performer_id desc`.execute(tx.sql<object>())
  )).rows;

/** Enters a room and waits until the visit is stored. Returns the socket, which stays open. */
async function enters(viewer: Member, performer: Member) {
  const socket = await viewer.joins(performer);
  await expect.poll(async () => (await storedOf(viewer)).map(({ performer_id: id }) => id))
    .toContain(performer.id);
  return socket;
}
const namesOf = async (viewer: Member): Promise<string[]> => {
  await site.settle();
  return (await viewer.call(getViewHistory, {})).userList.map(({ username }) => username);
};
/** Rows in somebody's history, each a second older than the one before. */
async function fills(viewer: Member, count: number, prefix: string): Promise<void> {
  const ids = await crowd(site, count, prefix);
  await site.tx((tx) =>
    sql`
    insert into browse.views (viewer_id, performer_id, first_at, last_at, counted_until)
    select ${viewer.id}, id, at, at, at from (
      select id, ${tx.now}::timestamptz - (n || ' seconds')::interval as at
      from unnest(${ids}::bigint[]) with ordinality as p(id, n)
    ) as rows`.execute(tx.sql<object>())
  );
}

describe('the viewing history', () => {
  it('has rooms a member was in, the last first, with the time in the room', async () => {
    const [one, two] = [await site.performer({ live: true }), await site.performer()];
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    const first = await enters(viewer, one);
    // A second tab counts once, and coming back at once is the same visit.
    const tab = await viewer.joins(one);
    await site.passes(90_000);
    await tab.leaves();
    await expect.poll(async () => (await storedOf(viewer))[0]?.seconds).toBe(90);
    await site.passes(30_000);
    await first.leaves();
    await expect.poll(async () => (await storedOf(viewer))[0]?.seconds).toBe(120);
    await site.passes(MINUTE_MS);
    await enters(viewer, two);
    await site.settle();
    const { userList, is_on: isOn, next } = await viewer.call(getViewHistory, {});
    expect([isOn, next]).toEqual([true, null]);
    expect(userList).toMatchObject([
      { username: two.username, status: 'offline', watchedSeconds: 0 },
      { username: one.username, status: 'online', watchedSeconds: 120, reasons: [] },
    ]);
    expect(Date.parse(userList[1]?.seenAt ?? '') - Date.parse(userList[1]?.firstSeenAt ?? '')).toBe(120_000);
    expect(await namesOf(other)).toEqual([]);
    const listed = await viewer.call(browseLive, { path: 'view-history' });
    expect(listed.userList.map(({ username }) => username)).toEqual([two.username, one.username]);
  });

  it('is not written of guests and of one’s own room', async () => {
    const performer = await site.performer({ live: true });
    await (await site.socketOf(await site.visitor({ ofAge: true }), performer.username)).leaves();
    await (await performer.joins(performer)).leaves();
    // This later visit is stored, so the earlier ones would have been by now.
    await enters(await site.viewer(), performer);
    const { rows } = await site.tx((tx) =>
      sql<{ count: number }>`
      select count(*)::int as count from browse.views where performer_id = ${performer.id}`
        .execute(tx.sql<object>())
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('is not written while it is off, nor is the time in a room', async () => {
    const [one, two] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const viewer = await site.viewer();
    const socket = await enters(viewer, one);
    expect(await viewer.call(saveViewHistory, { is_on: false })).toEqual({ status: 1, is_on: false });
    await site.passes(2 * MINUTE_MS);
    await socket.leaves();
    await (await viewer.joins(two)).leaves();
    await site.passes(2 * MINUTE_MS);
    await viewer.call(saveViewHistory, { is_on: true });
    await enters(viewer, two);
    const stored = await storedOf(viewer);
    expect(stored.map(({ performer_id: id, seconds }) => [id, seconds])).toEqual([[two.id, 0], [one.id, 0]]);
    expect(stored[0]?.first_at.getTime()).toBe(site.clock.now().getTime());
  });

  it('is cleared by its person alone, and a stay that goes on does not bring it back', async () => {
    const performer = await site.performer({ live: true });
    const [viewer, other] = [await site.viewer(), await site.viewer()];
    const socket = await enters(viewer, performer);
    await enters(other, performer);
    await site.passes(MINUTE_MS);
    expect(await viewer.call(clearViewHistory, {})).toEqual({ status: 1 });
    await socket.leaves();
    await site.settle();
    expect([await namesOf(viewer), await namesOf(other)]).toEqual([[], [performer.username]]);
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(getViewHistory, {})).status).toBe(401);
    expect((await guest.refused(clearViewHistory, {})).status).toBe(401);
    expect((await guest.refused(saveViewHistory, { is_on: false })).status).toBe(401);
    expect((await guest.refused(browseLive, { path: 'view-history' })).errorType).toBe('personal_listing');
    expect((await viewer.refused(getViewHistory, { before: 'nonsense' })).status).toBe(422);
  });

  it('shows nobody whom this viewer hides or may not perceive', async () => {
    const seen = await Promise.all([0, 1, 2, 3].map(() => site.performer({ live: true })));
    const [hidden, suspended, blocked, open] = seen as [Member, Member, Member, Member];
    const viewer = await site.viewer({ region: 'BR' });
    await viewer.call(declareAge, { of_age: true });
    for (const performer of seen) await enters(viewer, performer);
    expect((await namesOf(viewer)).toSorted()).toEqual(seen.map(({ username }) => username).toSorted());
    await viewer.call(hidePerformer, { username: hidden.username });
    await site.tx(async (tx) => {
      const { accounts, compliance } = site.services;
      await accounts.suspend(tx, suspended.id, { suspended: true, actorId: null, reason: 'test' });
      await compliance.blockRegions(tx, blocked.id, ['BR']);
    });
    expect(await namesOf(viewer)).toEqual([open.username]);
  });

  it('has 500 performers at most, and 48 on a page', async () => {
    const [viewer, performer] = [await site.viewer(), await site.performer()];
    await fills(viewer, 500, 'full');
    const [oldest] = (await storedOf(viewer)).toReversed();
    await enters(viewer, performer);
    const stored = await storedOf(viewer);
    expect([stored.length, stored[0]?.performer_id]).toEqual([500, performer.id]);
    expect(stored.map(({ performer_id: id }) => id)).not.toContain(oldest?.performer_id);
    const pages: number[] = [];
    let before: string | null = null;
    for (let page = 0; page < 20; page += 1) {
      const { next }: { readonly next: string | null } = await viewer.call(
        getViewHistory,
        before === null ? {} : { before },
      );
      if (next === null) break;
      pages.push(Number(next.split('-')[1]));
      before = next;
    }
    // None of them is cleared: the pages are empty, but end where they would otherwise.
    expect(pages).toEqual(Array.from({ length: 10 }, (_none, page) => stored[page * 48 + 47]?.performer_id));
  });

  it('forgets a room after 90 days, read or not', async () => {
    const [one, two] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const viewer = await site.viewer();
    await (await enters(viewer, one)).leaves();
    await site.passes(30_000);
    await (await enters(viewer, two)).leaves();
    await site.settle();
    const age = async (performer: Member, ms: number): Promise<void> => {
      await site.tx((tx) =>
        sql`update browse.views set last_at = ${new Date(tx.now.getTime() - ms)}
        where viewer_id = ${viewer.id} and performer_id = ${performer.id}`.execute(tx.sql<object>())
      );
    };
    await age(one, 90 * DAY_MS);
    await age(two, 89 * DAY_MS);
    // No longer shown, even before it is deleted.
    expect(await namesOf(viewer)).toEqual([two.username]);
    const dueAt = async () =>
      (await site.tx((tx) =>
        sql<{ at: Date }>`
      select at from platform.due where kind = 'browse.history' and key = ${String(viewer.id)}`
          .execute(tx.sql<object>())
      )).rows[0]?.at.getTime() ?? 0;
    const before = await dueAt();
    expect(before - site.clock.now().getTime()).toBeLessThanOrEqual(90 * DAY_MS);
    await site.tx((tx) => tx.schedule({ kind: 'browse.history', key: String(viewer.id), at: tx.now }));
    await site.settle();
    expect((await storedOf(viewer)).map(({ performer_id: id }) => id)).toEqual([two.id]);
    // The deadline is that of the oldest remaining room.
    expect(await dueAt()).toBe(((await storedOf(viewer))[0]?.last_at.getTime() ?? 0) + 90 * DAY_MS);
  });
});
