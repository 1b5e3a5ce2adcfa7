import { handleCall, type CallHandler } from '../../../platform/contract/bind.ts';
import type { OutputOf } from '../../../platform/contract/call.ts';
import type { Data } from '../../../platform/data/data.ts';
import { changeMoneyRules, getMoneyRules, tokensUncovered } from '../contract.ts';
import { moneyRulesOf, setMoneyRules, type MoneyRules } from '../store/money-rules.ts';
import { idOf } from './balance.ts';

const viewOf = (rules: MoneyRules): OutputOf<typeof getMoneyRules> => ({
  payout_cents: rules.payoutCents, marketing_cap_cents: rules.marketingCapCents,
  marketing_booked_cents: rules.marketingBookedCents,
});

/** What a token pays out and how much marketing may cost, in the operator's hands. */
export const moneyRulesHandlers = (data: Data): CallHandler[] => [
  handleCall(getMoneyRules)(
    (_input, { scope }) => data.tx(scope, async (tx) => viewOf(await moneyRulesOf(tx))),
  ),
  handleCall(changeMoneyRules)((input, { scope, caller, refuse }) => data.tx(scope, async (tx) => {
    const before = await moneyRulesOf(tx);
    const { payout_cents: payoutCents, marketing_cap_cents: capCents, reason } = input;
    if (!(await setMoneyRules(tx, payoutCents, capCents))) return refuse(tokensUncovered);
    await tx.audit({
      action: changeMoneyRules.name, actorId: idOf(caller), subject: `operator:${tx.operatorId}`, reason,
      detail: {
        fields: [
          { name: 'payoutCents', before: String(before.payoutCents), after: String(payoutCents) },
          { name: 'marketingCapCents', before: String(before.marketingCapCents), after: String(capCents) },
        ].filter((field) => field.before !== field.after),
      },
    });
    return viewOf(await moneyRulesOf(tx));
  })),
];
