import { getBalance } from '#product/ledger/contract.ts';
import { listReports } from '#product/moderation/contract.ts';
import { listRecordings } from '#product/recordings/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import {
  endsRecorded,
  offersTickets,
  runsRecorded,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endTicketShow, getOwnTicketShows, getTickets } from './contract/ticket-show.ts';
import { TICKET_CONSENT_VERSION } from './rules/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('a performer sells a recording with a ticket show only once she agrees to it', async () => {
  const performer = await ticketPerformer(site);
  const viewer = await site.viewer({ tokens: 300 });
  const page = await openPage(site, performer, '/go-live', { mayPrint: /\b4\d\d\b/u });
  await page.press('Ticket show');
  const offer = await page.find('dialog', 'Ticket show');
  await page.fill('What’s the show about?', 'Fire', { in: offer });
  await page.fill('Starts in (minutes)', '5', { in: offer });
  await page.fill('Minimum tickets', '1', { in: offer });
  await page.fill('Agreed length (minutes)', '10', { in: offer });
  await page.fill('Refund for late joiners (minutes)', '0', { in: offer });
  expect(page.shows(/^Your video and audio will be recorded/u)).toBe(false);
  await page.press('Sell a recording of this show', { role: 'checkbox', in: offer });
  await page.sees(/^Your video and audio will be recorded from the start of this ticket show to its end/u);
  await page.fill('Recording price (tokens)', '60', { in: offer });
  await page.press('Announce show', { in: offer });
  await page.sees('To sell a recording, agree to it first.', { in: offer });
  expect((await performer.call(getOwnTicketShows, {})).open).toBeNull();
  await page.press(/^I agree to this recording and its sale/u, { role: 'checkbox', in: offer });
  await page.press('Announce show', { in: offer });
  const own = await page.find('region', 'Ticket show');
  await page.sees('60 tokens', { in: own });
  expect(page.network.sent.join('\n')).toContain(`"recording_consent_version":${TICKET_CONSENT_VERSION}`);
  await sellsTickets(performer, viewer);
  await page.press('Start show', { in: own });
  await page.sees('The show is being recorded.', { in: own });
  expect(await page.problems()).toEqual([]);
  const list = await openPage(site, performer, '/account/recordings');
  await list.sees('Ticket show');
  expect(list.all('button', /while offline$/u)).toEqual([]);
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  const [running] = site.outputs.recordings.filter((recording) => recording.stream === stream);
  site.outputs.endRecording(running?.id ?? '', 'fault');
  await site.settle();
  const again = await openPage(site, performer, '/go-live', { mayPrint: /\b4\d\d\b/u });
  await again.sees(/^The show isn’t being recorded\. If less than 80% of the agreed length is recorded/u);
  await performer.call(endTicketShow, {});
  await site.settle();
});

test('a viewer buys the recording in the show, watches it afterwards, and may report it', async () => {
  const performer = await ticketPerformer(site);
  const { displayName: name } = performer.person;
  const viewer = await site.viewer({ tokens: 400 });
  await offersTickets(performer, { minutes: 5, recording_price: 50, recording_consent: true });
  const page = await openRoom(site, viewer, performer);
  const offer = await page.find('region', 'Ticket show');
  await page.sees('50 tokens', { in: offer });
  await page.sees('($5.00)', { in: offer });
  await page.sees('With a ticket you can buy the recording while the show runs.', { in: offer });
  expect(page.all('button', 'Buy recording')).toEqual([]);
  await sellsTickets(performer, viewer);
  await startsTicketShow(performer);
  const own = await page.find('region', 'Your ticket');
  await page.press('Buy recording', { in: own });
  const question = await page.find('alertdialog', `Buy the recording of ${name}’s show?`);
  await page.sees('50 tokens', { in: question });
  await page.sees('($5.00)', { in: question });
  await page.sees(
    /^The price is set aside now\. .* and at least 80% of the agreed length is recorded\. Otherwise all/u,
    { in: question },
  );
  expect(await page.problems()).toEqual([]);
  await page.press('Buy recording', { in: question });
  await page.sees('You’ve bought the recording.', { in: own });
  expect(page.all('button', 'Buy recording')).toEqual([]);
  expect((await viewer.call(getBalance, {})).tokens).toBe(250);
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  await endsRecorded(site, performer, stream ?? '');
  const banner = await page.find('region', 'Your ticket');
  await page.sees('Recording paid', { in: banner });
  await page.find('link', 'Watch recording', { in: banner });

  const shows = await openPage(site, viewer, '/account/shows');
  const tickets = await shows.find('table', 'Tickets');
  await shows.sees('Recording: Paid', { in: tickets });
  await shows.sees('Recording: 50 tokens', { in: tickets });
  await shows.press('Watch recording', { in: tickets, role: 'link' });
  await shows.find('heading', `Recording of ${name}’s ticket show`);
  const [ticket] = (await viewer.call(getTickets, {})).tickets;
  const [part] = (await performer.call(listRecordings, {})).recordings;
  const video = document.querySelector('video[aria-label="Recording, part 1 of 1"]');
  expect(video?.getAttribute('src'))
    .toBe(`/api/v1/shows/recordings/${ticket?.show_id}/${part?.id}/file`);
  expect(await shows.problems()).toEqual([]);
  await shows.press('Report this recording');
  const dialog = await shows.find('dialog', 'Report this recording');
  await shows.choose('What’s wrong?', 'Illegal, or dangerous', { in: dialog });
  await shows.press('Send report', { in: dialog });
  await shows.find('dialog', 'Thank you');
  expect((await (await site.admin()).call(listReports, {})).reports).toMatchObject([{
    kind: 'recording',
    username: performer.username,
    target_id: ticket?.show_id,
    reason: 'illegal',
    reporter: viewer.username,
  }]);
});

test('without a running recording nothing is sold, and the page of another’s is closed', async () => {
  const performer = await ticketPerformer(site);
  const [viewer, other] = [await site.viewer({ tokens: 400 }), await site.viewer({ tokens: 400 })];
  const page = await openRoom(site, viewer, performer);
  const { show, stream } = await runsRecorded(site, performer, viewer);
  const offer = await page.find('region', 'Your ticket');
  await page.find('button', 'Buy recording', { in: offer });
  const [running] = site.outputs.recordings.filter((recording) => recording.stream === stream);
  site.outputs.film(stream, 290);
  site.outputs.endRecording(running?.id ?? '', 'full');
  await site.settle();
  await page.sees('The show isn’t being recorded right now, so there’s nothing to buy.', { in: offer });
  await endsRecorded(site, performer, stream);
  for (const who of [viewer, other]) {
    const closed = await openPage(site, who, `/account/shows/recordings/${show}`, { mayPrint: /404/u });
    await closed.sees('This recording isn’t available to you.');
    expect(document.querySelector('video[aria-label^="Recording"]')).toBeNull();
  }
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
