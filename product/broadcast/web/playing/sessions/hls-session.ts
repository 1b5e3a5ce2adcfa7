import type Hls from 'hls.js/light';
import type { ErrorData, HlsConfig, LevelLoadedData } from 'hls.js';
import type { Failure } from '../playback-state.ts';
import { clockSkewMs, playlistAgeMs } from './latency.ts';
import {
  addressOf, failureOfStatus, watchPictures, withToken, type Session, type SessionSettings,
} from './session.ts';

/** The first viewer of a stream waits until its first segment is made. */
const FIRST_PICTURE_MS = 20_000;
/** The server answers a first playlist within 10 s, with or without a segment. */
const PLAYLIST_MS = 15_000;
/** Seconds of what was played that stay in memory: nobody winds back in a live room. */
const BACK_SECONDS = 10;
const AHEAD_SECONDS = 12;
/**
 * Segments behind the newest at which a player starts: the next one is there before this one ends. Whoever's
 * network cannot keep up is set further back by hls.js, stall by stall.
 */
const LIVE_SEGMENTS = 1.5;
/** Who fell behind catches up this fast: a tenth is hardly heard. */
const CATCH_UP_RATE = 1.1;
/** Safari plays HLS by itself, with AirPlay and less power; elsewhere that is young or missing. */
const playsNatively = (video: HTMLVideoElement): boolean =>
  'webkitSetPresentationMode' in video && video.canPlayType('application/vnd.apple.mpegurl') !== '';

/** Plays a stream over HLS: by the browser where that is Safari, else with hls.js, fetched when needed. */
export function openHls(settings: SessionSettings): Session {
  const { video, on } = settings;
  let isOver = false;
  const quiet: SessionSettings = {
    ...settings,
    on: { ...on, failed: (why) => isOver || on.failed(why), waiting: () => isOver || on.waiting() },
  };
  // The position and not the pictures: a hidden tab plays on without decoding any.
  const pictures = watchPictures(quiet, async () => video.currentTime, FIRST_PICTURE_MS);
  let player: HlsPlayer | null = null;
  if (playsNatively(video)) playByBrowser(quiet);
  else {
    HlsPlayer.open(quiet, () => isOver).then((opened) => {
      player = opened;
    }).catch(() => quiet.on.failed('blocked'));
  }
  return {
    latencyMs: async () => player?.latencyMs() ?? nativeAgeMs(video),
    // What it shows is seconds old: it plays on, and notices later by itself if nothing follows.
    nudge: () => undefined,
    close: () => {
      isOver = true;
      pictures.stop();
      player?.close();
      video.removeAttribute('src');
      video.load();
    },
  };
}

function playByBrowser({ video, descriptor, running, on }: SessionSettings): void {
  video.addEventListener('error', () => {
    // Without a picture so far it was the address; later a segment or playlist did not come.
    on.failed(video.readyState >= video.HAVE_CURRENT_DATA ? 'lost' : 'blocked');
  }, { once: true });
  video.src = addressOf(descriptor, running);
  on.waiting();
}

/** Safari tells the time of the first picture of the timeline (getStartDate), from the playlist. */
function nativeAgeMs(video: HTMLVideoElement & { getStartDate?: () => Date }): number | null {
  const startMs = video.getStartDate?.().getTime() ?? NaN;
  return Number.isFinite(startMs) ? playlistAgeMs(startMs + video.currentTime * 1_000, Date.now(), 0) : null;
}

/** hls.js on one video element. */
class HlsPlayer {
  readonly #hls: Hls;
  readonly #settings: SessionSettings;
  /** In place of the one that the addresses of the playlists carry, once that was refused. */
  #token: string | null = null;
  #skewMs = 0;
  #isRenewed = false;
  #isRecovered = false;

  /** Fetches hls.js and starts; null when it was closed meanwhile. Rejects when it cannot be fetched. */
  static async open(settings: SessionSettings, isOver: () => boolean): Promise<HlsPlayer | null> {
    const { default: Player } = await import('hls.js/light');
    if (isOver()) return null;
    if (!Player.isSupported()) {
      settings.on.failed('codec');
      return null;
    }
    return new HlsPlayer(Player, settings);
  }

  private constructor(Player: typeof Hls, settings: SessionSettings) {
    this.#settings = settings;
    this.#hls = new Player(this.#config(Player));
    this.#hls.on(Player.Events.MANIFEST_PARSED, () => settings.on.waiting());
    this.#hls.on(Player.Events.LEVEL_LOADED, (_name, loaded) => this.#loaded(loaded));
    this.#hls.on(Player.Events.ERROR, (_name, error) => this.#failed(Player, error));
    this.#hls.loadSource(addressOf(settings.descriptor, settings.running));
    this.#hls.attachMedia(settings.video);
  }

  latencyMs(): number | null {
    const shownAt = this.#hls.playingDate;
    return shownAt === null ? null : playlistAgeMs(shownAt.getTime(), Date.now(), this.#skewMs);
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
      // Segments are fMP4 already: there is nothing for a worker to do.
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

  #loaded({ networkDetails }: LevelLoadedData): void {
    this.#isRenewed = false;
    // Playlists are fetched by XMLHttpRequest: `xhrSetup` is for that alone.
    const request = networkDetails as XMLHttpRequest | null;
    this.#skewMs = clockSkewMs(request?.getResponseHeader('date') ?? null, Date.now());
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
    // A tab that slept longer than its token lived goes on with another, if the viewer may still watch.
    this.#isRenewed = true;
    this.#settings.renew().then(({ token }) => {
      this.#token = token;
      this.#hls.startLoad();
    }).catch(() => failed('denied'));
  }
}

function failureOf(known: typeof Hls.ErrorDetails, details: string, status: number): Failure {
  const incompatible: readonly string[] = [
    known.MANIFEST_INCOMPATIBLE_CODECS_ERROR, known.BUFFER_ADD_CODEC_ERROR,
    known.BUFFER_INCOMPATIBLE_CODECS_ERROR,
  ];
  return incompatible.includes(details) ? 'codec' : failureOfStatus(status);
}
