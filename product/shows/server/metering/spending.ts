import type { Tx } from '#platform/data/data.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import { availOf } from '../../rules/spending.ts';

/** What somebody can spend now, in tokens. */
export interface Spending {
  readonly tokens: number;
  /** The most a show can cost: with credit, and within budgets. */
  readonly spendable: number;
  /** Whether neither credit nor a budget applies: then the balance decides. */
  readonly isPlain: boolean;
  /** Tens of tokens that a post-pay member can spend; null for everybody else. */
  readonly avail: number | null;
  /** The budget for the UTC day (null without one), and what was spent that day. */
  readonly day: { readonly limit: number | null; readonly spent: number };
}

/** What somebody can spend now: by balance, credit and their own budgets. */
export async function spendingOf(
  ledger: Pick<LedgerService, 'balance' | 'limitsOf'>,
  tx: Tx,
  personId: number,
): Promise<Spending> {
  const tokens = await ledger.balance(tx, personId);
  const { budgets, creditTokens, debtTokens } = await ledger.limitsOf(tx, personId);
  const lefts = budgets.flatMap((
    { tokens: budget, spent },
  ) => (budget === null ? [] : [Math.max(0, budget - spent)]));
  const spendable = Math.min(tokens + Math.max(0, creditTokens - debtTokens), ...lefts);
  const day = budgets.find(({ period }) => period === 'day');
  return {
    tokens,
    spendable,
    isPlain: creditTokens === 0 && debtTokens === 0 && lefts.length === 0,
    avail: creditTokens > 0 ? availOf(spendable) : null,
    day: { limit: day?.tokens ?? null, spent: day?.spent ?? 0 },
  };
}
