import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { ConsentVersion, recordingConsentOutdated } from '#product/recordings/contract.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import { BALANCE_BANDS, MAX_LIMIT_TOKENS, MAX_PRE_TIP_TOKENS, REQUEST_BARS } from '../rules/private.ts';
import { RunningPrivate, toRoom } from './private-running.ts';

const slice = 'shows';
export const privateDisabled = refusal({
  slice,
  code: 'private_disabled',
  kind: 'denied',
  description: 'The performer offers no private shows.',
});
export const privateVoyeur = refusal({
  slice,
  code: 'private_voyeur',
  kind: 'denied',
  description: 'The room is a voyeur cam: nobody is in front of it for one viewer.',
});
export const privateLimitedShow = refusal({
  slice,
  code: 'private_limited_show',
  kind: 'conflict',
  description: 'A ticket show is announced or runs.',
});
export const privateVersus = refusal({
  slice,
  code: 'private_versus',
  kind: 'conflict',
  description: 'A versus tournament is active.',
});
export const privateUnavailable = refusal({
  slice,
  code: 'private_unavailable',
  kind: 'conflict',
  description: 'The chat status (`status`) is neither online nor standby.',
});
export const ownPrivate = refusal({
  slice,
  code: 'own_private',
  kind: 'denied',
  description: 'Nobody requests a show from themselves.',
});
export const exclusiveDisabled = refusal({
  slice,
  code: 'exclusive_disabled',
  kind: 'denied',
  description: 'The performer offers no exclusive shows.',
});
export const recordingDisabled = refusal({
  slice,
  code: 'recording_disabled',
  kind: 'denied',
  description: 'The performer does not let private shows be recorded.',
});
export const privateConsentMissing = refusal({
  slice,
  code: 'private_consent_missing',
  kind: 'invalid',
  description: 'The request asks for a recording, and the performer has not agreed to one: it still waits.',
});
export const privatePriceDiffers = refusal({
  slice,
  code: 'private_price_differs',
  kind: 'conflict',
  description: 'A minute costs another price now (`price`) than the one the viewer was shown.',
});
export const privateTipDiffers = refusal({
  slice,
  code: 'private_tip_differs',
  kind: 'conflict',
  description: 'The tip before the show is another one now (`pre_tip`) than the one the viewer was shown.',
});
export const privateMinimum = refusal({
  slice,
  code: 'private_minimum',
  kind: 'funds',
  description: 'Starting takes `needed` tokens: the first minute, or the performer\'s minimum, and the tip '
    + 'before it. Nothing was charged.',
});
export const limitTooLow = refusal({
  slice,
  code: 'limit_too_low',
  kind: 'invalid',
  description: 'The viewer\'s own limit is below what starting takes (`needed`).',
});
export const privateRequested = refusal({
  slice,
  code: 'private_requested',
  kind: 'conflict',
  description: 'This viewer\'s request to this performer still waits.',
});
export const tooManyRequests = refusal({
  slice,
  code: 'private_too_many_requests',
  kind: 'limited',
  description: 'Three requests of this viewer, or thirty to this performer, wait already.',
});
export const inShow = refusal({
  slice,
  code: 'in_private_show',
  kind: 'conflict',
  description: 'The caller is in a private show.',
});
export const requestUnknown = refusal({
  slice,
  code: 'private_request_unknown',
  kind: 'absent',
  description: 'No such request waits (any more): it was answered, withdrawn, or is older than 120 s.',
});
export const viewerBusy = refusal({
  slice,
  code: 'private_viewer_busy',
  kind: 'conflict',
  description: 'The viewer is in another show by now.',
});
export const viewerShort = refusal({
  slice,
  code: 'private_viewer_short',
  kind: 'conflict',
  description: 'The viewer cannot pay for the first minute any more. The request is over.',
});

const Username = z.string().max(64);
const entryRefusals = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;
/** In the order of the checks. */
const barRefusals = [
  privateDisabled,
  privateVoyeur,
  privateLimitedShow,
  privateVersus,
  privateUnavailable,
] as const;

/** A request for a private show, as its viewer and its performer see it. */
export const PrivateRequest = z.object({
  /** Username of the viewer. */
  username: z.string(),
  /** Username of the performer. */
  broadcaster: z.string(),
  exclusive: z.boolean(),
  /** The viewer asks for a recording; accepting is the performer's consent. */
  recording: z.boolean(),
  /** Tokens; fixed when the request is made, even if the price changes later. */
  cost_per_minute: z.int(),
  /** Tokens, paid once with the first second; 0 without one. */
  pre_tip: z.int(),
  /** How long the viewer's tokens last; null except for the performer. */
  balance_band: z.enum(BALANCE_BANDS).nullable(),
  requested_at: z.string(),
  /** Seconds until the request expires. */
  expires_in_seconds: z.int(),
  /** When the request expires: a page that shows it later counts from here. */
  expires_at: z.string(),
});
export type PrivateRequestView = z.infer<typeof PrivateRequest>;

export const requestPrivate = call({
  name: 'shows.requestPrivate',
  method: 'POST',
  path: '/private/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username: Username,
    exclusive: z.boolean().optional(),
    /** The show ends when it has cost this many tokens, including the tip before it. */
    limit: z.int().min(1).max(MAX_LIMIT_TOKENS).nullable().optional(),
    /** The viewer's consent to a recording for both, which costs nothing. */
    recording: z.boolean().optional(),
    recording_consent_version: ConsentVersion.optional(),
    /** Tokens a minute that the viewer was shown; if the price has changed, the request is refused. */
    price: z.int().min(1),
    /**
     * Tip before the show that the viewer was shown, in tokens; absent means 0. If it has changed, the
     * request is refused.
     */
    pre_tip: z.int().min(0).max(MAX_PRE_TIP_TOKENS).optional(),
  }),
  output: PrivateRequest,
  refusals: [
    ...entryRefusals,
    ...barRefusals,
    ownPrivate,
    exclusiveDisabled,
    recordingDisabled,
    recordingConsentOutdated,
    privatePriceDiffers,
    privateTipDiffers,
    limitTooLow,
    privateMinimum,
    privateRequested,
    tooManyRequests,
    inShow,
    ...spendRefusals,
  ],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Request a private show',
  description: 'A member asks a performer for a show paid by the minute. Nothing is held or charged before '
    + 'the performer accepts. The request waits 120 s; the price and the tip before the '
    + 'show that the viewer was shown are agreed with it.',
  requirements: [
    'A-009',
    'B-256',
    'B-257',
    'B-258',
    'B-259',
    'B-260',
    'B-261',
    'B-297',
    'C-005',
    'C-220',
    'C-221',
  ],
});

export const withdrawPrivate = call({
  name: 'shows.withdrawPrivate',
  method: 'POST',
  path: '/private/:username/withdraw',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({ status: z.literal(1) }),
  refusals: [requestUnknown],
  summary: 'Withdraw one\'s request',
  description: 'The viewer takes back their request to `username`.',
});

export const acceptPrivate = call({
  name: 'shows.acceptPrivate',
  method: 'POST',
  path: '/private/:username/accept',
  access: 'performer',
  credential: 'cookie',
  output: RunningPrivate,
  input: z.object({
    username: Username,
    /** The performer's consent to the recording that the request asks for, which they were shown. */
    recording_consent: z.boolean().optional(),
    recording_consent_version: ConsentVersion.optional(),
  }),
  refusals: [
    requestUnknown,
    privateConsentMissing,
    recordingConsentOutdated,
    inShow,
    viewerBusy,
    viewerShort,
    privateLimitedShow,
    privateVersus,
    privateUnavailable,
  ],
  summary: 'Accept a request for a private show',
  description: 'The performer accepts the request of the viewer `username`: the first minute is set aside, '
    + 'the picture moves to the two, and every other request is declined. The meter starts with the first '
    + 'media that the viewer is sent; without any within 30 s everything is returned.',
});

export const declinePrivate = call({
  name: 'shows.declinePrivate',
  method: 'POST',
  path: '/private/:username/decline',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({ status: z.literal(1) }),
  refusals: [requestUnknown],
  summary: 'Decline a request for a private show',
  description: 'The performer declines the request of the viewer `username`.',
});

export const getPrivateRequests = call({
  name: 'shows.getPrivateRequests',
  method: 'GET',
  path: '/private/requests',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Oldest first. */
    requests: z.array(PrivateRequest),
    running: RunningPrivate.nullable(),
    /** The performer lets viewers of private shows watch the performer's recordings with them. */
    can_watch_together: z.boolean(),
  }),
  refusals: [],
  summary: 'Who waits for a private show',
  description: 'A performer\'s own queue, and the show that starts or runs.',
});

export const checkPrivate = call({
  name: 'shows.checkPrivate',
  method: 'GET',
  path: '/private/:username/check',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({
    username: z.string(),
    /** Why no show can be requested now; null when one can. */
    bar: z.enum(REQUEST_BARS).nullable(),
    cost_per_minute: z.int(),
    /** Null when not offered. */
    exclusive_cost_per_minute: z.int().nullable(),
    is_recording_enabled: z.boolean(),
    pre_tip: z.int(),
    minimum_minutes: z.int(),
    /** Tens of tokens that a post-pay viewer can still spend; null for everybody else. */
    avail: z.number().nullable(),
    /** The caller's budget for the UTC day in tokens (null without one), and what they spent that day. */
    day: z.object({ limit: z.int().nullable(), spent: z.int() }),
    /** Tokens needed to start a show, and an exclusive show. */
    tokens_to_start: z.int(),
    exclusive_tokens_to_start: z.int().nullable(),
    tokens: z.int(),
    /** The most a show can cost, in tokens: with credit, and within the caller's budgets. */
    spendable: z.int(),
    /** Seconds that `spendable` pays for after the tip, and seconds of an exclusive show. */
    seconds: z.int(),
    exclusive_seconds: z.int().nullable(),
    /** The video's current bits a second, which the connection must carry. Null until standby ends. */
    stream_bits_per_second: z.int().nullable(),
    /** The caller's pending request to this performer. */
    request: PrivateRequest.nullable(),
    /** The caller's show with this performer. */
    running: RunningPrivate.nullable(),
  }),
  refusals: [...entryRefusals],
  summary: 'What a private show would cost, and for how long',
  description: 'For the page that asks before a request: the prices of now, how long the caller\'s tokens '
    + 'last, and what the connection must carry. Also what a page that was loaded again goes on with.',
});

export const privateRequestReceived = event({
  name: 'v3.private.request',
  socket: 'both',
  from: 'server',
  shape: PrivateRequest,
  description: 'A viewer requests a private show: to the performer, with a band of the balance, wherever '
    + 'their pages are, and to the viewer\'s own pages in the room, without.',
  requirements: ['C-150'],
});
export const privateQueue = event({
  name: 'v3.private.queue',
  socket: 'both',
  from: 'server',
  shape: z.object({ requests: z.array(PrivateRequest) }),
  description: 'The requests that wait for this performer, oldest first, after each change: to all of the '
    + 'performer\'s pages.',
});
export const privateExpired = event({
  name: 'v3.private.expired',
  ...toRoom,
  shape: z.object({ username: z.string(), broadcaster: z.string() }),
  description: 'The request of a viewer (`username`) got no answer within 120 s.',
  requirements: ['C-155'],
});
export const privateWithdrawn = event({
  name: 'v3.private.withdrawn',
  ...toRoom,
  shape: z.object({ username: z.string(), broadcaster: z.string() }),
  description: 'The viewer (`username`) withdrew their request, on this page or another.',
});
