import { toastsOf } from '#product/testkit/pages/look/toasts.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { countsTones } from '#product/testkit/pages/window/tones.ts';
import { mediaPasses, privatePerformer, watches } from '#product/testkit/shows/private-show.ts';
import { sharecamWish } from '#product/testkit/shows/sharecam.ts';
import { offersTickets } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startGroupGoal } from './contract/group-goal.ts';
import { endPrivate } from './contract/private-running.ts';
import {
  checkPrivate,
  getPrivateRequests,
  requestPrivate,
  withdrawPrivate,
} from './contract/private-show.ts';
import { getShowSettings, saveShowSettings } from './contract/settings.ts';
import { requestSharecam } from './contract/sharecam.ts';

let site: TestSite;
/** Counts the tones that were started. */
let tones = { count: 0 } as ReturnType<typeof countsTones>;
beforeAll(async () => {
  site = await createSite();
});
beforeEach(() => {
  tones = countsTones();
});
afterAll(() => site.close());

/** A page with a lost socket polls every 5 s. */
const AWAY = { timeout: 20_000, interval: 100 };

/** A live performer who offers private shows at 60 tokens a minute. */
const offering = (): Promise<Member> => privatePerformer(site, { pricePerMinuteInToken: 60 });

test('the name of who asks opens their card, in the room and beside it', async () => {
  const performer = await offering();
  const viewer = await site.viewer({ tokens: 300 });
  await viewer.joins(performer);
  await viewer.call(requestPrivate, { username: performer.username, price: 60 });
  const page = await openRoom(site, performer, performer);
  const list = await page.find('list', 'Private show requests');
  await page.press(viewer.username, { in: list });
  const card = await page.find('dialog', viewer.person.displayName);
  await page.sees(`@${viewer.username}`, { in: card });
  expect(await page.problems()).toEqual([]);
});

test('a performer sees who waits, with price and band of the balance, and answers by keys', async () => {
  const performer = await offering();
  const [first, second] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 1_000 })];
  const page = await openRoom(site, performer, performer);
  expect(page.all('heading', 'Private show requests')).toEqual([]);
  await first.call(requestPrivate, { username: performer.username, price: 60 });
  const list = await page.find('list', 'Private show requests');
  await page.until(() => expect(tones.count).toBeGreaterThan(0));
  await page.sees('Balance for up to 5 min', { in: list });
  await page.sees('60 tokens', { in: list });
  await second.call(requestPrivate, { username: performer.username, price: 60 });
  await page.sees('Balance for up to 60 min', { in: list });
  expect(page.all('listitem', undefined, { in: list }).map((element) => element.textContent.includes('300')))
    .toEqual([false, false]);
  expect(await page.problems()).toEqual([]);
  await page.keys('{Alt>}{Shift>}[KeyD]{/Shift}{/Alt}');
  await page.until(async () =>
    expect((await performer.call(getPrivateRequests, {})).requests.map(({ username }) => username))
      .toEqual([second.username])
  );
  await page.keys('{Alt>}{Shift>}[KeyA]{/Shift}{/Alt}');
  await page.sees(`Starting. The meter begins when the video reaches ${second.username}.`);
});

test('the keys that answer are named where there is a keyboard, and not to who touches', async () => {
  const performer = await offering();
  const viewer = await site.viewer({ tokens: 300 });
  await viewer.call(requestPrivate, { username: performer.username, price: 60 });
  const page = await openRoom(site, performer, performer);
  const keys = 'Oldest request: Alt+Shift+A accepts, Alt+Shift+D declines.';
  await page.sees(keys);
  const touched = await openRoom(site, performer, performer, { isTouch: true });
  await touched.find('list', 'Private show requests');
  expect(touched.shows(keys)).toBe(false);
});

/** A performer's page whose socket was lost and does not come back. */
async function openCutOff(performer: Member, path: string) {
  const page = await openPage(site, performer, path, { socketsByClock: true });
  const lobby = '/ws/lobby';
  await page.until(() => expect(page.network.openAt(lobby)).toBe(1));
  await page.idle();
  // Nothing listens there.
  page.network.movesTo('http://127.0.0.1:9');
  await page.until(() => expect(page.network.openAt(lobby)).toBe(0));
  return page;
}

test('a console whose socket is away reads what it shows itself', async () => {
  const performer = await offering();
  await performer.call(saveShowSettings, {
    sharecam: { isAllowedInPrivate: true, isAllowedInPublic: true, pricePerMinuteInPublicInToken: 30 },
  });
  const [first, second] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
  const page = await openCutOff(performer, '/go-live');
  await first.call(requestPrivate, { username: performer.username, price: 60 });
  await vi.waitFor(() => expect(page.all('list', 'Private show requests')).toHaveLength(1), AWAY);
  await page.until(() => expect(tones.count).toBeGreaterThan(0));
  await second.call(requestSharecam, sharecamWish(performer));
  await second.tips(performer, 25);
  await performer.call(startGroupGoal, { title: 'A song', tokens: 100, minutes: 20 });
  await offersTickets(performer);
  const shown = () =>
    [
      page.all('heading', 'Viewers’ cameras'),
      page.all('region', 'Tips and orders').filter(({ textContent }) => textContent.includes('1 tip')),
      page.all('region', 'Group goal'),
      page.all('region', 'Ticket show'),
    ].map(({ length }) => length);
  await vi.waitFor(() => expect(shown()).toEqual([1, 1, 1, 1]), AWAY);
  expect(await page.problems()).toEqual([]);
});

test('a page whose socket is away reads itself whether somebody waits', async () => {
  const performer = await offering();
  const page = await openCutOff(performer, '/account/shows');
  const viewer = await site.viewer({ tokens: 300 });
  await viewer.call(requestPrivate, { username: performer.username, price: 60 });
  await vi.waitFor(() => expect(page.all('region', 'Private show requests')).toHaveLength(1), AWAY);
  await page.sees('1 viewer is waiting for a private show.');
});

test('the sound of requests is turned off for this browser', async () => {
  const performer = await offering();
  const page = await openPage(site, performer, '/go-live');
  await page.press('Sound for new requests');
  await page.until(() =>
    expect(page.all('button', 'Sound for new requests')[0]?.getAttribute('aria-pressed'))
      .toBe('false')
  );
  const viewer = await site.viewer({ tokens: 300 });
  await viewer.call(requestPrivate, { username: performer.username, price: 60 });
  await page.find('list', 'Private show requests');
  expect(tones.count).toBe(0);
});

test('a performer learns on any page that somebody waits, and where to answer', async () => {
  const performer = await offering();
  const page = await openPage(site, performer, '/account/shows');
  const waits = /waiting for a private show\.$/u;
  expect(page.shows(waits)).toBe(false);
  const [first, second] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
  await first.call(requestPrivate, { username: performer.username, price: 60 });
  const notice = await page.find('region', 'Private show requests');
  await page.sees('1 viewer is waiting for a private show.', { in: notice });
  await page.until(() => expect(tones.count).toBeGreaterThan(0));
  expect(await page.problems()).toEqual([]);
  await page.press('Sound for new requests', { in: notice });
  const before = tones.count;
  await second.call(requestPrivate, { username: performer.username, price: 60 });
  await page.sees('2 viewers are waiting for a private show.', { in: notice });
  expect(tones.count).toBe(before);
  await page.press('Answer requests', { in: notice, role: 'link' });
  const list = await page.find('list', 'Private show requests');
  expect(page.path).toBe('/go-live');
  // The console has the list itself.
  expect(page.shows(waits)).toBe(false);
  await page.sees(first.username, { in: list });
  const other = await openPage(site, await offering(), '/account/shows');
  await other.idle();
  expect(other.shows(waits)).toBe(false);
});

test('the notice that somebody waits goes when the last of them withdraws', async () => {
  const performer = await offering();
  const page = await openPage(site, performer, '/account/shows');
  const viewers = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
  const { username } = performer;
  for (const viewer of viewers) await viewer.call(requestPrivate, { username, price: 60 });
  await page.sees('2 viewers are waiting for a private show.');
  // What the page learns from here on, it learns from events.
  await page.idle();
  page.network.holds(/\/private\/requests/u);
  await viewers[0]?.call(withdrawPrivate, { username });
  await page.sees('1 viewer is waiting for a private show.');
  await viewers[1]?.call(withdrawPrivate, { username });
  await page.gone('region', 'Private show requests');
});

/** A show of so many seconds that the performer accepted in her room. */
async function accepts(seconds: number) {
  const performer = await offering();
  const viewer = await site.viewer({ tokens: 90 });
  const page = await openRoom(site, performer, performer);
  await viewer.call(requestPrivate, { username: performer.username, price: 60 });
  await page.press(/^Accept/u);
  await page.sees(/^Starting\. /u);
  await watches(viewer, performer);
  await mediaPasses(site, performer, seconds);
  return { performer, viewer, page };
}

test('ending early says what comes back, and warns the performer of no balance [C-225, B-243]', async () => {
  const { viewer, page } = await accepts(40);
  const panel = await page.find('region', 'Your private show');
  await page.sees('40 tokens', { in: panel });
  expect(page.shows(/^Your private show ends in/u)).toBe(false);
  expect(toastsOf(page)).toEqual([]);
  await page.press('End show', { in: panel });
  const question = await page.find('alertdialog', 'End the private show?');
  await page.sees(
    `Ending early refunds ${viewer.username} the remaining prepaid time: 20 s.`,
    { in: question },
  );
});

test('the name on a running show opens the card of its viewer', async () => {
  const { viewer, page } = await accepts(5);
  await page.press(new RegExp(viewer.username, 'u'), { in: await page.find('region', 'Your private show') });
  await page.sees(`@${viewer.username}`, { in: await page.find('dialog', viewer.person.displayName) });
});

test('ending before the first second gives a whole minute back [C-225]', async () => {
  const { viewer, page } = await accepts(0);
  await page.press('End show', { in: await page.find('region', 'Your private show') });
  await page.sees(
    `Ending early refunds ${viewer.username} the remaining prepaid time: 1 min 0 s.`,
    { in: await page.find('alertdialog', 'End the private show?') },
  );
});

test('the question closes by itself when the viewer ends the show [C-119]', async () => {
  const { performer, viewer, page } = await accepts(5);
  await page.press('End show', { in: await page.find('region', 'Your private show') });
  await page.find('alertdialog', 'End the private show?');
  await viewer.call(endPrivate, { username: performer.username });
  await page.gone('alertdialog', 'End the private show?');
  await page.sees('The viewer ended the private show.');
  expect([page.all('dialog', /^Rate/u), page.shows(/^How was the show/u)]).toEqual([[], false]);
});

test('what a performer offers is saved field by field, and discounted for a time', async () => {
  const performer = await site.performer({ live: true });
  const page = await openPage(site, performer, '/account/shows');
  const offer = await page.find('region', 'What you offer');
  const flags = [
    /^Offer private shows/u,
    /^Offer exclusive shows/u,
    /^Ask for a tip/u,
    /^Viewers may ask for a recording/u,
  ];
  for (const flag of flags) await page.click(await page.field(flag, { in: offer }));
  const numbers = [
    ['Price per minute (tokens)', '50'],
    ['Exclusive price per minute (tokens)', '80'],
    ['Tip before the start (tokens)', '15'],
    ['Minimum duration (minutes)', '3'],
    ['Minimum balance to start (tokens)', '200'],
  ] as const;
  for (const [label, value] of numbers) await page.fill(label, value, { in: offer });
  await page.press('Save', { in: offer });
  await page.sees('Saved');
  expect((await performer.call(getShowSettings, {})).private).toEqual({
    isEnabled: true,
    pricePerMinuteInToken: 50,
    exclusivePricePerMinuteInToken: 80,
    isRecordingEnabled: true,
    isPreTipEnabled: true,
    preTipCost: 15,
    isExclusiveEnabled: true,
    isWatchPornTogetherEnabled: false,
    privateMinimumDuration: 3,
    minimumTokenToStart: 200,
  });
  expect(await page.problems()).toEqual([]);
  const discount = await page.find('region', 'Discount');
  await page.fill('Discount (percent)', '20', { in: discount });
  await page.fill('Duration (minutes)', '10', { in: discount });
  await page.press('Start discount', { in: discount });
  await page.sees('10 min 0 s', { in: discount });
  const viewer = await site.viewer({ tokens: 500 });
  expect(await viewer.call(checkPrivate, { username: performer.username }))
    .toMatchObject({ cost_per_minute: 40, exclusive_cost_per_minute: 64 });
  await page.press('End discount', { in: discount });
  await page.find('button', 'Start discount');
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
