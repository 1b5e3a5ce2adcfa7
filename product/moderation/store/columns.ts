import type { Json } from '#platform/data/columns.ts';
import type { ReportKind, ReportOutcome, ReportReason } from '../rules.ts';
import type { CaseEvent, CaseStatus } from '../rules/cases.ts';
import type { RequestKind } from '../rules/clocks.ts';
import type { CaseKind, CaseReason } from '../rules/queues.ts';
import type { Relation } from '../rules/requests.ts';
import type { Statement } from '../rules/statements.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'moderation.reports.kind': ReportKind;
  'moderation.reports.reason': ReportReason;
  'moderation.reports.outcome': ReportOutcome;
  'moderation.cases.kind': CaseKind;
  'moderation.cases.reason': CaseReason;
  'moderation.cases.status': CaseStatus;
  'moderation.events.kind': CaseEvent['kind'];
  'moderation.events.detail': Json<Readonly<Record<string, unknown>>>;
  'moderation.queues.kinds': CaseKind[];
  'moderation.queues.reasons': CaseReason[];
  'moderation.requests.kind': RequestKind;
  'moderation.requests.relation': Relation;
  'moderation.statements.record': Json<Statement>;
  'moderation.removals.kind': CaseKind;
}
