import type { Json } from '#platform/data/columns.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'ledger.journal.memo': Json<Record<string, unknown>>;
}
