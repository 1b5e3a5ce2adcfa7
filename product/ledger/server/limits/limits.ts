import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { SettingsPart } from '#product/accounts/extension-points.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import { excludeSelf, exclusionShortened, getLimits, setLimits, takeCoolOff } from '../../contract/limits.ts';
import type { BudgetChange, Limits } from '../service.ts';
import { spendingService } from './spending.ts';

type LimitsView = OutputOf<typeof getLimits>;
const subjectOf = (personId: number): string => `person:${personId}`;

const { limitsOf, setBudgets, coolOff, selfExclude } = spendingService;

/** What people see of their own limits; the reason of staff for closing spending is not shown. */
function viewOf({ budgets, coolingOffUntil, selfExcludedUntil, ...limits }: Limits): LimitsView {
  return {
    budgets: budgets.map(({ period, tokens, spent, resetsAt, next }) => ({
      period,
      tokens,
      spent,
      resets_at: resetsAt.toISOString(),
      next: next && { tokens: next.tokens, at: next.at.toISOString() },
    })),
    cooling_off_until: coolingOffUntil?.toISOString() ?? null,
    self_excluded_until: selfExcludedUntil?.toISOString() ?? null,
    blocked: limits.blocked !== null,
    credit_tokens: limits.creditTokens,
    debt_tokens: limits.debtTokens,
  };
}

/** The ways in which people close their own spending for a while. */
const PAUSES = {
  coolingOffUntil: { action: 'ledger.takeCoolOff', take: coolOff },
  selfExcludedUntil: { action: 'ledger.excludeSelf', take: selfExclude },
} as const;

/** Closes a person's spending from now on; returns the end of a running pause that lasts longer. */
async function pause(
  tx: Tx,
  personId: number,
  kind: keyof typeof PAUSES,
  hours: number,
): Promise<LimitsView | Date> {
  const until = new Date(tx.now.getTime() + hours * HOUR_MS);
  const running = (await limitsOf(tx, personId))[kind];
  if (running !== null && running >= until) return running;
  const { action, take } = PAUSES[kind];
  await take(tx, personId, until);
  await tx.audit({ action, actorId: personId, subject: subjectOf(personId), detail: { hours } });
  return viewOf(await limitsOf(tx, personId));
}

async function setOwnBudgets(tx: Tx, personId: number, change: BudgetChange): Promise<void> {
  await setBudgets(tx, personId, change);
  await tx.audit({
    action: 'ledger.setLimits',
    actorId: personId,
    subject: subjectOf(personId),
    detail: { ...change },
  });
}

/** The daily budget as a setting. */
export const dailyLimit: SettingsPart = {
  keys: ['daily_limit'],
  read: async (tx, { id }) => {
    const { budgets } = await limitsOf(tx, id);
    return { daily_limit: budgets.find(({ period }) => period === 'day')?.tokens ?? null };
  },
  check: async () => null,
  write: async (tx, { id }, { daily_limit: tokens }) => {
    if (tokens !== undefined) await setOwnBudgets(tx, id, { day: tokens });
  },
};

/** A person's own spending limits. Each change is audited. */
export function limitHandlers(data: Data, accounts: AccountsService): CallHandler[] {
  return [
    handleCall(getLimits)((_input, { scope, personId }) =>
      data.tx(scope, async (tx) => viewOf(await limitsOf(tx, personId)))
    ),
    handleCall(setLimits)((change, { scope, personId }) =>
      data.tx(scope, async (tx) => {
        const wanted = Object.fromEntries(
          Object.entries(change).filter(([, tokens]) => tokens !== undefined),
        );
        await setOwnBudgets(tx, personId, wanted);
        await accounts.sendSettings(tx, personId);
        return viewOf(await limitsOf(tx, personId));
      })
    ),
    handleCall(takeCoolOff)(async ({ hours }, { scope, personId, refuse }) => {
      const taken = await data.tx(scope, (tx) => pause(tx, personId, 'coolingOffUntil', hours));
      return taken instanceof Date
        ? refuse(exclusionShortened, { extra: { until: taken.toISOString() } })
        : taken;
    }),
    handleCall(excludeSelf)(async ({ days }, { scope, personId, refuse }) => {
      const taken = await data.tx(scope, (tx) => pause(tx, personId, 'selfExcludedUntil', days * 24));
      return taken instanceof Date
        ? refuse(exclusionShortened, { extra: { until: taken.toISOString() } })
        : taken;
    }),
  ];
}
