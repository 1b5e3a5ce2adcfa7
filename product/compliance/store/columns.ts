import type { PerformerStatus } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'compliance.clearances.state': 'valid' | 'superseded' | 'expired' | 'revoked';
  'compliance.clearances.decided_as': 'person' | 'system';
  'compliance.performers.status': PerformerStatus;
}
