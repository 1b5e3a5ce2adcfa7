import { expect, it } from 'vitest';
import type { EpisodePlan } from './episode.ts';
import { repeat, simulate } from './simulation.ts';

/** Few enough for every test run; `npm run prove` runs millions. */
const OPERATIONS = 1_200;
const CRASHES = 60;

const LIMIT = { timeout: 300_000 };

it('moves tokens as one thread would, whatever is lost, doubled, overtaken or dies', LIMIT, async () => {
  const again = process.env['SIMULATION'];
  if (again !== undefined) return repeat(JSON.parse(again) as EpisodePlan);
  const seed = process.env['SEED'] ?? 'every day';
  const tally = await simulate({ seed, operations: OPERATIONS, crashes: CRASHES });
  expect(tally.operations).toBeGreaterThanOrEqual(OPERATIONS);
  expect(tally.crashes).toBeGreaterThanOrEqual(CRASHES);
  // Every possible answer must have occurred, or the run proves nothing about it.
  expect([...tally.answers.keys()].toSorted()).toEqual([
    'blocked',
    'cooling_off',
    'credit_exhausted',
    'duplicate',
    'hold_closed',
    'insufficient',
    'marketing_cap',
    'mismatch',
    'not_reversible',
    'over_budget',
    'performer_cap',
    'posted',
    'self_excluded',
  ]);
});
