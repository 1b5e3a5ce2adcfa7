import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, RefusalOf } from '#platform/contract/call.ts';
import type { CallContext, HandlerContext } from '#platform/contract/context.ts';
import { DERIVED } from '#platform/streaming/engine.ts';
import {
  OUTPUT_FEATURES,
  OutputRefused,
  type HlsSegment,
  type HlsWindow,
} from '#platform/streaming/outputs/outputs.ts';
import { encodingOf, sizeAt } from '#platform/streaming/outputs/rendition/encoding.ts';
import { codecUnsupported, overloaded, playbackTokenInvalid, streamOffline } from '../../contract.ts';
import { hlsIndex, hlsPlaylist, hlsSegment, segmentUnknown } from '../../contract/hls.ts';
import {
  DEFAULT_QUALITY_RENDITIONS,
  isMetered,
  OVERLOAD_RETRY_SECONDS,
  PLAYBACK_TOKEN_SECONDS,
  renditionsOf,
  sdHeightOf,
} from '../../rules.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { tryOf, type Admitted, type PlaybackAccess } from './access.ts';
import { masterPlaylist, mediaPlaylist, type Variant } from './playlists.ts';
import type { Tries } from './tries.ts';
import { isFull } from './whep.ts';

type IndexContext = HandlerContext<RefusalOf<typeof hlsIndex>>;
type PlaylistContext = HandlerContext<RefusalOf<typeof hlsPlaylist>>;

const PLAYLIST_HEADERS = { 'cache-control': 'no-store' } as const;
/**
 * Segments never change and their names are never reused. Only the viewer's own cache may store them; a
 * shared cache must ask the origin first (README).
 */
const SEGMENT_HEADERS = { 'cache-control': 'private, max-age=3600, immutable' } as const;
/** Names of segments; nothing else is looked up. */
const FILE = /^[A-Za-z0-9_-]{1,48}\.(?:m4s|mp4)$/u;
const SOURCE = 'source';
/** For a viewer who fetched too far ahead of a stream that is paid by the second. */
const TOO_EARLY_RETRY_SECONDS = 1;
/**
 * Codecs that a rendition will have once it runs: H.264 constrained baseline, level 3.1 (3 up to 576 lines),
 * and AAC-LC.
 */
const codecsOf = (height: number): string => `avc1.42c01${height > 576 ? 'f' : 'e'},mp4a.40.2`;
/** Ratio of peak to mean bit rate: a scene that changes all at once needs more than the mean. */
const PEAK = 1.25;
const AUDIO_BITS = 128_000;

/** The last playlist window of a stream, for its size and its end. */
interface Seen {
  readonly window: HlsWindow;
  /** When the stream ended; null while it runs. */
  endedAtMs: number | null;
}

/** What HLS needs to know, and what it reports. */
export interface HlsEvents {
  /** Whether a stream has a broadcast now. */
  readonly isOnAir: (stream: string) => boolean;
  /** A viewer fetches a segment of a stream, or of a rendition of it; false when that is too early. */
  readonly fetched: (stream: string, admitted: Admitted, segment: HlsSegment) => boolean;
  /** A viewer is sent a playlist or a segment. */
  readonly served: (admitted: Admitted) => void;
}

/** Players over HLS: segments, and playlists in which every URL carries a token. */
export class Hls {
  readonly #deps: BroadcastDependencies;
  readonly #access: PlaybackAccess;
  /** By stream, renditions included; limited by the outputs, and removed a minute after the end. */
  readonly #seen = new Map<string, Seen>();

  readonly #tries: Tries;
  readonly #events: HlsEvents;

  constructor(deps: BroadcastDependencies, access: PlaybackAccess, tries: Tries, events: HlsEvents) {
    this.#deps = deps;
    this.#access = access;
    this.#tries = tries;
    this.#events = events;
  }

  readonly callHandlers = (): CallHandler[] => [
    handleCall(hlsIndex)(async (input, context) => this.#index(input, context)),
    handleCall(hlsPlaylist)(async (input, context) => this.#playlist(input, context)),
    handleCall(hlsSegment)(async ({ stream, rendition, file, token }, context) => {
      const access = await this.#access.check(token, stream, context);
      if ('refused' in access) {
        const isGone = access.refused.code === streamOffline.code;
        return context.refuse(isGone ? segmentUnknown : playbackTokenInvalid);
      }
      const name = FILE.test(file) && mayRead(access.admitted) ? this.#nameOf(stream, rendition) : null;
      const found = name === null ? null : await this.#deps.media.outputs.readHls(name, file);
      if (found === null) return context.refuse(segmentUnknown);
      if (found.segment && !this.#events.fetched(stream, access.admitted, found.segment)) {
        return context.refuse(overloaded, { retryAfterSeconds: TOO_EARLY_RETRY_SECONDS });
      }
      await this.#served(context, access.admitted);
      return { status: 200, headers: SEGMENT_HEADERS, body: found.bytes };
    }),
  ];

  /** Published video size; null before the first segment. */
  sizeOf(stream: string): { readonly width: number; readonly height: number } | null {
    return this.#seen.get(stream)?.window ?? null;
  }

  /** Heights of the available lower renditions, highest first. */
  heightsOf(stream: string): number[] {
    return renditionsOf(this.sizeOf(stream)?.height ?? null, DEFAULT_QUALITY_RENDITIONS);
  }

  sdHeightOf(stream: string): number | null {
    return sdHeightOf(this.sizeOf(stream)?.height ?? null);
  }

  /** Marks a stream as ended, so that its playlists get ENDLIST. */
  streamEnded(stream: string): void {
    const nowMs = this.#nowMs();
    for (const [name, seen] of this.#seen) {
      if (name === stream || name.startsWith(stream + DERIVED)) seen.endedAtMs = nowMs;
      else if (seen.endedAtMs !== null && nowMs - seen.endedAtMs > PLAYBACK_TOKEN_SECONDS * 1_000) {
        this.#seen.delete(name);
      }
    }
  }

  /** Forgets the old name of a moved stream. */
  streamMoved(stream: string): void {
    for (const name of this.#seen.keys()) {
      if (name === stream || name.startsWith(stream + DERIVED)) this.#seen.delete(name);
    }
  }

  async #index({ stream, token, multitrack, track }: InputOf<typeof hlsIndex>, context: IndexContext) {
    const access = await this.#access.check(token, stream, context);
    if ('refused' in access) return context.refuse(access.refused);
    if (access.admitted.isOver) return context.refuse(streamOffline);
    try {
      const variants = multitrack === '1'
        ? await this.#allVariants(stream)
        : [await this.#variant(stream, track === 'sd' ? this.sdHeightOf(stream) : null)];
      const query = this.#queryFor(access.admitted);
      return { status: 200, headers: PLAYLIST_HEADERS, body: masterPlaylist(variants, query) };
    } catch (error) {
      if (track !== 'sd') await this.#noteFull(error, context, access.admitted);
      return refuseOutput(error, context);
    }
  }

  async #playlist({ stream, rendition, token }: InputOf<typeof hlsPlaylist>, context: PlaylistContext) {
    const access = await this.#access.check(token, stream, context, true);
    if ('refused' in access) return context.refuse(access.refused);
    const { isOver } = access.admitted;
    const name = this.#nameOf(stream, rendition);
    if (name === null) return context.refuse(segmentUnknown);
    try {
      const window = isOver ? await this.#last(name, access.admitted) : await this.#open(stream, rendition);
      if (!window) return context.refuse(streamOffline);
      if (!isOver) await this.#served(context, access.admitted);
      const body = mediaPlaylist(window, this.#queryFor(access.admitted), isOver);
      return { status: 200, headers: PLAYLIST_HEADERS, body };
    } catch (error) {
      if (rendition === SOURCE) await this.#noteFull(error, context, access.admitted);
      return refuseOutput(error, context);
    }
  }

  async #served(context: CallContext, admitted: Admitted): Promise<void> {
    this.#events.served(admitted);
    await this.#tries.served(tryOf(context, admitted), 'hls');
  }

  /** Notes that there was no capacity for the stream itself: players have no transport to try after HLS. */
  async #noteFull(error: unknown, context: CallContext, admitted: Admitted): Promise<void> {
    if (error instanceof OutputRefused && isFull(error)) await this.#tries.full(tryOf(context, admitted));
  }

  /** The published stream and its lower renditions, which start on their first request. */
  async #allVariants(stream: string): Promise<Variant[]> {
    const source = await this.#variant(stream, null);
    if (!canMake(this.#deps, 'renditions')) return [source];
    const lower = this.heightsOf(stream).map((height) => {
      const size = sizeAt(source, height);
      const bitsPerSecond = encodingOf(size).bitsPerSecond * PEAK + AUDIO_BITS;
      return { rendition: String(height), ...size, bitsPerSecond, codecs: codecsOf(height) };
    });
    // A rendition with a higher bit rate than its source helps nobody.
    return [source, ...lower.filter(({ bitsPerSecond }) => bitsPerSecond < source.bitsPerSecond)];
  }

  async #variant(stream: string, height: number | null): Promise<Variant> {
    const rendition = height === null ? SOURCE : String(height);
    return { rendition, ...(await this.#open(stream, rendition)) };
  }

  async #open(stream: string, rendition: string): Promise<HlsWindow> {
    const { outputs } = this.#deps.media;
    const name = rendition === SOURCE ? stream : await outputs.rendition(stream, Number(rendition));
    const window = await outputs.openHls(name);
    // The stream may have ended or moved meanwhile.
    if (this.#events.isOnAir(stream)) this.#seen.set(name, { window, endedAtMs: null });
    return window;
  }

  /** The last window of an ended stream; without its segments where nobody may read them any more. */
  async #last(name: string, admitted: Admitted): Promise<HlsWindow | undefined> {
    const seen = this.#seen.get(name)?.window;
    if (!mayRead(admitted)) return seen;
    try {
      return await this.#deps.media.outputs.openHls(name, true);
    } catch (error) {
      if (!(error instanceof OutputRefused)) throw error;
      return seen;
    }
  }

  /** The stream name of a rendition in a URL; null for renditions that are not offered. */
  #nameOf(stream: string, rendition: string): string | null {
    if (rendition === SOURCE) return stream;
    const isOffered = this.heightsOf(stream).some((height) => String(height) === rendition);
    return isOffered ? `${stream}${DERIVED}${rendition}` : null;
  }

  #queryFor(admitted: Admitted): string {
    return `?token=${encodeURIComponent(this.#access.tokenInPlaylists(admitted))}`;
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}

/** Players that are behind may read the rest of an ended broadcast, except of one paid by the second. */
const mayRead = ({ isOver, claim: { mode } }: Admitted): boolean => !isOver || !isMetered(mode);

/** Whether this machine can make HLS or lower renditions. */
export const canMake = ({ media }: BroadcastDependencies, what: 'hls' | 'renditions'): boolean =>
  media.outputs.features().some(({ name, on }) => on && name === OUTPUT_FEATURES[what]);

function refuseOutput(error: unknown, { refuse }: HandlerContext<RefusalOf<typeof hlsIndex>>) {
  if (!(error instanceof OutputRefused)) throw error;
  switch (error.code) {
    case 'stream_offline':
      return refuse(streamOffline);
    case 'unsupported_codec':
      return refuse(codecUnsupported);
    case 'overloaded':
    case 'unavailable':
      return refuse(overloaded, { retryAfterSeconds: OVERLOAD_RETRY_SECONDS });
  }
}
