import { answer, hear, type Answer, type Slice } from '../../platform/contract/bind.ts';
import type { CallContext } from '../../platform/contract/context.ts';
import type { Tx } from '../../platform/data/data.ts';
import { sessionsEnded } from '../accounts/contract.ts';
import { clearanceMissing, clearanceRevoked } from '../compliance/contract.ts';
import {
  detailsChanged, endBroadcast, getOwnBroadcast, makeBrowserKey, notLive, rotateStreamKey, setDetails,
  tagInvalid, type StreamInfo,
} from './contract.ts';
import { plainTitle, slugTags } from './rules.ts';
import { loginDigest, makeBrowserKey as newBrowserKey, makeStreamKey } from './server/keys.ts';
import type { BroadcastNeeds, BroadcastView } from './server/needs.ts';
import { Playback } from './server/playback.ts';
import { portraitAnswer } from './server/portraits.ts';
import { Publishing } from './server/publishing.ts';
import {
  deleteBrowserKeys, findDetails, lastBroadcasts, openBySessions, saveDetails, savePortrait, streamKeyMadeAt,
} from './store.ts';

export type { BroadcastView } from './server/needs.ts';

export interface BroadcastService {
  readonly viewOf: (tx: Tx, performerId: number) => Promise<BroadcastView>;
  /** The `stream` group of room data; while live with a playback token, if this viewer may perceive her. */
  readonly streamFor: (tx: Tx, view: BroadcastView, context: CallContext) => Promise<StreamInfo>;
  /** Makes a stream key without HTTP (seeds): the key, shown once. */
  readonly makeStreamKey: (tx: Tx, performerId: number) => Promise<string>;
  /** Sets topic and tags without HTTP; throws for tags that cannot be. */
  readonly setDetails: (tx: Tx, performerId: number, title: string, tags: readonly string[]) => Promise<void>;
  /** Gives a performer a still picture: WebP bytes, already decoded and encoded anew. */
  readonly setPortrait: (tx: Tx, performerId: number, blobId: string) => Promise<void>;
  /** Waits until what the media engine reported so far is written: tests, shutdown. */
  readonly settled: () => Promise<void>;
}

export type BroadcastSlice = Slice<BroadcastService>;

/** Going live: keys, WHIP and WHEP, the course of broadcasts, health, playback tokens. */
export function broadcastSlice(needs: BroadcastNeeds): BroadcastSlice {
  const publishing = new Publishing(needs);
  const playback = new Playback(needs);
  publishing.onStopped = (stream) => playback.forgetStream(stream);
  const service: BroadcastService = {
    viewOf,
    streamFor: playback.streamFor,
    makeStreamKey,
    settled: () => publishing.idle(),
    setPortrait: savePortrait,
    setDetails: async (tx, performerId, title, tags) => {
      const slugs = slugTags(tags);
      if (!slugs) throw new Error('a tag is no slug');
      await writeDetails(needs, tx, performerId, plainTitle(title), slugs);
    },
  };
  const unlisten = needs.engine.onReport((report) => {
    if (report.kind === 'reader_gone') playback.forget(report.session);
    else publishing.report(report);
  });
  return {
    name: 'broadcast',
    service,
    answers: [
      ...publishing.answers(), ...playback.answers(viewOf), ...keyAnswers(needs, publishing),
      ...deskAnswers(needs, publishing), portraitAnswer(needs),
    ],
    hearings: [
      hear(clearanceRevoked, 'broadcast.clearanceRevoked')(async ({ operatorId, payload }) => {
        await publishing.end({ operatorId }, payload.performerId, 'revoked');
      }),
      hear(sessionsEnded, 'broadcast.sessionsEnded')(async ({ operatorId, payload }) => {
        await endSessions(needs, publishing, operatorId, payload);
        await playback.cut(payload.sessionIds);
      }),
    ],
    due: [publishing.due()],
    start: async () => {
      for (const operatorId of await needs.operators()) await publishing.recover(operatorId);
    },
    stop: async () => {
      unlisten();
      await publishing.idle();
    },
  };
}

async function viewOf(tx: Tx, performerId: number): Promise<BroadcastView> {
  const { open, lastEndedAt } = await lastBroadcasts(tx, performerId);
  const { title, tags } = await findDetails(tx, performerId);
  const phase = open?.course.phase ?? 'ended';
  const startedAt = open?.course.startedAt ?? null;
  return {
    performerId, title, tags, state: phase === 'ended' ? 'offline' : phase,
    stream: open && startedAt !== null ? open.stream : null,
    startedAt: startedAt === null ? null : new Date(startedAt), lastOnlineAt: lastEndedAt,
  };
}

/** Log-out takes the keys of the session along and ends what they published; suspension ends everything. */
async function endSessions(
  { data, accounts, secret }: BroadcastNeeds, publishing: Publishing, operatorId: number,
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
  { accounts }: BroadcastNeeds, tx: Tx, performerId: number, title: string, tags: string[],
): Promise<void> {
  const person = await accounts.findById(tx, performerId);
  if (!person) throw new Error(`performer ${performerId} has no account`);
  await saveDetails(tx, performerId, title, tags);
  const { username } = person;
  await tx.announce(detailsChanged, `performer:${performerId}`, { performerId, username, title, tags });
}

/** The person and session behind a call only performers may make. */
function performerOf({ caller }: CallContext): { performerId: number; sessionId: string } {
  const { personId, sessionId } = caller;
  if (personId === null || sessionId === null) throw new Error('the permission table let nobody in');
  return { performerId: personId, sessionId };
}

const whipUrlOf = ({ origin }: CallContext): string => `${origin}/whip`;

function keyAnswers({ data, compliance, secret }: BroadcastNeeds, publishing: Publishing): Answer[] {
  return [
    answer(rotateStreamKey)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const key = await data.tx(context.scope, async (tx) =>
        (await compliance.clearanceOf(tx, performerId)) === null ? null : makeStreamKey(tx, performerId));
      if (key === null) return context.refuse(clearanceMissing);
      // Whoever publishes with the old key may be why it was changed.
      await publishing.end(context.scope, performerId, 'key_rotated', ({ publishedWith }) =>
        publishedWith === 'stream_key');
      return { stream_key: key, whip_url: whipUrlOf(context) };
    }),
    answer(makeBrowserKey)(async (_input, context) => {
      const { performerId, sessionId } = performerOf(context);
      const made = await data.tx(context.scope, async (tx) =>
        (await compliance.clearanceOf(tx, performerId)) === null
          ? null
          : newBrowserKey(tx, secret, performerId, sessionId));
      if (made === null) return context.refuse(clearanceMissing);
      return { stream_key: made.key, whip_url: whipUrlOf(context), expiresAt: made.expiresAt.toISOString() };
    }),
  ];
}

function deskAnswers(needs: BroadcastNeeds, publishing: Publishing): Answer[] {
  const { data, compliance } = needs;
  return [
    answer(getOwnBroadcast)(async (_input, context) => {
      const { performerId } = performerOf(context);
      return data.tx(context.scope, async (tx) => {
        const { state, title, tags, startedAt, stream } = await viewOf(tx, performerId);
        const keyMadeAt = await streamKeyMadeAt(tx, performerId);
        return {
          state, title, tags: [...tags], startedAt: startedAt?.toISOString() ?? null,
          hasStreamKey: keyMadeAt !== null, streamKeyMadeAt: keyMadeAt?.toISOString() ?? null,
          cleared: (await compliance.clearanceOf(tx, performerId)) !== null,
          whipUrl: whipUrlOf(context), health: stream === null ? null : publishing.healthOf(stream),
        };
      });
    }),
    answer(setDetails)(async (input, context) => {
      const { performerId } = performerOf(context);
      const tags = slugTags(input.tags);
      if (!tags) return context.refuse(tagInvalid);
      const title = plainTitle(input.title);
      await data.tx(context.scope, (tx) => writeDetails(needs, tx, performerId, title, tags));
      return { status: 1, title, tags };
    }),
    answer(endBroadcast)(async (_input, context) => {
      const { performerId } = performerOf(context);
      const ended = await publishing.end(context.scope, performerId, 'performer');
      return ended ? { status: 1, ...ended } : context.refuse(notLive);
    }),
  ];
}
