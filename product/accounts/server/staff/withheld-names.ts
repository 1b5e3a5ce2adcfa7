import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { secondStepRuleChanged } from '#product/site/contract/operator-rules.ts';
import { personChanged } from '../../contract.ts';
import { isStaffRole } from '../../rules/staff/roles.ts';
import { findById, listStaffPerformers, type Person } from '../../store.ts';
import type { RequiredStep } from '../credentials/required-step.ts';
import { publishChange } from '../person-changes.ts';

interface NameParts {
  readonly data: Data;
  readonly step: Pick<RequiredStep, 'dueAt'>;
}

/** Deadline for a role whose person has no second step. */
const ROLE_DUE = 'accounts.roleDue';
/** People in one unit of work: each of their facts is a write. */
const BATCH = 50;

/**
 * Listings store performers' shown names. Those of performers with a staff role also change without any
 * change of the person: by the operator's rule, and when the rule takes effect.
 */
export const withheldNameSubscriptions = ({ data, step }: NameParts): Subscription[] => [
  subscribe(secondStepRuleChanged, 'accounts.namesOfRule')(async ({ operatorId }) => {
    for (let after: number | null = 0; after !== null;) {
      const since: number = after;
      after = await data.tx({ operatorId }, (tx) => publishBatch(tx, since));
    }
  }),
  subscribe(personChanged, 'accounts.roleDueOfChanged')(async ({ operatorId, payload }) => {
    if (payload.type !== 'model') return;
    await data.tx({ operatorId }, async (tx) => {
      const person = await findById(tx, payload.personId);
      const at = person && hasStaffRole(person) ? await step.dueAt(tx, person) : null;
      if (at === null || at <= tx.now) await tx.unschedule(ROLE_DUE, String(payload.personId));
      else await tx.schedule({ kind: ROLE_DUE, key: String(payload.personId), at });
    });
  }),
];

export const withheldNameDeadlines = ({ data }: Pick<NameParts, 'data'>): DeadlineHandler[] => [{
  kind: ROLE_DUE,
  handle: ({ operatorId, key }) =>
    data.tx({ operatorId }, async (tx) => {
      const person = await findById(tx, Number(key));
      if (person) await publishChange(tx, person);
    }),
}];

const hasStaffRole = ({ roles }: Pick<Person, 'roles'>): boolean => roles.some(isStaffRole);

/** The last of a batch; null after the last batch. */
async function publishBatch(tx: Tx, after: number): Promise<number | null> {
  const batch = await listStaffPerformers(tx, after, BATCH);
  for (const person of batch) await publishChange(tx, person);
  return batch.length < BATCH ? null : batch.at(-1)?.id ?? null;
}
