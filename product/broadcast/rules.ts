import { HOUR_MS, MINUTE_MS } from '../../platform/time/units.ts';

/** A viewer's player starts in this quality (spec 3 §4 "Video player"). */
export const QUALITIES = ['hd', 'sd'] as const;
export const DEFAULT_QUALITY = 'hd';
/** How a player gets a stream (spec 3 §4). What the specification calls webrtc is WHEP here (readings.md). */
export const STREAM_TYPES = ['hls', 'webrtc'] as const;
/** Renditions a stream is announced with (spec 2 §3.1, §9). */
export const DEFAULT_QUALITY_RENDITIONS = 4;

export interface PlayerState {
  readonly quality: (typeof QUALITIES)[number];
  readonly streamType: (typeof STREAM_TYPES)[number];
}

/** What a player starts with: hd, over WebRTC where browser and server can, else over HLS. */
export const playerDefaults = (can: { readonly webrtc: boolean }): PlayerState => ({
  quality: DEFAULT_QUALITY, streamType: can.webrtc ? 'webrtc' : 'hls',
});

/** What the go-live page asks of a camera (spec 1 §9): 320x240 up to 640x480, 10 to 30 frames a second. */
export const WEBCAM_CONSTRAINTS = {
  width: { min: 320, ideal: 640, max: 640 },
  height: { min: 240, ideal: 480, max: 480 },
  frameRate: { min: 10, ideal: 30, max: 30 },
} as const;

/** Video bit rates a page can publish with, kbit/s: a slow line, a usual one, a sharp picture. */
export const VIDEO_BITRATES = [600, 1_200, 2_000] as const;
/** Enough for a sharp 480p face, modest enough for most uplinks. */
export const DEFAULT_VIDEO_BITRATE = 2_000;

/** A publisher that was lost may come back this long before the broadcast ends (readings.md, room). */
export const RECONNECT_GRACE_MS = 30_000;
/** From the answer to a publisher until its first media: ICE and DTLS take 2 s on a bad line. */
export const READY_MS = 30_000;
/**
 * An encoder that sends what cannot be shown is told so, and may mend it, for this long before its broadcast
 * is given up: the time to find a setting in OBS.
 */
export const TROUBLED_READY_MS = 600_000;
/** A playback token lives at most this long (architecture.md §3): a slow join fits, a leaked one is stale. */
export const PLAYBACK_TOKEN_SECONDS = 60;
/**
 * The address of a playlist stays good beyond its token while its player asks for it again within this time:
 * players reload the address they were given, and iPhones can be given no other.
 */
export const PLAYLIST_LEASE_MS = MINUTE_MS;
/** Playlists that are leased at once; the one asked for longest ago goes first. About 10 MB. */
export const MAX_PLAYLIST_LEASES = 20_000;
/** How long it is remembered that a viewer may watch a stream: far below the second a revocation may take. */
export const DECISION_MS = 500;
/** Such memories at once; the oldest go first. */
export const MAX_DECISIONS = 20_000;
/** TURN credentials outlast the longest broadcast of a day; a leaked one ends by itself. */
export const TURN_CREDENTIAL_SECONDS = 12 * 3_600;
/** A browser key must be used within this time: the page makes it right before it publishes. */
export const BROWSER_KEY_SECONDS = 60;
/** Random bits of a stream key; it is stored hashed, so it must not be found by trying. */
export const STREAM_KEY_BITS = 256;
/** Unused browser keys of one performer: a few tabs and retries, not a pile. Older ones go. */
export const MAX_BROWSER_KEYS = 8;
/** Seconds until a full or restarting media server is worth another try. */
export const OVERLOAD_RETRY_SECONDS = 5;
/** A health report older than this says nothing about now; the engine reports every second. */
export const HEALTH_FRESH_MS = 5_000;

export const MAX_TITLE_LENGTH = 120;
export const MAX_TAGS = 10;
const TAG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MIN_TAG_LENGTH = 2;
const MAX_TAG_LENGTH = 24;

/** One line of text: white space and control characters become single spaces. */
export const plainTitle = (title: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what this takes out
  title.replaceAll(/[\s\u0000-\u001F\u007F-\u009F]+/gu, ' ').trim().slice(0, MAX_TITLE_LENGTH);

/** Tags as they stand in addresses: lower case, words joined by hyphens, each once. Null if one cannot be. */
export function slugTags(tags: readonly string[]): string[] | null {
  const slugs = tags.map((tag) => tag.trim().toLowerCase().replaceAll(/[\s_]+/gu, '-'));
  const isTag = (slug: string): boolean =>
    TAG.test(slug) && slug.length >= MIN_TAG_LENGTH && slug.length <= MAX_TAG_LENGTH;
  if (tags.length > MAX_TAGS || !slugs.every(isTag)) return null;
  return [...new Set(slugs)];
}

/** Where a broadcast stands. `ready`: the publisher was answered, its first media is awaited. */
export const PHASES = ['ready', 'online', 'reconnecting', 'ended'] as const;
export type Phase = (typeof PHASES)[number];

export const END_REASONS = [
  'performer', 'lost', 'revoked', 'suspended', 'key_rotated', 'logged_out',
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** The course of one broadcast; times in ms since 1970. */
export interface Course {
  readonly phase: Phase;
  /** The publish session that counts; reports of others are old. */
  readonly session: string;
  /** When the first media came; null before. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly endReason: EndReason | null;
  /** When `ready` and `reconnecting` are over; null otherwise. */
  readonly deadline: number | null;
}

export type Happening =
  | { readonly kind: 'published'; readonly session: string }
  | { readonly kind: 'up'; readonly session: string }
  | { readonly kind: 'down'; readonly session: string }
  /** What the publisher sends cannot be shown; it was told why. */
  | { readonly kind: 'troubled'; readonly session: string }
  | { readonly kind: 'deadline' }
  /** The media server lost all its sessions. */
  | { readonly kind: 'restarted' }
  | { readonly kind: 'end'; readonly reason: EndReason };

export type Announcement = 'started' | 'interrupted' | 'resumed' | 'ended';

export interface Step {
  readonly course: Course;
  readonly announce: Announcement | null;
}

/** A broadcast whose publisher has just been answered. */
export const openCourse = (session: string, now: number): Course => ({
  phase: 'ready', session, startedAt: null, endedAt: null, endReason: null, deadline: now + READY_MS,
});

const ended = (course: Course, reason: EndReason, now: number): Step => ({
  course: { ...course, phase: 'ended', endedAt: now, endReason: reason, deadline: null },
  // Nobody was told of a broadcast that never had media.
  announce: course.startedAt === null ? null : 'ended',
});

function lost(course: Course, now: number): Step {
  if (course.phase === 'ready') return ended(course, 'lost', now);
  const reconnecting: Course = { ...course, phase: 'reconnecting', deadline: now + RECONNECT_GRACE_MS };
  return { course: reconnecting, announce: course.phase === 'online' ? 'interrupted' : null };
}

function came(course: Course, now: number): Step {
  if (course.phase === 'online') return { course, announce: null };
  const online: Course = { ...course, phase: 'online', startedAt: course.startedAt ?? now, deadline: null };
  return { course: online, announce: course.phase === 'ready' ? 'started' : 'resumed' };
}

/**
 * The course of a broadcast: ready → online on the first media, online → reconnecting when the publisher
 * is lost, back online when it returns within the grace, else ended. What has ended stays ended, and reports
 * of a publish session that was replaced change nothing.
 */
export function step(course: Course, happening: Happening, now: number): Step {
  const unchanged: Step = { course, announce: null };
  if (course.phase === 'ended') return unchanged;
  switch (happening.kind) {
    case 'published':
      return { course: { ...course, session: happening.session }, announce: null };
    case 'up':
      return happening.session === course.session ? came(course, now) : unchanged;
    case 'down':
      if (happening.session !== course.session || course.phase === 'reconnecting') return unchanged;
      return lost(course, now);
    case 'troubled':
      if (happening.session !== course.session || course.phase !== 'ready') return unchanged;
      return { course: { ...course, deadline: now + TROUBLED_READY_MS }, announce: null };
    case 'deadline':
      return course.deadline !== null && course.deadline <= now ? ended(course, 'lost', now) : unchanged;
    case 'restarted':
      return lost(course, now);
    case 'end':
      return ended(course, happening.reason, now);
  }
}

/** Whole seconds a broadcast was on, from its first media; 0 when there was none. */
export function secondsOf({ startedAt, endedAt }: Course, now: number): number {
  return startedAt === null ? 0 : Math.max(0, Math.floor(((endedAt ?? now) - startedAt) / 1_000));
}

/**
 * Modes of a broadcast, and of the playback tokens for it: `public` for whoever may perceive the performer,
 * `private` for those a show lets in.
 */
export const PLAYBACK_MODES = ['public', 'private'] as const;
export type PlaybackMode = (typeof PLAYBACK_MODES)[number];

/** How a publisher came. */
export type Protocol = 'whip' | 'rtmp';

/** What a playback token says; sealed by the server. */
export interface PlaybackClaim {
  readonly operatorId: number;
  readonly stream: string;
  /** Digest of the session, or of the address of a visitor who has no session yet. */
  readonly holder: string;
  readonly mode: (typeof PLAYBACK_MODES)[number];
  /** Seconds since 1970. */
  readonly expires: number;
}

/** Reads an opened token; null when it has not the shape of a claim. */
export function readPlaybackClaim(opened: unknown): PlaybackClaim | null {
  const claim = opened as Partial<PlaybackClaim> | null;
  if (!claim || !Number.isSafeInteger(claim.operatorId) || !Number.isSafeInteger(claim.expires)) return null;
  if (typeof claim.stream !== 'string' || typeof claim.holder !== 'string') return null;
  return claim.mode !== undefined && PLAYBACK_MODES.includes(claim.mode) ? (claim as PlaybackClaim) : null;
}

/** Whether a claim is good for a request now, if its holder is who asks. */
export function claimAllows(
  claim: PlaybackClaim, request: Pick<PlaybackClaim, 'operatorId' | 'stream' | 'mode'>, now: Date,
): boolean {
  const secondsLeft = claim.expires - now.getTime() / 1_000;
  return (
    claim.operatorId === request.operatorId
    && claim.stream === request.stream
    && claim.mode === request.mode
    && secondsLeft > 0
    && secondsLeft <= PLAYBACK_TOKEN_SECONDS
  );
}

/** What the health of a publisher is judged by; rates per second. */
export interface Measured {
  readonly videoBitsPerSecond: number;
  readonly audioBitsPerSecond: number;
  readonly framesPerSecond: number;
  /** 0–1, before retransmission. */
  readonly lossFraction: number;
  readonly roundTripMs: number | null;
  readonly keyframeIntervalMs: number | null;
  /** What the ingest says keeps the picture from being shown; null when nothing does. */
  readonly trouble: 'b_frames' | 'video_codec' | 'audio_codec' | null;
}

/** Codes of advice, the most important first; texts under `broadcast:advice.<code>`. */
export const ADVICE = [
  'b_frames', 'video_codec', 'audio_codec', 'video_missing', 'audio_missing', 'loss_high', 'bitrate_low',
  'fps_low', 'keyframes_rare', 'round_trip_high',
] as const;
export type Advice = (typeof ADVICE)[number];

/** Somebody in front of a camera can act on two things at once, not on seven. */
export const MAX_ADVICE = 2;
/** Below this 640x480 shows blocks. */
const LOW_VIDEO_BITS = 400_000;
/** More loss than this is seen even with retransmission. */
const HIGH_LOSS = 0.03;
/** Below this motion stutters; the camera is asked for 30. */
const LOW_FPS = 15;
/** HLS segments are 2 s long and start on keyframes; twice that is too long. */
const RARE_KEYFRAMES_MS = 4_500;
/** Above this retransmission comes too late. */
const HIGH_ROUND_TRIP_MS = 300;

/**
 * Plain advice on the health of a publisher: at most {@link MAX_ADVICE} codes, the most important first.
 * @param source browsers send keyframes when asked to, so only an encoder is told about their distance
 */
export function adviceFor(health: Measured, source: 'browser' | 'encoder'): Advice[] {
  const hasVideo = health.videoBitsPerSecond > 0 && health.framesPerSecond > 0;
  const holds: Record<Advice, boolean> = {
    b_frames: health.trouble === 'b_frames',
    video_codec: health.trouble === 'video_codec',
    audio_codec: health.trouble === 'audio_codec',
    video_missing: !hasVideo && health.trouble === null,
    // Nothing of a stream in trouble is shown: what else is missing is not what to mend first.
    audio_missing: health.audioBitsPerSecond === 0 && health.trouble === null,
    loss_high: health.lossFraction > HIGH_LOSS,
    bitrate_low: hasVideo && health.videoBitsPerSecond < LOW_VIDEO_BITS,
    fps_low: hasVideo && health.framesPerSecond < LOW_FPS,
    keyframes_rare: source === 'encoder' && (health.keyframeIntervalMs ?? 0) > RARE_KEYFRAMES_MS,
    round_trip_high: (health.roundTripMs ?? 0) > HIGH_ROUND_TRIP_MS,
  };
  return ADVICE.filter((code) => holds[code]).slice(0, MAX_ADVICE);
}

/** Where a stream is played and with what; see {@link streamUrl}. */
export interface StreamAddress {
  /** Origins of the edge servers; the first one is used (spec 2 §7). */
  readonly edge_servers: readonly string[];
  readonly stream_name: string;
  readonly token: string;
  readonly type: (typeof STREAM_TYPES)[number];
  readonly track: (typeof QUALITIES)[number];
  /** Offers every rendition, so that the player adapts; HLS only. */
  readonly multitrack: boolean;
}

/**
 * The address of a stream, built by the client (spec 2 §7): WHEP `{edge}/whep/{stream}` or HLS
 * `{edge}/hls/{stream}/index.m3u8`, with `token`, `multitrack` and `track` in the query. Null without edge.
 */
export function streamUrl(address: StreamAddress): string | null {
  const { edge_servers: [edge], stream_name: stream, token, type, track, multitrack } = address;
  if (edge === undefined || stream === '' || token === '') return null;
  const name = encodeURIComponent(stream);
  const path = type === 'hls' ? `/hls/${name}/index.m3u8` : `/whep/${name}`;
  const query = `token=${encodeURIComponent(token)}&multitrack=${multitrack ? 1 : 0}&track=${track}`;
  return `${edge.replace(/\/+$/, '')}${path}?${query}`;
}

/** Heights a lower rendition can have, highest first. */
const RENDITION_HEIGHTS = [720, 480, 360, 240] as const;
/** What `sd` means where a height is needed: sharp on a phone, a quarter of the data of 720. */
const SD_HEIGHT = 360;

/**
 * Heights of the renditions below a stream: at most `count` with the stream itself, highest first, each
 * clearly smaller than what is published.
 * @param height of the published picture; null while unknown, then the usual ones are offered
 */
export function renditionsOf(height: number | null, count: number): number[] {
  const below = height ?? WEBCAM_CONSTRAINTS.height.max;
  return RENDITION_HEIGHTS.filter((one) => one <= below * 0.8).slice(0, Math.max(0, count - 1));
}

/** The height `sd` plays of a stream; null when it is published no larger, and `sd` is the stream itself. */
export const sdHeightOf = (height: number | null): number | null =>
  (renditionsOf(height, DEFAULT_QUALITY_RENDITIONS).includes(SD_HEIGHT) ? SD_HEIGHT : null);

/** Width to height of the video panel (spec 2 §9): 4:3 while age verification stands before it. */
const VIDEO_ASPECT = 16 / 9;
export const NARROW_VIDEO_ASPECT = 4 / 3;
export const videoAspect = (of: { readonly isAgeVerificationRequired: boolean }): number =>
  (of.isAgeVerificationRequired ? NARROW_VIDEO_ASPECT : VIDEO_ASPECT);

/** How a performer broadcasts (spec 3 §3). */
export const STREAMING_TECHS = ['obs', 'webrtc'] as const;
export type StreamingTech = (typeof STREAMING_TECHS)[number];

/** Session-type codes of performer tools (spec 3 §9). What it does not give are free numbers above 100. */
export const SESSION_TYPE_CODES = {
  tip_goal: 1, lovense: 53, tip_menu: 57, streamer_settings: 101, recording: 102, standby: 103,
  pre_show_test: 104,
} as const;

/**
 * Settings for OBS Studio 30 and newer, by OBS's own names; the same ones were tried with x264. B-frames are
 * what browsers cannot show; one keyframe a second makes joining quick.
 */
export const OBS_SETTINGS = [
  { setting: 'Output Mode', value: 'Advanced' }, { setting: 'Video Encoder', value: 'x264' },
  { setting: 'Rate Control', value: 'CBR' }, { setting: 'Bitrate', value: '2500 Kbps' },
  { setting: 'Keyframe Interval', value: '1 s' }, { setting: 'Profile', value: 'baseline' },
  { setting: 'Tune', value: 'zerolatency' }, { setting: 'x264 Options', value: 'bframes=0' },
  { setting: 'Audio Bitrate', value: '128' }, { setting: 'Sample Rate', value: '48 kHz' },
] as const;

/** Who may use standby: sites by their domain, studios by their name; both lists are the operator's. */
export interface StandbyRule {
  readonly domains: readonly string[];
  readonly studios: readonly string[];
}
export const mayStandby = (
  { domain, studio }: { readonly domain: string; readonly studio: string | null }, rule: StandbyRule,
): boolean => rule.domains.includes(domain) || (studio !== null && rule.studios.includes(studio));
/** Standby ends by itself: somebody who went away should not look near for a whole day. */
export const STANDBY_MS = 4 * HOUR_MS;
/** In standby the performer is told of the same member once in this time, however often the page reloads. */
export const STANDBY_NOTICE_MS = MINUTE_MS;
/** Members a performer in standby is told of within {@link STANDBY_NOTICE_MS}: more cannot be read. */
export const MAX_STANDBY_NOTICES = 30;

/** Streamer settings of a performer who never changed any (spec 3 §3). */
export const DEFAULT_STREAMER_SETTINGS = {
  streaming_tech: 'webrtc', standby_enabled: false, standby_notifications_enabled: true,
} as const satisfies { streaming_tech: StreamingTech } & Record<string, string | boolean>;
/** Devices and rate before the go-live page has told any. */
export const NO_CAM_SETTINGS = {
  audioName: null, videoName: null, audioTrack: null, videoTrack: null, bitrate: null,
} as const;
