import type { Tx } from '#platform/data/data.ts';
import { sql, type Transaction } from 'kysely';
import {
  BATCHES_PER_PAGE,
  MAX_BATCHES,
  MAX_BATCHES_PER_PERSON,
  MAX_NAMES,
  MAX_REPORTS,
  REPORTS_PER_PAGE,
  type Kind,
  type ReportCursor,
  type Source,
} from './rules.ts';
import type { ClientLogsTables } from './store/tables.ts';

const tables = (tx: Tx): Transaction<ClientLogsTables> => tx.sql<ClientLogsTables>();

/** A redacted report. */
export interface NewReport {
  readonly kind: Kind;
  readonly code: string;
  readonly message: string;
  readonly detail: string;
  readonly page: string;
  /** Null adds no version. */
  readonly version: string | null;
  readonly browser: string | null;
  /** By the browser's clock. */
  readonly browserTime?: Date | null;
}
export type ReportRow =
  & Omit<ClientLogsTables['client_logs.reports'], 'operator_id' | 'id' | 'count'>
  & { readonly id: number; readonly count: number };
export interface BatchRow {
  readonly id: number;
  readonly person_id: number;
  readonly source: Source;
  readonly lines: string[];
  readonly at: Date;
}

/** The latest names, each once. */
const withName = (column: 'versions' | 'browsers') => {
  const [before, added] = [sql.ref(`client_logs.reports.${column}`), sql.ref(`excluded.${column}`)];
  return sql<string[]>`case when ${before} @> ${added} then ${before}
    else (${added} || ${before})[1:${sql.lit(MAX_NAMES)}] end`;
};

/** Counts a report with similar ones; returns whether it is the first. */
export async function saveReport(
  tx: Tx,
  { version, browser, browserTime = null, ...report }: NewReport,
): Promise<boolean> {
  const [versions, browsers] = [version, browser].map((name) => (name === null ? [] : [name]));
  const { count } = await tables(tx).insertInto('client_logs.reports')
    .values({
      ...report,
      versions: versions ?? [],
      browsers: browsers ?? [],
      count: 1,
      first_at: tx.now,
      last_at: tx.now,
      browser_time: browserTime,
    })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'code']).doUpdateSet({
        count: sql<number>`client_logs.reports.count + 1`,
        last_at: tx.now,
        message: sql<string>`excluded.message`,
        detail: sql<string>`excluded.detail`,
        page: sql<string>`excluded.page`,
        versions: withName('versions'),
        browsers: withName('browsers'),
        browser_time: browserTime,
      })
    )
    .returning('count').executeTakeFirstOrThrow();
  return count === 1;
}

/** Deletes the rarest reports, oldest first, down to the limit. */
export async function dropRarest(tx: Tx): Promise<void> {
  await sql`delete from client_logs.reports where id in (
    select id from client_logs.reports order by count, last_at, id
    limit greatest((select count(*) from client_logs.reports) - ${MAX_REPORTS}, 0)
  )`.execute(tables(tx));
}

/** Reports, last reported first; at most one more than a page. */
export function selectReports(
  tx: Tx,
  { kind, code, before }: { kind: Kind | null; code: string | null; before: ReportCursor | null },
): Promise<ReportRow[]> {
  return tables(tx).selectFrom('client_logs.reports').selectAll()
    .$if(kind !== null, (query) => query.where('kind', '=', kind as Kind))
    .$if(code !== null, (query) => query.where('code', '=', code))
    .$if(before !== null, (query) =>
      query.where(
        sql<boolean>`(date_trunc('milliseconds', last_at), id) < (${before?.at}, ${before?.id})`,
      ))
    .orderBy('last_at', 'desc').orderBy('id', 'desc').limit(REPORTS_PER_PAGE + 1).execute();
}

/** Whether anything is stored, and a sweep so scheduled. */
export async function hasRows(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from client_logs.reports)
    or exists (select from client_logs.batches) as found`.execute(tables(tx));
  return rows[0]?.found ?? false;
}

/** Stores a batch of lines; beyond the limits of a person and of an operator the oldest are deleted. */
export async function insertBatch(
  tx: Tx,
  personId: number,
  source: Source,
  lines: readonly string[],
): Promise<void> {
  await tables(tx).insertInto('client_logs.batches')
    .values({ person_id: personId, source, lines: [...lines], at: tx.now }).execute();
  await sql`delete from client_logs.batches where person_id = ${personId} and id in (
    select id from client_logs.batches where person_id = ${personId} order by id desc
    offset ${MAX_BATCHES_PER_PERSON} limit 100
  )`.execute(tables(tx));
  await sql`delete from client_logs.batches where id in (
    select id from client_logs.batches order by id desc offset ${MAX_BATCHES} limit 100
  )`.execute(tables(tx));
}

/** Batches before `before`, newest first; at most a page. */
export function selectBatches(tx: Tx, before: number | null): Promise<BatchRow[]> {
  return tables(tx).selectFrom('client_logs.batches').select(['id', 'person_id', 'source', 'lines', 'at'])
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(BATCHES_PER_PAGE).execute();
}

/** Deletes reports last seen, and lines sent, before these times. */
export async function deleteOld(
  tx: Tx,
  { reports, batches }: { readonly reports: Date; readonly batches: Date },
): Promise<void> {
  await tables(tx).deleteFrom('client_logs.reports').where('last_at', '<', reports).execute();
  await tables(tx).deleteFrom('client_logs.batches').where('at', '<', batches).execute();
}
