import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, RefusalOf } from '#platform/contract/call.ts';
import type { CallContext, HandlerContext } from '#platform/contract/context.ts';
import type { RefusalDetail } from '#platform/contract/refusal.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import type { RateLimits } from '#platform/data/limits/rate-limits.ts';
import { Remembered } from '#platform/data/remembered.ts';
import {
  baseOf,
  DERIVED,
  EngineRefused,
  type GoneReason,
  type Negotiated,
  type StreamHealth,
} from '#platform/streaming/engine.ts';
import { OutputRefused } from '#platform/streaming/outputs/outputs.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import type { Viewer } from '#product/compliance/server.ts';
import { codecUnsupported, overloaded, playbackTokenInvalid, streamOffline } from '../../contract.ts';
import {
  offerMalformed,
  sessionUnknown,
  whep,
  whepEnd,
  whepOptions,
  whepPatch,
} from '../../contract/webrtc.ts';
import { isMetered, OVERLOAD_RETRY_SECONDS, type PlaybackMode } from '../../rules.ts';
import { MAX_METERED_PEOPLE, MAX_PLAYS } from '../../rules/media-seconds.ts';
import type { Cameras } from '../cameras.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { IceSessions } from '../ice-sessions.ts';
import { iceServersOf, linkHeaders } from '../ice.ts';
import type { PlaybackAccess } from './access.ts';
import type { Tries } from './tries.ts';
import { viewerKeyOf } from './viewers.ts';

/** How long a session that was cut for silence is remembered: its player soon ends it, or asks about it. */
const SILENT_MS = MINUTE_MS;

/** What WHEP asks about HLS. */
interface HlsInstead {
  /** The height of `sd` for a stream now; null when it is the stream itself. */
  readonly sdHeightOf: (stream: string) => number | null;
  /** Whether a player without capacity can go on over HLS. */
  readonly canHave: (stream: string) => boolean;
}

type PlayContext = HandlerContext<RefusalOf<typeof whep>>;

/** A reader of this process. */
interface Reader {
  readonly operatorId: number;
  /** The stream's performer; for a viewer's camera, the performer who may see it. */
  readonly performerId: number;
  /** The base stream, whichever rendition is played. */
  readonly stream: string;
  /** Digest of the viewer's session, or of the IP address without one. */
  readonly holder: string;
  readonly mode: PlaybackMode;
  readonly viewer: Viewer;
  /** May no longer watch; set while the engine has not answered yet. */
  isCut: boolean;
}

/** Players over WHEP; cuts those who may no longer watch. */
export class Whep {
  readonly #deps: BroadcastDependencies;
  readonly #access: PlaybackAccess;
  readonly #cameras: Cameras;
  readonly #ice: IceSessions;
  /** Sessions of a person on a stream that is paid by the second. */
  readonly #plays: RateLimits;
  /** By play session; limited by the engine's admission, which reports readers that are gone. */
  readonly #readers = new Map<string, Reader>();
  /** Readers that are ending, until the engine has reported what they were last sent. */
  readonly #leaving = new Map<string, Reader>();
  /** Sessions that were cut because they reported nothing. */
  readonly #silent = new Remembered<true>(MAX_METERED_PEOPLE);
  /** Readers the engine has not answered yet. */
  readonly #joining = new Set<Reader>();
  readonly #tries: Tries;
  readonly #hls: HlsInstead;

  constructor(
    deps: BroadcastDependencies,
    access: PlaybackAccess,
    cameras: Cameras,
    tries: Tries,
    hls: HlsInstead,
  ) {
    this.#deps = deps;
    this.#access = access;
    this.#cameras = cameras;
    this.#plays = deps.limits.family('broadcast.plays', { maxKeys: MAX_METERED_PEOPLE, whenAway: 'local' });
    this.#ice = new IceSessions(deps.media.engine, false);
    this.#tries = tries;
    this.#hls = hls;
  }

  readonly callHandlers = (): CallHandler[] => [
    handleCall(whep)(async (input, context) => this.#play(input, context)),
    // Players only: a publish session has its own URL and needs its key.
    handleCall(whepPatch)(async ({ session, body }, context) => (this.#readers.has(session)
      ? this.#ice.patch(session, body, context)
      : context.refuse(sessionUnknown, this.#whyGone(session)))
    ),
    handleCall(whepEnd)(async (
      { session },
      { refuse },
    ) => ((await this.#end(session)) ? {} : refuse(sessionUnknown, this.#whyGone(session)))),
    handleCall(whepOptions)(async ({ stream, token }, context) => {
      const isGood = 'holder' in await this.#admit(context.bearer ?? token, stream, context);
      return {
        status: 204,
        body: '',
        headers: { 'accept-post': 'application/sdp', ...(isGood ? this.#links() : {}) },
      };
    }),
  ];

  /**
   * Keeps a rendition running while it has viewers, whom the engine counts each second. A rendition that is
   * no longer available ends for them by itself.
   */
  keepWatched({ stream, viewers }: Pick<StreamHealth, 'stream' | 'viewers'>): void {
    const base = baseOf(stream);
    if (viewers === 0 || base === stream) return;
    const height = Number(stream.slice(base.length + DERIVED.length));
    this.#deps.media.outputs.rendition(base, height).catch((error: unknown) => {
      if (!(error instanceof OutputRefused)) this.#deps.onError(error);
    });
  }

  /** The person who plays a stream or a rendition of it in a session; null for guests and other streams. */
  personOf(session: string, stream: string): number | null {
    const reader = this.#readers.get(session) ?? this.#leaving.get(session);
    return reader?.stream === stream ? reader.viewer.caller.personId : null;
  }

  /** Whether a person has a session on a stream. */
  isPlaying(stream: string, personId: number): boolean {
    return [...this.#readers.values()].some((reader) =>
      reader.stream === stream && reader.viewer.caller.personId === personId
    );
  }

  /** Who plays a stream, in whichever size; see {@link viewerKeyOf}. */
  viewersOf(stream: string): string[] {
    return [...this.#readers.values()].flatMap((
      reader,
    ) => (reader.stream === stream ? viewerKeyOf(reader) ?? [] : []));
  }

  /** The engine reports that a session is over. */
  gone(session: string, reason: GoneReason): void {
    if (reason === 'silent' && this.#readers.has(session)) this.#silent.set(session, true, this.#nowMs());
    this.forget(session);
  }

  forget(session: string): void {
    this.#readers.delete(session);
    this.#ice.close(session);
  }

  /** Forgets the readers of a stream, which are already cut. */
  forgetStream(stream: string): void {
    for (const [session, reader] of this.#readers) if (reader.stream === stream) this.forget(session);
    for (const reader of this.#joining) if (reader.stream === stream) reader.isCut = true;
  }

  /** Cuts the readers of sessions that ended. */
  cut(holders: ReadonlySet<string>): Promise<void> {
    return this.#cutWhere(({ holder }) => holders.has(holder));
  }

  /** Checks every reader of a performer again, and cuts those who may no longer watch. */
  async review(operatorId: number, performerId: number): Promise<void> {
    const isMeant = (reader: Reader): boolean =>
      reader.operatorId === operatorId && reader.performerId === performerId;
    const readers = [...this.#readers.values(), ...this.#joining].filter(isMeant);
    if (readers.length === 0) return;
    const decisions = await this.#deps.data.tx({ operatorId }, async (tx) => {
      // Most readers share a decision, such as guests of one region.
      const asked = new Map<string, boolean>();
      for (const { viewer, mode } of readers) {
        const key = JSON.stringify([viewer, mode]);
        if (!asked.has(key)) asked.set(key, await this.#access.mayWatch(tx, viewer, performerId, mode));
      }
      return asked;
    });
    await this.#cutWhere((reader) =>
      isMeant(reader) && decisions.get(JSON.stringify([reader.viewer, reader.mode])) === false
    );
  }

  /** Checks every reader of an operator by the policies in force now; cuts who may no longer watch. */
  async reviewAll(scope: OperatorScope): Promise<void> {
    const { compliance, data } = this.#deps;
    const readers = [...this.#readers.values(), ...this.#joining]
      .filter(({ operatorId }) => operatorId === scope.operatorId);
    const lost = new Set<Reader>();
    await data.tx(scope, async (tx) => {
      for (const reader of readers) {
        const viewer = compliance.viewerNow(scope, reader.viewer);
        // Whose gate is as open as before may watch as before.
        if (viewer.gate === reader.viewer.gate && viewer.region === reader.viewer.region) continue;
        const { performerId, mode } = reader;
        if (!(await this.#access.mayWatch(tx, viewer, performerId, mode))) lost.add(reader);
      }
    });
    await this.#cutWhere((reader) => lost.has(reader));
  }

  async #cutWhere(isMeant: (reader: Reader) => boolean): Promise<void> {
    for (const reader of this.#joining) if (isMeant(reader)) reader.isCut = true;
    for (const [session, reader] of this.#readers) if (isMeant(reader)) await this.#end(session);
  }

  async #end(session: string): Promise<boolean> {
    const reader = this.#readers.get(session);
    if (!reader) return false;
    this.forget(session);
    this.#leaving.set(session, reader);
    try {
      return await this.#deps.media.engine.end(session);
    } finally {
      this.#leaving.delete(session);
    }
  }

  /** The refusal for a player that was cut for reporting nothing, when it uses its session again. */
  #whyGone(session: string): RefusalDetail | undefined {
    const isSilent = this.#silent.get(session, this.#nowMs(), SILENT_MS) !== null;
    return isSilent ? { extra: { reason: 'no_receiver_reports' } } : undefined;
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }

  #links(): { link?: string } {
    return linkHeaders(iceServersOf(this.#deps.ice, this.#deps.data.clock.now()));
  }

  async #play(input: InputOf<typeof whep>, context: PlayContext) {
    const { stream } = input;
    const admitted = await this.#admit(context.bearer ?? input.token, stream, context);
    if (!('holder' in admitted)) return context.refuse(admitted);
    const { mode } = admitted;
    const waitMs = isMetered(mode) ? await this.#plays.take(keyOfPlays(admitted, stream), MAX_PLAYS) : 0;
    if (waitMs > 0) {
      return context.refuse(overloaded, { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) });
    }
    const reader: Reader = { ...admitted, operatorId: context.scope.operatorId, stream, isCut: false };
    this.#joining.add(reader);
    try {
      const { session, answer: sdp } = await this.#ask(input, mode);
      if (reader.isCut) {
        await this.#deps.media.engine.end(session);
        return context.refuse(playbackTokenInvalid);
      }
      this.#readers.set(session, reader);
      await this.#tries.served(reader, 'whep');
      const location = `/whep/session/${session}`;
      const headers = { location, etag: this.#ice.open(session), ...this.#links() };
      return { status: 201, headers, body: sdp };
    } catch (error) {
      if (!(error instanceof EngineRefused || error instanceof OutputRefused)) throw error;
      if (isFull(error) && this.#heightOf(input) === null && !this.#hls.canHave(stream)) {
        await this.#tries.full(reader);
      }
      return refusePlay(error, context);
    } finally {
      this.#joining.delete(reader);
    }
  }

  /** Who plays a stream in this request; else the refusal. */
  async #admit(
    token: string | null | undefined,
    stream: string,
    context: CallContext,
  ): Promise<
    | Pick<Reader, 'performerId' | 'holder' | 'mode' | 'viewer'>
    | typeof playbackTokenInvalid
    | typeof streamOffline
  > {
    if (this.#cameras.has(stream)) {
      const sight = this.#cameras.sightOf(token, stream, context);
      return 'holder' in sight ? { ...sight, mode: 'private' } : sight;
    }
    const access = await this.#access.check(token, stream, context);
    if ('refused' in access) return access.refused;
    if (access.admitted.isOver) return streamOffline;
    const { performerId, viewer, claim: { holder, mode } } = access.admitted;
    return { performerId, viewer, holder, mode };
  }

  /** Height of the rendition that a player requests; null for the stream itself. */
  #heightOf({ stream, track }: InputOf<typeof whep>): number | null {
    return track === 'sd' ? this.#hls.sdHeightOf(stream) : null;
  }

  async #ask(input: InputOf<typeof whep>, mode: PlaybackMode): Promise<Negotiated> {
    const { stream, body } = input;
    const { engine, outputs } = this.#deps.media;
    const height = this.#heightOf(input);
    const name = height === null ? stream : await outputs.rendition(stream, height);
    return engine.play(name, body, { isMetered: isMetered(mode) });
  }
}

const keyOfPlays = ({ viewer, holder }: Pick<Reader, 'viewer' | 'holder'>, stream: string): string =>
  `${viewer.caller.personId ?? holder} ${stream}`;

/** Whether somebody was refused for want of capacity alone. */
export const isFull = ({ code }: EngineRefused | OutputRefused): boolean =>
  code === 'overloaded' || code === 'unavailable';

function refusePlay(error: EngineRefused | OutputRefused, { refuse }: PlayContext) {
  switch (error.code) {
    case 'malformed_offer':
      return refuse(offerMalformed);
    case 'unsupported_codec':
      return refuse(codecUnsupported);
    case 'stream_offline':
      return refuse(streamOffline);
    case 'overloaded':
    case 'unavailable':
      return refuse(overloaded, { retryAfterSeconds: OVERLOAD_RETRY_SECONDS });
    case 'stream_taken':
    case 'session_unknown':
    case 'malformed_fragment':
      throw error;
  }
}
