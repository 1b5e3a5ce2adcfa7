import { handleCall, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import { endPrivate, notInShow } from '../../contract/private-running.ts';
import { findRequest } from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { expelled } from '../expelled.ts';
import { answerRequest, personNamed, sendQueue } from './requests.ts';
import { showWith, type RunningShows } from './running.ts';

export function endHandler(deps: ShowsDependencies, shows: RunningShows): CallHandler {
  return handleCall(endPrivate)(async ({ username }, context) => {
    const me = context.personId;
    const row = await deps.data.tx(context.scope, async (tx) => {
      const named = await personNamed(deps, tx, username);
      if (!named) return null;
      // Either person may name the other, and a performer may also name their own room.
      const ofPerformer = await showWith(tx, me, named.id);
      return ofPerformer ?? showWith(tx, named.id, me);
    });
    if (!row) return context.refuse(notInShow);
    const reason = row.performer_id === me ? 'model_ended' : 'user_ended';
    const receipt = await shows.metering.end(context.scope.operatorId, row.id, { kind: 'over', reason });
    if (!receipt) return context.refuse(notInShow);
    return row.performer_id === me ? { ...receipt, limit: null } : receipt;
  });
}

/** A viewer who is banned or kicked from a room loses their request, and the show they are in. */
export const removedViewers = (deps: ShowsDependencies, shows: RunningShows): Subscription =>
  expelled('shows.personModerated', async ({ operatorId, performerId, personId }) => {
    const row = await deps.data.tx({ operatorId }, async (tx) => {
      const request = await findRequest(tx, performerId, personId);
      if (request && await answerRequest(deps, tx, request, { kind: 'declined' })) {
        await sendQueue(deps, tx, performerId);
      }
      return showWith(tx, performerId, personId);
    });
    if (row?.viewer_id === personId) {
      await shows.metering.end(operatorId, row.id, { kind: 'over', reason: 'model_ended' });
    }
  });
