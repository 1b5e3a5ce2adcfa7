import {
  handleCall, subscribe, type CallHandler, type Subscription, type Slice,
} from '../../platform/contract/bind.ts';
import type { CallContext } from '../../platform/contract/context.ts';
import type { OperatorScope, Tx } from '../../platform/data/data.ts';
import { sessionsEnded } from '../accounts/contract.ts';
import { clearanceMissing, clearanceRevoked, regionsBlocked } from '../compliance/contract.ts';
import {
  detailsChanged, endBroadcast, getOwnBroadcast, makeBrowserKey, notLive, rotateStreamKey, setDetails,
  tagInvalid, type CamView, type StreamInfo,
} from './contract.ts';
import * as extensionPoints from './extension-points.ts';
import { plainTitle, slugTags, type PlaybackMode } from './rules.ts';
import type { Diversion } from './server/ingest/diversions.ts';
import { iceServersOf } from './server/ice/ice.ts';
import { loginDigest, makeBrowserKey as newBrowserKey, makeStreamKey } from './server/ingest/keys.ts';
import {
  performerOf, rtmpUrlOf, whipUrlOf, type BroadcastDependencies, type BroadcastView,
} from './server/dependencies.ts';
import { pictureHandlers, PictureVersions } from './server/pictures/pictures.ts';
import { Playback } from './server/playback/playback.ts';
import { portraitAnswer } from './server/pictures/portraits.ts';
import { Publishing } from './server/ingest/publishing.ts';
import { Rtmp } from './server/ingest/rtmp.ts';
import { settingsHandlers } from './server/settings.ts';
import { Standby } from './server/standby.ts';
import { whipHandlers } from './server/ingest/whip.ts';
import {
  deleteBrowserKeys, findDetails, findStreamerSettings, isStandby, lastBroadcasts, openBySessions,
  saveDetails, savePortrait, streamKeyMadeAt,
} from './store.ts';

export type { DivertedReport } from './server/ingest/diversions.ts';
export type { IceServerView, IceSettings } from './server/ice/ice.ts';
export type { BroadcastView } from './server/dependencies.ts';

export interface BroadcastService {
  readonly viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>;
  /** The `stream` group of room data; while live with a playback token, if this viewer may watch her. */
  readonly streamFor: (tx: Tx, view: BroadcastView, context: CallContext) => Promise<StreamInfo>;
  /**
   * Gives the running broadcast another stream name and mode; the publisher notices nothing. When it resolves
   * nobody reads the old name any more. Null when she is not live.
   */
  readonly move: (
    scope: OperatorScope, performerId: number, mode: PlaybackMode,
  ) => Promise<{ readonly stream: string } | null>;
  /** Who may watch a performer has changed: everybody who does is asked anew, and cut who may not. */
  readonly review: (scope: OperatorScope, performerId: number) => Promise<void>;
  /** Makes a stream key without HTTP (seeds): the key, shown once. */
  readonly makeStreamKey: (tx: Tx, performerId: number) => Promise<string>;
  /** Sets topic and tags without HTTP; throws for tags that cannot be. */
  readonly setDetails: (tx: Tx, performerId: number, title: string, tags: readonly string[]) => Promise<void>;
  /** Gives a performer a still picture: WebP bytes, already decoded and encoded anew. */
  readonly setPortrait: (tx: Tx, performerId: number, blobId: string) => Promise<void>;
  /** Changes with the live picture of a stream; null while it has none (`getThumbnail`, `getPreview`). */
  readonly pictureVersion: (stream: string) => number | null;
  /** Devices and bit rate of the go-live page, for room data: the performer's own business and staff's. */
  readonly camSettingsOf: (tx: Tx, performerId: number) => Promise<CamView>;
  /** A member came into the room of a performer: in standby her own tabs are told, at most once a minute. */
  readonly visitorCame: (tx: Tx, performerId: number, memberId: number) => Promise<void>;
  /**
   * Sends the performer's next publishers, with any of her keys, to a stream that nobody else can play or
   * learn of. False while a broadcast runs. Lasts until `undivert`, which cuts the publisher.
   */
  readonly divert: (scope: OperatorScope, performerId: number, diversion: Diversion) => Promise<boolean>;
  readonly undivert: (scope: OperatorScope, performerId: number) => Promise<void>;
  /** Waits until what the media engine reported so far is written: tests, shutdown. */
  readonly settled: () => Promise<void>;
}

export type BroadcastSlice = Slice<BroadcastService>;

/** Going live: keys, WHIP, RTMP, WHEP, HLS, the course of broadcasts, health, playback tokens, pictures. */
export function broadcastSlice(deps: BroadcastDependencies): BroadcastSlice {
  const { media: { engine, outputs } } = deps;
  const pictures = new PictureVersions(outputs, deps.data.clock);
  const publishing: Publishing = new Publishing(deps, {
    ended: async (stream) => {
      pictures.forget(stream);
      playback.streamEnded(stream);
      await outputs.forget(stream);
    },
    moved: async (stream) => {
      pictures.forget(stream);
      playback.streamMoved(stream);
      await outputs.forget(stream);
    },
    public: (streams) => outputs.watch(streams),
  });
  const playback = new Playback(deps, publishing);
  const whip = whipHandlers(deps, publishing);
  const rtmp = new Rtmp(deps, publishing);
  const standby = new Standby(deps);
  const review = async ({ operatorId }: OperatorScope, performerId: number): Promise<void> => {
    const { stream } = await deps.data.tx({ operatorId }, (tx) => viewOf(tx, performerId));
    if (stream !== null) await playback.review(operatorId, performerId, stream);
  };
  const service: BroadcastService = {
    viewOf,
    streamFor: playback.streamFor,
    move: (scope, performerId, mode) => publishing.move(scope, performerId, mode),
    review,
    makeStreamKey,
    settled: () => publishing.idle(),
    divert: (scope, performerId, diversion) => publishing.divert(scope, performerId, diversion),
    undivert: (scope, performerId) => publishing.undivert(scope, performerId),
    setPortrait: savePortrait,
    pictureVersion: (stream) => pictures.of(stream),
    camSettingsOf: async (tx, performerId) => (await findStreamerSettings(tx, performerId)).cam,
    visitorCame: (tx, performerId, memberId) => standby.visitorCame(tx, performerId, memberId),
    setDetails: async (tx, performerId, title, tags) => {
      const slugs = slugTags(tags);
      if (!slugs) throw new Error('a tag is no slug');
      await writeDetails(deps, tx, performerId, plainTitle(title), slugs);
    },
  };
  const unlisten = engine.onReport((report) => {
    if (report.kind === 'down') whip.ended(report.session);
    if (report.kind === 'health') playback.measured(report.health);
    if (report.kind === 'reader_gone') playback.readerGone(report.session);
    else publishing.report(report);
  });
  return {
    name: 'broadcast', needsMedia: true, service, extensionPoints,
    callHandlers: [
      ...whip.answers, ...playback.answers(viewOf), ...keyAnswers(deps, publishing),
      ...deskAnswers(deps, publishing, standby), portraitAnswer(deps), ...pictureHandlers(deps, viewOf),
      ...standby.answers(), ...settingsHandlers(deps, standby),
    ],
    subscriptions: [...hearings(deps, publishing, playback, review), ...standby.hearings()],
    deadlineHandlers: [publishing.due(), standby.due()],
    start: async () => {
      for (const operatorId of await deps.site.operators()) await publishing.recover(operatorId);
      await rtmp.start();
    },
    stop: async () => {
      rtmp.stop();
      unlisten();
      await publishing.idle();
    },
  };
}

function hearings(
  deps: BroadcastDependencies, publishing: Publishing, playback: Playback, review: BroadcastService['review'],
): Subscription[] {
  return [
    subscribe(clearanceRevoked, 'broadcast.clearanceRevoked')(async ({ operatorId, payload }) => {
      await publishing.end({ operatorId }, payload.performerId, 'revoked');
    }),
    subscribe(regionsBlocked, 'broadcast.regionsBlocked')(({ operatorId, payload }) =>
      review({ operatorId }, payload.performerId)),
    subscribe(sessionsEnded, 'broadcast.sessionsEnded')(async ({ operatorId, payload }) => {
      await playback.cut(payload.sessionIds);
      await endSessions(deps, publishing, operatorId, payload);
    }),
  ];
}

async function viewOf(tx: Tx, performerId: number): Promise<BroadcastView> {
  const { open, lastEndedAt } = await lastBroadcasts(tx, performerId);
  const { title, tags } = await findDetails(tx, performerId);
  const phase = open?.course.phase ?? 'ended';
  const startedAt = open?.course.startedAt ?? null;
  return {
    performerId, broadcastId: open?.id ?? null, title, tags, state: phase === 'ended' ? 'offline' : phase,
    stream: open && startedAt !== null ? open.stream : null, mode: open?.mode ?? 'public',
    standby: await isStandby(tx, performerId),
    startedAt: startedAt === null ? null : new Date(startedAt), lastOnlineAt: lastEndedAt,
  };
}

/** Log-out takes the keys of the session along and ends what they published; suspension ends everything. */
async function endSessions(
  { data, accounts, secret }: BroadcastDependencies, publishing: Publishing, operatorId: number,
  { personId, sessionIds }: { personId: number; sessionIds: readonly string[] },
): Promise<void> {
  const sessions = sessionIds.map((id) => loginDigest(secret, id));
  const { performers, isSuspended } = await data.tx({ operatorId }, async (tx) => {
    const person = await accounts.findById(tx, personId);
    const isOut = person?.suspendedAt != null;
    if (sessions.length === 0) return { performers: [], isSuspended: isOut };
    await deleteBrowserKeys(tx, sessions);
    return { performers: await openBySessions(tx, sessions), isSuspended: isOut };
  });
  if (isSuspended) await publishing.end({ operatorId }, personId, 'suspended');
  for (const performerId of performers) {
    await publishing.end({ operatorId }, performerId, 'logged_out', ({ loginSession }) =>
      loginSession !== null && sessions.includes(loginSession));
  }
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

function keyAnswers(
  { data, compliance, secret, ice }: BroadcastDependencies, publishing: Publishing,
): CallHandler[] {
  return [
    handleCall(rotateStreamKey)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const key = await data.tx(context.scope, async (tx) =>
        (await compliance.clearanceOf(tx, performerId)) === null ? null : makeStreamKey(tx, performerId));
      if (key === null) return context.refuse(clearanceMissing);
      // Whoever publishes with the old key may be why it was changed.
      await publishing.end(context.scope, performerId, 'key_rotated', ({ publishedWith }) =>
        publishedWith === 'stream_key');
      return { stream_key: key, whip_url: whipUrlOf(context) };
    }),
    handleCall(makeBrowserKey)(async (_input, context) => {
      const { performerId, sessionId } = performerOf(context);
      const made = await data.tx(context.scope, async (tx) =>
        (await compliance.clearanceOf(tx, performerId)) === null
          ? null
          : newBrowserKey(tx, secret, performerId, sessionId));
      if (made === null) return context.refuse(clearanceMissing);
      return {
        stream_key: made.key, whip_url: whipUrlOf(context), expiresAt: made.expiresAt.toISOString(),
        ice_servers: iceServersOf(ice, data.clock.now()),
      };
    }),
  ];
}

function deskAnswers(deps: BroadcastDependencies, publishing: Publishing, standby: Standby): CallHandler[] {
  const { data, compliance } = deps;
  return [
    handleCall(getOwnBroadcast)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const standbyAllowed = await standby.isAllowed(context);
      return data.tx(context.scope, async (tx) => {
        const { state, title, tags, startedAt, standby: isOn } = await viewOf(tx, performerId);
        // What is not shown yet has health too: what stands in its way.
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
    handleCall(endBroadcast)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const ended = await publishing.end(context.scope, performerId, 'performer');
      return ended ? { status: 1, ...ended } : context.refuse(notLive);
    }),
  ];
}
