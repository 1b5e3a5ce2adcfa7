import { MINUTE_MS } from '#platform/time/units.ts';
import { startRecording } from '#product/recordings/contract.ts';
import { RECORDING_CONSENT_VERSION } from '#product/recordings/rules.ts';
import { startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { requestPrivate } from '#product/shows/contract/private-show.ts';
import { saveShowSettings, setDiscount } from '#product/shows/contract/settings.ts';
import { getOwnTicketShows } from '#product/shows/contract/ticket-show.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { countsTones } from '#product/testkit/pages/window/tones.ts';
import { offersTickets, sellsTickets, ticketPerformer } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { startSplit } from '#product/tips/contract/splits.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const HOUR_MS = 60 * MINUTE_MS;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const WRONG = [['ahead', HOUR_MS], ['behind', -HOUR_MS]] as const;

describe.each(WRONG)('with a browser\'s clock an hour %s', (_how, clockAheadMs) => {
  test('a performer starts the ticket show that was sold, also when the clock is set meanwhile', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    await offersTickets(performer, { minutes: 10 });
    await sellsTickets(performer, viewer);
    const page = await openPage(site, performer, '/go-live', { clockAheadMs });
    const own = await page.find('region', 'Ticket show');
    await page.find('button', 'Start show', { in: own });
    page.setsClock(-clockAheadMs);
    await site.passes(2_000);
    await page.press('Start show', { in: own });
    await page.sees('The show is on: only ticket holders see you.', { in: own });
    await page.sees('10 min 0 s', { in: own });
    expect((await performer.call(getOwnTicketShows, {})).open).toMatchObject({ state: 'running' });
  });

  test('a viewer sees when a ticket show starts, and how long a goal can be reached', async () => {
    const performer = await ticketPerformer(site);
    await performer.call(startGroupGoal, { title: 'A song', tokens: 100, minutes: 20 });
    await offersTickets(performer, { starts_in_minutes: 10 });
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer, { clockAheadMs });
    await page.sees('10 min 0 s', { in: await page.find('region', 'Ticket show') });
    await page.press('Group goal');
    const goal = await page.find('dialog', 'Group goal');
    await page.sees('20 min 0 s', { in: goal });
    page.setsClock(2 * clockAheadMs);
    await site.passes(MINUTE_MS);
    await page.sees('19 min 0 s', { in: goal });
  });

  test('a silence ends in the page when it ends on the server, and not before', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    await performer.moderates('silence', viewer, { minutes: 5 });
    const page = await openRoom(site, viewer, performer, { clockAheadMs });
    await page.sees(/\b5 min left/u);
    await site.passes(4 * MINUTE_MS);
    await page.sees(/\b60 seconds left/u);
    await site.passes(MINUTE_MS);
    await page.until(() => expect(page.shows(/(?:seconds?|min) left/u)).toBe(false));
  });

  test('a tip that several pay together is open for as long as the room has it open', async () => {
    const performer = await site.performer({ live: true });
    const [viewer, proposer] = [await site.viewer({ tokens: 50 }), await site.viewer({ tokens: 50 })];
    await proposer.call(startSplit, { username: performer.username, amount: 20, people: 2 });
    const page = await openRoom(site, viewer, performer, { clockAheadMs });
    await page.sees('60 s left');
    page.setsClock(-clockAheadMs);
    await site.passes(20_000);
    await page.sees('40 s left');
    await page.find('button', 'Join for 10');
  });

  test('a discount and requests end when they end, however late they are shown', async () => {
    countsTones();
    const performer = await ticketPerformer(site);
    await performer.call(saveShowSettings, { private: { isEnabled: true } });
    await performer.call(setDiscount, { discountRate: 25, minutes: 10 });
    const viewer = await site.viewer({ tokens: 300 });
    const room = await openRoom(site, viewer, performer, { clockAheadMs });
    // The time is in the description of the button.
    const offer = await room.find('region', 'Private show');
    await room.until(() => expect(offer.textContent).toContain('10 min 0 s'));
    room.setsClock(-clockAheadMs);
    await site.passes(2 * MINUTE_MS);
    await room.until(() => expect(offer.textContent).toContain('8 min 0 s'));
    await viewer.call(requestPrivate, { username: performer.username, price: 22 });
    const console = await openPage(site, performer, '/go-live', { clockAheadMs });
    const asks = await console.find('list', 'Private show requests');
    await console.sees('2 min 0 s', { in: asks });
    await site.passes(30_000);
    await console.sees('1 min 30 s', { in: asks });
    // Data read half a minute ago is shown again from the cache.
    console.follows('/account/shows');
    await console.sees('7 min 30 s', { in: await console.find('region', 'Discount') });
    console.follows('/go-live');
    await console.sees('1 min 30 s', { in: await console.find('list', 'Private show requests') });
  });

  test('a recording and a broadcast have lasted as long as they have', async () => {
    const performer = await ticketPerformer(site);
    await performer.call(startRecording, { consent: true, consent_version: RECORDING_CONSENT_VERSION });
    await site.passes(MINUTE_MS);
    const page = await openPage(site, performer, '/go-live', { clockAheadMs });
    await page.until(() => expect(page.all('timer').map(({ textContent }) => textContent)).toEqual(['1:00']));
  });

  test('what happened a minute ago happened a minute ago', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    await site.passes(3 * MINUTE_MS);
    const page = await openPage(site, viewer, '/account/tokens', { clockAheadMs });
    await page.sees('3 minutes ago');
  });
});

describe('after the device slept for an hour', () => {
  test('a performer starts the ticket show that was sold', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    await offersTickets(performer, { starts_in_minutes: 60, minutes: 10 });
    await sellsTickets(performer, viewer);
    const page = await openPage(site, performer, '/go-live');
    const own = await page.find('region', 'Ticket show');
    expect(page.all('button', 'Start show', { in: own })).toEqual([]);
    await page.sleeps(HOUR_MS);
    await page.press('Start show', { in: own });
    await page.sees('The show is on: only ticket holders see you.', { in: own });
  });

  test('a viewer sees how long it is until a ticket show starts', async () => {
    const performer = await ticketPerformer(site);
    await offersTickets(performer, { starts_in_minutes: 90 });
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer);
    const show = await page.find('region', 'Ticket show');
    await page.sees('90 min 0 s', { in: show });
    await page.sleeps(HOUR_MS);
    await page.sees('30 min 0 s', { in: show });
  });
});
