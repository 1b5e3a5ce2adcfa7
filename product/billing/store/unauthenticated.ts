import type { Tx } from '#platform/data/data.ts';
import { dayOf } from '#platform/time/days.ts';
import { sql } from 'kysely';
import {
  MAX_UNAUTHENTICATED_PER_ADDRESS,
  MAX_UNAUTHENTICATED_PER_BILLER,
} from '../rules/payments/unauthenticated.ts';
import type { StoredCallback } from './events.ts';
import { tables } from './schema.ts';

/** A callback that could not be authenticated. */
export type UnauthenticatedCallback = Omit<StoredCallback, 'at' | 'outcome'>;
export type RefusedReason = 'forged' | 'unreadable';

/** Increments the count of a day. */
export async function countRefused(tx: Tx, biller: string, reason: RefusedReason): Promise<void> {
  await tables(tx).insertInto('billing.refused_callbacks')
    .values({ biller, reason, day: dayOf(tx.now), count: 1 })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'biller', 'day', 'reason'])
        .doUpdateSet({ count: sql`billing.refused_callbacks.count + 1` })
    )
    .execute();
}

/** Number of callbacks refused on the day of `at`. */
export async function refusedOn(tx: Tx, reason: RefusedReason, at: Date): Promise<number> {
  const { count } = await tables(tx).selectFrom('billing.refused_callbacks')
    .select(sql<number>`coalesce(sum(count), 0)::bigint`.as('count'))
    .where('reason', '=', reason).where('day', '=', dayOf(at)).executeTakeFirstOrThrow();
  return count;
}

/**
 * Stores a callback within the limits of its biller and address. New ones of an address replace its oldest.
 * Beyond the biller's limit the oldest of the address with most rows are deleted, so that a flood
 * displaces itself.
 */
export async function retain(
  tx: Tx,
  addressKey: string,
  callback: Omit<UnauthenticatedCallback, 'id'>,
): Promise<void> {
  const { biller } = callback;
  await tables(tx).insertInto('billing.unauthenticated_callbacks')
    .values({ ...callback, headers: JSON.stringify(callback.headers), address_key: addressKey, at: tx.now })
    .execute();
  await sql`
    with counted as (
      select id, row_number() over (partition by address_key order by id desc) as newest
      from billing.unauthenticated_callbacks where biller = ${biller}
    ), ranked as (
      select id, newest, row_number() over (order by newest, id desc) as nth from counted
    )
    delete from billing.unauthenticated_callbacks where id in (
      select id from ranked
      where newest > ${MAX_UNAUTHENTICATED_PER_ADDRESS} or nth > ${MAX_UNAUTHENTICATED_PER_BILLER})`
    .execute(tx.sql());
}

/** All of them, oldest first; their number is limited. */
export async function retained(tx: Tx): Promise<readonly UnauthenticatedCallback[]> {
  return tables(tx).selectFrom('billing.unauthenticated_callbacks')
    .select(['id', 'biller', 'method', 'query', 'headers', 'body', 'address']).orderBy('id').execute();
}

/** Deletes one; false if it was already deleted. */
export async function takeRetained(tx: Tx, id: number): Promise<boolean> {
  const row = await tables(tx).deleteFrom('billing.unauthenticated_callbacks').where('id', '=', id)
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Deletes callbacks from before a time. */
export async function pruneBefore(tx: Tx, before: Date): Promise<void> {
  await tables(tx).deleteFrom('billing.unauthenticated_callbacks').where('at', '<=', before).execute();
  await tables(tx).deleteFrom('billing.refused_callbacks').where('day', '<', dayOf(before)).execute();
}
