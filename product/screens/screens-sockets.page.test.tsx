import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { decideClearance } from '../compliance/contract.ts';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

const LOBBY = '/ws/lobby';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
type Message = [name: string | number, payload: unknown, ...rest: unknown[]];

/** The messages of one direction of the page's sockets at a path, as JSON. */
const messages = (page: Page, from: 'page' | 'site', path: string): Message[] =>
  page.network.texts.filter((one) => one.from === from && one.path === path)
    .map(({ text }) => JSON.parse(text) as Message);
const named = (all: readonly Message[], wanted: string): unknown[] =>
  all.filter(([name]) => name === wanted).map(([, payload]) => payload);
/** Waits for the page's lobby. */
const lobbyJoins = (page: Page): Promise<unknown> => page.until(() => {
  expect(named(messages(page, 'site', LOBBY), 'v3.authorize.success')).toHaveLength(1);
});

test('a page authorizes with a token and its version, and finds its room by the lobby [A-390, C-313]',
  async () => {
    const performer = await site.performer({ live: true });
    const page = await openRoom(site, await site.viewer(), performer);
    const room = `/ws/room/${performer.username}`;
    const [lobbyAsked, ...others] = named(messages(page, 'page', LOBBY), 'v3.authorize');
    expect(others).toEqual([]);
    expect(lobbyAsked).toEqual({ token: expect.stringMatching(/^.{20,}$/u), version: 'test' });
    const [roomAsked] = named(messages(page, 'page', room), 'v3.authorize') as { token: string }[];
    expect(roomAsked)
      .toEqual({ token: expect.stringMatching(/^.{20,}$/u), version: 'test', templates: true });
    expect(roomAsked?.token).not.toBe((lobbyAsked as { token: string }).token);
  });

test('a page discovers the room it shows, and connects to the address it receives [C-314, C-318]',
  async () => {
    const performer = await site.performer({ live: true });
    const page = await openRoom(site, await site.viewer(), performer);
    const { username } = performer;
    expect(named(messages(page, 'page', LOBBY), 'v3.lobby.discover')).toEqual([{ room: username }]);
    expect(named(messages(page, 'site', LOBBY), 'v3.lobby.discovered'))
      .toEqual([{ room: username, url: `ws://localhost/ws/room/${username}` }]);
    expect(page.network.texts.map(({ path }) => path)).toContain(`/ws/room/${username}`);
  });

test('a page pings its lobby and its room every 10 s, and each is answered [A-391, C-315]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer, { socketsByClock: true });
  const paths = [LOBBY, `/ws/room/${performer.username}`];
  const pings = (): number[] => paths.map((path) => named(messages(page, 'page', path), 'v3.ping').length);
  const pongs = (): number[] => paths.map((path) => named(messages(page, 'site', path), 'v3.pong').length);
  for (const count of [1, 2, 3]) {
    site.clock.advance(9_999);
    expect(pings()).toEqual([count - 1, count - 1]);
    site.clock.advance(1);
    expect(pings()).toEqual([count, count]);
    await page.until(() => expect(pongs()).toEqual([count, count]));
  }
  expect(named(messages(page, 'page', LOBBY), 'v3.ping')).toEqual([{}, {}, {}]);
});

test('every message is an array; lines come packed, and are shown from their template [C-215, C-216]',
  async () => {
    const performer = await site.performer({ live: true });
    const page = await openRoom(site, await site.viewer(), performer);
    const room = `/ws/room/${performer.username}`;
    await site.says(await (await site.viewer()).joins(performer), 'As few bytes as can be');
    await page.sees(/As few bytes as can be/u);
    const received = messages(page, 'site', room);
    const line = received.find((message) => JSON.stringify(message).includes('As few bytes as can be'));
    expect(line).toEqual([expect.any(Number), expect.any(Array), expect.any(Number), expect.any(Number)]);
    const listed = named(received, 'v3.events')[0] as { events: { id: number; name: string }[] };
    expect(listed.events).toContainEqual({ id: line?.[0], name: 'v3.chat.message' });
    for (const { text } of page.network.texts) {
      const message = JSON.parse(text) as unknown[];
      expect(Array.isArray(message) && message.length >= 2 && message.length <= 4).toBe(true);
      expect(['string', 'number']).toContain(typeof message[0]);
      expect(typeof message[1]).toBe('object');
    }
  });

test('a decision about a performer’s papers reloads the pages of that account alone [A-380, A-381]',
  async () => {
    const [admin, other] = [await site.admin(), await site.performer({ cleared: false })];
    const performer = await site.performer({ cleared: false });
    const stranger = await site.socketOf(other);
    const page = await openPage(site, performer, '/go-live');
    await page.sees(/Before you can go live, we check your identity/u);
    await lobbyJoins(page);
    const decides = async (decision: 'clear' | 'revoke'): Promise<void> => {
      const main = await page.find('main');
      const { username } = performer;
      await admin.call(decideClearance, { username, decision, reason: 'seen in a test' });
      await site.settle();
      await page.until(() => expect(main.isConnected).toBe(false));
    };
    await decides('clear');
    await page.find('button', /camera/iu);
    await lobbyJoins(page);
    await decides('revoke');
    await page.sees(/Before you can go live, we check your identity/u);
    expect(stranger.events.map(({ name }) => name)).not.toContain('v3.refresh');
  });

test('a page of an old version loads the new one at its next navigation [A-374, C-320]', async () => {
  const next = await createSite({ settings: { version: 'next' } });
  onTestFinished(() => next.close());
  // The same room in the process of the next version, which knows the guest by the sealed cookie.
  const username = 'on_air_all_week';
  for (const one of [site, next]) await one.performer({ live: true, username });
  const page = await openRoom(site, await site.visitor({ ofAge: true }), { username });
  const served = (): unknown[] => named(messages(page, 'site', LOBBY), 'v3.client.version');
  expect(served()).toEqual([]);
  page.network.movesTo(await next.address());
  await page.until(() => expect(served()).toEqual([{ version: 'next' }]));
  const header = await page.find('banner');
  site.clock.advance(60_000);
  await page.idle();
  expect(header.isConnected).toBe(true);
  await page.press(/^Candela/u, { role: 'link' });
  await page.until(() => {
    site.clock.advance(250);
    expect(header.isConnected).toBe(false);
  });
  await page.until(() => expect([page.path, page.all('heading', 'Live now').length]).toEqual(['/', 1]));
});

test('a page whose lobby stays away for 10 s posts it once, and the site logs it once [C-177, C-323]',
  async () => {
    const cut = await createSite();
    onTestFinished(() => cut.close());
    const page = await openPage(cut, await cut.viewer(), '/', { socketsByClock: true });
    await lobbyJoins(page);
    const posted = (): string[] => page.network.sent.filter((one) => one.includes('frontend-ws-fail'));
    const logged = (): string[] => cut.log.filter((line) => line.includes('pages cannot reach the sockets'));
    cut.gateway.close();
    await page.until(() => expect(messages(page, 'site', LOBBY).at(-1)?.[0]).toBe('v3.lobby.restarting'));
    await page.idle();
    cut.clock.advance(9_999);
    await page.idle();
    expect([posted(), logged()]).toEqual([[], []]);
    cut.clock.advance(1);
    await page.until(() => expect(logged()).toHaveLength(1));
    for (let at = 0; at < 12; at += 1) {
      cut.clock.advance(5_000);
      await page.idle();
    }
    expect(posted()).toEqual(['POST /api/v1/log/frontend-ws-fail {"server":"localhost"}']);
    expect(logged()).toHaveLength(1);
  });
