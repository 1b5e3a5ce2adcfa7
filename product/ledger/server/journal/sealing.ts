import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data } from '#platform/data/data.ts';
import { nextSeal } from '../../rules.ts';
import { sealDays } from '../../store/proofs.ts';

/** Kind of the deadline that seals the days that are over. */
const SEAL = 'ledger.seal';

/** Seals the days that are over, and sets the deadline of the next. */
async function sealNow(data: Data, operatorId: number): Promise<void> {
  await data.tx({ operatorId }, async (tx) => {
    await sealDays(tx);
    await tx.schedule({ kind: SEAL, key: 'daily', at: nextSeal(tx.now) });
  });
}

export const sealing = (data: Data): DeadlineHandler => ({
  kind: SEAL, handle: ({ operatorId }) => sealNow(data, operatorId),
});

/** Catches up with the days of each operator that nobody sealed, and keeps on. */
export async function startSealing(data: Data, operators: () => Promise<readonly number[]>): Promise<void> {
  for (const operatorId of await operators()) await sealNow(data, operatorId);
}
