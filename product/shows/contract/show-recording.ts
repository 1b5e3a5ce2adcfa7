import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { BytesAnswer, NoBody } from '#product/broadcast/contract.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { RECORDED_SHOWS } from '#product/recordings/rules.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import { ownTicket, Ticket, ticketNotOffered } from './ticket-show.ts';

const slice = 'shows';
export const recordingNotRunning = refusal({
  slice,
  code: 'recording_not_running',
  kind: 'conflict',
  description: 'The ticket show does not run yet: its recording is sold while it runs.',
});
export const recordingNoTicket = refusal({
  slice,
  code: 'recording_no_ticket',
  kind: 'denied',
  description: 'The caller holds no ticket of the show, and is not in it.',
});
export const recordingNotOffered = refusal({
  slice,
  code: 'recording_not_offered',
  kind: 'conflict',
  description: 'The show is offered without a recording.',
});
export const recordingBought = refusal({
  slice,
  code: 'recording_bought',
  kind: 'conflict',
  description: 'The caller has bought the recording.',
});
export const recordingNotMade = refusal({
  slice,
  code: 'recording_not_made',
  kind: 'conflict',
  description: 'Nothing is being recorded: there would be nothing to watch.',
});
export const recordingPriceDiffers = refusal({
  slice,
  code: 'recording_price_differs',
  kind: 'conflict',
  description: 'The recording costs this caller another price (`price`) than the one they were shown.',
});
export const showRecordingUnknown = refusal({
  slice,
  code: 'show_recording_unknown',
  kind: 'absent',
  description: 'There is no such recording that the caller may watch.',
});

export const showRecordingWithdrawn = refusal({
  slice,
  code: 'show_recording_withdrawn',
  kind: 'absent',
  description: 'The caller might watch the recording, but its performer has deleted it, or a part of it.',
});

const entryRefusals = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;

export const buyTicketRecording = call({
  name: 'shows.buyTicketRecording',
  method: 'POST',
  path: '/shows/ticket/:username/recording',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username: z.string().max(64),
    /** The price the viewer was shown, after the fan club's discount. */
    price: z.int().min(1),
  }),
  output: z.object({
    /** The ticket, with the recording. */
    ticket: Ticket,
    /** The caller's balance afterwards. */
    tokens: z.int(),
  }),
  refusals: [
    ...entryRefusals,
    ownTicket,
    ticketNotOffered,
    recordingNotRunning,
    recordingNoTicket,
    recordingNotOffered,
    recordingBought,
    recordingNotMade,
    recordingPriceDiffers,
    ...spendRefusals,
  ],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Buy the recording of the running ticket show',
  description: 'With a ticket in hand, while the show runs. The price is set aside until the show is over: '
    + 'it is paid with the ticket if at least 80% of the agreed length were recorded, and goes back '
    + 'otherwise, or with the ticket.',
  requirements: ['B-270'],
});

/** Kind of the show: `limited` for a ticket show, or `private`. Ids are counted separately for each. */
const mode = z.enum(RECORDED_SHOWS);

/** The recording of a show, for people who may watch it. */
const ShowRecording = z.object({
  show_id: z.int(),
  mode,
  /** Username and display name of the performer. */
  broadcaster: z.string(),
  display_name: z.string(),
  /** Topic of a ticket show; empty for a private show. */
  limited_message: z.string(),
  /** When the show started. */
  started_at: z.string(),
  seconds: z.int(),
  /** In order; more than one if the video was interrupted. */
  parts: z.array(z.object({
    id: z.int(),
    seconds: z.int(),
    width: z.int().nullable(),
    height: z.int().nullable(),
  })),
});

export const getShowRecording = call({
  name: 'shows.getShowRecording',
  method: 'GET',
  path: '/shows/recordings/:show',
  access: 'member',
  credential: 'cookie',
  output: ShowRecording,
  input: z.object({ show: z.int().min(0), mode: mode.optional() }),
  refusals: [showRecordingUnknown, showRecordingWithdrawn],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'The recording of a show',
  description: 'For its performer, for holders who paid for that of a ticket show, and the viewer of the '
    + 'private one, may enter her room and is not banned from it.',
});

export const getShowRecordingFile = call({
  name: 'shows.getShowRecordingFile',
  method: 'GET',
  path: '/shows/recordings/:show/:part/file',
  access: 'member',
  credential: 'cookie',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 600, seconds: 60, per: 'caller' },
  input: z.object({
    show: z.int().positive(),
    part: z.int().positive(),
    mode: mode.optional(),
    body: NoBody,
  }),
  output: BytesAnswer,
  refusals: [showRecordingUnknown, showRecordingWithdrawn],
  summary: 'The video of a recorded show',
  description: 'MP4, for callers who may read `getShowRecording`, checked with each response. Supports one '
    + 'Range of bytes; a response has at most 8 MB, and no cache stores it.',
});

export const ticketRecordingBought = event({
  name: 'v3.limited.recording',
  socket: 'room',
  from: 'server',
  shape: z.object({ id: z.int(), purchased: z.boolean() }),
  description: 'This viewer bought the recording of the ticket show, on this page or another, or lost it '
    + 'with a ban.',
  requirements: ['B-170'],
});
