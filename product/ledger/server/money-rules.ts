import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Data } from '#platform/data/data.ts';
import { changeMoneyRules, getMoneyRules, tokensUncovered } from '../contract.ts';
import { moneyRulesOf, setMoneyRules, type MoneyRules } from '../store/money-rules.ts';

const viewOf = (rules: MoneyRules): OutputOf<typeof getMoneyRules> => ({
  payout_cents: rules.payoutCents,
  marketing_cap_cents: rules.marketingCapCents,
  marketing_booked_cents: rules.marketingBookedCents,
  performer_cap_cents: rules.performerCapCents,
});

/** The payout of a token, and the caps of marketing and of one person's promotional earnings. */
export const moneyRulesHandlers = (data: Data): CallHandler[] => [
  handleCall(getMoneyRules)(
    (_input, { scope }) => data.tx(scope, async (tx) => viewOf(await moneyRulesOf(tx))),
  ),
  handleCall(changeMoneyRules)((input, { scope, personId, refuse }) =>
    data.tx(scope, async (tx) => {
      const before = await moneyRulesOf(tx);
      const after = {
        payoutCents: input.payout_cents,
        marketingCapCents: input.marketing_cap_cents,
        performerCapCents: input.performer_cap_cents,
      };
      if (!(await setMoneyRules(tx, after))) return refuse(tokensUncovered);
      const names = ['payoutCents', 'marketingCapCents', 'performerCapCents'] as const;
      await tx.audit({
        action: changeMoneyRules.name,
        actorId: personId,
        subject: `operator:${tx.operatorId}`,
        reason: input.reason,
        detail: {
          fields: names.filter((name) => before[name] !== after[name])
            .map((name) => ({ name, before: String(before[name]), after: String(after[name]) })),
        },
      });
      return viewOf(await moneyRulesOf(tx));
    })
  ),
];
