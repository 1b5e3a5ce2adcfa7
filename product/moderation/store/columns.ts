import type { ReportKind, ReportOutcome, ReportReason } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'moderation.reports.kind': ReportKind;
  'moderation.reports.reason': ReportReason;
  'moderation.reports.outcome': ReportOutcome;
}
