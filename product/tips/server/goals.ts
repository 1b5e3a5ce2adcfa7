import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel, sessionChannel, topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import {
  addGoal,
  endGoal,
  goalChanged,
  goalsFull,
  goalUnknown,
  type GoalView,
  type OwnGoalView,
} from '../contract/goals.ts';
import { titleEmpty } from '../contract/menu.ts';
import { overlayGoal } from '../contract/overlay.ts';
import { toolsChanged } from '../contract/tools.ts';
import { MAX_GOALS, titleOf } from '../rules.ts';
import { goalsAfter } from '../rules/goals.ts';
import { findOverlay, lockTips } from '../store.ts';
import { findGoals, insertGoal, saveProgress, withdrawGoal, type StoredGoal } from '../store/goals.ts';
import type { TipsDependencies } from './dependencies.ts';
import type { Effects } from './overlay/effects.ts';
import { overlaySession } from './overlay/overlay-session.ts';

export const goalView = ({ id, title, target, progress }: StoredGoal): GoalView => ({
  id,
  title,
  target,
  progress,
});

/** Goals as their performer sees them: the first one is running. */
export const ownGoals = (goals: readonly StoredGoal[]): OwnGoalView[] =>
  goals.map((goal, at) => ({ ...goalView(goal), state: at === 0 ? 'running' : 'waiting' }));

/** Goals of rooms: tips count towards the running goal, and the next one follows. */
export class Goals {
  readonly #deps: TipsDependencies;
  readonly #effects: Effects;

  constructor(deps: TipsDependencies, effects: Effects) {
    this.#deps = deps;
    this.#effects = effects;
  }

  /** Counts a tip. The caller makes sure that each tip is counted once. */
  async count(tx: Tx, performerId: number, tokens: number): Promise<void> {
    await lockTips(tx, 'goals', performerId);
    const goals = await findGoals(tx, performerId);
    if (goals.length === 0) return;
    const { reached, open } = goalsAfter(goals, tokens);
    const titles = new Map(goals.map((goal) => [goal.id, goal.title]));
    for (const goal of reached) {
      await saveProgress(tx, goal, true);
      await this.#effects.queue(tx, {
        performer_id: performerId,
        source: `goal:${goal.id}`,
        kind: 'goal',
        title: titles.get(goal.id) ?? '',
        tokens: goal.target,
        comment: '',
        sender_name: null,
      });
    }
    const [running] = open;
    if (running) await saveProgress(tx, running, false);
    await this.#publish(tx, performerId, reached.map((goal) => goal.id), goals);
  }

  /** Adds a goal after the others; the first one starts at once. */
  async add(tx: Tx, performerId: number, goal: Pick<StoredGoal, 'title' | 'target'>): Promise<void> {
    await insertGoal(tx, performerId, goal);
    const goals = await findGoals(tx, performerId);
    if (goals.length === 1) await this.#publish(tx, performerId, [], []);
  }

  callHandlers(): CallHandler[] {
    const { data } = this.#deps;
    return [
      handleCall(addGoal)(async (input, context) =>
        data.tx(context.scope, async (tx) => {
          const performerId = context.personId;
          const title = titleOf(input.title);
          if (title === '') return context.refuse(titleEmpty);
          await lockTips(tx, 'goals', performerId);
          const before = await findGoals(tx, performerId);
          if (before.length >= MAX_GOALS) return context.refuse(goalsFull, { values: { count: MAX_GOALS } });
          await this.add(tx, performerId, { title, target: input.target });
          return { goals: ownGoals(await findGoals(tx, performerId)) };
        })
      ),
      handleCall(endGoal)(async ({ id }, context) =>
        data.tx(context.scope, async (tx) => {
          const performerId = context.personId;
          await lockTips(tx, 'goals', performerId);
          const [running] = await findGoals(tx, performerId);
          if (!(await withdrawGoal(tx, performerId, id))) return context.refuse(goalUnknown);
          if (running?.id === id) await this.#publish(tx, performerId, [], []);
          return { goals: ownGoals(await findGoals(tx, performerId)) };
        })
      ),
    ];
  }

  /** Sends the current goal to the room, the performer and the overlay. */
  async #publish(
    tx: Tx,
    performerId: number,
    reachedIds: readonly number[],
    before: readonly StoredGoal[],
  ): Promise<void> {
    const [running] = await findGoals(tx, performerId);
    const reached = before.filter(({ id }) => reachedIds.includes(id))
      .map((goal) => ({ ...goalView(goal), progress: goal.target }));
    const payload = { goal: running ? goalView(running) : null, reached };
    // The first goal has started, or the last one is over.
    if (before.length === 0 || !running) {
      await tx.publish(toolsChanged, `performer:${performerId}`, { performerId });
    }
    await tx.send(topicChannel(roomTopic(performerId)), goalChanged, payload);
    await tx.send(personChannel(performerId), goalChanged, payload);
    const overlay = await findOverlay(tx, { performerId });
    if (overlay) await tx.send(sessionChannel(overlaySession(overlay.digest)), overlayGoal, payload);
  }
}
