import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { LAST_MAIL, MAX_FAILED } from '../rules/email.ts';
import type { DeliveryChannel } from './columns.ts';
import type { NoticesTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<NoticesTables>> => tx.sql<NoticesTables>();

/** A message that waits to leave the site. */
export interface Delivery {
  readonly id: number;
  readonly payload: unknown;
  /** Number of tries, including the current one. */
  readonly attempts: number;
  readonly created_at: Date;
}

/** Stores outgoing messages; returns their ids. */
export async function insertDeliveries(
  tx: Tx,
  channel: DeliveryChannel,
  payloads: readonly unknown[],
): Promise<readonly number[]> {
  if (payloads.length === 0) return [];
  const rows = await tables(tx).insertInto('notices.deliveries')
    .values(payloads.map((payload) => ({ channel, payload: JSON.stringify(payload), created_at: tx.now })))
    .returning('id').execute();
  return rows.map(({ id }) => id);
}

/** Begins a try; null for a message that was delivered, or has failed for good. */
export async function beginDelivery(tx: Tx, id: number): Promise<Delivery | null> {
  const row = await tables(tx).updateTable('notices.deliveries')
    .set({ state: 'sending', attempts: sql`attempts + 1` })
    .where('id', '=', id).where('state', '!=', 'failed')
    .returning(['id', 'payload', 'attempts', 'created_at']).executeTakeFirst();
  return row ?? null;
}

/** The message arrived, so nothing of it is retained. */
export async function deleteDelivery(tx: Tx, id: number): Promise<void> {
  await tables(tx).deleteFrom('notices.deliveries').where('id', '=', id).execute();
}

/** A failed message stays for admins, unless its account is gone. */
export async function saveState(tx: Tx, id: number, state: 'waiting' | 'failed'): Promise<void> {
  await tables(tx).updateTable('notices.deliveries').set({ state }).where('id', '=', id).execute();
  if (state !== 'failed') return;
  await tables(tx).deleteFrom('notices.deliveries').where('id', '=', id)
    .where(sql<boolean>`payload ->> 'kind' = ${LAST_MAIL}`).execute();
  await tables(tx).deleteFrom('notices.deliveries')
    .where('id', 'in', (query) =>
      query.selectFrom('notices.deliveries').select('id')
        .where('state', '=', 'failed').orderBy('id', 'desc').offset(MAX_FAILED))
    .execute();
}
