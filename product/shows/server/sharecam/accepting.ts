import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import {
  acceptSharecam,
  cam2camStarted,
  sharecamAccepted,
  sharecamFull,
  sharecamShort,
  sharecamUnavailable,
  sharecamUnknown,
} from '../../contract/sharecam.ts';
import { barOfSharecam, maxSharecams, mayRunSharecam } from '../../rules/sharecam.ts';
import { changeSharecam, findSharecams, lockSharecams, type SharecamRow } from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { affordable } from '../metering/payments.ts';
import { personNamed } from '../private/requests.ts';
import { sendSharecams } from './list.ts';
import { sendBoth, type Camera } from './metered-camera.ts';
import {
  answerSharecam,
  chatStatusOf,
  SHARECAM_DEADLINE,
  SHARECAM_REFUSALS,
  sharecamBetween,
} from './requests.ts';
import type { RunningSharecams } from './running.ts';
import { runningSharecamView, sharecamConditions } from './views.ts';

type AcceptContext = HandlerContext<RefusalOf<typeof acceptSharecam>, number>;
type AcceptRefused = Refused<RefusalOf<typeof acceptSharecam>>;

/** The request to accept, if nothing prevents it. */
async function acceptable(
  deps: ShowsDependencies,
  sharecams: RunningSharecams,
  tx: Tx,
  context: AcceptContext,
  username: string,
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
  deps: ShowsDependencies,
  sharecams: RunningSharecams,
  tx: Tx,
  context: AcceptContext,
  username: string,
  open: (row: SharecamRow) => Promise<Camera | null>,
): Promise<AcceptRefused | Camera> {
  const row = await acceptable(deps, sharecams, tx, context, username);
  if (row instanceof Refused) return row;
  const started = await changeSharecam(tx, row.id, { phase: 'started', deadline: null, accepted_at: tx.now });
  await tx.unschedule(SHARECAM_DEADLINE, String(row.id));
  const camera = await open(started);
  // Nothing is committed yet: only this row has to be undone.
  if (!camera) {
    await changeSharecam(tx, row.id, { phase: 'declined', accepted_at: null });
    return context.refuse(sharecamFull);
  }
  await tx.send(
    topicPersonChannel(roomTopic(row.performer_id), row.viewer_id),
    sharecamAccepted,
    runningSharecamView(camera, 'viewer'),
  );
  await sendBoth(tx, camera, cam2camStarted, {
    username: camera.viewerName,
    broadcaster: camera.performerName,
    mode: row.mode,
  });
  await sendSharecams(deps, sharecams, tx, row.performer_id);
  return camera;
}

export function acceptSharecamHandler(deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler {
  return handleCall(acceptSharecam)(async ({ username }, context) => {
    const accepted = await sharecams.unit(
      context.scope,
      (tx, open) => accept(deps, sharecams, tx, context, username, open),
    );
    return accepted instanceof Refused ? accepted : runningSharecamView(accepted, 'performer');
  });
}
