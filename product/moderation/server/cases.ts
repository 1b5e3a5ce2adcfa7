/** Adds events to cases; each sets the deadline at which the site acts by itself. */
import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { CASE_CLOCK } from '../rules.ts';
import {
  faultAfter,
  nextStep,
  reduceCase,
  stateOf,
  type CaseEvent,
  type CaseFault,
  type CaseState,
} from '../rules/cases.ts';
import type { ClockKind } from '../rules/clocks.ts';
import { DEFAULT_QUEUES, queueOf } from '../rules/queues.ts';
import {
  eventsOf,
  insertCase,
  insertEvent,
  lockCase,
  saveState,
  type CaseRow,
  type NewCase,
} from '../store/cases.ts';
import { selectQueues } from '../store/queues.ts';

/** A case after an event. */
export interface Changed {
  readonly row: CaseRow;
  readonly before: CaseState | null;
  readonly state: CaseState;
}

/** The queues of the operator, or the usual ones where none are set. */
export async function queuesOf(tx: Tx) {
  const set = await selectQueues(tx);
  return set.length === 0 ? DEFAULT_QUEUES : set;
}

/** Opens a case. Its time limit is its form's, or its queue's. */
export async function openCase(tx: Tx, about: NewCase, clock: ClockKind): Promise<number> {
  const queues = await queuesOf(tx);
  const hours = queues[queueOf(queues, about) ?? queues.length - 1]?.hours;
  if (hours === undefined) throw new Error('an operator without queues');
  const event: CaseEvent = { kind: 'report', at: tx.now, byId: null, clock, queueHours: hours };
  const state = reduceCase(null, event);
  const id = await insertCase(tx, about, state);
  await insertEvent(tx, id, event, '');
  await setClock(tx, id, state);
  return id;
}

/**
 * Adds an event to a case, under its lock.
 * @param isAdmin whether its author may act on what somebody else claimed
 * @returns the case after it, or why it cannot follow; null for an unknown case
 */
export async function addEvent(
  tx: Tx,
  caseId: number,
  event: CaseEvent,
  { isAdmin = false, text = '' }: { readonly isAdmin?: boolean; readonly text?: string } = {},
): Promise<Changed | CaseFault | null> {
  const row = await lockCase(tx, caseId);
  if (!row) return null;
  const before = stateOf(await eventsOf(tx, caseId));
  const fault = faultAfter(before, event, isAdmin);
  if (fault !== null) return fault;
  const state = reduceCase(before, event);
  await insertEvent(tx, caseId, event, text);
  await saveState(tx, caseId, state);
  await setClock(tx, caseId, state);
  return { row, before, state };
}

async function setClock(tx: Tx, caseId: number, state: CaseState): Promise<void> {
  const next = nextStep(state);
  const key = String(caseId);
  if (next === null) await tx.unschedule(CASE_CLOCK, key);
  else await tx.schedule({ kind: CASE_CLOCK, key, at: next.at });
}

/** What the site does by itself. */
export interface Steps {
  /** Hides the content of a case until somebody decides; false if it cannot be hidden. */
  readonly hide: (tx: Tx, caseId: number) => Promise<boolean>;
  /** Follows an event that the site has added. */
  readonly onStep: (
    tx: Tx,
    caseId: number,
    kind: 'escalate' | 'hide' | 'hide_failed' | 'reverse',
    changed: Changed,
  ) => Promise<void>;
}

/** The deadlines of cases: each step that is due, then the deadline of the next. */
export const caseClock = (data: Data, { hide, onStep }: Steps): DeadlineHandler => ({
  kind: CASE_CLOCK,
  handle: ({ operatorId, key }) =>
    data.tx({ operatorId }, async (tx) => {
      const id = Number(key);
      const row = await lockCase(tx, id);
      const state = row && stateOf(await eventsOf(tx, id));
      const next = state && nextStep(state);
      if (!next) return;
      if (next.at > tx.now) return tx.schedule({ kind: CASE_CLOCK, key, at: next.at });
      const kind = next.kind === 'hide' && !(await hide(tx, id)) ? 'hide_failed' : next.kind;
      const changed = await addEvent(tx, id, { kind, at: tx.now, byId: null });
      if (changed === null || typeof changed === 'string') {
        throw new Error(`case ${id}: ${kind} is due and cannot follow`);
      }
      await onStep(tx, id, kind, changed);
    }),
});
