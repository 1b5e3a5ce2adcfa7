import { MINUTE_MS } from '#platform/time/units.ts';
import { getBalance, getHistory } from '#product/ledger/contract.ts';
import { listNotices } from '#product/notices/contract.ts';
import { deleteRecording, listRecordings } from '#product/recordings/contract.ts';
import { recordingsAgain } from '#product/testkit/media/recordings-again.ts';
import {
  breaksOff,
  endsRecorded,
  offersTickets,
  picturesAgain,
  runsRecorded,
  sellsRecordings,
  sellsTickets,
  startsTicketShow,
  streamOf,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { sql } from 'kysely';
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyTicketRecording, getShowRecording } from './contract/show-recording.ts';
import { endTicketShow, getOwnTicketShows, getTickets, ticketSettled } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);
const ownOf = async (performer: Member) => (await performer.call(listRecordings, {})).recordings;

const ALL_BACK = { tokens: 500, held: 0, ticket: 'returned', recording: 'returned' };
/** A viewer's balance and held tokens, and the state of their newest ticket and its recording. */
async function accountOf(viewer: Member) {
  const [ticket] = (await viewer.call(getTickets, {})).tickets;
  return {
    tokens: await tokensOf(viewer),
    held: await bookOf(viewer, 'held'),
    ticket: ticket?.state,
    recording: ticket?.recording?.state ?? null,
  };
}

describe('the money of a recording', () => {
  it('is paid with the ticket, when the show ran as agreed and was recorded', async () => {
    const performer = await ticketPerformer(site);
    const [buyer, holder] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const { show, stream } = await runsRecorded(site, performer, buyer, holder);
    const room = await buyer.joins(performer);
    await sellsRecordings(performer, buyer);
    expect(await bookOf(performer, 'earnings')).toBe(0);
    await endsRecorded(site, performer, stream);
    expect(await accountOf(buyer)).toEqual({ tokens: 350, held: 0, ticket: 'paid', recording: 'paid' });
    expect(await accountOf(holder)).toEqual({ tokens: 400, held: 0, ticket: 'paid', recording: null });
    expect(await bookOf(performer, 'earnings')).toBe(250);
    expect(await room.waitFor(ticketSettled)).toMatchObject({
      id: show,
      state: 'paid',
      tokens: 100,
      recording: { state: 'paid', tokens: 50 },
    });
    const lines = (await buyer.call(getHistory, {})).lines.map(({ kind, tokens }) => [kind, tokens]);
    expect(lines.slice(0, 2)).toEqual([['ticket_recording_hold', -50], ['ticket_hold', -100]]);
    expect(await faultsOf(site)).toEqual([]);
  });

  it('goes back with the ticket: an early end, a late joiner, a ban', async () => {
    const early = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const first = await runsRecorded(site, early, viewer);
    await sellsRecordings(early, viewer);
    site.outputs.film(first.stream, 300);
    await early.call(endTicketShow, {});
    await site.settle();
    expect(await accountOf(viewer)).toEqual(ALL_BACK);
    // The notice names everything that was given back, not just the ticket's price.
    expect((await viewer.call(listNotices, {})).notices[0]?.text).toContain('Your 150 tokens are back');
    expect((await early.call(getOwnTicketShows, {})).past[0]).toMatchObject({ recorded_seconds: null });

    const second = await ticketPerformer(site);
    const [inTime, late, banned] = [
      await site.viewer({ tokens: 500 }),
      await site.viewer({ tokens: 500 }),
      await site.viewer({ tokens: 500 }),
    ];
    await offersTickets(second, {
      minutes: 5,
      refund_joined_minute_before_end: 2,
      recording_price: 50,
      recording_consent: true,
    });
    await sellsTickets(second, inTime, banned);
    await startsTicketShow(second);
    const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, second.id));
    await sellsRecordings(second, inTime, banned);
    await second.moderates('ban', banned);
    await site.settle();
    expect(await accountOf(banned)).toEqual(ALL_BACK);
    await site.passes(4 * MINUTE_MS);
    await sellsTickets(second, late);
    await sellsRecordings(second, late);
    site.outputs.film(stream ?? '', 300);
    await site.passes(MINUTE_MS + 1_000);
    await second.call(endTicketShow, {});
    await site.settle();
    expect(await accountOf(inTime)).toEqual({ tokens: 350, held: 0, ticket: 'paid', recording: 'paid' });
    expect(await accountOf(late)).toEqual(ALL_BACK);
    expect(await bookOf(second, 'earnings')).toBe(150);
    expect(await faultsOf(site)).toEqual([]);
  });

  it('goes back alone when too little was recorded, or it was deleted: nobody watches it', async () => {
    const short = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const first = await runsRecorded(site, short, viewer);
    await sellsRecordings(short, viewer);
    await endsRecorded(site, short, first.stream, 239);
    expect(await accountOf(viewer)).toEqual({ tokens: 400, held: 0, ticket: 'paid', recording: 'returned' });
    expect(await viewer.refused(getShowRecording, { show: first.show }))
      .toMatchObject({ status: 404, errorType: 'show_recording_unknown' });
    // The performer still has what was recorded.
    expect(await ownOf(short)).toMatchObject([{ mode: 'limited', seconds: 239 }]);

    const gone = await ticketPerformer(site);
    const { stream, show } = await runsRecorded(site, gone, viewer);
    await sellsRecordings(gone, viewer);
    site.outputs.film(stream, 100);
    const [running] = await ownOf(gone);
    await gone.call(deleteRecording, { id: running?.id ?? 0 });
    await site.settle();
    const other = await site.viewer({ tokens: 500 });
    await sellsTickets(gone, other);
    expect(await other.refused(buyTicketRecording, { username: gone.username, price: 50 }))
      .toMatchObject({ errorType: 'recording_not_made' });
    // Even when the video starts again, nothing is recorded.
    await picturesAgain(gone);
    expect(site.outputs.recordings).toEqual([]);
    await endsRecorded(site, gone, stream);
    expect(await accountOf(viewer)).toMatchObject({ tokens: 300, held: 0, recording: 'returned' });
    expect((await gone.refused(getShowRecording, { show })).status).toBe(404);
    expect(await faultsOf(site)).toEqual([]);
  });

  it('goes back although overtime was recorded, when too little of the agreed length was', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const { stream } = await runsRecorded(site, performer, viewer);
    await sellsRecordings(performer, viewer);
    site.outputs.film(stream, 100);
    await breaksOff(performer);
    await site.passes(4 * MINUTE_MS);
    await picturesAgain(performer);
    // One of these five minutes lies within the agreed five.
    await endsRecorded(site, performer, await streamOf(performer), 300);
    expect((await ownOf(performer)).map(({ seconds }) => seconds)).toEqual([300, 100]);
    expect(await accountOf(viewer)).toEqual({ tokens: 400, held: 0, ticket: 'paid', recording: 'returned' });
  });

  it('is paid by all or by nobody, although it is deleted while some are not settled yet', async () => {
    const performer = await ticketPerformer(site);
    const [first, second] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const { show, stream } = await runsRecorded(site, performer, first, second);
    await sellsRecordings(performer, first, second);
    const setAside = (isSettled: boolean) =>
      site.tx((tx) =>
        sql`update shows.tickets
      set state = ${isSettled ? 'returned' : 'held'}, settled_at = ${isSettled ? tx.now : null}
      where show_id = ${show} and viewer_id = ${second.id}`.execute(tx.sql())
      );
    // The second ticket is set aside, as if it belonged to a later batch.
    await setAside(true);
    await endsRecorded(site, performer, stream);
    expect(await accountOf(first)).toMatchObject({ tokens: 350, recording: 'paid' });
    const [recording] = await ownOf(performer);
    await performer.call(deleteRecording, { id: recording?.id ?? 0 });
    await site.settle();
    await setAside(false);
    await site.tx((tx) => tx.schedule({ kind: 'shows.ticketsSettle', key: String(show), at: tx.now }));
    await site.passes(1_000);
    await site.settle();
    expect(await accountOf(second)).toEqual({ tokens: 350, held: 0, ticket: 'paid', recording: 'paid' });
    expect(await faultsOf(site)).toEqual([]);
  });

  it('is settled after a crash by what was complete', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const { show, stream } = await runsRecorded(site, performer, viewer);
    await sellsRecordings(performer, viewer);
    site.outputs.film(stream, 290);
    const file = await site.tx(async (tx) =>
      (await sql<{ file: string }>`
      select file from recordings.recordings where show_id = ${show}`.execute(tx.sql())).rows[0]?.file ?? ''
    );
    const path = join(site.folder, 'kept', '1', `${file}.mp4`);
    truncateSync(path, statSync(path).size - 100);
    const restarted = recordingsAgain(site);
    await restarted.start?.();
    expect(await ownOf(performer)).toMatchObject([{ state: 'interrupted', seconds: 289 }]);
    await site.passes(5 * MINUTE_MS + 1_000);
    await performer.call(endTicketShow, {});
    await site.settle();
    expect(await accountOf(viewer)).toMatchObject({ ticket: 'paid', recording: 'paid' });
    expect((await viewer.call(getShowRecording, { show })).seconds).toBe(289);
    await restarted.stop?.();
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
