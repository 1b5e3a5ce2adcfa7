import { expect, it } from 'vitest';
import { MAX_BUDGET_TOKENS } from '../../rules.ts';
import { planOf } from './budgets.ts';

const known = [
  { period: 'day', tokens: 100, next: null },
  { period: 'week', tokens: 500, next: { tokens: 900 } },
  { period: 'month', tokens: null, next: null },
] as const;
const asShown = { day: '100', week: '900', month: '' };

it('saves what was changed and nothing else: a raise on its way stays on its way', () => {
  expect(planOf(known, asShown)).toEqual({ change: {}, wrong: [], raises: false });
  expect(planOf(known, { ...asShown, day: ' 80 ' }))
    .toEqual({ change: { day: 80 }, wrong: [], raises: false });
  expect(planOf(known, { ...asShown, month: '40' }))
    .toEqual({ change: { month: 40 }, wrong: [], raises: false });
});

it('says when something waits for a day: more than now, or none any more', () => {
  expect(planOf(known, { ...asShown, day: '101' })).toMatchObject({ change: { day: 101 }, raises: true });
  expect(planOf(known, { ...asShown, day: '' })).toMatchObject({ change: { day: null }, raises: true });
  expect(planOf(known, { ...asShown, week: '500' })).toMatchObject({ change: { week: 500 }, raises: false });
});

it('takes whole numbers alone', () => {
  for (const day of ['0', '-5', '1.5', '1e3', 'ten', '１０', String(MAX_BUDGET_TOKENS + 1), '99999999999']) {
    expect(planOf(known, { ...asShown, day })).toMatchObject({ change: {}, wrong: ['day'] });
  }
});
