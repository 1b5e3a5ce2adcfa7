import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf, OutputOf, RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import { hostRefusals, Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import {
  endGroupGoal,
  getOwnGroupGoal,
  giveToGroupGoal,
  groupGoalChanged,
  groupGoalFull,
  groupGoalGiven,
  groupGoalNotLive,
  groupGoalOver,
  groupGoalRunning,
  groupGoalTitleEmpty,
  ownGroupGoal,
  startGroupGoal,
} from '../../contract/group-goal.ts';
import {
  contributionOf,
  GOAL_HOLD_RESERVE_MS,
  MAX_CONTRIBUTIONS,
  MAX_OWN_CONTRIBUTIONS,
} from '../../rules/group-goal.ts';
import {
  countGifts,
  findGift,
  findGroupGoal,
  findOpenGroupGoal,
  insertGift,
  insertGroupGoal,
  lockGroupGoal,
} from '../../store/group-goals.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { holdPledge } from '../pledges.ts';
import { applyToGoal, goalAfter, saveGoal, scheduleGoalDeadline } from './running.ts';
import { settleGifts } from './settling.ts';
import { goalView } from './views.ts';

type GiveContext = HandlerContext<RefusalOf<typeof giveToGroupGoal>, number>;
type Given = OutputOf<typeof giveToGroupGoal>;

/** The output of a repeated request; null for a new one. */
async function repeated(
  { ledger }: ShowsDependencies,
  tx: Tx,
  context: GiveContext,
  operation: string,
  asked: number,
): Promise<Given | Refused<RefusalOf<typeof giveToGroupGoal>> | null> {
  const gift = await findGift(tx, operation);
  if (!gift) return null;
  if (gift.asked !== asked) return context.refuse(hostRefusals.keyReused);
  const goal = await findGroupGoal(tx, gift.goal_id);
  if (!goal) throw new Error(`gift ${gift.id} is of no goal`);
  const { own } = await countGifts(tx, goal.id, gift.viewer_id);
  return {
    goal: goalView(goal),
    given: gift.tokens,
    own,
    tokens: await ledger.balance(tx, gift.viewer_id),
  };
}

/** Sets the gift aside, counts it, and ends the goal if the gift reaches it. */
async function give(
  deps: ShowsDependencies,
  tx: Tx,
  context: GiveContext,
  { username, tokens: asked }: InputOf<
    typeof giveToGroupGoal
  >,
  operation: string,
): Promise<Given | Refused<RefusalOf<typeof giveToGroupGoal>>> {
  const { ledger, rooms } = deps;
  const { refuse } = context;
  const entry = await rooms.enter(tx, context, username);
  if ('refused' in entry) return refuseEntry(context, entry.refused);
  const { owner: performer } = entry;
  const viewerId = context.personId;
  if (performer.id === viewerId) return refuse(ownGroupGoal);
  await lockGroupGoal(tx, performer.id);
  const before = await repeated(deps, tx, context, operation, asked);
  if (before !== null) return before;
  const row = await findOpenGroupGoal(tx, performer.id);
  const tokens = row ? contributionOf(row, asked) : 0;
  const after = row && goalAfter(row, { kind: 'given', tokens }, tx.now);
  if (!row || !after) return refuse(groupGoalOver);
  const { all, times, own } = await countGifts(tx, row.id, viewerId);
  if (times >= MAX_OWN_CONTRIBUTIONS || all >= MAX_CONTRIBUTIONS) return refuse(groupGoalFull);
  const [outcome] = await ledger.post(tx, [holdPledge({
    viewerId,
    tokens,
    performerName: performer.username,
    holdId: operation,
    kind: 'group_goal',
    show: row.id,
  }, {
    expiresAt: new Date(row.ends_at.getTime() + GOAL_HOLD_RESERVE_MS),
    parameterHash: String(asked),
  })]);
  if (!outcome) throw new Error(`goal ${row.id}: the ledger said nothing`);
  if (!('balances' in outcome)) return ledger.refuse(tx, outcome, { personId: viewerId, tokens }, refuse);
  await insertGift(tx, { goal_id: row.id, viewer_id: viewerId, operation, asked, tokens });
  await tx.send(topicPersonChannel(roomTopic(performer.id), viewerId), groupGoalGiven, {
    id: row.id,
    own: own + tokens,
  });
  const changed = await saveGoal(tx, row, after);
  return {
    goal: goalView(changed),
    given: tokens,
    own: own + tokens,
    tokens: await ledger.balance(tx, viewerId),
  };
}

function startHandler({ data, rooms }: ShowsDependencies): CallHandler {
  return handleCall(startGroupGoal)(async (input, context) =>
    data.tx(context.scope, async (tx) => {
      const performerId = context.personId;
      const title = cleanText(input.title);
      if (title === '') return context.refuse(groupGoalTitleEmpty);
      const status = (await rooms.statusOf(tx, [performerId])).get(performerId)?.status ?? 'offline';
      if (status === 'offline' || status === 'standby') return context.refuse(groupGoalNotLive);
      await lockGroupGoal(tx, performerId);
      if (await findOpenGroupGoal(tx, performerId)) return context.refuse(groupGoalRunning);
      const row = await insertGroupGoal(tx, {
        performer_id: performerId,
        title,
        tokens: input.tokens,
        ends_at: new Date(tx.now.getTime() + input.minutes * MINUTE_MS),
      });
      await scheduleGoalDeadline(tx, row);
      await tx.send(topicChannel(roomTopic(performerId)), groupGoalChanged, goalView(row));
      return goalView(row);
    })
  );
}

export function groupGoalHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data, ledger, onError } = deps;
  return [
    startHandler(deps),
    handleCall(endGroupGoal)(async (_input, { scope, refuse, ...context }) => {
      const row = await applyToGoal(deps, scope, context.personId, { kind: 'withdrawn' });
      return row ? { status: 1 as const } : refuse(groupGoalOver);
    }),
    handleCall(getOwnGroupGoal)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        const row = await findOpenGroupGoal(tx, context.personId);
        return { goal: row && goalView(row) };
      })
    ),
    handleCall(giveToGroupGoal)(async (input, context) => {
      const { idempotencyKey, scope } = context;
      if (idempotencyKey === null) throw new Error('a gift came without a key');
      const operation = ledger.operationId(context.personId, giveToGroupGoal.name, idempotencyKey);
      const given = await data.tx(scope, (tx) => give(deps, tx, context, input, operation));
      if (given instanceof Refused) return given;
      const { goal } = given;
      // If this fails, the deadline set at the goal's end does it.
      if (goal.progress >= goal.tokens) await settleGifts(deps, scope, goal.id).catch(onError);
      return given;
    }),
  ];
}
