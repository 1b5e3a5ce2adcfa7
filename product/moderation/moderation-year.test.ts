/** A year of cases on a virtual clock, with staff who are away for days: for tests. */
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { expect, it } from 'vitest';
import { nextStep, NO_ACTIONS, reduceCase, type CaseEvent, type CaseState } from './rules/cases.ts';
import { REQUEST_KINDS } from './rules/clocks.ts';

/** A small generator of numbers from 0 to 1 (mulberry32), so that a year can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((again ^ (again >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a year did to its cases. */
interface YearResult {
  readonly cases: number;
  /** Cases of removable content that was neither decided on nor hidden when their time ran out. */
  readonly missed: number;
  /** Cases that the site hid because nobody decided. */
  readonly hidden: number;
  /** Cases of other content that were decided too late, without admins having been notified twice before. */
  readonly unnotified: number;
  /** Cases of other content that were decided too late. */
  readonly late: number;
  /** Cases settled after the moment of escalation without admins having been notified before. */
  readonly unescalated: number;
  /** Decisions beyond one of a case. */
  readonly twice: number;
}

/**
 * Runs cases of the public forms through a year. Each is decided when staff get to it: within hours, or after
 * an absence of up to ten days. The site's own steps happen at their moment.
 */
function simulateYear(cases: number, seed: number): YearResult {
  const random = randomFrom(seed);
  const start = Date.parse('2026-01-01T00:00:00Z');
  const result = { cases, missed: 0, hidden: 0, unnotified: 0, late: 0, unescalated: 0, twice: 0 };
  for (let at = 0; at < cases; at += 1) {
    const openedAt = new Date(start + random() * 365 * DAY_MS);
    const clock = REQUEST_KINDS[Math.floor(random() * REQUEST_KINDS.length)] ?? 'complaint';
    const isAway = random() < 0.3;
    const isRemovable = random() < 0.5;
    const decidedAt = new Date(openedAt.getTime() + random() * (isAway ? 10 * DAY_MS : 20 * HOUR_MS));
    let state = reduceCase(null, { kind: 'report', at: openedAt, byId: null, clock, queueHours: 1 });
    const { dueAt, escalateAt } = state;
    const events: CaseEvent[] = [];
    for (let next = nextStep(state); next !== null && next.at < decidedAt; next = nextStep(state)) {
      const kind = next.kind === 'hide' && !isRemovable ? 'hide_failed' : next.kind;
      const event: CaseEvent = { kind, at: next.at, byId: null };
      state = reduceCase(state, event);
      events.push(event);
    }
    const hiddenAt = events.find(({ kind }) => kind === 'hide')?.at ?? null;
    const notifiedAt = events.find(({ kind }) => kind === 'escalate')?.at ?? null;
    const decision = {
      kind: 'decide',
      at: decidedAt,
      byId: 1,
      policy: 'terms',
      actions: NO_ACTIONS,
    } as const;
    const decided: CaseState = reduceCase(state, decision);
    const settledAt = hiddenAt ?? decidedAt;
    if (dueAt === null || settledAt > dueAt) {
      if (isRemovable || dueAt === null) result.missed += 1;
      else result.late += 1;
      if (!isRemovable && events.filter((event) => dueAt && event.at < dueAt).length < 2) {
        result.unnotified += 1;
      }
    }
    if (hiddenAt !== null) result.hidden += 1;
    const isLate = escalateAt !== null && settledAt > escalateAt;
    if (isLate && (notifiedAt === null || notifiedAt > settledAt)) result.unescalated += 1;
    try {
      reduceCase(decided, decision);
      result.twice += 1;
    } catch {
      // A second decision is refused.
    }
  }
  return result;
}

it('a year of 20,000 requests with staff away hides what it can in time, and notifies admins twice', () => {
  const { hidden, late, ...rest } = simulateYear(20_000, 1);
  expect(rest).toEqual({ cases: 20_000, missed: 0, unnotified: 0, unescalated: 0, twice: 0 });
  // Staff were away often enough for the site to act.
  expect(Math.min(hidden, late)).toBeGreaterThan(500);
});
