import { describe, expect, it } from 'vitest';
import { auditOf } from './audit-page.ts';
import { claimsOf } from './claims.ts';
import { conformancePage } from './conformance-page.ts';
import { coverageOf, currentMilestone, sample } from './coverage.ts';
import { shortfallsOf } from './proof-rules.ts';
import type { FileResult } from './results.ts';
import type { Sources } from './sources.ts';

const requirements = ['A-001', 'A-002', 'A-003', 'B-001'].map((id) => ({
  id,
  area: id.startsWith('A') ? 'tips' : 'room',
  kind: 'rule',
  text: `what ${id} asks`,
  source: '§2',
}));
const milestones = new Map([['2', ['B-001']], ['1', ['A-001', 'A-002']]]);
const result = (tests: [title: string, state: string][], broken = false): FileResult => ({
  file: 'product/tips/tips.test.ts',
  project: 'unit',
  sources: '',
  broken,
  tests: tests.map(([title, state], at) => ({ title, state, line: at + 1 })),
});
const sources: Sources = { requirements, milestones, due: new Set(), open: new Map(), claims: [] };
const covered = (...results: FileResult[]) => coverageOf(sources, results);
/** Advice on one requirement, by its kind and text, claimed by one test. */
const advice = (kind: string, text: string, file: string, body: string): string[] =>
  shortfallsOf(
    [{ id: 'A-001', area: 'tips', kind, text, source: '§2' }],
    [{ file, line: 1, title: 'x [A-001]', ids: ['A-001'], body }],
  ).map((shortfall) => shortfall.advice);

describe('what tests prove', () => {
  it('counts an id that a passing test claims, per milestone and area', () => {
    const coverage = covered(result([['tips [A-001, B-001]', 'passed']]));
    expect(coverage.milestones).toEqual({
      1: { proven: 1, open: 0, total: 2, missing: ['A-002'] },
      2: { proven: 1, open: 0, total: 1, missing: [] },
    });
    expect(coverage.areas).toEqual({
      room: { proven: 1, open: 0, total: 1 },
      tips: { proven: 1, open: 0, total: 3 },
    });
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
      result([['x [A-900]', 'passed'], ['y [A-001, A-002][B-001]', 'passed']]),
    );
    expect(coverage.faults).toEqual([
      expect.stringMatching(/tips\.test\.ts:1 .*A-900/),
      expect.stringMatching(/tips\.test\.ts:2 .*3 ids/),
    ]);
  });

  it('samples the same ids for the same seed, each once', () => {
    const ids = ['A-003', 'A-001', 'A-002', 'A-001'];
    expect(sample(ids, 2, 7)).toEqual(sample(ids, 2, 7));
    expect(sample(ids, 10, 3)).toEqual(['A-001', 'A-002', 'A-003']);
    const drawn = new Set(Array.from({ length: 40 }, (_, seed) => sample(ids, 1, seed)[0]));
    expect(drawn.size).toBe(3);
  });

  it('writes a page that names the proof of each id, and what is missing', () => {
    const page = conformancePage(covered(result([['tips [A-001]', 'passed']])), requirements, new Map());
    expect(page).toContain('| 1 | 1 of 2 | 0 |');
    expect(page).toContain('- A-002: what A-002 asks');
    expect(page).toContain('- **A-001** what A-001 asks\n  - `product/tips/tips.test.ts`: tips [A-001]');
  });

  it('wants each due id claimed by a test or open for a reason, and never both', () => {
    const passing = result([['tips [A-001]', 'passed']]);
    const faultsWith = (open: string[]): readonly string[] =>
      coverageOf(
        { ...sources, due: new Set(['1']), open: new Map(open.map((id) => [id, 'waits'])) },
        [passing],
      )
        .faults;
    expect(faultsWith([])).toEqual([expect.stringMatching(/milestones\/1\.ids .*A-002 is due/)]);
    expect(faultsWith(['A-002'])).toEqual([]);
    expect(faultsWith(['A-001', 'A-002'])).toEqual(
      [expect.stringMatching(/A-001 is open, and a test claims it/)],
    );
    expect(faultsWith(['A-002', 'A-900'])).toEqual([expect.stringMatching(/A-900 is no requirement/)]);
  });

  it('names the tests that passed only when tried again', () => {
    const once = result([['tips [A-001]', 'passed']]);
    const again = { ...once, tests: once.tests.map((test) => ({ ...test, retries: 2 })) };
    expect(covered(once).retried).toEqual([]);
    expect(covered(again).retried).toEqual(['product/tips/tips.test.ts:1  tips [A-001]']);
  });
});

describe('what a requirement needs', () => {
  it('is a page or a journey for what people see', () => {
    const unit = 'product/tips/tips.test.ts';
    for (const kind of ['screen', 'modal']) {
      expect(advice(kind, 'A page.', unit, 'x')).toEqual([expect.stringContaining('people see')]);
      expect(advice(kind, 'A page.', 'product/tips/tips.page.test.tsx', 'x')).toEqual([]);
      expect(advice(kind, 'A page.', 'e2e/tips.test.ts', 'x')).toEqual([]);
    }
    expect(advice('error', 'It opens the modal.', unit, 'x')).toHaveLength(1);
    expect(advice('error', 'It answers 403.', unit, 'x')).toEqual([]);
  });

  it('is more than a test of rules', () => {
    for (const name of ['rules.test.ts', 'rules-split.test.ts']) {
      expect(
        advice('rule', 'Any.', `product/tips/${name}`, 'x'),
      ).toEqual([expect.stringContaining('rules alone')]);
    }
    expect(advice('rule', 'Any.', 'product/tips/tips.test.ts', 'x')).toEqual([]);
  });

  it('is a client, a refusal, and the literal, by kind', () => {
    const file = 'product/tips/tips.test.ts';
    expect(advice('event', 'Sent.', file, 'send({})')).toHaveLength(1);
    expect(advice('event', 'Sent.', file, 'await watcher.socket.waitFor(x)')).toEqual([]);
    expect(advice('permission', 'Members.', file, 'await member.call(x)')).toHaveLength(1);
    expect(advice('permission', 'Members.', file, 'await guest.refused(x)')).toEqual([]);
    expect(advice('constant', 'It is 1,500 or 2.5.', file, 'expect(MOST)')).toEqual([
      expect.stringContaining('1500, 2.5'),
    ]);
    expect(advice('constant', 'It is 1,500 or 2.5.', file, 'toEqual([1_500, 2.5])')).toEqual([]);
  });
});

describe('an audit', () => {
  const text = `
    it('one [A-001]', () => { first(); });
    it.each([['two [A-002]', 2]])('%s', (_title, n) => { second(n); });
    for (const [id, n] of [['A-003', 3]] as const) {
      test(\`three [\${id}]\`, () => { third(n); });
    }
    it('none', () => {});
    describe('tips [B-001]', () => {});`;

  it('reads ids from titles, tables and loops', () => {
    expect(
      claimsOf('product/tips/x.test.ts', text).map(({ line, title, ids }) => [line, title, ids]),
    ).toEqual([
      [2, 'one [A-001]', ['A-001']],
      [3, '%s', ['A-002']],
      [5, 'three [${id}]', ['A-003']],
    ]);
  });

  it('prints text, source, the body of each test, and what it executed', () => {
    const [one] = requirements;
    const claims = claimsOf('product/tips/x.test.ts', text).slice(0, 1);
    const page = one
      ? auditOf(
        one,
        claims,
        () => [{ path: 'product/tips/server.ts', functions: ['send'] }],
      )
      : '';
    for (const part of [
      'A-001 (rule, tips)',
      'what A-001 asks',
      '§2',
      'first();',
      'product/tips/server.ts`: send',
    ]) {
      expect(page).toContain(part);
    }
  });
});
