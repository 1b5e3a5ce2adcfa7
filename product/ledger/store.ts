import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { LedgerTables } from './store/tables.ts';

/** A day with a million entries takes a minute: longer than a statement of a request may. */
const SEAL_LIMIT_MS = 600_000;

/** The tables of the ledger, typed. */
export const tables = (tx: Tx): ReturnType<typeof tx.sql<LedgerTables>> => tx.sql<LedgerTables>();

/** Spendable tokens of a person; 0 for somebody who never had any. */
export async function balancesOfPerson(
  tx: Tx,
  personId: number,
): Promise<Partial<Record<'tokens' | 'earnings' | 'held' | 'debt', number>>> {
  const rows = await tables(tx).selectFrom('ledger.accounts').select(['account', 'balance'])
    .where('person_id', '=', personId).execute();
  return Object.fromEntries(rows.map(({ account, balance }) => [account, balance]));
}

export async function balanceOf(tx: Tx, personId: number): Promise<number> {
  const row = await tables(tx)
    .selectFrom('ledger.accounts')
    .select('balance')
    .where('person_id', '=', personId)
    .where('account', '=', 'tokens')
    .executeTakeFirst();
  return row?.balance ?? 0;
}

/** Balances of many people; those who never had tokens are left out. */
export async function balancesOf(tx: Tx, personIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (personIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('ledger.accounts').select(['person_id', 'balance'])
    .where('person_id', 'in', personIds).where('account', '=', 'tokens').execute();
  return new Map(rows.map(({ person_id: id, balance }) => [id, balance]));
}

/** Whether an operation was posted before. */
export async function isPosted(tx: Tx, operation: string): Promise<boolean> {
  const row = await tables(tx)
    .selectFrom('ledger.journal')
    .select('id')
    .where('operation', '=', operation)
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks a person's count of development grants for a day until the unit of work ends, and returns it. */
export async function lockDemoGrants(tx: Tx, personId: number, day: string): Promise<number> {
  const row = await tables(tx)
    .insertInto('ledger.demo_grants')
    .values({ person_id: personId, day, taken: 0 })
    // Setting it to itself takes the row lock, which `do nothing` would not.
    .onConflict((conflict) =>
      conflict
        .columns(['operator_id', 'person_id', 'day'])
        .doUpdateSet((e) => ({ taken: e.ref('ledger.demo_grants.taken') }))
    )
    .returning('taken')
    .executeTakeFirstOrThrow();
  return row.taken;
}

export async function countDemoGrant(tx: Tx, personId: number, day: string): Promise<void> {
  await tables(tx)
    .updateTable('ledger.demo_grants')
    .set((e) => ({ taken: e('taken', '+', 1) }))
    .where('person_id', '=', personId)
    .where('day', '=', day)
    .execute();
}

/** Seals every day that is over. */
export async function sealDays(tx: Tx): Promise<void> {
  await sql.raw(`set local statement_timeout = ${SEAL_LIMIT_MS}`).execute(tables(tx));
  await sql`select ledger.seal_days(${tx.now})`.execute(tables(tx));
}
