import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import {
  baseOf,
  type ReaderHealth,
  type StreamHealth,
  type StreamReport,
} from '#platform/streaming/engine.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { getPlayback, streamOffline, type StreamInfo } from '../../contract.ts';
import { DEFAULT_QUALITY_RENDITIONS, isMetered, type PlaybackMode } from '../../rules.ts';
import type { Cameras } from '../cameras.ts';
import type { BroadcastDependencies, BroadcastView } from '../dependencies.ts';
import { iceServersOf } from '../ice.ts';
import { PlaybackAccess, type Sight, type Token } from './access.ts';
import { canMake, Hls } from './hls.ts';
import { MediaMeter } from './media-seconds.ts';
import { Tries, type Try } from './tries.ts';
import { HlsViewers } from './viewers.ts';
import { Whep } from './whep.ts';

/** What playback needs from the publishers. */
export interface OnAir {
  readonly has: (stream: string) => boolean;
  /** Measured video codec of a stream; null before the first measurement. */
  readonly codecOf: (stream: string) => StreamHealth['codec'];
  /** Null for a stream without a broadcast. */
  readonly modeOf: (stream: string) => PlaybackMode | null;
}

/** Playback of streams: descriptors, WHEP, HLS; only for viewers who may perceive the performer. */
export class Playback {
  readonly #deps: BroadcastDependencies;
  readonly #onAir: OnAir;
  readonly #cameras: Cameras;
  readonly #access: PlaybackAccess;
  readonly #whep: Whep;
  readonly #hls: Hls;
  readonly #hlsViewers = new HlsViewers();
  readonly #meter: MediaMeter;
  readonly #tries: Tries;

  constructor(deps: BroadcastDependencies, onAir: OnAir, cameras: Cameras) {
    this.#deps = deps;
    this.#onAir = onAir;
    this.#cameras = cameras;
    this.#tries = new Tries({
      ...deps,
      isPlaying: (stream, personId) => this.#whep.isPlaying(stream, personId),
    });
    this.#access = new PlaybackAccess(deps, (of) => this.#tries.refused(of));
    this.#meter = new MediaMeter(deps.data.clock);
    this.#hls = new Hls(deps, this.#access, this.#tries, {
      isOnAir: (stream) => onAir.has(stream),
      fetched: (stream, { viewer: { caller: { personId } }, claim: { mode } }, segment) =>
        !isMetered(mode) || personId === null || this.#meter.fetched(stream, personId, segment),
      served: ({ stream, performerId, viewer, claim: { holder } }) => {
        // The stream may have ended or moved meanwhile.
        if (!onAir.has(stream)) return;
        this.#hlsViewers.served(stream, { performerId, holder, viewer }, this.#nowMs());
      },
    });
    this.#whep = new Whep(deps, this.#access, cameras, this.#tries, {
      sdHeightOf: (stream) => this.#hls.sdHeightOf(stream),
      canHave: (stream) => this.#hasHls(stream),
    });
  }

  readonly callHandlers = (
    viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>,
  ): CallHandler[] => [
    handleCall(getPlayback)(async (input, context) => {
      const { data, accounts } = this.#deps;
      const found = await data.tx(context.scope, async (tx) => {
        const person = await accounts.findByUsername(tx, normalizeUsername(input.username));
        const view = person && (await viewOf(tx, person.id));
        const token = view && (await this.#access.tokenFor(tx, view, context));
        return view && view.stream !== null ? { ...view, token, stream: view.stream } : null;
      });
      if (!found?.token) {
        if (found) await this.#refused(found, context);
        return context.refuse(streamOffline);
      }
      return this.#describe(found.stream, found.token, input, context);
    }),
    ...this.#whep.callHandlers(),
    ...this.#hls.callHandlers(),
  ];

  /** See `BroadcastService.streamFor`. */
  readonly streamFor = async (tx: Tx, view: BroadcastView, context: CallContext): Promise<StreamInfo> => {
    const token = await this.#access.tokenFor(tx, view, context);
    const size = view.stream === null ? null : this.#hls.sizeOf(view.stream);
    return {
      // One machine ingests and serves the streams, so there are no other servers to name.
      ffmpeg_server: null,
      ingest_server: null,
      origin_server: null,
      vr_url: null,
      quality_renditions: DEFAULT_QUALITY_RENDITIONS,
      ...(token
        ? { edge_servers: [context.origin], stream_name: view.stream, token: token.sealed }
        : { edge_servers: [], stream_name: null, token: null }),
      width: (token && size?.width) ?? null,
      height: (token && size?.height) ?? null,
    };
  };

  /** See `BroadcastService.sightOf`. */
  readonly sightOf = (
    tx: Tx,
    context: CallContext,
    performerId: number,
    mode: PlaybackMode,
  ): Promise<Sight | null> => this.#access.sightOf(tx, context, performerId, mode);

  /** See `BroadcastService.mediaSeconds`. */
  readonly mediaSeconds: MediaMeter['of'] = (of) => this.#meter.of(of);

  /** See `BroadcastService.lastMediaSeconds`. */
  readonly lastMediaSeconds: MediaMeter['lastOf'] = (of) => this.#meter.lastOf(of);

  /** How many people watch a stream now, over either transport and in any size; never the performer. */
  viewersOf(stream: string): number {
    return new Set([...this.#whep.viewersOf(stream), ...this.#hlsViewers.of(stream, this.#nowMs())]).size;
  }

  /** Handles a health report: keeps watched renditions running, and counts the seconds of private streams. */
  measured(health: StreamHealth, readers: readonly ReaderHealth[]): void {
    this.#whep.keepWatched(health);
    const stream = baseOf(health.stream);
    if (!this.#isMetered(stream)) return;
    this.#meter.measured(health, readers, (session) => this.#whep.personOf(session, stream));
  }

  /** Handles the engine's report that a reader is gone: settles what it was sent and never reported. */
  readerGone({ session, stream: name, reason, last }: Extract<StreamReport, { kind: 'reader_gone' }>): void {
    const stream = baseOf(name);
    if (last && this.#isMetered(stream)) {
      this.#meter.gone(name, last, (of) => this.#whep.personOf(of, stream));
    }
    this.#whep.gone(session, reason);
  }

  /** Handles the end of a broadcast, or of a viewer's camera; its readers are cut. */
  streamEnded(stream: string): void {
    this.#meter.over(stream);
    this.#access.forgetDecisions(stream);
    this.#whep.forgetStream(stream);
    this.#hls.streamEnded(stream);
    this.#hlsViewers.forget(stream);
  }

  /** Handles the move of a broadcast to a name that its previous readers do not get. */
  streamMoved(stream: string): void {
    this.#meter.over(stream);
    this.#access.forgetDecisions(stream);
    this.#whep.forgetStream(stream);
    this.#hls.streamMoved(stream);
    this.#hlsViewers.forget(stream);
  }

  close(): void {
    this.#meter.close();
  }

  /** Cuts the readers of sessions that ended. */
  cut(sessionIds: readonly string[]): Promise<void> {
    return this.#whep.cut(this.#access.holdersOf(sessionIds));
  }

  /** Checks all viewers of a performer again. */
  async review(operatorId: number, performerId: number, stream: string): Promise<void> {
    this.#access.forgetDecisions(stream);
    await this.#whep.review(operatorId, performerId);
  }

  /** Checks every viewer by the policies in force now. Tokens are checked by them at each use. */
  reviewAll(scope: OperatorScope): Promise<void> {
    return this.#whep.reviewAll(scope);
  }

  #isMetered(stream: string): boolean {
    const mode = this.#cameras.has(stream) ? 'private' : this.#onAir.modeOf(stream);
    return mode !== null && isMetered(mode);
  }

  /** Renditions and HLS need H.264. */
  #isH264(stream: string): boolean {
    return this.#onAir.codecOf(stream) !== 'VP8';
  }

  #hasHls(stream: string): boolean {
    return this.#isH264(stream) && canMake(this.#deps, 'hls');
  }

  #refused(
    { performerId, stream, mode }: Pick<Try, 'performerId' | 'stream' | 'mode'>,
    context: CallContext,
  ): Promise<void> {
    const viewer = this.#deps.compliance.viewerOf(context);
    return this.#tries.refused({ ...context.scope, performerId, stream, mode, viewer });
  }

  #describe(
    stream: string,
    token: Token,
    { kind }: InputOf<typeof getPlayback>,
    context: CallContext,
  ): OutputOf<typeof getPlayback> {
    const { media: { engine }, ice, data } = this.#deps;
    const hasHls = this.#hasHls(stream);
    const canBeLower = this.#isH264(stream) && canMake(this.#deps, 'renditions');
    const renditions = canBeLower ? this.#hls.heightsOf(stream) : [];
    const isHls = kind === 'hls' && hasHls;
    return {
      kind: isHls ? 'hls' : engine.plays,
      expiresAt: token.expiresAt.toISOString(),
      edge_servers: [context.origin],
      stream_name: stream,
      token: token.sealed,
      ice_servers: iceServersOf(ice, data.clock.now()),
      renditions,
      hls: hasHls,
    };
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}
