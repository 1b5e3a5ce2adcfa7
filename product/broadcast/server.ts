import {
  handleCall, subscribe, type CallHandler, type Subscription, type Slice,
} from '../../platform/contract/bind.ts';
import type { CallContext } from '../../platform/contract/context.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import type { OperatorScope, Tx } from '../../platform/data/data.ts';
import type { StreamReport } from '../../platform/streaming/engine.ts';
import { uuidV4 } from '../../platform/data/ids.ts';
import { sessionsEnded } from '../accounts/contract.ts';
import { grants, personalData, userPart, type UserPart } from '../accounts/extension-points.ts';
import {
  clearanceMissing, clearanceRevoked, performerHidden, regionsBlocked,
} from '../compliance/contract.ts';
import {
  detailsChanged, endBroadcast, getOwnBroadcast, makeBrowserKey, notLive, rotateStreamKey, setDetails,
  streamKeyRevoked, tagInvalid, type CamView, type StreamInfo,
} from './contract.ts';
import { checkUpload } from './contract/upload.ts';
import { blobNames } from '../site/extension-points.ts';
import * as extensionPoints from './extension-points.ts';
import { plainTitle, slugTags, type PlaybackMode } from './rules.ts';
import { mayPublish } from './server/ingest/admission.ts';
import type { Diversion } from './server/ingest/diversions.ts';
import { Cameras, type CamerasService } from './server/cameras/cameras.ts';
import { iceServersOf } from './server/ice/ice.ts';
import { loginDigest, makeBrowserKey as newBrowserKey, makeStreamKey } from './server/ingest/keys.ts';
import {
  performerOf, rtmpUrlOf, whipUrlOf, type BroadcastDependencies, type BroadcastView,
} from './server/dependencies.ts';
import { thumbnailHandlers, ThumbnailVersions } from './server/images/thumbnails.ts';
import type { Sight } from './server/playback/access.ts';
import type { MediaSeconds } from './server/playback/media-seconds.ts';
import { Playback } from './server/playback/playback.ts';
import { portraitDeadlines, portraitHandler } from './server/images/portraits.ts';
import { Publishing } from './server/ingest/publishing.ts';
import { Rtmp } from './server/ingest/rtmp.ts';
import { settingsHandlers } from './server/settings.ts';
import { Standby } from './server/standby.ts';
import { whipHandlers } from './server/ingest/whip.ts';
import {
  deleteBrowserKeys, deleteStreamKey, findDetails, findDetailsOf, findStreamerSettings, findStudios,
  insertBroadcast, isStandby, lastBroadcasts, lastBroadcastsOf, openBySessions, portraitBlobs, saveDetails,
  savePortrait, standbyAmong,
  streamKeyMadeAt,
} from './store.ts';
import { ownRows } from './store/own-rows.ts';

export type { DivertedReport } from './server/ingest/diversions.ts';
export type { IceServerView, IceSettings } from './server/ice/ice.ts';
export type { BroadcastView } from './server/dependencies.ts';
export type { MediaSeconds } from './server/playback/media-seconds.ts';
export { pictureCaching, type Sight } from './server/playback/access.ts';

/** A performer's tags, in the current user. */
const tagsPart: UserPart = {
  keys: ['tags'],
  read: async (tx, { id, type }) => ({ tags: type === 'model' ? (await findDetails(tx, id)).tags : [] }),
};

export interface BroadcastService {
  readonly viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>;
  /** The same of many performers with one query each, and their studios: for read models. */
  readonly viewsOf: (
    tx: Tx, performerIds: readonly number[],
  ) => Promise<ReadonlyMap<number, ListedBroadcast>>;
  /** The `stream` group of room data; with a playback token while live, if this viewer may watch. */
  readonly streamFor: (tx: Tx, view: BroadcastView, context: CallContext) => Promise<StreamInfo>;
  /**
   * Moves the running broadcast to a new stream name and mode without interrupting the publisher. All readers
   * of the old name are cut when it resolves. Null when the performer is not live.
   */
  readonly move: (
    scope: OperatorScope, performerId: number, mode: PlaybackMode,
  ) => Promise<{ readonly stream: string } | null>;
  /** Checks all current viewers of a performer again, and cuts those who may no longer watch. */
  readonly review: (scope: OperatorScope, performerId: number) => Promise<void>;
  /** Creates a stream key without HTTP, for seeds; returns the key. */
  readonly makeStreamKey: (tx: Tx, performerId: number) => Promise<string>;
  /** Sets topic and tags without HTTP; throws for invalid tags. */
  readonly setDetails: (tx: Tx, performerId: number, title: string, tags: readonly string[]) => Promise<void>;
  /** Stores a broadcast that is over, of a performer who is cleared, without HTTP and media: for seeds. */
  readonly addPast: (tx: Tx, performerId: number, startedAt: Date, endedAt: Date) => Promise<void>;
  /** Sets a performer's portrait: a WebP blob that has been decoded and re-encoded. */
  readonly setPortrait: (tx: Tx, performerId: number, blobId: string) => Promise<void>;
  /**
   * Whether a request may see a performer in a mode, by any picture: the stream, thumbnails, the offline
   * video. Null when it may not.
   */
  readonly sightOf: (
    tx: Tx, context: CallContext, performerId: number, mode: PlaybackMode,
  ) => Promise<Sight | null>;
  /**
   * Seconds of a private stream that the relay itself measured: of the performer's media, and of what a
   * person was sent. Both only grow; of a stream nobody knows, and of a public one, they are 0. They can be
   * read for two minutes after the stream has ended or moved, and begin at 0 after a restart: only their
   * growth means anything. Known where media is (`needsMedia`).
   */
  readonly mediaSeconds: (
    of: { readonly streamName: string; readonly personId: number },
  ) => MediaSeconds;
  /**
   * The same at the end of what somebody pays: seconds that they were sent and have not reported are not
   * waited for any longer.
   */
  readonly lastMediaSeconds: BroadcastService['mediaSeconds'];
  /** Bits a second that a stream takes now, as measured; null while nothing is. */
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

/** A broadcast as listings need it. */
export interface ListedBroadcast extends BroadcastView {
  readonly studio: string | null;
}

export type BroadcastSlice = Slice<BroadcastService>;

const EXTENSIONS = [
  implement(personalData, ownRows), implement(userPart, tagsPart), implement(blobNames, () => portraitBlobs),
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
  });
  const cameras: Cameras = new Cameras(deps, (stream) => playback.streamEnded(stream));
  const playback = new Playback(deps, publishing, cameras);
  const whip = whipHandlers(deps, publishing, cameras);
  const rtmp = new Rtmp(deps, publishing);
  const standby = new Standby(deps);
  const review = async ({ operatorId }: OperatorScope, performerId: number): Promise<void> => {
    const { stream } = await deps.data.tx({ operatorId }, (tx) => viewOf(tx, performerId));
    if (stream !== null) await playback.review(operatorId, performerId, stream);
  };
  const service: BroadcastService = {
    viewOf, viewsOf, streamFor: playback.streamFor, sightOf: playback.sightOf,
    mediaSeconds: playback.mediaSeconds, lastMediaSeconds: playback.lastMediaSeconds, review, cameras,
    bitsOf: (stream) => bitsOf(publishing, stream), makeStreamKey,
    move: (scope, performerId, mode) => publishing.move(scope, performerId, mode),
    settled: () => rtmp.idle().then(() => publishing.idle()),
    divert: (scope, performerId, diversion) => publishing.divert(scope, performerId, diversion),
    undivert: (scope, performerId) => publishing.undivert(scope, performerId),
    addPast: (tx, performerId, startedAt, endedAt) => addPast(deps, tx, performerId, startedAt, endedAt),
    setPortrait: savePortrait, pictureVersion: (stream) => pictures.of(stream),
    camSettingsOf: async (tx, performerId) => (await findStreamerSettings(tx, performerId)).cam,
    memberEntered: (tx, performerId, memberId) => standby.memberEntered(tx, performerId, memberId),
    setDetails: async (tx, performerId, title, tags) => {
      const slugs = slugTags(tags);
      if (!slugs) throw new Error('invalid tag');
      await writeDetails(deps, tx, performerId, plainTitle(title), slugs);
    },
  };
  const stopReports = engine.onReport(reportsTo(whip, playback, publishing, cameras));
  return {
    name: 'broadcast', needsMedia: true, service, extensionPoints,
    extensions: EXTENSIONS,
    callHandlers: [
      ...whip.callHandlers, ...playback.callHandlers(viewOf), ...keyHandlers(deps, publishing),
      ...consoleHandlers(deps, publishing, standby), portraitHandler(deps), ...standby.callHandlers(),
      ...thumbnailHandlers(deps, viewOf, playback.sightOf), ...settingsHandlers(deps, standby),
    ],
    subscriptions: [
      ...subscriptions(deps, { publishing, playback, cameras }, review), ...standby.subscriptions(),
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

function bitsOf(publishing: Publishing, stream: string): number | null {
  const health = publishing.healthOf(stream);
  return health && health.videoBitsPerSecond + health.audioBitsPerSecond;
}

/** Brings what the engine reports to whom it concerns. */
const reportsTo = (
  whip: ReturnType<typeof whipHandlers>, playback: Playback, publishing: Publishing, cameras: Cameras,
) => (report: StreamReport): void => {
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
      // Whose camera is shown from where is not known here: each can be shared again where it may.
      await cameras.closeOf({ operatorId }, payload.performerId);
      await review({ operatorId }, payload.performerId);
    }),
    subscribe(streamKeyRevoked, 'broadcast.streamKeyRevoked')(({ operatorId, payload }) =>
      cutEncoder(publishing, { operatorId }, payload.performerId)),
    subscribe(sessionsEnded, 'broadcast.sessionsEnded')(async ({ operatorId, payload }) => {
      await playback.cut(payload.sessionIds);
      await cameras.closeOfSessions(payload.sessionIds);
      await endSessions(deps, { publishing, cameras }, operatorId, payload);
    }),
  ];
}

async function viewOf(tx: Tx, performerId: number): Promise<BroadcastView> {
  return broadcastView({
    performerId, last: await lastBroadcasts(tx, performerId), details: await findDetails(tx, performerId),
    standby: await isStandby(tx, performerId),
  });
}

async function viewsOf(
  tx: Tx, performerIds: readonly number[],
): Promise<ReadonlyMap<number, ListedBroadcast>> {
  const broadcasts = await lastBroadcastsOf(tx, performerIds);
  const details = await findDetailsOf(tx, performerIds);
  const standby = await standbyAmong(tx, performerIds);
  const studios = await findStudios(tx, performerIds);
  return new Map(performerIds.map((performerId) => [performerId, {
    ...broadcastView({
      performerId, last: broadcasts.get(performerId) ?? { open: null, lastEndedAt: null },
      details: details.get(performerId) ?? { title: '', tags: [] }, standby: standby.has(performerId),
    }),
    studio: studios.get(performerId) ?? null,
  }]));
}

function broadcastView({ performerId, last: { open, lastEndedAt }, details: { title, tags }, standby }: {
  readonly performerId: number; readonly last: Awaited<ReturnType<typeof lastBroadcasts>>;
  readonly details: { readonly title: string; readonly tags: readonly string[] }; readonly standby: boolean;
}): BroadcastView {
  const phase = open?.state.phase ?? 'ended';
  const startedAt = open?.state.startedAt ?? null;
  return {
    performerId, broadcastId: open?.id ?? null, title, tags, state: phase === 'ended' ? 'offline' : phase,
    stream: open && startedAt !== null ? open.stream : null, mode: open?.mode ?? 'public', standby,
    startedAt: startedAt === null ? null : new Date(startedAt), lastOnlineAt: lastEndedAt,
  };
}

/** Of a recovery: whoever publishes with the key, or would, may be a thief. */
async function revokeStreamKey(tx: Tx, performerId: number): Promise<void> {
  if (!(await deleteStreamKey(tx, performerId))) return;
  await tx.publish(streamKeyRevoked, `performer:${performerId}`, { performerId });
}

/** Ends a broadcast from an encoder: its key was replaced or taken away. */
async function cutEncoder(publishing: Publishing, scope: OperatorScope, performerId: number): Promise<void> {
  await publishing.end(scope, performerId, 'key_rotated', ({ publishedWith }) =>
    publishedWith === 'stream_key');
}

/** Log-out deletes the session's keys and ends what they publish; suspension ends every broadcast. */
async function endSessions(
  { data, accounts, secret }: BroadcastDependencies,
  { publishing, cameras }: { publishing: Publishing; cameras: Cameras }, operatorId: number,
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
    await publishing.end({ operatorId }, performerId, 'logged_out', ({ loginSession }) =>
      loginSession !== null && sessions.includes(loginSession));
  }
}

/** The row of a broadcast that nobody saw: no fact is published, as nothing changed for anybody. */
async function addPast(
  { compliance }: BroadcastDependencies, tx: Tx, performerId: number, startedAt: Date, endedAt: Date,
): Promise<void> {
  const clearanceId = await compliance.clearanceOf(tx, performerId);
  if (clearanceId === null) throw new Error(`performer ${performerId} is not cleared`);
  const stream = uuidV4();
  await insertBroadcast(tx, {
    stream, mode: 'public', clearanceId,
    publisher: { protocol: 'whip', performerId, keyHash: '', kind: 'stream_key', loginSession: null },
    state: {
      phase: 'ended', session: stream, startedAt: startedAt.getTime(), endedAt: endedAt.getTime(),
      endReason: 'performer', deadline: null,
    },
  });
}

async function writeDetails(
  { accounts }: BroadcastDependencies, tx: Tx, performerId: number, title: string, tags: string[],
): Promise<void> {
  const person = await accounts.findById(tx, performerId);
  if (!person) throw new Error(`performer ${performerId} has no account`);
  await saveDetails(tx, performerId, title, tags);
  const { username } = person;
  await tx.publish(detailsChanged, `performer:${performerId}`, { performerId, username, title, tags });
}

function keyHandlers(deps: BroadcastDependencies, publishing: Publishing): CallHandler[] {
  const { data, accounts, compliance, secret, ice } = deps;
  return [
    handleCall(rotateStreamKey)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const key = await data.tx(context.scope, async (tx) => {
        await accounts.lockCaller(tx, context);
        const clearance = await compliance.clearanceOf(tx, performerId);
        return clearance === null ? null : makeStreamKey(tx, performerId);
      });
      if (key === null) return context.refuse(clearanceMissing);
      // The old key may have been stolen, so its publisher is cut.
      await cutEncoder(publishing, context.scope, performerId);
      return { stream_key: key, whip_url: whipUrlOf(context) };
    }),
    handleCall(makeBrowserKey)(async (_input, context) => {
      const { performerId, sessionId } = performerOf(context);
      const made = await data.tx(context.scope, async (tx) => {
        await accounts.lockCaller(tx, context);
        const may = await mayPublish(deps, tx, performerId);
        return 'refused' in may ? may : newBrowserKey(tx, secret, performerId, sessionId);
      });
      if ('refused' in made) return context.refuse(made.refused);
      return {
        stream_key: made.key, whip_url: whipUrlOf(context), expiresAt: made.expiresAt.toISOString(),
        ice_servers: iceServersOf(ice, data.clock.now()),
      };
    }),
  ];
}

function consoleHandlers(
  deps: BroadcastDependencies, publishing: Publishing, standby: Standby,
): CallHandler[] {
  const { data, compliance } = deps;
  return [
    handleCall(getOwnBroadcast)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const standbyAllowed = await standby.isAllowed(context);
      return data.tx(context.scope, async (tx) => {
        const { state, title, tags, startedAt, standby: isOn } = await viewOf(tx, performerId);
        // A broadcast that is only `ready` has health too: it says why nothing can be played.
        const { open } = await lastBroadcasts(tx, performerId);
        const keyMadeAt = await streamKeyMadeAt(tx, performerId);
        return {
          state, title, tags: [...tags], startedAt: startedAt?.toISOString() ?? null,
          hasStreamKey: keyMadeAt !== null, streamKeyMadeAt: keyMadeAt?.toISOString() ?? null,
          cleared: (await compliance.clearanceOf(tx, performerId)) !== null,
          whipUrl: whipUrlOf(context), rtmpUrl: rtmpUrlOf(deps, context), standby: isOn,
          standbyAllowed, health: open === null ? null : publishing.healthOf(open.stream),
        };
      });
    }),
    handleCall(setDetails)(async (input, context) => {
      const { performerId } = performerOf(context);
      const tags = slugTags(input.tags);
      if (!tags) return context.refuse(tagInvalid);
      const title = plainTitle(input.title);
      await data.tx(context.scope, (tx) => writeDetails(deps, tx, performerId, title, tags));
      return { status: 1, title, tags };
    }),
    // What is counted stays here: the time is the page's to measure.
    handleCall(checkUpload)(async ({ data }) => ({ bytes: data.length })),
    handleCall(endBroadcast)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const ended = await publishing.endByPerformer(context.scope, performerId);
      return ended ? { status: 1, ...ended } : context.refuse(notLive);
    }),
  ];
}
