import type { OutputOf } from '#platform/contract/call.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import { Remembered } from '#platform/data/remembered.ts';
import type { Negotiated, StreamReport } from '#platform/streaming/engine.ts';
import { suspended } from '#product/accounts/contract.ts';
import type { Viewer } from '#product/compliance/server.ts';
import { playbackTokenInvalid, type getPlayback } from '../contract.ts';
import { publisherReplaced, streamKeyInvalid } from '../contract/webrtc.ts';
import { MAX_REPLACED, REPLACED_MS, STREAM_KEY_BITS } from '../rules.ts';
import {
  CAMERA_TOKEN_MS,
  excessAfter,
  MAX_CAMERAS,
  MAX_EXCESS_SECONDS,
  readCameraClaim,
} from '../rules/cameras.ts';
import { whipUrlOf, type BroadcastDependencies } from './dependencies.ts';
import { iceServersOf, type IceServerView } from './ice.ts';
import { refusedByEngine, type NotPublished } from './ingest/admission.ts';
import { hashOf, loginDigest } from './ingest/keys.ts';

const CAMERA_SEAL = 'broadcast.camera';
/** Prefix of camera keys; no other key is looked up here. */
const KEY_PREFIX = 'ck_';

/** A viewer's camera, from `open` to `close`. In memory, as the media engine: a restart ends it. */
interface Camera {
  readonly operatorId: number;
  /** The only person who publishes it. */
  readonly viewerId: number;
  /** The only person who sees it. */
  readonly performerId: number;
  readonly onClosed: () => void;
  /** Hash of the newest key; null before the first one. */
  keyHash: string | null;
  /** The viewer as they asked for that key. */
  viewer: Viewer | null;
  /** Digest of the viewer's log-in session that the key belongs to. */
  loginSession: string | null;
  /** Publish session. */
  session: string | null;
  /** Seconds in a row above the limit of its size. */
  excess: number;
}

/** A key with which a page publishes a camera. */
export interface CameraKey {
  readonly stream_key: string;
  readonly whip_url: string;
  readonly ice_servers: IceServerView[];
}

/** The person who may see a camera now. */
export interface CameraSight {
  readonly performerId: number;
  readonly holder: string;
  readonly viewer: Viewer;
}

/**
 * Cameras of viewers that one performer sees. Each is a stream of its own with a random name that is listed
 * nowhere: it has no broadcast, room, HLS, thumbnail, recording or rendition.
 */
export class Cameras {
  readonly #deps: BroadcastDependencies;
  readonly #onClosed: (stream: string) => void;
  /** By stream. */
  readonly #cameras = new Map<string, Camera>();
  /** Streams by the hash of a key that a newer one replaced. */
  readonly #oldKeys = new Remembered<string>(MAX_REPLACED);

  /** @param onClosed forgets the readers of a stream that is over */
  constructor(deps: BroadcastDependencies, onClosed: (stream: string) => void) {
    this.#deps = deps;
    this.#onClosed = onClosed;
  }

  /** See `CamerasService.open`. */
  readonly open: CamerasService['open'] = ({ operatorId }, { viewerId, performerId, onClosed }) => {
    if (this.#cameras.size >= MAX_CAMERAS) return null;
    const stream = randomId();
    this.#cameras.set(stream, {
      operatorId,
      viewerId,
      performerId,
      onClosed,
      keyHash: null,
      viewer: null,
      loginSession: null,
      session: null,
      excess: 0,
    });
    return stream;
  };

  /** See `CamerasService.close`. */
  readonly close: CamerasService['close'] = async (stream) => {
    if (!this.#cameras.delete(stream)) return;
    await this.#deps.media.engine.stop(stream);
    this.#onClosed(stream);
  };

  /** See `CamerasService.keyFor`. */
  readonly keyFor: CamerasService['keyFor'] = (stream, context) => {
    const camera = this.#of(stream, context);
    const { personId, sessionId } = context.caller;
    if (!camera || personId !== camera.viewerId || sessionId === null) return null;
    const key = `${KEY_PREFIX}${randomId(STREAM_KEY_BITS)}`;
    const now = this.#deps.data.clock.now();
    if (camera.keyHash !== null) this.#oldKeys.set(camera.keyHash, stream, now.getTime());
    camera.keyHash = hashOf(key);
    camera.viewer = this.#deps.compliance.viewerOf(context);
    camera.loginSession = loginDigest(this.#deps.secret, sessionId);
    return { stream_key: key, whip_url: whipUrlOf(context), ice_servers: iceServersOf(this.#deps.ice, now) };
  };

  /** See `CamerasService.playbackOf`. */
  readonly playbackOf: CamerasService['playbackOf'] = (stream, context) => {
    const camera = this.#of(stream, context);
    const { personId, sessionId } = context.caller;
    if (!camera || personId !== camera.performerId || sessionId === null) return null;
    const { media: { engine }, ice, data, secret } = this.#deps;
    const now = data.clock.now();
    const expires = now.getTime() + CAMERA_TOKEN_MS;
    const token = seal(secret, CAMERA_SEAL, {
      operatorId: camera.operatorId,
      stream,
      personId,
      holder: this.#holder(sessionId),
      expires,
    });
    return {
      kind: engine.plays,
      expiresAt: new Date(expires).toISOString(),
      edge_servers: [context.origin],
      stream_name: stream,
      token,
      ice_servers: iceServersOf(ice, now),
      renditions: [],
      hls: false,
    };
  };

  /** Whether a stream is the camera of a viewer. */
  has(stream: string): boolean {
    return this.#cameras.has(stream);
  }

  /** Whether a request may see a camera: its performer, with a token of their own session. */
  sightOf(
    token: string | null | undefined,
    stream: string,
    context: CallContext,
  ): CameraSight | typeof playbackTokenInvalid {
    const camera = this.#of(stream, context);
    const claim = readCameraClaim(unseal(this.#deps.secret, CAMERA_SEAL, token ?? null));
    const { personId, sessionId } = context.caller;
    if (!camera || !claim || sessionId === null) return playbackTokenInvalid;
    const holder = this.#holder(sessionId);
    const isHers = personId === camera.performerId && claim.personId === personId && claim.holder === holder
      && claim.operatorId === camera.operatorId && claim.stream === stream
      && claim.expires > this.#deps.data.clock.now().getTime();
    if (!isHers) return playbackTokenInvalid;
    return {
      performerId: camera.performerId,
      holder,
      viewer: this.#deps.compliance.viewerOf(context),
    };
  }

  /** Whether a bearer is, or looks like, the key of a camera. */
  isKey(bearer: string | null): boolean {
    return bearer?.startsWith(KEY_PREFIX) === true;
  }

  /** Publishes a camera with its key, for the viewer and the session that got it. */
  async publish(
    offer: string,
    context: CallContext,
  ): Promise<NotPublished | { readonly opened: Negotiated }> {
    const found = this.#withKey(context);
    if (!found) return { refused: this.#isReplaced(context) ? publisherReplaced : streamKeyInvalid };
    const [stream, camera] = found;
    const { data, accounts, media: { engine } } = this.#deps;
    const person = await data.tx(context.scope, (tx) => accounts.findById(tx, camera.viewerId));
    if (!person || person.inactiveSince !== null) return { refused: suspended };
    try {
      const opened = await engine.publish(stream, offer, { owner: `viewer:${camera.viewerId}` });
      // The camera may have been closed, or its key replaced, while the engine answered.
      if (this.#withKey(context)?.[1] !== camera) {
        await engine.end(opened.session);
        return { refused: streamKeyInvalid };
      }
      camera.session = opened.session;
      return { opened };
    } catch (error) {
      return refusedByEngine(error);
    }
  }

  /** Whether a request has the key of the camera that a publish session belongs to. */
  ownsSession(session: string, context: CallContext): boolean {
    return this.#withKey(context)?.[1].session === session;
  }

  /** Closes the cameras of log-in sessions that ended. */
  async closeOfSessions(sessionIds: readonly string[]): Promise<void> {
    const ended = new Set(sessionIds.map((id) => loginDigest(this.#deps.secret, id)));
    await this.#closeWhere(({ loginSession }) => loginSession !== null && ended.has(loginSession));
  }

  /** Closes the cameras of viewers whose entry gate is closed by the policies in force now. */
  reviewAll(scope: OperatorScope): Promise<void> {
    const { compliance } = this.#deps;
    return this.#closeWhere(({ operatorId, viewer }) =>
      operatorId === scope.operatorId && viewer !== null && viewer.gate === 'open'
      && compliance.viewerNow(scope, viewer).gate !== 'open'
    );
  }

  /** Closes every camera that a person shows or sees. */
  closeOf({ operatorId }: OperatorScope, personId: number): Promise<void> {
    return this.#closeWhere((camera) =>
      camera.operatorId === operatorId
      && (camera.viewerId === personId || camera.performerId === personId)
    );
  }

  /** Handles a report of the engine; false when it is not about a camera. */
  report(report: Exclude<StreamReport, { kind: 'reader_gone' }>): boolean {
    const stream = report.kind === 'health' ? report.health.stream : report.stream;
    const camera = this.#cameras.get(stream);
    if (!camera) return false;
    if (report.kind === 'down' && camera.session === report.session) camera.session = null;
    if (report.kind === 'health') {
      const { videoBitsPerSecond: video, audioBitsPerSecond: audio } = report.health;
      camera.excess = excessAfter(camera.excess, video + audio);
      if (camera.excess > MAX_EXCESS_SECONDS) {
        this.#closeWhere((item) => item === camera).catch(this.#deps.onError);
      }
    }
    return true;
  }

  async #closeWhere(isMeant: (camera: Camera) => boolean): Promise<void> {
    for (const [stream, camera] of this.#cameras) {
      if (!isMeant(camera)) continue;
      await this.close(stream);
      camera.onClosed();
    }
  }

  #of(stream: string, { scope: { operatorId } }: CallContext): Camera | null {
    const camera = this.#cameras.get(stream);
    return camera?.operatorId === operatorId ? camera : null;
  }

  #withKey({ bearer, caller, scope: { operatorId } }: CallContext): readonly [string, Camera] | null {
    if (bearer === null || caller.personId === null || caller.sessionId === null) return null;
    const keyHash = hashOf(bearer);
    const loginSession = loginDigest(this.#deps.secret, caller.sessionId);
    return [...this.#cameras].find(([, one]) =>
      one.operatorId === operatorId && one.keyHash === keyHash
      && one.viewerId === caller.personId && one.loginSession === loginSession
    ) ?? null;
  }

  /** Whether a request has an old key of the caller's own open camera, which another tab has replaced. */
  #isReplaced(context: CallContext): boolean {
    const { bearer, caller: { personId } } = context;
    const nowMs = this.#deps.data.clock.now().getTime();
    const stream = bearer === null ? null : this.#oldKeys.get(hashOf(bearer), nowMs, REPLACED_MS);
    return stream !== null && personId !== null && this.#of(stream, context)?.viewerId === personId;
  }

  #holder(sessionId: string): string {
    return digest(this.#deps.secret, 'broadcast.holder.session', sessionId);
  }
}

/**
 * Viewers' cameras, each seen by one performer only. Available only where the media server is (`needsMedia`).
 */
export interface CamerasService {
  /**
   * Opens a camera and names its stream. Null when too many are open. The media sent to the performer is
   * `mediaSeconds` of this stream and the performer.
   * @param onClosed called when it was closed other than by `close`: its log-in session ended, one of the two
   *   people was suspended, or it sent more than a camera may; must not throw
   */
  readonly open: (scope: OperatorScope, of: {
    readonly viewerId: number;
    readonly performerId: number;
    readonly onClosed: () => void;
  }) => string | null;
  /** A new key for the viewer, which replaces the one before; null for everybody else. */
  readonly keyFor: (stream: string, context: CallContext) => CameraKey | null;
  /** How the performer plays it, with a token for their own session; null for everybody else. */
  readonly playbackOf: (stream: string, context: CallContext) => OutputOf<typeof getPlayback> | null;
  /** Cuts its publisher and its reader. Its name is never used again. */
  readonly close: (stream: string) => Promise<void>;
}
