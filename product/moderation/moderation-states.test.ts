import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CASE_EVENTS,
  faultAfter,
  nextStep,
  NO_ACTIONS,
  reduceCase,
  stateOf,
  suspensionOf,
  type Actions,
  type CaseEvent,
  type CaseState,
} from './rules/cases.ts';
import { appealUntil, businessDaysAfter, clocksOf } from './rules/clocks.ts';

/** A Friday. */
const START = new Date('2026-11-27T10:00:00Z');
const later = (hours: number): Date => new Date(START.getTime() + hours * HOUR_MS);
const report = (clock: 'take_down' | 'copyright' | 'complaint' | 'queue' = 'take_down'): CaseEvent => ({
  kind: 'report',
  at: START,
  byId: null,
  clock,
  queueHours: 100,
});
const does = (
  kind: Exclude<CaseEvent['kind'], 'report' | 'decide' | 'appeal'>,
  hours = 1,
) => ({
  kind,
  at: later(hours),
  byId: 7,
} as const);
const REMOVES: Actions = { removes: true, warns: false, suspends: null };
const decide = (actions: Actions = REMOVES, hours = 2): CaseEvent => ({
  kind: 'decide',
  at: later(hours),
  byId: 7,
  policy: 'consent',
  actions,
});
const appeal = (hours = 3, ground: 'appeal' | 'counter_notice' = 'appeal'): CaseEvent => ({
  kind: 'appeal',
  at: later(hours),
  byId: null,
  ground,
});
const after = (...events: CaseEvent[]): CaseState => stateOf(events) as CaseState;

const anyEvent: fc.Arbitrary<CaseEvent> = fc.record({
  at: fc.constant(START),
  byId: fc.option(fc.integer({ min: 1, max: 3 })),
  clock: fc.constantFrom('take_down', 'copyright', 'complaint', 'queue'),
  queueHours: fc.integer({ min: 1, max: 720 }),
  policy: fc.constantFrom('consent', 'terms'),
  ground: fc.constantFrom('appeal', 'counter_notice'),
  actions: fc.record({
    removes: fc.boolean(),
    warns: fc.boolean(),
    suspends: fc.option(fc.constant({ from: START.toISOString(), until: null })),
  }),
  kind: fc.constantFrom(...CASE_EVENTS),
}) as fc.Arbitrary<CaseEvent>;

describe('a case', () => {
  it('has a consistent state after any order of events that the rules allow', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyEvent, fc.nat({ max: 200 }), fc.boolean()), { maxLength: 40 }),
        (drawn) => {
          let state: CaseState | null = null;
          let at = START.getTime();
          const accepted: CaseEvent[] = [];
          for (const [event, hours, isAdmin] of drawn) {
            at += hours * HOUR_MS;
            const timed = { ...event, at: new Date(at) };
            if (faultAfter(state, timed, isAdmin) !== null) continue;
            const before: CaseState | null = state;
            state = reduceCase(before, timed);
            accepted.push(timed);
            // Nothing is decided while a decision is in force.
            if (timed.kind === 'decide') expect(before?.decision).toBeNull();
            if (timed.kind === 'reverse') expect(state.decision).toBeNull();
          }
          if (state === null) return;
          const { status, decision, claimedBy, isHidden, dueAt } = state;
          expect(decision !== null).toBe(status === 'decided' || status === 'appealed');
          expect(dueAt !== null).toBe(status === 'open' || status === 'appealed');
          if (dueAt === null) expect([claimedBy, nextStep(state)]).toEqual([null, null]);
          if (isHidden) expect(status).toBe('open');
          expect(accepted.filter(({ kind }) => kind === 'report')).toHaveLength(1);
          // The state follows from the events alone.
          expect(stateOf(accepted)).toEqual(state);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('begins with one report, and is decided once', () => {
    expect(faultAfter(null, decide())).toBe('not_opened');
    expect(faultAfter(after(report()), report())).toBe('opened');
    expect(faultAfter(after(report(), decide()), decide())).toBe('closed');
    expect(() => reduceCase(after(report(), decide()), decide())).toThrow('decide cannot follow: closed');
  });

  it('that somebody claimed is theirs until they release it, except for admins', () => {
    const claimed = after(report(), does('claim'));
    const others = { ...decide(), byId: 8 };
    expect(faultAfter(claimed, { ...does('claim'), byId: 8 })).toBe('claimed');
    expect([faultAfter(claimed, others), faultAfter(claimed, others, true)]).toEqual(['claimed', null]);
    expect(faultAfter(claimed, { ...does('release'), byId: 8 })).toBe('claimed');
    expect(faultAfter(after(report(), does('claim'), does('release')), others)).toBeNull();
  });

  it('is undone by a reversal: what had an effect for good, what had none is open again', () => {
    const reversed = after(report(), decide(), does('reverse', 5));
    expect(reversed).toMatchObject({ status: 'reversed', decision: null, dueAt: null });
    for (const event of [decide(), appeal(), does('reverse', 6), does('hide')]) {
      expect(faultAfter(reversed, event)).not.toBeNull();
    }
    const again = after(report(), decide(NO_ACTIONS), does('reverse', 5));
    expect(again).toMatchObject({ status: 'open', decision: null, dueAt: later(5 + 48), openedAt: START });
    expect(faultAfter(again, decide(REMOVES, 6))).toBeNull();
  });

  it('is appealed once, within six months, and an upheld decision is final', () => {
    const decided = after(report(), decide());
    const limit = new Date('2027-05-27T12:00:00Z');
    expect(appealUntil(later(2))).toEqual(limit);
    expect(faultAfter(decided, { ...appeal(), at: limit })).toBeNull();
    expect(faultAfter(decided, { ...appeal(), at: new Date(limit.getTime() + 1) })).toBe('too_late');
    expect(faultAfter(after(report()), appeal())).toBe('undecided');
    const appealed = after(report(), decide(), appeal());
    expect(faultAfter(appealed, appeal())).toBe('appealed');
    const upheld = after(report(), decide(), appeal(), does('uphold', 4));
    expect(upheld).toMatchObject({ status: 'decided', isFinal: true, dueAt: null });
    expect(faultAfter(upheld, appeal(5))).toBe('appealed');
  });

  it('that a counter-notice answers is reversed between 10 and 14 business days later', () => {
    const answered = after(report('copyright'), decide(), appeal(3, 'counter_notice'));
    const at = (day: string) => ({ ...does('reverse'), at: new Date(`${day}T13:00:00Z`) });
    // Counted from Friday, November 27.
    expect(faultAfter(answered, at('2026-12-10'))).toBe('too_early');
    expect(faultAfter(answered, at('2026-12-11'))).toBeNull();
    expect(answered.dueAt).toEqual(new Date('2026-12-17T13:00:00Z'));
    expect(answered.restoreAt).toEqual(new Date('2026-12-16T13:00:00Z'));
  });
});

describe('the clocks', () => {
  it('of a take-down: admins after 24 hours, hidden after 44, over after 48', () => {
    expect(clocksOf('take_down', START, 1)).toEqual({
      escalateAt: later(24),
      hideAt: later(44),
      dueAt: later(48),
    });
    const open = after(report());
    expect(nextStep(open)).toEqual({ kind: 'escalate', at: later(24) });
    expect(nextStep(after(report(), does('escalate', 24)))).toEqual({ kind: 'hide', at: later(44) });
    expect(nextStep(after(report(), does('escalate', 24), does('hide', 44)))).toBeNull();
    const failed = after(report(), does('escalate', 24), does('hide_failed', 44));
    expect([nextStep(failed), failed]).toMatchObject([null, { isHidden: false, isEscalated: true }]);
  });

  it('of a complaint end after seven business days, and it is hidden a day before', () => {
    const { hideAt, dueAt } = clocksOf('complaint', START, 1);
    expect([hideAt, dueAt]).toEqual([new Date('2026-12-07T10:00:00Z'), new Date('2026-12-08T10:00:00Z')]);
  });

  it('count business days, never a Saturday or Sunday', () => {
    fc.assert(fc.property(fc.nat({ max: 5_000 }), fc.integer({ min: 1, max: 30 }), (hours, days) => {
      const end = businessDaysAfter(later(hours), days);
      expect([0, 6]).not.toContain(end.getUTCDay());
      const calendarDays = (end.getTime() - later(hours).getTime()) / DAY_MS;
      expect(calendarDays).toBeGreaterThanOrEqual(days);
      expect(calendarDays).toBeLessThanOrEqual(days + 2 * Math.ceil(days / 5) + 1);
    }));
  });
});

it('a suspension begins now or later, and ends after its hours or never', () => {
  const now = later(0);
  expect(suspensionOf({ from: null, hours: 24 }, now))
    .toEqual({ from: now.toISOString(), until: later(24).toISOString() });
  expect(suspensionOf({ from: later(-5), hours: null }, now)).toEqual({
    from: now.toISOString(),
    until: null,
  });
  expect(suspensionOf({ from: later(10), hours: 1 }, now))
    .toEqual({ from: later(10).toISOString(), until: later(11).toISOString() });
});
