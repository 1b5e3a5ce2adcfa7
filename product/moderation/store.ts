import { removeStored } from '#platform/data/blobs.ts';
import type { Tx } from '#platform/data/data.ts';
import { namedBlobs } from '#platform/data/database/named-blobs.ts';
import { randomId } from '#platform/data/ids.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { Judged } from '#product/recordings/rules.ts';
import { sql, type RawBuilder } from 'kysely';
import {
  COPY_REMOVAL,
  reportedShow,
  REPORTS_PAGE,
  RETAIN_CLOSED_DAYS,
  URGENT_REASONS,
  type GuestReports,
  type ReportOutcome,
  type ReportReason,
} from './rules.ts';
import { inForce, removeCases } from './store/cases.ts';
import type { ModerationTables } from './store/tables.ts';

const tables = (tx: Tx) => tx.sql<ModerationTables>();

const COLUMNS = [
  'id',
  'kind',
  'subject_id as subjectId',
  'room_id as roomId',
  'target_id as targetId',
  'within',
  'snapshot',
  'reporter_id as reporterId',
  'reason',
  'details',
  'at',
  'closed_at as closedAt',
  'closed_by as closedBy',
  'outcome',
  'note',
  'picture_blob as pictureBlob',
  'recording_id as recordingId',
  'case_id as caseId',
] as const;
const reports = (tx: Tx) => tables(tx).selectFrom('moderation.reports').select(COLUMNS);
export type ReportRow = Awaited<ReturnType<ReturnType<typeof reports>['execute']>>[number];
/** @property network of a guest; null for somebody with an account */
export type NewReport =
  & Omit<ReportRow, 'id' | 'at' | 'closedAt' | 'closedBy' | 'outcome' | 'note'>
  & { readonly network: string | null };

/** Number of a person's open reports. */
export async function countOpen(tx: Tx, reporterId: number): Promise<number> {
  const { count } = await tables(tx).selectFrom('moderation.reports')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('closed_at', 'is', null).where('reporter_id', '=', reporterId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Open reports of guests, and the network with the most. */
export async function countGuests(
  tx: Tx,
  network: string | null,
): Promise<GuestReports & { readonly heaviest: string | null }> {
  const rows = await tables(tx).selectFrom('moderation.reports')
    .select(({ fn }) => ['network', fn.countAll<number>().as('count')])
    .where('closed_at', 'is', null).where('reporter_id', 'is', null)
    .groupBy('network').orderBy('count', 'desc').execute();
  return {
    total: rows.reduce((sum, { count }) => sum + count, 0),
    own: rows.find((row) => row.network === network)?.count ?? 0,
    most: rows[0]?.count ?? 0,
    heaviest: rows[0]?.network ?? null,
  };
}

/** The report of a network to displace: the newest open one, non-urgent ones first. */
export const findDisplaced = async (tx: Tx, network: string | null): Promise<ReportRow | null> =>
  await reports(tx).where('closed_at', 'is', null).where('reporter_id', 'is', null)
    .where('network', 'is not distinct from', network)
    .orderBy((eb) => eb('reason', 'in', [...URGENT_REASONS])).orderBy('id', 'desc')
    .executeTakeFirst() ?? null;

export const removeReport = (tx: Tx, id: number): Promise<void> =>
  removeReports(tx, sql<boolean>`id = ${id}`);

/** Deletes reports with their cases, and copies of pictures that no other report uses. */
async function removeReports(tx: Tx, which: RawBuilder<boolean>): Promise<void> {
  const gone = await tables(tx).deleteFrom('moderation.reports').where(which)
    .returning(['picture_blob as blob', 'case_id as caseId']).execute();
  await removeCases(tx, gone.flatMap(({ caseId }) => caseId ?? []));
  await removeCopies(tx, gone.flatMap(({ blob }) => blob ?? []));
}

/** Deletes copies that no report refers to any more. */
export async function removeCopies(tx: Tx, blobs: readonly string[]): Promise<void> {
  if (blobs.length === 0) return;
  const named = new Set(await copies.among(tx, blobs));
  const unnamed = [...new Set(blobs)].filter((blob) => !named.has(blob));
  if (unnamed.length > 0) await removeStored(tx, COPY_REMOVAL, { key: randomId(), blobs: unnamed });
}

/** Copies that the blob sweep must not delete. */
const copies = namedBlobs({ table: 'moderation.reports', column: 'picture_blob', many: false });
export const reportBlobs = [copies];

/** Whether a report of the same content by the same person or network, for the same reason, is open. */
export async function isReported(tx: Tx, report: Omit<NewReport, 'caseId'>): Promise<boolean> {
  const row = await tables(tx).selectFrom('moderation.reports').select('id')
    .where('closed_at', 'is', null).where('reporter_id', 'is not distinct from', report.reporterId)
    .where('network', 'is not distinct from', report.network)
    .where('kind', '=', report.kind).where('subject_id', '=', report.subjectId)
    .where('room_id', '=', report.roomId).where('reason', '=', report.reason)
    .where('target_id', 'is not distinct from', report.targetId)
    .where('within', 'is not distinct from', report.within)
    .where('recording_id', 'is not distinct from', report.recordingId).executeTakeFirst();
  return row !== undefined;
}

/** Whether an open report is about the recording of this show, or about this public recording. */
export async function isShowReported(
  tx: Tx,
  performerId: number,
  { mode, showId }: Judged,
): Promise<boolean> {
  const rows = await reports(tx).where('closed_at', 'is', null).where('subject_id', '=', performerId)
    .where(mode === 'public' ? 'recording_id' : 'target_id', '=', showId).execute();
  return rows.some((report) => reportedShow(report)?.mode === mode);
}

/** Stores a report, and erases those that were closed long ago. */
export async function insertReport(tx: Tx, report: NewReport): Promise<void> {
  const {
    kind,
    subjectId,
    roomId,
    targetId,
    within,
    snapshot,
    reporterId,
    reason,
    details,
    pictureBlob,
    network,
    recordingId,
    caseId,
  } = report;
  await tables(tx).insertInto('moderation.reports').values({
    kind,
    subject_id: subjectId,
    room_id: roomId,
    target_id: targetId,
    within,
    snapshot,
    reporter_id: reporterId,
    reason,
    details,
    at: tx.now,
    closed_at: null,
    closed_by: null,
    outcome: null,
    picture_blob: pictureBlob,
    network,
    recording_id: recordingId,
    case_id: caseId,
  }).execute();
  const before = new Date(tx.now.getTime() - RETAIN_CLOSED_DAYS * DAY_MS);
  // A case in force needs its report to be reversed.
  const isOf = { caseId: sql`reports.case_id`, operatorId: sql`reports.operator_id` };
  await removeReports(tx, sql<boolean>`closed_at < ${before} and not ${inForce(isOf)}`);
}

export interface ReportFilter {
  readonly isClosed: boolean;
  readonly reason: ReportReason | null;
  readonly before: number | null;
}

/** A page of reports, newest first, plus one more if there is a next page. */
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

export const findReport = async (tx: Tx, id: number): Promise<ReportRow | null> =>
  await reports(tx).where('id', '=', id).executeTakeFirst() ?? null;

/** The report that opened a case; null for a case of a public form. */
export const reportOfCase = async (tx: Tx, caseId: number): Promise<ReportRow | null> =>
  await reports(tx).where('case_id', '=', caseId).executeTakeFirst() ?? null;

/** A report, locked until the unit of work ends, so that of two admins only one closes it. */
export async function lockReport(tx: Tx, id: number): Promise<ReportRow | null> {
  return await reports(tx).where('id', '=', id).forUpdate().executeTakeFirst() ?? null;
}

/** Values an admin sets when closing a report. */
interface Closing {
  readonly by: number;
  readonly outcome: ReportOutcome;
  readonly note: string;
}

export async function closeReport(tx: Tx, id: number, closing: Closing): Promise<ReportRow> {
  await tables(tx).updateTable('moderation.reports')
    .set({
      closed_at: tx.now,
      closed_by: closing.by,
      outcome: closing.outcome,
      note: closing.note,
      network: null,
    })
    .where('id', '=', id).execute();
  return reports(tx).where('id', '=', id).executeTakeFirstOrThrow();
}

/** Opens the report of a case again, whose decision was reversed. */
export async function reopenReport(tx: Tx, caseId: number): Promise<void> {
  await tables(tx).updateTable('moderation.reports')
    .set({ closed_at: null, closed_by: null, outcome: null, note: '' }).where('case_id', '=', caseId)
    .execute();
}
