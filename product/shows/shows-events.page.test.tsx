import { getPlayback } from '#product/broadcast/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { closesRatingCard } from '#product/testkit/pages/look/ratings.ts';
import { seesToast, toastsOf } from '#product/testkit/pages/look/toasts.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { payloads, received } from '#product/testkit/pages/room-sockets.ts';
import {
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { privateDeclined, privateEnded, privateFailed, privateStarted } from './contract.ts';
import { endPrivate, privateDiscount, privatePing, privateTick } from './contract/private-running.ts';
import { acceptPrivate, declinePrivate, requestPrivate } from './contract/private-show.ts';
import { setDiscount } from './contract/settings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;

/** A live performer who offers private shows at 60 tokens a minute. */
const offering = (): Promise<Member> => privatePerformer(site, { pricePerMinuteInToken: 60 });

/** What the video panel shows, by the name of its status; null while it shows the video. */
const faceOf = async (page: Page): Promise<string | undefined> =>
  (await page.find('main'))
    .querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];
const region = (page: Page): Promise<HTMLElement> => page.find('region', 'Your private show');

/** The status in the room data that this viewer reads. */
const chatOf = async (viewer: Member, { username }: Member) =>
  (await viewer.call(getRoom, { username })).chat;

describe('a request', () => {
  test('that is declined says so with the performer\'s name, and another can be sent [B-340]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const socket = await viewer.joins(performer);
    const page = await openRoom(site, viewer, performer);
    await viewer.call(requestPrivate, { username: performer.username, price: 60 });
    await page.sees(/^Waiting for/u);
    await performer.call(declinePrivate, { username: viewer.username });
    await page.sees(`${performer.username} declined your private chat request.`);
    await page.sees(`${performer.person.displayName} declined your request. Nothing was charged.`);
    expect(page.shows(/^Waiting for/u)).toBe(false);
    expect(await socket.waitFor(privateDeclined)).toEqual({ username: performer.username });
    await page.press('Close', { in: await region(page) });
    await page.find('button', 'Ask for a private show');
  });

  test('that fails when it is accepted says why, and leads to what it lacked [B-345, B-393]', async () => {
    const performer = await offering();
    const idol = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 80 });
    const socket = await viewer.joins(performer);
    const page = await openRoom(site, viewer, performer);
    await viewer.call(requestPrivate, { username: performer.username, price: 60 });
    await page.sees(/^Waiting for/u);
    await viewer.tips(idol, 30);
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).errorType)
      .toBe('private_viewer_short');
    await seesToast(page, 'error', 'Failed to start private');
    const dialog = await page.find('dialog', 'Not enough tokens');
    await page.sees('You need 10 more tokens for this. Nothing was charged.', { in: dialog });
    await page.keys('{Escape}');
    const error = 'You no longer have enough tokens for the first minute of the private show.';
    await page.sees('The private show didn’t start. Nothing was charged.', { in: await region(page) });
    await page.sees(error, { in: await region(page) });
    expect(page.shows(/^Waiting for/u)).toBe(false);
    expect(await socket.waitFor(privateFailed)).toEqual({ errorType: 'not_enough_tokens', error });
  });
});

test('a discount shows its rate, its time and its price in the room, and its end [B-341]', async () => {
  const performer = await offering();
  const viewer = await site.viewer({ tokens: 300 });
  const socket = await viewer.joins(performer);
  const page = await openRoom(site, viewer, performer);
  const offer = await page.find('region', 'Private show');
  // The price is the description of the button.
  const reads = (...words: readonly string[]) =>
    page.until(() => {
      for (const one of words) expect(offer.textContent).toContain(one);
    });
  await reads('60 tokens');
  const inTenMinutes = new Date(site.clock.now().getTime() + 600_000).toISOString();
  await performer.call(setDiscount, { discountRate: 25, minutes: 10 });
  await reads('45 tokens', '25% off for another', '10 min 0 s');
  expect(await socket.waitFor(privateDiscount))
    .toEqual({
      discountRate: 25,
      timeLeftInSecond: 600,
      privatePricePerMinuteInToken: 45,
      until: inTenMinutes,
    });
  await performer.call(setDiscount, { discountRate: 0, minutes: 10 });
  await reads('60 tokens');
  expect(offer.textContent).not.toContain('off for another');
});

describe('a private show', () => {
  test('that starts opens its video to the viewer, and closes it to everybody else [B-342]', async () => {
    const spy = { isEnabled: true, pricePerMinuteInToken: 12 };
    const performer = await privatePerformer(site, { pricePerMinuteInToken: 30 }, {}, spy);
    const [viewer, other] = [await site.viewer({ tokens: 300 }), await site.viewer()];
    const socket = await viewer.joins(performer);
    const own = await performer.joins(performer);
    const outside = await openRoom(site, other, performer);
    await startsPrivate(viewer, performer);
    await outside.sees(`${performer.person.displayName} is in a private show`);
    expect(await faceOf(outside)).toBe('private');
    await viewer.call(endPrivate, { username: performer.username });
    await site.settle();
    // A phone shows the badge beside the name; in a wide window the show's row replaces both.
    const page = await openRoom(site, viewer, performer, { width: 390 });
    // The page learns mode and status from the event alone.
    page.network.holds(/\/chat\/react\//u);
    await startsPrivate(viewer, performer);
    await page.sees('Starting. You pay nothing until the video reaches you.');
    await page.sees('Private');
    expect(await faceOf(page)).toBe('online');
    const { stream_name: stream } = await viewer.call(getPlayback, { username: performer.username });
    const started = {
      username: viewer.username,
      broadcaster: performer.username,
      cost_per_minute: 30,
      prepaid_seconds: 60,
      duration: 0,
      tokens_charged: 0,
      remaining_seconds: 600,
      freeSpyPreviewDuration: 10,
      type: 'private',
      source: 'web',
      stream,
    };
    expect(socket.received(privateStarted).at(-1)).toEqual(started);
    // The performer learns how long the show can last, but not what the viewer could pay beyond it.
    await own.waitFor(privateStarted);
    expect(own.received(privateStarted).at(-1)).toEqual({ ...started, remaining_seconds: 60 });
  });

  test('counts on the screens of both: time, tokens, what is prepaid and what is left [B-343]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const socket = await viewer.joins(performer);
    const page = await openRoom(site, viewer, performer);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 20);
    const panel = await region(page);
    await page.sees('20 s', { in: panel });
    await page.sees('20 tokens', { in: panel });
    await page.sees('4 min 40 s', { in: panel });
    await page.press('End show', { in: panel });
    const question = await page.find('alertdialog', 'End the private show?');
    await page.sees('You get back what is set aside for the next 40 s.', { in: question });
    await mediaPasses(site, performer, 1);
    await page.sees('You get back what is set aside for the next 39 s.', { in: question });
    expect(await socket.waitFor(privateTick, (tick) => tick.privateStreamTimeInSecond === 21)).toEqual({
      username: viewer.username,
      broadcaster: performer.username,
      is_paused: false,
      cost_per_minute: 60,
      avail: null,
      privatePrepaidTimeLeftSeconds: 39,
      privateStreamTimeInSecond: 21,
      privateTokenCount: 21,
      privateUserTimeLeftInSecond: 279,
    });
    const own = await openRoom(site, performer, performer);
    await mediaPasses(site, performer, 4);
    const hers = await region(own);
    await own.sees('25 s', { in: hers });
    await own.sees('25 tokens', { in: hers });
    await own.sees('35 s', { in: hers });
  });

  test('has pings of its viewer’s page every 10 s, and says who is silent [C-152]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const console = await performer.joins(performer);
    const page = await openRoom(site, viewer, performer);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    const silent = /page hasn’t answered for a while/u;
    for (let round = 0; round < 4; round += 1) {
      await mediaPasses(site, performer, 10);
      console.send(privatePing, { from: performer.username });
      await page.until(() => expect(received(page, privatePing.name)).toHaveLength(round + 1));
    }
    await page.idle();
    expect(page.shows(silent)).toBe(false);
    await mediaPasses(site, performer, 31);
    await page.sees(silent, { in: await region(page) });
    console.send(privatePing, { from: performer.username });
    await page.until(() => expect(page.shows(silent)).toBe(false));
    // The viewer's page sends keep-alives too: every 10 s, under the viewer's name.
    const sent = payloads(page, 'page', `/ws/room/${performer.username}`, privatePing.name);
    expect(sent).toEqual(Array.from({ length: 7 }, () => ({ from: viewer.username })));
    await page.until(() => expect(console.received(privatePing)).toEqual(sent));
  });

  test('has pings of its performer’s page while it runs, and of nobody else’s [C-152]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const room = await viewer.joins(performer);
    const path = `/ws/room/${performer.username}`;
    const pings = (page: Page) => payloads(page, 'page', path, privatePing.name);
    const own = await openRoom(site, performer, performer);
    await mediaPasses(site, performer, 21);
    await own.idle();
    expect(pings(own)).toEqual([]);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 5);
    await own.sees('5 s', { in: await region(own) });
    await mediaPasses(site, performer, 20);
    expect(pings(own)).toEqual([{ from: performer.username }, { from: performer.username }]);
    expect(await room.waitFor(privatePing)).toEqual({ from: performer.username });
    const outside = await openRoom(site, await site.viewer(), performer);
    await mediaPasses(site, performer, 21);
    await outside.idle();
    expect(pings(outside)).toEqual([]);
    const again = await openRoom(site, performer, performer);
    await viewer.call(endPrivate, { username: performer.username });
    await again.sees('The viewer ended the private show.', { in: await region(again) });
    const before = pings(again).length;
    await mediaPasses(site, performer, 21);
    await again.idle();
    expect(pings(again)).toHaveLength(before);
  });

  test('warns its viewer that it is about to end, and its performer of nothing [B-303]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 90 });
    const own = await openRoom(site, performer, performer);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 40);
    await own.sees('40 s', { in: await region(own) });
    // Neither this warning nor any other is shown.
    expect(own.shows(/^Your private show ends in/u)).toBe(false);
    expect(toastsOf(own)).toEqual([]);
    const page = await openRoom(site, viewer, performer);
    await mediaPasses(site, performer, 1);
    await page.sees('Your private show ends in 49 s: your tokens or your limit run out.');
  });

  test(
    'that ends leaves its viewer connected to the public room, until the video is there [B-194, B-210]',
    async () => {
      const performer = await offering();
      const viewer = await site.viewer({ tokens: 300 });
      const page = await openRoom(site, viewer, performer);
      await startsPrivate(viewer, performer);
      await watches(viewer, performer);
      await mediaPasses(site, performer, 10);
      await page.sees('10 s', { in: await region(page) });
      // From here on the page learns mode and status from events alone.
      page.network.holds(/\/chat\/react\//u);
      const finish = site.engine.holdsMoves();
      onTestFinished(finish);
      const ended = viewer.call(endPrivate, { username: performer.username });
      // The page cannot settle while the video moves, so it is checked without waiting for it.
      await expect.poll(async () => {
        await site.data.settle();
        return document.querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];
      }).toBe('connected');
      for (const who of [viewer, performer, await site.viewer()]) {
        expect(await chatOf(who, performer)).toMatchObject({ mode: 'public', status: 'connected' });
      }
      finish();
      await ended;
      await page.until(async () => expect(await faceOf(page)).toBe('online'));
      expect((await chatOf(viewer, performer)).status).toBe('online');
      // The viewer's mode is public, so they cannot watch another viewer's show.
      await closesRatingCard(page, performer);
      const next = await site.viewer({ tokens: 300 });
      await startsPrivate(next, performer);
      await page.until(async () => expect(await faceOf(page)).toBe('private'));
    },
  );

  test('that ends leaves its performer connected to the public room, too [B-194]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 10);
    const page = await openRoom(site, performer, performer);
    const own = await performer.joins(performer);
    await page.find('region', 'Your private show');
    expect((await chatOf(performer, performer)).mode).toBe('private');
    page.network.holds(/\/chat\/react\//u);
    const finish = site.engine.holdsMoves();
    onTestFinished(finish);
    const ended = viewer.call(endPrivate, { username: performer.username });
    await expect.poll(async () => {
      await site.data.settle();
      return document.querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];
    }).toBe('connected');
    expect(await chatOf(performer, performer)).toMatchObject({ mode: 'public', status: 'connected' });
    finish();
    await ended;
    expect(await own.waitFor(privateEnded)).toBeDefined();
    await page.until(async () => expect(await faceOf(page)).not.toBe('connected'));
  });

  test('that its performer ends says why, and connects its viewer to the public room [B-344]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const socket = await viewer.joins(performer);
    const page = await openRoom(site, viewer, performer);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 10);
    await page.sees('10 s', { in: await region(page) });
    // From here on the page learns mode and status from events alone.
    page.network.holds(/\/chat\/react\//u);
    const finish = site.engine.holdsMoves();
    onTestFinished(finish);
    const ended = performer.call(endPrivate, { username: viewer.username });
    await expect.poll(async () => {
      await site.data.settle();
      return document.querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];
    }).toBe('connected');
    expect((await chatOf(viewer, performer)).mode).toBe('public');
    finish();
    await ended;
    expect(await socket.waitFor(privateEnded)).toEqual({ fanclub_refund: 0, reason_ended: 'model_ended' });
    await closesRatingCard(page, performer);
    await page.sees('The performer ended the private show.', { in: await region(page) });
    // The viewer's mode is public, so they cannot watch another viewer's show.
    await page.until(async () => expect(await faceOf(page)).toBe('online'));
    await startsPrivate(await site.viewer({ tokens: 300 }), performer);
    await page.until(async () => expect(await faceOf(page)).toBe('private'));
  });
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
