import type { Tx } from '#platform/data/data.ts';
import type { Selectable } from 'kysely';
import type { ProofLasts } from '../rules.ts';
import type { PolicyRow } from '../rules/policy-table.ts';
import type { ComplianceTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<ComplianceTables>> => tx.sql<ComplianceTables>();

export type StoredPolicy = Selectable<ComplianceTables['compliance.region_policies']>;

const lastsOf = (text: string): ProofLasts => text === 'session' || text === 'good' ? text : Number(text);

/** A stored row as the policy it is. */
export const policyOfRow = (row: StoredPolicy): PolicyRow & { readonly id: number } => ({
  id: row.id,
  region: row.region,
  from: row.from_day,
  until: row.until_day,
  timeZone: row.time_zone,
  rule: row.rule,
  minimumAge: row.minimum_age,
  methods: row.methods,
  liveness: row.liveness,
  proofLasts: lastsOf(row.proof_lasts),
  anonymous: row.anonymous,
  vpnClass: row.vpn_class,
  texts: row.texts,
  source: row.source,
  isConfirmed: row.is_confirmed,
});

/** The approved rows of an operator, past ones too, in the order of their approval. */
export async function approvedPolicies(tx: Tx): Promise<readonly PolicyRow[]> {
  const rows = await tables(tx)
    .selectFrom('compliance.region_policies')
    .selectAll()
    .where('state', '=', 'approved')
    .orderBy('decided_at')
    .orderBy('id')
    .execute();
  return rows.map(policyOfRow);
}
