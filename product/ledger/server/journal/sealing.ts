import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data } from '#platform/data/data.ts';
import { nextSeal } from '../../rules.ts';
import { sealDays } from '../../store.ts';

/** Kind of the deadline that seals completed days. */
const SEAL = 'ledger.seal';

/** Seals completed days, and sets the next deadline. */
async function sealNow(data: Data, operatorId: number): Promise<void> {
  await data.tx({ operatorId }, async (tx) => {
    await sealDays(tx);
    await tx.schedule({ kind: SEAL, key: 'daily', at: nextSeal(tx.now) });
  });
}

export const sealing = (data: Data): DeadlineHandler => ({
  kind: SEAL,
  handle: ({ operatorId }) => sealNow(data, operatorId),
});

/** Seals the missing days of each operator, and schedules the next seal. */
export async function startSealing(data: Data, operators: () => Promise<readonly number[]>): Promise<void> {
  for (const operatorId of await operators()) await sealNow(data, operatorId);
}
