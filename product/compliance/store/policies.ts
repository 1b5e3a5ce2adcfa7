import type { Tx } from '#platform/data/data.ts';
import type { Selectable } from 'kysely';
import type { ProofLasts } from '../rules.ts';
import type { PolicyRow } from '../rules/policy-table.ts';
import { MAX_WAITING_POLICIES, POLICIES_PER_PAGE } from '../rules/proposals.ts';
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

/** What a proposal stores. */
export type NewPolicy = Omit<PolicyRow, 'id'> & { readonly note: string; readonly proposedBy: number };

export async function insertPolicy(tx: Tx, policy: NewPolicy): Promise<StoredPolicy> {
  return tables(tx)
    .insertInto('compliance.region_policies')
    .values({
      region: policy.region,
      from_day: policy.from,
      until_day: policy.until,
      time_zone: policy.timeZone,
      rule: policy.rule,
      minimum_age: policy.minimumAge,
      methods: [...policy.methods],
      liveness: policy.liveness,
      proof_lasts: String(policy.proofLasts),
      anonymous: policy.anonymous,
      vpn_class: policy.vpnClass,
      texts: JSON.stringify(policy.texts),
      source: policy.source,
      note: policy.note,
      is_confirmed: policy.isConfirmed,
      proposed_by: policy.proposedBy,
      proposed_at: tx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** A row, locked until the unit ends; null without one. */
export async function lockPolicy(tx: Tx, id: number): Promise<StoredPolicy | null> {
  const row = await tables(tx).selectFrom('compliance.region_policies').selectAll()
    .where('id', '=', id).forUpdate().executeTakeFirst();
  return row ?? null;
}

/** The second person's decision. */
export async function decideStored(
  tx: Tx,
  id: number,
  decision: { readonly state: 'approved' | 'rejected'; readonly by: number; readonly reason: string },
): Promise<StoredPolicy> {
  const { state, by, reason } = decision;
  return tables(tx)
    .updateTable('compliance.region_policies')
    .set({ state, decided_by: by, decided_at: tx.now, decided_reason: reason })
    .where('id', '=', id)
    .where('state', '=', 'proposed')
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function withdrawStored(tx: Tx, id: number, by: number, reason: string): Promise<StoredPolicy> {
  return tables(tx)
    .updateTable('compliance.region_policies')
    .set({ state: 'withdrawn', withdrawn_by: by, withdrawn_at: tx.now, withdrawn_reason: reason })
    .where('id', '=', id)
    .where('state', 'in', ['proposed', 'approved'])
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Proposals that wait, oldest first. */
export async function waitingPolicies(tx: Tx): Promise<readonly StoredPolicy[]> {
  return tables(tx).selectFrom('compliance.region_policies').selectAll()
    .where('state', '=', 'proposed').orderBy('id').limit(MAX_WAITING_POLICIES).execute();
}

/** Rows with these ids. */
export async function findPolicies(tx: Tx, ids: readonly number[]): Promise<readonly StoredPolicy[]> {
  if (ids.length === 0) return [];
  return tables(tx).selectFrom('compliance.region_policies').selectAll().where('id', 'in', ids).execute();
}

/** One page of a place's rows, newest first. */
export async function policyHistory(
  tx: Tx,
  region: string,
  before: number | null,
): Promise<readonly StoredPolicy[]> {
  let rows = tables(tx).selectFrom('compliance.region_policies').selectAll().where('region', '=', region);
  if (before !== null) rows = rows.where('id', '<', before);
  return rows.orderBy('id', 'desc').limit(POLICIES_PER_PAGE).execute();
}
