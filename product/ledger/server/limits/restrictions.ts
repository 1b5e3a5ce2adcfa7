import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Data } from '#platform/data/data.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import { personUnknown } from '../../contract.ts';
import { getSpendingState, setSpendingState } from '../../contract/limits.ts';
import { balanceOf } from '../../store.ts';
import { earnedInAll } from '../../store/lines/earnings.ts';
import { spendingService } from './spending.ts';

/** Shows staff the restrictions on a person's spending, and closes or opens it. */
export function restrictionHandlers(data: Data, accounts: AccountsService): CallHandler[] {
  return [
    handleCall(getSpendingState)(({ username }, { scope, refuse }) =>
      data.tx(scope, async (tx) => {
        const person = await accounts.findForStaff(tx, username);
        if (!person) return refuse(personUnknown);
        const limits = await spendingService.limitsOf(tx, person.id);
        const { blocked, coolingOffUntil, selfExcludedUntil } = limits;
        const { tokens: earned } = await earnedInAll(tx, person.id, tx.now);
        return {
          username: person.username,
          tokens: await balanceOf(tx, person.id),
          earned: person.type === 'model' || earned !== 0 ? earned : null,
          blocked: blocked && { ...blocked, at: blocked.at.toISOString() },
          credit_tokens: limits.creditTokens,
          debt_tokens: limits.debtTokens,
          cooling_off_until: coolingOffUntil?.toISOString() ?? null,
          self_excluded_until: selfExcludedUntil?.toISOString() ?? null,
        };
      })
    ),
    handleCall(setSpendingState)(({ username, blocked, reason }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const person = await accounts.findForStaff(tx, username);
        if (!person) return refuse(personUnknown);
        const change = blocked ? spendingService.block : spendingService.unblock;
        await change(tx, person.id, reason, personId);
        return { status: 1, blocked } as const;
      })
    ),
  ];
}
