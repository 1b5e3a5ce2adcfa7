import type { Tx } from '#platform/data/data.ts';
import type { PromoCode } from '../rules/promos.ts';
import { tables } from './schema.ts';

/** Inserts a code; false when one of its name exists. */
export async function insertCode(tx: Tx, code: Omit<PromoCode, 'uses'>): Promise<boolean> {
  const row = await tables(tx).insertInto('billing.promo_codes')
    .values({
      code: code.code,
      tokens: code.tokens,
      starts_at: code.startsAt,
      ends_at: code.endsAt,
      max_uses: code.maxUses,
    })
    .onConflict((conflict) => conflict.columns(['operator_id', 'code']).doNothing())
    .returning('nr').executeTakeFirst();
  return row !== undefined;
}

const CODE = [
  'code',
  'tokens',
  'starts_at as startsAt',
  'ends_at as endsAt',
  'max_uses as maxUses',
  'uses',
] as const;

/** Codes with a number below `before`, newest first. */
export async function findCodes(
  tx: Tx,
  before: number,
  limit: number,
): Promise<(PromoCode & { readonly nr: number })[]> {
  return tables(tx).selectFrom('billing.promo_codes').select([...CODE, 'nr']).where('nr', '<', before)
    .orderBy('nr', 'desc').limit(limit).execute();
}

export async function findCode(tx: Tx, code: string): Promise<PromoCode | null> {
  const row = await tables(tx).selectFrom('billing.promo_codes').select(CODE).where('code', '=', code)
    .executeTakeFirst();
  return row ?? null;
}

/** Changes a locked code. */
export async function changeCode(
  tx: Tx,
  code: string,
  change: Partial<Pick<PromoCode, 'endsAt' | 'maxUses'>>,
): Promise<void> {
  const { endsAt, maxUses } = change;
  await tables(tx).updateTable('billing.promo_codes')
    .set({
      ...(endsAt === undefined ? {} : { ends_at: endsAt }),
      ...(maxUses === undefined ? {} : { max_uses: maxUses }),
    })
    .where('code', '=', code).execute();
}

/** A code, locked until the unit of work ends, so that its last use is given once. */
export async function lockCode(tx: Tx, code: string): Promise<PromoCode | null> {
  const row = await tables(tx).selectFrom('billing.promo_codes')
    .select(CODE).where('code', '=', code).forUpdate().executeTakeFirst();
  return row ?? null;
}

/** Records that somebody used a locked code; throws when they did before. */
export async function redeem(tx: Tx, code: string, personId: number): Promise<void> {
  await tables(tx).insertInto('billing.redemptions').values({ code, person_id: personId, at: tx.now })
    .execute();
  await tables(tx).updateTable('billing.promo_codes').set((e) => ({ uses: e('uses', '+', 1) }))
    .where('code', '=', code).execute();
}

export async function hasRedeemed(tx: Tx, code: string, personId: number): Promise<boolean> {
  const row = await tables(tx).selectFrom('billing.redemptions').select('code')
    .where('code', '=', code).where('person_id', '=', personId).executeTakeFirst();
  return row !== undefined;
}

export async function findSpin(tx: Tx, id: string): Promise<number | null> {
  const row = await tables(tx).selectFrom('billing.spins').select('prize').where('id', '=', id)
    .executeTakeFirst();
  return row?.prize ?? null;
}

export async function insertSpin(tx: Tx, id: string, personId: number, prize: number): Promise<void> {
  await tables(tx).insertInto('billing.spins').values({ id, person_id: personId, prize, at: tx.now })
    .execute();
}
