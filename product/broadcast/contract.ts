import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { event } from '../../platform/contract/event.ts';
import { fact } from '../../platform/contract/fact.ts';
import { refusal } from '../../platform/contract/refusal.ts';
import { suspended } from '../accounts/contract.ts';
import { clearanceMissing } from '../compliance/contract.ts';
import { END_REASONS } from './rules.ts';

const slice = 'broadcast';
export const streamKeyInvalid = refusal({
  slice, code: 'stream_key_invalid', kind: 'unauthenticated',
  description: 'The bearer stream key is missing, wrong, used up, or of another session.',
});
export const offerMalformed = refusal({
  slice, code: 'offer_malformed', kind: 'invalid', description: 'The body is not an SDP offer we can answer.',
});
export const codecUnsupported = refusal({
  slice, code: 'codec_unsupported', kind: 'invalid',
  description: 'H.264 or VP8 video and Opus audio are needed.',
});
export const streamTaken = refusal({
  slice, code: 'stream_taken', kind: 'conflict', description: 'Another device of this performer is live.',
});
export const streamOffline = refusal({
  slice, code: 'stream_offline', kind: 'absent', description: 'Nobody publishes this stream now.',
});
export const playbackTokenInvalid = refusal({
  slice, code: 'playback_token_invalid', kind: 'denied',
  description: 'The playback token is missing, expired, or for another stream or session.',
});
export const overloaded = refusal({
  slice, code: 'overloaded', kind: 'limited', description: 'The media server is full; try again in a moment.',
});
export const sessionUnknown = refusal({
  slice, code: 'session_unknown', kind: 'absent', description: 'There is no such publish or play session.',
});
export const notLive = refusal({
  slice, code: 'not_live', kind: 'conflict', description: 'The performer is not live.',
});
export const tagInvalid = refusal({
  slice, code: 'tag_invalid', kind: 'invalid',
  description: 'A tag is 2 to 24 letters a-z, digits, and hyphens between words.',
});

const Sdp = { accepts: 'application/sdp', answers: 'application/sdp' } as const;
const SdpAnswer = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
/** SDP of a browser is 2 to 8 kB; more is not an offer. */
const SDP_LIMIT_BYTES = 64 * 1024;

export const whip = call({
  name: 'broadcast.whip', method: 'POST', path: '/whip', root: true, access: 'anyone', credential: 'bearer',
  readsSession: true, media: Sdp, bodyLimitBytes: SDP_LIMIT_BYTES,
  limit: { points: 30, seconds: 60, per: 'address' },
  input: z.object({ body: z.string().max(SDP_LIMIT_BYTES) }), output: SdpAnswer,
  refusals: [
    streamKeyInvalid, offerMalformed, codecUnsupported, streamTaken, overloaded, clearanceMissing, suspended,
  ],
  summary: 'Publish (WHIP, RFC 9725)',
  description: 'Bearer stream key. 201 with the SDP answer and Location of the publish session.',
  requirements: ['A-014', 'C-020'],
});
export const whipEnd = call({
  name: 'broadcast.whipEnd', method: 'DELETE', path: '/whip/:session', root: true, access: 'anyone',
  credential: 'bearer', readsSession: true, input: z.object({ session: z.string().max(128) }),
  output: z.object({}), refusals: [sessionUnknown, streamKeyInvalid],
  summary: 'Stop publishing (RFC 9725 §4.2)', description: 'Ends the publish session.',
});
export const whep = call({
  name: 'broadcast.whep', method: 'POST', path: '/whep/:stream', root: true, access: 'anyone',
  credential: 'bearer', readsSession: true, media: Sdp, bodyLimitBytes: SDP_LIMIT_BYTES,
  limit: { points: 120, seconds: 60, per: 'address' },
  input: z.object({
    stream: z.string().max(128), token: z.string().max(1024).optional(),
    body: z.string().max(SDP_LIMIT_BYTES),
  }),
  output: SdpAnswer,
  refusals: [playbackTokenInvalid, offerMalformed, codecUnsupported, streamOffline, overloaded],
  summary: 'Play (WHEP)',
  description: 'Bearer playback token (or `token` in the query). 201 with the SDP answer and Location.',
  requirements: ['A-007'],
});
export const whepEnd = call({
  name: 'broadcast.whepEnd', method: 'DELETE', path: '/whep/session/:session', root: true, access: 'anyone',
  credential: 'none', input: z.object({ session: z.string().max(128) }), output: z.object({}),
  refusals: [sessionUnknown],
  summary: 'Stop playing', description: 'The unguessable session address is the credential.',
});

export const portraitUnknown = refusal({
  slice, code: 'portrait_unknown', kind: 'absent', description: 'No such picture, or not for this viewer.',
});
export const getPortrait = call({
  name: 'broadcast.getPortrait', method: 'GET', path: '/portraits/:username', root: true, access: 'anyone',
  credential: 'cookie', media: { accepts: 'image/webp', answers: 'image/webp' },
  // A listing shows 98 of them at once.
  limit: { points: 2_000, seconds: 60, per: 'caller' },
  input: z.object({
    username: z.string().max(64), v: z.string().max(64).optional(), body: z.string().max(0).optional(),
  }),
  output: z.object({
    status: z.int(), headers: z.record(z.string(), z.string()),
    body: z.custom<Uint8Array>((body) => body instanceof Uint8Array),
  }),
  refusals: [portraitUnknown],
  summary: 'The still picture of a performer', description: 'WebP. `v` changes with the picture.',
});

/** How a stream is played; `token` lives at most 60 s and is bound to stream, session and mode. */
export const PlaybackDescriptor = z.object({
  kind: z.enum(['whep', 'hls', 'livekit']), url: z.string(), token: z.string(), expiresAt: z.string(),
});
export const getPlayback = call({
  name: 'broadcast.getPlayback', method: 'GET', path: '/video/playback/:username', access: 'anyone',
  credential: 'cookie', input: z.object({ username: z.string().max(64) }), output: PlaybackDescriptor,
  refusals: [streamOffline, playbackTokenInvalid],
  summary: 'A fresh playback token', description: 'For the public stream of a live performer.',
});

/** What the viewer's page gets of a stream (spec 2 §3.1). */
export const StreamView = z.object({
  /** Bases of WHEP addresses: `{edge_servers[0]}/{stream_name}`, with the token as bearer or `?token=`. */
  edge_servers: z.array(z.string()),
  ingest_server: z.string().nullable(), origin_server: z.string().nullable(),
  stream_name: z.string().nullable(), token: z.string().nullable(), vr_url: z.string().nullable(),
  width: z.int().nullable(), height: z.int().nullable(), quality_renditions: z.int(),
});
export type StreamInfo = z.infer<typeof StreamView>;

export const Health = z.object({
  stream: z.string(), codec: z.string().nullable(),
  videoBitsPerSecond: z.number(), audioBitsPerSecond: z.number(),
  framesPerSecond: z.number(), lossFraction: z.number(), roundTripMs: z.number().nullable(),
  keyframeIntervalMs: z.number().nullable(), viewers: z.int(),
  /** Codes of plain advice, see `adviceFor` in rules.ts; texts under `broadcast:advice.*`. */
  advice: z.array(z.string()),
});
export type HealthView = z.infer<typeof Health>;

/** `ready`: a publisher was answered and its first media is awaited; for everybody else that is offline. */
export const BroadcastState = z.enum(['offline', 'ready', 'online', 'reconnecting']);
export const getOwnBroadcast = call({
  name: 'broadcast.getOwnBroadcast', method: 'GET', path: '/broadcast', access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    state: BroadcastState, title: z.string(), tags: z.array(z.string()), startedAt: z.string().nullable(),
    hasStreamKey: z.boolean(), streamKeyMadeAt: z.string().nullable(), cleared: z.boolean(),
    whipUrl: z.string(), health: Health.nullable(),
  }),
  refusals: [],
  summary: 'The own broadcast', description: 'State, details and health of the own stream.',
});
export const setDetails = call({
  name: 'broadcast.setDetails', method: 'POST', path: '/broadcast/details', access: 'performer',
  credential: 'cookie',
  input: z.object({
    title: z.string().trim().max(120), tags: z.array(z.string().trim().min(2).max(24)).max(10),
  }),
  output: z.object({ status: z.literal(1), title: z.string(), tags: z.array(z.string()) }),
  refusals: [tagInvalid],
  summary: 'Set topic and tags',
  description: 'Shown in the room and the listing at once. Tags become lower case, with hyphens for spaces.',
});
export const rotateStreamKey = call({
  name: 'broadcast.rotateStreamKey', method: 'POST', path: '/broadcast/stream_key', access: 'performer',
  credential: 'cookie', input: z.object({}),
  output: z.object({ stream_key: z.string(), whip_url: z.string() }),
  refusals: [clearanceMissing], limit: { points: 10, seconds: 600, per: 'caller' },
  summary: 'Make a new stream key',
  description: 'Shown once. The key before it stops working at once, and a broadcast published with it ends.',
});
export const makeBrowserKey = call({
  name: 'broadcast.makeBrowserKey', method: 'POST', path: '/broadcast/browser_key', access: 'performer',
  credential: 'cookie', input: z.object({}),
  output: z.object({ stream_key: z.string(), whip_url: z.string(), expiresAt: z.string() }),
  refusals: [clearanceMissing],
  summary: 'A short-lived key for this browser',
  description: 'Good for WHIP for 60 s and, once used, for this session to publish again after a drop.',
});
export const endBroadcast = call({
  name: 'broadcast.endBroadcast', method: 'POST', path: '/broadcast/end', access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1), seconds: z.int(), peakViewers: z.int() }), refusals: [notLive],
  summary: 'End the broadcast', description: 'Cuts the publisher and every viewer.',
});

export const broadcastHealth = event({
  name: 'v3.broadcast.health', socket: 'both', from: 'server', shape: Health,
  description: 'Once a second to the performer\'s own tabs while live.',
});

export const broadcastStarted = fact({
  name: 'broadcast.started',
  shape: z.object({ performerId: z.int(), username: z.string(), stream: z.string() }),
  description: 'The first media of a broadcast arrived; the performer is online.',
});
export const broadcastInterrupted = fact({
  name: 'broadcast.interrupted', shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'The publisher was lost; 30 s of grace run.',
});
export const broadcastResumed = fact({
  name: 'broadcast.resumed',
  shape: z.object({ performerId: z.int(), username: z.string(), stream: z.string() }),
  description: 'The publisher came back within the grace.',
});
export const broadcastEnded = fact({
  name: 'broadcast.ended',
  shape: z.object({
    performerId: z.int(), username: z.string(), reason: z.enum(END_REASONS), seconds: z.int(),
  }),
  description: 'The performer is offline.',
});
export const detailsChanged = fact({
  name: 'broadcast.detailsChanged',
  shape: z.object({
    performerId: z.int(), username: z.string(), title: z.string(), tags: z.array(z.string()),
  }),
  description: 'Topic or tags changed.',
});
