import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { acceptsProof, proofSeconds, type GateState, type RegionPolicy } from '#product/compliance/rules.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import { proofsOf, type StoredProof } from '../store.ts';

type Compliance = Pick<ComplianceService, 'policyOf' | 'grant' | 'viewerOf'>;

/** Whether a proof given earlier, perhaps in another browser, counts under a policy now. */
const counts = (policy: RegionPolicy, proof: StoredProof, now: Date): boolean =>
  proof.minimumAge >= policy.minimumAge && acceptsProof(policy, proof)
  && proof.provedAt.getTime() + proofSeconds(policy) * SECOND_MS > now.getTime();

/** A person's own proof that a policy accepts; null where the policy wants one at each visit. */
export async function heldProof(
  tx: Tx,
  personId: number,
  policy: RegionPolicy,
): Promise<StoredProof | null> {
  if (policy.rule !== 'verify' || policy.proofLasts === 'session') return null;
  return (await proofsOf(tx, personId)).find((proof) => counts(policy, proof, tx.now)) ?? null;
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
