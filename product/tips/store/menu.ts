import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { OLD_ITEM_MS } from '../rules.ts';
import { tables } from './schema.ts';

export interface MenuItem {
  readonly id: number;
  readonly title: string;
  readonly price: number;
}

export async function findMenu(tx: Tx, performerId: number): Promise<MenuItem[]> {
  return tables(tx).selectFrom('tips.menu_items').select(['id', 'title', 'price'])
    .where('performer_id', '=', performerId).where('ended_at', 'is', null).orderBy('place').execute();
}

/** An item that can be ordered: on the menu now, or until a moment ago. */
export async function findItem(tx: Tx, performerId: number, id: number): Promise<MenuItem | null> {
  const row = await tables(tx).selectFrom('tips.menu_items').select(['id', 'title', 'price'])
    .where('performer_id', '=', performerId).where('id', '=', id)
    .where((item) =>
      item.or([
        item('ended_at', 'is', null),
        item('ended_at', '>', new Date(tx.now.getTime() - OLD_ITEM_MS)),
      ])
    ).executeTakeFirst();
  return row ?? null;
}

/** Ends the items that are not listed, and stores the menu in its order. An item without an id is new. */
export async function replaceMenu(
  tx: Tx,
  performerId: number,
  items: readonly { readonly id: number | null; readonly title: string; readonly price: number }[],
): Promise<void> {
  const listed = items.flatMap(({ id }) => id ?? []);
  await tables(tx).updateTable('tips.menu_items').set({ ended_at: tx.now })
    .where('performer_id', '=', performerId).where('ended_at', 'is', null)
    .where('id', '!=', sql<number>`all(${listed}::bigint[])`).execute();
  for (const [place, { id, title, price }] of items.entries()) {
    if (id === null) {
      await tables(tx).insertInto('tips.menu_items')
        .values({ performer_id: performerId, title, price, place }).execute();
    } else await tables(tx).updateTable('tips.menu_items').set({ place }).where('id', '=', id).execute();
  }
}
