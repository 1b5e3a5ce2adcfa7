import { answer, type Answer } from '../../../platform/contract/bind.ts';
import type { RefusalOf } from '../../../platform/contract/call.ts';
import type { AnswerContext, CallContext } from '../../../platform/contract/context.ts';
import type { Tx } from '../../../platform/data/data.ts';
import { digest, seal, unseal } from '../../../platform/data/seal.ts';
import { EngineRefused } from '../../../platform/streaming/engine.ts';
import {
  codecUnsupported, getPlayback, offerMalformed, overloaded, playbackTokenInvalid, sessionUnknown,
  streamOffline, whep, whepEnd, type StreamInfo,
} from '../contract.ts';
import {
  claimAllows, DEFAULT_QUALITY_RENDITIONS, OVERLOAD_RETRY_SECONDS, PLAYBACK_TOKEN_SECONDS, readPlaybackClaim,
  type PlaybackClaim,
} from '../rules.ts';
import { openByStream } from '../store.ts';
import type { BroadcastNeeds, BroadcastView } from './needs.ts';

type PlayContext = AnswerContext<RefusalOf<typeof whep>>;

const PLAYBACK_SEAL = 'broadcast.playback';

/** A reader in this process. */
interface Reader {
  readonly stream: string;
  /** Digest of the session it plays for; of the address for visitors without one. */
  readonly holder: string;
}

/** Playback tokens and readers: WHEP. Who may not perceive the performer gets neither. */
export class Playback {
  readonly #needs: BroadcastNeeds;
  /** By play session; the engine's admission limits it, and readers that are gone are reported. */
  readonly #readers = new Map<string, Reader>();

  constructor(needs: BroadcastNeeds) {
    this.#needs = needs;
  }

  readonly answers = (viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>): Answer[] => [
    answer(getPlayback)(async ({ username }, context) => {
      const { data, accounts, engine } = this.#needs;
      const token = await data.tx(context.scope, async (tx) => {
        const person = await accounts.findByUsername(tx, username.trim().toLowerCase());
        return person && (await this.#tokenFor(tx, await viewOf(tx, person.id), context));
      });
      if (!token) return context.refuse(streamOffline);
      const { kind, path } = engine.describe(token.stream);
      return { kind, url: path, token: token.sealed, expiresAt: token.expiresAt.toISOString() };
    }),
    answer(whep)(async (input, context) => this.#play(input, context)),
    answer(whepEnd)(async ({ session }, { refuse }) => {
      // Only readers: a publish session has its own address, and its key to go with it.
      if (!this.#readers.delete(session)) return refuse(sessionUnknown);
      return (await this.#needs.engine.end(session)) ? {} : refuse(sessionUnknown);
    }),
  ];

  /** See `BroadcastService.streamFor`. */
  readonly streamFor = async (tx: Tx, view: BroadcastView, context: CallContext): Promise<StreamInfo> => {
    const token = await this.#tokenFor(tx, view, context);
    const none = {
      ingest_server: null, origin_server: null, vr_url: null, width: null, height: null,
      quality_renditions: DEFAULT_QUALITY_RENDITIONS,
    };
    if (!token) return { ...none, edge_servers: [], stream_name: null, token: null };
    const { path } = this.#needs.engine.describe(token.stream);
    const edge = path.slice(0, path.lastIndexOf('/'));
    return { ...none, edge_servers: [edge], stream_name: token.stream, token: token.sealed };
  };

  forget(session: string): void {
    this.#readers.delete(session);
  }

  forgetStream(stream: string): void {
    for (const [session, reader] of this.#readers) {
      if (reader.stream === stream) this.#readers.delete(session);
    }
  }

  /** Cuts the readers of sessions that ended. */
  async cut(sessionIds: readonly string[]): Promise<void> {
    const holders = new Set(sessionIds.map((id) => this.#holder('session', id)));
    for (const [session, { holder }] of this.#readers) {
      if (!holders.has(holder)) continue;
      this.#readers.delete(session);
      await this.#needs.engine.end(session);
    }
  }

  #holder(kind: 'session' | 'address', value: string): string {
    return digest(this.#needs.secret, `broadcast.holder.${kind}`, value);
  }

  /** What a request can hold tokens by: its session if it has one, and its address. */
  #holdersOf({ caller, address }: CallContext): [string, ...string[]] {
    const byAddress = this.#holder('address', address);
    return caller.sessionId === null ? [byAddress] : [this.#holder('session', caller.sessionId), byAddress];
  }

  /** A fresh token for the public stream of somebody live, if this viewer may perceive her. */
  async #tokenFor(
    tx: Tx, { stream, performerId }: BroadcastView, context: CallContext,
  ): Promise<{ stream: string; sealed: string; expiresAt: Date } | null> {
    const { compliance, data, secret } = this.#needs;
    if (stream === null) return null;
    if (!(await compliance.mayPerceive(tx, compliance.viewerOf(context), performerId, 'media'))) return null;
    const expires = Math.floor(data.clock.now().getTime() / 1_000) + PLAYBACK_TOKEN_SECONDS;
    const claim: PlaybackClaim = {
      operatorId: tx.operatorId, stream, holder: this.#holdersOf(context)[0], mode: 'public', expires,
    };
    return { stream, sealed: seal(secret, PLAYBACK_SEAL, claim), expiresAt: new Date(expires * 1_000) };
  }

  /** The claim of a token that is good for this request, else null. */
  #claimOf(token: string | null, stream: string, context: CallContext): PlaybackClaim | null {
    const claim = readPlaybackClaim(unseal(this.#needs.secret, PLAYBACK_SEAL, token));
    const { operatorId } = context.scope;
    const request = { operatorId, stream, holders: this.#holdersOf(context), mode: 'public' as const };
    return claim && claimAllows(claim, request, this.#needs.data.clock.now()) ? claim : null;
  }

  async #play(input: { stream: string; token?: string; body: string }, context: PlayContext) {
    const { data, compliance, engine } = this.#needs;
    const { stream } = input;
    const claim = this.#claimOf(context.bearer ?? input.token ?? null, stream, context);
    if (!claim) return context.refuse(playbackTokenInvalid);
    // A token is a minute old at most, and much can change in a minute.
    const state = await data.tx(context.scope, async (tx) => {
      const open = await openByStream(tx, stream);
      if (!open || open.course.phase === 'ready') return 'offline';
      const viewer = compliance.viewerOf(context);
      return (await compliance.mayPerceive(tx, viewer, open.performerId, 'media')) ? 'open' : 'hidden';
    });
    if (state === 'hidden') return context.refuse(playbackTokenInvalid);
    if (state === 'offline') return context.refuse(streamOffline);
    try {
      const { session, answer: sdp } = await engine.play(stream, input.body);
      this.#readers.set(session, { stream, holder: claim.holder });
      return { status: 201, headers: { location: `/whep/session/${session}` }, body: sdp };
    } catch (error) {
      if (!(error instanceof EngineRefused)) throw error;
      switch (error.code) {
        case 'malformed_offer': return context.refuse(offerMalformed);
        case 'unsupported_codec': return context.refuse(codecUnsupported);
        case 'stream_offline': return context.refuse(streamOffline);
        case 'overloaded':
        case 'unavailable': return context.refuse(overloaded, { retryAfterSeconds: OVERLOAD_RETRY_SECONDS });
        case 'stream_taken': throw error;
      }
    }
  }
}
