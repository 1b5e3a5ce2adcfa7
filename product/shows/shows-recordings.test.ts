import { getBalance } from '#product/ledger/contract.ts';
import {
  deleteRecording,
  listRecordings,
  setOfflineVideo,
  showRecordingDeleted,
  startRecording,
  stopRecording,
} from '#product/recordings/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
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
import { bookOf as inBook } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyTicketRecording, ticketRecordingBought } from './contract/show-recording.ts';
import {
  endTicketShow,
  getOwnTicketShows,
  getTicketShow,
  offerTicketShow,
  ticketShowChanged,
} from './contract/ticket-show.ts';
import { TICKET_CONSENT_VERSION } from './rules/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);
const limitedIn = async (member: Member, performer: Member) =>
  ((await member.call(getRoom, { username: performer.username })) as never as {
    limitedShow: Record<string, unknown> | null;
  }).limitedShow;
const ownOf = async (performer: Member) => (await performer.call(listRecordings, {})).recordings;

describe('the recording of a ticket show', () => {
  it('is agreed with the offer, made of the show alone, and ends with it', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    await performer.call(startRecording, { consent: true });
    const { stream: open } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    site.outputs.film(open ?? '', 7);
    const agreedAt = site.clock.now().toISOString();
    const { show, stream } = await runsRecorded(site, performer, viewer);
    expect(stream).not.toBe(open);
    expect(site.outputs.recordings.map((recording) => recording.stream)).toEqual([stream]);
    const [running, before] = await ownOf(performer);
    expect(before).toMatchObject({ mode: 'public', state: 'ready', seconds: 7 });
    expect(running).toMatchObject({
      mode: 'limited',
      state: 'recording',
      title: 'Fire and feathers',
      consent: { at: agreedAt, version: 1 },
      people: [{ username: performer.username }],
    });
    // The recording belongs to the show: it cannot be stopped by hand, nor joined by an ordinary one.
    expect(await performer.refused(stopRecording, {})).toMatchObject({ errorType: 'recording_unknown' });
    expect(await performer.refused(startRecording, { consent: true }))
      .toMatchObject({ errorType: 'recording_runs' });
    await endsRecorded(site, performer, stream);
    expect(site.outputs.recordings).toEqual([]);
    const [recorded] = await ownOf(performer);
    expect(recorded).toMatchObject({ id: running?.id, state: 'ready', seconds: 300 });
    expect((await performer.call(getOwnTicketShows, {})).past[0]).toMatchObject({
      id: show,
      recording_price: 50,
      recorded_seconds: 300,
      recordings_paid: 0,
    });
    // Only its buyers and the performer can watch it: it cannot be the offline video.
    expect(await performer.refused(setOfflineVideo, { recording_id: recorded?.id ?? 0 }))
      .toMatchObject({ errorType: 'recording_unknown' });
  });

  it('is refused without consent or below the cheapest ticket, and never made at a price of 0', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const show = {
      message: 'Fire',
      ticket_price: 50,
      starts_in_minutes: 5,
      minimum_tickets: 1,
      minutes: 5,
      refund_joined_minute_before_end: 0,
    };
    for (const consent of [{}, { recording_consent: false }]) {
      expect(await performer.refused(offerTicketShow, { ...show, recording_price: 50, ...consent }))
        .toMatchObject({ status: 422, errorType: 'ticket_consent_missing' });
    }
    expect(
      await performer.refused(offerTicketShow, {
        ...show,
        recording_price: 50,
        recording_consent: true,
        recording_consent_version: TICKET_CONSENT_VERSION + 1,
      }),
    ).toMatchObject({ status: 409, errorType: 'recording_consent_outdated' });
    expect(await performer.refused(offerTicketShow, { ...show, recording_price: 9, recording_consent: true }))
      .toMatchObject({ status: 422, errorType: 'recording_price_too_low' });
    for (const price of [-1, 10_001]) {
      expect(
        await performer.refused(offerTicketShow, {
          ...show,
          recording_price: price,
          recording_consent: true,
        }),
      ).toMatchObject({ errorType: 'invalid_input' });
    }
    await performer.call(offerTicketShow, { ...show, recording_price: 0, recording_consent: true });
    await sellsTickets(performer, viewer);
    await startsTicketShow(performer);
    expect(site.outputs.recordings).toEqual([]);
    await performer.call(endTicketShow, {});
    await site.settle();
  });

  it('goes on in a second part after an interruption, and is all of the show', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const room = await viewer.joins(performer);
    const { show, stream } = await runsRecorded(site, performer, viewer);
    expect(await room.waitFor(ticketShowChanged, ({ is_recorded: is }) => is)).toMatchObject({ id: show });
    site.outputs.film(stream, 100);
    await breaksOff(performer);
    // Without a recording nothing is sold.
    expect(await limitedIn(viewer, performer)).toMatchObject({ is_recorded: false });
    expect(await viewer.refused(buyTicketRecording, { username: performer.username, price: 50 }))
      .toMatchObject({ status: 409, errorType: 'recording_not_made' });
    await picturesAgain(performer);
    expect(await limitedIn(viewer, performer)).toMatchObject({ is_recorded: true });
    await sellsRecordings(performer, viewer);
    await endsRecorded(site, performer, await streamOf(performer), 180);
    expect((await performer.call(getOwnTicketShows, {})).past[0])
      .toMatchObject({ recorded_seconds: 280, recordings_paid: 1, recording_tokens: 50 });
  });

  it('is made no more once a part of it is deleted, while another one is being made', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const { show, stream } = await runsRecorded(site, performer, viewer);
    site.outputs.film(stream, 100);
    await breaksOff(performer);
    await picturesAgain(performer);
    const again = await streamOf(performer);
    site.outputs.film(again, 20);
    const [second, first] = await ownOf(performer);
    expect([first?.state, second?.state]).toEqual(['interrupted', 'recording']);
    await performer.call(deleteRecording, { id: first?.id ?? 0 });
    // The deletion does not wait: by its response the running recording has ended and is gone.
    expect(site.outputs.recordings).toEqual([]);
    expect(await performer.call(listRecordings, {})).toMatchObject({ recordings: [], running: null });
    await site.settle();
    expect(await limitedIn(viewer, performer)).toMatchObject({ is_recorded: false });
    await picturesAgain(performer);
    expect(site.outputs.recordings).toEqual([]);
    // Nor does a recording continue that began a moment too late.
    await site.services.recordings.recordShow({ operatorId: 1 }, performer.id, {
      mode: 'limited',
      showId: show,
      stream: await streamOf(performer),
      title: 'Fire',
      consentAt: site.clock.now(),
      consentVersion: 1,
    });
    await site.settle();
    expect(site.outputs.recordings).toEqual([]);
    await endsRecorded(site, performer, again);
    expect(await ownOf(performer)).toEqual([]);
  });

  it('ends when the deletion becomes known, whatever began between', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    const { show, stream } = await runsRecorded(site, performer, viewer);
    site.outputs.film(stream, 10);
    await site.tx((tx) =>
      tx.publish(showRecordingDeleted, `performer:${performer.id}`, {
        performerId: performer.id,
        showId: show,
        mode: 'limited',
      })
    );
    await site.settle();
    expect(site.outputs.recordings).toEqual([]);
    expect(await ownOf(performer)).toEqual([]);
    expect(await limitedIn(viewer, performer)).toMatchObject({ is_recorded: false });
    await endsRecorded(site, performer, stream);
  });
});

describe('a recording is bought', () => {
  it('in limited mode, with a ticket, above 0 and once; all else is refused [B-270]', async () => {
    const performer = await ticketPerformer(site);
    const { username } = performer;
    const buys = { username, price: 50 };
    const [viewer, outsider] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const [poor, lost] = [await site.viewer({ tokens: 149 }), await site.viewer({ tokens: 500 })];
    const guest = await site.visitor({ ofAge: true });
    const refusedTo = async (member: Member) => (await member.refused(buyTicketRecording, buys)).errorType;
    expect(await refusedTo(viewer)).toBe('ticket_not_offered');
    await offersTickets(performer, { minutes: 5, recording_price: 50, recording_consent: true });
    await sellsTickets(performer, viewer, poor, lost);
    // A ticket alone does not put the viewer in the limited mode: the show has not begun.
    expect(await refusedTo(viewer)).toBe('recording_not_running');
    expect(await limitedIn(viewer, performer)).toMatchObject({
      recording_price: 50,
      purchased_ticket: true,
      purchased_recording: false,
    });
    await startsTicketShow(performer);
    // A ticket that was given back does not count.
    await performer.moderates('ban', lost);
    await site.settle();
    await performer.moderates('unban', lost);
    await site.settle();
    expect(await refusedTo(lost)).toBe('recording_no_ticket');
    const seen = { username, price: 49 };
    expect(await viewer.refused(buyTicketRecording, seen))
      .toMatchObject({ status: 409, errorType: 'recording_price_differs', price: 50 });
    expect(await outsider.refused(buyTicketRecording, buys))
      .toMatchObject({ status: 403, errorType: 'recording_no_ticket' });
    expect(await performer.refused(buyTicketRecording, buys))
      .toMatchObject({ status: 403, errorType: 'own_ticket' });
    expect((await guest.refused(buyTicketRecording, buys)).status).toBe(401);
    expect(await poor.refused(buyTicketRecording, buys)).toMatchObject({ errorType: 'not_enough_tokens' });
    expect([await tokensOf(poor), await bookOf(poor, 'held')]).toEqual([49, 100]);
    // Two simultaneous purchases count as one, and a third is refused.
    const [room, elsewhere] = [await viewer.joins(performer), await outsider.joins(performer)];
    const outcomes = await Promise.allSettled([
      viewer.call(buyTicketRecording, buys),
      viewer.call(buyTicketRecording, buys),
    ]);
    const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(done).toMatchObject([{
      tokens: 350,
      ticket: { state: 'held', recording: { tokens: 50, state: 'held', is_playable: false } },
    }]);
    expect(await viewer.refused(buyTicketRecording, buys))
      .toMatchObject({ status: 409, errorType: 'recording_bought' });
    expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([350, 150]);
    await site.settle();
    expect(await room.waitFor(ticketRecordingBought)).toMatchObject({ purchased: true });
    expect(elsewhere.received(ticketRecordingBought)).toEqual([]);
    await performer.call(endTicketShow, {});
    await site.settle();
    expect(await refusedTo(viewer)).toBe('ticket_not_offered');
    // At a price of 0 there is no recording, whatever a buyer offers.
    await offersTickets(performer, { minutes: 5, recording_price: 0, recording_consent: true });
    await sellsTickets(performer, viewer);
    await startsTicketShow(performer);
    expect(await viewer.refused(buyTicketRecording, buys))
      .toMatchObject({ status: 409, errorType: 'recording_not_offered' });
    expect(await viewer.refused(buyTicketRecording, { username, price: 0 }))
      .toMatchObject({ errorType: 'invalid_input' });
    await performer.call(endTicketShow, {});
    await site.settle();
  });

  it('and the room says so to its buyer: bought or not, and for how much [B-170]', async () => {
    const performer = await ticketPerformer(site);
    const [buyer, holder] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    await offersTickets(performer, {
      ticket_price: 120,
      minutes: 5,
      refund_joined_minute_before_end: 3,
      recording_price: 75,
      recording_consent: true,
      message: 'Feathers',
    });
    const shown = {
      ticket_price: 120,
      recording_price: 75,
      refund_joined_minute_before_end: 3,
      limited_message: 'Feathers',
    };
    const states: object[] = [];
    const note = async (): Promise<void> =>
      void states.push(
        await limitedIn(buyer, performer) ?? {},
        await limitedIn(holder, performer) ?? {},
      );
    await note();
    await sellsTickets(performer, buyer, holder);
    await startsTicketShow(performer);
    await note();
    await buyer.call(buyTicketRecording, { username: performer.username, price: 75 });
    await note();
    const [none, ticket, both] = [
      { ...shown, purchased_ticket: false, purchased_recording: false },
      { ...shown, purchased_ticket: true, purchased_recording: false },
      { ...shown, purchased_ticket: true, purchased_recording: true },
    ];
    expect(states).toMatchObject([none, none, ticket, ticket, both, ticket]);
    expect((await buyer.call(getTicketShow, { username: performer.username })).show).toMatchObject(both);
    await performer.call(endTicketShow, {});
    await site.settle();
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
