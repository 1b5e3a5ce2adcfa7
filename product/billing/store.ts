import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { BillingSettings } from './rules.ts';
import { wholeProduct, type CatalogueItem } from './rules/products.ts';
import { tables } from './store/schema.ts';

export interface StoredSettings {
  readonly settings: Partial<BillingSettings>;
  /** Null for the default catalogue. */
  readonly products: readonly CatalogueItem[] | null;
}

/** The operator's own settings and products, without defaults. */
export async function findSettings(tx: Tx): Promise<StoredSettings> {
  const row = await tables(tx).selectFrom('billing.settings').select(['settings', 'products'])
    .executeTakeFirst();
  if (!row) return { settings: {}, products: null };
  return { ...row, products: row.products?.map(wholeProduct) ?? null };
}

/** Locks the operator's settings until the unit of work ends. */
export async function lockSettings(tx: Tx): Promise<void> {
  await tables(tx).insertInto('billing.settings').values({ settings: '{}', products: null })
    // Setting a column to itself locks the row; `do nothing` would not.
    .onConflict((conflict) =>
      conflict.column('operator_id')
        .doUpdateSet((e) => ({ settings: e.ref('billing.settings.settings') }))
    )
    .execute();
}

/** Changes the given settings and leaves the others. */
export async function mergeSettings(tx: Tx, settings: Partial<BillingSettings>): Promise<void> {
  const text = JSON.stringify(settings);
  await tables(tx).insertInto('billing.settings').values({ settings: text, products: null })
    .onConflict((conflict) =>
      conflict.column('operator_id')
        .doUpdateSet({ settings: sql`billing.settings.settings || ${text}::jsonb` })
    )
    .execute();
}

export async function saveProducts(tx: Tx, products: readonly CatalogueItem[]): Promise<void> {
  const text = JSON.stringify(products);
  await tables(tx).insertInto('billing.settings').values({ settings: '{}', products: text })
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet({ products: text })).execute();
}

/** An entry of the audit log. */
export interface StoredChange {
  readonly id: number;
  readonly at: Date;
  readonly action: string;
  readonly actorId: number | null;
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Entries of the audit log about a subject, newest first. */
export async function findChanges(
  tx: Tx,
  subject: string,
  actions: readonly string[],
  before: number,
  limit: number,
): Promise<StoredChange[]> {
  const { rows } = await sql<StoredChange>`
    select id, at, action, actor_id as "actorId", reason, detail from platform.audit
    where subject = ${subject} and action = any(${[...actions]}::text[]) and id < ${before}
    order by id desc limit ${limit}`.execute(tables(tx));
  return rows;
}
