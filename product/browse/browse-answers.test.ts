import { endBroadcast } from '#product/broadcast/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { anEntry } from '#product/testkit/browse-entries.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { browseLive, type BrowseDataView } from './contract.ts';
import type { Directory } from './server/directory/directory.ts';

let site: TestSite;
let directory: Directory;
let guest: Visitor;
let performer: Member;
/** Enough performers that answers are remembered while the directory changes. */
const CROWD = 600;

beforeAll(async () => {
  site = await createSite();
  directory = await site.services.browse.directoryOf(site.scope.operatorId);
  for (let at = 1; at <= CROWD; at += 1) {
    directory.put(anEntry({ id: 1_000_000 + at, startedAt: 0, viewerCount: at }));
  }
  guest = await site.visitor({ ofAge: true });
});
afterAll(() => site.close());

const listing = (who: Visitor, more: object = {}): Promise<BrowseDataView> =>
  who.call(browseLive, { path: 'girls', sort: 'newest', ...more });
const namesIn = async (who: Visitor, more: object = {}): Promise<readonly string[]> =>
  (await listing(who, more)).userList.map(({ username }) => username);

describe('an answer to guests', () => {
  beforeEach(async () => {
    performer = await site.performer({ live: true });
    await site.passes(1_000);
    await site.settle();
    // From now on the answer is remembered.
    await listing(guest);
  });

  /** Whether the next answer has the performer, and whether its count is exact for guests. */
  const seenBy = async (who: Visitor = guest): Promise<{ has: boolean; isExact: boolean }> => {
    await site.settle();
    const { totalCount } = await listing(who);
    const has = (await namesIn(who)).includes(performer.username);
    return { has, isExact: totalCount === directory.onlineCount - hiddenOnline() };
  };
  const GONE = { has: false, isExact: true };
  /** Number of performers online whom no guest may perceive. */
  const hiddenOnline = (): number =>
    [...directory.online()].filter(({ state }) =>
      !state.active || !state.cleared || state.blockedRegions.includes('BR')
    ).length;

  it('is remembered for less than a second, and the same for every guest of the audience', async () => {
    const { totalCount } = await listing(guest);
    directory.put(anEntry({ id: 2_000_000 + performer.id, startedAt: 0, displayName: 'New' }));
    expect((await listing(guest)).totalCount).toBe(totalCount);
    expect((await listing(await site.visitor({ ofAge: true }))).totalCount).toBe(totalCount);
    await site.passes(1_000);
    expect((await listing(guest)).totalCount).toBe(totalCount + 1);
  });

  it('is gone with the fact that suspends somebody', async () => {
    expect(await namesIn(guest)).toContain(performer.username);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, performer.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    expect(await seenBy()).toEqual(GONE);
  });

  it('is gone once somebody ends their broadcast', async () => {
    expect(await namesIn(guest)).toContain(performer.username);
    await performer.call(endBroadcast, {});
    expect(await seenBy()).toEqual(GONE);
  });

  it('is gone where somebody blocks the region of who asks, and only there', async () => {
    const options = { ofAge: true, region: 'BR' };
    const brazilian = await site.visitor(options);
    expect(await namesIn(brazilian)).toContain(performer.username);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['BR']));
    expect(await seenBy(brazilian)).toEqual(GONE);
    expect(await namesIn(guest)).toContain(performer.username);
    // Nobody gets the answer of another region, whoever asked first.
    expect(await namesIn(brazilian)).not.toContain(performer.username);
  });

  it('has no picture once there is a camera password, and nobody whose entry is deleted', async () => {
    expect(await namesIn(guest)).toContain(performer.username);
    directory.change(performer.id, { isLocked: true });
    const tile = (await listing(guest)).userList.find(({ id }) => id === performer.id);
    expect(tile).toMatchObject({ liveThumbUrl: null });
    directory.delete(performer.id);
    expect(await namesIn(guest)).not.toContain(performer.username);
  });

  it('is never one behind the gate, of a member, or of another language or filter', async () => {
    const behind = await site.visitor({ ofAge: false });
    expect(await listing(behind)).toMatchObject({ userList: [], totalCount: 0 });
    const member = await site.viewer();
    await member.call(hidePerformer, { username: performer.username });
    await site.settle();
    expect(await namesIn(member)).not.toContain(performer.username);
    expect(await namesIn(guest)).toContain(performer.username);
    expect(await namesIn(guest, { 'gender-hide': 'm' })).toContain(performer.username);
    expect(await namesIn(guest, { rate: '900-999' })).toEqual([]);
    expect((await listing(guest, { p: 2 })).page).toBe(2);
    const german = await site.visitor({ ofAge: true, language: 'de' });
    expect((await listing(german)).seo.h1).not.toBe((await listing(guest)).seo.h1);
  });
});
