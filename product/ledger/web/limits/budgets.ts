import { BUDGET_PERIODS, MAX_BUDGET_TOKENS, type BudgetPeriod } from '../../rules.ts';

/** A budget as somebody typed it: empty is none. `undefined` is no budget at all. */
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

/** What a field shows: what will hold in the end, so that saving takes back no raise that is on its way. */
export const shownBudget = ({ tokens, next }: Known): string => String((next ? next.tokens : tokens) ?? '');

export interface BudgetPlan {
  /** What differs from what holds, or is on its way. */
  readonly change: Partial<Record<BudgetPeriod, number | null>>;
  /** Periods with something that is no budget. */
  readonly wrong: readonly BudgetPeriod[];
  /** Something of it waits for a day: it is more than what holds now. */
  readonly raises: boolean;
}

/** What saving the fields would do. */
export function planOf(known: readonly Known[], typed: Typed): BudgetPlan {
  const change: Partial<Record<BudgetPeriod, number | null>> = {};
  const wrong: BudgetPeriod[] = [];
  let raises = false;
  for (const period of BUDGET_PERIODS) {
    const budget = typedBudget(typed[period]);
    const now = known.find((one) => one.period === period);
    if (budget === undefined) wrong.push(period);
    else if (now && typed[period].trim() !== shownBudget(now)) {
      change[period] = budget;
      raises ||= now.tokens !== null && (budget === null || budget > now.tokens);
    }
  }
  return { change, wrong, raises };
}
