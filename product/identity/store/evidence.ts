import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { Verdict } from '../rules.ts';
import type { StepDecision } from '../rules/workflow.ts';
import type { IdentityTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<IdentityTables>();

/** Inserts a decision; returns its id. */
export async function insertDecision(tx: Tx, decision: {
  readonly applicationId: number;
  readonly performerId: number;
  readonly handIn: number;
  readonly reviewerId: number;
  readonly verdict: Verdict;
  readonly steps: readonly StepDecision[];
  readonly note: string;
}): Promise<number> {
  const { id } = await tables(tx).insertInto('identity.decisions').values({
    application_id: decision.applicationId,
    performer_id: decision.performerId,
    hand_in: decision.handIn,
    reviewer_id: decision.reviewerId,
    verdict: decision.verdict,
    steps: JSON.stringify(decision.steps),
    note: decision.note,
    at: tx.now,
  }).returning('id').executeTakeFirstOrThrow();
  return id;
}

export interface DecisionRow {
  readonly reviewerId: number;
  readonly verdict: Verdict;
  readonly note: string;
  readonly at: Date;
}

/** All decisions about an application, oldest first, at most `limit`. */
export function decisionsOf(tx: Tx, applicationId: number, limit: number): Promise<DecisionRow[]> {
  return tables(tx).selectFrom('identity.decisions')
    .select(['reviewer_id as reviewerId', 'verdict', 'note', 'at'])
    .where('application_id', '=', applicationId).orderBy('id').limit(limit).execute();
}

/** What a review is based on. */
export interface ReviewEvidence {
  readonly whoId: number;
  readonly documentId: number;
  readonly selfieId: number;
  readonly agreement: string | null;
  readonly decisionId: number;
  readonly secondedId: number | null;
}

/** Stores the evidence of a clearance: of a review, or `seed` for people who do not exist. */
export async function insertEvidence(
  tx: Tx,
  { performerId, clearanceId }: { readonly performerId: number; readonly clearanceId: number },
  basis: ReviewEvidence | 'seed',
): Promise<void> {
  await tables(tx).insertInto('identity.evidence').values({
    performer_id: performerId,
    clearance_id: clearanceId,
    made_at: tx.now,
    ...(basis === 'seed' ? { basis: 'seed' as const } : {
      basis: 'review' as const,
      who_id: basis.whoId,
      document_id: basis.documentId,
      selfie_id: basis.selfieId,
      agreement: basis.agreement,
      decision_id: basis.decisionId,
      seconded_id: basis.secondedId,
    }),
  }).execute();
}

/** Whether the operator asks for evidence that a clearance of a performer lacks. */
export async function lacksEvidence(tx: Tx, performerId: number, clearanceId: number): Promise<boolean> {
  const { rows } = await sql<{ lacks: boolean }>`
    select identity.lacks_evidence(platform.operator_id(), ${performerId}, ${clearanceId}) as lacks`
    .execute(tx.sql());
  return rows[0]?.lacks === true;
}

/** Whether a performer was ever cleared by a review. */
export async function hasEvidence(tx: Tx, performerId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('identity.evidence').select('id')
    .where('performer_id', '=', performerId).where('basis', '=', 'review').executeTakeFirst();
  return row !== undefined;
}
