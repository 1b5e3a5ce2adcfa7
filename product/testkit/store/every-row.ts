import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';

/** Every table of the database that the site can read, such as `accounts.people`. */
async function everyTable(tx: Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct t.table_schema || '.' || t.table_name as name from information_schema.tables t
    join information_schema.role_table_grants g using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and g.grantee = 'candela_app' and g.privilege_type = 'SELECT'
    order by 1`.execute(tx.sql());
  return rows.map(({ name }) => name);
}

/** The tables with a row that contains one of these texts in any column, and how many tables were read. */
export async function tablesWith(
  tx: Tx,
  texts: readonly string[],
): Promise<{ readonly tables: readonly string[]; readonly read: number }> {
  const all = await everyTable(tx);
  const tables: string[] = [];
  for (const name of all) {
    const { rows } = await sql<{ found: string }>`select to_jsonb(one)::text as found
      from ${sql.table(name)} one`.execute(tx.sql());
    if (rows.some(({ found }) => texts.some((text) => found.includes(text)))) tables.push(name);
  }
  return { tables, read: all.length };
}
