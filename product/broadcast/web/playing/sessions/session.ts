import type { OutputOf } from '../../../../../platform/contract/call.ts';
import type { getPlayback } from '../../../contract.ts';
import { streamUrl } from '../../../rules.ts';
import type { Failure, Running } from '../playback-state.ts';
import { countFrames, NO_FRAMES, type FrameProgress } from './frame-monitor.ts';

export type Descriptor = OutputOf<typeof getPlayback>;

/** What a session tells of itself; nothing after `failed`. */
export interface SessionEvents {
  /** Connected, no picture yet. */
  readonly waiting: () => void;
  /** The first picture is there. */
  readonly playing: () => void;
  /** It has played for a while without a break. */
  readonly steady: () => void;
  readonly failed: (why: Failure) => void;
}

export interface SessionSettings {
  /** Muted and hidden or shown and loud: that is not the session's business. */
  readonly video: HTMLVideoElement;
  readonly running: Running;
  readonly descriptor: Descriptor;
  readonly on: SessionEvents;
  /** Whether pictures are due now: not while the publisher is away for a moment. */
  readonly isExpected: () => boolean;
  /** A fresh descriptor, for a session whose token was refused on the way. */
  readonly renew: () => Promise<Descriptor>;
}

/** One stream in one video element, until it is closed or fails. */
export interface Session {
  /** How old the picture is that is shown, in ms; null while that cannot be told. */
  readonly latencyMs: () => Promise<number | null>;
  /** Pictures must go on now, or it fails soon. */
  readonly nudge: () => void;
  readonly close: () => void;
}

/** The address of what a session plays (spec 2 §7): built here, of the parts the server gave. */
export function addressOf(
  { edge_servers, stream_name, token }: Pick<Descriptor, 'edge_servers' | 'stream_name' | 'token'>,
  { via, quality }: Pick<Running, 'via' | 'quality'>,
): string {
  // Over HLS the player adapts between all renditions, unless the person wants the small one.
  const multitrack = via === 'hls' && quality === 'hd';
  const url = streamUrl({ edge_servers, stream_name, token, type: via, track: quality, multitrack });
  if (url === null) throw new Error('the descriptor names no edge server');
  return url;
}

/** The address of a playlist with another token. */
export const withToken = (url: string, token: string): string =>
  url.replace(/([?&]token=)[^&#]*/u, (_all, name: string) => `${name}${encodeURIComponent(token)}`);

/** The failure an HTTP status of a playback endpoint stands for. */
export function failureOfStatus(status: number): Failure {
  switch (status) {
    case 401:
    case 403: return 'denied';
    case 404:
    case 410: return 'offline';
    case 400:
    case 406:
    case 415:
    case 422: return 'codec';
    case 429:
    case 503: return 'full';
    default: return 'blocked';
  }
}

/** Pictures are counted this often. */
const WATCH_EVERY_MS = 1_000;
/** A session that was told that pictures come again has this long to show one. */
const NUDGE_MS = 700;

/**
 * Watches a session's pictures and tells its news: the first one, that they lasted, that they stay away.
 * @param count grows with every picture
 * @param firstWithinMs a session without a picture by then counts as blocked
 */
export function watchPictures(
  { video, on, isExpected }: SessionSettings, count: () => Promise<number>, firstWithinMs: number,
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
    // Nothing came since the last count, and that one brought nothing: it is over. Else it gets a moment.
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
