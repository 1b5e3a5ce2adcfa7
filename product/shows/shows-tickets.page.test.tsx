import { MINUTE_MS } from '#platform/time/units.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { declareAge, saveBlockedRegions } from '#product/compliance/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { closesRatingCard, isAskedToRate, seesRatingCard } from '#product/testkit/pages/look/ratings.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { runsPrivate } from '#product/testkit/shows/private-show.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endPrivate } from './contract/private-running.ts';
import { cancelTicketShow, endTicketShow, getOwnTicketShows } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;

describe('a viewer', () => {
  test('sees the ticket show of a room, its terms, and buys a ticket [B-112, B-009]', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer);
    await page.idle();
    expect(page.all('heading', 'Ticket show')).toEqual([]);
    await offersTickets(performer, {
      minimum_tickets: 2,
      minutes: 20,
      refund_joined_minute_before_end: 6,
      starts_in_minutes: 10,
    });
    const offer = await page.find('region', 'Ticket show');
    await page.sees('Fire and feathers', { in: offer });
    await page.sees('100 tokens', { in: offer });
    await page.sees('($10.00)', { in: offer });
    await page.sees('0 of at least 2', { in: offer });
    await page.sees(/^You pay only if the show runs the agreed 20 minutes\./u, { in: offer });
    await page.sees(/^Join less than 6 minutes before the end/u, { in: offer });
    expect(await page.problems()).toEqual([]);
    await page.press('Buy ticket', { in: offer });
    const { displayName: name } = performer.person;
    const question = await page.find('alertdialog', `Buy a ticket to ${name}’s show?`);
    await page.sees('100 tokens', { in: question });
    await page.sees('($10.00)', { in: question });
    await page.press('Buy ticket', { in: question });
    await page.sees('1 of at least 2', { in: await page.find('region', 'Your ticket') });
    expect(page.all('button', 'Buy ticket')).toEqual([]);
    await page.sees(/^You have a ticket\. The video switches here/u, {
      in: await page.find('region', 'Your ticket'),
    });
    expect((await viewer.call(getBalance, {})).tokens).toBe(200);
  });

  test('reads of the offer in the chat, whenever they come, and buys from there', async () => {
    const performer = await ticketPerformer(site);
    const [viewer, late] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
    /** The chat line that offers this show. */
    const lineOf = async (page: Page, about: string): Promise<HTMLElement> => {
      const said = await page.sees(new RegExp(`Ticket show: ${about}`, 'u'), {
        in: await page.find('list', 'Chat'),
      });
      return said.closest('li') ?? said;
    };
    const page = await openRoom(site, viewer, performer);
    await offersTickets(performer, { minutes: 20 });
    const line = await lineOf(page, String.raw`Fire and feathers \(20 min for 100 tokens\)`);
    await page.find('button', 'Buy ticket', { in: line });
    // The earlier offer is withdrawn.
    await performer.call(cancelTicketShow, {});
    await page.gone('button', 'Buy ticket');
    await offersTickets(performer, { message: 'Water' });
    await page.press('Buy ticket', { in: await lineOf(page, 'Water') });
    await page.press('Not now', { in: await page.find('alertdialog', /^Buy a ticket/u) });
    await page.gone('alertdialog', /^Buy a ticket/u);
    expect(page.all('button', 'Buy ticket', { in: line })).toEqual([]);
    const other = await openRoom(site, late, performer, { width: 390 });
    await other.press('Buy ticket', { in: await lineOf(other, 'Water') });
    expect(await other.problems()).toEqual([]);
    await other.press('Buy ticket', { in: await other.find('alertdialog', /^Buy a ticket/u) });
    await other.find('region', 'Your ticket');
    expect(other.all('button', 'Buy ticket')).toEqual([]);
    await lineOf(other, 'Water');
    expect((await late.call(getBalance, {})).tokens).toBe(200);
    const own = await openRoom(site, performer, performer);
    await lineOf(own, 'Water');
    expect(own.all('button', 'Buy ticket')).toEqual([]);
  });

  test('with too few tokens is led to buy some, and bought nothing', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 20 });
    await offersTickets(performer);
    const page = await openRoom(site, viewer, performer);
    await page.press('Buy ticket', { in: await page.find('region', 'Ticket show') });
    await page.press('Buy ticket', { in: await page.find('alertdialog', /^Buy a ticket/u) });
    const low = await page.find('dialog', 'Not enough tokens');
    // A ticket costs 100 tokens, and the viewer has 20.
    await page.sees('You need 80 more tokens for this. Nothing was charged.', { in: low });
    expect((await performer.call(getOwnTicketShows, {})).open).toMatchObject({ sold: 0 });
  });

  test('without a ticket sees why the video is gone, and buys it back', async () => {
    const performer = await ticketPerformer(site);
    const [first, viewer] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
    await offersTickets(performer, { minutes: 20, minimum_tickets: 1 });
    await sellsTickets(performer, first);
    await startsTicketShow(performer);
    await site.passes(4 * MINUTE_MS);
    const page = await openRoom(site, viewer, performer);
    await page.sees('Only ticket holders can watch.');
    const offer = await page.find('region', 'Ticket show');
    await page.sees('The show is on. A ticket lets you in right away.', { in: offer });
    // The time left is shown before buying; the minimum number of tickets no longer matters.
    await page.sees('16 min 0 s', { in: offer });
    expect(offer.textContent).not.toMatch(/of at least/u);
    await page.press('Buy ticket', { in: offer });
    const question = await page.find('alertdialog', /^Buy a ticket/u);
    await page.sees('16 min 0 s', { in: question });
    await page.sees('20 min', { in: question });
    await page.press('Buy ticket', { in: question });
    await page.sees('You’re in the ticket show.');
    await page.until(() => expect(page.shows('Only ticket holders can watch.')).toBe(false));
  });

  /** Puts a ticket holder in a show for this many seconds. */
  async function isIn(
    refundMinutes: number,
    seconds: number,
    { missesEnd = false, goesOffline = false } = {},
  ) {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    await offersTickets(performer, { minutes: 10, refund_joined_minute_before_end: refundMinutes });
    await sellsTickets(performer, viewer);
    const page = await openRoom(site, viewer, performer);
    await startsTicketShow(performer);
    await page.sees('You’re in the ticket show.');
    await site.passes(seconds * 1_000);
    const mends = missesEnd ? page.network.cuts(`/ws/room/${performer.username}`) : null;
    await (goesOffline ? performer.call(endBroadcast, {}) : performer.call(endTicketShow, {}));
    await site.settle();
    // After 30 seconds without video the show is over.
    if (goesOffline) await site.passes(31_000);
    mends?.();
    return { page, performer };
  }

  test('gets a receipt, and is asked for a rating after 120 seconds, not before [B-129]', async () => {
    const long = await isIn(0, 120);
    await closesRatingCard(long.page, long.performer);
    await long.page.sees('100 tokens', { in: await long.page.find('region', 'Your ticket') });
    expect(await long.page.problems()).toEqual([]);
    const short = await isIn(0, 119);
    await short.page.sees(/^The show ended before the agreed time/u);
    await short.page.idle();
    expect(isAskedToRate(short.page, short.performer)).toBe(false);
    // After a private show viewers are always asked, however short it was.
    const { performer, viewer } = await runsPrivate(site);
    const page = await openRoom(site, viewer, performer);
    await page.find('region', 'Your private show');
    await performer.call(endPrivate, { username: viewer.username });
    await seesRatingCard(page, performer);
  });

  test('gets both, too, when the page missed the end and joins the room again', async () => {
    const { page, performer } = await isIn(0, 120, { missesEnd: true });
    await closesRatingCard(page, performer);
    await page.sees(/^The show ended before the agreed time/u, {
      in: await page.find('region', 'Your ticket'),
    });
  });

  test('is not asked while the performer is offline, and is once they are back', async () => {
    for (const missesEnd of [false, true]) {
      const { page, performer } = await isIn(0, 120, { missesEnd, goesOffline: true });
      const ticket = await page.find('region', 'Your ticket');
      await page.sees(/^The video was lost before the agreed time/u, { in: ticket });
      await page.idle();
      expect(isAskedToRate(page, performer)).toBe(false);
      await performer.goesLive();
      await site.settle();
      await seesRatingCard(page, performer);
    }
  });

  /** Whether a viewer is asked after one second less than this, and after this long. */
  async function isAskedAt(refundMinutes: number, seconds: number): Promise<boolean[]> {
    const asked: boolean[] = [];
    for (const stayed of [seconds - 1, seconds]) {
      const { page, performer } = await isIn(refundMinutes, stayed);
      await page.sees(/^The show ended before the agreed time/u);
      await page.idle();
      asked.push(isAskedToRate(page, performer));
    }
    return asked;
  }

  test('is asked after 120 seconds, or the time of the refund if that is longer [B-246, B-408]', async () => {
    expect(await isAskedAt(0, 120)).toEqual([false, true]);
    expect(await isAskedAt(1, 120)).toEqual([false, true]);
    expect(await isAskedAt(4, 240)).toEqual([false, true]);
    // They are also asked after a show that ran as agreed and was paid for.
    const { page, performer } = await isIn(0, 600);
    await seesRatingCard(page, performer);
  });

  test('who came later is asked by the time they were in, to the millisecond [B-246, B-408]', async () => {
    const asked: boolean[] = [];
    for (const stayedMs of [119_999, 120_000]) {
      const performer = await ticketPerformer(site);
      const [first, late] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
      await offersTickets(performer, { minutes: 10 });
      await sellsTickets(performer, first);
      await startsTicketShow(performer);
      await site.passes(100_000);
      await sellsTickets(performer, late);
      const page = await openRoom(site, late, performer);
      await page.sees('You’re in the ticket show.');
      await site.passes(stayedMs);
      await performer.call(endTicketShow, {});
      await page.sees(/^The show ended before the agreed time/u);
      await page.idle();
      asked.push(isAskedToRate(page, performer));
    }
    expect(asked).toEqual([false, true]);
  });

  test('is asked after the minutes of the refund, of 60 seconds each [B-247]', async () => {
    expect(await isAskedAt(3, 180)).toEqual([false, true]);
  });

  test.each([
    ['who came shortly before the end', /^The ticket show is over\. You joined shortly before the end/u],
    ['who was shut out for a minute', /^The ticket show is over\. You couldn’t watch all of it, so/u],
  ])('%s reads why the tokens are back', async (who, why) => {
    const performer = await ticketPerformer(site);
    const [abroad, late] = [
      await site.viewer({ tokens: 200, region: 'BR' }),
      await site.viewer({ tokens: 200 }),
    ];
    await abroad.call(declareAge, { of_age: true });
    await offersTickets(performer, { minutes: 5, refund_joined_minute_before_end: 2 });
    await sellsTickets(performer, abroad);
    await startsTicketShow(performer);
    await site.passes(100_000);
    await performer.call(saveBlockedRegions, { regions: ['BR'] });
    await site.passes(60_000);
    await performer.call(saveBlockedRegions, { regions: [] });
    await site.passes(50_000);
    await sellsTickets(performer, late);
    const page = await openRoom(site, who.includes('shut out') ? abroad : late, performer);
    await page.sees('You’re in the ticket show.');
    await site.passes(100_000);
    await performer.call(endTicketShow, {});
    const ticket = await page.find('region', 'Your ticket');
    await page.sees(why, { in: ticket });
    await page.sees('100 tokens', { in: ticket });
    await page.sees('Returned', { in: ticket });
    expect(page.shows(/You joined shortly/u, { in: ticket })).toBe(who.includes('before the end'));
  });

  test('finds each ticket among the receipts', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    await offersTickets(performer);
    await sellsTickets(performer, viewer);
    await startsTicketShow(performer);
    await site.passes(30 * MINUTE_MS);
    await performer.call(endTicketShow, {});
    const page = await openPage(site, viewer, '/account/shows');
    const table = await page.find('table', 'Tickets');
    const headings = page.all('heading', undefined, { in: await page.find('main') });
    expect(headings.map((heading) => heading.textContent)).toEqual([
      'Shows',
      'Tickets',
      'Private shows',
      'Spying receipts',
      'Camera receipts',
    ]);
    await page.sees('Paid', { in: table });
    await page.sees('Ran as agreed', { in: table });
    await page.sees('100 tokens', { in: table });
    expect(await page.problems()).toEqual([]);
  });
});

test('whoever was in no show reads so once, and a performer below what they offer', async () => {
  const none = 'No shows yet. Each one gets a receipt here.';
  const viewer = await openPage(site, await site.viewer(), '/account/shows');
  await viewer.sees(none);
  expect(viewer.all('heading', undefined, { in: await viewer.find('main') })).toHaveLength(1);
  const performer = await openPage(site, await ticketPerformer(site), '/account/shows');
  await performer.find('heading', 'What you offer');
  await performer.sees(none);
  expect(performer.all('heading', /receipts|Tickets|Private shows|Past ticket shows/u)).toEqual([]);
});

test('a performer offers, starts and ends a ticket show, and is warned of an early end', async () => {
  const performer = await ticketPerformer(site);
  const viewer = await site.viewer({ tokens: 300 });
  const page = await openPage(site, performer, '/go-live');
  await page.press('Ticket show');
  const offer = await page.find('dialog', 'Ticket show');
  await page.fill('What’s the show about?', 'Fire', { in: offer });
  await page.fill('Starts in (minutes)', '5', { in: offer });
  await page.fill('Minimum tickets', '1', { in: offer });
  await page.fill('Agreed length (minutes)', '10', { in: offer });
  await page.fill('Refund for late joiners (minutes)', '11', { in: offer });
  await page.press('Announce show', { in: offer });
  await page.sees(/^The refund minutes can’t exceed/u, { in: offer });
  await page.fill('Refund for late joiners (minutes)', '2', { in: offer });
  await page.press('Announce show', { in: offer });
  const own = await page.find('region', 'Ticket show');
  await page.sees(/^No requests right now\. Viewers who ask for a private show appear here\./u);
  await page.sees('You can start once the minimum is sold.', { in: own });
  await sellsTickets(performer, viewer);
  await page.sees('1 of at least 1', { in: own });
  expect(await page.problems()).toEqual([]);
  await page.press('Start show', { in: own });
  await page.sees('The show is on: only ticket holders see you.', { in: own });
  await page.sees(/^A ticket show is running: nobody can ask for a private show until it ends\./u);
  expect(page.shows(/Viewers who ask/u)).toBe(false);
  await page.press('End show', { in: own });
  const question = await page.find('alertdialog', 'End the ticket show?');
  await page.sees(/of the agreed length are left\. If you end now, everyone gets their tokens back/u, {
    in: question,
  });
  await page.press('End show', { in: question });
  await page.find('button', 'Ticket show');
  expect(page.all('dialog')).toEqual([]);
  expect((await viewer.call(getBalance, {})).tokens).toBe(300);
  const receipts = await openPage(site, performer, '/account/shows');
  await receipts.sees('Ended early', { in: await receipts.find('table', 'Past ticket shows') });
  expect(await receipts.problems()).toEqual([]);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
