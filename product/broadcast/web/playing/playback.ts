import { CallFailed } from '../../../../platform/contract/client/client.ts';
import { UNREACHABLE } from '../../../../platform/http/browser.ts';
import { playbackTokenInvalid } from '../../client.ts';
import type { PlayerState } from '../../rules.ts';
import {
  openCourse, stepPlayer, type Course, type Failure, type Happening, type Running, type Via,
} from './course.ts';
import { openHls } from './sessions/hls-session.ts';
import type { Descriptor, Session, SessionNews } from './sessions/session.ts';
import { openWhep } from './sessions/whep-session.ts';

export interface PlaybackSettings {
  /** Videos are put into it: the one that is shown, and one behind it while the way changes. */
  readonly host: HTMLElement;
  readonly wish: PlayerState;
  /** Asks for a fresh descriptor; rejects while there is nothing to play. */
  readonly describe: (of: Pick<Running, 'via' | 'quality'>) => Promise<Descriptor>;
  /** The player changed. */
  readonly onChange: (state: PlaybackState) => void;
}

export interface PlaybackState {
  readonly course: Course;
  /** The element whose picture is shown or awaited. */
  readonly video: HTMLVideoElement | null;
  /** Heights of the lower renditions of the stream, as the last descriptor named them. */
  readonly renditions: readonly number[];
}

/** A session of the course in an element of its own. */
interface Place {
  readonly video: HTMLVideoElement;
  session: Session | null;
  isOver: boolean;
}

/** What this browser can play at all. */
const browserWays = (): Record<Via, boolean> => ({ webrtc: 'RTCPeerConnection' in globalThis, hls: true });

/** Carries out what the course decides: sessions, their video elements, and the alarm. */
export class Playback {
  readonly #settings: PlaybackSettings;
  readonly #places = new Map<number, Place>();
  readonly #unlisten = new AbortController();
  #course: Course;
  #alarm: { readonly id: number; readonly timer: ReturnType<typeof setTimeout> } | null = null;
  #renditions: readonly number[] = [];

  constructor(settings: PlaybackSettings) {
    this.#settings = settings;
    this.#course = openCourse(settings.wish, browserWays(), navigator.onLine);
    const { signal } = this.#unlisten;
    for (const isOnline of [true, false]) {
      addEventListener(isOnline ? 'online' : 'offline', () =>
        this.happens({ kind: 'scene', scene: { isOnline } }), { signal });
    }
    for (const isPinned of [true, false]) {
      settings.host.addEventListener(isPinned ? 'enterpictureinpicture' : 'leavepictureinpicture', () =>
        this.happens({ kind: 'scene', scene: { isPinned } }), { signal });
    }
  }

  happens(happening: Happening): void {
    const before = this.#course;
    this.#course = stepPlayer(before, happening);
    if (this.#course === before) return;
    this.#follow(before);
    this.#tell();
  }

  /** How old the shown picture is, in ms; null while that cannot be told. */
  async latencyMs(): Promise<number | null> {
    const shown = this.#course.shown;
    return (shown && this.#places.get(shown.id)?.session?.latencyMs()) ?? null;
  }

  /** Ends every session. */
  stop(): void {
    this.#unlisten.abort();
    clearTimeout(this.#alarm?.timer);
    for (const id of this.#places.keys()) this.#leave(id);
  }

  #tell(): void {
    const { shown } = this.#course;
    const video = (shown && this.#places.get(shown.id)?.video) ?? null;
    this.#settings.onChange({ course: this.#course, video, renditions: this.#renditions });
  }

  /** Brings sessions and alarm in line with the course. */
  #follow(before: Course): void {
    const { shown, trial, alarm, nudges } = this.#course;
    const wanted = [shown, trial].filter((one) => one !== null);
    for (const id of this.#places.keys()) {
      if (!wanted.some((one) => one.id === id)) this.#leave(id);
    }
    for (const one of wanted) if (!this.#places.has(one.id)) this.#enter(one);
    for (const [id, { video }] of this.#places) video.classList.toggle('invisible', id !== shown?.id);
    if (nudges !== before.nudges && shown) this.#places.get(shown.id)?.session?.nudge();
    if (alarm?.id === this.#alarm?.id) return;
    clearTimeout(this.#alarm?.timer);
    this.#alarm = alarm && {
      id: alarm.id, timer: setTimeout(() => this.happens({ kind: 'alarm', id: alarm.id }), alarm.afterMs),
    };
  }

  #enter(running: Running): void {
    const video = document.createElement('video');
    video.autoplay = true;
    video.playsInline = true;
    // Until it is known to be the one that is heard.
    video.muted = true;
    video.className = 'absolute inset-0 size-full object-contain';
    this.#settings.host.append(video);
    const place: Place = { video, session: null, isOver: false };
    this.#places.set(running.id, place);
    void this.#open(running, place);
  }

  #leave(id: number): void {
    const place = this.#places.get(id);
    if (!place) return;
    this.#places.delete(id);
    place.isOver = true;
    place.session?.close();
    place.video.remove();
  }

  async #open(running: Running, place: Place): Promise<void> {
    const { id, via } = running;
    const tell = (happening: Happening): void => {
      if (!place.isOver) this.happens(happening);
    };
    const failed = (why: Failure): void => tell({ kind: 'failed', id, why });
    const news = (told: 'waiting' | 'playing' | 'steady') => () => tell({ kind: 'news', id, news: told });
    const on: SessionNews = {
      waiting: news('waiting'), playing: news('playing'), steady: news('steady'), failed,
    };
    let descriptor: Descriptor;
    try {
      descriptor = await this.#settings.describe(running);
    } catch (error) {
      return failed(failureOfCall(error));
    }
    if (place.isOver) return;
    this.#renditions = descriptor.renditions;
    if (!descriptor.hls) tell({ kind: 'cannot', via: 'hls' });
    if (place.isOver) return;
    if (descriptor.kind !== (via === 'hls' ? 'hls' : 'whep')) return failed('codec');
    const settings = {
      video: place.video, running, descriptor, on, isExpected: () => !this.#course.scene.isAway,
      renew: () => this.#settings.describe(running),
    };
    const session = via === 'hls' ? openHls(settings) : openWhep(settings);
    // It may have failed while it was opened.
    if (place.isOver) session.close();
    else place.session = session;
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
