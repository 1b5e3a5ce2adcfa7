import { sql, type Generated } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import type { AccountRef, Leg } from './rules.ts';

interface LedgerTables {
  'ledger.accounts': { operator_id: Generated<number>; person_id: number; account: string; balance: number };
  'ledger.journal': {
    operator_id: Generated<number>; id: Generated<number>; operation: string; kind: string;
    parameter_hash: string; memo: Record<string, unknown>; at: Date;
  };
  'ledger.postings': {
    operator_id: Generated<number>; id: Generated<number>; journal_id: number; person_id: number | null;
    account: string; tokens: number; balance: number | null;
  };
  'ledger.demo_grants': { operator_id: Generated<number>; person_id: number; day: string; taken: number };
}

const tables = (tx: Tx): ReturnType<typeof tx.sql<LedgerTables>> => tx.sql<LedgerTables>();

/** An operation as `ledger.post` takes it. */
export interface StoredOperation {
  readonly id: string;
  readonly kind: string;
  readonly legs: readonly Leg[];
  readonly memo: Readonly<Record<string, unknown>>;
  readonly parameterHash: string;
  readonly facts: readonly { readonly name: string; readonly key: string; readonly payload: unknown }[];
}

export interface StoredOutcome {
  readonly status: 'posted' | 'duplicate' | 'insufficient' | 'mismatch';
  /** Token balance by person id. */
  readonly balances: Readonly<Record<string, number>>;
}

const columnsOf = (account: AccountRef): { person?: number; account: string } =>
  account.kind === 'person'
    ? { person: account.personId, account: account.book }
    : { account: account.name };

/** Posts operations in order in one statement; one outcome each. */
export async function postOperations(
  tx: Tx, operations: readonly StoredOperation[],
): Promise<readonly StoredOutcome[]> {
  const ops = operations.map(({ legs, ...operation }) => ({
    ...operation,
    legs: legs.map(({ account, tokens, lot }) => ({ ...columnsOf(account), tokens, lot })),
  }));
  const { rows } = await sql<{ outcomes: StoredOutcome[] }>`
    select ledger.post(${JSON.stringify(ops)}::jsonb, ${tx.now}) as outcomes`.execute(tables(tx));
  const outcomes = rows[0]?.outcomes ?? [];
  if (outcomes.length !== ops.length) throw new Error('ledger.post answers one outcome per operation');
  return outcomes;
}

/** Spendable tokens of a person; 0 for somebody who never had any. */
export async function balanceOf(tx: Tx, personId: number): Promise<number> {
  const row = await tables(tx)
    .selectFrom('ledger.accounts')
    .select('balance')
    .where('person_id', '=', personId)
    .where('account', '=', 'tokens')
    .executeTakeFirst();
  return row?.balance ?? 0;
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

export interface TokenLine {
  readonly id: number;
  readonly operation: string;
  readonly kind: string;
  readonly tokens: number;
  readonly balance: number | null;
  readonly memo: Record<string, unknown>;
  readonly at: Date;
}

/** Changes of a person's spendable tokens, newest first, older than line `before`. */
export async function tokenLines(
  tx: Tx, personId: number, before: number | null, limit: number,
): Promise<TokenLine[]> {
  let query = tables(tx)
    .selectFrom('ledger.postings as p')
    .innerJoin('ledger.journal as j', (join) =>
      join.onRef('j.operator_id', '=', 'p.operator_id').onRef('j.id', '=', 'p.journal_id'))
    .select(['p.id', 'j.operation', 'j.kind', 'p.tokens', 'p.balance', 'j.memo', 'j.at'])
    .where('p.person_id', '=', personId)
    .where('p.account', '=', 'tokens');
  if (before !== null) query = query.where('p.id', '<', before);
  return query.orderBy('p.id', 'desc').limit(limit).execute();
}

/** Locks a person's count of development grants for a day until the unit ends, and answers it. */
export async function lockDemoGrants(tx: Tx, personId: number, day: string): Promise<number> {
  const row = await tables(tx)
    .insertInto('ledger.demo_grants')
    .values({ person_id: personId, day, taken: 0 })
    // Setting it to itself takes the row lock that doing nothing would not.
    .onConflict((conflict) =>
      conflict
        .columns(['operator_id', 'person_id', 'day'])
        .doUpdateSet((e) => ({ taken: e.ref('ledger.demo_grants.taken') })))
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
