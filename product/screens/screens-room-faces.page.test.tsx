import { implement } from '#platform/contract/extension-point.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { setStandby } from '#product/broadcast/contract/settings.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { viewConditions, type ViewDecider } from '#product/rooms/extension-points.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
/** Performers who show their video only to members with a card. */
const carded = new Set<number>();
beforeAll(async () => {
  const cards: ViewDecider = {
    decides: ['isCardRequired', 'hasCard'],
    of: async (_tx, _caller, performerId) => ({ isCardRequired: carded.has(performerId), hasCard: false }),
  };
  site = await createSite({ implementations: [implement(viewConditions, cards)] });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const OVERLAY = /^Watch .* for free$/u;

/** The text is not shown until just before `ms`, and is shown then. */
async function appearsAfter(page: Page, text: RegExp, ms: number): Promise<void> {
  await site.passes(ms - 1);
  await page.idle();
  expect(page.shows(text)).toBe(false);
  await site.passes(1);
  await page.sees(text);
}

/** The stream status of whatever is shown in place of the video. */
const faceOf = async (page: Page): Promise<string | undefined> =>
  (await page.find('main'))
    .querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];

/** An admin allows standby to performers of this domain. */
async function allowsStandby(): Promise<void> {
  const reason = 'seen in a test';
  await (await site.admin()).call(changeOperatorRules, { standby_domains: ['localhost'], reason });
}

test('offline says since when, and shows who is live instead [B-207]', async () => {
  const [live, performer] = [await site.performer({ live: true }), await site.performer({ live: true })];
  const page = await openRoom(site, await site.viewer(), performer);
  expect(await faceOf(page)).toBe('online');
  await performer.call(endBroadcast, {});
  await page.sees(`${performer.username} is offline`);
  expect(await faceOf(page)).toBe('offline');
  await page.sees(/^Last live/u);
  await page.find('link', new RegExp(live.username, 'u'), { in: await page.find('main') });
  expect(await page.problems()).toEqual([]);
  const again = await openPage(site, await site.viewer(), `/${performer.username}`);
  await again.sees(`${performer.username} is offline`);
  expect(await faceOf(again)).toBe('offline');
  // Everybody is asked for the password first.
  await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
  await again.sees('This room is password-protected');
  expect(again.shows(`${performer.username} is offline`)).toBe(false);
});

test('standby is shown as soon as the performer is on it, and until she is not [B-213]', async () => {
  const performer = await site.performer();
  await allowsStandby();
  const page = await openRoom(site, await site.viewer(), performer);
  await page.sees(`${performer.username} is offline`);
  await performer.call(setStandby, { on: true });
  await page.sees(`${performer.username} is on standby`);
  expect(await faceOf(page)).toBe('standby');
  expect(await page.problems()).toEqual([]);
  await performer.call(setStandby, { on: false });
  await page.sees(`${performer.username} is offline`);
  await performer.call(setStandby, { on: true });
  await page.sees(`${performer.username} is on standby`);
  await performer.goesLive();
  await page.until(() => expect(page.shows(`${performer.username} is on standby`)).toBe(false));
  expect(await faceOf(page)).toBe('online');
});

test('a room that is not there shows its status, text and live rooms instead [B-204, B-321]', async () => {
  const live = await site.performer({ live: true });
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/nobody_here');
  await page.find('heading', 'Page not found');
  expect(page.shows(/room/iu)).toBe(false);
  const { roomError, streamStatus } = (await page.find('main'))
    .querySelector<HTMLElement>('[data-room-error]')?.dataset ?? {};
  expect([roomError, streamStatus]).toEqual(['404', 'user_error']);
  await page.find('heading', 'Live right now');
  await page.find('link', new RegExp(live.username, 'u'), { in: await page.find('main') });
  expect(await page.problems()).toEqual([]);
});

test(
  'a room that is loading says so, and one that fails to load says so and can be tried again [B-205]',
  async () => {
    const performer = await site.performer({ live: true });
    const page = await openPage(site, await site.viewer(), '/girls');
    const release = page.network.holds(/\/chat\/react\//u);
    await page.press(new RegExp(performer.username, 'u'), { role: 'link', in: await page.find('main') });
    const { dataset } = await page.find('status', 'Loading room');
    expect(dataset['streamStatus']).toBe('user_loading');
    expect(await page.problems()).toEqual([]);
    page.network.goesDown(true);
    release();
    await page.sees('The room didn’t load. Try again in a moment.');
    page.network.goesDown(false);
    await page.press('Try again');
    await page.sees(/in the room/u);
  },
);

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

test.each([['1', 60_000], ['2', 120_000], ['x', 120_000]] as const)(
  'vidstop=%s lets a guest watch for %d ms [A-107, A-479]',
  async (vidstop, ms) => {
    const performer = await site.performer({ live: true });
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, `/${performer.username}?vidstop=${vidstop}`);
    await page.sees(/in the room/u);
    await appearsAfter(page, OVERLAY, ms);
  },
);

test('vidstop=now asks a guest at once [A-107]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openPage(
    site,
    await site.visitor({ ofAge: true }),
    `/${performer.username}?vidstop=now`,
  );
  await page.sees(/in the room/u);
  await site.passes(0);
  await page.sees(OVERLAY);
});

test('a guest watches for 60 s where the address says so [A-264]', async () => {
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
  const viewer = await site.viewer();
  await site.says(await viewer.joins(performer), 'Hello, guest');
  await page.sees(/Hello, guest/u);
});

test('another word for vidstop changes nothing: a guest watches for 120 s [A-265]', async () => {
  const performer = await site.performer({ live: true });
  const page = await openPage(site, await site.visitor({ ofAge: true }), `/${performer.username}?vidstop=2`);
  await page.sees(/in the room/u);
  await appearsAfter(page, OVERLAY, 120_000);
});

test(
  'a guest is asked at once where they were asked before, or the address says now [A-266, A-267]',
  async () => {
    const [performer, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const guest = await site.visitor({ ofAge: true });
    const first = await openPage(site, guest, `/${performer.username}?vidstop=now`);
    const isAskedAtOnce = async (page: Page): Promise<void> => {
      await page.sees(/in the room/u);
      await page.idle();
      await site.passes(0);
      await page.sees(OVERLAY);
    };
    const goesTo = async (page: Page, username: string): Promise<void> => {
      await page.press('Girls', { role: 'link', in: await page.find('banner') });
      await page.press(new RegExp(username, 'u'), { role: 'link', in: await page.find('main') });
      await page.sees(/in the room/u);
      await page.idle();
    };
    await isAskedAtOnce(first);
    // On another day, in the same browser: this performer's overlay was seen, the other's was not.
    first.leave();
    guest.storage.session.clear();
    const page = await openPage(site, guest, `/${performer.username}`);
    await isAskedAtOnce(page);
    await goesTo(page, other.username);
    await site.passes(119_999);
    // The viewer left before the overlay came, so it does not count as seen there.
    await goesTo(page, performer.username);
    await isAskedAtOnce(page);
    await goesTo(page, other.username);
    await appearsAfter(page, OVERLAY, 120_000);
    await goesTo(page, performer.username);
    await isAskedAtOnce(page);
    // An overlay that appeared by itself counts as seen, too.
    await goesTo(page, other.username);
    await isAskedAtOnce(page);
    page.leave();
    guest.storage.session.clear();
    await isAskedAtOnce(await openPage(site, guest, `/${other.username}?vidstop=1`));
  },
);

test('a guest who is asked logs in there, and watches on [B-118, B-292]', async () => {
  const performer = await site.performer({ live: true });
  const { person } = await site.viewer();
  const guest = await site.visitor({ ofAge: true });
  const page = await openPage(site, guest, `/${performer.username}?vidstop=now`);
  await page.sees(/in the room/u);
  await site.passes(0);
  await page.sees(OVERLAY);
  await page.press('Log in or sign up');
  const dialog = await page.find('dialog', 'Log in');
  await page.find('button', 'Sign up', { in: dialog });
  await page.fill('Username or email', person.username, { in: dialog });
  await page.fill('Password', 'correct horse battery', { in: dialog });
  await page.press('Log in', { in: dialog });
  await page.find('button', /’s account$/u);
  await page.until(() => expect(page.shows(OVERLAY)).toBe(false));
  const { dataset } = await page.find('group', 'Player');
  await page.until(() => expect(dataset['phase']).not.toBe('idle'));
  expect(page.path).toBe(`/${performer.username}?vidstop=now`);
});

test('guests are asked, and members never [B-118, B-292]', async () => {
  const performer = await site.performer({ live: true });
  const guest = await site.visitor({ ofAge: true });
  const guests = await openPage(site, guest, `/${performer.username}`);
  await guests.sees(/in the room/u);
  await appearsAfter(guests, OVERLAY, 120_000);
  const page = await openPage(site, await site.viewer(), `/${performer.username}?vidstop=now`);
  await page.sees(/in the room/u);
  await site.passes(120_000);
  await page.idle();
  expect(page.shows(OVERLAY)).toBe(false);
});

test('the overlay of a guest comes after a password, and before cards and standby [B-208]', async () => {
  const performer = await site.performer();
  await allowsStandby();
  await performer.call(setStandby, { on: true });
  const guest = await site.visitor({ ofAge: true });
  const page = await openPage(site, guest, `/${performer.username}`);
  await page.sees(`${performer.username} is on standby`);
  await appearsAfter(page, OVERLAY, 120_000);
  expect([page.shows(`${performer.username} is on standby`), await faceOf(page)])
    .toEqual([false, 'guest_overlay']);
  const second = await site.performer({ live: true });
  carded.add(second.id);
  const asked = await openPage(site, guest, `/${second.username}?vidstop=1`);
  await asked.sees('Verified members only');
  await appearsAfter(asked, OVERLAY, 60_000);
  expect([asked.shows('Verified members only'), await faceOf(asked)]).toEqual([false, 'guest_overlay']);
  await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
  const locked = await openPage(site, guest, `/${performer.username}?vidstop=now`);
  await locked.sees(/password/iu);
  await site.passes(120_000);
  await locked.idle();
  expect(locked.shows(OVERLAY)).toBe(false);
});

test('the panel of a name in capitals with spaces around it is the performer’s [B-106, B-288]', async () => {
  const performer = await site.performer({ live: true, username: 'velvet_hour' });
  const page = await openPage(site, await site.viewer(), '/%20VELVET_Hour%20');
  const panel = await page.find('group', 'Player');
  await page.sees(/in the room/u);
  await page.until(() => {
    expect(panel.dataset['phase']).not.toBe('idle');
    const asked = page.network.sent.filter((text) => text.includes('/video/playback/'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((text) => !text.includes(`/video/playback/${performer.username}`))).toEqual([]);
  });
  expect(page.all('heading', 'This room can’t be opened')).toEqual([]);
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
