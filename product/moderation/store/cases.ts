/** Cases and their events. */
import type { Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { sql, type RawBuilder } from 'kysely';
import { CASE_CLOCK, RETAIN_CLOSED_DAYS } from '../rules.ts';
import { stateOf, type CaseEvent, type CaseState } from '../rules/cases.ts';
import { CASES_PAGE, HANDLING_DAYS, type CaseKind, type CaseReason } from '../rules/queues.ts';
import type { ModerationTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<ModerationTables>();

/** Old cases that one request deletes: as long as that is more than one, they become fewer. */
const OLD_AT_ONCE = 100;

const COLUMNS = [
  'id',
  'kind',
  'reason',
  'subject_id as subjectId',
  'opened_at as openedAt',
  'status',
  'claimed_by as claimedBy',
  'is_escalated as isEscalated',
  'due_at as dueAt',
  'decided_at as decidedAt',
] as const;
const cases = (tx: Tx) => tables(tx).selectFrom('moderation.cases').select(COLUMNS);
export type CaseRow = Awaited<ReturnType<ReturnType<typeof cases>['execute']>>[number];

/** An event as stored: with its id, and what somebody typed; empty for nothing. */
export type StoredEvent = CaseEvent & { readonly id: number; readonly text: string };

/** What a case is about. */
export interface NewCase {
  readonly kind: CaseKind;
  readonly reason: CaseReason;
  readonly subjectId: number | null;
}

/** Stores a case that its first event opens. */
export async function insertCase(tx: Tx, about: NewCase, state: CaseState): Promise<number> {
  const { kind, reason, subjectId } = about;
  const { id } = await tables(tx).insertInto('moderation.cases')
    .values({ kind, reason, subject_id: subjectId, opened_at: state.openedAt, ...projected(state) })
    .returning('id').executeTakeFirstOrThrow();
  return id;
}

const projected = ({ status, claimedBy, isEscalated, dueAt, decision }: CaseState) => ({
  status,
  claimed_by: claimedBy,
  is_escalated: isEscalated,
  due_at: dueAt,
  ...(decision === null ? {} : { decided_at: decision.at }),
});

/** Saves what follows from the events of a case, for lists. */
export async function saveState(tx: Tx, id: number, state: CaseState): Promise<void> {
  await tables(tx).updateTable('moderation.cases').set(projected(state)).where('id', '=', id).execute();
}

export const findCase = async (tx: Tx, id: number): Promise<CaseRow | null> =>
  await cases(tx).where('id', '=', id).executeTakeFirst() ?? null;

/** A case, locked until the unit of work ends, so that of two decisions only one counts. */
export const lockCase = async (tx: Tx, id: number): Promise<CaseRow | null> =>
  await cases(tx).where('id', '=', id).forUpdate().executeTakeFirst() ?? null;

/** Adds an event. @param text what somebody typed; empty for nothing */
export async function insertEvent(tx: Tx, caseId: number, event: CaseEvent, text: string): Promise<void> {
  const { kind, at, byId, ...detail } = event;
  const { id } = await tables(tx).insertInto('moderation.events')
    .values({ case_id: caseId, kind, at, by_id: byId, detail: JSON.stringify(detail) })
    .returning('id').executeTakeFirstOrThrow();
  if (text === '') return;
  await tables(tx).insertInto('moderation.texts').values({ event_id: id, text }).execute();
}

/** The events of a case, oldest first. */
export async function eventsOf(tx: Tx, caseId: number): Promise<StoredEvent[]> {
  const rows = await tables(tx).selectFrom('moderation.events as event')
    .leftJoin('moderation.texts as typed', 'typed.event_id', 'event.id')
    .select(['event.id', 'event.kind', 'event.at', 'event.by_id as byId', 'event.detail', 'typed.text'])
    .where('event.case_id', '=', caseId).orderBy('event.id').execute();
  return rows.map(({ id, kind, at, byId, detail, text }) =>
    ({ ...detail, id, kind, at, byId, text: text ?? '' }) as StoredEvent
  );
}

/** The state of a case; throws for one without events. */
export async function readState(tx: Tx, caseId: number): Promise<CaseState> {
  const state = stateOf(await eventsOf(tx, caseId));
  if (state === null) throw new Error(`case ${caseId} has no events`);
  return state;
}

/** Deletes cases with everything that belongs to them, and the deadlines at which the site would act. */
export async function removeCases(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tables(tx).deleteFrom('moderation.cases').where('id', 'in', [...ids]).execute();
  for (const id of ids) await tx.unschedule(CASE_CLOCK, String(id));
}

/**
 * Whether a case still does something: it waits, its suspension has not ended, or something that it removed
 * may return. Messages never return.
 */
export const inForce = (
  { caseId, operatorId }: Readonly<Record<'caseId' | 'operatorId', RawBuilder<unknown>>>,
): RawBuilder<boolean> =>
  sql<boolean>`(
    exists (select from moderation.cases c where c.operator_id = ${operatorId} and c.id = ${caseId}
      and c.due_at is not null)
    or exists (select from moderation.suspensions s where s.operator_id = ${operatorId}
      and s.case_id = ${caseId} and s.ended_at is null)
    or exists (select from moderation.removals m where m.operator_id = ${operatorId}
      and m.case_id = ${caseId} and m.restored_at is null and m.kind <> 'message'))`;

/**
 * Deletes cases of public forms that were decided long ago, some at a time; those of reports go with their
 * report. Of a case in force only the request is deleted, with what its sender typed.
 */
export async function removeOldCases(tx: Tx): Promise<void> {
  const before = new Date(tx.now.getTime() - RETAIN_CLOSED_DAYS * DAY_MS);
  const isOf = { caseId: sql`old.id`, operatorId: sql`old.operator_id` };
  await sql`delete from moderation.requests where id in (
      select r.id from moderation.requests r join moderation.cases old
        on old.operator_id = r.operator_id and old.id = r.case_id
      where old.due_at is null and old.decided_at < ${before} limit ${OLD_AT_ONCE})`.execute(tx.sql());
  await sql`delete from moderation.cases where id in (
      select old.id from moderation.cases old
      where old.due_at is null and old.decided_at < ${before} and not ${inForce(isOf)}
        and not exists (
          select from moderation.reports r where r.operator_id = old.operator_id and r.case_id = old.id)
      limit ${OLD_AT_ONCE})`.execute(tx.sql());
}

/** Cases of a kind and reason: how many wait, and how long decisions of the last days took. */
export async function caseCounts(tx: Tx) {
  const since = new Date(tx.now.getTime() - HANDLING_DAYS * DAY_MS);
  const { rows } = await sql<{
    kind: CaseKind;
    reason: CaseReason;
    waiting: number;
    escalated: number;
    oldestAt: Date | null;
    decided: number;
    handlingMs: number;
  }>`select kind, reason,
      count(*) filter (where due_at is not null)::int as waiting,
      count(*) filter (where due_at is not null and is_escalated)::int as escalated,
      min(opened_at) filter (where due_at is not null) as "oldestAt",
      count(*) filter (where decided_at > ${since})::int as decided,
      coalesce(
        sum(extract(epoch from decided_at - opened_at)) filter (where decided_at > ${since}), 0)::float8
        * 1000 as "handlingMs"
    from moderation.cases group by kind, reason`.execute(tx.sql());
  return rows;
}

export interface CaseFilter {
  readonly isClosed: boolean;
  /** Id of the last case of the page before; null for the first page. */
  readonly from: number | null;
  /** Kinds and reasons of a queue; null for all. */
  readonly pairs: readonly Pick<NewCase, 'kind' | 'reason'>[] | null;
}

/** A page of cases and one more if there is another: waiting ones oldest first, closed ones newest first. */
export function selectCases(tx: Tx, { isClosed, from, pairs }: CaseFilter): Promise<CaseRow[]> {
  return cases(tx).where('due_at', isClosed ? 'is' : 'is not', null)
    .$if(
      pairs !== null,
      (query) =>
        query.where((eb) =>
          eb.or(
            (pairs ?? []).map(({ kind, reason }) =>
              eb.and([eb('kind', '=', kind), eb('reason', '=', reason)])
            ),
          )
        ),
    )
    .$if(from !== null, (query) => query.where('id', isClosed ? '<' : '>', from as number))
    .orderBy('id', isClosed ? 'desc' : 'asc').limit(CASES_PAGE + 1).execute();
}
