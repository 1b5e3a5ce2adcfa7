import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { BlockCause, BudgetPeriod, Share } from '../rules.ts';
import { tables } from '../store.ts';

export interface StoredLimits {
  readonly budgets: readonly {
    readonly period: BudgetPeriod;
    readonly tokens: number | null;
    readonly spent: number;
    readonly resetsAt: string;
    readonly nextTokens: number | null;
    readonly nextAt: string | null;
  }[];
  readonly coolingOffUntil: string | null;
  readonly selfExcludedUntil: string | null;
  readonly blockedCause: BlockCause | null;
  readonly blockedReason: string | null;
  readonly blockedAt: string | null;
  readonly creditTokens: number;
  readonly debtTokens: number;
}

/** Everything that restricts a person's spending now. */
export async function limitsOf(tx: Tx, personId: number): Promise<StoredLimits> {
  const { rows } = await sql<{ limits: StoredLimits }>`
    select ledger.limits_of(${personId}, ${tx.now}) as limits`.execute(tables(tx));
  const [row] = rows;
  if (!row) throw new Error('ledger.limits_of answers one row');
  return row.limits;
}

/** Sets one budget: a lower one at once, a higher one from `raisesAt` on. */
export async function setBudget(
  tx: Tx,
  personId: number,
  period: BudgetPeriod,
  tokens: number | null,
  raisesAt: Date,
): Promise<void> {
  await sql`select ledger.set_budget(${personId}, ${period}, ${tokens}::bigint, ${raisesAt}, ${tx.now})`
    .execute(tables(tx));
}

/** Closes spending until a time; never shortens a pause. */
export async function pauseSpending(
  tx: Tx,
  personId: number,
  kind: 'cooling_off' | 'self_excluded',
  until: Date,
): Promise<void> {
  await sql`select ledger.pause_spending(${personId}, ${kind}, ${until})`.execute(tables(tx));
}

/** Closes spending for a reason, or opens it again (null). */
export async function setBlock(tx: Tx, personId: number, reason: string | null): Promise<void> {
  await sql`select ledger.set_block(${personId}, ${reason}::text, ${tx.now})`.execute(tables(tx));
}

export async function setCredit(tx: Tx, personId: number, tokens: number): Promise<void> {
  await sql`select ledger.set_credit_limit(${personId}, ${tokens})`.execute(tables(tx));
}

export async function setSplit(
  tx: Tx,
  performerId: number,
  from: Date,
  shares: readonly Share[],
): Promise<void> {
  const stored = shares.map(({ to, percent }) => ({ person: to === 'fees' ? null : to, percent }));
  await sql`select ledger.set_split(${performerId}, ${from}, ${JSON.stringify(stored)}::jsonb)`
    .execute(tables(tx));
}
