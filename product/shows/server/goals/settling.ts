import type { OperatorScope, Tx } from '#platform/data/data.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import { SETTLED_AT_ONCE } from '../../rules/ticket-show.ts';
import {
  findGroupGoal,
  findHeldGifts,
  lockGroupGoal,
  settleGift,
  type GiftRow,
  type GroupGoalRow,
} from '../../store/group-goals.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { isPosted } from '../metering/payments.ts';
import { settlePledge } from '../pledges.ts';
import { namesOf } from '../private/views.ts';

/** Settles the gifts of a finished goal again if a process died halfway. */
export const GIFTS_SETTLE = 'shows.giftsSettle';

const settleIdOf = (
  { operationId }: Pick<LedgerService, 'operationId'>,
  gift: Pick<
    GiftRow,
    'viewer_id' | 'operation'
  >,
): string => operationId(gift.viewer_id, 'shows.groupGoal', `${gift.operation} settle`);

/** Settles the gifts of a finished goal, each once; a repetition continues where the last run stopped. */
export async function settleGifts(
  deps: ShowsDependencies,
  scope: OperatorScope,
  goalId: number,
): Promise<void> {
  for (;;) {
    const settled = await deps.data.tx(scope, async (tx) => {
      const goal = await findGroupGoal(tx, goalId);
      if (!goal || goal.end_reason === null) return 0;
      await lockGroupGoal(tx, goal.performer_id);
      const gifts = await findHeldGifts(tx, goalId, SETTLED_AT_ONCE);
      if (gifts.length > 0) await settle(deps, tx, goal, gifts);
      return gifts.length;
    });
    if (settled < SETTLED_AT_ONCE) return;
  }
}

async function settle(
  { ledger, accounts, performerSharePercent: sharePercent }: ShowsDependencies,
  tx: Tx,
  goal: GroupGoalRow,
  gifts: readonly GiftRow[],
): Promise<void> {
  const isPaid = goal.end_reason === 'reached';
  const { performer_id: performerId, id: show } = goal;
  const nameOf = await namesOf(accounts, tx, [performerId, ...gifts.map((gift) => gift.viewer_id)]);
  const outcomes = await ledger.post(
    tx,
    gifts.map((gift) =>
      settlePledge(
        {
          viewerId: gift.viewer_id,
          tokens: gift.tokens,
          performerId,
          show,
          kind: 'group_goal',
          viewerName: nameOf(gift.viewer_id),
          performerName: nameOf(performerId),
          holdId: gift.operation,
          settleId: settleIdOf(ledger, gift),
        },
        isPaid,
        sharePercent,
      )
    ),
  );
  for (const [at, gift] of gifts.entries()) {
    // A hold that has expired gave everything back: nobody is charged later.
    await settleGift(tx, gift.id, isPaid && isPosted(outcomes[at]) ? 'paid' : 'returned');
  }
}
