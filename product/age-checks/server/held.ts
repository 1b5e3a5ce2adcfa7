import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { provesAge, type GateState, type RegionPolicy } from '#product/compliance/rules.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import { proofsOf, type StoredProof } from '../store.ts';

type Compliance = Pick<ComplianceService, 'policyOf' | 'grant' | 'viewerOf'>;

/** A person's own proof that a policy accepts; null where the policy wants one at each visit. */
export async function heldProof(
  tx: Tx,
  personId: number,
  policy: RegionPolicy,
): Promise<StoredProof | null> {
  if (policy.rule !== 'verify') return null;
  const proofs = await proofsOf(tx, personId);
  return proofs.find((proof) => provesAge({ ...proof, isVisit: false }, policy, tx.now)) ?? null;
}

/** Opens the gate of this browser by what its person proved before; null where that is nothing. */
export async function reopen(
  compliance: Compliance,
  tx: Tx,
  personId: number,
  context: CallContext,
): Promise<GateState | null> {
  if (compliance.viewerOf(context).gate !== 'verify') return null;
  const proof = await heldProof(tx, personId, compliance.policyOf(context.scope, context.region));
  return proof && compliance.grant(context, proof);
}
