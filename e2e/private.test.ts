import { getReceipts } from '#product/shows/contract/private-running.ts';
import { getPrivateRequests } from '#product/shows/contract/private-show.ts';
import { EXTRAS } from '#product/testkit/demo/cast.ts';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { lookProblems } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { callsOf, expectMoving, openStoppableBrowser, type Visit } from './stage.ts';

/** How long the viewer's page is away: less than a show waits. */
const AWAY_MS = 15_000;
/** Seconds of that which may be charged: the last ones received, and the first one afterwards. */
const COUNTED_SECONDS = 3;
/** How long reports on media received before a cut may still arrive. */
const UNDER_WAY_MS = 2_000;
/** Length of a network cut that a show survives; the relay still has the reader when it ends. */
const CUT_MS = 5_000;
const ROOM = '/demo_performer';

let demoSite: DemoSite;
let performer: Visit;
let viewer: Visit;
let viewerBrowser: Awaited<ReturnType<typeof openStoppableBrowser>>;
let spy: Visit;
let guest: Visit;
/** A member outside the show. A guest would be asked to sign up after two minutes, in place of all else. */
let outsider: Visit;

beforeAll(async () => {
  demoSite = await openDemoSite();
  performer = await demoSite.offersShows();
  viewerBrowser = await openStoppableBrowser();
  viewer = await demoSite.visit({ as: 'demo_viewer', path: ROOM, browser: viewerBrowser.browser });
  spy = await demoSite.visit({ as: EXTRAS[0] as string, path: ROOM });
  guest = await demoSite.visit({ path: ROOM });
  outsider = await demoSite.visit({ as: EXTRAS[1] as string, path: ROOM });
  for (const { page } of [viewer, spy, guest, outsider]) await expectMoving(page);
});
afterAll(async () => {
  await viewerBrowser.browser.close();
  await demoSite.close();
});

const playbackOf = ({ page }: Visit): Promise<number> =>
  page.evaluate(async () => (await fetch('/api/v1/video/playback/demo_performer')).status);
/** Checks that a viewer outside the show sees no video and gets none by requesting it. */
async function expectNothing(visit: Visit): Promise<void> {
  await visit.page.getByText('in a private show').first().waitFor();
  expect(await playbackOf(visit)).toBe(404);
}

it('a viewer asks and the performer accepts: the picture is the viewer\'s alone', async () => {
  expect(await lookProblems(viewer.page)).toEqual([]);
  await viewer.page.getByRole('button', { name: 'Ask for a private show' }).first().click();
  await viewer.page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click();
  await viewer.page.getByText('Waiting for Demo Performer to answer').waitFor();
  const accept = performer.page.getByRole('button', { name: 'Accept demo_viewer' });
  await accept.waitFor();
  // On a phone the request is above the video, and below the button that ends the broadcast.
  await performer.page.setViewportSize({ width: 390, height: 844 });
  const end = performer.page.getByRole('button', { name: 'End broadcast' });
  const parts = { end, accept, picture: performer.page.locator('video').first() };
  await expect.poll(async () => {
    const tops = await Promise.all(
      Object.entries(parts).map(async ([name, part]) =>
        [name, await part.evaluate((element) => element.getBoundingClientRect().top)] as const
      ),
    );
    return tops.toSorted(([, a], [, b]) => a - b).map(([name]) => name);
  }).toEqual(['end', 'accept', 'picture']);
  // The same order with the keyboard: the sound of requests, the viewer who asks, then the answer.
  await end.focus();
  for (let keys = 0; keys < 3; keys += 1) await performer.page.keyboard.press('Tab');
  expect(await accept.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await lookProblems(performer.page)).toEqual([]);
  await accept.click();
  await viewer.page.getByText('Private show with Demo Performer').first().waitFor();
  await expectMoving(viewer.page);
  await performer.page.getByRole('heading', { name: 'Performer console' }).waitFor();
  for (const each of [guest, outsider]) await expectNothing(each);
  await expectNothing(spy);
  for (const { page } of [viewer, guest]) expect(await lookProblems(page)).toEqual([]);
});

it('a spy pays and sees it too, until they stop; everybody else sees nothing [B-008]', async () => {
  await spy.page.getByRole('button', { name: 'Spy for 12 tokens a minute' }).click();
  const asked = spy.page.getByRole('alertdialog', { name: /^Spy on/u });
  await asked.getByRole('button', { name: 'Spy for 12 tokens a minute' }).click();
  await spy.page.getByText('Spying on Demo Performer').waitFor();
  await expectMoving(spy.page);
  expect(await playbackOf(spy)).toBe(200);
  await performer.page.getByText('1 viewer is spying').waitFor();
  await expectNothing(outsider);
  expect(await lookProblems(spy.page)).toEqual([]);
  await spy.page.getByRole('button', { name: 'Stop spying' }).click();
  await expectNothing(spy);
  await expectMoving(viewer.page);
});

it('the viewer shows a camera to the performer, who sees it move until it stops [B-010]', async () => {
  await viewer.page.getByRole('button', { name: 'Share my camera' }).first().click();
  const dialog = viewer.page.getByRole('dialog');
  await expectMoving(viewer.page, dialog.locator('video'));
  expect(await lookProblems(viewer.page)).toEqual([]);
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Send request' }).click();
  await viewer.page.getByText('Your video isn’t sent yet').waitFor();
  await performer.page.getByRole('button', { name: 'Accept demo_viewer' }).click();
  await viewer.page.getByText('Demo Performer sees you.').waitFor();
  const shown = performer.page.getByLabel('Camera of demo_viewer');
  await expectMoving(performer.page, shown);
  for (const { page } of [viewer, performer]) expect(await lookProblems(page)).toEqual([]);
  await expectNothing(outsider);
  await viewer.page.getByRole('button', { name: 'Stop sharing' }).click();
  await viewer.page.getByText('You stopped sharing your camera.').waitFor();
  await shown.waitFor({ state: 'detached' });
  await expectMoving(viewer.page);
});

it('seconds in which the viewer\'s network was cut are free, and the show goes on', async () => {
  const { call } = await callsOf(performer.context, demoSite.origin);
  const counted = async (): Promise<number> =>
    (await call(getPrivateRequests, {})).running?.privateStreamTimeInSecond ?? 0;
  onTestFinished(() => viewerBrowser.signal('SIGCONT'));
  viewerBrowser.signal('SIGSTOP');
  // Reports in flight are counted, however late they arrive.
  let before = 0;
  await expect.poll(async () => {
    const last = before;
    before = await counted();
    return before > 0 && before === last;
  }, { interval: UNDER_WAY_MS, timeout: 10_000 }).toBe(true);
  await setTimeout(CUT_MS);
  expect(await counted()).toBe(before);
  viewerBrowser.signal('SIGCONT');
  await expectMoving(viewer.page);
  await expect.poll(counted).toBeGreaterThan(before);
});

it('seconds in which the viewer was away are free, and the show goes on', async () => {
  const { call } = await callsOf(performer.context, demoSite.origin);
  const before = (await call(getPrivateRequests, {})).running?.privateStreamTimeInSecond ?? 0;
  await viewer.page.goto('about:blank');
  await viewer.page.waitForTimeout(AWAY_MS);
  const cameBackAt = performance.now();
  await viewer.page.goto(ROOM);
  await expectMoving(viewer.page);
  const after = (await call(getPrivateRequests, {})).running?.privateStreamTimeInSecond ?? 0;
  const sinceThen = (performance.now() - cameBackAt) / 1_000;
  expect([before, after - before]).toEqual([
    expect.any(Number),
    expect.toSatisfy((grown: number) => grown >= 0 && grown <= COUNTED_SECONDS + Math.ceil(sinceThen)),
  ]);
  await expectNothing(outsider);
});

it('after the end everybody has the picture again, and the receipt has what was free', async () => {
  await performer.page.getByRole('button', { name: 'End show' }).click();
  await performer.page.getByRole('alertdialog').or(performer.page.getByRole('dialog'))
    .getByRole('button', { name: 'End show' }).click();
  await viewer.page.getByText('The performer ended the private show.').first().waitFor();
  for (const { page } of [viewer, spy, outsider]) await expectMoving(page);
  const { call } = await callsOf(viewer.context, demoSite.origin);
  const { receipts: [receipt] } = await call(getReceipts, {});
  expect(receipt).toMatchObject({ reason_ended: 'model_ended', cost_per_minute: 60 });
  expect(receipt?.tokens).toBe(receipt?.seconds);
  expect(receipt?.free_seconds.viewer).toBeGreaterThanOrEqual(AWAY_MS / 1_000 - COUNTED_SECONDS);
});
