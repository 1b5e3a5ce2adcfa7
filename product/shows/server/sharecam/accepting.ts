import { handleCall, subscribe, type CallHandler, type Subscription } from
  '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import {
  broadcastEnded, broadcastMoved, broadcastStarted, standbyChanged,
} from '#product/broadcast/contract.ts';
import { personModerated } from '#product/rooms/contract/moderation.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import {
  acceptSharecam, cam2camStarted, endSharecam, playSharecam, publishSharecam, sharecamAccepted, sharecamFull,
  sharecamShort, sharecamUnavailable, sharecamUnknown,
} from '../../contract/sharecam.ts';
import { barOfSharecam, maxSharecams, mayRunSharecam } from '../../rules/sharecam.ts';
import { changeSharecam, findSharecams, lockSharecams, type SharecamRow } from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { affordable } from '../metering/payments.ts';
import { personNamed } from '../private/requests.ts';
import { sendSharecams } from './list.ts';
import {
  answerSharecam, chatStatusOf, SHARECAM_DEADLINE, SHARECAM_REFUSALS, sharecamBetween,
} from './requests.ts';
import { sendBoth, type Camera, type RunningSharecams } from './running.ts';
import { sharecamSettingPush } from './settings.ts';
import { runningSharecamView, sharecamConditions } from './views.ts';

type AcceptContext = HandlerContext<RefusalOf<typeof acceptSharecam>, number>;
type AcceptRefused = Refused<RefusalOf<typeof acceptSharecam>>;

/** The request to accept, if nothing prevents it. */
async function acceptable(
  deps: ShowsDependencies, sharecams: RunningSharecams, tx: Tx, context: AcceptContext, username: string,
): Promise<SharecamRow | AcceptRefused> {
  const { refuse } = context;
  const performerId = context.personId;
  await lockSharecams(tx, performerId);
  const viewer = await personNamed(deps, tx, username);
  const row = viewer && await sharecamBetween(tx, viewer.id, performerId);
  if (!viewer || row?.phase !== 'requested' || row.deadline === null || row.deadline <= tx.now) {
    return refuse(sharecamUnknown);
  }
  const status = await chatStatusOf(deps, tx, performerId);
  const conditions = await sharecamConditions(deps, tx, status, performerId, viewer.id);
  const bar = barOfSharecam(row.mode, conditions);
  if (bar !== null) return refuse(SHARECAM_REFUSALS[bar], { extra: { status } });
  if (!mayRunSharecam(row.mode, conditions)) return refuse(sharecamUnavailable, { extra: { status } });
  const running = (await findSharecams(tx, performerId))
    .filter(({ phase, mode }) => phase !== 'requested' && mode === row.mode);
  if (running.length >= maxSharecams(row.mode)) return refuse(sharecamFull);
  const isGone = viewer.inactiveSince !== null || await deps.compliance.isPending(tx, viewer.id);
  const isShort = row.price > 0 && await affordable(deps.ledger, tx, viewer.id, row.price) < row.price;
  if (!isGone && !isShort) return row;
  await answerSharecam(deps, sharecams, tx, row, 'declined');
  return refuse(isGone ? sharecamUnknown : sharecamShort);
}

async function accept(
  deps: ShowsDependencies, sharecams: RunningSharecams, tx: Tx, context: AcceptContext, username: string,
): Promise<AcceptRefused | Camera> {
  const row = await acceptable(deps, sharecams, tx, context, username);
  if (row instanceof Refused) return row;
  const started = await changeSharecam(tx, row.id, { phase: 'started', deadline: null, accepted_at: tx.now });
  await tx.unschedule(SHARECAM_DEADLINE, String(row.id));
  const camera = await sharecams.accepted(tx, started);
  // Nothing is committed yet: only this row has to be undone.
  if (!camera) {
    await changeSharecam(tx, row.id, { phase: 'declined', accepted_at: null });
    return context.refuse(sharecamFull);
  }
  await tx.send(topicPersonChannel(roomTopic(row.performer_id), row.viewer_id), sharecamAccepted,
    runningSharecamView(camera, 'viewer'));
  await sendBoth(tx, camera, cam2camStarted, {
    username: camera.viewerName, broadcaster: camera.performerName, mode: row.mode,
  });
  await sendSharecams(deps, sharecams, tx, row.performer_id);
  return camera;
}

function acceptHandler(deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler {
  return handleCall(acceptSharecam)(async ({ username }, context) => {
    let camera: Camera | null = null;
    const accepted = await deps.data.tx(context.scope, async (tx) => {
      const outcome = await accept(deps, sharecams, tx, context, username);
      if (!(outcome instanceof Refused)) camera = outcome;
      return outcome;
    }).catch(async (error: unknown) => {
      if (camera) await sharecams.forget(camera);
      throw error;
    });
    return accepted instanceof Refused ? accepted : runningSharecamView(accepted, 'performer');
  });
}

/** The caller's open sharecam with a person, as its viewer or its performer. */
async function ownWith(
  deps: ShowsDependencies, tx: Tx, me: number, username: string,
): Promise<SharecamRow | null> {
  const other = await personNamed(deps, tx, username);
  if (!other) return null;
  return await sharecamBetween(tx, me, other.id) ?? sharecamBetween(tx, other.id, me);
}

export function sharecamHandlers(deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler[] {
  const { data, broadcast: { cameras } } = deps;
  return [
    acceptHandler(deps, sharecams),
    handleCall(endSharecam)(async ({ username }, context) => {
      const me = context.personId;
      const row = await data.tx(context.scope, (tx) => ownWith(deps, tx, me, username));
      const reason = row?.performer_id === me ? 'model_ended' : 'user_ended';
      const isEnded = row !== null && await sharecams.end(context.scope.operatorId, row.id, reason);
      return isEnded ? { status: 1 as const } : context.refuse(sharecamUnknown);
    }),
    handleCall(publishSharecam)(async ({ username }, context) => {
      const row = await data.tx(context.scope, (tx) => ownWith(deps, tx, context.personId, username));
      const stream = row === null ? null : sharecams.streamOf(context.scope.operatorId, row.id);
      // Only the camera's viewer gets a key, and only its performer a token.
      const key = stream === null ? null : cameras.keyFor(stream, context);
      return key ?? context.refuse(sharecamUnknown);
    }),
    handleCall(playSharecam)(async ({ username }, context) => {
      const row = await data.tx(context.scope, (tx) => ownWith(deps, tx, context.personId, username));
      const stream = row === null ? null : sharecams.streamOf(context.scope.operatorId, row.id);
      const playback = stream === null ? null : cameras.playbackOf(stream, context);
      return playback ?? context.refuse(sharecamUnknown);
    }),
  ];
}

/** Ends cameras that the room, its settings, a ban or a kick no longer allow; sends changed settings. */
export function sharecamSubscriptions(
  deps: ShowsDependencies, sharecams: RunningSharecams,
): Subscription[] {
  const review = ({ operatorId, payload: { performerId } }: {
    readonly operatorId: number; readonly payload: { readonly performerId: number };
  }): Promise<void> => sharecams.review(operatorId, performerId);
  return [
    sharecamSettingPush(deps, (operatorId, performerId) => sharecams.review(operatorId, performerId)),
    subscribe(broadcastStarted, 'shows.sharecams.broadcastStarted')(review),
    subscribe(broadcastEnded, 'shows.sharecams.broadcastEnded')(review),
    subscribe(broadcastMoved, 'shows.sharecams.broadcastMoved')(review),
    subscribe(standbyChanged, 'shows.sharecams.standbyChanged')(review),
    subscribe(personModerated, 'shows.sharecams.personModerated')(async (
      { operatorId, payload: { performerId, personId, type, action } },
    ) => {
      if (action !== 'add' || personId === null || (type !== 'banned' && type !== 'kicked')) return;
      const row = await deps.data.tx({ operatorId }, async (tx) => {
        const open = await sharecamBetween(tx, personId, performerId);
        if (open) await answerSharecam(deps, sharecams, tx, open, 'declined');
        return open;
      });
      if (row) await sharecams.end(operatorId, row.id, 'removed');
    }),
  ];
}
