import { updateProfile } from '#product/accounts/contract.ts';
import { getPlayback } from '#product/broadcast/contract.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { plays } from '#product/testkit/media/media-client.ts';
import { openAction } from '#product/testkit/pages/look/action-bar.ts';
import { closesRatingCard, seesRatingCard } from '#product/testkit/pages/look/ratings.ts';
import { seesToast, toastsOf } from '#product/testkit/pages/look/toasts.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { of, operation, operatorLeg } from '#product/testkit/payments/wallet.ts';
import { privatePerformer } from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endGroupGoal, startGroupGoal } from './contract/group-goal.ts';
import { endPrivate } from './contract/private-running.ts';
import {
  acceptPrivate,
  declinePrivate,
  getPrivateRequests,
  requestPrivate,
  withdrawPrivate,
} from './contract/private-show.ts';
import { saveShowSettings } from './contract/settings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
/** A whole minute of a show, second by second. */
const LONG = { timeout: 120_000 };
const ASK = 'Ask for a private show';
const ENDED = 'You ended the private chat, sending you back to the public room';

/** A live performer who offers private shows at 60 tokens a minute. */
const offering = (more: object = {}): Promise<Member> =>
  privatePerformer(site, { pricePerMinuteInToken: 60, ...more });

/** Opens the request dialog. */
const asks = (page: Page, { person }: Member): Promise<HTMLElement> =>
  openAction(page, ASK, `Private show with ${person.displayName}`);

/** The region of the show under the name of the performer. */
const region = (page: Page): Promise<HTMLElement> => page.find('region', 'Your private show');

/** What the video panel shows, by the name of its status. */
const faceOf = (): string | undefined =>
  document.querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];

/** Starts a show whose video reaches the viewer. Returns its stream. */
async function begins(performer: Member, viewer: Member): Promise<string> {
  await performer.call(acceptPrivate, { username: viewer.username });
  const { stream_name: stream, token } = await viewer.call(getPlayback, { username: performer.username });
  expect((await plays(viewer, stream, token)).status).toBe(201);
  return stream;
}

/** Seconds in which the relay receives and sends media. */
async function runs(stream: string, seconds: number, health: object = {}): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    site.engine.measure(stream, health);
    await site.passes(1_000);
  }
}

/** Grants a viewer additional tokens. */
async function gets(viewer: Member, tokens: number): Promise<void> {
  const lot = { promotional: false, backingCents: tokens };
  const legs = [operatorLeg('float', -tokens), of(viewer.id, 'tokens', tokens, lot)];
  await site.tx((tx) => site.services.ledger.post(tx, [operation('grant', legs)]));
}

describe('a viewer who wants a private show', () => {
  test('sees what it costs and for how long, chooses, and waits for the answer [B-110]', async () => {
    const performer = await offering({ isExclusiveEnabled: true, exclusivePricePerMinuteInToken: 90 });
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer);
    const dialog = await asks(page, performer);
    await page.sees('5 min 0 s', { in: dialog });
    await page.sees('($6.00)', { in: dialog });
    expect(await page.problems()).toEqual([]);
    await page.click(await page.field(/^Exclusive/u, { in: dialog }));
    await page.sees('3 min 20 s', { in: dialog });
    await page.fill('End at my limit (tokens)', '80', { in: dialog });
    await page.press('Send request', { in: dialog });
    await page.sees('Starting takes 90 tokens. Enter at least that much.', { in: dialog });
    await page.fill('End at my limit (tokens)', '180', { in: dialog });
    await page.sees('2 min 0 s', { in: dialog });
    await page.press('Send request', { in: dialog });
    await page.sees(`Waiting for ${performer.person.displayName} to answer. Nothing is charged yet.`);
    const { requests } = await performer.call(getPrivateRequests, {});
    expect(requests).toMatchObject([{ username: viewer.username, exclusive: true, cost_per_minute: 90 }]);
    await page.press('Withdraw request');
    await page.find('button', ASK);
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
  });

  test('agrees to the tip before the show that the page has, and to no other', async () => {
    const performer = await offering({ isPreTipEnabled: true, preTipCost: 25 });
    const viewer = await site.viewer({ tokens: 2_000 });
    const page = await openRoom(site, viewer, performer, { mayPrint: /409/u });
    const dialog = await asks(page, performer);
    await page.sees('Tip before the start', { in: dialog });
    // The page is not notified of the change, so its request is refused.
    const passes = page.network.stalls(`/ws/room/${performer.username}`);
    await performer.call(saveShowSettings, { private: { preTipCost: 900 } });
    await page.press('Send request', { in: dialog });
    await page.sees('The tip before the show has changed: it’s 900 tokens now.');
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
    passes();
    // The page has read the terms again: the new tip is shown beside the request.
    await page.sees(/^900/u, { in: dialog });
    await page.press('Send request', { in: dialog });
    await page.sees(/^Waiting for/u);
    const own = await region(page);
    await page.sees('Tip before the start', { in: own });
    await page.sees(/^900/u, { in: own });
    expect((await performer.call(getPrivateRequests, {})).requests).toMatchObject([{ pre_tip: 900 }]);
  });

  test('is asked to log in as a guest, and stays in the room [C-220]', async () => {
    const performer = await offering();
    const guest = await site.visitor({ ofAge: true });
    expect(await guest.refused(requestPrivate, { username: performer.username, price: 60 }))
      .toMatchObject({ status: 401, errorType: 'not_authenticated' });
    const page = await openRoom(site, guest, performer);
    await page.press(ASK);
    await page.sees('Log in to ask for a private show. You stay in this room.');
    expect(page.all('dialog', /^Private show with/u)).toEqual([]);
    expect(page.path).toBe(`/${performer.username}`);
  });

  test('buys the tokens that are missing without leaving the room', async () => {
    const performer = await offering({ minimumTokenToStart: 100 });
    const page = await openRoom(site, await site.viewer({ tokens: 70 }), performer);
    const dialog = await asks(page, performer);
    await page.sees('You need 30 more tokens to start.', { in: dialog });
    expect(page.all('button', 'Send request', { in: dialog })).toEqual([]);
    await page.press('Buy tokens', { in: dialog });
    await page.find('dialog', 'Not enough tokens');
    expect(page.path).toBe(`/${performer.username}`);
  });

  test('learns that the performer declined [C-383]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    await performer.call(updateProfile, { display_name: 'Ivy of the Rain' });
    const page = await openRoom(site, viewer, performer);
    const dialog = await openAction(page, ASK, 'Private show with Ivy of the Rain');
    await page.press('Send request', { in: dialog });
    await page.sees(/^Waiting for/u);
    await performer.call(declinePrivate, { username: viewer.username });
    await seesToast(page, 'news', `${performer.username} declined your private chat request.`);
    expect(toastsOf(page)).toHaveLength(1);
    await page.sees('Ivy of the Rain declined your request. Nothing was charged.');
    await page.press('Close', { in: await region(page) });
    await page.find('button', ASK);
  });

  test('learns after 120 seconds that there was no answer', async () => {
    const performer = await offering();
    const page = await openRoom(site, await site.viewer({ tokens: 300 }), performer);
    await page.press('Send request', { in: await asks(page, performer) });
    await page.sees(/^Waiting for/u);
    await site.passes(120_000);
    await page.sees(/ didn’t answer within two minutes\. Nothing was charged\.$/u);
  });

  test('learns why a request failed, and what its error type asks for [B-393, B-394]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer);
    for (let others = 0; others < 3; others += 1) {
      await viewer.call(requestPrivate, { username: (await offering()).username, price: 60 });
    }
    const dialog = await asks(page, performer);
    expect(toastsOf(page)).toEqual([]);
    await page.press('Send request', { in: dialog });
    await seesToast(page, 'error', 'Failed to start private');
    expect(toastsOf(page)).toHaveLength(1);
    await page.sees('Too many requests are waiting. Try again in a moment.', { in: dialog });
    expect(page.all('dialog', 'Not enough tokens')).toEqual([]);
  });

  test('is handled as refused tips are: without tokens the shop opens [B-394]', async () => {
    const performer = await offering();
    const idol = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 80 });
    const page = await openRoom(site, viewer, performer);
    const dialog = await asks(page, performer);
    const send = await page.find('button', 'Send request', { in: dialog });
    await page.idle();
    // The page still shows the old balance.
    const pass = page.network.holds(/\/check$/u);
    await viewer.tips(idol, 30);
    await page.click(send);
    await seesToast(page, 'error', 'Failed to start private');
    await page.find('dialog', 'Not enough tokens');
    pass();
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
  });

  test('is handled as refused tips are: above the budget of a day it opens [B-394]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 80 });
    const page = await openRoom(site, viewer, performer);
    const dialog = await asks(page, performer);
    const send = await page.find('button', 'Send request', { in: dialog });
    await page.idle();
    const pass = page.network.holds(/\/check$/u);
    await viewer.call(setLimits, { day: 10 });
    await page.click(send);
    await seesToast(page, 'error', 'Failed to start private');
    await page.sees('10 tokens', { in: await page.find('dialog', 'Your budget') });
    pass();
  });

  test('is handled as refused tips are: without a session one logs in [B-394]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 80 });
    const page = await openRoom(site, viewer, performer);
    const dialog = await asks(page, performer);
    const send = await page.find('button', 'Send request', { in: dialog });
    await page.idle();
    viewer.setCookie('session', 'over');
    await page.click(send);
    await page.sees('Log in to ask for a private show. You stay in this room.');
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
  });
});

describe('a private show', () => {
  test('begins, counts by the second, and pauses without video [B-193]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    // A phone shows the badge beside the name; in a wide window the show's row replaces both.
    const page = await openRoom(site, viewer, performer, { width: 390 });
    await viewer.call(requestPrivate, { username: performer.username, price: 60 });
    await page.sees(/^Waiting for/u);
    expect([page.shows('Private'), faceOf()]).toEqual([false, 'online']);
    // From here on the page learns mode and status from events alone.
    page.network.holds(/\/chat\/react\//u);
    const stream = await begins(performer, viewer);
    await page.sees('Starting. You pay nothing until the video reaches you.');
    await page.sees('Private');
    // Everybody else in the room sees the cover.
    expect(faceOf()).toBe('online');
    const { chat } = await viewer.call(getRoom, { username: performer.username });
    expect(chat).toMatchObject({ mode: 'private', status: 'private' });
    for (const [who, mode] of [[performer, 'private'], [await site.viewer(), 'public']] as const) {
      expect((await who.call(getRoom, { username: performer.username })).chat)
        .toMatchObject({ mode, status: 'private' });
    }
    await runs(stream, 20);
    const panel = await region(page);
    await page.sees('20 s', { in: panel });
    await page.sees('20 tokens', { in: panel });
    await page.sees('($2.00)', { in: panel });
    expect(await page.problems()).toEqual([]);
    await runs(stream, 3, { videoBitsPerSecond: 0, audioBitsPerSecond: 0 });
    await page.sees('Paused: no video reaches you, so nothing is charged.');
  });

  test('begins without toasts of any tone, on the pages of both [B-201]', async () => {
    const performer = await offering();
    const { username } = performer;
    const viewer = await site.viewer({ tokens: 300 });
    const others = [await offering(), await offering(), await offering()];
    for (const other of others) await viewer.call(requestPrivate, { username: other.username, price: 60 });
    const page = await openRoom(site, viewer, performer);
    await page.press('Send request', { in: await asks(page, performer) });
    await seesToast(page, 'error', 'Failed to start private');
    await page.keys('{Escape}');
    for (const count of [2, 3]) {
      await page.press('Tip 25');
      await page.until(() => expect(toastsOf(page)).toHaveLength(count));
    }
    expect(toastsOf(page).map(([tone]) => tone)).toEqual(['error', 'success', 'success']);
    for (const other of others) await viewer.call(withdrawPrivate, { username: other.username });
    await viewer.call(requestPrivate, { username, price: 60 });
    await begins(performer, viewer);
    await page.sees(/^Starting\./u);
    expect(toastsOf(page)).toEqual([]);
    await viewer.call(endPrivate, { username });
    const own = await openRoom(site, performer, performer);
    for (const count of [1, 2]) {
      await performer.call(startGroupGoal, { title: 'A song', tokens: 100, minutes: 20 });
      await performer.call(endGroupGoal, {});
      await own.until(() => expect(toastsOf(own)).toHaveLength(count));
    }
    await viewer.call(requestPrivate, { username, price: 60 });
    await begins(performer, viewer);
    await own.sees(/^Starting\./u);
    expect(toastsOf(own)).toEqual([]);
  });

  test('warns its viewer once with 60 seconds left, never the performer [B-240, B-407]', LONG, async () => {
    const [performer, idol] = [await offering({ pricePerMinuteInToken: 30 }), await site.performer()];
    const viewer = await site.viewer({ tokens: 45 });
    const warns = (shown: Page): boolean => shown.shows(/^Your private show ends in/u);
    const page = await openRoom(site, viewer, performer);
    await viewer.call(requestPrivate, { username: performer.username, price: 30 });
    const stream = await begins(performer, viewer);
    await runs(stream, 29);
    await page.sees('29 s', { in: await region(page) });
    expect(warns(page)).toBe(false);
    await runs(stream, 1);
    const text = 'Your private show ends in 1 min 0 s: your tokens or your limit run out.';
    const warning = await page.sees(text);
    await page.press('Dismiss', { in: warning.parentElement as HTMLElement });
    await runs(stream, 5);
    await page.sees('35 s', { in: await region(page) });
    expect(warns(page)).toBe(false);
    // Tokens are added, and used up again.
    await gets(viewer, 100);
    await runs(stream, 10);
    await page.sees('45 s', { in: await region(page) });
    await page.sees('4 min 5 s', { in: await region(page) });
    await viewer.tips(idol, 100);
    await runs(stream, 10);
    await page.sees('35 s', { in: await region(page) });
    expect(warns(page)).toBe(false);
    const own = await openRoom(site, performer, performer);
    await runs(stream, 1);
    await own.sees('56 s', { in: await region(own) });
    expect(warns(own)).toBe(false);
  });

  test('takes its warning away when more tokens are there, and when it ends elsewhere [B-240]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 70 });
    const page = await openRoom(site, viewer, performer);
    const starts = async (): Promise<string> => {
      await viewer.call(requestPrivate, { username: performer.username, price: 60 });
      const stream = await begins(performer, viewer);
      await runs(stream, 15);
      await page.sees(/^Your private show ends in/u);
      return stream;
    };
    const stream = await starts();
    await gets(viewer, 50);
    await runs(stream, 10);
    await page.until(() => expect(toastsOf(page)).toEqual([]));
    await viewer.call(endPrivate, { username: performer.username });
    await closesRatingCard(page, performer);
    await viewer.tips(performer, 25);
    await starts();
    await viewer.call(endPrivate, { username: performer.username });
    await seesRatingCard(page, performer);
    expect(toastsOf(page)).toEqual([]);
  });

  test('takes the warning with it when its viewer ends it', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 90 });
    const page = await openRoom(site, viewer, performer);
    await viewer.call(requestPrivate, { username: performer.username, price: 60 });
    await runs(await begins(performer, viewer), 31);
    await page.sees(/^Your private show ends in/u);
    await page.press('End show', { in: await region(page) });
    await page.press('End show', { in: await page.find('alertdialog', 'End the private show?') });
    await seesToast(page, 'success', ENDED);
    await seesRatingCard(page, performer);
    await page.until(() => expect(toastsOf(page)).toEqual([['success', ENDED]]));
  });

  test('is ended by its viewer after one question, which says so [B-110, C-384]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer);
    await viewer.call(requestPrivate, { username: performer.username, price: 60 });
    await runs(await begins(performer, viewer), 30);
    await page.press('End show', { in: await region(page) });
    const question = await page.find('alertdialog', 'End the private show?');
    await page.sees('You get back what is set aside for the next 30 s.', { in: question });
    await page.press('End show', { in: question });
    await seesToast(page, 'success', ENDED);
    expect(toastsOf(page)).toEqual([['success', ENDED]]);
    await closesRatingCard(page, performer);
    await page.sees('You ended the private show.', { in: await region(page) });
    // A viewer whose show the performer ended is not shown as having ended it.
    await page.press('Dismiss');
    await viewer.call(requestPrivate, { username: performer.username, price: 60 });
    await begins(performer, viewer);
    await page.sees(/^Starting\./u);
    await performer.call(endPrivate, { username: viewer.username });
    await seesRatingCard(page, performer);
    expect(toastsOf(page)).toEqual([]);
    const receipts = await openPage(site, viewer, '/account/shows');
    const table = await receipts.find('table');
    await receipts.sees('30 tokens', { in: table });
    expect(await receipts.problems()).toEqual([]);
  });

  test('is started from the room; its end closes the question, and it is rated [A-009, C-119]', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer);
    await page.press('Send request', { in: await asks(page, performer) });
    await page.sees(/^Waiting for/u);
    await runs(await begins(performer, viewer), 10);
    await page.sees('10 s', { in: await region(page) });
    await page.press('End show', { in: await region(page) });
    await page.find('alertdialog', 'End the private show?');
    await performer.call(endPrivate, { username: viewer.username });
    await page.gone('alertdialog', 'End the private show?');
    await closesRatingCard(page, performer);
    await page.sees('The performer ended the private show.', { in: await region(page) });
  });
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
