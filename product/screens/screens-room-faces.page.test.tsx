import { afterAll, beforeAll, expect, test } from 'vitest';
import { setStandby } from '../broadcast/contract.ts';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const OVERLAY = /^Watch .* for free$/u;

/** Nothing shows a text until just before `ms`, and then it is shown. */
async function appearsAfter(page: Page, text: RegExp, ms: number): Promise<void> {
  await site.passes(ms - 1);
  await page.idle();
  expect(page.shows(text)).toBe(false);
  await site.passes(1);
  await page.sees(text);
}

test('offline says since when, and shows who is live instead [B-207]', async () => {
  const [live, performer] = [await site.performer({ live: true }), await site.performer()];
  const page = await openPage(site, await site.viewer(), `/${performer.username}`);
  await page.sees(`${performer.username} is offline`);
  await page.find('link', new RegExp(live.username, 'u'), { in: await page.find('main') });
  expect(await page.problems()).toEqual([]);
});

test('standby is shown as soon as the performer is on it, and until she is not [B-213]', async () => {
  const performer = await site.performer();
  const standby = { domains: ['localhost'], studios: [] };
  await site.tx((tx) => site.services.site.configure(tx, { standby }, null));
  const page = await openRoom(site, await site.viewer(), performer);
  await page.sees(`${performer.username} is offline`);
  await performer.call(setStandby, { on: true });
  await page.sees(`${performer.username} is on standby`);
  expect(await page.problems()).toEqual([]);
  await performer.call(setStandby, { on: false });
  await page.sees(`${performer.username} is offline`);
});

test('a room that is not there shows its status, text and live rooms instead [B-204, B-321]', async () => {
  const live = await site.performer({ live: true });
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/nobody_here');
  await page.find('heading', 'This room can’t be opened');
  expect((await page.find('main')).querySelector('[data-room-error]')).toHaveProperty(
    'dataset.roomError', '404');
  await page.find('heading', 'Live right now');
  await page.find('link', new RegExp(live.username, 'u'), { in: await page.find('main') });
  expect(await page.problems()).toEqual([]);
});

test('a room that is loading says so, and one that fails to load says so and can be tried again [B-205]',
  async () => {
    const performer = await site.performer({ live: true });
    const page = await openPage(site, await site.viewer(), '/');
    const release = page.network.holds(/\/chat\/react\//u);
    await page.press(new RegExp(performer.username, 'u'), { role: 'link', in: await page.find('main') });
    await page.find('status', 'Loading room');
    expect(await page.problems()).toEqual([]);
    page.network.goesDown(true);
    release();
    await page.sees('The room didn’t load. Try again in a moment.');
    page.network.goesDown(false);
    await page.press('Try again');
    await page.sees(/in the room/u);
  });

test('a lost room says so until it is back', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer);
  page.network.goesDown(true);
  await page.until(() => {
    site.clock.advance(1_000);
    expect(page.shows(/Chat connection lost\. Reconnecting/u)).toBe(true);
  });
  expect(await page.problems()).toEqual([]);
  page.network.goesDown(false);
  await page.until(() => {
    site.clock.advance(1_000);
    expect(page.shows(/Chat connection lost/u)).toBe(false);
  });
});

test('a guest watches for 60 s where the address says so, then never again [A-107, A-264]', async () => {
  const performer = await site.performer({ live: true });
  const guest = await site.visitor({ ofAge: true });
  const page = await openPage(site, guest, `/${performer.username}?vidstop=1`);
  await page.sees(/in the room/u);
  await appearsAfter(page, OVERLAY, 60_000);
  expect(await page.problems()).toEqual([]);
});

test('a guest watches for 120 s elsewhere; the chat beside the overlay goes on [A-265, A-479]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openPage(site, await site.visitor({ ofAge: true }), `/${performer.username}`);
  await page.sees(/in the room/u);
  await appearsAfter(page, OVERLAY, 120_000);
  await page.find('button', 'Log in or sign up');
  const viewer = await site.viewer();
  await site.says(await viewer.joins(performer), 'Hello, guest');
  await page.sees(/Hello, guest/u);
});

test('a guest is asked at once where they were asked before, or the address says now [A-266, A-267]',
  async () => {
    const [performer, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, `/${performer.username}?vidstop=now`);
    const waits = async (): Promise<void> => {
      await page.sees(/in the room/u);
      await site.passes(0);
    };
    const goesTo = async (username: string): Promise<void> => {
      await page.press(/^Candela/u, { role: 'link' });
      await page.press(new RegExp(username, 'u'), { role: 'link', in: await page.find('main') });
      await waits();
    };
    await waits();
    await page.sees(OVERLAY);
    await goesTo(performer.username);
    await page.sees(OVERLAY);
    await goesTo(other.username);
    await page.idle();
    expect(page.shows(OVERLAY)).toBe(false);
  });

test('guests are asked, and members never [B-118, B-292]', async () => {
  const performer = await site.performer({ live: true });
  const guest = await site.visitor({ ofAge: true });
  const guests = await openPage(site, guest, `/${performer.username}?vidstop=now`);
  await guests.sees(/in the room/u);
  await site.passes(0);
  await guests.sees(OVERLAY);
  const page = await openPage(site, await site.viewer(), `/${performer.username}?vidstop=now`);
  await page.sees(/in the room/u);
  await site.passes(120_000);
  await page.idle();
  expect(page.shows(OVERLAY)).toBe(false);
});

test('the overlay of a guest covers the video of who is live [B-208]', async () => {
  const [live, away] = [await site.performer({ live: true }), await site.performer()];
  const guest = await site.visitor({ ofAge: true });
  const offline = await openPage(site, guest, `/${away.username}?vidstop=now`);
  await offline.sees(/offline/iu);
  await site.passes(120_000);
  await offline.idle();
  expect(offline.shows(OVERLAY)).toBe(false);
  const page = await openPage(site, guest, `/${live.username}?vidstop=now`);
  await page.sees(/in the room/u);
  await site.passes(0);
  await page.sees(OVERLAY);
  const player = await page.find('group', 'Player');
  const face = (await page.sees(OVERLAY)).closest<HTMLElement>('[data-stream-status]');
  expect([face?.dataset['streamStatus'], player.dataset['phase']]).toEqual(['guest_overlay', 'idle']);
  const member = await openPage(site, await site.viewer(), `/${live.username}?vidstop=now`);
  await member.find('group', 'Player');
  expect(member.shows(OVERLAY)).toBe(false);
});
