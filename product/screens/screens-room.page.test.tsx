import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { implement } from '../../platform/contract/extension-point.ts';
import { getRoom, saveRoomSettings, setInvisibleMode } from '../rooms/contract.ts';
import { viewConditions, type ViewDecider } from '../rooms/extension-points.ts';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createShop, type Shop } from '../testkit/payments/payments.ts';
import type { Member, TestSite } from '../testkit/site.ts';

/** Sockets that one session may have. */
const SOCKETS = 24;
let shop: Shop;
let site: TestSite;
/** Performers whose room fails to load. */
const broken = new Set<number>();
beforeAll(async () => {
  const faulty: ViewDecider = {
    decides: ['mode'],
    of: async (_tx, _caller, performerId) => {
      if (broken.has(performerId)) throw new Error('a fault of the test');
      return { mode: 'public' };
    },
  };
  shop = await createShop({ implementations: [implement(viewConditions, faulty)] });
  site = shop.site;
});
afterAll(() => shop.close());

/** Home as this viewer sees it, with a tile of the performer. */
async function homeWith(performer: Member, viewer: Member, options = {}) {
  await site.settle();
  const page = await openPage(site, viewer, '/', options);
  const tile = await page.find('link', new RegExp(performer.person.displayName, 'u'));
  return { page, tile };
}

/** Clicks a tile while no query is answered, and sees that the room loads; then the queries are answered. */
async function opensLoading(page: Awaited<ReturnType<typeof openPage>>, tile: HTMLElement): Promise<void> {
  let answer = (): void => undefined;
  const held = new Promise<void>((done) => { answer = done; });
  const holding = site.tx(() => held);
  await page.click(tile);
  await expect.poll(() => page.all('status', 'Loading room')).toHaveLength(1);
  expect(page.all('textbox', 'Message')).toEqual([]);
  expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
  answer();
  await holding;
}

/** The stream status and the HTTP status that the page of a failed room stores. */
function storedStatus(shown: HTMLElement): string {
  const { streamStatus, roomError } = shown.closest<HTMLElement>('[data-room-error]')?.dataset ?? {};
  return `${streamStatus} ${roomError}`;
}

describe('a room that is opened', () => {
  test('loads, and is then ready [B-135, B-185]', async () => {
    const performer = await site.performer({ live: true });
    const { page, tile } = await homeWith(performer, await site.viewer());
    await opensLoading(page, tile);
    await page.field('Message');
    await page.gone('status', 'Loading room');
    expect(page.path).toBe(`/${performer.username}`);
    expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
  });

  test('loads, and then fails with text, suggestions and no second try for 404 [B-321, B-389]', async () => {
    const [performer, live] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const { page, tile } = await homeWith(performer, await site.viewer());
    const suspension = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, performer.id, suspension));
    await opensLoading(page, tile);
    expect(storedStatus(await page.find('heading', 'This room can’t be opened'))).toBe('user_error 404');
    await page.sees('This room does not exist.');
    await page.find('heading', 'Live right now');
    await page.find('link', new RegExp(live.person.displayName, 'u'));
    expect(page.all('button', 'Try again')).toEqual([]);
    expect(page.all('textbox', 'Message')).toEqual([]);
  });

  test('says with another status who put this viewer out, why, and until when', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { page, tile } = await homeWith(performer, viewer);
    await performer.moderates('ban', viewer, { reason: 'Be kind' });
    await page.click(tile);
    expect(storedStatus(await page.find('heading', 'You’re banned from this room'))).toBe('user_error 403');
    await page.sees('Reason: Be kind');
    await page.sees('This ban is permanent.');
    expect(page.all('button', 'Try again')).toEqual([]);
  });

  test('offers a second try when the site is at fault, which loads it [B-135, B-186]', async () => {
    const performer = await site.performer({ live: true });
    const { page, tile } = await homeWith(performer, await site.viewer(), { mayPrint: /500/u });
    broken.add(performer.id);
    await opensLoading(page, tile);
    expect(storedStatus(await page.find('heading', 'This room can’t be opened'))).toBe('user_error 500');
    const retry = await page.find('button', 'Try again');
    broken.delete(performer.id);
    await page.click(retry);
    await page.field('Message');
    expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
  });
});

describe('a socket that is not let in', () => {
  test('is explained: this session has too many tabs open [C-146, C-327]', async () => {
    const viewer = await site.viewer();
    for (let tab = 1; tab <= SOCKETS; tab += 1) await site.socketOf(viewer);
    const page = await openPage(site, viewer, '/', { mayPrint: /socket/u });
    await page.sees('You have too many tabs of this site open. Close some to continue.');
    expect(page.path).toBe('/');
  });
});

describe('a membership that was bought', () => {
  test.each([['vip', 'VIP'], ['super_vip', 'Super VIP']] as const)(
    '%s shows its badge beside the name and hides its member from the list', async (bought, badge) => {
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
    });
});
