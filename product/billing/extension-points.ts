import { optional } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { errorsOfOwners } from '#product/accounts/rules/owners.ts';
import type { PendingView } from './contract/pending.ts';

/** Counts of things that wait for a person, from a later slice. */
export type AddedPending = Omit<PendingView, 'cc_verification'>;
export interface PendingPart {
  readonly keys: readonly (keyof AddedPending)[];
  readonly read: (tx: Tx, personId: number) => Promise<Partial<AddedPending>>;
}
export const pendingPart = optional.many<PendingPart>({
  name: 'billing.pendingPart',
  description: 'Counts of GET /tokens/pending that a later slice knows. Each has exactly one owner.',
  byDefault: 'A count without an owner is 0.',
  safeBecause: 'The page of tokens shows nothing for a count of 0, and no call decides by one.',
  errorsOf: errorsOfOwners,
  milestone: 11,
});
