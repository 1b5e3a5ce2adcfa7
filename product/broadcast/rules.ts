import { cleanText } from '#platform/text/clean-text.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';

/** Qualities of a viewer's player, and the one it starts in (spec 3 §4 "Video player"). */
export const QUALITIES = ['hd', 'sd'] as const;
export const DEFAULT_QUALITY = 'hd';
/** Whether a video of this height is labelled HD; if not, the published quality is labelled original. */
export const isHd = (lines: number): boolean => lines >= 720;
/** Transports of a player (spec 3 §4). The specification's `webrtc` is WHEP here (readings.md). */
export const STREAM_TYPES = ['hls', 'webrtc'] as const;
/** Renditions offered for a stream (spec 2 §3.1, §9). */
export const DEFAULT_QUALITY_RENDITIONS = 4;

export interface PlayerState {
  readonly quality: (typeof QUALITIES)[number];
  readonly streamType: (typeof STREAM_TYPES)[number];
}

/** Initial state of a player: hd, over WebRTC where browser and server support it, else over HLS. */
export const playerDefaults = (can: { readonly webrtc: boolean }): PlayerState => ({
  quality: DEFAULT_QUALITY,
  streamType: can.webrtc ? 'webrtc' : 'hls',
});

/**
 * Camera constraints of the go-live page (spec 1 §9): 320x240 to 640x480, 10 to 30 frames a second. Sharper
 * video is asked for once its upload was measured: `videoConstraints` of rules/upload.ts.
 */
export const WEBCAM_CONSTRAINTS = {
  width: { min: 320, ideal: 640, max: 640 },
  height: { min: 240, ideal: 480, max: 480 },
  frameRate: { min: 10, ideal: 30, max: 30 },
} as const;

/** Enough for a sharp 480p face, modest enough for most uplinks. */
export const DEFAULT_VIDEO_BITRATE = 2_000;

/** Grace period for a lost publisher to reconnect before the broadcast ends (readings.md, room). */
export const RECONNECT_GRACE_MS = 30_000;
/** Time from answering a publisher to its first media: ICE and DTLS take 2 s on a bad connection. */
export const READY_MS = 30_000;
/**
 * Time to fix an encoder whose media cannot be played before its broadcast ends: enough to find a setting in
 * OBS.
 */
export const TROUBLED_READY_MS = 600_000;
/** Lifetime of a playback token (architecture.md §3): long enough for a slow join, too short to share. */
export const PLAYBACK_TOKEN_SECONDS = 60;
/**
 * A playlist URL outlives its token while its player reloads it within this time: players keep the URL they
 * got, and iPhones accept no other.
 */
export const PLAYLIST_LEASE_MS = MINUTE_MS;
/** Playlists leased at once, about 10 MB; the least recently used is evicted first. */
export const MAX_PLAYLIST_LEASES = 20_000;
/** A token in a playlist is valid for at least this long: its player requests segments some seconds later. */
const PLAYLIST_TOKEN_LEFT_SECONDS = 20;
/** How long the tokens in the playlists of a viewer stay the same. */
const PLAYLIST_TOKEN_STEP_SECONDS = PLAYBACK_TOKEN_SECONDS - PLAYLIST_TOKEN_LEFT_SECONDS;
/** How long a playback decision is cached: well below the second a revocation may take. */
export const DECISION_MS = 500;
/** Decisions cached at once; the oldest are evicted first. */
export const MAX_DECISIONS = 20_000;
/** TURN credentials outlast a long broadcast; a leaked one expires. */
export const TURN_CREDENTIAL_SECONDS = 12 * 3_600;
/** A browser key must be used within this time: the page creates it right before publishing. */
export const BROWSER_KEY_SECONDS = 60;
/**
 * A replaced publisher is refused for this long after its last try while the newer one is there: OBS waits up
 * to 15 minutes between two tries.
 */
export const REPLACED_MS = 20 * MINUTE_MS;
/** An encoder whose broadcast was ended has paused if it has not tried for at least this long. */
export const ENDED_PAUSE_MS = 2 * MINUTE_MS;
/** OBS waits half as long again before each try, up to 15 minutes; a longer wait means a manual start. */
export const pauseAfter = (waitedMs: number): number =>
  Math.min(REPLACED_MS, Math.max(ENDED_PAUSE_MS, 2 * waitedMs));
/** Replaced publishers remembered at once; the oldest are forgotten first. */
export const MAX_REPLACED = 10_000;
/** The performer is advised about a replaced publisher for this long after its last try. */
export const RIVAL_NOTICE_MS = MINUTE_MS;
/** Random bits of a stream key: only its hash is stored, and guessing must be hopeless. */
export const STREAM_KEY_BITS = 256;
/** Unused browser keys of one performer: a few tabs and retries. Older ones are deleted. */
export const MAX_BROWSER_KEYS = 8;
/** `Retry-After` of a full or restarting media server. */
export const OVERLOAD_RETRY_SECONDS = 5;
/**
 * How long somebody counts as a viewer after their player last fetched HLS: a playlist is fetched again every
 * few seconds, and later on a bad network.
 */
export const HLS_VIEWER_MS = 15_000;
/** Viewers of one stream counted over HLS, about 2 MB; more than one machine serves. */
export const MAX_HLS_VIEWERS = 20_000;
/** A health report older than this is outdated; the engine reports every second. */
export const HEALTH_FRESH_MS = 5_000;

export const MAX_TITLE_LENGTH = 120;
export const MAX_TAGS = 10;
const TAG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MIN_TAG_LENGTH = 2;
const MAX_TAG_LENGTH = 24;

/** One line of text, cleaned like all text people type; no character is cut in half. */
export const plainTitle = (title: string): string =>
  [...cleanText(title)].slice(0, MAX_TITLE_LENGTH).join('').trim();

/** Tags as in URLs: lower case, words joined by hyphens, no duplicates. Null if one is not a valid tag. */
export function slugTags(tags: readonly string[]): string[] | null {
  const slugs = tags.map((tag) => tag.trim().toLowerCase().replaceAll(/[\s_]+/gu, '-'));
  const isTag = (slug: string): boolean =>
    TAG.test(slug) && slug.length >= MIN_TAG_LENGTH && slug.length <= MAX_TAG_LENGTH;
  if (tags.length > MAX_TAGS || !slugs.every(isTag)) return null;
  return [...new Set(slugs)];
}

/** Phases of a broadcast. `ready`: the publisher was answered and its first media is awaited. */
export const PHASES = ['ready', 'online', 'reconnecting', 'ended'] as const;
export type Phase = (typeof PHASES)[number];

export const END_REASONS = [
  'performer',
  'lost',
  'revoked',
  'suspended',
  'key_rotated',
  'logged_out',
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** State of one broadcast; times in ms since 1970. */
export interface LifecycleState {
  readonly phase: Phase;
  /** The current publish session; reports of other sessions are outdated. */
  readonly session: string;
  /** Time of the first media; null before. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly endReason: EndReason | null;
  /** When `ready` or `reconnecting` times out; null in other phases. */
  readonly deadline: number | null;
}

export type LifecycleEvent =
  | { readonly kind: 'published'; readonly session: string }
  | { readonly kind: 'up'; readonly session: string }
  | { readonly kind: 'down'; readonly session: string }
  /** The publisher itself means to stop. */
  | { readonly kind: 'finished'; readonly session: string }
  /** The publisher's media cannot be played. */
  | { readonly kind: 'troubled'; readonly session: string }
  | { readonly kind: 'deadline' }
  /** The media server lost all its sessions. */
  | { readonly kind: 'restarted' }
  | { readonly kind: 'end'; readonly reason: EndReason };

export type LifecycleChange = 'started' | 'interrupted' | 'resumed' | 'ended';

export interface Transition {
  readonly state: LifecycleState;
  readonly change: LifecycleChange | null;
}

/** Initial state of a broadcast whose publisher has just been answered. */
export const openLifecycle = (session: string, now: number): LifecycleState => ({
  phase: 'ready',
  session,
  startedAt: null,
  endedAt: null,
  endReason: null,
  deadline: now + READY_MS,
});

const ended = (state: LifecycleState, reason: EndReason, now: number): Transition => ({
  state: { ...state, phase: 'ended', endedAt: now, endReason: reason, deadline: null },
  // A broadcast without media was never published as started.
  change: state.startedAt === null ? null : 'ended',
});

function lost(state: LifecycleState, now: number): Transition {
  if (state.phase === 'ready') return ended(state, 'lost', now);
  const reconnecting: LifecycleState = {
    ...state,
    phase: 'reconnecting',
    deadline: now + RECONNECT_GRACE_MS,
  };
  return { state: reconnecting, change: state.phase === 'online' ? 'interrupted' : null };
}

function mediaArrived(state: LifecycleState, now: number): Transition {
  if (state.phase === 'online') return { state, change: null };
  const online: LifecycleState = {
    ...state,
    phase: 'online',
    startedAt: state.startedAt ?? now,
    deadline: null,
  };
  return { state: online, change: state.phase === 'ready' ? 'started' : 'resumed' };
}

/**
 * State machine of a broadcast: ready → online on the first media, online → reconnecting when the publisher
 * is lost, back online when it returns within the grace period, else ended. `ended` is final, and reports of
 * a replaced publish session change nothing.
 */
export function transition(state: LifecycleState, event: LifecycleEvent, now: number): Transition {
  const unchanged: Transition = { state, change: null };
  if (state.phase === 'ended') return unchanged;
  switch (event.kind) {
    case 'published':
      return { state: { ...state, session: event.session }, change: null };
    case 'up':
      return event.session === state.session ? mediaArrived(state, now) : unchanged;
    case 'down':
      if (event.session !== state.session || state.phase === 'reconnecting') return unchanged;
      return lost(state, now);
    case 'finished':
      return event.session === state.session ? ended(state, 'performer', now) : unchanged;
    case 'troubled':
      if (event.session !== state.session || state.phase !== 'ready') return unchanged;
      return { state: { ...state, deadline: now + TROUBLED_READY_MS }, change: null };
    case 'deadline':
      return state.deadline !== null && state.deadline <= now ? ended(state, 'lost', now) : unchanged;
    case 'restarted':
      return lost(state, now);
    case 'end':
      return ended(state, event.reason, now);
  }
}

/** Whole seconds a broadcast was online, from its first media; 0 without media. */
export function secondsOf({ startedAt, endedAt }: LifecycleState, now: number): number {
  return startedAt === null ? 0 : Math.max(0, Math.floor(((endedAt ?? now) - startedAt) / 1_000));
}

/**
 * Modes of a broadcast and of its playback tokens: `public` for everyone who may perceive the performer,
 * `private` for the two of a show, `limited` for the holders of tickets.
 */
export const PLAYBACK_MODES = ['public', 'private', 'limited'] as const;
export type PlaybackMode = (typeof PLAYBACK_MODES)[number];

/** Whether the seconds that viewers are sent are counted: only private shows are paid by the second. */
export const isMetered = (mode: PlaybackMode): boolean => mode === 'private';
/** Whether the site notes each viewer's region and a lack of capacity for them: in shows paid as a whole. */
export const isNoted = (mode: PlaybackMode): boolean => mode === 'limited';
/** The most notes about people and streams in memory: enough for twenty shows with all tickets sold. */
export const MAX_TRIES = 20_000;
/** A viewer served over HLS counts as watching for this long: the player has buffered a playlist window. */
export const HLS_BUFFERED_MS = 20 * SECOND_MS;

/** Ingest protocols. */
export type Protocol = 'whip' | 'rtmp';

/** Claim of a playback token; sealed by the server. */
export interface PlaybackClaim {
  readonly operatorId: number;
  readonly stream: string;
  /** Digest of the session, or of the IP address of a viewer without a session. */
  readonly holder: string;
  readonly mode: (typeof PLAYBACK_MODES)[number];
  /** Seconds since 1970. */
  readonly expires: number;
}

/** Parses an unsealed token; null if it is not a claim. */
export function readPlaybackClaim(opened: unknown): PlaybackClaim | null {
  const claim = opened as Partial<PlaybackClaim> | null;
  if (!claim || !Number.isSafeInteger(claim.operatorId) || !Number.isSafeInteger(claim.expires)) return null;
  if (typeof claim.stream !== 'string' || typeof claim.holder !== 'string') return null;
  return claim.mode !== undefined && PLAYBACK_MODES.includes(claim.mode) ? (claim as PlaybackClaim) : null;
}

/** Whether a claim is valid for a request now; the holder is checked separately. */
export function claimAllows(
  claim: PlaybackClaim,
  request: Pick<PlaybackClaim, 'operatorId' | 'stream' | 'mode'>,
  now: Date,
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

/**
 * The time at which a token that is put into a playlist now will expire, in seconds since 1970.
 * @param holder the token's holder; spreads the changes, so that not all change in the same second
 */
export function playlistTokenExpiry(nowSeconds: number, holder: string): number {
  const step = PLAYLIST_TOKEN_STEP_SECONDS;
  const shift = [...holder].reduce((sum, sign) => sum + (sign.codePointAt(0) ?? 0), 0) % step;
  return Math.ceil((nowSeconds + PLAYLIST_TOKEN_LEFT_SECONDS - shift) / step) * step + shift;
}

/** Measurements of a publisher; rates per second. */
export interface Measured {
  readonly videoBitsPerSecond: number;
  readonly audioBitsPerSecond: number;
  readonly framesPerSecond: number;
  /** 0–1, before retransmission. */
  readonly lossFraction: number;
  readonly roundTripMs: number | null;
  readonly keyframeIntervalMs: number | null;
  /** Why the media cannot be played, as reported by the ingest; null when it can. */
  readonly trouble: 'b_frames' | 'video_codec' | 'audio_codec' | null;
  /** How B-frames are on air; null without any. */
  readonly bFrames: 'transcoded' | 'copied' | null;
  /** A publisher that this one replaced keeps trying to come back. */
  readonly hasRival?: boolean;
}

/** Codes of advice, most important first; texts under `broadcast:advice.<code>`. */
export const ADVICE = [
  'b_frames',
  'video_codec',
  'second_encoder',
  'b_frames_copied',
  'b_frames_transcoded',
  'audio_codec',
  'sound_alone',
  'video_missing',
  'audio_missing',
  'loss_high',
  'bitrate_low',
  'fps_low',
  'keyframes_rare',
  'round_trip_high',
] as const;
export type Advice = (typeof ADVICE)[number];

/** A performer on camera can act on two things at once, not on seven. */
export const MAX_ADVICE = 2;
/** Below this bit rate, 640x480 shows blocks. */
const LOW_VIDEO_BITS = 400_000;
/** More loss than this is visible despite retransmission. */
const HIGH_LOSS = 0.03;
/** Below this, motion stutters; the camera delivers up to 30. */
const LOW_FPS = 15;
/** HLS segments are 2 s long and start on keyframes; twice that is too long. */
const RARE_KEYFRAMES_MS = 4_500;
/** Above this, retransmission comes too late. */
const HIGH_ROUND_TRIP_MS = 300;

/**
 * Advice on the health of a publisher: at most {@link MAX_ADVICE} codes, most important first.
 * @param source browsers send keyframes on request, so only encoders get advice on keyframe intervals
 */
export function adviceFor(health: Measured, source: 'browser' | 'encoder'): Advice[] {
  const hasVideo = health.videoBitsPerSecond > 0 && health.framesPerSecond > 0;
  const isSoundAlone = health.videoBitsPerSecond === 0 && health.audioBitsPerSecond > 0
    && health.trouble === null;
  const applies: Record<Advice, boolean> = {
    b_frames: health.trouble === 'b_frames',
    video_codec: health.trouble === 'video_codec',
    second_encoder: health.hasRival === true,
    b_frames_copied: health.bFrames === 'copied',
    b_frames_transcoded: health.bFrames === 'transcoded',
    audio_codec: health.trouble === 'audio_codec',
    sound_alone: isSoundAlone,
    video_missing: !hasVideo && !isSoundAlone && health.trouble === null,
    // While nothing can be played, missing audio is not the first thing to fix.
    audio_missing: health.audioBitsPerSecond === 0 && health.trouble === null,
    loss_high: health.lossFraction > HIGH_LOSS,
    bitrate_low: hasVideo && health.videoBitsPerSecond < LOW_VIDEO_BITS,
    fps_low: hasVideo && health.framesPerSecond < LOW_FPS,
    keyframes_rare: source === 'encoder' && (health.keyframeIntervalMs ?? 0) > RARE_KEYFRAMES_MS,
    round_trip_high: (health.roundTripMs ?? 0) > HIGH_ROUND_TRIP_MS,
  };
  return ADVICE.filter((code) => applies[code]).slice(0, MAX_ADVICE);
}

/** Parts of a playback URL; see {@link streamUrl}. */
export interface StreamAddress {
  /** Origins of the edge servers; the first one is used (spec 2 §7). */
  readonly edge_servers: readonly string[];
  readonly stream_name: string;
  readonly token: string;
  readonly type: (typeof STREAM_TYPES)[number];
  readonly track: (typeof QUALITIES)[number];
  /** Offers every rendition, so that the player can adapt; HLS only. */
  readonly multitrack: boolean;
}

/**
 * The playback URL of a stream, built by the client (spec 2 §7): WHEP `{edge}/whep/{stream}` or HLS
 * `{edge}/hls/{stream}/index.m3u8`, with `token`, `multitrack` and `track` in the query. Null without an edge
 * server.
 */
export function streamUrl(address: StreamAddress): string | null {
  const { edge_servers: [edge], stream_name: stream, token, type, track, multitrack } = address;
  if (edge === undefined || stream === '' || token === '') return null;
  const name = encodeURIComponent(stream);
  const path = type === 'hls' ? `/hls/${name}/index.m3u8` : `/whep/${name}`;
  const query = `token=${encodeURIComponent(token)}&multitrack=${multitrack ? 1 : 0}&track=${track}`;
  return `${edge.replace(/\/+$/, '')}${path}?${query}`;
}

/** Heights of lower renditions, highest first. */
const RENDITION_HEIGHTS = [720, 480, 360, 240] as const;
/** Height of `sd`: sharp on a phone, a quarter of the data of 720. */
const SD_HEIGHT = 360;

/**
 * Heights of the lower renditions of a stream, highest first, each clearly smaller than the published height.
 * The stream itself counts towards `count`.
 * @param height published height; null while unknown, then those of a webcam are offered
 */
export function renditionsOf(height: number | null, count: number): number[] {
  const below = height ?? WEBCAM_CONSTRAINTS.height.max;
  return RENDITION_HEIGHTS.filter((item) => item <= below * 0.8).slice(0, Math.max(0, count - 1));
}

/** The height of `sd` for a stream; null when the stream itself is no larger. */
export const sdHeightOf = (
  height: number | null,
): number | null => (renditionsOf(height, DEFAULT_QUALITY_RENDITIONS).includes(SD_HEIGHT) ? SD_HEIGHT : null);

/** Aspect ratio of the video panel (spec 2 §9): 4:3 while age verification covers it. */
const VIDEO_ASPECT = 16 / 9;
export const NARROW_VIDEO_ASPECT = 4 / 3;
export const videoAspect = (
  of: { readonly isAgeVerificationRequired: boolean },
): number => (of.isAgeVerificationRequired ? NARROW_VIDEO_ASPECT : VIDEO_ASPECT);

/** Ways to broadcast (spec 3 §3). */
export const STREAMING_TECHS = ['obs', 'webrtc'] as const;
export type StreamingTech = (typeof STREAMING_TECHS)[number];

/** Session-type codes of performer tools (spec 3 §9); numbers above 100 are our own. */
export const SESSION_TYPE_CODES = {
  tip_goal: 1,
  lovense: 53,
  tip_menu: 57,
  streamer_settings: 101,
  recording: 102,
  standby: 103,
  pre_show_test: 104,
} as const;

/**
 * Settings for OBS Studio 30 and newer, by OBS's own names, tested with x264. Browsers cannot decode B-frames
 * over WebRTC; one keyframe a second makes joining quick.
 */
export const OBS_SETTINGS = [
  { setting: 'Output Mode', value: 'Advanced' },
  { setting: 'Video Encoder', value: 'x264' },
  { setting: 'Rate Control', value: 'CBR' },
  { setting: 'Bitrate', value: '2500 Kbps' },
  { setting: 'Keyframe Interval', value: '1 s' },
  { setting: 'Profile', value: 'baseline' },
  { setting: 'Tune', value: 'zerolatency' },
  { setting: 'x264 Options', value: 'bframes=0' },
  { setting: 'Audio Bitrate', value: '128' },
  { setting: 'Sample Rate', value: '48 kHz' },
] as const;

/** Who may use standby: the sites (by domain) and studios (by name) that the operator lists. */
export interface StandbyRule {
  readonly domains: readonly string[];
  readonly studios: readonly string[];
}
export const mayStandby = (
  { domain, studio }: { readonly domain: string; readonly studio: string | null },
  rule: StandbyRule,
): boolean => rule.domains.includes(domain) || (studio !== null && rule.studios.includes(studio));
/** Longest name of a studio. */
export const MAX_STUDIO_LENGTH = 80;
/** Standby ends automatically, so that a performer who left does not look available all day. */
export const STANDBY_MS = 4 * HOUR_MS;
/** In standby the performer is notified of the same member once in this time, despite page reloads. */
export const STANDBY_NOTICE_MS = MINUTE_MS;
/** Notifications of members per {@link STANDBY_NOTICE_MS}: more cannot be read. */
export const MAX_STANDBY_NOTICES = 30;

/** Default streamer settings (spec 3 §3). */
export const DEFAULT_STREAMER_SETTINGS = {
  streaming_tech: 'webrtc',
  standby_enabled: false,
  standby_notifications_enabled: true,
} as const satisfies { streaming_tech: StreamingTech } & Record<string, string | boolean>;
/** Devices and bit rate before the go-live page has saved any. */
export const NO_CAM_SETTINGS = {
  audioName: null,
  videoName: null,
  audioTrack: null,
  videoTrack: null,
  bitrate: null,
} as const;

/** Kind of the deadline that removes a portrait that nobody uses any more. */
export const PORTRAIT_REMOVAL = 'broadcast.portraitRemoval';
