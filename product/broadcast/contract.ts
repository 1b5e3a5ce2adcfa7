import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import { z } from 'zod';
import { NOT_ADMITTED } from './contract/admission.ts';
import { END_REASONS, PLAYBACK_MODES, QUALITIES, STREAM_TYPES } from './rules.ts';

const slice = 'broadcast';
export const codecUnsupported = refusal({
  slice,
  code: 'codec_unsupported',
  kind: 'invalid',
  description: 'H.264 or VP8 video and Opus audio are needed.',
});
export const streamOffline = refusal({
  slice,
  code: 'stream_offline',
  kind: 'absent',
  description: 'Nobody publishes this stream now.',
});
export const playbackTokenInvalid = refusal({
  slice,
  code: 'playback_token_invalid',
  kind: 'denied',
  description: 'The playback token is missing, expired, or for another stream or session.',
});
export const overloaded = refusal({
  slice,
  code: 'overloaded',
  kind: 'limited',
  description: 'The media server is full; try again in a moment.',
});
export const notLive = refusal({
  slice,
  code: 'not_live',
  kind: 'conflict',
  description: 'The performer is not live.',
});
export const tagInvalid = refusal({
  slice,
  code: 'tag_invalid',
  kind: 'invalid',
  description: 'A tag is 2 to 24 letters a-z, digits, and hyphens between words.',
});

/** An ICE server as browsers take it (WebRTC §4.2.4). */
export const IceServer = z.object({
  urls: z.array(z.string()),
  username: z.string().optional(),
  credential: z.string().optional(),
});
/** Query of a playback URL; see `streamUrl` in rules.ts. */
export const PlaybackQuery = {
  token: z.string().max(1024).optional(),
  /** `1` offers all renditions to the player; else only `track`. HLS only. */
  multitrack: z.enum(['0', '1']).optional(),
  track: z.enum(QUALITIES).optional(),
};

const Bytes = z.custom<Uint8Array>((body) => body instanceof Uint8Array);
/** Binary output of media calls. */
export const BytesAnswer = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: Bytes,
});
/** Media calls take their body as a field; a GET has none. */
export const NoBody = z.string().max(0).optional();

/**
 * How to play a stream. The client builds its address by `streamUrl` of rules.ts (spec 2 §7), from the first
 * edge server, the name and the token. `token` expires after at most 60 s and is bound to stream, session and
 * mode.
 */
export const PlaybackDescriptor = z.object({
  kind: z.enum(['whep', 'hls', 'livekit']),
  token: z.string(),
  expiresAt: z.string(),
  edge_servers: z.array(z.string()),
  stream_name: z.string(),
  ice_servers: z.array(IceServer),
  /** Heights of the available lower renditions, highest first. */
  renditions: z.array(z.int()),
  /** Whether HLS is available for this codec on this machine. */
  hls: z.boolean(),
});
export const getPlayback = call({
  name: 'broadcast.getPlayback',
  method: 'GET',
  path: '/video/playback/:username',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: z.string().max(64), kind: z.enum(STREAM_TYPES).optional() }),
  output: PlaybackDescriptor,
  refusals: [streamOffline, playbackTokenInvalid],
  summary: 'A fresh playback token',
  description: 'For the stream of a live performer that this viewer may watch. `kind` is `webrtc` (WHEP, the '
    + 'default) or `hls`, which is answered with WHEP when it cannot be had. The client builds the address: '
    + '`{edge_servers[0]}/whep/{stream_name}` or `{edge_servers[0]}/hls/{stream_name}/index.m3u8`, with '
    + '`token`, `multitrack` (0 or 1) and `track` (`hd`, as published, or `sd`, a lower rendition) in the '
    + 'query.',
  requirements: ['B-334', 'B-335', 'B-336', 'B-337'],
});

/** The stream as a viewer's page gets it (spec 2 §3.1). */
export const StreamView = z.object({
  /** Origins of the edge servers; see `streamUrl` in rules.ts. */
  edge_servers: z.array(z.string()),
  ffmpeg_server: z.string().nullable(),
  ingest_server: z.string().nullable(),
  origin_server: z.string().nullable(),
  stream_name: z.string().nullable(),
  token: z.string().nullable(),
  vr_url: z.string().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  quality_renditions: z.int(),
});
export type StreamInfo = z.infer<typeof StreamView>;

export const Health = z.object({
  stream: z.string(),
  codec: z.string().nullable(),
  videoBitsPerSecond: z.number(),
  audioBitsPerSecond: z.number(),
  framesPerSecond: z.number(),
  lossFraction: z.number(),
  roundTripMs: z.number().nullable(),
  keyframeIntervalMs: z.number().nullable(),
  /** People who watch now, over WHEP or HLS and in any size, without the performer. */
  viewers: z.int(),
  /** Why the media cannot be played: `b_frames`, `video_codec`, `audio_codec`; null when it can. */
  trouble: z.string().nullable(),
  /** How a stream with B-frames is on air: `transcoded`, or `copied` for HLS alone; null without them. */
  bFrames: z.string().nullable(),
  /** Codes of advice, see `adviceFor` in rules.ts; texts under `broadcast:advice.*`. */
  advice: z.array(z.string()),
});
export type HealthView = z.infer<typeof Health>;

/** `ready`: the publisher was answered and its first media is awaited; viewers see `offline`. */
export const BroadcastState = z.enum(['offline', 'ready', 'online', 'reconnecting']);
export const getOwnBroadcast = call({
  name: 'broadcast.getOwnBroadcast',
  method: 'GET',
  path: '/broadcast',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    state: BroadcastState,
    title: z.string(),
    tags: z.array(z.string()),
    startedAt: z.string().nullable(),
    hasStreamKey: z.boolean(),
    streamKeyMadeAt: z.string().nullable(),
    cleared: z.boolean(),
    whipUrl: z.string(),
    rtmpUrl: z.string().nullable(),
    health: Health.nullable(),
    standby: z.boolean(),
    standbyAllowed: z.boolean(),
    /** An encoder whose broadcast was ended would be refused now, see `readmitEncoder`. */
    encoderRefused: z.boolean(),
  }),
  refusals: [],
  summary: 'The own broadcast',
  description: 'State, details and health of the own stream.',
});
export const setDetails = call({
  name: 'broadcast.setDetails',
  method: 'POST',
  path: '/broadcast/details',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    title: z.string().trim().max(120),
    tags: z.array(z.string().trim().min(2).max(24)).max(10),
  }),
  output: z.object({ status: z.literal(1), title: z.string(), tags: z.array(z.string()) }),
  refusals: [tagInvalid],
  summary: 'Set topic and tags',
  description: 'Shown in the room and the listing at once. Tags become lower case, with hyphens for spaces.',
});
export const rotateStreamKey = call({
  name: 'broadcast.rotateStreamKey',
  method: 'POST',
  path: '/broadcast/stream_key',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ stream_key: z.string(), whip_url: z.string() }),
  refusals: [clearanceMissing],
  limit: { points: 10, seconds: 600, per: 'caller' },
  summary: 'Make a new stream key',
  description: 'Shown once. The key before it stops working at once, and a broadcast published with it ends.',
});
export const makeBrowserKey = call({
  name: 'broadcast.makeBrowserKey',
  method: 'POST',
  path: '/broadcast/browser_key',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    stream_key: z.string(),
    whip_url: z.string(),
    expiresAt: z.string(),
    ice_servers: z.array(IceServer),
  }),
  refusals: [...NOT_ADMITTED],
  summary: 'A short-lived key for this browser',
  description: 'Good for WHIP for 60 s and, once used, for this session to publish again after a drop.',
});
export const endBroadcast = call({
  name: 'broadcast.endBroadcast',
  method: 'POST',
  path: '/broadcast/end',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    status: z.literal(1),
    seconds: z.int(),
    peakViewers: z.int(),
    /** `startedAt` is null if it was never on air. An encoder that published it is refused from now on. */
    startedAt: z.string().nullable(),
    endedAt: z.string(),
    fromEncoder: z.boolean(),
  }),
  refusals: [notLive],
  summary: 'End the broadcast',
  description: 'Cuts the publisher and every viewer; says how long it was on air.',
});

export const broadcastHealth = event({
  name: 'v3.broadcast.health',
  socket: 'both',
  from: 'server',
  shape: Health,
  description: 'Once a second to the performer\'s own tabs while live.',
});

export const broadcastStateChanged = event({
  name: 'v3.broadcast.course',
  socket: 'both',
  from: 'server',
  shape: z.object({
    state: BroadcastState,
    reason: z.enum(END_REASONS).nullable(),
    standby: z.boolean(),
  }),
  description: 'To the performer\'s own tabs whenever the broadcast or standby changes; a publishing page '
    + 'that receives `reconnecting` publishes again at once.',
});

const STREAM_FACT = z.object({ performerId: z.int(), username: z.string(), stream: z.string() });
export const broadcastStarted = fact({
  name: 'broadcast.started',
  shape: STREAM_FACT,
  description: 'The first media of a broadcast arrived; the performer is online.',
});
export const broadcastInterrupted = fact({
  name: 'broadcast.interrupted',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'The publisher was lost; 30 s of grace run.',
});
export const broadcastResumed = fact({
  name: 'broadcast.resumed',
  shape: STREAM_FACT,
  description: 'The publisher came back within the grace.',
});
export const broadcastEnded = fact({
  name: 'broadcast.ended',
  shape: z.object({
    performerId: z.int(),
    username: z.string(),
    reason: z.enum(END_REASONS),
    seconds: z.int(),
  }),
  description: 'The performer is offline.',
});
export const streamKeyRevoked = fact({
  name: 'broadcast.streamKeyRevoked',
  shape: z.object({ performerId: z.int() }),
  description: 'A performer took the account back: an encoder that publishes with the stream key is cut.',
});
export const detailsChanged = fact({
  name: 'broadcast.detailsChanged',
  shape: z.object({
    performerId: z.int(),
    username: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
  }),
  description: 'Topic or tags changed.',
});
export const broadcastMoved = fact({
  name: 'broadcast.moved',
  shape: STREAM_FACT.extend({ mode: z.enum(PLAYBACK_MODES) }),
  description: 'The running broadcast has another stream name; readers of the old one are cut.',
});
export const studioChanged = fact({
  name: 'broadcast.studioChanged',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'A performer works for another studio, or for none.',
});
export const standbyChanged = fact({
  name: 'broadcast.standbyChanged',
  shape: z.object({ performerId: z.int(), username: z.string(), on: z.boolean() }),
  description: 'The performer began or ended standby.',
});
