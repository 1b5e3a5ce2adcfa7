import type { Generated } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import { DAY_MS } from '../../platform/time/units.ts';
import {
  REPORTS_PAGE, RETAIN_CLOSED_DAYS, type ReportKind, type ReportOutcome, type ReportReason,
} from './rules.ts';

interface ModerationTables {
  'moderation.reports': {
    operator_id: Generated<number>; id: Generated<number>; kind: ReportKind; subject_id: number;
    room_id: number; target_id: number | null; within: string | null; snapshot: string;
    reporter_id: number | null; reason: ReportReason; details: string; at: Date; closed_at: Date | null;
    closed_by: number | null; outcome: ReportOutcome | null; note: Generated<string>;
  };
}
const tables = (tx: Tx) => tx.sql<ModerationTables>();

const COLUMNS = [
  'id', 'kind', 'subject_id as subjectId', 'room_id as roomId', 'target_id as targetId', 'within',
  'snapshot', 'reporter_id as reporterId', 'reason', 'details', 'at', 'closed_at as closedAt',
  'closed_by as closedBy', 'outcome', 'note',
] as const;
const reports = (tx: Tx) => tables(tx).selectFrom('moderation.reports').select(COLUMNS);
export type ReportRow = Awaited<ReturnType<ReturnType<typeof reports>['execute']>>[number];
export type NewReport = Omit<ReportRow, 'id' | 'at' | 'closedAt' | 'closedBy' | 'outcome' | 'note'>;

/** Open reports of somebody; with null those of guests. */
export async function countOpen(tx: Tx, reporterId: number | null): Promise<number> {
  const { count } = await tables(tx).selectFrom('moderation.reports')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('closed_at', 'is', null).where('reporter_id', 'is not distinct from', reporterId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether somebody's report of the same thing, for the same reason, is open. */
export async function isReported(tx: Tx, report: NewReport): Promise<boolean> {
  const row = await tables(tx).selectFrom('moderation.reports').select('id')
    .where('closed_at', 'is', null).where('reporter_id', '=', report.reporterId)
    .where('kind', '=', report.kind).where('subject_id', '=', report.subjectId)
    .where('room_id', '=', report.roomId).where('reason', '=', report.reason)
    .where('target_id', 'is not distinct from', report.targetId)
    .where('within', 'is not distinct from', report.within).executeTakeFirst();
  return row !== undefined;
}

/** Stores a report, and erases those that were closed long ago. */
export async function insertReport(tx: Tx, report: NewReport): Promise<void> {
  const { kind, subjectId, roomId, targetId, within, snapshot, reporterId, reason, details } = report;
  await tables(tx).insertInto('moderation.reports').values({
    kind, subject_id: subjectId, room_id: roomId, target_id: targetId, within, snapshot,
    reporter_id: reporterId, reason, details, at: tx.now, closed_at: null, closed_by: null, outcome: null,
  }).execute();
  await tables(tx).deleteFrom('moderation.reports')
    .where('closed_at', '<', new Date(tx.now.getTime() - RETAIN_CLOSED_DAYS * DAY_MS)).execute();
}

export interface ReportFilter {
  readonly isClosed: boolean;
  readonly reason: ReportReason | null;
  readonly before: number | null;
}

/** A page of reports, newest first, with one more where there is a page after. */
export function selectReports(tx: Tx, { isClosed, reason, before }: ReportFilter): Promise<ReportRow[]> {
  return reports(tx).where('closed_at', isClosed ? 'is not' : 'is', null)
    .$if(reason !== null, (query) => query.where('reason', '=', reason as ReportReason))
    .$if(before !== null, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc').limit(REPORTS_PAGE + 1).execute();
}

export async function countOpenByReason(tx: Tx): Promise<{ reason: ReportReason; count: number }[]> {
  return tables(tx).selectFrom('moderation.reports')
    .select(({ fn }) => ['reason', fn.countAll<number>().as('count')])
    .where('closed_at', 'is', null).groupBy('reason').execute();
}

/** Locked until the unit of work ends: two admins close it once. */
export async function lockReport(tx: Tx, id: number): Promise<ReportRow | null> {
  return await reports(tx).where('id', '=', id).forUpdate().executeTakeFirst() ?? null;
}

/** How an admin closes a report. */
interface Closing {
  readonly by: number;
  readonly outcome: ReportOutcome;
  readonly note: string;
}

export async function closeReport(tx: Tx, id: number, closing: Closing): Promise<ReportRow> {
  await tables(tx).updateTable('moderation.reports')
    .set({ closed_at: tx.now, closed_by: closing.by, outcome: closing.outcome, note: closing.note })
    .where('id', '=', id).execute();
  return reports(tx).where('id', '=', id).executeTakeFirstOrThrow();
}
