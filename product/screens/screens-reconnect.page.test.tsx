import { openPage } from '#product/testkit/pages/open-page.tsx';
import { inRoom, LOBBY, payloads } from '#product/testkit/pages/room-sockets.ts';
import type { SiteOptions } from '#product/testkit/site-options.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

let rooms = 0;
/** A guest in a room of this process; the next process of the site has the same room. */
async function besideAnother(options: SiteOptions = {}) {
  rooms += 1;
  const username = `on_both_processes_${rooms}`;
  const next = await createSite({ clock: site.clock, ...options });
  await site.performer({ live: true, username });
  await next.performer({ username });
  const on = await inRoom(site, await site.visitor({ ofAge: true }), { username });
  return { ...on, next, nextAddress: await next.address() };
}

describe('joining', () => {
  test(
    'a room is discovered, connected, authorized and joined, one after the other [C-172, C-317]',
    async () => {
      const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
      const { username, person: { displayName } } = performer;
      const room = `/ws/room/${username}`;
      await site.settle();
      const page = await openPage(site, viewer, '/girls', { socketsByClock: true });
      const discovers = (): unknown[] => payloads(page, 'page', LOBBY, 'v3.lobby.discover');
      const ofRoom = () => page.network.texts.filter(({ path }) => path === room);
      await page.until(() => expect(payloads(page, 'site', LOBBY, 'v3.lobby.start')).toHaveLength(1));
      const tile = await page.find('link', new RegExp(displayName, 'u'), { in: await page.find('main') });
      expect([discovers(), page.network.opened]).toEqual([[], [LOBBY]]);
      const letAnswer = page.network.stalls(LOBBY);
      await page.click(tile);
      await page.field('Message');
      await page.until(() => expect(discovers()).toEqual([{ room: username }]));
      await page.idle();
      expect(page.network.opened).toEqual([LOBBY]);
      const tokens = () => page.network.sent.filter((text) => text.includes('/user/current'));
      const asked = tokens().length;
      const letToken = page.network.holds(/\/user\/current/u);
      letAnswer();
      await page.until(() => expect(tokens()).toHaveLength(asked + 1));
      expect([page.network.opened, ofRoom()]).toEqual([[LOBBY, room], []]);
      const letIn = page.network.stalls(room);
      letToken();
      await page.until(() => expect(payloads(page, 'page', room, 'v3.authorize')).toHaveLength(1));
      await page.fill('Message', 'Am I in?');
      await page.keys('{Enter}');
      await page.idle();
      expect(ofRoom()).toHaveLength(1);
      expect(await page.field('Message')).toHaveProperty('value', 'Am I in?');
      letIn();
      await page.until(() =>
        expect(payloads(page, 'site', room, 'v3.authorize.success')).toEqual([{
          success: true,
          user: {
            id: viewer.id,
            username: viewer.username,
            display_name: viewer.person.displayName,
            type: 'user',
            user_roles: [],
          },
        }])
      );
      await page.keys('{Enter}');
      await page.sees(/Am I in\?/u, { in: await page.find('list', 'Chat') });
    },
  );

  test('a join that the lobby does not answer is tried again after 1 s [A-473, C-422]', async () => {
    const on = await inRoom(site);
    const letIn = on.page.network.cuts(on.room);
    await on.lost(on.room);
    const letAnswer = on.page.network.stalls(LOBBY);
    on.waits();
    for (const times of [2, 3, 4]) {
      expect(on.joins()).toBe(times);
      site.clock.advance(999);
      expect(on.joins()).toBe(times);
      site.clock.advance(1);
    }
    letIn();
    letAnswer();
    await on.joined(on.room, 2);
    site.clock.advance(3_000);
    expect(on.joins()).toBe(5);
  });

  /** A page whose lobby is not ready until this long after the first second. */
  async function joinsLate(laterMs: number): Promise<void> {
    const on = await besideAnother({ starts: false });
    const { page, next, nextAddress } = on;
    onTestFinished(() => next.close());
    page.network.movesTo(nextAddress);
    await Promise.all([on.lost(LOBBY), on.lost(on.room)]);
    site.clock.advance(1_000);
    await page.until(() => expect(on.received(LOBBY, 'v3.lobby.stop')).toEqual([{}]));
    const before = on.joins();
    site.clock.advance(1_000 + laterMs);
    await next.start();
    await page.until(() => expect(on.received(LOBBY, 'v3.lobby.start')).toEqual([{}, {}]));
    site.clock.advance(99);
    expect([on.joins(), on.opened(on.room)]).toEqual([before, 1]);
    site.clock.advance(1);
    expect(on.joins()).toBe(before + 1);
    await on.joined(on.room, 2);
  }

  test(
    'while the lobby of a starting process is not ready, a join is tried after 100 ms [A-474, C-423]',
    async () => {
      await expect(joinsLate(0)).resolves.toBeUndefined();
    },
  );

  test('… and every 100 ms from then on, until v3.lobby.start lets it through [C-175, C-147]', async () => {
    await expect(joinsLate(1_000)).resolves.toBeUndefined();
  });
});

describe('coming back', () => {
  test(
    'a page that lost both its sockets tries its lobby after 1 s, and joins its room by it [C-173, C-174]',
    async () => {
      const on = await inRoom(site);
      on.page.network.movesTo(await site.address());
      await Promise.all([on.lost(LOBBY), on.lost(on.room)]);
      site.clock.advance(999);
      expect(on.page.network.opened).toEqual([LOBBY, on.room]);
      site.clock.advance(1);
      expect(on.page.network.opened).toEqual([LOBBY, on.room, LOBBY]);
      await on.joined(on.room, 2);
      expect(on.sent(LOBBY, 'v3.lobby.discover')).toEqual([{ room: on.username }, { room: on.username }]);
    },
  );

  test.each([[29_999, 100], [30_000, 1_000]])(
    'a lobby that restarts is tried every 100 ms for 30 s: lost after %d ms, after %d ms [A-470, C-424]',
    async (lostAfterMs, waitMs) => {
      const on = await besideAnother();
      on.page.network.movesTo(on.nextAddress);
      await on.lost(LOBBY);
      site.clock.advance(1_000);
      await on.joined(LOBBY, 2);
      await on.next.close();
      await Promise.all([on.lost(LOBBY), on.lost(on.room)]);
      expect(on.received(LOBBY, 'v3.lobby.restarting')).toEqual([{}]);
      const triesAfter = async (ms: number): Promise<void> => {
        const before = on.opened(LOBBY);
        site.clock.advance(ms - 1);
        expect(on.opened(LOBBY)).toBe(before);
        site.clock.advance(1);
        expect(on.opened(LOBBY)).toBe(before + 1);
        await on.lost(LOBBY);
      };
      for (let tries = 0; tries < 20; tries += 1) await triesAfter(100);
      // For each of these tries the page waits 10 s without an answer.
      site.clock.advance(lostAfterMs - 2_000);
      await on.lost(LOBBY);
      await triesAfter(waitMs);
      for (let tries = 0; tries < 3; tries += 1) await triesAfter(1_000);
    },
  );

  test.each([[29_999, 100], [30_000, 1_000]])(
    'a lobby lost %d ms after it said that it restarts is tried again after %d ms [C-176, C-319]',
    async (afterMs, waitMs) => {
      const on = await besideAnother();
      on.page.network.movesTo(on.nextAddress);
      await on.lost(LOBBY);
      site.clock.advance(1_000);
      await on.joined(LOBBY, 2);
      await on.next.close();
      await on.lost(LOBBY);
      // Meanwhile the page waits 10 s for the answer to each try.
      site.clock.advance(afterMs);
      await on.lost(LOBBY);
      const before = on.opened(LOBBY);
      site.clock.advance(waitMs - 1);
      expect(on.opened(LOBBY)).toBe(before);
      site.clock.advance(1);
      expect(on.opened(LOBBY)).toBe(before + 1);
    },
  );

  test('a process that ends says so, and its pages are at another 100 ms later [C-149, C-319]', async () => {
    const on = await besideAnother();
    on.page.network.movesTo(on.nextAddress);
    await on.lost(LOBBY);
    site.clock.advance(1_000);
    await Promise.all([on.joined(LOBBY, 2), on.joined(on.room, 2)]);
    expect(on.received(LOBBY, 'v3.lobby.restarting')).toEqual([]);
    await on.next.close();
    await Promise.all([on.lost(LOBBY), on.lost(on.room)]);
    expect(on.received(LOBBY, 'v3.lobby.restarting')).toEqual([{}]);
    on.page.network.movesTo(await site.address());
    site.clock.advance(99);
    expect(on.opened(LOBBY)).toBe(2);
    site.clock.advance(1);
    expect(on.opened(LOBBY)).toBe(3);
    await on.joined(LOBBY, 3);
    site.clock.advance(300);
    await on.joined(on.room, 3);
  });

  test.each([[300_000, 1], [300_001, 2]])(
    'a room is joined again 1.5 s after a lobby outage of over 5 min: after %d ms, %d joins [A-472]',
    async (outageMs, joins) => {
      const on = await inRoom(site);
      const mend = on.page.network.cuts(LOBBY);
      for (let at = 1; at <= 29; at += 1) {
        await on.lost(LOBBY);
        site.clock.advance(10_000);
        await on.page.until(() => expect(on.received(on.room, 'v3.pong')).toHaveLength(at));
      }
      await on.lost(LOBBY);
      site.clock.advance(outageMs - 291_000);
      await on.lost(LOBBY);
      mend();
      site.clock.advance(1_000);
      await on.joined(LOBBY, 2);
      await on.page.until(() => expect(on.received(on.room, 'v3.pong')).toHaveLength(30));
      expect([on.joins(), on.open()]).toEqual([1, [1, 1]]);
      site.clock.advance(1_499);
      expect([on.joins(), on.open()]).toEqual([1, [1, 1]]);
      site.clock.advance(1);
      expect(on.joins()).toBe(joins);
      await on.joined(on.room, joins);
      site.clock.advance(5_000);
      expect([on.joins(), on.opened(on.room), on.open()]).toEqual([joins, joins, [1, 1]]);
    },
  );
});
