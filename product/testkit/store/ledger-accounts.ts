import { sql } from 'kysely';
import type { Member, TestSite } from '../site.ts';

/** A person's balance in an account of the ledger. */
export const bookOf = (
  site: TestSite,
  { id }: Pick<Member, 'id'>,
  book: 'tokens' | 'earnings' | 'held',
): Promise<number> =>
  site.tx(async (tx) => {
    const { rows } = await sql<{ readonly balance: number }>`
    select balance from ledger.accounts where person_id = ${id} and account = ${book}`.execute(tx.sql());
    return rows[0]?.balance ?? 0;
  });

/** All faults that the ledger finds in itself. */
export const faultsOf = (site: TestSite): Promise<readonly unknown[]> =>
  site.tx(async (tx) => (await sql`select * from ledger.faults()`.execute(tx.sql())).rows);

/** What was posted to a person's earnings, in all. */
export const earningsOf = (site: TestSite, { id }: Pick<Member, 'id'>): Promise<number> =>
  site.tx(async (tx) => {
    const { rows } = await sql<{ readonly sum: number }>`
    select coalesce(sum(tokens), 0)::bigint as sum
    from ledger.postings where person_id = ${id} and account = 'earnings'`.execute(tx.sql());
    return rows[0]?.sum ?? 0;
  });
