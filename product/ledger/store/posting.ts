import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { AccountRef, BudgetPeriod, Leg, OperationForm } from '../rules.ts';
import { tables } from '../store.ts';

/** An operation as `ledger.post` takes it. */
export interface StoredOperation extends OperationForm {
  readonly kind: string;
  readonly memo: Readonly<Record<string, unknown>>;
  readonly parameterHash: string;
  readonly facts: readonly { readonly name: string; readonly key: string; readonly payload: unknown }[];
  readonly spends?: boolean;
}

/** Why something cannot be posted. */
export interface StoredRefusal {
  readonly status:
    | 'mismatch'
    | 'insufficient'
    | 'credit_exhausted'
    | 'over_budget'
    | 'cooling_off'
    | 'self_excluded'
    | 'blocked'
    | 'marketing_cap'
    | 'performer_cap'
    | 'hold_closed'
    | 'not_reversible';
  readonly period?: BudgetPeriod;
  readonly until?: string;
}

export interface StoredOutcome extends Omit<StoredRefusal, 'status'> {
  readonly status: 'posted' | 'duplicate' | StoredRefusal['status'];
  /** Token balance by person id. */
  readonly balances: Readonly<Record<string, number>>;
}

const columnsOf = (account: AccountRef): { person?: number; account: string } =>
  account.kind === 'person'
    ? { person: account.personId, account: account.book }
    : { account: account.name };

const rowOf = ({ account, ...leg }: Leg): object => ({ ...columnsOf(account), ...leg });

/** Posts operations in order in one statement; one outcome each. */
export async function postOperations(
  tx: Tx,
  operations: readonly StoredOperation[],
): Promise<readonly StoredOutcome[]> {
  const ops = operations.map((operation) => ({ ...operation, legs: operation.legs.map(rowOf) }));
  const { rows } = await sql<{ outcomes: StoredOutcome[] }>`
    select ledger.post(${JSON.stringify(ops)}::jsonb, ${tx.now}) as outcomes`.execute(tables(tx));
  const outcomes = rows[0]?.outcomes ?? [];
  if (outcomes.length !== ops.length) throw new Error('ledger.post answers one outcome per operation');
  return outcomes;
}

/** What would refuse a person's spend now, null if nothing would. */
export async function findRefusal(tx: Tx, personId: number, tokens: number): Promise<StoredRefusal | null> {
  const { rows } = await sql<{ refused: StoredRefusal | null }>`
    select ledger.spend_refusal(${personId}, ${tokens}::bigint, ${tx.now}) as refused`.execute(tables(tx));
  return rows[0]?.refused ?? null;
}
