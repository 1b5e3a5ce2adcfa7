import { sql } from 'kysely';
import type { TestSite } from '../site.ts';

/** Many accounts of performers, by id, with nothing that makes them visible: for limits of lists. */
export async function crowd(site: TestSite, count: number, prefix: string): Promise<readonly number[]> {
  const { rows } = await site.tx(async (tx) => {
    const made = await sql<{ id: number }>`
    insert into accounts.people (site_id, username, display_name, email, birth_date, type, created_at)
    select ${site.scope.siteId}, ${prefix}::text || n, ${prefix}::text || n,
      ${prefix}::text || n || '@people.example', '1990-01-01', 'model', ${tx.now}::timestamptz
    from generate_series(1, ${count}::int) as n returning id`.execute(tx.sql<object>());
    // As the owner. The check of a foreign key, planned while its table was small, would read all of it.
    await sql`set local role none`.execute(tx.sql<object>());
    await sql`analyze accounts.people`.execute(tx.sql<object>());
    return made;
  });
  return rows.map(({ id }) => id);
}
