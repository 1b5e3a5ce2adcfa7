import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { inRoom, LOBBY, payloads } from '#product/testkit/pages/room-sockets.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('a room that is lost again and again', () => {
  /** Delays of a page whose random numbers are always the least, or the greatest, possible. */
  async function backOffs(rolls: 'least' | 'most', count: number): Promise<readonly number[]> {
    const random = crypto.getRandomValues.bind(crypto);
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      const isOfSockets = array instanceof Uint32Array && array.length === 1;
      return isOfSockets ? array.fill(rolls === 'least' ? 0 : 0xff_ff_ff_ff) : random(array);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const on = await inRoom(site);
    const mend = on.page.network.cuts(on.room);
    const waits: number[] = [];
    for (let loss = 1; loss <= count; loss += 1) {
      await on.page.until(() => expect([on.opened(on.room), on.open()]).toEqual([loss, [1, 0]]));
      waits.push(on.waits());
    }
    mend();
    await on.joined(on.room, 2);
    // After a successful join, the next loss counts as the first.
    on.page.network.cuts(on.room);
    await on.lost(on.room);
    expect(on.waits()).toBe(waits[0]);
    return waits;
  }

  test.each([['least', [50, 100, 200, 400]], ['most', [300, 600, 1_200, 2_400]]] as const)(
    'waits 50 to 300 ms first, the %s it can roll, and twice as long each time [B-248, B-249]',
    async (rolls, waits) => {
      expect(await backOffs(rolls, 4)).toEqual(waits);
    },
  );

  test.each(
    [
      ['least', [50, 100, 200, 400, 800, 1_600, 3_000, 3_000]],
      ['most', [300, 600, 1_200, 2_400, 3_000]],
    ] as const,
  )('waits 3,000 ms at most, also if it rolls the %s [B-250, B-436]', async (rolls, waits) => {
    expect(await backOffs(rolls, waits.length)).toEqual(waits);
  });

  test('waits at random, so that a full room does not come back in one wave [B-248, B-436]', async () => {
    const on = await inRoom(site);
    const waits: number[] = [];
    for (let loss = 1; loss <= 4; loss += 1) {
      const mend = on.page.network.cuts(on.room);
      await on.lost(on.room);
      waits.push(on.waits());
      mend();
      await on.joined(on.room, 1 + loss);
    }
    expect(waits.every((waited) => waited >= 50 && waited <= 300)).toBe(true);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });
});

describe('signs of life', () => {
  test.each(['guest', 'viewer', 'performer'] as const)(
    'the sockets of a %s send a ping every 10 s, and no sooner [A-468, C-420]',
    async (who) => {
      const performer = await site.performer({ live: true });
      const visitor = who === 'performer'
        ? performer
        : who === 'viewer'
        ? await site.viewer()
        : await site.visitor({ ofAge: true });
      const on = await inRoom(site, visitor, performer);
      const pings = (): number[] => [LOBBY, on.room].map((path) => on.sent(path, 'v3.ping').length);
      const pongs = (): number[] => [LOBBY, on.room].map((path) => on.received(path, 'v3.pong').length);
      for (const count of [1, 2, 3]) {
        site.clock.advance(9_999);
        expect(pings()).toEqual([count - 1, count - 1]);
        site.clock.advance(1);
        expect(pings()).toEqual([count, count]);
        await on.page.until(() => expect(pongs()).toEqual([count, count]));
      }
      expect(on.page.network.opened).toEqual([LOBBY, on.room]);
    },
  );

  /** A page with one socket that gets no pong; resolves when the page is connected again. */
  async function getsNoPong(which: 'lobby' | 'room'): Promise<void> {
    const on = await inRoom(site);
    const [path, other] = which === 'lobby' ? [LOBBY, on.room] : [on.room, LOBBY];
    const letThrough = on.page.network.stalls(path);
    site.clock.advance(9_999);
    expect(on.sent(path, 'v3.ping')).toEqual([]);
    site.clock.advance(1);
    expect(on.sent(path, 'v3.ping')).toEqual([{}]);
    await on.page.until(() => expect(on.received(other, 'v3.pong')).toEqual([{}]));
    site.clock.advance(1_999);
    expect([on.page.network.openAt(path), on.page.network.openAt(other)]).toEqual([1, 1]);
    site.clock.advance(1);
    expect([on.page.network.openAt(path), on.page.network.openAt(other)]).toEqual([0, 1]);
    letThrough();
    site.clock.advance(1_000);
    await on.joined(path, 2);
    expect([on.opened(path), on.opened(other)]).toEqual([2, 1]);
  }

  test(
    'a lobby is pinged after 10 s, awaited for 2 s, and opened again without a pong [C-321, C-322]',
    async () => {
      await expect(getsNoPong('lobby')).resolves.toBeUndefined();
    },
  );

  test.each(['lobby', 'room'] as const)(
    'the socket of a %s waits 2 s for a pong, and is then opened again [A-469, C-421]',
    async (which) => {
      await expect(getsNoPong(which)).resolves.toBeUndefined();
    },
  );

  test.each(['lobby', 'room'] as const)(
    'the socket of a %s without a pong within 2 s is logged [A-446]',
    async (which) => {
      const viewer = await site.viewer({ roles: ['remote_logging'] });
      const on = await inRoom(site, viewer);
      const [path, other] = which === 'lobby' ? [LOBBY, on.room] : [on.room, LOBBY];
      on.page.network.stalls(path);
      const posted = (): string[] =>
        on.page.network.sent.filter((text) => text.startsWith('POST /api/v1/log {'));
      const printed = (): readonly string[] =>
        on.page.complaints.filter((line) => line.startsWith('socket noPong'));
      site.clock.advance(10_000);
      await on.page.until(() => expect(on.received(other, 'v3.pong')).toEqual([{}]));
      site.clock.advance(1_999);
      expect([printed(), posted()]).toEqual([[], []]);
      site.clock.advance(1);
      // The console names the socket; what leaves the page names nobody's room.
      expect(printed()).toEqual([`socket noPong ${which === 'lobby' ? 'lobby' : on.username}`]);
      await on.page.until(() => expect(posted()).toEqual(['POST /api/v1/log {"logs":["socket noPong"]}']));
    },
  );

  test('a page answers each ping of the site, and keeps its sockets [A-392, C-316]', async () => {
    const timed = await createSite({ socketsByClock: true });
    onTestFinished(() => timed.close());
    const performer = await timed.performer({ live: true });
    const page = await openRoom(timed, await timed.viewer(), performer, {
      socketsByClock: true,
      mayPrint: /^socket noPong/u,
    });
    const paths = [LOBBY, `/ws/room/${performer.username}`];
    const counts = (from: 'page' | 'site', name: string): number[] =>
      paths.map((path) => payloads(page, from, path, name).length);
    for (const count of [1, 2, 3]) {
      timed.clock.advance(10_000);
      await page.until(() => expect(counts('site', 'v3.ping')).toEqual([count, count]));
      await page.until(() => expect(counts('site', 'v3.pong')).toEqual([count, count]));
      expect(counts('page', 'v3.pong')).toEqual([count, count]);
    }
    for (const path of paths) expect(payloads(page, 'page', path, 'v3.pong')).toEqual([{}, {}, {}]);
    timed.clock.advance(2_000);
    await page.idle();
    expect([page.network.opened, paths.map((path) => page.network.openAt(path))]).toEqual([paths, [1, 1]]);
    // The site closes a socket that answers no ping 2 s after the ping.
    const pass = page.network.stalls(LOBBY);
    const { pongMissing: before } = timed.gateway.counters();
    timed.clock.advance(8_000);
    await page.until(() => expect(payloads(page, 'page', paths[1] ?? '', 'v3.pong')).toHaveLength(4));
    timed.clock.advance(1_999);
    expect(timed.gateway.counters().pongMissing).toBe(before);
    timed.clock.advance(1);
    expect(timed.gateway.counters().pongMissing).toBe((before ?? 0) + 1);
    pass();
  });
});
