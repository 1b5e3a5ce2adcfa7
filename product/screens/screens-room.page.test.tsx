import { implement } from '#platform/contract/extension-point.ts';
import { authorize, authorizeFailed, authorizeSuccess } from '#platform/contract/sockets/lobby.ts';
import { browseLive } from '#product/browse/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { saveRoomSettings, setInvisibleMode } from '#product/rooms/contract/controls.ts';
import { viewConditions, type ViewDecider } from '#product/rooms/extension-points.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import type { Member, TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Sockets that one session may have. */
const SOCKETS = 24;
let shop: Shop;
let site: TestSite;
/** Performers whose room fails to load. */
const broken = new Set<number>();
beforeAll(async () => {
  const faulty: ViewDecider = {
    decides: ['hasCard'],
    of: async (_tx, _caller, performerId) => {
      if (broken.has(performerId)) throw new Error('a fault of the test');
      return { hasCard: false };
    },
  };
  shop = await createShop({ implementations: [implement(viewConditions, faulty)] });
  site = shop.site;
});
afterAll(() => shop.close());

/** The home page as this viewer sees it, with a tile of the performer. */
async function homeWith(performer: Member, viewer: Member, options = {}) {
  await site.settle();
  const page = await openPage(site, viewer, '/girls', options);
  const tile = await page.find('link', new RegExp(performer.person.displayName, 'u'));
  return { page, tile };
}

/** Clicks a tile while queries are held back, checks that the room loads, then releases the queries. */
async function opensLoading(page: Awaited<ReturnType<typeof openPage>>, tile: HTMLElement): Promise<void> {
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => {
    answer = done;
  });
  const holding = site.tx(() => held);
  await page.click(tile);
  await expect.poll(() => page.all('status', 'Loading room')).toHaveLength(1);
  expect(page.all('textbox', 'Message')).toEqual([]);
  expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
  answer();
  await holding;
}

/** The stream status and the HTTP status that the page of a failed room records. */
function storedStatus(shown: HTMLElement): string {
  const { streamStatus, roomError } = shown.closest<HTMLElement>('[data-room-error]')?.dataset ?? {};
  return `${streamStatus} ${roomError}`;
}

/** The rooms that the page of a failed room links to instead, in order. */
async function suggestedOn(page: Awaited<ReturnType<typeof openPage>>): Promise<(string | null)[]> {
  const region = await page.find('region', 'Live right now');
  return page.all('link', undefined, { in: region }).map((link) => link.getAttribute('href'));
}

describe('a room that is opened', () => {
  test('loads, and is then ready [B-135, B-185]', async () => {
    const performer = await site.performer({ live: true });
    const { page, tile } = await homeWith(performer, await site.viewer());
    await opensLoading(page, tile);
    await page.field('Message');
    await page.gone('status', 'Loading room');
    expect((await page.find('group', 'Player')).isConnected).toBe(true);
    expect(page.path).toBe(`/${performer.username}`);
    expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
  });

  test('loads, and then fails with text, suggestions and no second try for 404 [B-321, B-389]', async () => {
    const [performer, live] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const { page, tile } = await homeWith(performer, await site.viewer());
    const { username } = performer;
    await (await site.admin()).call(decideClearance, { username, decision: 'revoke', reason: 'a test' });
    await opensLoading(page, tile);
    expect(storedStatus(await page.find('heading', 'Page not found'))).toBe('user_error 404');
    await page.sees(/^There’s nothing at this address\. Check the spelling/u);
    const links = await suggestedOn(page);
    const { suggestions } = await page.visitor.refused(getRoom, { username });
    expect(links.toSorted()).toEqual((suggestions as string[]).map((name) => `/${name}`).toSorted());
    expect(links).toContain(`/${live.username}`);
    expect(page.all('button', 'Try again')).toEqual([]);
    expect(page.all('textbox', 'Message')).toEqual([]);
  });

  test('says with another status who put this viewer out, why, who else is live [B-321, B-389]', async () => {
    const [performer, live] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const viewer = await site.viewer();
    const { page, tile } = await homeWith(performer, viewer);
    await performer.moderates('ban', viewer, { reason: 'Be kind' });
    await page.click(tile);
    expect(storedStatus(await page.find('heading', 'You’re banned from this room'))).toBe('user_error 403');
    await page.sees('Reason: Be kind');
    await page.sees('This ban is permanent.');
    // The listing still has the performer who barred this viewer; the suggestions do not.
    const { userList } = await viewer.call(browseLive, { path: '' });
    const listed = userList.map(({ username }) => `/${username}`);
    const links = await suggestedOn(page);
    expect(listed.toSorted()).toEqual([...links, `/${performer.username}`].toSorted());
    expect(links).toContain(`/${live.username}`);
    const { status, suggestions } = await viewer.refused(getRoom, { username: performer.username });
    expect([status, links]).toEqual([403, (suggestions as string[]).map((name) => `/${name}`)]);
    expect(page.all('button', 'Try again')).toEqual([]);
  });

  test('fails where the network is down, and is ready at the second try [B-135, B-186]', async () => {
    const performer = await site.performer({ live: true });
    const { page, tile } = await homeWith(performer, await site.viewer());
    const release = page.network.holds(/\/chat\/react\//u);
    await page.click(tile);
    await page.find('status', 'Loading room');
    expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
    page.network.goesDown(true);
    release();
    await page.find('heading', 'This room can’t be opened');
    await page.gone('status', 'Loading room');
    expect(page.all('textbox', 'Message')).toEqual([]);
    page.network.goesDown(false);
    await page.press('Try again');
    await page.field('Message');
    expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
  });

  test('offers a second try when the site is at fault, which loads it [B-186, B-389]', async () => {
    const performer = await site.performer({ live: true });
    const { page, tile } = await homeWith(performer, await site.viewer(), { mayPrint: /500/u });
    broken.add(performer.id);
    await opensLoading(page, tile);
    expect(storedStatus(await page.find('heading', 'This room can’t be opened'))).toBe('user_error 500');
    await page.sees(/^Something went wrong on our side\. Try again, or contact support/u);
    await page.gone('status', 'Loading room');
    expect([page.all('textbox', 'Message'), page.all('region', 'Live right now')]).toEqual([[], []]);
    const retry = await page.find('button', 'Try again');
    broken.delete(performer.id);
    await page.click(retry);
    await page.field('Message');
    expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
  });
});

describe('a socket that is not let in', () => {
  const TEXT = 'You have too many tabs of this site open. Close some to continue.';
  /** Other tabs of the session. */
  const tabsOf = async (viewer: Member, count: number): Promise<void> => {
    for (let tab = 1; tab <= count; tab += 1) await site.socketOf(viewer);
  };
  /** The reasons that the page's socket at a path received for being refused. */
  const refusals = (page: Awaited<ReturnType<typeof openPage>>, path: string): unknown[] =>
    page.network.texts.filter((text) => text.from === 'site' && text.path === path)
      .map(({ text }) => JSON.parse(text) as unknown[]).filter(([name]) => name === 'v3.authorize.failed')
      .map(([, payload]) => payload);

  test('is explained: this session has too many tabs open [C-146]', async () => {
    const viewer = await site.viewer();
    await tabsOf(viewer, SOCKETS);
    const page = await openPage(site, viewer, '/', { mayPrint: /socket/u });
    await page.sees(TEXT);
    expect(refusals(page, '/ws/lobby')[0]).toEqual({ code: 'too_many_sockets' });
    expect(page.path).toBe('/');
  });

  test('receives the code of a token that nobody has, and is closed [C-146]', async () => {
    const socket = await site.openSocket(await site.viewer(), '/ws/lobby');
    socket.send(authorize, { token: 'made up by somebody', version: 'test' });
    expect(await socket.waitFor(authorizeFailed)).toEqual({ code: 'token_invalid' });
    expect(await socket.closing()).toBe(4_002);
    expect(socket.received(authorizeSuccess)).toEqual([]);
  });

  test('is explained in a room, whose chat stays closed [C-327]', async () => {
    const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
    // The page's lobby is the last socket that is accepted.
    await tabsOf(viewer, SOCKETS - 1);
    const page = await openPage(site, viewer, `/${performer.username}`, { mayPrint: /socket/u });
    await page.sees(TEXT);
    expect(refusals(page, '/ws/lobby')).toEqual([]);
    expect(refusals(page, `/ws/room/${performer.username}`)[0]).toEqual({ code: 'too_many_sockets' });
    expect(page.network.hasJoined(performer.username)).toBe(false);
  });
});

describe('a membership that was bought', () => {
  test.each([['vip', 'VIP'], ['super_vip', 'Super VIP']] as const)(
    '%s shows its badge beside the name and hides its member from the list',
    async (bought, badge) => {
      const performer = await site.performer({ live: true });
      const { username } = performer;
      await performer.call(saveRoomSettings, { username, isUserListVisible: true });
      const [viewer, other] = [await site.viewer(), await site.viewer()];
      const listed = async (): Promise<string[]> =>
        Object.keys((await other.call(getRoom, { username })).chatUserList);
      const page = await openRoom(site, performer, performer);
      const socket = await viewer.joins(performer);
      await site.says(socket, 'before');
      await page.sees(/before/u);
      expect(page.shows(badge)).toBe(false);
      expect((await viewer.refused(setInvisibleMode, { level: 1 })).errorType).toBe('may_not_hide');
      await shop.buys(viewer, `membership_${bought}`);
      await site.says(socket, 'after');
      await page.sees(/after/u);
      await page.sees(badge);
      expect(await listed()).toEqual([viewer.username]);
      await viewer.call(setInvisibleMode, { level: 1 });
      expect(await listed()).toEqual([]);
      expect((await viewer.refused(setInvisibleMode, { level: 2 })).errorType).toBe('may_not_hide');
    },
  );
});
