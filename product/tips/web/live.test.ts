import { expect, it } from 'vitest';
import type { EffectView } from '../contract/effects.ts';
import type { OwnGoalView } from '../contract/goals.ts';
import { withEffect, withGoal, type TipTools } from './live.ts';

const goal = (id: number, progress = 0): OwnGoalView => ({
  id,
  title: `goal ${id}`,
  target: 100,
  progress,
  state: id === 1 ? 'running' : 'waiting',
});
const tools: TipTools = {
  menu: [],
  goals: [goal(1, 90), goal(2), goal(3)],
  today: { tokens: 0, tips: 0 },
  overlay_made_at: null,
};

it('the tools drop the goals that were reached, and run the next from where it is', () => {
  const { goals } = withGoal(tools, {
    goal: { id: 2, title: 'goal 2', target: 100, progress: 30 },
    reached: [{ id: 1, title: 'goal 1', target: 100, progress: 100 }],
  });
  expect(goals).toEqual([{ ...goal(2, 30), state: 'running' }, goal(3)]);
});

it('the list of effects changes the one that got on, and has a new one at its head', () => {
  const effect = (id: number, state: EffectView['state']): EffectView => ({
    id,
    kind: 'alert',
    state,
    title: '',
    tokens: 5,
    sender_name: null,
    tries: 1,
    done: null,
    at: '',
  });
  const page = { effects: [effect(4, 'waiting'), effect(2, 'delivered')], next: 2 };
  const [changed] = withEffect([page], effect(4, 'failed'));
  expect(changed?.effects.map(({ state }) => state)).toEqual(['failed', 'delivered']);
  const idsWith = (...[pages, one]: Parameters<typeof withEffect>) =>
    withEffect(pages, one).map(({ effects }) => effects.map(({ id }) => id));
  expect(idsWith([page], effect(5, 'waiting'))).toEqual([[5, 4, 2]]);
  // An effect not shown yet is inserted by its id; below the last loaded page it belongs to the next one.
  expect(idsWith([page], effect(3, 'waiting'))).toEqual([[4, 3, 2]]);
  expect(idsWith([page], effect(1, 'waiting'))).toEqual([[4, 2]]);
  const older = { effects: [effect(1, 'delivered')], next: null };
  expect(idsWith([page, older], effect(0, 'waiting'))).toEqual([[4, 2], [1, 0]]);
});
