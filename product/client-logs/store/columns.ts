import type { Kind, Source } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'client_logs.batches.source': Source;
  'client_logs.reports.kind': Kind;
}
