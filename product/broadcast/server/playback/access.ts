import type { CallContext, Caller } from '../../../../platform/contract/context.ts';
import type { OperatorScope, Tx } from '../../../../platform/data/data.ts';
import { Remembered } from '../../../../platform/data/remembered.ts';
import { digest, seal, unseal } from '../../../../platform/data/database/seal.ts';
import type { Viewer } from '../../../compliance/server.ts';
import { playbackTokenInvalid, streamOffline } from '../../contract.ts';
import { playbackAdmits } from '../../extension-points.ts';
import {
  claimAllows, DECISION_MS, MAX_DECISIONS, MAX_PLAYLIST_LEASES, PLAYBACK_TOKEN_SECONDS, PLAYLIST_LEASE_MS,
  readPlaybackClaim, type PlaybackClaim, type PlaybackMode,
} from '../../rules.ts';
import { findByStream, type Broadcast } from '../../store.ts';
import type { BroadcastDependencies, BroadcastView } from '../dependencies.ts';

const PLAYBACK_SEAL = 'broadcast.playback';

/** A token as it is handed out. */
export interface Token {
  readonly sealed: string;
  readonly expiresAt: Date;
}

/** Somebody who may watch a stream now. */
export interface Admitted {
  readonly performerId: number;
  readonly claim: PlaybackClaim;
  readonly viewer: Viewer;
  /** The broadcast has ended: there is nothing to play, only an end to tell. */
  readonly isOver: boolean;
}

export type Access = { readonly admitted: Admitted }
  | { readonly refused: typeof playbackTokenInvalid | typeof streamOffline };

/** A stream that was ever on. */
type Known = Pick<Broadcast, 'performerId' | 'mode'> & {
  readonly isOver: boolean;
  /** See {@link PlaybackAdmits}. */
  readonly isSingledOut: (caller: Caller) => boolean;
};

/** Who may watch what: playback tokens, and the decisions behind them. */
export class PlaybackAccess {
  readonly #deps: BroadcastDependencies;
  /** By operator and stream: its broadcast. */
  readonly #known = new Remembered<Promise<Known | null>>(MAX_DECISIONS);
  /** By operator, stream and viewer: whether he may watch it. */
  readonly #decisions = new Remembered<Promise<boolean>>(MAX_DECISIONS);
  /** Tokens whose playlists are being played. */
  readonly #leases = new Remembered<true>(MAX_PLAYLIST_LEASES);

  constructor(deps: BroadcastDependencies) {
    this.#deps = deps;
  }

  /** A fresh token for the stream of somebody live; null if this viewer may not watch it. */
  async tokenFor(
    tx: Tx, { stream, performerId, mode }: BroadcastView, context: CallContext,
  ): Promise<Token | null> {
    const viewer = this.#deps.compliance.viewerOf(context);
    if (stream === null || !(await this.mayWatch(tx, viewer, performerId, mode))) return null;
    const { caller: { sessionId }, address } = context;
    const holder = sessionId === null ? this.#holder('address', address) : this.#holder('session', sessionId);
    return this.#seal({ operatorId: tx.operatorId, stream, holder, mode });
  }

  /** A fresh token for somebody who has just shown an older one. */
  renew({ claim }: Admitted): Token {
    return this.#seal(claim);
  }

  /**
   * Whether a request may watch a stream now: its token says so, and so do the tables, asked at most
   * {@link DECISION_MS} ago.
   * @param stream the base stream; its renditions have no tokens of their own
   * @param isPlaylist the token may be older than it says while its playlist is being played
   */
  async check(
    token: string | null | undefined, stream: string, context: CallContext, isPlaylist = false,
  ): Promise<Access> {
    const claim = this.#claimOf(token ?? null, stream, context, isPlaylist);
    if (!claim) return { refused: playbackTokenInvalid };
    const viewer = this.#deps.compliance.viewerOf(context);
    const known = await this.#broadcastOf(context.scope, stream);
    if (known?.mode !== claim.mode || !(await this.#decide(context.scope, stream, known, viewer))) {
      this.#leases.delete(token ?? '');
      return { refused: known ? playbackTokenInvalid : streamOffline };
    }
    const { performerId, isOver } = known;
    if (isPlaylist && !isOver) this.#leases.set(token ?? '', true, this.#nowMs());
    return { admitted: { performerId, claim, viewer, isOver } };
  }

  /** `compliance.mayPerceive`, and the mode of the broadcast. */
  async mayWatch(tx: Tx, viewer: Viewer, performerId: number, mode: PlaybackMode): Promise<boolean> {
    const { compliance, extensions } = this.#deps;
    if (!(await compliance.mayPerceive(tx, viewer, performerId, 'media'))) return false;
    return extensions.one(playbackAdmits).admits(tx, viewer, performerId, mode);
  }

  /** What was decided about a stream is asked anew. */
  forgetDecisions(stream: string): void {
    const isMeant = (key: string): boolean => key.startsWith(`${stream}\n`);
    this.#known.dropWhere(isMeant);
    this.#decisions.dropWhere(isMeant);
  }

  /** Sessions, as tokens name them. */
  holdersOf(sessionIds: readonly string[]): ReadonlySet<string> {
    return new Set(sessionIds.map((id) => this.#holder('session', id)));
  }

  #seal(of: Omit<PlaybackClaim, 'expires'>): Token {
    const { operatorId, stream, holder, mode } = of;
    const expires = Math.floor(this.#nowMs() / 1_000) + PLAYBACK_TOKEN_SECONDS;
    const claim: PlaybackClaim = { operatorId, stream, holder, mode, expires };
    const sealed = seal(this.#deps.secret, PLAYBACK_SEAL, claim);
    return { sealed, expiresAt: new Date(expires * 1_000) };
  }

  #holder(kind: 'session' | 'address', value: string): string {
    return digest(this.#deps.secret, `broadcast.holder.${kind}`, value);
  }

  /** Whether a request can hold a token by this name: its session's if it has one, or its address's. */
  #isHeld(holder: string, { caller: { sessionId }, address }: CallContext): boolean {
    return (sessionId !== null && this.#holder('session', sessionId) === holder)
      || this.#holder('address', address) === holder;
  }

  /** The claim of a token that is good for this request, else null. Its mode is for the tables to judge. */
  #claimOf(
    token: string | null, stream: string, context: CallContext, isPlaylist: boolean,
  ): PlaybackClaim | null {
    const claim = readPlaybackClaim(unseal(this.#deps.secret, PLAYBACK_SEAL, token));
    if (!claim) return null;
    const { operatorId } = context.scope;
    const request = { operatorId, stream, mode: claim.mode };
    const isLeased = isPlaylist && this.#leases.get(token ?? '', this.#nowMs(), PLAYLIST_LEASE_MS) !== null;
    // A lease stands for the last moment the token was good in, and for nothing else it says.
    const at = isLeased ? new Date((claim.expires - 1) * 1_000) : this.#deps.data.clock.now();
    return claimAllows(claim, request, at) && this.#isHeld(claim.holder, context) ? claim : null;
  }

  #broadcastOf({ operatorId }: OperatorScope, stream: string): Promise<Known | null> {
    return this.#known.ask(`${stream}\n${operatorId}`, this.#nowMs(), DECISION_MS, () =>
      this.#deps.data.tx({ operatorId }, async (tx) => {
        const broadcast = await findByStream(tx, stream);
        if (!broadcast || broadcast.course.startedAt === null) return null;
        const { performerId, mode, course: { phase } } = broadcast;
        const { singlesOut } = this.#deps.extensions.one(playbackAdmits);
        const isSingledOut = await singlesOut(tx, performerId, mode);
        return { performerId, mode, isOver: phase === 'ended', isSingledOut };
      }));
  }

  /** Asked once for all who are alike; where viewers are told apart, of each by himself. */
  #decide(
    { operatorId }: OperatorScope, stream: string, { performerId, mode, isSingledOut }: Known,
    viewer: Viewer,
  ): Promise<boolean> {
    const { compliance } = this.#deps;
    const who = isSingledOut(viewer.caller) ? viewer : compliance.likenessOf(viewer, performerId);
    const key = `${stream}\n${JSON.stringify([operatorId, mode, who])}`;
    return this.#decisions.ask(key, this.#nowMs(), DECISION_MS, () =>
      this.#deps.data.tx({ operatorId }, (tx) => this.mayWatch(tx, viewer, performerId, mode)));
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}
