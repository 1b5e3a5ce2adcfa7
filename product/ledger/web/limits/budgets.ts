import { BUDGET_PERIODS, MAX_BUDGET_TOKENS, type BudgetPeriod } from '../../rules.ts';

/** A budget as it was typed: empty is none. `undefined` if it is not a valid budget. */
function typedBudget(text: string): number | null | undefined {
  const plain = text.trim();
  if (plain === '') return null;
  const tokens = /^\d{1,8}$/u.test(plain) ? Number(plain) : 0;
  return tokens >= 1 && tokens <= MAX_BUDGET_TOKENS ? tokens : undefined;
}

export type Typed = Readonly<Record<BudgetPeriod, string>>;

interface Known {
  readonly period: BudgetPeriod;
  readonly tokens: number | null;
  readonly next: { readonly tokens: number | null } | null;
}

/** What a field shows: the value after a pending raise, so that saving does not cancel the raise. */
export const shownBudget = ({ tokens, next }: Known): string => String((next ? next.tokens : tokens) ?? '');

export interface BudgetPlan {
  /** What differs from the current or pending values. */
  readonly change: Partial<Record<BudgetPeriod, number | null>>;
  /** Periods with an invalid value. */
  readonly wrong: readonly BudgetPeriod[];
  /** Whether a part of it waits for a day because it raises the current budget. */
  readonly raises: boolean;
}

/** What saving the fields would do. */
export function planOf(known: readonly Known[], typed: Typed): BudgetPlan {
  const change: Partial<Record<BudgetPeriod, number | null>> = {};
  const wrong: BudgetPeriod[] = [];
  let raises = false;
  for (const period of BUDGET_PERIODS) {
    const budget = typedBudget(typed[period]);
    const now = known.find((item) => item.period === period);
    if (budget === undefined) wrong.push(period);
    else if (now && typed[period].trim() !== shownBudget(now)) {
      change[period] = budget;
      raises ||= now.tokens !== null && (budget === null || budget > now.tokens);
    }
  }
  return { change, wrong, raises };
}
