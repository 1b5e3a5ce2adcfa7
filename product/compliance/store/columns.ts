import type { Json } from '#platform/data/columns.ts';
import type { Liveness, PerformerStatus, RegionRule, VerificationMethod } from '../rules.ts';
import type { VpnClass } from '../rules/policy-table.ts';
import type { PolicyState } from '../rules/proposals.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'compliance.clearances.state': 'valid' | 'superseded' | 'expired' | 'revoked';
  'compliance.clearances.decided_as': 'person' | 'system';
  'compliance.performers.status': PerformerStatus;
  'compliance.region_policies.rule': RegionRule;
  'compliance.region_policies.methods': VerificationMethod[];
  'compliance.region_policies.liveness': Liveness;
  'compliance.region_policies.vpn_class': VpnClass;
  'compliance.region_policies.texts': Json<Record<string, string>>;
  'compliance.region_policies.state': PolicyState;
}
