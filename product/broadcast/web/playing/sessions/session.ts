import type { OutputOf } from '#platform/contract/call.ts';
import type { getPlayback } from '../../../contract.ts';
import { streamUrl } from '../../../rules.ts';
import type { Failure, Running } from '../playback-state.ts';
import { countFrames, NO_FRAMES, type FrameProgress } from './frame-monitor.ts';

export type Descriptor = OutputOf<typeof getPlayback>;

/** Events of a session; none after `failed`. */
export interface SessionEvents {
  /** Connected, no frame yet. */
  readonly waiting: () => void;
  /** The first frame is shown. */
  readonly playing: () => void;
  /** It has played for a while without a break. */
  readonly steady: () => void;
  readonly failed: (why: Failure) => void;
}

export interface SessionSettings {
  /** The caller controls its visibility and volume. */
  readonly video: HTMLVideoElement;
  readonly running: Running;
  readonly descriptor: Descriptor;
  readonly on: SessionEvents;
  /** Whether frames are expected now: not while the publisher is reconnecting. */
  readonly isExpected: () => boolean;
  /** Loads a new descriptor, for a session whose token was refused meanwhile. */
  readonly renew: () => Promise<Descriptor>;
}

/** One stream in one video element, until it is closed or fails. */
export interface Session {
  /** Latency of the shown video, in ms; null while unknown. */
  readonly latencyMs: () => Promise<number | null>;
  /** Checks that frames arrive now; fails soon if not. */
  readonly nudge: () => void;
  /** The stream has ended: plays the rest of it, if the server still delivers it. */
  readonly finish: () => void;
  readonly close: () => void;
}

/** The URL of a session (spec 2 §7), built from the parts in the descriptor. */
export function addressOf(
  { edge_servers, stream_name, token }: Pick<Descriptor, 'edge_servers' | 'stream_name' | 'token'>,
  { via, quality }: Pick<Running, 'via' | 'quality'>,
): string {
  // Over HLS the player adapts between all renditions, unless the viewer prefers sd.
  const multitrack = via === 'hls' && quality === 'hd';
  const url = streamUrl({ edge_servers, stream_name, token, type: via, track: quality, multitrack });
  if (url === null) throw new Error('the descriptor names no edge server');
  return url;
}

/** A playlist URL with another token. */
export const withToken = (url: string, token: string): string =>
  url.replace(/([?&]token=)[^&#]*/u, (_all, name: string) => `${name}${encodeURIComponent(token)}`);

/** The failure for an HTTP status of a playback call. */
export function failureOfStatus(status: number): Failure {
  switch (status) {
    case 401:
    case 403:
      return 'denied';
    case 404:
    case 410:
      return 'offline';
    case 400:
    case 406:
    case 415:
    case 422:
      return 'codec';
    case 429:
    case 503:
      return 'full';
    default:
      return 'blocked';
  }
}

/** Interval of counting frames. */
const WATCH_EVERY_MS = 1_000;
/** After a nudge a session has this long to show a new frame. */
const NUDGE_MS = 700;

/**
 * Monitors a session's frames and calls its events: first frame, steady, frozen.
 * @param count grows with every frame
 * @param firstWithinMs a session without a frame after this time counts as blocked
 */
export function monitorFrames(
  { video, on, isExpected }: SessionSettings,
  count: () => Promise<number>,
  firstWithinMs: number,
): { readonly nudge: () => void; readonly stop: () => void } {
  const stopped = new AbortController();
  let frames: FrameProgress = NO_FRAMES;
  let waitedMs = 0;
  const look = async () => {
    const counted = await count();
    if (stopped.signal.aborted) return;
    const next = countFrames(frames, counted, isExpected());
    frames = next.frames;
    if (next.change === 'steady') on.steady();
    if (next.change === 'frozen') on.failed('frozen');
  };
  const tick = () => {
    if (frames.isPlaying) return void look();
    waitedMs = isExpected() ? waitedMs + WATCH_EVERY_MS : 0;
    if (waitedMs >= firstWithinMs) on.failed('blocked');
  };
  const timer = setInterval(tick, WATCH_EVERY_MS);
  const first = () => {
    if (frames.isPlaying) return;
    frames = { ...frames, isPlaying: true };
    on.playing();
  };
  video.addEventListener('loadeddata', first, { signal: stopped.signal });
  const nudge = async () => {
    if (!frames.isPlaying) return;
    const before = frames.counted;
    // No frame since the last two counts: it has failed. Otherwise it gets a little time.
    if (frames.moving > 0 || (await count()) > before) {
      const from = await count();
      await new Promise((done) => setTimeout(done, NUDGE_MS));
      if (stopped.signal.aborted || !isExpected() || (await count()) > from) return;
    }
    if (!stopped.signal.aborted) on.failed('frozen');
  };
  return {
    nudge: () => void nudge(),
    stop: () => {
      stopped.abort();
      clearInterval(timer);
    },
  };
}
