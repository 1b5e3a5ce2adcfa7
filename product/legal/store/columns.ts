import type { DocumentName } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'legal.reviews.document': DocumentName;
}
