import { describe, expect, it } from 'vitest';
import { conformancePage, coverageOf, currentMilestone, sample } from './spec/coverage.ts';
import type { FileResult } from './spec/results.ts';

const requirements = ['A-001', 'A-002', 'A-003', 'B-001'].map((id) =>
  ({ id, area: id.startsWith('A') ? 'tips' : 'room', text: `what ${id} asks` }));
const milestones = new Map([['2', ['B-001']], ['1', ['A-001', 'A-002']]]);
const result = (tests: [title: string, state: string][], broken = false): FileResult => ({
  file: 'product/tips/tips.test.ts', project: 'unit', sources: '', broken,
  tests: tests.map(([title, state], at) => ({ title, state, line: at + 1 })),
});
const covered = (...results: FileResult[]) => coverageOf(requirements, milestones, results);

describe('what tests prove', () => {
  it('counts an id that a passing test claims, per milestone and area', () => {
    const coverage = covered(result([['tips [A-001, B-001]', 'passed']]));
    expect(coverage.milestones).toEqual({
      1: { proven: 1, total: 2, missing: ['A-002'] }, 2: { proven: 1, total: 1, missing: [] },
    });
    expect(coverage.areas).toEqual({ room: { proven: 1, total: 1 }, tips: { proven: 1, total: 3 } });
    expect(currentMilestone(coverage)).toBe('1');
    expect(coverage.faults).toEqual([]);
  });

  it.each(['failed', 'skipped', 'pending'])('counts no id of a %s test', (state) => {
    expect(covered(result([['tips [A-001]', state]])).proven.size).toBe(0);
  });

  it('counts no id that another test, or run, shows to be broken', () => {
    const passing = result([['tips [A-001]', 'passed']]);
    expect(covered(passing, result([['tips again [A-001]', 'failed']])).proven.size).toBe(0);
    expect(covered(passing, result([['tips [A-001]', 'passed']], true)).proven.size).toBe(0);
  });

  it('says which titles claim what does not exist, or too much', () => {
    const coverage = covered(
      result([['x [A-900]', 'passed'], ['y [A-001, A-002][A-003, B-001, A-001]', 'passed']]),
    );
    expect(coverage.faults).toEqual([
      expect.stringMatching(/tips\.test\.ts:1 .*A-900/), expect.stringMatching(/tips\.test\.ts:2 .*5 ids/),
    ]);
  });

  it('samples the same proven ids for the same seed, each once', () => {
    const coverage = covered(result([['x [A-001, A-002]', 'passed'], ['y [A-003]', 'passed']]));
    expect(sample(coverage, 2, 7)).toEqual(sample(coverage, 2, 7));
    expect(sample(coverage, 10, 3)).toEqual(['A-001', 'A-002', 'A-003']);
    const drawn = new Set(Array.from({ length: 40 }, (_, seed) => sample(coverage, 1, seed)[0]));
    expect(drawn.size).toBe(3);
  });

  it('writes a page that names the proof of each id, and what is missing', () => {
    const page = conformancePage(covered(result([['tips [A-001]', 'passed']])), requirements);
    expect(page).toContain('| 1 | 1 of 2 |');
    expect(page).toContain('- A-002: what A-002 asks');
    expect(page).toContain('- **A-001** what A-001 asks\n  - `product/tips/tips.test.ts`: tips [A-001]');
  });
});
