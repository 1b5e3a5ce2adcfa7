import { uuidV4 } from '#platform/data/ids.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { endBroadcast, getPlayback } from '#product/broadcast/contract.ts';
import { joinFanclub, saveOwnClub } from '#product/fanclubs/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { listNotices } from '#product/notices/contract.ts';
import { chatHistory, chatMessage, getRoom } from '#product/rooms/contract.ts';
import { playbackOf, plays } from '#product/testkit/media/media-client.ts';
import { privatePerformer } from '#product/testkit/shows/private-show.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateDeclined } from './contract.ts';
import { requestPrivate } from './contract/private-show.ts';
import {
  buyTicket,
  cancelTicketShow,
  endTicketShow,
  getOwnTicketShows,
  getTickets,
  getTicketShow,
  offerTicketShow,
  startTicketShow,
  ticketBought,
  ticketSettled,
  ticketShowChanged,
  ticketShowEnded,
  ticketShowJoined,
  ticketsSold,
} from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);
const shownTo = async (member: Member, performer: Member) =>
  (await member.call(getRoom, { username: performer.username })) as never as {
    limitedShow: unknown;
    streamStatus: string;
    chat: { status: string; mode: string };
  };

describe('a ticket show', () => {
  it('is offered to the room, sold, held and shown to the viewer', async () => {
    const performer = await ticketPerformer(site);
    const [viewer, other] = [await site.viewer({ tokens: 500 }), await site.viewer()];
    const [room, elsewhere] = [await viewer.joins(performer), await other.joins(performer)];
    expect((await shownTo(viewer, performer)).limitedShow).toBeNull();
    await offersTickets(performer, { ticket_price: 100, minutes: 30, refund_joined_minute_before_end: 7 });
    const shown = {
      purchased_ticket: false,
      purchased_recording: false,
      ticket_price: 100,
      recording_price: 0,
      refund_joined_minute_before_end: 7,
      limited_message: 'Fire and feathers',
      state: 'offered',
      minutes: 30,
      minimum_tickets: 1,
      sold: 0,
      started_at: null,
      is_recorded: false,
    };
    expect((await shownTo(viewer, performer)).limitedShow).toMatchObject(shown);
    expect(await room.waitFor(ticketShowChanged)).toMatchObject({ state: 'offered', ticket_price: 100 });
    const bought = await viewer.call(buyTicket, { username: performer.username, price: 100 });
    expect(bought).toMatchObject({
      tokens: 400,
      ticket: { broadcaster: performer.username, tokens: 100, state: 'held', reason_ended: null },
    });
    expect([await tokensOf(viewer), await bookOf(viewer, 'held'), await bookOf(performer, 'earnings')])
      .toEqual([400, 100, 0]);
    await site.settle();
    expect(await room.waitFor(ticketBought)).toMatchObject({ purchased: true });
    expect(await elsewhere.waitFor(ticketsSold)).toMatchObject({ sold: 1 });
    expect((await shownTo(viewer, performer)).limitedShow).toEqual({
      ...shown,
      purchased_ticket: true,
      sold: 1,
      id: expect.any(Number) as number,
      starts_at: expect.any(String) as string,
      chat_line: expect.any(Number) as number,
    });
    expect((await other.call(getTicketShow, { username: performer.username })).show)
      .toMatchObject({ ...shown, sold: 1 });
    expect(elsewhere.events.some(({ name }) => name === 'v3.limited.ticket')).toBe(false);
    expect((await viewer.call(getTickets, {})).tickets).toEqual([bought.ticket]);
  });

  it('has one line in the chat of the room, which those who come later read too', async () => {
    const performer = await ticketPerformer(site);
    const early = await (await site.viewer()).joins(performer);
    const offered = await offersTickets(performer, { message: 'Fire, <b>feathers</b>', minutes: 20 });
    const line = await early.waitFor(chatMessage, ({ type }) => type === 'notice');
    expect(line).toMatchObject({
      id: offered.chat_line,
      username: performer.username,
      message: 'Ticket show: Fire, <b>feathers</b> (20 min for 100 tokens)',
    });
    // A show that could not be offered has no line.
    expect(
      await performer.refused(offerTicketShow, {
        message: 'Another',
        ticket_price: 100,
        starts_in_minutes: 5,
        minimum_tickets: 1,
        minutes: 20,
        refund_joined_minute_before_end: 0,
      }),
    ).toMatchObject({ errorType: 'ticket_busy' });
    const late = await (await site.viewer()).joins(performer);
    const { messages } = await late.waitFor(chatHistory);
    expect(messages.map(({ id }) => id)).toEqual([offered.chat_line]);
    await performer.call(cancelTicketShow, {});
    const next = await offersTickets(performer, { message: 'Another' });
    expect(next.chat_line).toBeGreaterThan(offered.chat_line ?? 0);
    expect((await shownTo(await site.viewer(), performer)).limitedShow)
      .toMatchObject({ chat_line: next.chat_line });
  });

  it('is watched by the holders of tickets alone, and by everybody after it [B-211]', async () => {
    const performer = await ticketPerformer(site);
    const [viewer, other] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const guest = await site.visitor({ ofAge: true });
    await offersTickets(performer, {});
    await sellsTickets(performer, viewer);
    const before = await playbackOf(other, performer);
    const [room, outside] = [await viewer.joins(performer), await other.joins(performer)];
    await startsTicketShow(performer);
    const joined = await room.waitFor(ticketShowJoined);
    const { stream, token } = await playbackOf(viewer, performer);
    expect([joined.stream, joined.broadcaster]).toEqual([stream, performer.username]);
    await site.says(outside, 'a line after the start');
    expect(outside.received(ticketShowJoined)).toEqual([]);
    expect(JSON.stringify(outside.events)).not.toContain(stream);
    expect((await plays(viewer, stream, token)).status).toBe(201);
    for (const outsider of [other, guest]) {
      expect(await outsider.refused(getPlayback, { username: performer.username }))
        .toMatchObject({ errorType: expect.any(String) as string });
      expect((await plays(outsider, stream, token)).status).toBe(403);
      expect((await plays(outsider, before.stream, before.token)).status).toBeGreaterThanOrEqual(400);
    }
    expect(await shownTo(other, performer)).toMatchObject({
      streamStatus: 'limited',
      chat: { status: 'limited', mode: 'public' },
    });
    expect(await shownTo(viewer, performer)).toMatchObject({
      streamStatus: 'online',
      chat: { status: 'limited', mode: 'limited' },
    });
    // A ticket of the running show lets its holder in at once.
    await sellsTickets(performer, other);
    expect(await outside.waitFor(ticketShowJoined)).toMatchObject({ stream });
    const late = await playbackOf(other, performer);
    expect((await plays(other, late.stream, late.token)).status).toBe(201);
    await performer.call(endTicketShow, {});
    await site.settle();
    expect((await plays(viewer, stream, token)).status).toBeGreaterThanOrEqual(400);
    const after = await playbackOf(guest, performer);
    expect((await plays(guest, after.stream, after.token)).status).toBe(201);
    expect(await shownTo(viewer, performer)).toMatchObject({ chat: { status: 'online', mode: 'public' } });
  });

  it('is paid by those who were in for long enough, when it ran as agreed', async () => {
    const performer = await ticketPerformer(site);
    const [early, late] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    await offersTickets(performer, { ticket_price: 101, minutes: 30, refund_joined_minute_before_end: 10 });
    await sellsTickets(performer, early);
    const sockets = [await early.joins(performer), await late.joins(performer)];
    await startsTicketShow(performer);
    await site.passes(20 * MINUTE_MS + 2_000);
    await sellsTickets(performer, late);
    await site.passes(10 * MINUTE_MS - 1_000);
    expect(await bookOf(early, 'held')).toBe(101);
    const over = await performer.call(endTicketShow, {});
    expect(over).toMatchObject({
      reason_ended: 'completed',
      paid: 1,
      returned: 1,
      paid_tokens: 101,
      state: 'ended',
    });
    await site.settle();
    expect([await tokensOf(early), await tokensOf(late)]).toEqual([399, 500]);
    expect([await bookOf(early, 'held'), await bookOf(late, 'held')]).toEqual([0, 0]);
    expect(await bookOf(performer, 'earnings')).toBe(101);
    const [inTime, tooLate] = sockets;
    expect(await inTime?.waitFor(ticketSettled)).toMatchObject({
      state: 'paid',
      tokens: 101,
      reason_ended: 'completed',
      seconds_in: 1801,
      refund_joined_minute_before_end: 10,
    });
    expect(await tooLate?.waitFor(ticketSettled)).toMatchObject({ state: 'returned', seconds_in: 599 });
    expect(await tooLate?.waitFor(ticketShowEnded)).toMatchObject({ reason_ended: 'completed' });
    expect((await early.call(getTickets, {})).tickets[0])
      .toMatchObject({ state: 'paid', reason_ended: 'completed' });
  });
});

describe('a ticket is refused', () => {
  it('without a show, a second time, at another price, to its performer and to guests [B-269]', async () => {
    const performer = await ticketPerformer(site);
    const { username } = performer;
    const viewer = await site.viewer({ tokens: 500 });
    const buys = { username, price: 100 };
    expect(await viewer.refused(buyTicket, buys))
      .toMatchObject({ status: 404, errorType: 'ticket_not_offered' });
    await offersTickets(performer);
    expect(await viewer.refused(buyTicket, { username, price: 90 }))
      .toMatchObject({ status: 409, errorType: 'ticket_price_differs', price: 100 });
    expect(await performer.refused(buyTicket, buys)).toMatchObject({ status: 403, errorType: 'own_ticket' });
    const guest = await site.visitor({ ofAge: true });
    expect(await guest.refused(buyTicket, buys)).toMatchObject({ status: 401 });
    const poor = await site.viewer({ tokens: 99 });
    expect(await poor.refused(buyTicket, buys)).toMatchObject({ errorType: 'not_enough_tokens' });
    expect(await viewer.refused(buyTicket, { username: 'nobody_here_x', price: 100 }))
      .toMatchObject({ status: 404 });
    const suspended = await site.viewer({ tokens: 500 });
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, suspended.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    expect((await suspended.refused(buyTicket, buys)).status).toBe(403);
    expect(await bookOf(suspended, 'held')).toBe(0);
    const outcomes = await Promise.allSettled([viewer.call(buyTicket, buys), viewer.call(buyTicket, buys)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await viewer.refused(buyTicket, buys)).toMatchObject({ status: 409, errorType: 'ticket_held' });
    expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([400, 100]);
    expect((await performer.call(getOwnTicketShows, {})).open).toMatchObject({ sold: 1 });
    await performer.call(cancelTicketShow, {});
    expect(await poor.refused(buyTicket, buys)).toMatchObject({ errorType: 'ticket_not_offered' });
  });

  it.each(['ban', 'kick'] as const)(
    'to whoever is out by a %s; one that was bought goes back, and its holder is out',
    async (out) => {
      const performer = await ticketPerformer(site);
      const viewer = await site.viewer({ tokens: 500 });
      const buys = { username: performer.username, price: 100 };
      await offersTickets(performer);
      await sellsTickets(performer, viewer);
      await startsTicketShow(performer);
      const { stream, token } = await playbackOf(viewer, performer);
      expect((await plays(viewer, stream, token)).status).toBe(201);
      await performer.moderates(out, viewer);
      await site.settle();
      expect((await plays(viewer, stream, token)).status).toBe(403);
      expect(site.engine.readersOf(stream)).toBe(0);
      expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([500, 0]);
      expect((await viewer.call(getTickets, {})).tickets[0]).toMatchObject({ state: 'returned' });
      expect((await viewer.refused(buyTicket, buys)).errorType).toMatch(/^room_(?:banned|kicked)$/u);
      expect((await performer.call(getOwnTicketShows, {})).open).toMatchObject({ sold: 0 });
      // After the ban is lifted a viewer still cannot return to the same show with another ticket.
      if (out === 'ban') await performer.moderates('unban', viewer);
      else await site.passes(10 * MINUTE_MS + 1_000);
      await site.settle();
      expect((await viewer.refused(buyTicket, buys)).errorType).toBe('ticket_held');
      expect(await tokensOf(viewer)).toBe(500);
    },
  );

  it('never at less than the level of the fan club makes it, and never at more', async () => {
    const performer = await ticketPerformer(site);
    await performer.call(saveOwnClub, {
      enabled: true,
      description: 'Hello there.',
      prices: { supporter: 100, insider: 200, legend: 300 },
      perks: { supporter: ['A postcard'], insider: [], legend: ['A song'] },
    });
    const [insider, legend] = [await site.viewer({ tokens: 900 }), await site.viewer({ tokens: 900 })];
    for (const [fan, level, price] of [[insider, 'insider', 200], [legend, 'legend', 300]] as const) {
      const idempotencyKey = uuidV4();
      await fan.call(joinFanclub, { username: performer.username, level, price }, { idempotencyKey });
    }
    await offersTickets(performer, { ticket_price: 105 });
    for (const [viewer, price] of [[insider, 94], [legend, 78]] as const) {
      const before = await tokensOf(viewer);
      expect(await viewer.refused(buyTicket, { username: performer.username, price: 105 }))
        .toMatchObject({ price });
      await viewer.call(buyTicket, { username: performer.username, price });
      expect(await tokensOf(viewer)).toBe(before - price);
    }
  });
});

describe('nobody pays for a ticket show', () => {
  /** A show with two tickets, and the balances of their holders before and after. */
  async function sold(show: Parameters<typeof offersTickets>[1] = {}) {
    const performer = await ticketPerformer(site);
    const viewers = [await site.viewer({ tokens: 200 }), await site.viewer({ tokens: 300 })];
    await offersTickets(performer, show);
    await sellsTickets(performer, ...viewers);
    return { performer, viewers };
  }
  async function nothingPaid(performer: Member, viewers: readonly Member[], reason: string): Promise<void> {
    await site.settle();
    const [past] = (await performer.call(getOwnTicketShows, {})).past;
    expect(past).toMatchObject({ reason_ended: reason, paid: 0, returned: viewers.length });
    const left = [];
    for (const viewer of viewers) left.push([await tokensOf(viewer), await bookOf(viewer, 'held')]);
    expect(left).toEqual([[200, 0], [300, 0]]);
    expect(await bookOf(performer, 'earnings')).toBe(0);
    expect((await shownTo(performer, performer)).limitedShow).toBeNull();
  }

  it('that its performer cancels, that sells too few tickets, or that is never started', async () => {
    const cancelled = await sold();
    await cancelled.performer.call(cancelTicketShow, {});
    await nothingPaid(cancelled.performer, cancelled.viewers, 'performer');
    const few = await sold({ minimum_tickets: 3 });
    expect(await few.performer.refused(startTicketShow, {}))
      .toMatchObject({ status: 409, errorType: 'ticket_under_minimum' });
    const late = await sold();
    await site.passes(15 * MINUTE_MS - 1_000);
    expect((await late.performer.call(getOwnTicketShows, {})).open).not.toBeNull();
    await site.passes(2_000);
    await nothingPaid(few.performer, few.viewers, 'too_few_tickets');
    await nothingPaid(late.performer, late.viewers, 'not_started');
    expect(await late.performer.refused(startTicketShow, {}))
      .toMatchObject({ errorType: 'ticket_not_offered' });
  });

  it('that ends before the agreed minute, or whose broadcast ends', async () => {
    const early = await sold();
    await startsTicketShow(early.performer);
    await site.passes(29 * MINUTE_MS);
    await early.performer.call(endTicketShow, {});
    await nothingPaid(early.performer, early.viewers, 'ended_early');
    const gone = await sold();
    await startsTicketShow(gone.performer);
    await site.passes(10 * MINUTE_MS);
    await gone.performer.call(endBroadcast, {});
    await site.settle();
    await site.passes(29_000);
    expect((await gone.performer.call(getOwnTicketShows, {})).open).toMatchObject({ state: 'running' });
    await site.passes(2_000);
    await nothingPaid(gone.performer, gone.viewers, 'unpublish');
    expect(await faultsOf(site)).toEqual([]);
  });

  it('but one that ran as agreed: without a picture then, or for an hour more', async () => {
    const gone = await sold();
    await startsTicketShow(gone.performer);
    await site.passes(31 * MINUTE_MS);
    await gone.performer.call(endBroadcast, {});
    await site.settle();
    await site.passes(31_000);
    expect((await gone.performer.call(getOwnTicketShows, {})).past[0])
      .toMatchObject({ reason_ended: 'completed', paid: 2, paid_tokens: 200 });
    const long = await sold();
    await startsTicketShow(long.performer);
    await site.passes(91 * MINUTE_MS);
    expect((await long.performer.call(getOwnTicketShows, {})).past[0])
      .toMatchObject({ reason_ended: 'completed', paid: 2 });
  });
});

describe('the performer of a ticket show', () => {
  it('has one at a time, and no private requests meanwhile [B-258]', async () => {
    const performer = await privatePerformer(site);
    const [first, viewer] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const { username } = performer;
    await first.call(requestPrivate, { username, price: 30 });
    const room = await first.joins(performer);
    await offersTickets(performer);
    expect((await room.waitFor(privateDeclined)).username).toBe(username);
    expect(await viewer.refused(requestPrivate, { username, price: 30 }))
      .toMatchObject({ status: 409, errorType: 'private_limited_show' });
    expect(
      await performer.refused(offerTicketShow, {
        message: 'Again',
        ticket_price: 10,
        starts_in_minutes: 5,
        minimum_tickets: 1,
        minutes: 5,
        refund_joined_minute_before_end: 0,
      }),
    ).toMatchObject({ status: 409, errorType: 'ticket_busy' });
    await sellsTickets(performer, viewer);
    await startsTicketShow(performer);
    expect(await first.refused(requestPrivate, { username, price: 30 }))
      .toMatchObject({ errorType: 'private_limited_show' });
    expect(await performer.refused(cancelTicketShow, {})).toMatchObject({ errorType: 'ticket_not_offered' });
    await performer.call(endTicketShow, {});
    expect(await performer.refused(endTicketShow, {})).toMatchObject({ errorType: 'ticket_not_offered' });
    await site.settle();
    expect(await first.call(requestPrivate, { username, price: 30 }))
      .toMatchObject({ broadcaster: username });
  });

  it('says what it is about, starts it in its time and live, and others cannot', async () => {
    const performer = await site.performer();
    const show = {
      message: ' \u200b ',
      ticket_price: 50,
      starts_in_minutes: 30,
      minimum_tickets: 1,
      minutes: 10,
      refund_joined_minute_before_end: 11,
    };
    expect(await performer.refused(offerTicketShow, show))
      .toMatchObject({ errorType: 'ticket_message_empty' });
    expect(await performer.refused(offerTicketShow, { ...show, message: 'Fire' }))
      .toMatchObject({ status: 422, errorType: 'ticket_refund_too_long' });
    for (const wrong of [
      { starts_in_minutes: 4 },
      { starts_in_minutes: 721 },
      { ticket_price: 9 },
      { minimum_tickets: 0 },
      { minutes: 4 },
      { minutes: 181 },
    ]) {
      expect(
        await performer.refused(offerTicketShow, {
          ...show,
          message: 'Fire',
          refund_joined_minute_before_end: 0,
          ...wrong,
        }),
      ).toMatchObject({ status: 422, errorType: 'invalid_input' });
    }
    await offersTickets(performer, { starts_in_minutes: 30 });
    const viewer = await site.viewer({ tokens: 500 });
    for (const call of [startTicketShow, cancelTicketShow, endTicketShow]) {
      expect(await viewer.refused(call, {})).toMatchObject({ status: 403 });
    }
    await sellsTickets(performer, viewer);
    expect(await performer.refused(startTicketShow, {})).toMatchObject({ errorType: 'ticket_too_early' });
    await site.passes(20 * MINUTE_MS);
    expect(await performer.refused(startTicketShow, {}))
      .toMatchObject({ status: 409, errorType: 'ticket_not_live' });
    await performer.goesLive();
    await site.settle();
    expect(await startsTicketShow(performer)).toMatchObject({ state: 'running', sold: 1 });
  });
});

describe('holders of tickets who are elsewhere', () => {
  const noticesOf = async (viewer: Member): Promise<readonly (readonly [string, string])[]> =>
    (await viewer.call(listNotices, {})).notices.map(({ title, link }) => [title, link] as const);

  it('learn once that the show starts, and that a ticket came back; others learn nothing', async () => {
    const performer = await ticketPerformer(site);
    const { displayName: name, username } = performer.person;
    const [holder, other] = [await site.viewer({ tokens: 300 }), await site.viewer({ tokens: 300 })];
    await other.joins(performer);
    await offersTickets(performer);
    await sellsTickets(performer, holder);
    expect(await noticesOf(holder)).toEqual([]);
    await startsTicketShow(performer);
    const started = [`${name}’s ticket show has started`, `/${username}`] as const;
    expect(await noticesOf(holder)).toEqual([started]);
    await performer.call(endTicketShow, {});
    await site.settle();
    const returned = [`Your ticket for ${name}’s show was refunded`, '/account/shows'] as const;
    expect(await noticesOf(holder)).toEqual([returned, started]);
    expect((await holder.call(listNotices, {})).notices[0]?.text).toContain('Your 100 tokens are back');
    for (const one of [other, performer]) expect(await noticesOf(one)).toEqual([]);
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
