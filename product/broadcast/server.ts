import { subscribe, type Slice, type Subscription } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import type { StreamReport } from '#platform/streaming/engine.ts';
import { sessionsEnded } from '#product/accounts/contract.ts';
import { grants, personalData, userPart, type UserPart } from '#product/accounts/extension-points.ts';
import { clearanceRevoked, performerHidden, regionsBlocked } from '#product/compliance/contract.ts';
import { policyStarted } from '#product/compliance/contract/policies.ts';
import { blobNames } from '#product/site/extension-points.ts';
import { streamKeyRevoked, type StreamInfo } from './contract.ts';
import type { CamView } from './contract/settings.ts';
import * as extensionPoints from './extension-points.ts';
import { plainTitle, slugTags, type PlaybackMode } from './rules.ts';
import { Cameras, type CamerasService } from './server/cameras.ts';
import { consoleHandlers, cutEncoder, keyHandlers, writeDetails } from './server/console.ts';
import type { BroadcastDependencies, BroadcastView } from './server/dependencies.ts';
import type { Diversion } from './server/ingest/diversions.ts';
import { loginDigest, makeStreamKey } from './server/ingest/keys.ts';
import { Publishing } from './server/ingest/publishing.ts';
import { Rtmp } from './server/ingest/rtmp.ts';
import { whipHandlers } from './server/ingest/whip.ts';
import type { Sight } from './server/playback/access.ts';
import type { MediaSeconds } from './server/playback/media-seconds.ts';
import { Playback } from './server/playback/playback.ts';
import { portraitDeadlines, portraitHandler } from './server/portraits.ts';
import { settingsHandlers } from './server/settings.ts';
import { Standby } from './server/standby.ts';
import { thumbnailHandlers, ThumbnailVersions } from './server/thumbnails.ts';
import { viewOf, viewsOf, type ListedBroadcast } from './server/views.ts';
import {
  deleteBrowserKeys,
  deleteStreamKey,
  findDetails,
  insertBroadcast,
  openBySessions,
  portraitBlobs,
  savePortrait,
} from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { findStreamerSettings } from './store/settings.ts';

export type { DivertedReport } from './server/ingest/diversions.ts';
export type { IceServerView, IceSettings } from './server/ice.ts';
export type { BroadcastView } from './server/dependencies.ts';
export type { ListedBroadcast } from './server/views.ts';
export type { MediaSeconds } from './server/playback/media-seconds.ts';
export { pictureCaching, type Sight } from './server/playback/access.ts';

/** A performer's tags, in the current user. */
const tagsPart: UserPart = {
  keys: ['tags'],
  read: async (tx, { id, type }) => ({ tags: type === 'model' ? (await findDetails(tx, id)).tags : [] }),
};

export interface BroadcastService {
  readonly viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>;
  /** The same for many performers with one query each, and their studios: for read models. */
  readonly viewsOf: (
    tx: Tx,
    performerIds: readonly number[],
  ) => Promise<ReadonlyMap<number, ListedBroadcast>>;
  /** The `stream` group of room data; with a playback token while live, if this viewer may watch. */
  readonly streamFor: (tx: Tx, view: BroadcastView, context: CallContext) => Promise<StreamInfo>;
  /**
   * Moves the running broadcast to a new stream name and mode without interrupting the publisher. All readers
   * of the old name are cut when it resolves. Null when the performer is not live.
   */
  readonly move: (
    scope: OperatorScope,
    performerId: number,
    mode: PlaybackMode,
  ) => Promise<{ readonly stream: string } | null>;
  /** Checks all current viewers of a performer again, and cuts those who may no longer watch. */
  readonly review: (scope: OperatorScope, performerId: number) => Promise<void>;
  /** Creates a stream key without HTTP, for seeds; returns the key. */
  readonly makeStreamKey: (tx: Tx, performerId: number) => Promise<string>;
  /** Sets topic and tags without HTTP; throws for invalid tags. */
  readonly setDetails: (tx: Tx, performerId: number, title: string, tags: readonly string[]) => Promise<void>;
  /** Sets or removes the studio of a performer; the audit log names the actor, null for the site itself. */
  readonly setStudio: (
    tx: Tx,
    performer: { readonly id: number; readonly username: string },
    studio: string | null,
    actorId: number | null,
  ) => Promise<void>;
  /** Stores an ended broadcast of a cleared performer without HTTP and media: for seeds. */
  readonly addPast: (tx: Tx, performerId: number, startedAt: Date, endedAt: Date) => Promise<void>;
  /** Sets a performer's portrait: a WebP blob that has been decoded and re-encoded. */
  readonly setPortrait: (tx: Tx, performerId: number, blobId: string) => Promise<void>;
  /** What a request may see of a performer in a mode: stream, thumbnails, offline video; null for nothing. */
  readonly sightOf: (
    tx: Tx,
    context: CallContext,
    performerId: number,
    mode: PlaybackMode,
  ) => Promise<Sight | null>;
  /**
   * Seconds of a private stream that the relay itself measured: media received from the performer, and media
   * sent to a person. Both only grow; they are 0 for unknown and public streams. They can be read for two
   * minutes after the stream has ended or moved, and begin at 0 after a restart: only their growth means
   * anything. Available only where the media server is (`needsMedia`).
   */
  readonly mediaSeconds: (
    of: { readonly streamName: string; readonly personId: number },
  ) => MediaSeconds;
  /**
   * The same when somebody stops paying: seconds sent to them and not reported yet are settled at once.
   */
  readonly lastMediaSeconds: BroadcastService['mediaSeconds'];
  /** Measured bit rate of a stream now, in bit/s; null while nothing is measured. */
  readonly bitsOf: (stream: string) => number | null;
  /** Version of a stream's thumbnail and preview; null while there are none. */
  readonly pictureVersion: (stream: string) => number | null;
  /** Devices and bit rate of the go-live page, for the performer and admins. */
  readonly camSettingsOf: (tx: Tx, performerId: number) => Promise<CamView>;
  /** Notifies a performer in standby that a member entered the room, at most once a minute each. */
  readonly memberEntered: (tx: Tx, performerId: number, memberId: number) => Promise<void>;
  /**
   * Diverts the performer's next publishers, whatever their key, to a stream that nobody else can play or
   * discover. False while a broadcast runs. Lasts until `undivert`, which cuts the publisher.
   */
  readonly divert: (scope: OperatorScope, performerId: number, diversion: Diversion) => Promise<boolean>;
  readonly undivert: (scope: OperatorScope, performerId: number) => Promise<void>;
  /** Cameras of viewers that one performer sees. */
  readonly cameras: CamerasService;
  /** Resolves when everything the media engine has reported is saved; for tests and shutdown. */
  readonly settled: () => Promise<void>;
}

export type BroadcastSlice = Slice<BroadcastService>;

const EXTENSIONS = [
  implement(personalData, ownRows),
  implement(userPart, tagsPart),
  implement(blobNames, () => portraitBlobs),
  implement(grants, revokeStreamKey),
];

/** Going live: keys, WHIP and RTMP ingest, broadcasts and their health, WHEP and HLS playback, thumbnails. */
export function broadcastSlice(deps: BroadcastDependencies): BroadcastSlice {
  const { media: { engine, outputs } } = deps;
  const pictures = new ThumbnailVersions(outputs, deps.data.clock);
  const forget = (stream: string, hasTail: boolean): Promise<void> => {
    pictures.forget(stream);
    return outputs.forget(stream, hasTail);
  };
  const publishing: Publishing = new Publishing(deps, {
    ended: async (stream, hasTail) => {
      playback.streamEnded(stream);
      await forget(stream, hasTail);
    },
    moved: async (stream) => {
      playback.streamMoved(stream);
      await forget(stream, false);
    },
    public: (streams) => outputs.watch(streams),
  }, (stream) => playback.viewersOf(stream));
  const cameras: Cameras = new Cameras(deps, (stream) => playback.streamEnded(stream));
  const playback = new Playback(deps, publishing, cameras);
  const whip = whipHandlers(deps, publishing, cameras);
  const rtmp = new Rtmp(deps, publishing);
  const standby = new Standby(deps);
  const review = reviewing(deps, playback);
  const service: BroadcastService = {
    viewOf,
    viewsOf,
    streamFor: playback.streamFor,
    sightOf: playback.sightOf,
    mediaSeconds: playback.mediaSeconds,
    lastMediaSeconds: playback.lastMediaSeconds,
    review,
    cameras,
    bitsOf: (stream) => bitsOf(publishing, stream),
    makeStreamKey,
    move: (scope, performerId, mode) => publishing.move(scope, performerId, mode),
    settled: () => rtmp.idle().then(() => publishing.idle()),
    divert: (scope, performerId, diversion) => publishing.divert(scope, performerId, diversion),
    undivert: (scope, performerId) => publishing.undivert(scope, performerId),
    addPast: (tx, performerId, startedAt, endedAt) => addPast(deps, tx, performerId, startedAt, endedAt),
    setPortrait: savePortrait,
    pictureVersion: (stream) => pictures.of(stream),
    camSettingsOf: async (tx, performerId) => (await findStreamerSettings(tx, performerId)).cam,
    memberEntered: (tx, performerId, memberId) => standby.memberEntered(tx, performerId, memberId),
    setStudio: (tx, performer, studio, actorId) => standby.setStudio(tx, performer, studio, actorId),
    setDetails: async (tx, performerId, title, tags) => {
      const slugs = slugTags(tags);
      if (!slugs) throw new Error('invalid tag');
      await writeDetails(deps, tx, performerId, plainTitle(title), slugs);
    },
  };
  const stopReports = engine.onReport(reportsTo(whip, playback, publishing, cameras));
  return {
    name: 'broadcast',
    needsMedia: true,
    service,
    extensionPoints,
    extensions: EXTENSIONS,
    callHandlers: [
      ...whip.callHandlers,
      ...playback.callHandlers(viewOf),
      ...keyHandlers(deps, publishing),
      ...consoleHandlers(deps, publishing, standby),
      portraitHandler(deps),
      ...standby.callHandlers(),
      ...thumbnailHandlers(deps, viewOf, playback.sightOf),
      ...settingsHandlers(deps, standby),
    ],
    subscriptions: [
      ...subscriptions(deps, { publishing, playback, cameras }, review),
      ...standby.subscriptions(),
    ],
    deadlineHandlers: [publishing.deadlineHandler(), standby.deadlineHandler(), ...portraitDeadlines(deps)],
    start: async () => {
      for (const operatorId of await deps.site.operators()) await publishing.recover(operatorId);
      await rtmp.start();
    },
    stop: async () => {
      rtmp.stop();
      stopReports();
      playback.close();
      await publishing.idle();
    },
  };
}

/** Checks again who may watch a performer. */
const reviewing =
  ({ data }: BroadcastDependencies, playback: Playback) =>
  async ({ operatorId }: OperatorScope, performerId: number): Promise<void> => {
    const { stream } = await data.tx({ operatorId }, (tx) => viewOf(tx, performerId));
    if (stream !== null) await playback.review(operatorId, performerId, stream);
  };

function bitsOf(publishing: Publishing, stream: string): number | null {
  const health = publishing.healthOf(stream);
  return health && health.videoBitsPerSecond + health.audioBitsPerSecond;
}

/** Passes a report of the engine to the parts that it concerns. */
const reportsTo = (
  whip: ReturnType<typeof whipHandlers>,
  playback: Playback,
  publishing: Publishing,
  cameras: Cameras,
) =>
(report: StreamReport): void => {
  if (report.kind === 'down') whip.ended(report.session);
  if (report.kind === 'health') playback.measured(report.health, report.readers);
  if (report.kind === 'reader_gone') playback.readerGone(report);
  else if (!cameras.report(report)) publishing.report(report);
};

function subscriptions(
  deps: BroadcastDependencies,
  { publishing, playback, cameras }: { publishing: Publishing; playback: Playback; cameras: Cameras },
  review: BroadcastService['review'],
): Subscription[] {
  return [
    subscribe(clearanceRevoked, 'broadcast.clearanceRevoked')(async ({ operatorId, payload }) => {
      await publishing.end({ operatorId }, payload.performerId, 'revoked');
      await cameras.closeOf({ operatorId }, payload.performerId);
    }),
    subscribe(performerHidden, 'broadcast.performerHidden')(async ({ operatorId, payload }) => {
      await publishing.end({ operatorId }, payload.performerId, 'performer');
      await cameras.closeOf({ operatorId }, payload.performerId);
      await review({ operatorId }, payload.performerId);
    }),
    subscribe(regionsBlocked, 'broadcast.regionsBlocked')(async ({ operatorId, payload }) => {
      // This slice does not know from which region each viewer shares a camera, so it closes all of them; in
      // regions that are not blocked, viewers can share theirs again.
      await cameras.closeOf({ operatorId }, payload.performerId);
      await review({ operatorId }, payload.performerId);
    }),
    subscribe(policyStarted, 'broadcast.policyStarted')(async ({ operatorId }) => {
      await deps.compliance.ready({ operatorId });
      await playback.reviewAll({ operatorId });
      await cameras.reviewAll({ operatorId });
    }),
    subscribe(streamKeyRevoked, 'broadcast.streamKeyRevoked')(({ operatorId, payload }) =>
      cutEncoder(publishing, { operatorId }, payload.performerId)
    ),
    subscribe(sessionsEnded, 'broadcast.sessionsEnded')(async ({ operatorId, payload }) => {
      await playback.cut(payload.sessionIds);
      await cameras.closeOfSessions(payload.sessionIds);
      await endSessions(deps, { publishing, cameras }, operatorId, payload);
    }),
  ];
}

/** For account recovery: a thief may have the key, and may be publishing with it already. */
async function revokeStreamKey(tx: Tx, performerId: number): Promise<void> {
  if (!(await deleteStreamKey(tx, performerId))) return;
  await tx.publish(streamKeyRevoked, `performer:${performerId}`, { performerId });
}

/** Log-out deletes the session's keys and ends what they publish; suspension ends every broadcast. */
async function endSessions(
  { data, accounts, secret }: BroadcastDependencies,
  { publishing, cameras }: { publishing: Publishing; cameras: Cameras },
  operatorId: number,
  { personId, sessionIds }: { personId: number; sessionIds: readonly string[] },
): Promise<void> {
  const sessions = sessionIds.map((id) => loginDigest(secret, id));
  const { performers, isSuspended } = await data.tx({ operatorId }, async (tx) => {
    const person = await accounts.findById(tx, personId);
    const isSuspended = person?.inactiveSince != null;
    if (sessions.length === 0) return { performers: [], isSuspended };
    await deleteBrowserKeys(tx, sessions);
    return { performers: await openBySessions(tx, sessions), isSuspended };
  });
  if (isSuspended) {
    await publishing.end({ operatorId }, personId, 'suspended');
    await cameras.closeOf({ operatorId }, personId);
  }
  for (const performerId of performers) {
    await publishing.end(
      { operatorId },
      performerId,
      'logged_out',
      ({ loginSession }) => loginSession !== null && sessions.includes(loginSession),
    );
  }
}

/** The row of a broadcast that never ran: publishes no fact, as nothing changed for anybody. */
async function addPast(
  { compliance }: BroadcastDependencies,
  tx: Tx,
  performerId: number,
  startedAt: Date,
  endedAt: Date,
): Promise<void> {
  const clearanceId = await compliance.clearanceOf(tx, performerId);
  if (clearanceId === null) throw new Error(`performer ${performerId} is not cleared`);
  const stream = uuidV4();
  await insertBroadcast(tx, {
    stream,
    mode: 'public',
    clearanceId,
    publisher: { protocol: 'whip', performerId, keyHash: '', kind: 'stream_key', loginSession: null },
    state: {
      phase: 'ended',
      session: stream,
      startedAt: startedAt.getTime(),
      endedAt: endedAt.getTime(),
      endReason: 'performer',
      deadline: null,
    },
  });
}
