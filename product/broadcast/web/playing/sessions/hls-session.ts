import type { ErrorData, HlsConfig } from 'hls.js';
import type Hls from 'hls.js/light';
import type { Failure } from '../playback-state.ts';
import { playlistAgeMs } from './latency.ts';
import {
  addressOf,
  failureOfStatus,
  monitorFrames,
  withToken,
  type Session,
  type SessionSettings,
} from './session.ts';

/** The first viewer of a stream waits for its first segment. */
const FIRST_FRAME_MS = 20_000;
/** The server answers a first playlist within 10 s, with or without a segment. */
const PLAYLIST_MS = 15_000;
/** Seconds of played video in memory: live rooms have no rewind. */
const BACK_SECONDS = 10;
const AHEAD_SECONDS = 12;
/**
 * Segments behind the newest at which a player starts, so that the next one is ready in time. On a slow
 * network hls.js moves further back with each stall.
 */
const LIVE_SEGMENTS = 1.5;
/** Playback rate for catching up: ten percent is hardly audible. */
const CATCH_UP_RATE = 1.1;
/** Safari plays HLS natively, with AirPlay and less power; elsewhere that is immature or missing. */
const playsNatively = (video: HTMLVideoElement): boolean =>
  'webkitSetPresentationMode' in video && video.canPlayType('application/vnd.apple.mpegurl') !== '';

/** Further dependencies of an HLS session. */
interface HlsSettings extends SessionSettings {
  /** The server's time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Called when the rest of an ended stream has been played. */
  readonly finished: () => void;
}

/** Plays a stream over HLS: natively in Safari, elsewhere with hls.js, loaded when needed. */
export function openHls(settings: HlsSettings): Session {
  const { video, on } = settings;
  let isOver = false;
  const quiet: HlsSettings = {
    ...settings,
    on: {
      ...on,
      failed: (why) => isOver || on.failed(why),
      waiting: () => isOver || on.waiting(),
    },
    finished: () => isOver || settings.finished(),
  };
  video.addEventListener('ended', quiet.finished);
  // Counts the position, not frames: a hidden tab plays without decoding any.
  const monitor = monitorFrames(quiet, async () => video.currentTime, FIRST_FRAME_MS);
  let player: HlsPlayer | null = null;
  if (playsNatively(video)) playByBrowser(quiet);
  else {
    HlsPlayer.open(quiet, () => isOver).then((opened) => {
      player = opened;
    }).catch(() => quiet.on.failed('blocked'));
  }
  return {
    latencyMs: async () => player?.latencyMs() ?? nativeAgeMs(video, settings.nowMs()),
    // The element has seconds of buffer, and notices later by itself if nothing follows.
    nudge: () => undefined,
    finish: () => {
      if (video.ended) queueMicrotask(quiet.finished);
      // Safari asks for the playlist by itself.
      else player?.reload();
    },
    close: () => {
      isOver = true;
      video.removeEventListener('ended', quiet.finished);
      monitor.stop();
      player?.close();
      video.removeAttribute('src');
      video.load();
    },
  };
}

function playByBrowser({ video, descriptor, running, on }: SessionSettings): void {
  video.addEventListener('error', () => {
    // Before the first frame the URL failed; later, a segment or playlist.
    on.failed(video.readyState >= video.HAVE_CURRENT_DATA ? 'lost' : 'blocked');
  }, { once: true });
  video.src = addressOf(descriptor, running);
  on.waiting();
}

/** Safari's `getStartDate` gives the time of the first frame, from the playlist. */
function nativeAgeMs(
  video: HTMLVideoElement & { getStartDate?: () => Date },
  nowMs: number,
): number | null {
  const startMs = video.getStartDate?.().getTime() ?? NaN;
  return Number.isFinite(startMs) ? playlistAgeMs(startMs + video.currentTime * 1_000, nowMs) : null;
}

/** hls.js on one video element. */
class HlsPlayer {
  readonly #hls: Hls;
  readonly #settings: HlsSettings;
  /** Replaces the token in the playlist URLs after it was refused. */
  #token: string | null = null;
  #isRenewed = false;
  #isRecovered = false;

  /** Loads hls.js and starts; null when closed meanwhile. Rejects when hls.js cannot be loaded. */
  static async open(settings: HlsSettings, isOver: () => boolean): Promise<HlsPlayer | null> {
    const { default: Player } = await import('hls.js/light');
    if (isOver()) return null;
    if (!Player.isSupported()) {
      settings.on.failed('codec');
      return null;
    }
    return new HlsPlayer(Player, settings);
  }

  private constructor(Player: typeof Hls, settings: HlsSettings) {
    this.#settings = settings;
    this.#hls = new Player(this.#config(Player));
    this.#hls.on(Player.Events.MANIFEST_PARSED, () => settings.on.waiting());
    this.#hls.on(Player.Events.LEVEL_LOADED, () => {
      this.#isRenewed = false;
    });
    this.#hls.on(Player.Events.ERROR, (_name, error) => this.#failed(Player, error));
    this.#hls.loadSource(addressOf(settings.descriptor, settings.running));
    this.#hls.attachMedia(settings.video);
  }

  latencyMs(): number | null {
    const shownAt = this.#hls.playingDate;
    return shownAt === null ? null : playlistAgeMs(shownAt.getTime(), this.#settings.nowMs());
  }

  /** Requests the playlist at once, as it now has the end; viewers who may not read it are refused. */
  reload(): void {
    this.#hls.startLoad();
  }

  close(): void {
    this.#hls.destroy();
  }

  #config(Player: typeof Hls): Partial<HlsConfig> {
    const { manifestLoadPolicy, playlistLoadPolicy } = Player.DefaultConfig;
    const patient = (policy: typeof manifestLoadPolicy) => ({
      default: { ...policy.default, maxTimeToFirstByteMs: PLAYLIST_MS, maxLoadTimeMs: PLAYLIST_MS },
    });
    return {
      // Segments are fMP4 already, so a worker has nothing to transmux.
      enableWorker: false,
      lowLatencyMode: false,
      backBufferLength: BACK_SECONDS,
      maxBufferLength: AHEAD_SECONDS,
      liveSyncDurationCount: LIVE_SEGMENTS,
      maxLiveSyncPlaybackRate: CATCH_UP_RATE,
      capLevelToPlayerSize: true,
      manifestLoadPolicy: patient(manifestLoadPolicy),
      playlistLoadPolicy: patient(playlistLoadPolicy),
      xhrSetup: (xhr, url) => {
        const isPlaylist = this.#token !== null && url.includes('.m3u8');
        if (isPlaylist) xhr.open('GET', withToken(url, this.#token ?? ''), true);
      },
    };
  }

  #failed(Player: typeof Hls, { fatal, type, details, response }: ErrorData): void {
    if (!fatal) return;
    const { failed } = this.#settings.on;
    const { ErrorTypes, ErrorDetails } = Player;
    if (type === ErrorTypes.MEDIA_ERROR && details !== ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR) {
      if (this.#isRecovered) return failed('frozen');
      this.#isRecovered = true;
      return this.#hls.recoverMediaError();
    }
    const why = failureOf(ErrorDetails, details, response?.code ?? 0);
    if (why !== 'denied' || this.#isRenewed) return failed(why);
    // A tab that slept past its token's expiry gets a new one, if the viewer may still watch.
    this.#isRenewed = true;
    this.#settings.renew().then(({ token }) => {
      this.#token = token;
      this.#hls.startLoad();
    }).catch(() => failed('denied'));
  }
}

function failureOf(known: typeof Hls.ErrorDetails, details: string, status: number): Failure {
  const incompatible: readonly string[] = [
    known.MANIFEST_INCOMPATIBLE_CODECS_ERROR,
    known.BUFFER_ADD_CODEC_ERROR,
    known.BUFFER_INCOMPATIBLE_CODECS_ERROR,
  ];
  return incompatible.includes(details) ? 'codec' : failureOfStatus(status);
}
