import { optional } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';

/** The agreement that a performer signs before they go live. */
export interface PerformerAgreement {
  /** Whether the operator has one now. */
  readonly isAsked: (tx: Tx) => Promise<boolean>;
  /** The id of a person's signature of the agreement in force; null without one. */
  readonly signedBy: (tx: Tx, personId: number) => Promise<string | null>;
  /** Path of the page where the caller reads and signs it; null when it is signed. */
  readonly pathFor: (tx: Tx, personId: number) => Promise<string | null>;
}
export const performerAgreement = optional.single<PerformerAgreement>({
  name: 'identity.performerAgreement',
  description: 'The agreement in force between an operator and its performers, and who signed it.',
  byDefault: 'No application has the step of the agreement.',
  safeBecause: 'Every other step is still asked for, and a reviewer still decides.',
  milestone: 11,
  fallback: {
    isAsked: async () => false,
    signedBy: async () => null,
    pathFor: async () => null,
  },
});
