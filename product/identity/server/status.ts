import type { Tx } from '#platform/data/data.ts';
import type { ClearanceEvidence } from '#product/compliance/extension-points.ts';
import { statusOf, type PerformerStatus } from '../rules.ts';
import { applicationsOf, findRules } from '../store.ts';
import { lacksEvidence } from '../store/evidence.ts';
import type { IdentityParts } from './dependencies.ts';

/** Where a performer stands: their clearance, its evidence and their application together. */
export async function shownStatus(
  { compliance }: Pick<IdentityParts, 'compliance'>,
  tx: Tx,
  performerId: number,
): Promise<PerformerStatus> {
  const decided = await compliance.decidedOf(tx, performerId);
  const hasEvidence = decided === 'cleared' && await compliance.clearanceOf(tx, performerId) !== null;
  const application = (await applicationsOf(tx, [performerId])).get(performerId);
  return statusOf(decided, hasEvidence, application?.state ?? null);
}

/** What compliance asks of this slice. */
export const evidenceOf = (
  parts: Pick<IdentityParts, 'accounts' | 'compliance'>,
): ClearanceEvidence => ({
  lacks: lacksEvidence,
  isRequired: async (tx) => (await findRules(tx)).requiresEvidence,
  statusOf: async (tx, personId, decided) => {
    const person = await parts.accounts.findById(tx, personId);
    return person?.type === 'model' ? shownStatus(parts, tx, personId) : decided;
  },
});
