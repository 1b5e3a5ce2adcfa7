import { hostRefusals, type Refusal as Declared, type RefusalDetail } from '#platform/contract/refusal.ts';
import {
  coolingOff,
  holdClosed,
  marketingCap,
  notEnoughTokens,
  notReversible,
  overDailyBudget,
  overMonthlyBudget,
  overWeeklyBudget,
  performerCap,
  postpayCardFail,
  postpayExhausted,
  selfExcluded,
  spendingBlocked,
  type SpendRefusal,
} from '../../contract.ts';
import { postpayRefusal, type PostpayDebt } from '../../rules.ts';
import { balanceOf } from '../../store.ts';
import { limitsOf } from '../../store/spending.ts';
import type { LedgerService, Refusal, RefusedOutcome } from '../service.ts';

const budgets = { day: overDailyBudget, week: overWeeklyBudget, month: overMonthlyBudget } as const;
const refusals = {
  mismatch: hostRefusals.keyReused,
  insufficient: notEnoughTokens,
  credit_exhausted: postpayCardFail,
  cooling_off: coolingOff,
  self_excluded: selfExcluded,
  blocked: spendingBlocked,
  marketing_cap: marketingCap,
  performer_cap: performerCap,
  hold_closed: holdClosed,
  not_reversible: notReversible,
} as const satisfies Record<Exclude<Refusal, 'over_budget'>, Declared>;

/** The same if nobody pays, or the payer's state is known: `refusalOf(outcome, refuse)`. */
export function refusalOf<R>(
  { status, period = 'day', until }: RefusedOutcome,
  refuse: (refusal: SpendRefusal, detail?: RefusalDetail) => R,
  payer: (PostpayDebt & { readonly amount: number }) | null = null,
): R {
  if (payer !== null && (status === 'insufficient' || status === 'credit_exhausted')) {
    const refusal = postpayRefusal(payer, payer.amount);
    if (refusal === 'exhausted') return refuse(postpayExhausted, { extra: { exhausted: true } });
    return refuse(refusal === 'card' ? postpayCardFail : notEnoughTokens);
  }
  const refusal = status === 'over_budget' ? budgets[period] : refusals[status];
  return refuse(refusal, until === undefined ? {} : { extra: { until: until.toISOString() } });
}

export const refuse: LedgerService['refuse'] = async (tx, refused, { personId, tokens: amount }, say) => {
  const { creditTokens, debtTokens } = await limitsOf(tx, personId);
  return refusalOf(refused, say, { creditTokens, debtTokens, tokens: await balanceOf(tx, personId), amount });
};
