import { endBroadcast, getOwnBroadcast } from '#product/broadcast/contract.ts';
import { browseLive } from '#product/browse/contract.ts';
import { getBio, multiFilter } from '#product/browse/contract/search.ts';
import { getHidden, hideMe, showMe } from '#product/compliance/contract.ts';
import { follow } from '#product/messaging/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const NOW = 'End everything and hide me now';

/** The places where a visitor sees somebody. */
async function placesOf(visitor: Visitor, { username }: Pick<Member, 'username'>): Promise<string[]> {
  const names = (list: { readonly userList: readonly { readonly username: string }[] }): string[] =>
    list.userList.map((entry) => entry.username);
  const live = names(await visitor.call(browseLive, { path: '' }));
  const found = names(await visitor.call(multiFilter, { q: username }));
  const [room, bio] = await Promise.all([`chat/react/${username}`, `browse/bio/${username}`]
    .map((path) => visitor.request({ url: `/api/v1/${path}` })));
  return [
    ...(live.includes(username) ? ['live'] : []),
    ...(found.includes(username) ? ['search'] : []),
    ...(room?.statusCode === 200 ? ['room'] : []),
    ...(bio?.statusCode === 200 ? ['bio'] : []),
  ];
}

/** Publishes like an encoder that goes on sending. */
async function publishes(performer: Member) {
  const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
  return performer.request({
    method: 'POST',
    url: '/whip',
    payload: TEST_OFFER,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
  });
}

describe('a performer who hides', () => {
  test('is gone with two presses in the console, and is back with one', async () => {
    const performer = await site.performer({ live: true });
    const [viewer, guest] = [await site.viewer(), await site.visitor({ ofAge: true })];
    const everywhere = ['live', 'search', 'room', 'bio'];
    for (const who of [viewer, guest]) expect(await placesOf(who, performer)).toEqual(everywhere);
    const page = await openPage(site, performer, '/go-live');
    await page.find('heading', 'Performer console');
    await page.press('Hide me');
    expect(await page.problems()).toEqual([]);
    await page.press(NOW, { in: await page.find('alertdialog', 'Hide from everybody?') });
    await page.find('heading', 'Nobody can see you');
    await site.settle();
    expect(await page.problems()).toEqual([]);
    expect(await performer.call(getOwnBroadcast, {})).toMatchObject({ state: 'offline' });
    const moderator = await site.viewer({ roles: ['site_mod', 'model_admin'] });
    for (const who of [viewer, guest, moderator]) expect(await placesOf(who, performer)).toEqual([]);
    const { username } = performer;
    expect((await viewer.refused(follow, { username })).errorType).toBe('performer_unknown');
    // An encoder that goes on sending does not show the performer again.
    const sent = await publishes(performer);
    expect([sent.statusCode, sent.json<{ errorType: string }>().errorType]).toEqual([403, 'hidden_now']);
    await site.passes(3_600_000);
    expect(await placesOf(guest, performer)).toEqual([]);
    await page.press('Show me again');
    await page.gone('heading', 'Nobody can see you');
    await site.settle();
    expect(await performer.call(getHidden, {})).toEqual({ hidden: false, since: null });
    expect(await placesOf(guest, performer)).toEqual(['search', 'room', 'bio']);
    await performer.goesLive();
    await site.settle();
    expect(await placesOf(guest, performer)).toEqual(everywhere);
    await performer.call(endBroadcast, {});
  });

  test('does so from the account menu of any page, and sees on the go-live page that it lasts', async () => {
    const performer = await site.performer({ live: true });
    const page = await openPage(site, performer, '/');
    await page.press(new RegExp(performer.person.displayName, 'u'), { in: await page.find('banner') });
    await page.press(NOW, { role: 'menuitem' });
    await page.find('dialog', 'Nobody can see you');
    await site.settle();
    expect(await placesOf(await site.visitor({ ofAge: true }), performer)).toEqual([]);
    const live = await openPage(site, performer, '/go-live');
    await live.find('heading', 'Nobody can see you');
    expect(await live.problems()).toEqual([]);
    await live.press('Show me again');
    await live.gone('heading', 'Nobody can see you');
    await site.settle();
    expect(await placesOf(await site.visitor({ ofAge: true }), performer)).toEqual(['search', 'room', 'bio']);
  });

  test('has gone offline for a viewer in the room, and nothing more is said', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const bystander = await (await site.viewer()).joins(performer);
    const page = await openRoom(site, viewer, performer);
    await performer.call(hideMe, {});
    await page.sees(`${performer.person.displayName} is offline`);
    expect(page.shows('hidden')).toBe(false);
    expect(await page.problems()).toEqual([]);
    await site.settle();
    expect(bystander.closeCode).not.toBeNull();
    expect((await viewer.refused(getRoom, { username: performer.username })).errorType).toBe('room_unknown');
    // The performer may still enter, and so may admins.
    expect((await performer.call(getRoom, { username: performer.username })).user.username)
      .toBe(performer.username);
    const admin = await site.admin();
    expect(await placesOf(admin, performer)).toContain('room');
    expect((await viewer.refused(getBio, { username: performer.username })).status).toBe(404);
  });

  test('alone decides that: it is no call of guests, viewers or staff', async () => {
    const performer = await site.performer({ live: true });
    for (const [who, status] of [
      [await site.visitor({ ofAge: true }), 401],
      [await site.viewer(), 403],
      [await site.admin(), 403],
    ] as const) {
      for (const one of [getHidden, hideMe, showMe]) expect((await who.refused(one, {})).status).toBe(status);
    }
    await (await site.performer()).call(hideMe, {});
    expect(await placesOf(await site.visitor({ ofAge: true }), performer)).toContain('live');
    const { username } = performer;
    expect((await performer.refused(hideMe, { username })).status).toBe(422);
  });
});
