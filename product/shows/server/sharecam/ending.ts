import { handleCall, subscribe, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import {
  broadcastEnded,
  broadcastMoved,
  broadcastStarted,
  standbyChanged,
} from '#product/broadcast/contract.ts';
import { endSharecam, sharecamUnknown } from '../../contract/sharecam.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { expelled } from '../expelled.ts';
import { answerSharecam, sharecamBetween, sharecamWith } from './requests.ts';
import type { RunningSharecams } from './running.ts';
import { sharecamSettingPush } from './settings.ts';

export const endSharecamHandler = (deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler =>
  handleCall(endSharecam)(async ({ username }, context) => {
    const me = context.personId;
    const row = await deps.data.tx(context.scope, (tx) => sharecamWith(deps, tx, me, username));
    const reason = row?.performer_id === me ? 'model_ended' : 'user_ended';
    const ended = row && await sharecams.metering.end(context.scope.operatorId, row.id, reason);
    return ended ? { status: 1 as const } : context.refuse(sharecamUnknown);
  });

/** Ends cameras that the room, its settings, a ban or a kick no longer allow; sends changed settings. */
export function sharecamSubscriptions(
  deps: ShowsDependencies,
  sharecams: RunningSharecams,
): Subscription[] {
  const review = ({ operatorId, payload: { performerId } }: {
    readonly operatorId: number;
    readonly payload: { readonly performerId: number };
  }): Promise<void> => sharecams.review(operatorId, performerId);
  return [
    sharecamSettingPush(deps, (operatorId, performerId) => sharecams.review(operatorId, performerId)),
    subscribe(broadcastStarted, 'shows.sharecams.broadcastStarted')(review),
    subscribe(broadcastEnded, 'shows.sharecams.broadcastEnded')(review),
    subscribe(broadcastMoved, 'shows.sharecams.broadcastMoved')(review),
    subscribe(standbyChanged, 'shows.sharecams.standbyChanged')(review),
    expelled('shows.sharecams.personModerated', async ({ operatorId, performerId, personId }) => {
      const row = await deps.data.tx({ operatorId }, async (tx) => {
        const open = await sharecamBetween(tx, personId, performerId);
        if (open) await answerSharecam(deps, sharecams, tx, open, 'declined');
        return open;
      });
      if (row) await sharecams.metering.end(operatorId, row.id, 'removed');
    }),
  ];
}
