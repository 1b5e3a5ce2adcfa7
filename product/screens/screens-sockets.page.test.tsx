import { ping, pong, refresh } from '#platform/contract/sockets/lobby.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { chatMessage } from '#product/rooms/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

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
  page.network.texts.filter((text) => text.from === from && text.path === path)
    .map(({ text }) => JSON.parse(text) as Message);
const named = (all: readonly Message[], wanted: string): unknown[] =>
  all.filter(([name]) => name === wanted).map(([, payload]) => payload);
/** Waits for the page's lobby. */
const lobbyJoins = (page: Page): Promise<unknown> =>
  page.until(() => {
    expect(named(messages(page, 'site', LOBBY), 'v3.authorize.success')).toHaveLength(1);
  });

test(
  'a page authorizes with a token and its version, and finds its room by the lobby [A-390, C-313]',
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
  },
);

test(
  'a page discovers the room it shows, and connects to the address it receives [C-314, C-318]',
  async () => {
    const performer = await site.performer({ live: true });
    const page = await openRoom(site, await site.viewer(), performer);
    const { username } = performer;
    expect(named(messages(page, 'page', LOBBY), 'v3.lobby.discover')).toEqual([{ room: username }]);
    expect(named(messages(page, 'site', LOBBY), 'v3.lobby.discovered'))
      .toEqual([{ room: username, url: `ws://localhost/ws/room/${username}` }]);
    expect(page.network.texts.map(({ path }) => path)).toContain(`/ws/room/${username}`);
  },
);

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
  for (const path of paths) expect(named(messages(page, 'page', path), 'v3.ping')).toEqual([{}, {}, {}]);
});

test(
  'every message is an array; lines come packed, and are shown from their template [C-215, C-216]',
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
  },
);

interface Template {
  readonly id: number;
  readonly fields: readonly { readonly name: string; readonly default?: unknown }[];
}

/** The values of a packed line by its template, decoded bit by bit as the specification says. */
function expanded({ fields }: Template, [, values, bitmask]: readonly unknown[]): unknown {
  const rest = [...values as unknown[]];
  const bits = Number(bitmask).toString(2).split('').toReversed();
  return Object.fromEntries(
    fields.map((field, at) => [field.name, bits[at] === '1' ? rest.shift() : field.default]),
  );
}

/** A packed line of a page, the messages before it, and the same line on a socket without templates. */
async function aPackedLine() {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer);
  const sayer = await (await site.viewer()).joins(performer);
  await site.says(sayer, 'Unfolded by its template');
  await page.sees(/Unfolded by its template/u);
  const received = messages(page, 'site', `/ws/room/${performer.username}`);
  const at = received.findIndex((message) => JSON.stringify(message).includes('Unfolded by its template'));
  const plain = await sayer.waitFor(chatMessage, ({ message }) => message === 'Unfolded by its template');
  return { before: received.slice(0, at), line: received[at] as Message, plain };
}

test(
  'a room page receives v3.templates with templates, by which its lines unfold [C-217, C-355]',
  async () => {
    const { before, line, plain } = await aPackedLine();
    const [sent, ...others] = named(before, 'v3.templates') as { readonly templates: readonly Template[] }[];
    expect([Object.keys(sent ?? {}), others]).toEqual([['templates'], []]);
    const template = sent?.templates.find(({ id }) => id === line[0]) as Template;
    expect(expanded(template, line)).toEqual(plain);
    expect(plain).toMatchObject({ message: 'Unfolded by its template', is_model: false, reply: null });
  },
);

test('a room page receives the events list, which says what its packed lines are [C-218]', async () => {
  const { before, line } = await aPackedLine();
  const lists = named(before, 'v3.events') as { readonly events: readonly { id: number; name: string }[] }[];
  expect(lists).toHaveLength(1);
  expect(lists[0]?.events.filter(({ id }) => id === line[0]))
    .toEqual([{ id: line[0], name: 'v3.chat.message' }]);
  expect(lists[0]?.events.map(({ name }) => name).toSorted())
    .toEqual(['v3.chat.history', 'v3.chat.message', 'v3.chat.user_list']);
});

test('a room whose socket is not let in says why on its page [C-146, C-327]', async () => {
  const [viewer, performer] = [await site.viewer(), await site.performer({ live: true })];
  // A session has 24 sockets: the last is the lobby of the page.
  for (let tab = 1; tab <= 23; tab += 1) await site.socketOf(viewer);
  const page = await openPage(site, viewer, `/${performer.username}`, { mayPrint: /socket/u });
  await page.sees('You have too many tabs of this site open. Close some to continue.');
  expect(named(messages(page, 'site', LOBBY), 'v3.authorize.failed')).toEqual([]);
  const room = messages(page, 'site', `/ws/room/${performer.username}`);
  expect(room[0]).toEqual(['v3.authorize.failed', { code: 'too_many_sockets' }]);
  expect(named(room, 'v3.authorize.success')).toEqual([]);
});

test('an installation sets how many sockets a session has, and the wait for a token [C-428]', async () => {
  const strict = await createSite({
    settings: { socketLimits: { socketsPerSession: 3, authorizeWithinMs: 2_000 } },
    socketsByClock: true,
  });
  onTestFinished(() => strict.close());
  const [viewer, performer] = [await strict.viewer(), await strict.performer({ live: true })];
  const silent = await strict.openSocket(viewer, LOBBY);
  strict.clock.advance(1_999);
  silent.send(ping, {});
  await silent.waitFor(pong);
  strict.clock.advance(1);
  expect(await silent.closing()).toBe(4001);
  for (let tab = 1; tab <= 2; tab += 1) await strict.socketOf(viewer);
  const page = await openPage(strict, viewer, `/${performer.username}`, { mayPrint: /socket/u });
  await page.sees('You have too many tabs of this site open. Close some to continue.');
  await lobbyJoins(page);
});

test(
  'a decision about a performer’s papers reloads the pages of that account alone [A-380, A-381]',
  async () => {
    const [admin, other] = [await site.admin(), await site.performer({ cleared: false })];
    const performer = await site.performer({ cleared: false });
    const stranger = await site.socketOf(other);
    const page = await openPage(site, performer, '/go-live');
    await page.sees(/Before you can go live, we check your identity/u);
    await lobbyJoins(page);
    const decides = async (decision: 'clear' | 'revoke'): Promise<void> => {
      // Each document has a network of its own.
      const { network } = page;
      const { username } = performer;
      await admin.call(decideClearance, { username, decision, reason: 'seen in a test' });
      await page.until(() => expect(page.network).not.toBe(network));
      expect(network.texts.at(-1)).toEqual({ from: 'site', path: LOBBY, text: '["v3.refresh",{}]' });
      expect(page.path).toBe('/go-live');
    };
    await decides('clear');
    await page.find('button', /camera/iu);
    await lobbyJoins(page);
    await decides('revoke');
    await page.sees(/Before you can go live, we check your identity/u);
    expect(stranger.received(refresh)).toEqual([]);
    // The other performer's decision comes the same way, and is the only one received.
    await admin.call(decideClearance, { username: other.username, decision: 'clear', reason: 'a test' });
    await site.settle();
    await stranger.waitFor(refresh);
    expect(stranger.received(refresh)).toEqual([{}]);
  },
);

test('a page of an old version loads the new one at its next navigation [A-374, C-320]', async () => {
  const next = await createSite({ settings: { version: 'next' } });
  onTestFinished(() => next.close());
  // The same room in a process of the next version, which recognizes the guest by the sealed cookie.
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

/** A page whose lobby can be cut, with what it posted and what the site logged about it. */
async function outages() {
  const cut = await createSite();
  onTestFinished(() => cut.close());
  const page = await openPage(cut, await cut.viewer(), '/', { socketsByClock: true });
  await lobbyJoins(page);
  const posted = (): string[] => page.network.sent.filter((text) => text.includes('frontend-ws-fail'));
  const logged = (): string[] => cut.log.filter((line) => line.includes('pages cannot reach the sockets'));
  const lost = (): Promise<void> => page.until(() => expect(page.network.openAt(LOBBY)).toBe(0));
  /** Advances the clock while the lobby's tries fail. */
  const passes = async (ms: number): Promise<void> => {
    cut.clock.advance(ms);
    await lost();
    await page.idle();
  };
  /** The next try of the lobby succeeds. */
  const returns = async (times: number): Promise<void> => {
    cut.clock.advance(1_000);
    await page.until(() => {
      expect(named(messages(page, 'site', LOBBY), 'v3.authorize.success')).toHaveLength(times);
    });
  };
  return { cut, page, posted, logged, lost, passes, returns };
}

test(
  'a page whose lobby stays away for 10 s posts it once, and the site logs it once [C-177, C-323]',
  async () => {
    const { cut, page, posted, logged, lost, passes } = await outages();
    cut.gateway.close();
    await page.until(() => expect(messages(page, 'site', LOBBY).at(-1)?.[0]).toBe('v3.lobby.restarting'));
    await lost();
    await passes(9_999);
    expect([posted(), logged()]).toEqual([[], []]);
    cut.clock.advance(1);
    await page.until(() => expect(logged()).toHaveLength(1));
    for (let at = 0; at < 12; at += 1) await passes(5_000);
    expect(posted()).toEqual(['POST /api/v1/log/frontend-ws-fail {"server":"localhost"}']);
    expect(logged()).toHaveLength(1);
  },
);

test(
  'each time the lobby stays away for 10 s is logged once, and no shorter one is [C-177, C-425]',
  async () => {
    const { cut, page, posted, logged, lost, passes, returns } = await outages();
    // Away for 9 s, then connected again.
    let mend = page.network.cuts(LOBBY);
    await lost();
    await passes(8_000);
    mend();
    await returns(2);
    cut.clock.advance(5_000);
    await page.idle();
    expect([posted(), logged()]).toEqual([[], []]);
    for (const times of [1, 2]) {
      mend = page.network.cuts(LOBBY);
      await lost();
      await passes(9_999);
      expect([posted().length, logged().length]).toEqual([times - 1, times - 1]);
      cut.clock.advance(1);
      await page.until(() => expect(logged()).toHaveLength(times));
      await passes(10_000);
      expect(posted()).toHaveLength(times);
      mend();
      await returns(2 + times);
    }
    expect(logged()).toHaveLength(2);
  },
);
