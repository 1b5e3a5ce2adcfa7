import { optional } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { PerformerStatus, PersonProof } from './rules.ts';

/** The evidence that clearances of performers are based on. */
export interface ClearanceEvidence {
  /** Whether the operator asks for evidence that this clearance of a performer lacks. */
  readonly lacks: (tx: Tx, performerId: number, clearanceId: number) => Promise<boolean>;
  /** Whether performers are cleared by a review of their documents alone. */
  readonly isRequired: (tx: Tx) => Promise<boolean>;
  /**
   * `compliance_status` of a listed person.
   * @param decided the last decision about them
   */
  readonly statusOf: (tx: Tx, personId: number, decided: PerformerStatus) => Promise<string>;
}
export const clearanceEvidence = optional.single<ClearanceEvidence>({
  name: 'compliance.clearanceEvidence',
  description: 'Documents, review and agreement behind a clearance of a performer.',
  byDefault: 'Clearances rest on the reason that an admin gives.',
  safeBecause: 'Nobody goes live without a clearance, and only admins give one.',
  fallback: {
    lacks: async () => false,
    isRequired: async () => false,
    statusOf: async (_tx, _personId, decided) => decided,
  },
});

export const personProofs = optional.single<
  (tx: Tx, personId: number) => Promise<readonly PersonProof[]>
>({
  name: 'compliance.personProofs',
  description: 'The proofs of age of a person that count today, newest first.',
  byDefault: 'Nobody has proved an age.',
  safeBecause: 'The gate of a place that requires a proof stays closed.',
  fallback: async () => [],
});
