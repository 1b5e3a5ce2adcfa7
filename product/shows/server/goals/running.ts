import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { broadcastEnded, broadcastStarted } from '#product/broadcast/contract.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { groupGoalChanged, groupGoalEnded } from '../../contract/group-goal.ts';
import {
  groupGoalDeadline,
  nextGroupGoal,
  type GroupGoal,
  type GroupGoalEvent,
} from '../../rules/group-goal.ts';
import {
  changeGroupGoal,
  findGroupGoal,
  findOpenGroupGoal,
  findRunningGroupGoals,
  lockGroupGoal,
  type GroupGoalRow,
} from '../../store/group-goals.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { GIFTS_SETTLE, settleGifts } from './settling.ts';
import { goalView } from './views.ts';

const GOAL_DEADLINE = 'shows.groupGoalDeadline';

const stateOf = (row: GroupGoalRow): GroupGoal => ({
  tokens: row.tokens,
  progress: row.progress,
  endsAt: row.ends_at.getTime(),
  awaySince: row.away_since?.getTime() ?? null,
  endedAt: row.ended_at?.getTime() ?? null,
  end: row.end_reason,
});

export async function scheduleGoalDeadline(tx: Tx, row: GroupGoalRow): Promise<void> {
  const due = groupGoalDeadline(stateOf(row));
  if (due === null) await tx.unschedule(GOAL_DEADLINE, String(row.id));
  else await tx.schedule({ kind: GOAL_DEADLINE, key: String(row.id), at: new Date(due) });
}

/** A goal after an event, without storing it; null when the event does not belong to it. */
export function goalAfter(row: GroupGoalRow, event: GroupGoalEvent, now: Date): GroupGoal | null {
  const before = stateOf(row);
  const after = nextGroupGoal(before, event, now.getTime());
  return after === before ? null : after;
}

/** Stores a goal after an event, and notifies the room. */
export async function saveGoal(tx: Tx, row: GroupGoalRow, after: GroupGoal): Promise<GroupGoalRow> {
  const changed = await changeGroupGoal(tx, row.id, {
    progress: after.progress,
    away_since: after.awaySince === null ? null : new Date(after.awaySince),
    ended_at: after.endedAt === null ? null : new Date(after.endedAt),
    end_reason: after.end,
  });
  await scheduleGoalDeadline(tx, changed);
  const room = topicChannel(roomTopic(changed.performer_id));
  if (after.progress !== row.progress) await tx.send(room, groupGoalChanged, goalView(changed));
  if (changed.end_reason === null) return changed;
  await tx.schedule({ kind: GIFTS_SETTLE, key: String(changed.id), at: tx.now });
  const { id, title, tokens, end_reason: reason } = changed;
  await tx.send(room, groupGoalEnded, { id, title, tokens, reason_ended: reason });
  return changed;
}

/** Applies an event to the performer's goal, with all its consequences; null without an effect. */
export async function applyToGoal(
  deps: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
  event: GroupGoalEvent,
): Promise<GroupGoalRow | null> {
  const changed = await deps.data.tx(scope, async (tx) => {
    await lockGroupGoal(tx, performerId);
    const row = await findOpenGroupGoal(tx, performerId);
    const after = row && goalAfter(row, event, tx.now);
    return row && after && saveGoal(tx, row, after);
  });
  // If this fails, the deadline set at the goal's end does it.
  if (changed && changed.end_reason !== null) await settleGifts(deps, scope, changed.id).catch(deps.onError);
  return changed;
}

async function lookAtPerformer(
  deps: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
): Promise<void> {
  const { state } = await deps.data.tx(scope, (tx) => deps.broadcast.viewOf(tx, performerId));
  const isOn = state === 'online' || state === 'reconnecting';
  await applyToGoal(deps, scope, performerId, { kind: isOn ? 'back' : 'away' });
}

/** Takes up goals after a restart: the goal of a performer who stays offline ends. */
export async function takeUpGroupGoals(deps: ShowsDependencies): Promise<void> {
  for (const operatorId of await deps.site.operators()) {
    for (const row of await deps.data.tx({ operatorId }, findRunningGroupGoals)) {
      await lookAtPerformer(deps, { operatorId }, row.performer_id);
    }
  }
}

export function goalSubscriptions(deps: ShowsDependencies): Subscription[] {
  const look = ({ operatorId, payload: { performerId } }: {
    readonly operatorId: number;
    readonly payload: { readonly performerId: number };
  }): Promise<void> => lookAtPerformer(deps, { operatorId }, performerId);
  return [
    subscribe(broadcastStarted, 'shows.goalBroadcastStarted')(look),
    subscribe(broadcastEnded, 'shows.goalBroadcastEnded')(look),
  ];
}

export const goalDeadlines = (deps: ShowsDependencies): DeadlineHandler[] => [
  {
    kind: GOAL_DEADLINE,
    handle: async ({ operatorId, key }) => {
      const row = await deps.data.tx({ operatorId }, (tx) => findGroupGoal(tx, Number(key)));
      if (row) await applyToGoal(deps, { operatorId }, row.performer_id, { kind: 'deadline' });
    },
  },
  { kind: GIFTS_SETTLE, handle: ({ operatorId, key }) => settleGifts(deps, { operatorId }, Number(key)) },
];
