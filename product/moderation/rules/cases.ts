/** The state of a case, which follows from its events alone. */
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import type { SuspensionCause } from '#product/accounts/rules/staff/suspensions.ts';
import type { ReportOutcome } from '../rules.ts';
import { appealClocksOf, appealUntil, clocksOf, type AppealGround, type ClockKind } from './clocks.ts';

/** What happens to a case. Events are only added. */
export const CASE_EVENTS = [
  'report',
  'note',
  'claim',
  'release',
  'escalate',
  'hide',
  'hide_failed',
  'decide',
  'appeal',
  'uphold',
  'reverse',
] as const;

/** The rule of the site that a decision is based on. */
export const POLICIES = [
  'minors',
  'consent',
  'illegal',
  'copyright',
  'harassment',
  'impersonation',
  'spam',
  'terms',
] as const;
export type Policy = (typeof POLICIES)[number];

/** What a suspended person reads as the cause. */
export const CAUSE_OF: Readonly<Record<Policy, SuspensionCause>> = {
  minors: 'age',
  consent: 'conduct',
  illegal: 'terms',
  copyright: 'terms',
  harassment: 'conduct',
  impersonation: 'terms',
  spam: 'conduct',
  terms: 'terms',
};

/** What a decision does. Nothing set: the report is unfounded. */
export interface Actions {
  readonly removes: boolean;
  readonly warns: boolean;
  /** ISO 8601; `until` is null for a suspension without end. */
  readonly suspends: { readonly from: string; readonly until: string | null } | null;
}
export const NO_ACTIONS: Actions = { removes: false, warns: false, suspends: null };
export const hasEffect = ({ removes, warns, suspends }: Actions): boolean =>
  removes || warns || suspends !== null;

interface Common {
  readonly at: Date;
  /** The member of staff; null for the site itself and for people outside. */
  readonly byId: number | null;
}
export type CaseEvent =
  | Common & { readonly kind: 'report'; readonly clock: ClockKind; readonly queueHours: number }
  | Common & {
    readonly kind:
      | 'note'
      | 'claim'
      | 'release'
      | 'escalate'
      | 'hide'
      | 'hide_failed'
      | 'uphold'
      | 'reverse';
  }
  | Common & {
    readonly kind: 'decide';
    readonly policy: Policy;
    readonly actions: Actions;
    /** What an admin noted who closed the report without the site acting. */
    readonly outcome?: ReportOutcome;
  }
  | Common & { readonly kind: 'appeal'; readonly ground: AppealGround };

export const CASE_STATUSES = ['open', 'decided', 'appealed', 'reversed'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

export interface Decision {
  readonly at: Date;
  readonly byId: number | null;
  readonly policy: Policy;
  readonly actions: Actions;
}

export interface CaseState {
  readonly status: CaseStatus;
  readonly openedAt: Date;
  readonly clock: ClockKind;
  readonly queueHours: number;
  readonly claimedBy: number | null;
  readonly isEscalated: boolean;
  /** The content is hidden until somebody decides. */
  readonly isHidden: boolean;
  /** The decision in force; null for none. */
  readonly decision: Decision | null;
  readonly appeal: { readonly at: Date; readonly ground: AppealGround } | null;
  /** An appeal was decided: the decision stands. */
  readonly isFinal: boolean;
  /** What waits for staff now: null for a case that waits for nobody. */
  readonly escalateAt: Date | null;
  readonly hideAt: Date | null;
  readonly restoreAt: Date | null;
  readonly dueAt: Date | null;
}

/** Why an event cannot follow. */
export type CaseFault =
  | 'not_opened'
  | 'opened'
  | 'closed'
  | 'claimed'
  | 'not_claimed'
  | 'escalated'
  | 'hidden'
  | 'undecided'
  | 'appealed'
  | 'not_appealed'
  | 'too_late'
  | 'too_early'
  | 'reversed';

const isWaiting = ({ status }: CaseState): boolean => status === 'open' || status === 'appealed';

/** Why an event cannot follow a state; null if it can. @param isAdmin whether its author overrides claims */
export function faultAfter(state: CaseState | null, event: CaseEvent, isAdmin = false): CaseFault | null {
  if (state === null) return event.kind === 'report' ? null : 'not_opened';
  const isOthers = state.claimedBy !== null && state.claimedBy !== event.byId && event.byId !== null;
  switch (event.kind) {
    case 'report':
      return 'opened';
    case 'note':
      return null;
    case 'claim':
      if (!isWaiting(state)) return 'closed';
      return state.claimedBy === null ? null : 'claimed';
    case 'release':
      if (state.claimedBy === null) return 'not_claimed';
      return isOthers && !isAdmin ? 'claimed' : null;
    case 'escalate':
      if (!isWaiting(state)) return 'closed';
      return state.isEscalated ? 'escalated' : null;
    case 'hide':
    case 'hide_failed':
      if (state.status !== 'open') return 'closed';
      return state.isHidden ? 'hidden' : null;
    case 'decide':
      if (state.status !== 'open') return 'closed';
      return isOthers && !isAdmin ? 'claimed' : null;
    case 'appeal':
      return faultOfAppeal(state, event.at);
    case 'uphold':
      return state.status === 'appealed' ? null : 'not_appealed';
    case 'reverse':
      return faultOfReversal(state, event.at);
  }
}

function faultOfAppeal({ status, decision, isFinal }: CaseState, at: Date): CaseFault | null {
  if (status === 'reversed') return 'reversed';
  if (decision === null) return 'undecided';
  if (status === 'appealed' || isFinal) return 'appealed';
  return at > appealUntil(decision.at) ? 'too_late' : null;
}

function faultOfReversal({ status, decision, appeal }: CaseState, at: Date): CaseFault | null {
  if (status === 'reversed') return 'reversed';
  if (decision === null) return 'undecided';
  if (status !== 'appealed' || appeal === null) return null;
  const { earliestAt } = appealClocksOf(appeal.ground, appeal.at);
  return earliestAt !== null && at < earliestAt ? 'too_early' : null;
}

const WAITS_FOR_NOBODY = { escalateAt: null, hideAt: null, restoreAt: null, dueAt: null } as const;

/** The state after an event that {@link faultAfter} allows; throws for any other. */
export function reduceCase(state: CaseState | null, event: CaseEvent): CaseState {
  const fault = faultAfter(state, event, true);
  if (fault !== null) throw new Error(`${event.kind} cannot follow: ${fault}`);
  if (event.kind === 'report') return opened(event.at, event.clock, event.queueHours);
  if (state === null) throw new Error('a case begins with a report');
  switch (event.kind) {
    case 'note':
      return state;
    case 'claim':
      return { ...state, claimedBy: event.byId };
    case 'release':
      return { ...state, claimedBy: null };
    case 'escalate':
      return { ...state, isEscalated: true, escalateAt: null };
    case 'hide':
      return { ...state, isHidden: true, hideAt: null };
    case 'hide_failed':
      return { ...state, isEscalated: true, escalateAt: null, hideAt: null };
    case 'decide': {
      const { at, byId, policy, actions } = event;
      return {
        ...state,
        ...WAITS_FOR_NOBODY,
        status: 'decided',
        claimedBy: null,
        isHidden: false,
        decision: { at, byId, policy, actions },
      };
    }
    case 'appeal': {
      const { escalateAt, restoreAt, dueAt } = appealClocksOf(event.ground, event.at);
      return {
        ...state,
        status: 'appealed',
        isEscalated: false,
        appeal: { at: event.at, ground: event.ground },
        escalateAt,
        hideAt: null,
        restoreAt,
        dueAt,
      };
    }
    case 'uphold':
      return { ...state, ...WAITS_FOR_NOBODY, status: 'decided', claimedBy: null, isFinal: true };
    case 'reverse':
      return reversed(state, event.at);
  }
}

const opened = (openedAt: Date, clock: ClockKind, queueHours: number): CaseState => ({
  status: 'open',
  openedAt,
  clock,
  queueHours,
  claimedBy: null,
  isEscalated: false,
  isHidden: false,
  decision: null,
  appeal: null,
  isFinal: false,
  restoreAt: null,
  ...clocksOf(clock, openedAt, queueHours),
});

/** A decision without an effect is open again, with a new time limit; all others are undone for good. */
function reversed(state: CaseState, at: Date): CaseState {
  if (state.decision !== null && !hasEffect(state.decision.actions)) {
    return { ...opened(at, state.clock, state.queueHours), openedAt: state.openedAt };
  }
  return { ...state, ...WAITS_FOR_NOBODY, status: 'reversed', claimedBy: null, decision: null };
}

/** The state after all events of a case, oldest first; null without any. */
export const stateOf = (events: readonly CaseEvent[]): CaseState | null =>
  events.reduce<CaseState | null>(reduceCase, null);

/** The next moment at which the site acts by itself, and how; null while a case waits for nobody. */
export function nextStep(
  { escalateAt, hideAt, restoreAt }: CaseState,
): { readonly at: Date; readonly kind: 'escalate' | 'hide' | 'reverse' } | null {
  const steps = [
    { at: escalateAt, kind: 'escalate' as const },
    { at: hideAt, kind: 'hide' as const },
    { at: restoreAt, kind: 'reverse' as const },
  ].flatMap(({ at, kind }) => (at === null ? [] : [{ at, kind }]));
  return steps.toSorted((one, other) => one.at.getTime() - other.at.getTime())[0] ?? null;
}

/** Hours that a suspension may last before it has no end: a year. */
export const MAX_SUSPENSION_HOURS = 8_760;
/** A suspension begins at most this much later: it is about what is known now. */
const MAX_SUSPENSION_DELAY_DAYS = 30;
export const isTooLate = (from: Date, now: Date): boolean =>
  from.getTime() > now.getTime() + MAX_SUSPENSION_DELAY_DAYS * DAY_MS;
/** Whatever has an effect on an account counts against it for a while. */
const STRIKE_DAYS = 180;
export const strikeEnd = (decidedAt: Date): Date => new Date(decidedAt.getTime() + STRIKE_DAYS * DAY_MS);

/** The suspension that a decision asks for. */
export function suspensionOf(
  { from, hours }: { readonly from: Date | null; readonly hours: number | null },
  now: Date,
): NonNullable<Actions['suspends']> {
  const start = from !== null && from > now ? from : now;
  return {
    from: start.toISOString(),
    until: hours === null ? null : new Date(start.getTime() + hours * HOUR_MS).toISOString(),
  };
}
