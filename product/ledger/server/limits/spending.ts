import type { Tx } from '#platform/data/data.ts';
import {
  BUDGET_PERIODS,
  errorOfSplit,
  MAX_BUDGET_TOKENS,
  MAX_CREDIT_TOKENS,
  RAISE_WAIT_MS,
} from '../../rules.ts';
import { limitsOf, pauseSpending, setBlock, setBudget, setCredit, setSplit } from '../../store/spending.ts';
import type { LedgerService, Limits } from '../service.ts';

type SpendingService = Pick<
  LedgerService,
  'limitsOf' | 'setBudgets' | 'coolOff' | 'selfExclude' | 'block' | 'unblock' | 'setCredit' | 'setSplit'
>;

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

async function readLimits(tx: Tx, personId: number): Promise<Limits> {
  const stored = await limitsOf(tx, personId);
  const at = dateOf(stored.blockedAt);
  return {
    budgets: stored.budgets.map(({ period, tokens, spent, resetsAt, nextTokens, nextAt }) => ({
      period,
      tokens,
      spent,
      resetsAt: new Date(resetsAt),
      next: nextAt === null ? null : { tokens: nextTokens, at: new Date(nextAt) },
    })),
    coolingOffUntil: dateOf(stored.coolingOffUntil),
    selfExcludedUntil: dateOf(stored.selfExcludedUntil),
    blocked: stored.blockedCause === null || at === null
      ? null
      : { cause: stored.blockedCause, reason: stored.blockedReason ?? '', at },
    creditTokens: stored.creditTokens,
    debtTokens: stored.debtTokens,
  };
}

/** Throws unless a number of tokens is whole and between 0 and a limit. */
function assertTokens(what: string, tokens: number, most: number): void {
  if (Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= most) return;
  throw new RangeError(`${what} is a whole number of tokens from 0 to ${most}`);
}

/** Restrictions on a person's spending, their credit limit, and how a performer's earnings are divided. */
export const spendingService: SpendingService = {
  limitsOf: readLimits,
  setBudgets: async (tx, personId, change) => {
    for (const period of BUDGET_PERIODS) {
      const tokens = change[period];
      if (tokens === undefined) continue;
      if (tokens !== null) assertTokens('a budget', tokens, MAX_BUDGET_TOKENS);
      await setBudget(tx, personId, period, tokens, new Date(tx.now.getTime() + RAISE_WAIT_MS));
    }
  },
  coolOff: (tx, personId, until) => pauseSpending(tx, personId, 'cooling_off', until),
  selfExclude: (tx, personId, until) => pauseSpending(tx, personId, 'self_excluded', until),
  block: async (tx, personId, reason, actorId) => {
    await setBlock(tx, personId, reason);
    await tx.audit({ action: 'ledger.block', actorId, subject: `person:${personId}`, reason });
  },
  unblock: async (tx, personId, reason, actorId) => {
    await setBlock(tx, personId, null);
    await tx.audit({ action: 'ledger.unblock', actorId, subject: `person:${personId}`, reason });
  },
  setCredit: async (tx, personId, tokens) => {
    assertTokens('a credit limit', tokens, MAX_CREDIT_TOKENS);
    await setCredit(tx, personId, tokens);
  },
  setSplit: async (tx, performerId, from, shares) => {
    const error = errorOfSplit(performerId, shares);
    if (error !== null) throw new RangeError(`the split of performer ${performerId}: ${error}`);
    if (from.getTime() < tx.now.getTime()) {
      throw new RangeError('a split starts now or later: past earnings stay divided as they were');
    }
    await setSplit(tx, performerId, from, shares);
  },
};
