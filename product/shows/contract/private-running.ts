import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { z } from 'zod';
import {
  END_REASONS,
  PHASES,
  PING_EVERY_MS,
  PRIVATE_RECORDING_STATES,
  RECEIPTS_PAGE,
} from '../rules/private.ts';

const slice = 'shows';
export const notInShow = refusal({
  slice,
  code: 'not_in_private_show',
  kind: 'absent',
  description: 'The caller is in no private show with this person.',
});

const Username = z.string().max(64);
/** Null for a show without one. */
const recordingState = z.enum(PRIVATE_RECORDING_STATES).nullable();

/** The numbers of a running show (spec 2 §3.3). */
export const PrivateStats = z.object({
  /** Seconds set aside and not counted yet: they are given back if the show ends now. */
  privatePrepaidTimeLeftSeconds: z.int(),
  /** Seconds that counted. */
  privateStreamTimeInSecond: z.int(),
  /** Tokens that those seconds cost. */
  privateTokenCount: z.int(),
  /** Seconds until the viewer's tokens or limit are used up; for the performer, the prepaid seconds. */
  privateUserTimeLeftInSecond: z.int(),
});

/** The video that both people in a running show watch together. */
export const WatchTogether = z.object({
  /** Id of the performer's recording; `getWatchedFile` returns its video. */
  id: z.int(),
  length_ms: z.int(),
  /** Position at the time `at`, in ms; while the video plays, it advances in real time. */
  position_ms: z.int(),
  is_playing: z.boolean(),
  /** The server's time of `position_ms`. */
  at: z.string(),
});
export type WatchTogetherView = z.infer<typeof WatchTogether>;

/** A show of the caller that is starting or running. */
export const RunningPrivate = PrivateStats.extend({
  username: z.string(),
  broadcaster: z.string(),
  phase: z.enum(PHASES),
  exclusive: z.boolean(),
  recording: z.boolean(),
  cost_per_minute: z.int(),
  /** State of the show's recording. */
  recording_state: recordingState,
  /** When the viewer requested the show: unique among the shows of one viewer. */
  requested_at: z.string(),
  /** The viewer's own limit in tokens; null without one, and for the performer. */
  limit: z.int().nullable(),
  /** No seconds count at the moment, because no media arrives or none is sent. */
  is_paused: z.boolean(),
  /** What both watch together; null for nothing. */
  watch_together: WatchTogether.nullable(),
});
export type RunningPrivateView = z.infer<typeof RunningPrivate>;

/** Totals of a show, for both people in it. */
export const Receipt = z.object({
  id: z.int(),
  username: z.string(),
  broadcaster: z.string(),
  exclusive: z.boolean(),
  recording: z.boolean(),
  /** `ready`: both can watch the recording, by `shows.getShowRecording`. */
  recording_state: recordingState,
  /** Tokens a minute. */
  cost_per_minute: z.int(),
  /** Seconds that counted. */
  seconds: z.int(),
  /** Seconds that cost nothing, by the person whose media was missing. */
  free_seconds: z.object({ performer: z.int(), viewer: z.int() }),
  /** Tokens the viewer paid for the seconds: `floor(cost_per_minute × seconds / 60)`. */
  tokens: z.int(),
  /** Tokens paid before the first minute. */
  pre_tip: z.int(),
  /** Tokens that were set aside and given back. */
  released: z.int(),
  /** Tokens given back for a fan club membership. */
  fanclub_refund: z.int(),
  /** The viewer's own limit; null without one, and for the performer. */
  limit: z.int().nullable(),
  reason_ended: z.enum(END_REASONS),
  requested_at: z.string(),
  /** Null for a show that never began. */
  started_at: z.string().nullable(),
  ended_at: z.string(),
});
export type ReceiptView = z.infer<typeof Receipt>;

export const endPrivate = call({
  name: 'shows.endPrivate',
  method: 'POST',
  path: '/private/:username/end',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: Receipt,
  refusals: [notInShow],
  summary: 'End a private show',
  description: 'Either participant ends the show; `username` names the other. What is due is captured, '
    + 'the rest of the hold is released at once.',
  requirements: ['C-223', 'C-260'],
});

export const getReceipts = call({
  name: 'shows.getReceipts',
  method: 'GET',
  path: '/shows/receipts',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    /** Only receipts before this id, which the previous page returned. */
    before: z.int().positive().optional(),
  }),
  output: z.object({
    /** Accepted shows of the caller as viewer and as performer, newest first. */
    receipts: z.array(Receipt).max(RECEIPTS_PAGE),
    /** `before` of the next page; null on the last. */
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Receipts of one\'s private shows',
  description: 'What each show of the caller came to: seconds, price, free seconds by reason, what came '
    + 'back. Nobody but its two people reads one.',
});

/** Sent to both people in a show, each on their sockets in the performer's room. */
export const toRoom = { socket: 'room', from: 'server' } as const;
export const privateTick = event({
  name: 'v3.private.tick',
  ...toRoom,
  shape: PrivateStats.extend({
    username: z.string(),
    broadcaster: z.string(),
    is_paused: z.boolean(),
    /** Tokens. */
    cost_per_minute: z.int(),
    /** Tens of tokens that a post-pay viewer can still spend; null for everybody else. */
    avail: z.number().nullable(),
  }),
  description: 'Each second of a running private show: what it has come to. `is_paused`: no second counts, '
    + 'since no media arrives or is sent.',
  requirements: ['B-343', 'B-169', 'C-105', 'C-156'],
});
export const privateRecordingChanged = event({
  name: 'v3.private.recording',
  ...toRoom,
  shape: z.object({
    username: z.string(),
    broadcaster: z.string(),
    /** When the viewer requested the show: this identifies it. */
    requested_at: z.string(),
    recording_state: z.enum(PRIVATE_RECORDING_STATES),
  }),
  description: 'To the two of a show: whether it is being recorded changed, or what was recorded of it can '
    + 'be watched, or cannot any more.',
});
export const privatePing = event({
  name: 'v3.private.ping',
  socket: 'room',
  from: 'both',
  access: 'member',
  shape: z.object({
    /** Username of the sender. The server overwrites what a page sends. */
    from: z.string().max(64),
  }),
  description: `Keep-alive of a private show: each of the two sends it every ${PING_EVERY_MS / SECOND_MS} s, `
    + 'and the server relays it to the other. It counts nothing.',
  requirements: ['C-152', 'C-352'],
});
export const privateDiscount = event({
  name: 'v3.private.discount',
  ...toRoom,
  shape: z.object({
    /** Percent; 0 ends the discount. */
    discountRate: z.int(),
    timeLeftInSecond: z.int(),
    /** When it ends, or ended. */
    until: z.string(),
    /** Price per minute with the discount. */
    privatePricePerMinuteInToken: z.int(),
  }),
  description: 'The performer\'s discount on private shows began or ended: to the whole room.',
  requirements: ['B-162', 'B-341'],
});
