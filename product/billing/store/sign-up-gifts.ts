import type { Tx } from '#platform/data/data.ts';
import { tables } from './schema.ts';

/** Holds free tokens for a new account; the first promise stays. */
export async function holdGift(tx: Tx, personId: number, tokens: number): Promise<void> {
  await tables(tx).insertInto('billing.sign_up_gifts')
    .values({ person_id: personId, tokens, held_at: tx.now, given_at: null })
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doNothing()).execute();
}

/** Free tokens that somebody still waits for. */
export async function heldTokensOf(tx: Tx, personId: number): Promise<number> {
  const row = await tables(tx).selectFrom('billing.sign_up_gifts').select('tokens')
    .where('person_id', '=', personId).where('given_at', 'is', null).executeTakeFirst();
  return row?.tokens ?? 0;
}

/** The same, locked until the unit of work ends. */
export async function lockHeldTokens(tx: Tx, personId: number): Promise<number> {
  const row = await tables(tx).selectFrom('billing.sign_up_gifts').select('tokens')
    .where('person_id', '=', personId).where('given_at', 'is', null).forUpdate().executeTakeFirst();
  return row?.tokens ?? 0;
}

export async function markGiven(tx: Tx, personId: number): Promise<void> {
  await tables(tx).updateTable('billing.sign_up_gifts').set({ given_at: tx.now })
    .where('person_id', '=', personId).execute();
}
