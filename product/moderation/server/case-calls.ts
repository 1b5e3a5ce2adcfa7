/** The queues and cases as staff work on them. */
import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { cleanLines, cleanText } from '#platform/text/clean-text.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { staffProtected } from '#product/accounts/contract/life/people.ts';
import { isAdmin } from '#product/accounts/rules/permissions.ts';
import { ownReport } from '../contract.ts';
import {
  addToCase,
  caseRefused,
  caseUnknown,
  decideCase,
  getCase,
  listCases,
  listQueues,
  listStatements,
  noteMissing,
  notRemovable,
  ownDecision,
  queuesIncomplete,
  reverseCase,
  saveQueues,
  subjectUnknown,
  suspensionTooLate,
  upholdCase,
  type CaseLineView,
  type CaseView,
  type QueueViewOf,
} from '../contract/cases.ts';
import { hasEffect, isTooLate, stateOf, suspensionOf, type CaseEvent } from '../rules/cases.ts';
import { CASES_PAGE, queueOf, takesAll, type Queue } from '../rules/queues.ts';
import { STATEMENTS_PAGE } from '../rules/statements.ts';
import { closeReport, reopenReport, reportOfCase } from '../store.ts';
import { caseCounts, eventsOf, findCase, selectCases, type CaseRow } from '../store/cases.ts';
import { countStrikes, selectStatements } from '../store/decisions.ts';
import { replaceQueues } from '../store/queues.ts';
import { requestOfCase } from '../store/requests.ts';
import { addEvent, queuesOf, type Changed } from './cases.ts';
import { carryOut, undo, type DecisionDependencies } from './decisions.ts';
import { isRemovable } from './removals.ts';

export interface CaseDependencies extends DecisionDependencies {
  /** Lets go of recordings that only the report of a case needed. */
  readonly settleReport: (tx: Tx, caseId: number) => Promise<void>;
}

type NameOf = (id: number | null) => string | null;
async function namesFor(
  { accounts }: CaseDependencies,
  tx: Tx,
  ids: readonly (number | null)[],
): Promise<NameOf> {
  const people = await accounts.findMany(tx, [...new Set(ids.filter((id) => id !== null))]);
  return (id) => (id === null ? null : people.get(id)?.username ?? null);
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
const lineOf = (row: CaseRow, nameOf: NameOf): CaseLineView => ({
  id: row.id,
  kind: row.kind,
  reason: row.reason,
  status: row.status,
  username: nameOf(row.subjectId),
  opened_at: row.openedAt.toISOString(),
  due_at: iso(row.dueAt),
  claimed_by: nameOf(row.claimedBy),
  is_escalated: row.isEscalated,
});

async function caseView(deps: CaseDependencies, tx: Tx, id: number): Promise<CaseView> {
  const row = await findCase(tx, id);
  const events = await eventsOf(tx, id);
  const state = stateOf(events);
  if (!row || !state) throw new Error(`case ${id} has no history`);
  const nameOf = await namesFor(deps, tx, [row.subjectId, row.claimedBy, ...events.map(({ byId }) => byId)]);
  const report = await reportOfCase(tx, id);
  const request = await requestOfCase(tx, id);
  const mayRemove = await isRemovable(deps, tx, id);
  return {
    ...lineOf(row, nameOf),
    report: report?.id ?? null,
    snapshot: report?.snapshot ?? '',
    details: report?.details ?? '',
    is_hidden: state.isHidden,
    may_remove: mayRemove,
    // Where nothing can be hidden, admins are notified once more.
    escalates_at: iso(state.escalateAt ?? (mayRemove ? null : state.hideAt)),
    hides_at: mayRemove ? iso(state.hideAt) : null,
    restores_at: iso(state.restoreAt),
    strikes: row.subjectId === null ? 0 : await countStrikes(tx, row.subjectId, id),
    request: request && {
      kind: request.kind,
      reference: request.reference,
      relation: request.relation,
      name: request.name,
      email: request.email,
      addresses: request.addresses,
      statement: request.statement,
      work: request.work,
      signature: request.signature,
    },
    events: events.map((event) => ({
      id: event.id,
      kind: event.kind,
      at: event.at.toISOString(),
      by: nameOf(event.byId),
      text: event.text,
      policy: event.kind === 'decide' ? event.policy : null,
      actions: event.kind === 'decide' ? event.actions : null,
      ground: event.kind === 'appeal' ? event.ground : null,
    })),
  };
}

async function queueViews(tx: Tx): Promise<QueueViewOf[]> {
  const queues = await queuesOf(tx);
  const views: QueueViewOf[] = [];
  const counts = await caseCounts(tx);
  for (const [position, queue] of queues.entries()) {
    const own = counts.filter((item) => queueOf(queues, item) === position);
    const sum = (of: (item: (typeof own)[number]) => number) => own.reduce((all, item) => all + of(item), 0);
    const decided = sum(({ decided: count }) => count);
    const oldest = own.flatMap(({ oldestAt }) =>
      oldestAt ?? []
    ).toSorted((a, b) => a.getTime() - b.getTime())[0];
    views.push({
      name: queue.name,
      kinds: [...queue.kinds],
      reasons: [...queue.reasons],
      hours: queue.hours,
      waiting: sum(({ waiting }) => waiting),
      escalated: sum(({ escalated }) => escalated),
      oldest_at: oldest?.toISOString() ?? null,
      handling_hours: decided === 0
        ? null
        : Math.round(sum(({ handlingMs }) => handlingMs) / decided / HOUR_MS * 10) / 10,
    });
  }
  return views;
}

/** Kinds and reasons that a queue takes, of those that cases have. */
async function pairsOf(tx: Tx, position: number) {
  const queues = await queuesOf(tx);
  return (await caseCounts(tx)).filter((item) => queueOf(queues, item) === position);
}

export const caseHandlers = (deps: CaseDependencies): CallHandler[] => [
  ...readHandlers(deps),
  ...workHandlers(deps),
  deciding(deps),
  ...reviewHandlers(deps),
];

function readHandlers(deps: CaseDependencies): CallHandler[] {
  const { data } = deps;
  return [
    handleCall(listQueues)((_input, { scope }) =>
      data.tx(scope, async (tx) => ({ queues: await queueViews(tx) }))
    ),
    handleCall(saveQueues)(async ({ queues }, { scope, personId, refuse }) => {
      if (!takesAll(queues)) return refuse(queuesIncomplete);
      return data.tx(scope, async (tx) => {
        const named: Queue[] = queues.map((queue) => ({ ...queue, name: cleanText(queue.name) }));
        await replaceQueues(tx, named);
        await tx.audit({ action: saveQueues.name, actorId: personId, subject: `queues:${named.length}` });
        return { queues: await queueViews(tx) };
      });
    }),
    handleCall(listCases)(({ queue, closed = false, from = null }, { scope }) =>
      data.tx(scope, async (tx) => {
        const pairs = queue === undefined ? null : await pairsOf(tx, queue);
        const rows = pairs?.length === 0 ? [] : await selectCases(tx, { isClosed: closed, from, pairs });
        const { page, next } = pageOf(rows, CASES_PAGE);
        const nameOf = await namesFor(deps, tx, page.flatMap((row) => [row.subjectId, row.claimedBy]));
        return { cases: page.map((row) => lineOf(row, nameOf)), next };
      })
    ),
    handleCall(getCase)(async ({ id }, { scope, personId, refuse }) => {
      const view = await data.tx(scope, async (tx) => {
        const row = await findCase(tx, id);
        if (!row) return caseUnknown;
        if (row.subjectId === personId) return ownReport;
        await tx.audit({ action: getCase.name, actorId: personId, subject: `case:${id}` });
        return caseView(deps, tx, id);
      });
      return 'code' in view ? refuse(view) : view;
    }),
    handleCall(listStatements)(({ from = null }, { scope }) =>
      data.tx(scope, async (tx) => {
        const { page, next } = pageOf(await selectStatements(tx, from), STATEMENTS_PAGE);
        return { statements: page.map(({ record }) => record), next };
      })
    ),
  ];
}

type Outcome = Changed | typeof caseUnknown | typeof caseRefused | typeof ownReport;

/** Adds an event of a member of staff. Nobody works on a case about themselves, or on their own report. */
async function staffEvent(
  tx: Tx,
  id: number,
  event: CaseEvent,
  by: { readonly roles: readonly string[]; readonly text: string },
): Promise<Outcome> {
  const row = await findCase(tx, id);
  if (!row) return caseUnknown;
  if (row.subjectId === event.byId) return ownReport;
  if ((await reportOfCase(tx, id))?.reporterId === event.byId) return ownReport;
  const changed = await addEvent(tx, id, event, { isAdmin: isAdmin(by.roles), text: by.text });
  return changed === null || typeof changed === 'string' ? caseRefused : changed;
}

function workHandlers(deps: CaseDependencies): CallHandler[] {
  return [
    handleCall(addToCase)(async (input, { scope, caller, personId, refuse }) => {
      const { id, kind } = input;
      const text = input.text === undefined ? '' : cleanLines(input.text);
      if ((kind === 'note') !== (text !== '')) return refuse(noteMissing);
      const outcome = await deps.data.tx(scope, async (tx) => {
        const added = await staffEvent(tx, id, { kind, at: tx.now, byId: personId }, {
          roles: caller.roles,
          text,
        });
        if ('code' in added) return added;
        await tx.audit({ action: `moderation.${kind}`, actorId: personId, subject: `case:${id}` });
        return caseView(deps, tx, id);
      });
      return 'code' in outcome ? refuse(outcome) : outcome;
    }),
  ];
}

function deciding(deps: CaseDependencies): CallHandler {
  return handleCall(decideCase)(async (input, { scope, caller, personId, refuse }) => {
    const { id, policy, removes, warns } = input;
    const { from, hours } = input.suspends ?? {};
    /** Rolls the unit of work back: an event has been added by then. */
    class Unremovable extends Error {}
    try {
      const outcome = await deps.data.tx(scope, async (tx) => {
        const found = await findCase(tx, id);
        if (!found) return caseUnknown;
        const suspends = input.suspends
          ? suspensionOf({ from: from === undefined ? null : new Date(from), hours: hours ?? null }, tx.now)
          : null;
        const actions = { removes, warns, suspends };
        const fault = await faultFor(deps, tx, found, actions);
        if (fault) return fault;
        const event = { kind: 'decide', at: tx.now, byId: personId, policy, actions } as const;
        const text = cleanLines(input.note);
        const added = await staffEvent(tx, id, event, { roles: caller.roles, text });
        if ('code' in added) return added;
        const order = {
          caseId: id,
          byId: personId,
          siteId: scope.siteId,
          policy,
          actions,
          wasHidden: added.before?.isHidden ?? false,
        };
        if (!(await carryOut(deps, tx, added.row, order))) throw new Unremovable();
        await closeItsReport(deps, tx, id, { by: personId, actions, note: text });
        await tx.audit({
          action: 'moderation.decide',
          actorId: personId,
          subject: `case:${id}`,
          reason: policy,
          detail: { removes, warns, suspends },
        });
        return caseView(deps, tx, id);
      });
      return 'code' in outcome ? refuse(outcome) : outcome;
    } catch (error) {
      if (error instanceof Unremovable) return refuse(notRemovable);
      throw error;
    }
  });
}

/** Why a decision cannot do what it says; null if it can. */
async function faultFor(
  deps: CaseDependencies,
  tx: Tx,
  { id, subjectId }: CaseRow,
  actions: Parameters<typeof hasEffect>[0],
) {
  if (!hasEffect(actions)) return null;
  if (subjectId === null) return subjectUnknown;
  if (actions.removes && !(await isRemovable(deps, tx, id))) return notRemovable;
  if (actions.suspends && isTooLate(new Date(actions.suspends.from), tx.now)) return suspensionTooLate;
  const person = actions.suspends && await deps.accounts.findById(tx, subjectId);
  return person && isAdmin(person.roles) ? staffProtected : null;
}

/** The report that opened a case is closed with it. */
async function closeItsReport(
  deps: CaseDependencies,
  tx: Tx,
  caseId: number,
  { by, actions, note }: { by: number; actions: Parameters<typeof hasEffect>[0]; note: string },
): Promise<void> {
  const report = await reportOfCase(tx, caseId);
  if (!report || report.closedAt !== null) return;
  const outcome = actions.suspends
    ? 'restricted'
    : actions.removes
    ? 'removed'
    : actions.warns
    ? 'warned'
    : 'no_violation';
  await closeReport(tx, report.id, { by, outcome, note });
  await deps.settleReport(tx, caseId);
}

/** Whether an appealed decision is somebody's own, and another admin can look at it. */
async function isOwnDecision(
  { accounts }: CaseDependencies,
  tx: Tx,
  caseId: number,
  personId: number,
): Promise<boolean> {
  if (stateOf(await eventsOf(tx, caseId))?.decision?.byId !== personId) return false;
  return (await accounts.adminIds(tx)).some((id) => id !== personId);
}

function reviewHandlers(deps: CaseDependencies): CallHandler[] {
  return [
    handleCall(reverseCase)(async ({ id, note }, { scope, caller, personId, refuse }) => {
      const outcome = await deps.data.tx(scope, async (tx) => {
        const event = { kind: 'reverse', at: tx.now, byId: personId } as const;
        const added = await staffEvent(tx, id, event, { roles: caller.roles, text: cleanLines(note) });
        if ('code' in added) return added;
        const hadEffect = added.state.status === 'reversed';
        if (hadEffect) await undo(deps, tx, added.row, personId);
        else await reopenReport(tx, id);
        await tx.audit({ action: 'moderation.reverse', actorId: personId, subject: `case:${id}` });
        return caseView(deps, tx, id);
      });
      return 'code' in outcome ? refuse(outcome) : outcome;
    }),
    handleCall(upholdCase)(async ({ id, note }, { scope, caller, personId, refuse }) => {
      const outcome = await deps.data.tx(scope, async (tx) => {
        if (await isOwnDecision(deps, tx, id, personId)) return ownDecision;
        const event = { kind: 'uphold', at: tx.now, byId: personId } as const;
        const added = await staffEvent(tx, id, event, { roles: caller.roles, text: cleanLines(note) });
        if ('code' in added) return added;
        await tx.audit({ action: 'moderation.uphold', actorId: personId, subject: `case:${id}` });
        return caseView(deps, tx, id);
      });
      return 'code' in outcome ? refuse(outcome) : outcome;
    }),
  ];
}
