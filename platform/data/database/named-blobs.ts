import { sql } from 'kysely';
import type { Tx } from '../data.ts';

/** A column whose rows name blobs. The sweep removes blobs that no such column names. */
export interface NamedBlobs {
  /** With its schema, as `accounts.avatars`. */
  readonly table: string;
  readonly column: string;
  /** Filters these ids to those named by rows of the unit's operator. */
  readonly among: (tx: Tx, ids: readonly string[]) => Promise<readonly string[]>;
}

/** @param many the column is an array of ids, and not one */
export const namedBlobs = (
  { table, column, many }: Pick<NamedBlobs, 'table' | 'column'> & { readonly many: boolean },
): NamedBlobs => ({
  table,
  column,
  among: async (tx, ids) => {
    const [from, name] = [sql.table(table), sql.ref(column)];
    const list = sql`${[...ids]}::text[]`;
    const query = many
      ? sql<{ id: string }>`select distinct named.id from ${from}, unnest(${name}) as named(id)
        where ${name} && ${list} and named.id = any(${list})`
      : sql<{ id: string }>`select distinct ${name} as id from ${from} where ${name} = any(${list})`;
    return (await query.execute(tx.sql())).rows.map(({ id }) => id);
  },
});

/** Every column of the database that names blobs, by its name: `blobs`, `blob_id`, `poster_blob`. */
export async function blobColumns(tx: Tx): Promise<readonly Pick<NamedBlobs, 'table' | 'column'>[]> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_schema || '.' || table_name as "table", column_name as "column"
    from information_schema.columns
    where column_name ~ '(^|_)blobs?(_|$)' and table_schema not in ('pg_catalog', 'information_schema')
    order by 1, 2`.execute(tx.sql());
  return rows;
}
