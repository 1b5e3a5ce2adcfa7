import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { ConsentVersion, recordingConsentOutdated } from '#product/recordings/contract.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import {
  MAX_LEAD_MINUTES,
  MAX_RECORDING_PRICE,
  MAX_SHOW_MINUTES,
  MAX_TICKET_MESSAGE,
  MAX_TICKET_PRICE,
  MAX_TICKETS,
  MIN_LEAD_MINUTES,
  MIN_SHOW_MINUTES,
  MIN_TICKET_PRICE,
  TICKET_ENDS,
  TICKET_PHASES,
  TICKET_STATES,
  TICKETS_PAGE,
} from '../rules/ticket-show.ts';

const slice = 'shows';
export const ticketBusy = refusal({
  slice,
  code: 'ticket_busy',
  kind: 'conflict',
  description: 'A private show, a versus tournament, an app or a ticket show of this performer is on.',
});
export const ticketMessageEmpty = refusal({
  slice,
  code: 'ticket_message_empty',
  kind: 'invalid',
  description: 'Nothing is left of the message.',
});
export const ticketRefundTooLong = refusal({
  slice,
  code: 'ticket_refund_too_long',
  kind: 'invalid',
  description: 'The minutes of the refund are more than the agreed length: nobody would ever pay.',
});
export const ticketConsentMissing = refusal({
  slice,
  code: 'ticket_consent_missing',
  kind: 'invalid',
  description: 'A recording is sold only with the performer’s consent to it, given for this one show.',
});
export const recordingPriceTooLow = refusal({
  slice,
  code: 'recording_price_too_low',
  kind: 'invalid',
  description: 'A recording costs as much as the cheapest ticket at least; 0 is no recording.',
});
export const ticketNotOffered = refusal({
  slice,
  code: 'ticket_not_offered',
  kind: 'absent',
  description: 'No ticket show is offered (any more), or none runs.',
});
export const ticketTooEarly = refusal({
  slice,
  code: 'ticket_too_early',
  kind: 'conflict',
  description: 'A ticket show starts ten minutes before its time at the earliest.',
});
export const ticketUnderMinimum = refusal({
  slice,
  code: 'ticket_under_minimum',
  kind: 'conflict',
  description: 'The minimum of tickets is not sold.',
});
export const ticketNotLive = refusal({
  slice,
  code: 'ticket_not_live',
  kind: 'conflict',
  description: 'The performer is not online.',
});
export const ownTicket = refusal({
  slice,
  code: 'own_ticket',
  kind: 'denied',
  description: 'Nobody buys a ticket of their own show.',
});
export const ticketHeld = refusal({
  slice,
  code: 'ticket_held',
  kind: 'conflict',
  description: 'The caller holds a ticket of this show.',
});
export const ticketPriceDiffers = refusal({
  slice,
  code: 'ticket_price_differs',
  kind: 'conflict',
  description: 'The ticket costs this caller another price (`price`) than the one they were shown.',
});
export const ticketSoldOut = refusal({
  slice,
  code: 'ticket_sold_out',
  kind: 'conflict',
  description: 'No ticket is left.',
});

const Username = z.string().max(64);
const Done = z.object({ status: z.literal(1) });
const entryRefusals = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;
const RefundMinutes = z.int().min(0).max(MAX_SHOW_MINUTES);
const TicketPrice = z.int().min(MIN_TICKET_PRICE).max(MAX_TICKET_PRICE);

/** A ticket show as everybody in the room sees it (spec 2 §3.4). */
export const PublicTicketShow = z.object({
  id: z.int(),
  state: z.enum(TICKET_PHASES),
  /** Tokens, before the fan club's discount. */
  ticket_price: z.int(),
  /** Tokens; 0 for a show without a recording. */
  recording_price: z.int(),
  /** The show is being recorded, so its recording can be bought. */
  is_recorded: z.boolean(),
  /** Viewers who join later than this many minutes before the end get their tokens back. */
  refund_joined_minute_before_end: z.int(),
  limited_message: z.string(),
  /** Planned start. */
  starts_at: z.string(),
  /** Null before the start. */
  started_at: z.string().nullable(),
  /** Agreed length: if the show ends earlier, everybody gets their tokens back. */
  minutes: z.int(),
  /** The show cannot start with fewer tickets sold. */
  minimum_tickets: z.int(),
  sold: z.int(),
  /** Id of the chat message that offered the show in the room; null for none. */
  chat_line: z.int().nullable(),
});
export type PublicTicketShowView = z.infer<typeof PublicTicketShow>;

/** A ticket show for one viewer: `limitedShow` of the room data. */
export const LimitedShow = PublicTicketShow.extend({
  purchased_ticket: z.boolean(),
  purchased_recording: z.boolean(),
});
export type LimitedShowView = z.infer<typeof LimitedShow>;

/** A ticket show for its performer. */
export const OwnTicketShow = PublicTicketShow.extend({
  offered_at: z.string(),
  ended_at: z.string().nullable(),
  reason_ended: z.enum(TICKET_ENDS).nullable(),
  /** Tickets paid for, tickets given back, and the tokens of the paid ones. */
  paid: z.int(),
  returned: z.int(),
  paid_tokens: z.int(),
  /** Recordings paid for, and their tokens. */
  recordings_paid: z.int(),
  recording_tokens: z.int(),
  /** Length of the recording that its buyers can watch; null for none, or none yet. */
  recorded_seconds: z.int().nullable(),
});
export type OwnTicketShowView = z.infer<typeof OwnTicketShow>;

/** A ticket, for the viewer who bought it. */
export const Ticket = z.object({
  id: z.int(),
  show_id: z.int(),
  /** Username of the performer. */
  broadcaster: z.string(),
  limited_message: z.string(),
  /** Price of the ticket, in tokens. */
  tokens: z.int(),
  /** `held`: set aside until the show is over. */
  state: z.enum(TICKET_STATES),
  /** Null while the show is not over. */
  reason_ended: z.enum(TICKET_ENDS).nullable(),
  /** Seconds that the caller was in the show; 0 while it is not over, and for a show that never started. */
  seconds_in: z.int(),
  refund_joined_minute_before_end: z.int(),
  starts_at: z.string(),
  bought_at: z.string(),
  settled_at: z.string().nullable(),
  /** The recording bought with the ticket; null for none. */
  recording: z.object({
    tokens: z.int(),
    state: z.enum(TICKET_STATES),
    /** The recording can be watched now. */
    is_playable: z.boolean(),
  }).nullable(),
});
export type TicketView = z.infer<typeof Ticket>;

export const offerTicketShow = call({
  name: 'shows.offerTicketShow',
  method: 'POST',
  path: '/shows/ticket',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    message: z.string().max(MAX_TICKET_MESSAGE),
    ticket_price: TicketPrice,
    starts_in_minutes: z.int().min(MIN_LEAD_MINUTES).max(MAX_LEAD_MINUTES),
    minimum_tickets: z.int().min(1).max(MAX_TICKETS),
    minutes: z.int().min(MIN_SHOW_MINUTES).max(MAX_SHOW_MINUTES),
    refund_joined_minute_before_end: RefundMinutes,
    /** Tokens that ticket holders pay for the recording; 0 or absent for none. */
    recording_price: z.int().min(0).max(MAX_RECORDING_PRICE).optional(),
    /** The performer agrees to the recording of this show; required with a price. */
    recording_consent: z.boolean().optional(),
    recording_consent_version: ConsentVersion.optional(),
  }),
  output: OwnTicketShow,
  refusals: [
    ticketMessageEmpty,
    ticketRefundTooLong,
    recordingPriceTooLow,
    ticketConsentMissing,
    recordingConsentOutdated,
    ticketBusy,
  ],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Offer a ticket show',
  description: 'One at a time. From now on tickets are sold, and requests for private shows are refused. '
    + 'The chat of the room has a line about it. Pending requests for a private show are declined. With a '
    + 'recording price the show is recorded from its start to its end, for the performer and its buyers.',
  requirements: ['B-258', 'B-170'],
});

export const cancelTicketShow = call({
  name: 'shows.cancelTicketShow',
  method: 'POST',
  path: '/shows/ticket/cancel',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: Done,
  refusals: [ticketNotOffered],
  summary: 'Cancel an offered ticket show',
  description: 'Every ticket is refunded in full. A running show is ended instead.',
});

export const startTicketShow = call({
  name: 'shows.startTicketShow',
  method: 'POST',
  path: '/shows/ticket/start',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: OwnTicketShow,
  refusals: [ticketNotOffered, ticketTooEarly, ticketUnderMinimum, ticketNotLive],
  summary: 'Start the offered ticket show',
  description: 'From ten minutes before its time until ten after it, once the minimum is sold: the video '
    + 'moves to the holders of tickets, and everybody else loses it.',
});

export const endTicketShow = call({
  name: 'shows.endTicketShow',
  method: 'POST',
  path: '/shows/ticket/end',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: OwnTicketShow,
  refusals: [ticketNotOffered],
  summary: 'End the running ticket show',
  description: 'Before the agreed length every ticket is refunded in full. After it those who joined in time '
    + 'pay.',
});

export const getOwnTicketShows = call({
  name: 'shows.getOwnTicketShows',
  method: 'GET',
  path: '/shows/ticket',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    /** Only shows before this id, which the previous page returned. */
    before: z.int().positive().optional(),
  }),
  output: z.object({
    /** The offered or running show; null without one. */
    open: OwnTicketShow.nullable(),
    /** Shows that are over, newest first. */
    past: z.array(OwnTicketShow).max(TICKETS_PAGE),
    /** `before` of the next page; null on the last. */
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'One\'s own ticket shows',
  description: 'The one that is on, and what the earlier ones came to.',
});

export const getTicketShow = call({
  name: 'shows.getTicketShow',
  method: 'GET',
  path: '/shows/ticket/:username',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({ show: LimitedShow.nullable() }),
  refusals: [...entryRefusals],
  summary: 'The ticket show of a room',
  description: 'As in the room data; null while none is on.',
});

export const buyTicket = call({
  name: 'shows.buyTicket',
  method: 'POST',
  path: '/shows/ticket/:username/buy',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username: Username,
    /** The price the viewer was shown, after the fan club's discount. */
    price: z.int().min(1),
  }),
  output: z.object({
    ticket: Ticket,
    /** The caller's balance afterwards. */
    tokens: z.int(),
  }),
  refusals: [
    ...entryRefusals,
    ticketNotOffered,
    ownTicket,
    ticketHeld,
    ticketPriceDiffers,
    ticketSoldOut,
    ...spendRefusals,
  ],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Buy a ticket of the offered or running show',
  description: 'The price is set aside until the show is over. A second ticket is refused, so that a '
    + 'repeated request never buys twice.',
  requirements: ['B-009', 'B-269'],
});

export const getTickets = call({
  name: 'shows.getTickets',
  method: 'GET',
  path: '/shows/tickets',
  access: 'member',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ tickets: z.array(Ticket).max(TICKETS_PAGE), next: z.int().nullable() }),
  refusals: [],
  summary: 'Tickets the caller bought',
  description: 'Newest first, with what became of their tokens.',
});

const toRoom = { socket: 'room', from: 'server' } as const;

export const ticketShowChanged = event({
  name: 'v3.limited.show',
  ...toRoom,
  shape: PublicTicketShow,
  description: 'A ticket show was offered, or started: to everybody in the room.',
  requirements: ['B-170'],
});
export const ticketsSold = event({
  name: 'v3.limited.sold',
  ...toRoom,
  shape: z.object({ id: z.int(), sold: z.int() }),
  description: 'A ticket was bought, or went back: to everybody in the room.',
});
export const ticketBought = event({
  name: 'v3.limited.ticket',
  ...toRoom,
  shape: z.object({ id: z.int(), purchased: z.boolean() }),
  description: 'This viewer bought a ticket of the show, on this page or another, or lost it with a ban.',
});
export const ticketShowJoined = event({
  name: 'v3.limited.started',
  ...toRoom,
  shape: z.object({
    id: z.int(),
    /** Username of the performer. */
    broadcaster: z.string(),
    /** Name of the show's stream. */
    stream: z.string().nullable(),
  }),
  description: 'The ticket show runs and this viewer is in it: to each holder of a ticket, and to the '
    + 'performer.',
});
export const ticketShowEnded = event({
  name: 'v3.limited.end',
  ...toRoom,
  shape: z.object({ id: z.int(), reason_ended: z.enum(TICKET_ENDS) }),
  description: 'The ticket show of the room is over, or was cancelled: to everybody in the room.',
});
export const ticketSettled = event({
  name: 'v3.limited.settled',
  ...toRoom,
  shape: z.object({
    id: z.int(),
    state: z.enum(['paid', 'returned']),
    tokens: z.int(),
    reason_ended: z.enum(TICKET_ENDS),
    /** Seconds since this viewer joined; 0 for a show that never started. */
    seconds_in: z.int(),
    refund_joined_minute_before_end: z.int(),
    /** What happened to the recording bought with the ticket; null for none. */
    recording: z.object({ state: z.enum(['paid', 'returned']), tokens: z.int() }).nullable(),
  }),
  description: 'What became of this viewer\'s ticket, at the end of its show.',
  requirements: ['B-246', 'B-247'],
});

/** A ticket show was offered, or is over. */
export const ticketOfferChanged = fact({
  name: 'shows.ticketOfferChanged',
  shape: z.object({ performerId: z.int() }),
  description: 'A performer offers a ticket show now, or no longer: listings of private shows follow it.',
});
