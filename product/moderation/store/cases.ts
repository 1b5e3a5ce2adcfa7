/** Cases and their events. */
import type { Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { sql } from 'kysely';
import { CASE_CLOCK, RETAIN_CLOSED_DAYS } from '../rules.ts';
import { stateOf, type CaseEvent, type CaseState } from '../rules/cases.ts';
import { CASES_PAGE, HANDLING_DAYS, type CaseKind, type CaseReason } from '../rules/queues.ts';
import type { ModerationTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<ModerationTables>();

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

/** Deletes cases of public forms that were decided long ago; those of reports go with their report. */
export async function removeOldCases(tx: Tx): Promise<void> {
  const before = new Date(tx.now.getTime() - RETAIN_CLOSED_DAYS * DAY_MS);
  await sql`delete from moderation.cases c where c.due_at is null and c.decided_at < ${before}
    and not exists (
      select from moderation.reports r where r.operator_id = c.operator_id and r.case_id = c.id)`
    .execute(tx.sql());
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
