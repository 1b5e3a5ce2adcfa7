import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { tables } from '../store.ts';

export interface StoredHealth {
  readonly alarms: readonly {
    readonly alarm: string;
    readonly subject: string;
    readonly detail: string;
    readonly since: Date;
  }[];
  /** Last day that is sealed, `YYYY-MM-DD`; null when none is. */
  readonly sealedUntil: string | null;
  readonly brokenSeals: string[];
  readonly faults: { fault: string; subject: string }[];
  readonly cover: {
    owed_cents: number;
    outstanding_cents: number;
    cash_cents: number;
    marketing_cents: number;
    receivable_cents: number;
    loss_cents: number;
    marketing_cap_cents: number;
  };
}

/** Most alarms, faults and broken seals in one answer; more of them are one problem, not many. */
const MOST_SHOWN = 200;

/** The results of the ledger's proofs now: reads every row of it. */
export async function readHealth(tx: Tx): Promise<StoredHealth> {
  const { rows: alarms } = await sql<StoredHealth['alarms'][number]>`
    select alarm, subject, detail, since from ledger.alarms(${tx.now}) order by since limit ${MOST_SHOWN}`
    .execute(tables(tx));
  const { rows: faults } = await sql<StoredHealth['faults'][number]>`
    select fault, subject from ledger.faults() order by fault, subject limit ${MOST_SHOWN}`
    .execute(tables(tx));
  const { rows: broken } = await sql<{ day: string }>`
    select day::text from ledger.broken_seals() as day order by 1 limit ${MOST_SHOWN}`.execute(tables(tx));
  const { rows: [sealed] } = await sql<{ day: string | null }>`
    select max(day)::text as day from ledger.seals`.execute(tables(tx));
  const { rows: [cover] } = await sql<StoredHealth['cover']>`
    select owed_cents, outstanding_cents, cash_cents, marketing_cents, receivable_cents, loss_cents,
      marketing_cap_cents
    from ledger.cover()`.execute(tables(tx));
  if (!cover) throw new Error('ledger.cover answers one row');
  return {
    alarms,
    faults,
    brokenSeals: broken.map(({ day }) => day),
    sealedUntil: sealed?.day ?? null,
    cover,
  };
}
