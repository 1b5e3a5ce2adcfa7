import { optional } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { ShowKey } from './rules.ts';

/** Whether the recording of a performer's show has to stay though they delete it. */
export type IsEvidence = (tx: Tx, performerId: number, show: ShowKey) => Promise<boolean>;

export const evidence = optional.many<IsEvidence>({
  name: 'recordings.evidence',
  description: 'Recordings of shows that somebody still has to judge: a deleted one is hidden from everybody '
    + 'else, and its file stays until they have.',
  byDefault: 'What a performer deletes is gone at once.',
  safeBecause: 'nothing is retained or shown that its performer deleted',
});
