import { DAY_MS } from '#platform/time/units.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { playbackOf } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseLive, type BrowseDataView } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const listing = (who: Visitor, path = '', more: object = {}): Promise<BrowseDataView> =>
  who.call(browseLive, { path, ...more });
const namesIn = async (who: Visitor, path = '', more: object = {}): Promise<string[]> =>
  (await listing(who, path, more)).userList.map(({ username }) => username);
const liveOf = async (gender: 'f' | 'm' | 't' | 'c'): Promise<Member> =>
  site.performer({ live: true, gender });

describe('the live directory', () => {
  it('can be browsed by a guest, as soon as somebody is live [A-306]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const performer = await site.performer();
    expect(await namesIn(guest)).not.toContain(performer.username);
    await performer.call(setDetails, { title: 'Hello there', tags: ['Dance'] });
    await performer.goesLive();
    const { userList, totalCount, perPageCount, page, responseCode, isSearchEmpty } = await listing(guest);
    expect(userList.find(({ username }) => username === performer.username)).toEqual({
      id: performer.id,
      username: performer.username,
      displayName: performer.person.displayName,
      gender: 'f',
      status: 'online',
      subjectText: 'Hello there',
      viewerCount: 0,
      languages: [],
      tagList: ['dance'],
      thumbUrl: performer.person.avatarUrl,
      liveThumbUrl: null,
      isNew: true,
      flagList: ['new'],
      region: null,
      country: null,
      ageRange: null,
      ethnicity: null,
      voyeur: null,
      privatePrice: null,
      spyPrice: null,
      rating: null,
      followers: 0,
      reasons: ['newcomer', 'fresh'],
      lastLiveAt: null,
    });
    expect({ totalCount, perPageCount, page, responseCode, isSearchEmpty }).toEqual({
      totalCount: userList.length,
      perPageCount: 98,
      page: 1,
      responseCode: 200,
      isSearchEmpty: false,
    });
    await performer.call(setDetails, { title: 'Something else', tags: [] });
    await site.settle();
    const changed = (await listing(guest)).userList.find(({ id }) => id === performer.id);
    expect(changed).toMatchObject({ subjectText: 'Something else', tagList: [] });
    await performer.call(endBroadcast, {});
    await site.settle();
    expect(await namesIn(guest)).not.toContain(performer.username);
  });

  it('lists a reconnecting performer during the grace period', async () => {
    const viewer = await site.viewer();
    const performer = await site.performer({ live: true });
    const { stream } = await playbackOf(viewer, performer);
    const status = async (): Promise<string | undefined> =>
      (await listing(viewer)).userList.find(({ id }) => id === performer.id)?.status;
    site.engine.drop(stream, 'silent');
    await site.settle();
    expect(await status()).toBe('reconnecting');
    await performer.goesLive();
    expect(await status()).toBe('online');
    site.engine.drop((await playbackOf(viewer, performer)).stream, 'silent');
    await site.settle();
    await site.passes(30_000);
    expect(await status()).toBeUndefined();
  });

  it('names a live thumbnail while there is a public one, each at an address of its own', async () => {
    const viewer = await site.viewer();
    const performer = await site.performer({ live: true });
    const { username } = performer;
    const url = async (): Promise<string | null | undefined> =>
      (await listing(viewer)).userList.find(({ id }) => id === performer.id)?.liveThumbUrl;
    const stream = async (): Promise<string> => (await playbackOf(performer, performer)).stream;
    expect(await url()).toBeNull();
    site.outputs.photograph(await stream());
    const first = await url();
    expect(first).toMatch(new RegExp(`^/thumbs/t/${username}\\?v=\\d+$`, 'u'));
    expect((await viewer.request({ method: 'GET', url: first ?? '' })).statusCode).toBe(200);
    await site.passes(15_000);
    expect(await url()).toBe(first);
    site.outputs.photograph(await stream());
    expect(await url()).not.toBe(first);

    const old = await stream();
    await site.services.broadcast.move(site.scope, performer.id, 'private');
    await site.settle();
    // A thumbnail that was in flight when the show began, and one of the show itself.
    for (const name of [old, await stream()]) site.outputs.photograph(name);
    expect(await url()).toBeNull();
    expect((await listing(viewer)).userList.find(({ id }) => id === performer.id)?.status).toBe('private');
  });

  it('names no thumbnail behind a camera password', async () => {
    const viewer = await site.viewer();
    const performer = await site.performer({ live: true });
    const { username } = performer;
    site.outputs.photograph((await playbackOf(performer, performer)).stream);
    const url = async (): Promise<string | null | undefined> =>
      (await listing(viewer)).userList.find(({ id }) => id === performer.id)?.liveThumbUrl;
    expect(await url()).toContain(`/thumbs/t/${username}`);
    await performer.call(saveRoomSettings, { username, camPassword: 'candle light' });
    await site.settle();
    expect(await url()).toBeNull();
    await performer.call(saveRoomSettings, { username, camPassword: null });
    await site.settle();
    expect(await url()).toContain(`/thumbs/t/${username}`);
  });

  it('has a listing for each gender, and hides men and trans elsewhere by default', async () => {
    const viewer = await site.viewer();
    const [girl, couple] = [await liveOf('f'), await liveOf('c')];
    const [man, trans] = [await liveOf('m'), await liveOf('t')];
    const everybody = [girl, couple, man, trans].map(({ username }) => username);
    const shown = async (path: string, more: object = {}): Promise<string[]> => {
      const names = await namesIn(viewer, path, more);
      return everybody.filter((username) => names.includes(username));
    };
    expect(await shown('girls')).toEqual([girl.username]);
    expect(await shown('couples')).toEqual([couple.username]);
    expect(await shown('men')).toEqual([man.username]);
    expect(await shown('trans')).toEqual([trans.username]);
    for (const path of ['', 'top']) expect(await shown(path)).toEqual([girl.username, couple.username]);
    expect(await shown('', { 'gender-hide': '' })).toEqual(everybody);
    expect(await shown('', { 'gender-hide': 'f,c' })).toEqual([man.username, trans.username]);
  });

  it('has pages without repetition or gaps', async () => {
    const viewer = await site.viewer();
    for (let more = 0; more < 3; more += 1) await liveOf('c');
    const all = await listing(viewer, 'couples');
    expect(all.totalCount).toBe(all.userList.length);
    const paged: string[] = [];
    for (let p = 1; p <= all.totalCount; p += 1) {
      const page = await listing(viewer, 'couples', { p, perPage: 1 });
      expect(page).toMatchObject({ totalCount: all.totalCount, perPageCount: 1, page: p });
      paged.push(...page.userList.map(({ username }) => username));
    }
    expect(paged).toEqual(all.userList.map(({ username }) => username));
    const after = await listing(viewer, 'couples', { p: all.totalCount + 1, perPage: 1 });
    expect(after).toMatchObject({ userList: [], totalCount: all.totalCount });
    expect((await listing(viewer, 'top')).perPageCount).toBe(20);
    expect((await listing(viewer, 'top', { perPage: 98 })).perPageCount).toBe(20);
  });

  it('lists performers with viewers first in the order of viewers', async () => {
    const viewer = await site.viewer();
    const [, second] = [await liveOf('t'), await liveOf('t')];
    const socket = await viewer.joins(second);
    const [first, ...others] = (await listing(viewer, 'trans', { sort: 'viewers' })).userList;
    expect(first).toMatchObject({ username: second.username, viewerCount: 1 });
    expect(others.map(({ viewerCount }) => viewerCount)).toEqual(others.map(() => 0));
    await socket.leaves();
  });

  it('calls performers new for thirty days', async () => {
    const performer = await site.performer();
    await site.passes(30 * DAY_MS);
    const back = await site.anotherTabOf(performer);
    await performer.goesLive();
    const entry = (await listing(back)).userList.find(({ id }) => id === performer.id);
    expect(entry).toMatchObject({ isNew: false });
  });

  it('refuses other paths and impossible pages', async () => {
    const viewer = await site.viewer();
    for (const path of ['boys', 'girls/old', 'girls/new/x', '..', '__proto__', 'GIRLS', '%00']) {
      expect(await viewer.refused(browseLive, { path })).toMatchObject({ status: 404 });
    }
    for (const wrong of [{ p: 0 }, { p: -1 }, { p: 1.5 }, { p: 'x' }, { perPage: 99 }, { perPage: 0 }]) {
      expect((await viewer.refused(browseLive, { path: '', ...wrong })).errorType).toBe('invalid_input');
    }
  });
});

describe('a listing reveals nothing', () => {
  it('before the age gate is open: no name, no image, no count', async () => {
    await site.performer({ live: true });
    const closed = { userList: [], totalCount: 0, isSearchEmpty: true };
    expect(await listing(await site.visitor())).toMatchObject(closed);
    for (const region of ['US-FL', 'FR', 'unknown', 'GB']) {
      expect(await listing(await site.viewer({ region })), region).toMatchObject(closed);
    }
  });

  it('of performers who blocked the viewer’s region, not even in the total', async () => {
    const performer = await site.performer({ live: true });
    const home = await site.visitor({ region: 'BR', ofAge: true });
    const abroad = await site.visitor({ region: 'PT', ofAge: true });
    const before = await listing(home);
    expect(before.userList.map(({ id }) => id)).toContain(performer.id);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['BR']));
    await site.settle();
    const after = await listing(home);
    expect(after.totalCount).toBe(before.totalCount - 1);
    expect(JSON.stringify(after)).not.toContain(performer.username);
    expect(await namesIn(abroad)).toContain(performer.username);
    expect(await namesIn(performer)).toContain(performer.username);
    expect(await namesIn(await site.admin({ region: 'BR' }))).toContain(performer.username);
  });

  it('of performers who were suspended or lost their clearance', async () => {
    const viewer = await site.viewer();
    const admin = await site.admin();
    const [revoked, suspended] = [await site.performer({ live: true }), await site.performer({ live: true })];
    await admin.call(decideClearance, { username: revoked.username, decision: 'revoke', reason: 'a test' });
    const order = { suspended: true, actorId: admin.id, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, suspended.id, order));
    await site.settle();
    const names = await namesIn(viewer);
    expect(names).not.toContain(revoked.username);
    expect(names).not.toContain(suspended.username);
    expect(await namesIn(admin)).not.toContain(revoked.username);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
