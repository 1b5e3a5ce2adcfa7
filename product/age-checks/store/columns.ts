import type { Liveness, VerificationMethod } from '#product/compliance/rules.ts';
import type { AgeCheckKind, AttemptState } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'age_checks.proofs.method': VerificationMethod;
  'age_checks.proofs.liveness': Liveness;
  'age_checks.attempts.kind': AgeCheckKind;
  'age_checks.attempts.state': AttemptState;
  'age_checks.support_checks.decision': 'verified' | 'refused' | null;
}
