import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { event } from '../../platform/contract/event.ts';
import { fact } from '../../platform/contract/fact.ts';
import { refusal } from '../../platform/contract/refusal.ts';
import { clearanceMissing, performerUnknown } from '../compliance/contract.ts';
import { encoderEnded, NOT_ADMITTED } from './contract/admission.ts';
import {
  END_REASONS, MAX_STUDIO_LENGTH, PLAYBACK_MODES, QUALITIES, SESSION_TYPE_CODES, STREAM_TYPES,
  STREAMING_TECHS,
} from './rules.ts';

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
export const publisherReplaced = refusal({
  slice, code: 'publisher_replaced', kind: 'conflict',
  description: 'Another encoder or page has taken over this broadcast. Stop it before this one starts again.',
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

export const iceFragmentMalformed = refusal({
  slice, code: 'ice_fragment_malformed', kind: 'malformed',
  description: 'The body is no ICE fragment (RFC 8840) of this session.',
});
export const iceRestartUnsupported = refusal({
  slice, code: 'ice_restart_unsupported', kind: 'invalid',
  description: 'ICE cannot be restarted within this session: make a new one (RFC 9725 §4.3.1).',
});
export const entityTagMissing = refusal({
  slice, code: 'entity_tag_missing', kind: 'precondition_required',
  description: 'A PATCH needs If-Match with the ETag of the session (RFC 9725 §4.3.1).',
});
export const entityTagOutdated = refusal({
  slice, code: 'entity_tag_outdated', kind: 'precondition_failed',
  description: 'If-Match names another ICE session than the present one (RFC 9725 §4.3.1).',
});
export const segmentUnknown = refusal({
  slice, code: 'segment_unknown', kind: 'absent', description: 'No such playlist or segment, or it is over.',
});
export const pictureUnknown = refusal({
  slice, code: 'picture_unknown', kind: 'absent',
  description: 'No live picture of this performer now, or not for this viewer.',
});
export const standbyNotAllowed = refusal({
  slice, code: 'standby_not_allowed', kind: 'denied',
  description: 'Standby is not open to this site or studio.',
});
export const alreadyLive = refusal({
  slice, code: 'already_live', kind: 'conflict', description: 'Not possible while a broadcast runs.',
});

/** An ICE server as browsers take it (WebRTC §4.2.4). */
export const IceServer = z.object({
  urls: z.array(z.string()), username: z.string().optional(), credential: z.string().optional(),
});

/** WHIP and WHEP are open to encoders and players of any origin, with their own credentials. */
const endpoint = { root: true, crossOrigin: true, access: 'anyone' } as const;
const Sdp = { accepts: 'application/sdp', answers: 'application/sdp' } as const;
const SdpAnswer = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.string() });
/** A browser's SDP is 2 to 8 kB. */
const SDP_LIMIT_BYTES = 64 * 1024;

export const whip = call({
  name: 'broadcast.whip', method: 'POST', path: '/whip', ...endpoint, credential: 'bearer',
  readsSession: true, media: Sdp, bodyLimitBytes: SDP_LIMIT_BYTES,
  limit: { points: 30, seconds: 60, per: 'address' },
  input: z.object({ body: z.string().max(SDP_LIMIT_BYTES) }), output: SdpAnswer,
  refusals: [
    streamKeyInvalid, offerMalformed, codecUnsupported, streamTaken, publisherReplaced,
    encoderEnded, overloaded,
    ...NOT_ADMITTED,
  ],
  summary: 'Publish (WHIP, RFC 9725)',
  description: 'Bearer stream key. 201 with the SDP answer and Location of the publish session.',
  requirements: ['A-014', 'C-020'],
});
export const whipEnd = call({
  name: 'broadcast.whipEnd', method: 'DELETE', path: '/whip/:session', ...endpoint,
  credential: 'bearer', readsSession: true, input: z.object({ session: z.string().max(128) }),
  output: z.object({}), refusals: [sessionUnknown, streamKeyInvalid],
  summary: 'Stop publishing (RFC 9725 §4.2)', description: 'Ends the publish session.',
});
/** Query of a playback URL; see `streamUrl` in rules.ts. */
const PlaybackQuery = {
  token: z.string().max(1024).optional(),
  /** `1` offers all renditions to the player; else only `track`. HLS only. */
  multitrack: z.enum(['0', '1']).optional(),
  track: z.enum(QUALITIES).optional(),
};
export const whep = call({
  name: 'broadcast.whep', method: 'POST', path: '/whep/:stream', ...endpoint,
  credential: 'bearer', readsSession: true, media: Sdp, bodyLimitBytes: SDP_LIMIT_BYTES,
  limit: { points: 120, seconds: 60, per: 'address' },
  input: z.object({
    stream: z.string().max(128), ...PlaybackQuery, body: z.string().max(SDP_LIMIT_BYTES),
  }),
  output: SdpAnswer,
  refusals: [playbackTokenInvalid, offerMalformed, codecUnsupported, streamOffline, overloaded],
  summary: 'Play (WHEP)',
  description: 'Bearer playback token (or `token` in the query). 201 with the SDP answer and Location.',
  requirements: ['A-007'],
});
export const whepEnd = call({
  name: 'broadcast.whepEnd', method: 'DELETE', path: '/whep/session/:session', ...endpoint,
  credential: 'none', input: z.object({ session: z.string().max(128) }), output: z.object({}),
  refusals: [sessionUnknown],
  summary: 'Stop playing', description: 'The unguessable session address is the credential.',
});

const Fragment = {
  accepts: 'application/trickle-ice-sdpfrag', answers: 'application/trickle-ice-sdpfrag',
} as const;
/** A fragment holds a few candidates; a browser has about a dozen. */
const FRAGMENT_LIMIT_BYTES = 16 * 1024;
const patched = {
  media: Fragment, bodyLimitBytes: FRAGMENT_LIMIT_BYTES, ...endpoint,
  limit: { points: 240, seconds: 60, per: 'address' },
  input: z.object({ session: z.string().max(128), body: z.string().max(FRAGMENT_LIMIT_BYTES) }),
  output: SdpAnswer,
} as const;
export const patchRefusals = [
  sessionUnknown, iceFragmentMalformed, iceRestartUnsupported, entityTagMissing, entityTagOutdated,
  overloaded,
] as const;
export const whipPatch = call({
  ...patched, name: 'broadcast.whipPatch', method: 'PATCH', path: '/whip/:session', credential: 'bearer',
  readsSession: true, refusals: [...patchRefusals, streamKeyInvalid],
  summary: 'Trickle ICE or ICE restart of a publisher (RFC 9725 §4.3)',
  description: 'Bearer stream key and If-Match. 204 for candidates; 200 with a fragment and a new ETag for a '
    + 'restart.',
});
export const whepPatch = call({
  ...patched, name: 'broadcast.whepPatch', method: 'PATCH', path: '/whep/session/:session',
  credential: 'none', refusals: patchRefusals,
  summary: 'Trickle ICE or ICE restart of a player',
  description: 'As for WHIP, and If-Match may be left out; the address is the credential.',
});
const NoContent = z.object({
  status: z.int(), headers: z.record(z.string(), z.string()), body: z.string(),
});
export const whipOptions = call({
  name: 'broadcast.whipOptions', method: 'OPTIONS', path: '/whip', ...endpoint,
  credential: 'bearer', readsSession: true, media: Sdp, input: z.object({ body: z.string().max(0) }),
  output: NoContent, refusals: [],
  summary: 'What this WHIP endpoint can do (RFC 9725 §4.2, §4.6)',
  description: 'Accept-Post, Accept-Patch, CORS; with a good stream key also Link headers with ICE servers.',
});
export const whepOptions = call({
  name: 'broadcast.whepOptions', method: 'OPTIONS', path: '/whep/:stream', ...endpoint,
  credential: 'bearer', readsSession: true, media: Sdp,
  input: z.object({ stream: z.string().max(128), ...PlaybackQuery, body: z.string().max(0) }),
  output: NoContent, refusals: [],
  summary: 'What this WHEP endpoint can do', description: 'As for WHIP, with a good playback token.',
});

const Bytes = z.custom<Uint8Array>((body) => body instanceof Uint8Array);
/** Binary output of media calls. */
export const BytesAnswer = z.object({
  status: z.int(), headers: z.record(z.string(), z.string()), body: Bytes,
});
/** Media calls take their body as a field; a GET has none. */
export const NoBody = z.string().max(0).optional();
const Playlist = {
  accepts: 'application/vnd.apple.mpegurl', answers: 'application/vnd.apple.mpegurl',
} as const;
/** A player loads a playlist every second or two, for each rendition it tries; homes have several. */
const PLAYLIST_LIMIT = { points: 1_200, seconds: 60, per: 'address' } as const;
export const hlsIndex = call({
  name: 'broadcast.hlsIndex', method: 'GET', path: '/hls/:stream/index.m3u8', root: true, access: 'anyone',
  credential: 'none', readsSession: true, media: Playlist, limit: PLAYLIST_LIMIT,
  input: z.object({ stream: z.string().max(128), ...PlaybackQuery, body: NoBody }), output: SdpAnswer,
  refusals: [playbackTokenInvalid, streamOffline, codecUnsupported, overloaded],
  summary: 'HLS master playlist (RFC 8216)',
  description: 'Its media playlists carry tokens of their own, fresh with each answer while the viewer may '
    + 'watch.',
  requirements: ['B-335'],
});
export const hlsPlaylist = call({
  name: 'broadcast.hlsPlaylist', method: 'GET', path: '/hls/:stream/:rendition/live.m3u8', root: true,
  access: 'anyone', credential: 'none', readsSession: true, media: Playlist, limit: PLAYLIST_LIMIT,
  input: z.object({
    stream: z.string().max(128), rendition: z.string().max(16), ...PlaybackQuery, body: NoBody,
  }),
  output: SdpAnswer,
  refusals: [playbackTokenInvalid, streamOffline, segmentUnknown, codecUnsupported, overloaded],
  summary: 'HLS media playlist', description: '`rendition` is `source`, or a height such as `360`.',
});
export const hlsSegment = call({
  name: 'broadcast.hlsSegment', method: 'GET', path: '/hls/:stream/:rendition/:file', root: true,
  access: 'anyone', credential: 'none', readsSession: true,
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 3_000, seconds: 60, per: 'address' },
  input: z.object({
    stream: z.string().max(128), rendition: z.string().max(16), file: z.string().max(64), ...PlaybackQuery,
    body: NoBody,
  }),
  output: BytesAnswer, refusals: [playbackTokenInvalid, segmentUnknown, overloaded],
  summary: 'HLS segment', description: 'Immutable; the token in its address is checked like a playlist\'s.',
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
    status: z.int(), headers: z.record(z.string(), z.string()), body: Bytes,
  }),
  refusals: [portraitUnknown],
  summary: 'The still picture of a performer', description: 'WebP. `v` changes with the picture.',
});

const picture = {
  root: true, access: 'anyone', credential: 'cookie', limit: { points: 2_000, seconds: 60, per: 'caller' },
  input: z.object({ username: z.string().max(64), v: z.string().max(64).optional(), body: NoBody }),
  output: BytesAnswer, refusals: [pictureUnknown],
} as const;
export const getThumbnail = call({
  ...picture, name: 'broadcast.getThumbnail', method: 'GET', path: '/thumbs/t/:username',
  media: { accepts: 'image/jpeg', answers: 'image/jpeg' },
  summary: 'The live picture of a performer',
  description: 'JPEG, at most 15 s old while the performer is live in public.',
});
export const getPreview = call({
  ...picture, name: 'broadcast.getPreview', method: 'GET', path: '/previews/:username',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  summary: 'A short muted clip of a live performer',
  description: 'MP4 of 3 s, at most a minute old; the first request waits until it is made.',
});

/**
 * How to play a stream. The client builds its address by `streamUrl` of rules.ts (spec 2 §7), from the first
 * edge server, the name and the token. `token` expires after at most 60 s and is bound to stream, session and
 * mode.
 */
export const PlaybackDescriptor = z.object({
  kind: z.enum(['whep', 'hls', 'livekit']), token: z.string(), expiresAt: z.string(),
  edge_servers: z.array(z.string()), stream_name: z.string(), ice_servers: z.array(IceServer),
  /** Heights of the available lower renditions, highest first. */
  renditions: z.array(z.int()),
  /** Whether HLS is available for this codec on this machine. */
  hls: z.boolean(),
});
export const getPlayback = call({
  name: 'broadcast.getPlayback', method: 'GET', path: '/video/playback/:username', access: 'anyone',
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
  name: 'broadcast.getOwnBroadcast', method: 'GET', path: '/broadcast', access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    state: BroadcastState, title: z.string(), tags: z.array(z.string()), startedAt: z.string().nullable(),
    hasStreamKey: z.boolean(), streamKeyMadeAt: z.string().nullable(), cleared: z.boolean(),
    whipUrl: z.string(), rtmpUrl: z.string().nullable(), health: Health.nullable(),
    standby: z.boolean(), standbyAllowed: z.boolean(),
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
  output: z.object({
    stream_key: z.string(), whip_url: z.string(), expiresAt: z.string(), ice_servers: z.array(IceServer),
  }),
  refusals: [...NOT_ADMITTED],
  summary: 'A short-lived key for this browser',
  description: 'Good for WHIP for 60 s and, once used, for this session to publish again after a drop.',
});
export const endBroadcast = call({
  name: 'broadcast.endBroadcast', method: 'POST', path: '/broadcast/end', access: 'performer',
  credential: 'cookie', input: z.object({}),
  output: z.object({
    status: z.literal(1), seconds: z.int(), peakViewers: z.int(),
    /** `startedAt` is null where it never was on air. An encoder that published it is refused from now on. */
    startedAt: z.string().nullable(), endedAt: z.string(), fromEncoder: z.boolean(),
  }),
  refusals: [notLive],
  summary: 'End the broadcast',
  description: 'Cuts the publisher and every viewer; says how long it was on air.',
});

export const broadcastHealth = event({
  name: 'v3.broadcast.health', socket: 'both', from: 'server', shape: Health,
  description: 'Once a second to the performer\'s own tabs while live.',
});

export const broadcastStateChanged = event({
  name: 'v3.broadcast.course', socket: 'both', from: 'server',
  shape: z.object({
    state: BroadcastState, reason: z.enum(END_REASONS).nullable(), standby: z.boolean(),
  }),
  description: 'To the performer\'s own tabs whenever the broadcast or standby changes; a publishing page '
    + 'that receives `reconnecting` publishes again at once.',
});

const STREAM_FACT = z.object({ performerId: z.int(), username: z.string(), stream: z.string() });
export const broadcastStarted = fact({
  name: 'broadcast.started', shape: STREAM_FACT,
  description: 'The first media of a broadcast arrived; the performer is online.',
});
export const broadcastInterrupted = fact({
  name: 'broadcast.interrupted', shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'The publisher was lost; 30 s of grace run.',
});
export const broadcastResumed = fact({
  name: 'broadcast.resumed', shape: STREAM_FACT,
  description: 'The publisher came back within the grace.',
});
export const broadcastEnded = fact({
  name: 'broadcast.ended',
  shape: z.object({
    performerId: z.int(), username: z.string(), reason: z.enum(END_REASONS), seconds: z.int(),
  }),
  description: 'The performer is offline.',
});
export const streamKeyRevoked = fact({
  name: 'broadcast.streamKeyRevoked', shape: z.object({ performerId: z.int() }),
  description: 'A performer took the account back: an encoder that publishes with the stream key is cut.',
});
export const detailsChanged = fact({
  name: 'broadcast.detailsChanged', shape: z.object({
    performerId: z.int(), username: z.string(), title: z.string(), tags: z.array(z.string()),
  }),
  description: 'Topic or tags changed.',
});
export const broadcastMoved = fact({
  name: 'broadcast.moved', shape: STREAM_FACT.extend({ mode: z.enum(PLAYBACK_MODES) }),
  description: 'The running broadcast has another stream name; readers of the old one are cut.',
});
export const studioChanged = fact({
  name: 'broadcast.studioChanged', shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'A performer works for another studio, or for none.',
});
export const standbyChanged = fact({
  name: 'broadcast.standbyChanged',
  shape: z.object({ performerId: z.int(), username: z.string(), on: z.boolean() }),
  description: 'The performer began or ended standby.',
});

/** Devices and bit rate of the go-live page (spec 2 §3.1), named as the browser names them. */
export const CamSettings = z.object({
  audioName: z.string().max(120).nullable(), videoName: z.string().max(120).nullable(),
  audioTrack: z.string().max(120).nullable(), videoTrack: z.string().max(120).nullable(),
  bitrate: z.int().min(100).max(20_000).nullable(),
});
export type CamView = z.infer<typeof CamSettings>;
const ObsSetting = z.object({ setting: z.string(), value: z.string() });
/** Streamer settings (spec 3 §3), and what else the performer's tools need. */
export const StreamerSettings = z.object({
  streaming_tech: z.enum(STREAMING_TECHS),
  dreamcam: z.object({ enabled: z.boolean(), ingest_server: z.string().nullable() }),
  obs: z.object({
    whip_server: z.string(), rtmp_server: z.string().nullable(), has_stream_key: z.boolean(),
    /** Tested settings by OBS's own names, the same in every language. */
    settings: z.array(ObsSetting),
  }),
  standby_enabled: z.boolean(), standby_notifications_enabled: z.boolean(), standby_allowed: z.boolean(),
  session_types: z.record(z.enum(Object.keys(SESSION_TYPE_CODES) as [string, ...string[]]), z.int()),
  cam: CamSettings,
});
export const getStreamerSettings = call({
  name: 'broadcast.getStreamerSettings', method: 'GET', path: '/video/streamer_settings', access: 'performer',
  credential: 'cookie', input: z.object({}), output: StreamerSettings, refusals: [],
  summary: 'Streamer settings', description: 'How the performer broadcasts, and what the tools need.',
  requirements: ['C-255'],
});
export const setStreamerSettings = call({
  name: 'broadcast.setStreamerSettings', method: 'POST', path: '/video/streamer_settings',
  access: 'performer', credential: 'cookie',
  input: z.object({
    streaming_tech: z.enum(STREAMING_TECHS).optional(), standby_enabled: z.boolean().optional(),
    standby_notifications_enabled: z.boolean().optional(), cam: CamSettings.optional(),
  }),
  output: StreamerSettings, refusals: [standbyNotAllowed],
  summary: 'Change streamer settings', description: 'Only the given fields change.',
});
export const setStandby = call({
  name: 'broadcast.setStandby', method: 'POST', path: '/broadcast/standby', access: 'performer',
  credential: 'cookie', input: z.object({ on: z.boolean() }),
  output: z.object({ status: z.literal(1), standby: z.boolean() }),
  refusals: [standbyNotAllowed, alreadyLive],
  summary: 'Begin or end standby',
  description: 'In standby the room says that the performer will be live soon.',
});
export const setStudio = call({
  name: 'broadcast.setStudio', method: 'POST', path: '/broadcast/studio/:username', access: 'admin',
  credential: 'cookie',
  input: z.object({
    username: z.string().max(64), studio: z.string().trim().min(1).max(MAX_STUDIO_LENGTH).nullable(),
  }),
  output: z.object({ status: z.literal(1), studio: z.string().nullable() }),
  refusals: [performerUnknown],
  summary: 'Name the studio of a performer',
  description: 'By admins, for one of their performers; null for none. A studio the operator lists opens '
    + 'standby to its performers, and taking it away ends their standby.',
});

export const standbyVisitor = event({
  name: 'v3.broadcast.standby_visitor', socket: 'both', from: 'server',
  shape: z.object({ username: z.string(), display_name: z.string() }),
  description: 'To the performer\'s own tabs in standby, if notifications are on: a member entered the room.',
});
