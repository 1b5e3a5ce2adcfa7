import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { IceServer, PlaybackDescriptor } from '#product/broadcast/contract.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import { RECEIPTS_PAGE } from '../rules/private.ts';
import {
  MAX_PRIVATE_SHARECAMS,
  MAX_PUBLIC_SHARECAMS,
  MAX_SHARECAM_REQUESTS,
  SHARECAM_BARS,
  SHARECAM_ENDS,
  SHARECAM_MODES,
} from '../rules/sharecam.ts';

const slice = 'shows';
export const sharecamDisabled = refusal({
  slice,
  code: 'sharecam_disabled',
  kind: 'denied',
  description: 'The performer takes no cameras this way.',
});
export const sharecamUnavailable = refusal({
  slice,
  code: 'sharecam_unavailable',
  kind: 'conflict',
  description: 'The chat status (`status`) does not let cameras be shared this way.',
});
export const ownSharecam = refusal({
  slice,
  code: 'own_sharecam',
  kind: 'denied',
  description: 'Nobody shares a camera with themselves.',
});
export const adultUnconfirmed = refusal({
  slice,
  code: 'adult_unconfirmed',
  kind: 'denied',
  description: 'The viewer has not confirmed that they are an adult, of the age their region asks for.',
});
export const adultPending = refusal({
  slice,
  code: 'adult_pending',
  kind: 'denied',
  description: 'The viewer\'s documents await a decision: until then they show nothing of themselves.',
});
export const sharecamOpen = refusal({
  slice,
  code: 'sharecam_open',
  kind: 'conflict',
  description: 'The viewer has a sharecam already that waits or runs, here or elsewhere.',
});
export const sharecamFull = refusal({
  slice,
  code: 'sharecam_full',
  kind: 'limited',
  description: `The performer sees ${MAX_PUBLIC_SHARECAMS} cameras in public, or ${MAX_PRIVATE_SHARECAMS} in `
    + `private, or ${MAX_SHARECAM_REQUESTS} requests wait.`,
});
export const sharecamPriceDiffers = refusal({
  slice,
  code: 'sharecam_price_differs',
  kind: 'conflict',
  description: 'A minute costs another price now (`price`) than the one the viewer was shown.',
});
export const sharecamUnknown = refusal({
  slice,
  code: 'sharecam_unknown',
  kind: 'absent',
  description: 'The caller has no such sharecam (any more) with this person: it was answered, withdrawn, or '
    + 'is over.',
});
export const sharecamShort = refusal({
  slice,
  code: 'sharecam_short',
  kind: 'conflict',
  description: 'The viewer cannot pay for the first minute any more. The request is over.',
});

const Username = z.string().max(64);
const entryRefusals = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;
const byName = { credential: 'cookie', input: z.object({ username: Username }) } as const;
const done = z.object({ status: z.literal(1) });

/** A request to share a camera, as its viewer and its performer see it. */
export const SharecamRequest = z.object({
  /** Username of the viewer. */
  username: z.string(),
  /** Username of the performer. */
  broadcaster: z.string(),
  mode: z.enum(SHARECAM_MODES),
  /** Tokens, fixed when the request is made; 0 in private. */
  cost_per_minute: z.int(),
  requested_at: z.string(),
  /** Seconds until the request expires. */
  expires_in_seconds: z.int(),
  /** When the request expires. */
  expires_at: z.string(),
});
export type SharecamRequestView = z.infer<typeof SharecamRequest>;

/** An accepted camera, as its viewer and its performer see it. */
export const RunningSharecam = z.object({
  username: z.string(),
  broadcaster: z.string(),
  mode: z.enum(SHARECAM_MODES),
  /** Media has reached the performer. */
  is_ready: z.boolean(),
  /** No seconds count now, because the viewer's media does not arrive or is not sent to the performer. */
  is_paused: z.boolean(),
  cost_per_minute: z.int(),
  /** Seconds of the camera that the performer was sent. */
  seconds: z.int(),
  /** Tokens that those seconds cost. */
  tokens: z.int(),
  /** Seconds that the viewer's tokens last; null for the performer, and when the camera is free. */
  seconds_left: z.int().nullable(),
  accepted_at: z.string(),
});
export type RunningSharecamView = z.infer<typeof RunningSharecam>;

export const requestSharecam = call({
  name: 'shows.requestSharecam',
  method: 'POST',
  path: '/sharecam/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username: Username,
    mode: z.enum(SHARECAM_MODES),
    /** Tokens a minute that the viewer was shown; 0 in private. */
    price: z.int().min(0),
    /** The viewer confirms to be an adult; without it the request is refused. */
    adult: z.boolean(),
  }),
  output: SharecamRequest,
  refusals: [
    ...entryRefusals,
    ownSharecam,
    sharecamDisabled,
    sharecamUnavailable,
    adultUnconfirmed,
    adultPending,
    sharecamPriceDiffers,
    sharecamOpen,
    sharecamFull,
    ...spendRefusals,
  ],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Ask to share one\'s camera',
  description: 'A member asks a performer to look at their camera. Nothing is published, held or charged '
    + 'before she accepts. The request waits 120 s.',
  requirements: ['B-010', 'B-274', 'B-275'],
});

export const withdrawSharecam = call({
  name: 'shows.withdrawSharecam',
  method: 'POST',
  path: '/sharecam/:username/withdraw',
  access: 'member',
  ...byName,
  output: done,
  refusals: [sharecamUnknown],
  summary: 'Withdraw one\'s request',
  description: 'The viewer takes back their request to `username`.',
});

export const acceptSharecam = call({
  name: 'shows.acceptSharecam',
  method: 'POST',
  path: '/sharecam/:username/accept',
  access: 'performer',
  ...byName,
  output: RunningSharecam,
  refusals: [sharecamUnknown, sharecamDisabled, sharecamUnavailable, sharecamFull, sharecamShort],
  summary: 'Accept a viewer\'s camera',
  description: 'The performer accepts the request of the viewer `username`, who may then publish. What was '
    + 'asked for a private show is accepted in that show. A second counts when the performer was sent media.',
  requirements: ['B-347', 'C-159'],
});

export const declineSharecam = call({
  name: 'shows.declineSharecam',
  method: 'POST',
  path: '/sharecam/:username/decline',
  access: 'performer',
  ...byName,
  output: done,
  refusals: [sharecamUnknown],
  summary: 'Decline a viewer\'s camera',
  description: 'The performer declines the request of the viewer `username`.',
  requirements: ['B-348'],
});

export const endSharecam = call({
  name: 'shows.endSharecam',
  method: 'POST',
  path: '/sharecam/:username/end',
  access: 'member',
  ...byName,
  output: done,
  refusals: [sharecamUnknown],
  summary: 'Stop a shared camera',
  description: 'Either participant stops it; `username` names the other. Its stream is over at once, what is '
    + 'due is captured, and the rest of the hold is released.',
  requirements: ['C-160'],
});

export const publishSharecam = call({
  name: 'shows.publishSharecam',
  method: 'POST',
  path: '/sharecam/:username/publish',
  access: 'member',
  ...byName,
  output: z.object({
    stream_key: z.string(),
    whip_url: z.string(),
    ice_servers: z.array(IceServer),
  }),
  refusals: [sharecamUnknown],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'A key to publish one\'s shared camera',
  description: 'For WHIP, in this log-in session, while the camera is accepted by the performer `username`. '
    + 'A new key replaces the one before.',
});

export const playSharecam = call({
  name: 'shows.playSharecam',
  method: 'POST',
  path: '/sharecam/:username/playback',
  access: 'performer',
  ...byName,
  output: PlaybackDescriptor,
  refusals: [sharecamUnknown],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'How the performer plays a viewer\'s camera',
  description: 'A token for WHEP that is good for this performer in this log-in session alone. Nobody else '
    + 'is given one, moderators and admins included.',
});

export const getSharecams = call({
  name: 'shows.getSharecams',
  method: 'GET',
  path: '/sharecam',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Oldest first. */
    requests: z.array(SharecamRequest).max(MAX_SHARECAM_REQUESTS),
    running: z.array(RunningSharecam).max(MAX_PUBLIC_SHARECAMS + MAX_PRIVATE_SHARECAMS),
  }),
  refusals: [],
  summary: 'Cameras that viewers share',
  description: 'A performer\'s own: who asks, and whose cameras run.',
});
export type SharecamsView = z.infer<typeof getSharecams.output>;

/** Totals of a paid camera. */
export const SharecamReceipt = z.object({
  id: z.int(),
  /** Username of the viewer. */
  username: z.string(),
  broadcaster: z.string(),
  cost_per_minute: z.int(),
  /** Seconds of the camera that the performer was sent. */
  seconds: z.int(),
  /** Seconds that cost nothing: nothing reached the performer, or nothing arrived from the viewer. */
  free_seconds: z.object({ performer: z.int(), viewer: z.int() }),
  /** Tokens paid: `floor(cost_per_minute × seconds / 60)`. */
  tokens: z.int(),
  /** Tokens that were set aside and given back. */
  released: z.int(),
  reason_ended: z.enum(SHARECAM_ENDS),
  started_at: z.string(),
  ended_at: z.string(),
});
export type SharecamReceiptView = z.infer<typeof SharecamReceipt>;

export const getSharecamReceipts = call({
  name: 'shows.getSharecamReceipts',
  method: 'GET',
  path: '/shows/sharecam/receipts',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    /** Only receipts before this id, which the previous page returned. */
    before: z.int().positive().optional(),
  }),
  output: z.object({
    /** Cameras of the caller as viewer and as performer, newest first. */
    receipts: z.array(SharecamReceipt).max(RECEIPTS_PAGE),
    /** `before` of the next page; null on the last. */
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Receipts of paid cameras',
  description: 'What each camera that was shared in public came to, for both people. Those in a private show '
    + 'are free and have none.',
});

const Way = z.object({
  /** Why no camera can be requested now; null when one can. */
  bar: z.enum(SHARECAM_BARS).nullable(),
  /** Tokens; 0 when the camera is free. */
  cost_per_minute: z.int(),
});
export const checkSharecam = call({
  name: 'shows.checkSharecam',
  method: 'GET',
  path: '/sharecam/:username/check',
  access: 'member',
  ...byName,
  output: z.object({
    username: z.string(),
    public: Way,
    private: Way,
    tokens: z.int(),
    /** Seconds that the caller's tokens pay for in public. */
    seconds: z.int(),
    /** Age in years that a viewer confirms before showing themselves. */
    minimum_age: z.int(),
    /** The caller's pending request to this performer. */
    request: SharecamRequest.nullable(),
    /** The caller's camera with this performer. */
    running: RunningSharecam.nullable(),
    /** Username of another performer who has the caller's open sharecam; null for none. */
    elsewhere: z.string().nullable(),
  }),
  refusals: [...entryRefusals],
  summary: 'Whether and for how much a camera can be shared',
  description: 'For the page that asks before a request, and what a page that was loaded again goes on with.',
  requirements: ['B-274', 'B-275'],
});

/** To the viewer, on their sockets in the performer's room. */
const toViewer = { socket: 'room', from: 'server' } as const;
/** To the performer on all their pages, and to the viewer in the performer's room. */
const toBoth = { socket: 'both', from: 'server' } as const;
const Names = z.object({
  /** Username of the viewer. */
  username: z.string(),
  /** Username of the performer. */
  broadcaster: z.string(),
});

export const sharecamRequested = event({
  name: 'v3.sharecam.request',
  ...toBoth,
  shape: SharecamRequest,
  description: 'A viewer asks to share their camera: to the performer, and to the viewer\'s own pages.',
});
export const sharecamList = event({
  name: 'v3.sharecam.list',
  ...toBoth,
  shape: getSharecams.output,
  description: 'The requests and cameras of this performer after each change: to all of the performer\'s '
    + 'pages.',
});
export const sharecamAccepted = event({
  name: 'v3.sharecam.accepted',
  ...toViewer,
  shape: RunningSharecam,
  description: 'The performer accepted this viewer\'s request: the camera may be published now.',
  requirements: ['B-347'],
});
export const sharecamDeclined = event({
  name: 'v3.sharecam.declined',
  ...toViewer,
  shape: z.object({ model_display_name: z.string() }),
  description: 'The performer declined to watch this viewer\'s camera.',
  requirements: ['B-348'],
});
export const sharecamExpired = event({
  name: 'v3.sharecam.expired',
  ...toViewer,
  shape: Names,
  description: 'This viewer\'s request got no answer within 120 s.',
});
export const sharecamWithdrawn = event({
  name: 'v3.sharecam.withdrawn',
  ...toViewer,
  shape: Names,
  description: 'This viewer\'s request was withdrawn, on this page or another.',
});
export const sharecamTick = event({
  name: 'v3.sharecam.tick',
  ...toBoth,
  shape: RunningSharecam,
  description: 'Each second of a camera that was accepted: what it has come to, for each of the two.',
});
export const cam2camStarted = event({
  name: 'v3.cam2cam.start',
  ...toBoth,
  shape: Names.extend({ mode: z.enum(SHARECAM_MODES) }),
  description: 'A sharecam started: the performer accepted it and the viewer\'s camera may be published. To '
    + 'the two.',
  requirements: ['C-159'],
});
export const cam2camReady = event({
  name: 'v3.cam2cam.ready',
  ...toBoth,
  shape: Names.extend({ mode: z.enum(SHARECAM_MODES) }),
  description: 'The first media of the viewer\'s camera was sent to the performer, as the relay measured. To '
    + 'the two.',
  requirements: ['C-161'],
});
export const cam2camEnded = event({
  name: 'v3.cam2cam.end',
  ...toBoth,
  shape: Names.extend({
    mode: z.enum(SHARECAM_MODES),
    reason: z.enum(SHARECAM_ENDS),
    /** Seconds of the camera that the performer was sent, and the tokens they cost. */
    seconds: z.int(),
    tokens: z.int(),
  }),
  description: 'A sharecam is over: its stream has no publisher and no reader any more. To the two.',
  requirements: ['C-160'],
});
