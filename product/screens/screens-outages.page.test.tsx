import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import WebSocket, { WebSocketServer, type ServerOptions } from 'ws';

const LOBBY = '/ws/lobby';
const POSTED = 'POST /api/v1/log/frontend-ws-fail {"server":"localhost"}';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** How often the site accepted the page's lobby. */
const lobbies = (page: Page): number =>
  page.network.texts.filter(({ from, path, text }) =>
    from === 'site' && path === LOBBY && text.includes('"v3.authorize.success"')
  ).length;
const posted = (page: Page): string[] =>
  page.network.sent.filter((text) => text.includes('/log/frontend-ws-fail'));

const isOutage = (line: string): boolean => line.includes('pages cannot reach the sockets');

/** A socket server at an address of its own. */
async function listens(options: ServerOptions = {}): Promise<{ server: WebSocketServer; address: string }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, ...options });
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Cuts the page's sockets while its calls still get through; returns a function that restores them. */
async function losesSockets(page: Page): Promise<() => Promise<void>> {
  let tries = 0;
  const verifyClient = (): boolean => {
    tries += 1;
    return false;
  };
  const { address } = await listens({ verifyClient });
  const before = lobbies(page);
  page.network.movesTo(address);
  await lost(page);
  return async () => {
    expect([tries > 1, lobbies(page)]).toEqual([true, before]);
    page.network.movesTo(await site.address());
    site.clock.advance(1_000);
    await page.until(() => expect(lobbies(page)).toBe(before + 1));
  };
}

/** Waits until the page has noticed that its lobby is lost: its next try then waits for the clock. */
async function lost(page: Page): Promise<void> {
  await page.until(() => expect(page.network.openAt(LOBBY)).toBe(0));
  await page.idle();
}

/** Moves the clock on, second by second, while the lobby is away. */
async function passesAway(page: Page, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 1) {
    site.clock.advance(1_000);
    await lost(page);
  }
}

/** The page posts nothing until 10 s after the lobby was lost; then it posts once, and the site logs it. */
async function postsAfterTenSeconds(page: Page): Promise<void> {
  const counts = (): [number, number] => [posted(page).length, site.log.filter(isOutage).length];
  const [before, logged] = counts();
  await passesAway(page, 9);
  site.clock.advance(999);
  await lost(page);
  expect(counts()).toEqual([before, logged]);
  site.clock.advance(1);
  await page.until(() => expect(counts()).toEqual([before + 1, logged + 1]));
}

test(
  'a page posts nothing when its lobby is back before 10 s, and posts when it is not [A-370, C-425]',
  async () => {
    const page = await openPage(site, await site.viewer(), '/', { socketsByClock: true });
    await page.until(() => expect(lobbies(page)).toBe(1));
    const back = await losesSockets(page);
    await passesAway(page, 8);
    await back();
    // In steps, since the page's sockets answer pings meanwhile.
    for (let at = 0; at < 20; at += 1) {
      site.clock.advance(1_000);
      await page.idle();
    }
    expect(posted(page)).toEqual([]);
    await losesSockets(page);
    await postsAfterTenSeconds(page);
    expect(posted(page)).toEqual([POSTED]);
  },
);

test('a page posts that its lobby stays away after 10 s, once for each outage [A-471]', async () => {
  const page = await openPage(site, await site.viewer(), '/', { socketsByClock: true });
  await page.until(() => expect(lobbies(page)).toBe(1));
  for (const outages of [[POSTED], [POSTED, POSTED]]) {
    const back = await losesSockets(page);
    await postsAfterTenSeconds(page);
    await passesAway(page, 30);
    expect(posted(page)).toEqual(outages);
    await back();
  }
});

/** A proxy between a page and its site that can send what the site never would. */
async function tamperer(): Promise<{ address: string; sends: (path: string, text: string) => void }> {
  const target = (await site.address()).replace(/^http/u, 'ws');
  const { server, address } = await listens();
  const open = new Map<string, WebSocket>();
  server.on('connection', (page, { url = '', headers: { cookie = '', origin = '', host = '' } }) => {
    open.set(url, page);
    const there = new WebSocket(target + url, { headers: { cookie, origin, host } });
    const waiting: string[] = [];
    page.on('message', (data: Buffer) => {
      if (there.readyState === WebSocket.OPEN) there.send(data.toString('utf8'));
      else waiting.push(data.toString('utf8'));
    });
    there.on('open', () => waiting.forEach((text) => there.send(text)));
    there.on('message', (data: Buffer) => page.send(data.toString('utf8')));
    there.on('close', () => page.close());
    page.on('close', () => there.close());
  });
  return { address, sends: (path, text) => open.get(path)?.send(text) };
}

test.each(
  [
    ['an unknown event id [C-389]', ['[77,["x"],1]', '[404,[],2]'], 'socket unknownId'],
    [
      'what it cannot parse [C-390]',
      ['no JSON', '{', '', 'null', '[]', '["v3.x"]'],
      'socket malformed',
    ],
  ] as const,
)('a page logs %s on its console, and its sockets keep running', async (_what, texts, logged) => {
  const [performer, speaker] = [await site.performer({ live: true }), await site.viewer()];
  const socket = await speaker.joins(performer);
  const page = await openRoom(site, await site.viewer(), performer, { mayPrint: /^socket / });
  const room = `/ws/room/${performer.username}`;
  const between = await tamperer();
  page.network.movesTo(between.address);
  await site.says(socket, 'through somebody else');
  await page.sees(/through somebody else/u);
  expect(page.complaints).toEqual([]);
  for (const path of [LOBBY, room]) for (const text of texts) between.sends(path, text);
  await page.until(() => expect(page.complaints).toHaveLength(2 * texts.length));
  for (const line of page.complaints) expect(line.startsWith(logged)).toBe(true);
  // The same sockets stay: none is opened again, and the next message is read.
  const lets = lobbies(page);
  await site.says(socket, 'none the worse for it');
  await page.sees(/none the worse for it/u);
  await page.fill('Message', 'Nor am I');
  (await page.field('Message')).focus();
  await page.keys('{Enter}');
  await page.sees(/Nor am I/u);
  expect([lobbies(page), page.complaints.length]).toEqual([lets, 2 * texts.length]);
});
