import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { tables } from '../store.ts';

/**
 * The payout of a token, the cap of marketing and what is booked, and how much one person may earn of
 * promotional tokens in a UTC day; in US cents.
 */
export interface MoneyRules {
  readonly payoutCents: number;
  readonly marketingCapCents: number;
  readonly marketingBookedCents: number;
  readonly performerCapCents: number;
}

export async function moneyRulesOf(tx: Tx): Promise<MoneyRules> {
  const { rows: [row] } = await sql<MoneyRules>`
    select payout_cents as "payoutCents", marketing_cap_cents as "marketingCapCents",
      marketing_booked_cents as "marketingBookedCents", performer_cap_cents as "performerCapCents"
    from ledger.money_rules()`.execute(tables(tx));
  if (!row) throw new Error('ledger.money_rules answers one row');
  return row;
}

/** Changes the rules; false, without a change, if outstanding tokens would lose their cover. */
export async function setMoneyRules(
  tx: Tx,
  { payoutCents, marketingCapCents, performerCapCents }: Omit<MoneyRules, 'marketingBookedCents'>,
): Promise<boolean> {
  const { rows: [row] } = await sql<{ done: boolean }>`
    select ledger.set_money_rules(${payoutCents}, ${marketingCapCents}, ${performerCapCents}) as done`
    .execute(tables(tx));
  return row?.done ?? false;
}
