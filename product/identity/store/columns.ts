import type { Json } from '#platform/data/columns.ts';
import type { ApplicationState, DocumentKind, Reason, Step, StepState, Verdict } from '../rules.ts';
import type { StepDecision } from '../rules/workflow.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'identity.applications.state': ApplicationState;
  'identity.steps.step': Step;
  'identity.steps.state': StepState;
  'identity.steps.reason': Reason;
  'identity.records.kind': 'who' | 'document' | 'selfie';
  'identity.records.document_kind': DocumentKind;
  'identity.decisions.verdict': Verdict;
  'identity.decisions.steps': Json<readonly StepDecision[]>;
  'identity.evidence.basis': 'review' | 'seed';
}
