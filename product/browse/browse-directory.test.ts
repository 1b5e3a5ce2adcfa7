import { VirtualClock } from '#platform/data/clock.ts';
import type { BusMessage } from '#platform/data/data.ts';
import { openTestData } from '#platform/data/testing.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { setStudio } from '#product/broadcast/contract/settings.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { follow, unfollow } from '#product/messaging/contract.ts';
import { order } from '#product/order.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { playbackOf } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { addGoal } from '#product/tips/contract/goals.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { browseLive, type BrowseDataView } from './contract.ts';
import type { DirectoryEntry } from './rules/listing/entry.ts';
import { Directories } from './server/directory/directories.ts';
import type { Directory } from './server/directory/directory.ts';

/** What the directories of a process depend on; a second process has its own. */
const sourcesOf = (site: TestSite, more: object = {}) => ({
  ...site.services,
  data: site.data,
  bus: site.data.bus,
  text: (_locale: string, key: string) => key,
  onError: () => undefined,
  ...more,
});
const listing = (who: Visitor, path = '', more: object = {}): Promise<BrowseDataView> =>
  who.call(browseLive, { path, ...more });
const everybodyIn = (directory: Directory): DirectoryEntry[] =>
  [...directory.all()].toSorted((a, b) => a.id - b.id);

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the directory of a process', () => {
  /** The directories of another process, loaded at the start and updated by messages since. */
  let other: Directories;
  let viewer: Member;
  beforeAll(async () => {
    other = new Directories(sourcesOf(site));
    await other.of(site.scope.operatorId);
    viewer = await site.viewer();
  });
  afterAll(() => other.stop());

  /** The other process's entry of a performer. */
  const known = async ({ id }: Pick<Member, 'id'>): Promise<DirectoryEntry | undefined> => {
    await site.settle();
    await other.settled();
    return (await other.of(site.scope.operatorId)).get(id);
  };
  /** All entries: of the directory that lived through the changes, and of a fresh one. */
  const bothWays = async (): Promise<{ lived: unknown; made: unknown }> => {
    await site.settle();
    await other.settled();
    const fresh = new Directories(sourcesOf(site));
    const [lived, made] = [await other.of(site.scope.operatorId), await fresh.of(site.scope.operatorId)];
    fresh.stop();
    const all = (item: Directory): unknown => ({ everybody: everybodyIn(item), online: item.onlineCount });
    return { lived: all(lived), made: all(made) };
  };

  it('follows everything that facts say, in every process', async () => {
    const performer = await site.performer({ cleared: false });
    const { username } = performer;
    expect(await known(performer)).toMatchObject({ username, startedAt: null, state: { cleared: false } });
    await site.tx((tx) => site.services.compliance.clear(tx, performer.id, null, 'a test'));
    expect(await known(performer)).toMatchObject({ state: { active: true, cleared: true } });
    await performer.goesLive();
    expect(await known(performer)).toMatchObject({ status: 'online', startedAt: site.clock.now().getTime() });
    await performer.call(setDetails, { title: 'Words', tags: ['Dance'] });
    expect(await known(performer)).toMatchObject({ topic: 'Words', tags: ['dance'] });
    await performer.call(saveListingProfile, { region: 'usa', country: 'US', private_price: 30 });
    expect(await known(performer)).toMatchObject({ region: 'usa', country: 'US', privatePrice: 30 });
    await performer.call(updateProfile, { display_name: 'Ada', languages: ['en'] });
    expect(await known(performer)).toMatchObject({ displayName: 'Ada', languages: ['en'] });
    await (await site.admin()).call(setStudio, { username, studio: 'north-light' });
    expect(await known(performer)).toMatchObject({ studio: 'north-light' });
    await viewer.call(follow, { username });
    expect(await known(performer)).toMatchObject({ followers: 1 });
    await viewer.call(unfollow, { username });
    expect(await known(performer)).toMatchObject({ followers: 0 });
    await performer.call(addGoal, { title: 'A song', target: 500 });
    expect(await known(performer)).toMatchObject({ goal: { left: 500, total: 500 } });
    const fan = await site.viewer({ tokens: 100 });
    await fan.tips(performer, 60);
    expect(await known(performer)).toMatchObject({ goal: { left: 440, total: 500 } });
    await site.services.broadcast.move(site.scope, performer.id, 'private');
    expect(await known(performer)).toMatchObject({ status: 'private', stream: null });
    await site.services.broadcast.move(site.scope, performer.id, 'public');
    expect(await known(performer)).toMatchObject({ status: 'online', stream: expect.any(String) as string });
    await performer.call(saveRoomSettings, { username, camPassword: 'candle light' });
    expect(await known(performer)).toMatchObject({ isLocked: true });
    await performer.call(endBroadcast, {});
    expect(await known(performer)).toMatchObject({
      status: 'offline',
      startedAt: null,
      lastLiveAt: site.clock.now().getTime(),
    });
    const { lived, made } = await bothWays();
    expect(lived).toEqual(made);
  });

  it('knows the tips of the last hour, to the minute', async () => {
    const [performer, fan] = [await site.performer({ live: true }), await site.viewer({ tokens: 100 })];
    await fan.tips(performer, 30);
    await site.settle();
    await site.passes(60_000);
    expect((await known(performer))?.recentTips).toBe(30);
    await site.passes(30 * 60_000);
    await fan.tips(performer, 12);
    await site.settle();
    await site.passes(60_000);
    expect((await known(performer))?.recentTips).toBe(42);
    await site.passes(30 * 60_000);
    expect((await known(performer))?.recentTips).toBe(12);
    await site.passes(31 * 60_000);
    expect((await known(performer))?.recentTips).toBe(0);
  });

  it('counts viewers of a room as they come and leave', async () => {
    const performer = await site.performer({ live: true });
    const socket = await viewer.joins(performer);
    expect((await known(performer))?.viewerCount).toBe(1);
    await socket.leaves();
    await expect.poll(async () => (await known(performer))?.viewerCount).toBe(0);
  });

  it('equals one that is made again after any series of changes', async () => {
    const people = [await site.performer(), await site.performer(), await site.performer()];
    const admin = await site.admin();
    const actions: ((one: Member) => Promise<unknown>)[] = [
      (member) => member.goesLive().catch(() => undefined),
      (member) => member.request({ method: 'POST', url: '/api/v1/broadcast/end' }),
      (member) => member.call(setDetails, { title: `words ${member.id}`, tags: [] }).catch(() => undefined),
      (member) => site.services.broadcast.move(site.scope, member.id, 'private'),
      ({ id }) => site.tx((tx) => site.services.compliance.blockRegions(tx, id, ['BR'])),
      ({ username }) => admin.call(decideClearance, { username, decision: 'revoke', reason: 'a test' }),
      ({ username }) => admin.call(decideClearance, { username, decision: 'clear', reason: 'a test' }),
      ({ id }) =>
        site.tx((tx) =>
          site.services.accounts.suspend(tx, id, {
            suspended: true,
            actorId: admin.id,
            reason: 'a test',
          })
        ),
      ({ id }) =>
        site.tx((tx) =>
          site.services.accounts.suspend(tx, id, {
            suspended: false,
            actorId: admin.id,
            reason: 'a test',
          })
        ),
      (member) => viewer.call(follow, { username: member.username }).catch(() => undefined),
    ];
    // A fixed sequence that looks random.
    let state = 7;
    for (let step = 0; step < 40; step += 1) {
      state = (state * 48_271) % 2_147_483_647;
      const one = people[state % people.length] as Member;
      await actions[state % actions.length]?.(one);
      if (step % 8 !== 7) continue;
      await site.passes(60_000);
      const { lived, made } = await bothWays();
      expect(lived).toEqual(made);
    }
  });

  it('ignores what is no performer', async () => {
    expect(await known(viewer)).toBeUndefined();
    await viewer.call(updateProfile, { display_name: 'Nobody' });
    expect(await known(viewer)).toBeUndefined();
  });
});

describe('a directory that cannot be read', () => {
  let clock: VirtualClock;
  let broken = false;
  let errors: unknown[] = [];
  let directories: Directories;
  let performer: Member;
  /** Publishes to subscribers in this process alone. */
  let publish: (message: BusMessage) => void = () => undefined;
  let restore: () => void = () => undefined;

  const changed = (hides: boolean): void =>
    publish({
      operatorId: site.scope.operatorId,
      channel: 'topic:internal.directory',
      name: 'internal.directory',
      payload: { performerId: performer.id, hides },
    });
  const state = async () => (await directories.of(site.scope.operatorId)).get(performer.id)?.state;
  const SEEN = { active: true, cleared: true, isHidden: false, blockedRegions: [] };
  const UNSEEN = { active: false, cleared: false, isHidden: true, blockedRegions: [] };

  beforeEach(async () => {
    directories?.stop();
    clock = new VirtualClock(site.clock.now());
    errors = [];
    broken = false;
    performer = await site.performer({ live: true });
    const read: typeof site.data.read = (scope, work) => (broken
      ? Promise.reject(new Error('no database'))
      : site.data.read(scope, work));
    directories = new Directories(sourcesOf(site, {
      data: { ...site.data, clock, read },
      onError: (error: unknown) => errors.push(error),
      bus: {
        ...site.data.bus,
        subscribe: (listener: typeof publish) => {
          publish = listener;
          return () => undefined;
        },
        restored: (listener: () => void) => {
          restore = listener;
          return () => undefined;
        },
      },
    }));
    await directories.of(site.scope.operatorId);
  });
  afterAll(() => directories.stop());

  it('shows nobody who may have been hidden, and tries again after 1 s, 2 s, 4 s', async () => {
    broken = true;
    changed(false);
    await directories.settled();
    expect(await state()).toEqual(UNSEEN);
    expect(errors).toHaveLength(1);
    for (const [wait, failures] of [[999, 1], [1, 2], [1_999, 2], [1, 3], [3_999, 3]] as const) {
      clock.advance(wait);
      await directories.settled();
      expect(errors).toHaveLength(failures);
      expect(await state()).toEqual(UNSEEN);
    }
    broken = false;
    clock.advance(1);
    await directories.settled();
    expect(await state()).toEqual(SEEN);
    expect(errors).toHaveLength(3);
  });

  it('hides at once whom a message hides, before anything is read', async () => {
    changed(true);
    expect(await state()).toEqual(UNSEEN);
    await directories.settled();
    expect(await state()).toEqual(SEEN);
  });

  it('hides somebody who is to be hidden while they are read', async () => {
    changed(false);
    changed(true);
    expect(await state()).toEqual(UNSEEN);
    await directories.settled();
    expect(await state()).toEqual(SEEN);
  });

  it('is read again when messages may have been missed', async () => {
    await performer.call(setDetails, { title: 'missed', tags: [] });
    const directory = await directories.of(site.scope.operatorId);
    directory.put({ ...directory.get(performer.id) as DirectoryEntry, id: 999_999, username: 'gone' });
    restore();
    await directories.settled();
    expect(directory.get(performer.id)?.topic).toBe('missed');
    expect(directory.get(999_999)).toBeUndefined();
    broken = true;
    restore();
    await directories.settled();
    // A performer who cannot be read again is shown to nobody: calls fail.
    await expect(directories.of(site.scope.operatorId)).rejects.toThrow('no database');
    broken = false;
    expect((await directories.of(site.scope.operatorId)).get(performer.id)?.topic).toBe('missed');
  });
});

describe('answers', () => {
  it('of listings make no query for a guest', async () => {
    const opened = await openTestData({ clock: new VirtualClock(), slices: order.map(([slice]) => slice) });
    let units = 0;
    const counted = await createSite({
      clock: opened.clock as VirtualClock,
      data: {
        ...opened,
        tx: (scope, work) => {
          units += 1;
          return opened.tx(scope, work);
        },
        read: (scope, work) => {
          units += 1;
          return opened.read(scope, work);
        },
      },
    });
    const guest = await counted.visitor({ ofAge: true });
    await counted.performer({ live: true });
    for (const path of ['', 'girls', 'top', 'girls/private-shows', 'voyeur-cams']) await listing(guest, path);
    const before = units;
    for (const path of ['', 'girls', 'top', 'girls/new', 'girls/tag/dance', 'girls/region/usa', 'jb-cams']) {
      await listing(guest, path, { p: 1 });
    }
    expect(units - before).toBe(0);
    await counted.close();
  });
});

describe('a camera password', () => {
  it('takes the picture out of listings and leaves the performer in them', async () => {
    const [viewer, performer] = [await site.viewer(), await site.performer({ live: true })];
    site.outputs.photograph((await playbackOf(performer, performer)).stream);
    await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
    await site.settle();
    const shown = (await listing(viewer)).userList.find(({ id }) => id === performer.id);
    expect(shown).toMatchObject({ status: 'online', liveThumbUrl: null });
  });
});
