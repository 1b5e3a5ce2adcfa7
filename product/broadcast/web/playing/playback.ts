import { CallFailed } from '#platform/contract/client.ts';
import { UNREACHABLE } from '#platform/http/browser.ts';
import { playbackTokenInvalid } from '../../client.ts';
import type { PlayerState } from '../../rules.ts';
import {
  initialState,
  reducePlayback,
  type Failure,
  type PlaybackEvent,
  type PlaybackState,
  type Running,
  type Via,
} from './playback-state.ts';
import { openHls } from './sessions/hls-session.ts';
import type { Descriptor, Session, SessionEvents } from './sessions/session.ts';
import { openWhep } from './sessions/whep-session.ts';

export interface PlaybackSettings {
  /** Holds the video elements: the shown one, and one behind it during a trial. */
  readonly host: HTMLElement;
  readonly preference: PlayerState;
  /** Loads a new descriptor; rejects while there is nothing to play. */
  readonly describe: (of: Pick<Running, 'via'>) => Promise<Descriptor>;
  /** The server's time, in ms since 1970. */
  readonly nowMs: () => number;
  readonly onChange: (snapshot: PlaybackSnapshot) => void;
}

export interface PlaybackSnapshot {
  readonly state: PlaybackState;
  /** The element that is shown, or will be. */
  readonly video: HTMLVideoElement | null;
  /** Heights of the stream's lower renditions, from the last descriptor. */
  readonly renditions: readonly number[];
}

/** A session and its video element. */
interface MountedSession {
  readonly video: HTMLVideoElement;
  session: Session | null;
  isOver: boolean;
}

/** Transports that this browser supports. */
const browserTransports = (): Record<Via, boolean> => (
  { webrtc: 'RTCPeerConnection' in globalThis, hls: true }
);

/** Runs the sessions, video elements and timer that the playback state asks for. */
export class Playback {
  readonly #settings: PlaybackSettings;
  readonly #mounted = new Map<number, MountedSession>();
  readonly #listeners = new AbortController();
  #state: PlaybackState;
  #timer: { readonly id: number; readonly timer: ReturnType<typeof setTimeout> } | null = null;
  #renditions: readonly number[] = [];

  constructor(settings: PlaybackSettings) {
    this.#settings = settings;
    this.#state = initialState(settings.preference, browserTransports(), navigator.onLine);
    const { signal } = this.#listeners;
    for (const isOnline of [true, false]) {
      addEventListener(
        isOnline ? 'online' : 'offline',
        () => this.dispatch({ kind: 'conditions', conditions: { isOnline } }),
        { signal },
      );
    }
    for (const isPinned of [true, false]) {
      settings.host.addEventListener(
        isPinned ? 'enterpictureinpicture' : 'leavepictureinpicture',
        () => this.dispatch({ kind: 'conditions', conditions: { isPinned } }),
        { signal },
      );
    }
  }

  dispatch(event: PlaybackEvent): void {
    const before = this.#state;
    this.#state = reducePlayback(before, event);
    if (this.#state === before) return;
    this.#sync(before);
    this.#publishSnapshot();
  }

  /** Latency of the shown video, in ms; null while unknown. */
  async latencyMs(): Promise<number | null> {
    const shown = this.#state.shown;
    return (shown && this.#mounted.get(shown.id)?.session?.latencyMs()) ?? null;
  }

  /** Ends every session. */
  stop(): void {
    this.#listeners.abort();
    clearTimeout(this.#timer?.timer);
    for (const id of this.#mounted.keys()) this.#unmount(id);
  }

  #publishSnapshot(): void {
    const { shown } = this.#state;
    const video = (shown && this.#mounted.get(shown.id)?.video) ?? null;
    this.#settings.onChange({ state: this.#state, video, renditions: this.#renditions });
  }

  /** Brings sessions and timer in line with the state. */
  #sync(before: PlaybackState): void {
    const { shown, trial, isFinishing, timer, nudges } = this.#state;
    const wanted = [shown, trial].filter((item) => item !== null);
    for (const id of this.#mounted.keys()) {
      if (!wanted.some((item) => item.id === id)) this.#unmount(id);
    }
    for (const one of wanted) if (!this.#mounted.has(one.id)) this.#mount(one);
    for (const [id, { video }] of this.#mounted) video.classList.toggle('invisible', id !== shown?.id);
    if (nudges !== before.nudges && shown) this.#mounted.get(shown.id)?.session?.nudge();
    if (isFinishing && !before.isFinishing && shown) this.#mounted.get(shown.id)?.session?.finish();
    if (timer?.id === this.#timer?.id) return;
    clearTimeout(this.#timer?.timer);
    this.#timer = timer && {
      id: timer.id,
      timer: setTimeout(() => this.dispatch({ kind: 'timer', id: timer.id }), timer.afterMs),
    };
  }

  #mount(running: Running): void {
    const video = document.createElement('video');
    video.autoplay = true;
    video.playsInline = true;
    // Muted until it is the shown element.
    video.muted = true;
    video.className = 'absolute inset-0 size-full object-contain';
    this.#settings.host.append(video);
    const mounted: MountedSession = { video, session: null, isOver: false };
    this.#mounted.set(running.id, mounted);
    void this.#open(running, mounted);
  }

  #unmount(id: number): void {
    const mounted = this.#mounted.get(id);
    if (!mounted) return;
    this.#mounted.delete(id);
    mounted.isOver = true;
    mounted.session?.close();
    mounted.video.remove();
  }

  async #open(running: Running, mounted: MountedSession): Promise<void> {
    const { id, via } = running;
    const dispatchIfMounted = (event: PlaybackEvent): void => {
      if (!mounted.isOver) this.dispatch(event);
    };
    const failed = (why: Failure): void => dispatchIfMounted({ kind: 'failed', id, why });
    const finished = (): void => dispatchIfMounted({ kind: 'finished', id });
    const report = (progress: 'waiting' | 'playing' | 'steady') => () =>
      dispatchIfMounted({ kind: 'progress', id, progress });
    const on: SessionEvents = {
      waiting: report('waiting'),
      playing: report('playing'),
      steady: report('steady'),
      failed,
    };
    let descriptor: Descriptor;
    try {
      descriptor = await this.#settings.describe(running);
    } catch (error) {
      return failed(failureOfCall(error));
    }
    if (mounted.isOver) return;
    this.#renditions = descriptor.renditions;
    if (!descriptor.hls) dispatchIfMounted({ kind: 'cannot', via: 'hls' });
    if (mounted.isOver) return;
    if (descriptor.kind !== (via === 'hls' ? 'hls' : 'whep')) return failed('codec');
    const settings = {
      video: mounted.video,
      running,
      descriptor,
      on,
      isExpected: () => !this.#state.conditions.isAway,
      renew: () => this.#settings.describe(running),
    };
    const session = via === 'hls'
      ? openHls({ ...settings, nowMs: this.#settings.nowMs, finished })
      : openWhep(settings);
    // It may have failed while it was opened.
    if (mounted.isOver) session.close();
    else mounted.session = session;
  }
}

/** Why there is no descriptor. */
function failureOfCall(error: unknown): Failure {
  if (!(error instanceof CallFailed)) return 'network';
  const { errorType, status } = error.problem;
  if (errorType === UNREACHABLE || status >= 500) return 'network';
  if (errorType === playbackTokenInvalid.code) return 'denied';
  return status === 429 ? 'full' : 'offline';
}
