import { topicPersonChannel } from '#platform/contract/event.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { whepEnd } from '#product/broadcast/contract/webrtc.ts';
import { joinFanclub, saveOwnClub } from '#product/fanclubs/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { chatUpdate, getRoom } from '#product/rooms/contract.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { media } from '#product/testkit/media/media-client.ts';
import { actionBar, openAction } from '#product/testkit/pages/look/action-bar.ts';
import { closesRatingCard, isAskedToRate, seesRatingCard } from '#product/testkit/pages/look/ratings.ts';
import { seesToast } from '#product/testkit/pages/look/toasts.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { operation } from '#product/testkit/payments/wallet.ts';
import {
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { privateEnded } from './contract.ts';
import { endPrivate, getReceipts } from './contract/private-running.ts';
import { acceptPrivate, requestPrivate } from './contract/private-show.ts';
import { getOwnRating, ratePerformer } from './contract/ratings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
const region = (page: Page): Promise<HTMLElement> => page.find('region', 'Your private show');
const faceOf = async (page: Page): Promise<string | undefined> =>
  (await page.find('main'))
    .querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];
/** A whole minute of a show, second by second. */
const LONG = { timeout: 120_000 };
const offering = (): Promise<Member> => privatePerformer(site, { pricePerMinuteInToken: 60 });

/** Gives a viewer's held tokens back by another operation, so that nothing can be taken for the show. */
async function loseHold(viewer: Member): Promise<void> {
  const { id } = await site.tx((tx) =>
    tx.sql<{ 'shows.privates': { id: number; viewer_id: number } }>()
      .selectFrom('shows.privates').select('id').where('viewer_id', '=', viewer.id)
      .orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()
  );
  const { ledger } = site.services;
  const hold = ledger.operationId(viewer.id, 'shows.private', `${id} hold 1`);
  const released = operation('private_released', [], { settles: { hold, close: true } });
  await site.tx((tx) => ledger.post(tx, [released]));
}

/** A show that has run for ten seconds, with its viewer's page. */
async function running(): Promise<{
  readonly performer: Member;
  readonly viewer: Member;
  readonly page: Page;
  readonly session: string;
}> {
  const performer = await offering();
  const viewer = await site.viewer({ tokens: 300 });
  const page = await openRoom(site, viewer, performer);
  await startsPrivate(viewer, performer);
  const session = await watches(viewer, performer);
  await mediaPasses(site, performer, 10);
  await page.sees('10 s', { in: await region(page) });
  return { performer, viewer, page, session };
}

describe('the end of a private show', () => {
  test('is recorded with its reason; without one, it was for want of tokens [B-195, B-196]', async () => {
    const { performer, viewer, page } = await running();
    const outOfTokens = 'The private show ended: your tokens or your limit ran out.';
    const reasons = async (): Promise<unknown[]> => {
      const read = [];
      for (const one of [viewer, performer]) {
        read.push((await one.call(getReceipts, {})).receipts[0]?.reason_ended);
      }
      return read;
    };
    await performer.call(endPrivate, { username: viewer.username });
    await closesRatingCard(page, performer);
    await page.sees('The performer ended the private show.', { in: await region(page) });
    expect(await reasons()).toEqual(['model_ended', 'model_ended']);
    await page.press('Close', { in: await region(page) });
    const socket = await viewer.joins(performer);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 5);
    await loseHold(viewer);
    await mediaPasses(site, performer, 6);
    expect(await socket.waitFor(privateEnded)).toMatchObject({ reason_ended: 'out_of_tokens' });
    await closesRatingCard(page, performer);
    await page.sees(outOfTokens, { in: await region(page) });
    expect(await reasons()).toEqual(['out_of_tokens', 'out_of_tokens']);
    await page.press('Close', { in: await region(page) });
    // The protocol allows an event without a reason; it means the same.
    const nameless = { reason_ended: null, fanclub_refund: null };
    const channel = topicPersonChannel(roomTopic(performer.id), viewer.id);
    await site.tx((tx) => tx.send(channel, privateEnded, nameless));
    await page.sees(outOfTokens);
    expect(page.shows(/fan club membership gave you/u)).toBe(false);
    const receipts = await openPage(site, viewer, '/account/shows');
    const table = await receipts.find('table');
    await receipts.sees(outOfTokens, { in: table });
    await receipts.sees('The performer ended the private show.', { in: table });
  });

  test('without a reason was for want of tokens to its performer, too', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    const page = await openRoom(site, performer, performer);
    await page.find('button', 'End show');
    await viewer.call(endPrivate, { username: performer.username });
    await page.gone('button', 'End show');
    const channel = topicPersonChannel(roomTopic(performer.id), performer.id);
    await site.tx((tx) => tx.send(channel, privateEnded, { reason_ended: null, fanclub_refund: null }));
    await page.sees('The private show ended: the viewer’s tokens ran out.');
  });

  test('asks in a card that opens the dialog in which the show is rated [B-129]', async () => {
    const { performer, viewer, page } = await running();
    await viewer.tips(performer, 25);
    await site.settle();
    await performer.call(endPrivate, { username: viewer.username });
    await page.press('Rate', { in: await seesRatingCard(page, performer) });
    const dialog = await page.find('dialog', `Rate ${performer.person.displayName}`);
    await page.press('I like it', { in: dialog });
    await page.sees(`Thanks for rating ${performer.person.displayName}.`);
    const own = await viewer.call(getOwnRating, { username: performer.username });
    expect(own.rate_today).toBe('RATE_UP');
  });

  test('always asks for a rating, however it came, who may not, too [B-245, B-129]', LONG, async () => {
    const performer = await offering();
    const { username } = performer;
    const viewer = await site.viewer({ tokens: 1_000 });
    const page = await openRoom(site, viewer, performer);
    let session = '';
    for (const [reason, end] of [
      ['user_ended', async () => {
        await page.press('End show', { in: await region(page) });
        await page.press('End show', { in: await page.find('alertdialog', 'End the private show?') });
      }],
      ['user_left', async () => {
        await media(viewer, whepEnd, { session });
        await mediaPasses(site, performer, 31);
      }],
      ['model_ended', async () => {
        // A viewer who tipped enough may rate; this one has rated today.
        await viewer.tips(performer, 25);
        await site.settle();
        await viewer.call(ratePerformer, { username, vote: 'RATE_UP' });
        await performer.call(endPrivate, { username: viewer.username });
      }],
      ['out_of_tokens', () => mediaPasses(site, performer, 56)],
      ['unpublish', () => performer.call(endBroadcast, {})],
    ] as const) {
      await startsPrivate(viewer, performer, reason === 'out_of_tokens' ? { limit: 60 } : {});
      session = await watches(viewer, performer);
      await mediaPasses(site, performer, 5);
      await page.sees('5 s', { in: await region(page) });
      expect(isAskedToRate(page, performer)).toBe(false);
      await end();
      await seesRatingCard(page, performer);
      expect((await viewer.call(getReceipts, {})).receipts[0]?.reason_ended).toBe(reason);
      await closesRatingCard(page, performer);
      await page.press('Close', { in: await region(page) });
    }
  });

  test('that a page missed is known and rated when it joins the room again [B-245]', LONG, async () => {
    const { performer, viewer, page, session } = await running();
    const mends = page.network.cuts(`/ws/room/${performer.username}`);
    await media(viewer, whepEnd, { session });
    await mediaPasses(site, performer, 31);
    expect((await viewer.call(getReceipts, {})).receipts[0]?.reason_ended).toBe('user_left');
    expect(isAskedToRate(page, performer)).toBe(false);
    mends();
    await closesRatingCard(page, performer);
    await page.sees(/the video didn’t reach you anymore\.$/u, { in: await region(page) });
    await page.sees('10 tokens', { in: await region(page) });
    await page.sees('Live');
  });

  test('asks beside the tip form, and nobody who comes to the room later', LONG, async () => {
    const { performer, viewer, page } = await running();
    const comesBack = async (face: string): Promise<void> => {
      page.follows(`/${performer.username}`);
      await page.until(async () => expect(await faceOf(page)).toBe(face));
      await page.idle();
    };
    const leaves = async (): Promise<void> => {
      page.follows('/legal');
      // The room stays on the screen until the next page is ready.
      await page.gone('region', 'Tips and shows');
    };
    await performer.call(endPrivate, { username: viewer.username });
    const card = await seesRatingCard(page, performer);
    expect((await actionBar(page)).contains(card)).toBe(false);
    await page.press('Tip 25', { in: await actionBar(page) });
    await page.until(async () => expect((await viewer.call(getBalance, {})).tokens).toBe(265));
    expect([isAskedToRate(page, performer), await page.problems()]).toEqual([true, []]);
    // A viewer who left does not find the question when they return.
    await leaves();
    await comesBack('online');
    expect(isAskedToRate(page, performer)).toBe(false);
    // Nor are they asked about a show that ended while they were elsewhere, in a room now offline.
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 5);
    await page.sees('5 s', { in: await region(page) });
    await leaves();
    await performer.call(endBroadcast, {});
    await site.settle();
    await comesBack('offline');
    expect((await viewer.call(getReceipts, {})).receipts[0]?.reason_ended).toBe('unpublish');
    expect([isAskedToRate(page, performer), page.all('dialog')]).toEqual([false, []]);
  });

  test('takes the viewer back to the public room, where they can ask again [C-117]', async () => {
    const { performer, viewer, page } = await running();
    await page.press('End show', { in: await region(page) });
    await page.press('End show', { in: await page.find('alertdialog', 'End the private show?') });
    await closesRatingCard(page, performer);
    await page.until(async () => expect(await faceOf(page)).toBe('online'));
    expect(page.path).toBe(`/${performer.username}`);
    // The badge beside the name is back: during a show, the show's row replaces it.
    await page.sees('Live');
    const { chat } = await viewer.call(getRoom, { username: performer.username });
    expect(chat).toMatchObject({ mode: 'public', status: 'online' });
    await page.find('button', 'Ask for a private show');
    // The chat is the public one.
    const other = await site.viewer();
    await site.says(await other.joins(performer), 'welcome back');
    await page.sees('welcome back');
  });

  test('names reason and refund to both, and then the room is what it is for everybody', async () => {
    const { performer, viewer, page } = await running();
    const sockets = [await viewer.joins(performer), await performer.joins(performer)];
    await performer.call(endBroadcast, {});
    await page.sees('The private show ended: the video stopped.', { in: await region(page) });
    for (const socket of sockets) {
      expect(await socket.waitFor(privateEnded)).toEqual({ fanclub_refund: 0, reason_ended: 'unpublish' });
      // The event leaves the page `connected` without a stream; the room's state follows it.
      const names = socket.events.map(({ name }) => name);
      expect(names.lastIndexOf(chatUpdate.name)).toBeGreaterThan(names.indexOf(privateEnded.name));
    }
    await page.until(async () => expect(await faceOf(page)).toBe('offline'));
    expect((await viewer.call(getRoom, { username: performer.username })).chat)
      .toMatchObject({ mode: 'public', status: 'offline' });
  });

  test('gives a member of the fan club their share back, and says so [B-196, B-344]', async () => {
    const performer = await offering();
    const { username } = performer;
    await performer.call(saveOwnClub, {
      enabled: true,
      description: '',
      prices: { supporter: 100, insider: 250, legend: 500 },
      perks: { supporter: [], insider: [], legend: [] },
    });
    const viewer = await site.viewer({ tokens: 1_000 });
    const socket = await viewer.joins(performer);
    const page = await openRoom(site, viewer, performer);
    const shows = async (): Promise<void> => {
      await startsPrivate(viewer, performer);
      await watches(viewer, performer);
      await mediaPasses(site, performer, 30);
      await page.sees('30 s', { in: await region(page) });
      await page.press('End show', { in: await region(page) });
      await page.press('End show', { in: await page.find('alertdialog', 'End the private show?') });
      await closesRatingCard(page, performer);
    };
    await shows();
    await page.sees('30 tokens', { in: await region(page) });
    expect(page.shows(/fan club membership gave you/u)).toBe(false);
    expect(page.shows('Fan club refund')).toBe(false);
    await page.press('Close', { in: await region(page) });
    const key = { idempotencyKey: uuidV4() };
    await viewer.call(joinFanclub, { username, level: 'legend', price: 500 }, key);
    await shows();
    expect(await socket.waitFor(privateEnded, ({ fanclub_refund: refund }) => refund !== 0))
      .toEqual({ fanclub_refund: 7, reason_ended: 'user_ended' });
    await seesToast(page, 'success', 'Your fan club membership gave you 7 tokens back.');
    await seesToast(page, 'success', 'You ended the private chat, sending you back to the public room');
    await page.sees('Fan club refund', { in: await region(page) });
    await page.sees('7 tokens', { in: await region(page) });
    expect((await viewer.call(getBalance, {})).tokens).toBe(1_000 - 30 - 500 - 23);
  });
});

test('a member in the room asks for a private show and pays for it with tokens [C-005, B-007]', async () => {
  const performer = await offering();
  const guest = await site.visitor({ ofAge: true });
  const { username } = performer;
  expect(await guest.refused(requestPrivate, { username, price: 60 }))
    .toMatchObject({ status: 401, errorType: 'not_authenticated' });
  const outside = await openRoom(site, guest, performer);
  await outside.press('Ask for a private show');
  await outside.sees('Log in to ask for a private show. You stay in this room.');
  expect(outside.all('dialog', /^Private show with/u)).toEqual([]);
  const viewer = await site.viewer({ tokens: 300 });
  const page = await openRoom(site, viewer, performer);
  const dialog = await openAction(
    page,
    'Ask for a private show',
    `Private show with ${performer.person.displayName}`,
  );
  await page.press('Send request', { in: dialog });
  await page.sees(/^Waiting for/u);
  await performer.call(acceptPrivate, { username: viewer.username });
  await watches(viewer, performer);
  await mediaPasses(site, performer, 30);
  await page.sees('30 tokens', { in: await region(page) });
  await viewer.call(endPrivate, { username });
  expect([(await viewer.call(getBalance, {})).tokens, await bookOf(site, performer, 'earnings')])
    .toEqual([270, 30]);
});

test('nothing went wrong on the server but what the lost hold was due for', () => {
  expect(site.log.filter((line) => !line.includes('at refusedDue '))).toEqual([]);
});
