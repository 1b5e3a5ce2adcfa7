import {
  isReasonOf,
  type ApplicationState,
  type OperatorRules,
  type Reason,
  type Step,
  type StepState,
  type Verdict,
} from '../rules.ts';

/** One step of an application; reason and note are those of a rejection. */
export interface StepView {
  readonly state: StepState;
  readonly reason: Reason | null;
  readonly note: string;
}
export const MISSING: StepView = { state: 'missing', reason: null, note: '' };
const GIVEN: StepView = { state: 'given', reason: null, note: '' };
const ACCEPTED: StepView = { state: 'accepted', reason: null, note: '' };

/** What a reviewer decided about one step. */
export interface StepDecision {
  readonly step: Step;
  readonly accepted: boolean;
  readonly reason: Reason | null;
  readonly note: string;
}

/** What one person decided about one hand-in. */
export interface Decision {
  readonly reviewerId: number;
  readonly verdict: Verdict;
}

/** An application: its steps, and the decisions about its present hand-in. */
export interface Workflow {
  readonly performerId: number;
  readonly state: ApplicationState;
  /** How often it was handed in; a decision is about one of them. */
  readonly handIn: number;
  /** Only the steps that this operator asks for. */
  readonly steps: ReadonlyMap<Step, StepView>;
  readonly decisions: readonly Decision[];
}

export const isLocked = ({ state }: Pick<Workflow, 'state'>): boolean =>
  state === 'waiting' || state === 'second' || state === 'accepted';

/** The application of somebody who has just begun. */
export const begun = (performerId: number, steps: readonly Step[]): Workflow => ({
  performerId,
  state: 'open',
  handIn: 0,
  steps: new Map(steps.map((step) => [step, MISSING])),
  decisions: [],
});

/** A step is given, or given again; `isWhole` is false while a part of it is missing. */
export function give(workflow: Workflow, step: Step, isWhole = true): Workflow | 'locked' {
  if (isLocked(workflow)) return 'locked';
  return { ...workflow, steps: new Map(workflow.steps).set(step, isWhole ? GIVEN : MISSING) };
}

const isReady = ({ state }: StepView): boolean => state === 'given' || state === 'accepted';

/** The steps that stand between an application and its review. */
export const stepsLeft = ({ steps }: Pick<Workflow, 'steps'>): readonly Step[] =>
  [...steps].filter(([, view]) => !isReady(view)).map(([step]) => step);

/** Hands an application in. */
export function handIn(workflow: Workflow): Workflow | 'locked' | 'steps_left' {
  if (isLocked(workflow)) return 'locked';
  if (stepsLeft(workflow).length > 0) return 'steps_left';
  return { ...workflow, state: 'waiting', handIn: workflow.handIn + 1, decisions: [] };
}

/** Why a decision does not count. */
export type DecisionFault = 'own' | 'not_waiting' | 'stale' | 'decided_before' | 'incomplete';

export interface NewDecision {
  readonly reviewerId: number;
  readonly handIn: number;
  /** Asks a second person to decide instead. */
  readonly secondLook: boolean;
  /** One for each step; none with `secondLook`. */
  readonly steps: readonly StepDecision[];
}

const isWhole = ({ steps }: Workflow, { steps: decided, secondLook }: NewDecision): boolean => {
  if (secondLook) return decided.length === 0;
  const named = new Set(decided.map(({ step }) => step));
  return named.size === decided.length && named.size === steps.size
    && decided.every((one) =>
      steps.has(one.step) && (one.accepted
        ? one.reason === null
        : one.reason !== null && isReasonOf(one.step, one.reason)
          && (one.reason !== 'other' || one.note !== ''))
    );
};

export const verdictOf = ({ secondLook, steps }: NewDecision): Verdict =>
  secondLook ? 'second_look' : steps.every(({ accepted }) => accepted) ? 'accept' : 'reject';

/** What the decisions of different people about one hand-in lead to. */
export function outcomeOf(decisions: readonly Decision[], { reviewers }: OperatorRules): ApplicationState {
  const last = decisions.at(-1);
  if (!last) return 'waiting';
  if (last.verdict === 'reject') return 'rejected';
  const accepting = new Set(
    decisions.filter(({ verdict }) => verdict === 'accept')
      .map(({ reviewerId }) => reviewerId),
  );
  return last.verdict === 'accept' && accepting.size >= reviewers ? 'accepted' : 'second';
}

/**
 * Adds a decision. Nobody decides about themselves, or twice about one hand-in. A rejection by anybody sends
 * the rejected steps back; an acceptance counts once enough people accepted.
 */
export function decide(
  workflow: Workflow,
  decision: NewDecision,
  rules: OperatorRules,
): Workflow | DecisionFault {
  const { reviewerId } = decision;
  if (reviewerId === workflow.performerId) return 'own';
  if (decision.handIn !== workflow.handIn) return 'stale';
  // Before the state: who sends the same decision again reads that it counted.
  if (workflow.decisions.some((one) => one.reviewerId === reviewerId)) return 'decided_before';
  if (workflow.state !== 'waiting' && workflow.state !== 'second') return 'not_waiting';
  if (!isWhole(workflow, decision)) return 'incomplete';
  const decisions = [...workflow.decisions, { reviewerId, verdict: verdictOf(decision) }];
  const state = outcomeOf(decisions, rules);
  if (state === 'second') return { ...workflow, state, decisions };
  const steps = new Map(workflow.steps);
  for (const { step, accepted, reason, note } of decision.steps) {
    steps.set(step, accepted ? ACCEPTED : { state: 'rejected', reason, note });
  }
  return { ...workflow, state, steps, decisions };
}

/** A year later: what proves the identity is given again, and everything is reviewed again. */
export function reopen(workflow: Workflow): Workflow {
  const steps = new Map([...workflow.steps].map(([step, view]) => {
    const isAgain = step === 'document' || step === 'selfie';
    return [step, isAgain ? MISSING : isReady(view) ? GIVEN : view] as const;
  }));
  return { ...workflow, state: 'open', steps, decisions: [] };
}
