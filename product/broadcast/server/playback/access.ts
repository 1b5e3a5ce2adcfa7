import type { CallContext, Caller } from '#platform/contract/context.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { Remembered } from '#platform/data/remembered.ts';
import type { Viewer } from '#product/compliance/server.ts';
import { playbackTokenInvalid, streamOffline } from '../../contract.ts';
import { playbackAdmits } from '../../extension-points.ts';
import {
  claimAllows,
  DECISION_MS,
  MAX_DECISIONS,
  MAX_PLAYLIST_LEASES,
  PLAYBACK_TOKEN_SECONDS,
  PLAYLIST_LEASE_MS,
  playlistTokenExpiry,
  readPlaybackClaim,
  type PlaybackClaim,
  type PlaybackMode,
} from '../../rules.ts';
import { findByStream, type Broadcast } from '../../store.ts';
import type { BroadcastDependencies, BroadcastView } from '../dependencies.ts';
import type { Try } from './tries.ts';

const PLAYBACK_TOKEN_PURPOSE = 'broadcast.playback';

/** A sealed playback token. */
export interface Token {
  readonly sealed: string;
  readonly expiresAt: Date;
}

/** What a request may see of a performer. */
export interface Sight {
  /** Decided for this caller alone: must not be cached, as another person may use the browser next. */
  readonly isOwn: boolean;
}

/** `cache-control` of thumbnails and other media: access is restricted, so shared caches never store them. */
export const pictureCaching = ({ isOwn }: Sight, seconds: number): string =>
  isOwn ? 'private, no-store' : `private, max-age=${seconds}`;

/** A viewer who may watch a stream now. */
export interface Admitted {
  readonly performerId: number;
  readonly stream: string;
  readonly claim: PlaybackClaim;
  readonly viewer: Viewer;
  /** The broadcast has ended; only the end of the playlist can still be served. */
  readonly isOver: boolean;
}

export type Access =
  | { readonly admitted: Admitted }
  | { readonly refused: typeof playbackTokenInvalid | typeof streamOffline };

/** The request of an admitted viewer, as `Tries` records it. */
export const tryOf = ({ scope }: CallContext, { performerId, stream, claim, viewer }: Admitted): Try => ({
  operatorId: scope.operatorId,
  performerId,
  stream,
  mode: claim.mode,
  viewer,
});

/** A stream that has been online. */
type Known = Pick<Broadcast, 'performerId' | 'mode'> & {
  readonly isOver: boolean;
  /** See {@link PlaybackAdmits}. */
  readonly isSingledOut: (caller: Caller) => boolean;
};

/** Playback tokens, and who may watch which stream. */
export class PlaybackAccess {
  readonly #deps: BroadcastDependencies;
  readonly #refused: (of: Try) => Promise<void>;
  /** Broadcasts by operator and stream. */
  readonly #known = new Remembered<Promise<Known | null>>(MAX_DECISIONS);
  /** Decisions by operator, stream and viewer. */
  readonly #decisions = new Remembered<Promise<boolean>>(MAX_DECISIONS);
  /** Expired or current tokens whose playlists are being played. */
  readonly #leases = new Remembered<true>(MAX_PLAYLIST_LEASES);

  /** @param refused called for a viewer who has a token and may not watch any more */
  constructor(deps: BroadcastDependencies, refused: (of: Try) => Promise<void>) {
    this.#deps = deps;
    this.#refused = refused;
  }

  /** A new token for a live performer's stream; null if this viewer may not watch it. */
  async tokenFor(
    tx: Tx,
    { stream, performerId, mode }: BroadcastView,
    context: CallContext,
  ): Promise<Token | null> {
    if (stream === null || !(await this.sightOf(tx, context, performerId, mode))) return null;
    const { caller: { sessionId }, address } = context;
    const holder = sessionId === null ? this.#holder('address', address) : this.#holder('session', sessionId);
    return this.#seal({ operatorId: tx.operatorId, stream, holder, mode });
  }

  /**
   * The token in the playlists of a viewer who has presented a valid one. It stays the same until it nearly
   * expires, and so do the addresses in the playlist.
   */
  tokenInPlaylists({ claim }: Admitted): string {
    const expires = playlistTokenExpiry(this.#nowMs() / 1_000, claim.holder);
    return seal(this.#deps.secret, PLAYBACK_TOKEN_PURPOSE, { ...claim, expires });
  }

  /**
   * Whether a request may watch a stream now, by its token and by the tables, which are cached for
   * {@link DECISION_MS}.
   * @param stream the base stream; renditions have no tokens of their own
   * @param isPlaylist accepts an expired token while its playlist is being played
   */
  async check(
    token: string | null | undefined,
    stream: string,
    context: CallContext,
    isPlaylist = false,
  ): Promise<Access> {
    const claim = this.#claimOf(token ?? null, stream, context, isPlaylist);
    if (!claim) return { refused: playbackTokenInvalid };
    const viewer = this.#deps.compliance.viewerOf(context);
    const known = await this.#broadcastOf(context.scope, stream);
    const isMode = known?.mode === claim.mode;
    if (!isMode || !(await this.#decide(context.scope, stream, known, viewer))) {
      this.#leases.delete(token ?? '');
      if (isMode) await this.#refused({ ...context.scope, ...known, stream, viewer });
      return { refused: known ? playbackTokenInvalid : streamOffline };
    }
    const { performerId, isOver } = known;
    if (isPlaylist && !isOver) this.#leases.set(token ?? '', true, this.#nowMs());
    return { admitted: { performerId, stream, claim, viewer, isOver } };
  }

  /** Whether the viewer of a running player may see a performer in a mode. */
  mayWatch(tx: Tx, viewer: Viewer, performerId: number, mode: PlaybackMode): Promise<boolean> {
    return this.#maySee(tx, viewer, performerId, mode, null);
  }

  /** What a request may see of a performer in a mode: stream, thumbnails, offline video; null for nothing. */
  async sightOf(
    tx: Tx,
    context: CallContext,
    performerId: number,
    mode: PlaybackMode,
  ): Promise<Sight | null> {
    const viewer = this.#deps.compliance.viewerOf(context);
    if (!(await this.#maySee(tx, viewer, performerId, mode, context))) return null;
    const isSingledOut = await this.#deps.extensions.one(playbackAdmits).singlesOut(tx, performerId, mode);
    return { isOwn: isSingledOut(viewer.caller) };
  }

  /** Drops the cached decisions about a stream. */
  forgetDecisions(stream: string): void {
    const isMeant = (key: string): boolean => key.startsWith(`${stream}\n`);
    this.#known.dropWhere(isMeant);
    this.#decisions.dropWhere(isMeant);
  }

  /** Digests of sessions, as in tokens. */
  holdersOf(sessionIds: readonly string[]): ReadonlySet<string> {
    return new Set(sessionIds.map((id) => this.#holder('session', id)));
  }

  /** Checks `compliance.mayPerceive` and `playbackAdmits`, for everything that shows a performer. */
  async #maySee(
    tx: Tx,
    viewer: Viewer,
    performerId: number,
    mode: PlaybackMode,
    request: CallContext | null,
  ): Promise<boolean> {
    const { compliance, extensions } = this.#deps;
    if (!(await compliance.mayPerceive(tx, viewer, performerId, 'media'))) return false;
    return extensions.one(playbackAdmits).admits(tx, viewer, performerId, mode, request);
  }

  #seal(of: Omit<PlaybackClaim, 'expires'>): Token {
    const { operatorId, stream, holder, mode } = of;
    const expires = Math.floor(this.#nowMs() / 1_000) + PLAYBACK_TOKEN_SECONDS;
    const claim: PlaybackClaim = { operatorId, stream, holder, mode, expires };
    const sealed = seal(this.#deps.secret, PLAYBACK_TOKEN_PURPOSE, claim);
    return { sealed, expiresAt: new Date(expires * 1_000) };
  }

  #holder(kind: 'session' | 'address', value: string): string {
    return digest(this.#deps.secret, `broadcast.holder.${kind}`, value);
  }

  /** Whether a token's holder is the session or the address of a request. */
  #isHeld(holder: string, { caller: { sessionId }, address }: CallContext): boolean {
    return (sessionId !== null && this.#holder('session', sessionId) === holder)
      || this.#holder('address', address) === holder;
  }

  /** The claim of a token that is valid for this request, else null. The caller checks its mode. */
  #claimOf(
    token: string | null,
    stream: string,
    context: CallContext,
    isPlaylist: boolean,
  ): PlaybackClaim | null {
    const claim = readPlaybackClaim(unseal(this.#deps.secret, PLAYBACK_TOKEN_PURPOSE, token));
    if (!claim) return null;
    const { operatorId } = context.scope;
    const request = { operatorId, stream, mode: claim.mode };
    const isLeased = isPlaylist && this.#leases.get(token ?? '', this.#nowMs(), PLAYLIST_LEASE_MS) !== null;
    // A lease only extends the expiry; everything else in the claim is still checked.
    const at = isLeased ? new Date((claim.expires - 1) * 1_000) : this.#deps.data.clock.now();
    return claimAllows(claim, request, at) && this.#isHeld(claim.holder, context) ? claim : null;
  }

  #broadcastOf({ operatorId }: OperatorScope, stream: string): Promise<Known | null> {
    return this.#known.ask(
      `${stream}\n${operatorId}`,
      this.#nowMs(),
      DECISION_MS,
      () =>
        this.#deps.data.tx({ operatorId }, async (tx) => {
          const broadcast = await findByStream(tx, stream);
          if (!broadcast || broadcast.state.startedAt === null) return null;
          const { performerId, mode, state: { phase } } = broadcast;
          const { singlesOut } = this.#deps.extensions.one(playbackAdmits);
          const isSingledOut = await singlesOut(tx, performerId, mode);
          return { performerId, mode, isOver: phase === 'ended', isSingledOut };
        }),
    );
  }

  /** Decides once for all equivalent viewers, and individually for those singled out. */
  #decide(
    { operatorId }: OperatorScope,
    stream: string,
    { performerId, mode, isSingledOut }: Known,
    viewer: Viewer,
  ): Promise<boolean> {
    const { compliance } = this.#deps;
    const who = isSingledOut(viewer.caller) ? viewer : compliance.visibilityKeyOf(viewer, performerId);
    const key = `${stream}\n${JSON.stringify([operatorId, mode, who])}`;
    return this.#decisions.ask(
      key,
      this.#nowMs(),
      DECISION_MS,
      () => this.#deps.data.tx({ operatorId }, (tx) => this.mayWatch(tx, viewer, performerId, mode)),
    );
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}
