import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_RULES,
  indexedName,
  isExpired,
  isOfAge,
  REASONS,
  retainUntil,
  statusOf,
  STEPS,
  type OperatorRules,
  type Step,
} from './rules.ts';
import {
  begun,
  decide,
  give,
  handIn,
  outcomeOf,
  reopen,
  stepsLeft,
  type StepDecision,
  type Workflow,
} from './rules/workflow.ts';

const PERFORMER = 1;
const [ANNA, BEN, CARO] = [2, 3, 4];
const rulesOf = (reviewers: number): OperatorRules => ({ ...DEFAULT_RULES, reviewers });

const given = (): Workflow =>
  STEPS.reduce<Workflow>((workflow, step) => give(workflow, step) as Workflow, begun(PERFORMER, STEPS));
const waiting = (): Workflow => handIn(given()) as Workflow;
const accepting: readonly StepDecision[] = STEPS.map((step) => ({
  step,
  accepted: true,
  reason: null,
  note: '',
}));
const rejecting = (step: Step): readonly StepDecision[] =>
  accepting.map((one) => (one.step === step ? { ...one, accepted: false, reason: REASONS[step][0] } : one));
const by = (reviewerId: number, steps = accepting, of = 1) => ({
  reviewerId,
  handIn: of,
  secondLook: false,
  steps,
});
const look = (reviewerId: number) => ({ reviewerId, handIn: 1, secondLook: true, steps: [] });

describe('the age of a performer', () => {
  it('counts by the exact date: one day short of 18 is not of age', () => {
    expect(isOfAge('2008-11-30', '2026-11-30', DEFAULT_RULES)).toBe(true);
    expect(isOfAge('2008-12-01', '2026-11-30', DEFAULT_RULES)).toBe(false);
    expect(isOfAge('2008-02-29', '2026-02-28', DEFAULT_RULES)).toBe(false);
    expect(isOfAge('2008-02-29', '2026-03-01', DEFAULT_RULES)).toBe(true);
  });

  it('is the operator’s, and never below 18', () => {
    expect(isOfAge('2005-11-30', '2026-11-30', { ...DEFAULT_RULES, minimumAge: 21 })).toBe(true);
    expect(isOfAge('2005-12-01', '2026-11-30', { ...DEFAULT_RULES, minimumAge: 21 })).toBe(false);
    expect(isOfAge('2010-01-01', '2026-11-30', { ...DEFAULT_RULES, minimumAge: 16 })).toBe(false);
  });
});

it('a document is valid until the end of its last day', () => {
  expect(isExpired('2026-11-30', '2026-11-30')).toBe(false);
  expect(isExpired('2026-11-29', '2026-11-30')).toBe(true);
});

it('records are retained for seven years', () => {
  expect(retainUntil(new Date('2026-11-30T10:00:00Z')).toISOString()).toBe('2033-11-30T10:00:00.000Z');
});

it('spellings of one name are one entry of the index', () => {
  expect(indexedName('Zoë  O’Neill')).toBe(indexedName('zoe oneill'));
  expect(indexedName('Zoe')).not.toBe(indexedName('Zoa'));
});

describe('the status of a performer', () => {
  it('is that of the application until they are cleared with evidence', () => {
    expect(statusOf('pending', false, null)).toBe('incomplete');
    expect(statusOf('pending', false, 'open')).toBe('incomplete');
    expect(statusOf('pending', false, 'waiting')).toBe('pending');
    expect(statusOf('pending', false, 'second')).toBe('pending');
    expect(statusOf('pending', false, 'rejected')).toBe('rejected');
    expect(statusOf('cleared', true, null)).toBe('cleared');
    expect(statusOf('cleared', false, 'open')).toBe('incomplete');
    expect(statusOf('revoked', false, 'accepted')).toBe('revoked');
  });
});

describe('a review', () => {
  it('by one person accepts, or sends back what is rejected', () => {
    expect(decide(waiting(), by(ANNA), rulesOf(1))).toMatchObject({ state: 'accepted' });
    const back = decide(waiting(), by(ANNA, rejecting('selfie')), rulesOf(1)) as Workflow;
    expect(back.state).toBe('rejected');
    expect(stepsLeft(back)).toEqual(['selfie']);
    const again = handIn(give(back, 'selfie') as Workflow) as Workflow;
    expect(again).toMatchObject({ state: 'waiting', handIn: 2, decisions: [] });
    expect(decide(again, by(ANNA), rulesOf(1))).toBe('stale');
    expect(decide(again, by(ANNA, accepting, 2), rulesOf(1))).toMatchObject({ state: 'accepted' });
  });

  it('by two people needs two, and the same person never counts twice', () => {
    const first = decide(waiting(), by(ANNA), rulesOf(2)) as Workflow;
    expect(first.state).toBe('second');
    expect(decide(first, by(ANNA), rulesOf(2))).toBe('decided_before');
    expect(decide(first, by(BEN), rulesOf(2))).toMatchObject({ state: 'accepted' });
    expect(decide(first, by(BEN, rejecting('who')), rulesOf(2))).toMatchObject({ state: 'rejected' });
  });

  it('goes to a second person on request, also where one is enough', () => {
    const asked = decide(waiting(), look(ANNA), rulesOf(1)) as Workflow;
    expect(asked.state).toBe('second');
    expect(decide(asked, by(ANNA), rulesOf(1))).toBe('decided_before');
    expect(decide(asked, by(BEN), rulesOf(1))).toMatchObject({ state: 'accepted' });
    const half = decide(asked, by(BEN), rulesOf(2)) as Workflow;
    expect(half.state).toBe('second');
    expect(decide(half, by(CARO), rulesOf(2))).toMatchObject({ state: 'accepted' });
  });

  it('is of somebody else, names every step once, and gives a reason of the step’s list', () => {
    expect(decide(waiting(), by(PERFORMER), rulesOf(1))).toBe('own');
    expect(decide(waiting(), by(ANNA, accepting.slice(1)), rulesOf(1))).toBe('incomplete');
    expect(decide(waiting(), by(ANNA, [...accepting.slice(1), accepting[1]!]), rulesOf(1)))
      .toBe('incomplete');
    const wrong = accepting.map((one) => ({ ...one, accepted: false, reason: 'face_hidden' as const }));
    expect(decide(waiting(), by(ANNA, wrong), rulesOf(1))).toBe('incomplete');
    const silent = accepting.map((one) => ({ ...one, accepted: false, reason: 'other' as const }));
    expect(decide(waiting(), by(ANNA, silent), rulesOf(1))).toBe('incomplete');
    expect(decide(given(), by(ANNA, accepting, 0), rulesOf(1))).toBe('not_waiting');
  });

  it('is locked against changes until it is decided', () => {
    expect(give(waiting(), 'who')).toBe('locked');
    expect(handIn(waiting())).toBe('locked');
    expect(handIn(begun(PERFORMER, STEPS))).toBe('steps_left');
  });

  it('a year later asks for document and selfie again', () => {
    const accepted = decide(waiting(), by(ANNA), rulesOf(1)) as Workflow;
    expect(stepsLeft(reopen(accepted))).toEqual(['document', 'selfie']);
  });
});

/** What may happen to an application, in any order. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant('give' as const), step: fc.constantFrom(...STEPS), isWhole: fc.boolean() }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('giveAll' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('handIn' as const) }) },
  fc.record({ kind: fc.constant('reopen' as const) }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      reviewerId: fc.constantFrom(PERFORMER, ANNA, BEN, CARO),
      late: fc.constantFrom(0, 0, 0, 1),
      secondLook: fc.constantFrom(false, false, true),
      rejected: fc.constantFrom(null, null, null, ...STEPS.slice(0, 2)),
      skipped: fc.constantFrom(null, null, null, ...STEPS.slice(2, 3)),
    }),
  },
);

describe('random traces of applications', () => {
  it('never reach going live without every step given and enough other people who accepted', () => {
    let reached = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 }),
        fc.array(happening, { maxLength: 40 }),
        (reviewers, trace) => {
          const rules = rulesOf(reviewers);
          let workflow = begun(PERFORMER, STEPS);
          // Written down beside the rules: what is given, and who accepted the present hand-in.
          const there = new Set<Step>();
          let acceptedBy = new Set<number>();
          for (const event of trace) {
            const before = workflow;
            let after: Workflow | string = workflow;
            if (event.kind === 'give') after = give(workflow, event.step, event.isWhole);
            if (event.kind === 'giveAll') {
              after = STEPS.reduce<Workflow | string>(
                (sum, step) => (typeof sum === 'string' ? sum : give(sum, step)),
                workflow,
              );
            }
            if (event.kind === 'handIn') after = handIn(workflow);
            if (event.kind === 'reopen' && workflow.state === 'accepted') after = reopen(workflow);
            if (event.kind === 'decide') {
              const { reviewerId, late, secondLook, rejected, skipped } = event;
              const steps = (rejected === null ? accepting : rejecting(rejected))
                .filter(({ step }) => step !== skipped);
              after = decide(workflow, {
                reviewerId,
                handIn: workflow.handIn - late,
                secondLook,
                steps: secondLook ? [] : steps,
              }, rules);
            }
            if (typeof after === 'string') continue;
            workflow = after;
            if (event.kind === 'give') there[event.isWhole ? 'add' : 'delete'](event.step);
            if (event.kind === 'giveAll') { for (const step of STEPS) there.add(step); }
            if (event.kind === 'handIn') acceptedBy = new Set();
            if (event.kind === 'reopen' && before.state === 'accepted') {
              there.delete('document');
              there.delete('selfie');
            }
            if (event.kind === 'decide') {
              if (event.secondLook) continue;
              if (event.rejected === null) acceptedBy.add(event.reviewerId);
              else there.delete(event.rejected);
            }
            if (workflow.state !== 'accepted') continue;
            reached += 1;
            expect([...there].sort()).toEqual([...STEPS].sort());
            expect(acceptedBy.size).toBeGreaterThanOrEqual(reviewers);
            expect(acceptedBy.has(PERFORMER)).toBe(false);
          }
        },
      ),
      { numRuns: 20_000, seed: 20_261_130 },
    );
    expect(reached).toBeGreaterThan(100);
  });

  it('an outcome never depends on a person who decided twice', () => {
    const twice = [{ reviewerId: ANNA, verdict: 'accept' as const }, {
      reviewerId: ANNA,
      verdict: 'accept' as const,
    }];
    expect(outcomeOf(twice, rulesOf(2))).toBe('second');
  });
});
