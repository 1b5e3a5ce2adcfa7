import { optional } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Judged } from './rules.ts';

/** Whether a recording must be retained as evidence although its performer deletes it. */
export type IsEvidence = (tx: Tx, performerId: number, judged: Judged) => Promise<boolean>;

export const evidence = optional.many<IsEvidence>({
  name: 'recordings.evidence',
  description: 'Recordings that somebody still has to judge: a deleted one is hidden from everybody '
    + 'else, and its file stays until they have.',
  byDefault: 'What a performer deletes is gone at once.',
  safeBecause: 'nothing is retained or shown that its performer deleted',
});
