import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import type { Data, Tx } from '../../../../platform/data/data.ts';
import { HOUR_MS } from '../../../../platform/time/units.ts';
import { excludeSelf, exclusionShortened, getLimits, setLimits, takeCoolOff } from '../../contract.ts';
import { idOf } from '../balance.ts';
import type { Limits } from '../service.ts';
import { standingService } from './standing.ts';

type LimitsView = OutputOf<typeof getLimits>;
const subjectOf = (personId: number): string => `person:${personId}`;

const { limitsOf, setBudgets, coolOff, selfExclude } = standingService;

/** What a person sees of their own limits: why somebody closed their spending stays with staff. */
function viewOf({ budgets, coolingOffUntil, selfExcludedUntil, ...limits }: Limits): LimitsView {
  return {
    budgets: budgets.map(({ period, tokens, spent, resetsAt, next }) => ({
      period, tokens, spent, resets_at: resetsAt.toISOString(),
      next: next && { tokens: next.tokens, at: next.at.toISOString() },
    })),
    cooling_off_until: coolingOffUntil?.toISOString() ?? null,
    self_excluded_until: selfExcludedUntil?.toISOString() ?? null,
    blocked: limits.blocked !== null, credit_tokens: limits.creditTokens, debt_tokens: limits.debtTokens,
  };
}

/** A way to close one's own spending for a while. */
const PAUSES = {
  coolingOffUntil: { action: 'ledger.takeCoolOff', take: coolOff },
  selfExcludedUntil: { action: 'ledger.excludeSelf', take: selfExclude },
} as const;

/** Closes the own spending from now on; answers the end of a pause that lasts longer already, if one does. */
async function pause(
  tx: Tx, personId: number, kind: keyof typeof PAUSES, hours: number,
): Promise<LimitsView | Date> {
  const until = new Date(tx.now.getTime() + hours * HOUR_MS);
  const running = (await limitsOf(tx, personId))[kind];
  if (running !== null && running >= until) return running;
  const { action, take } = PAUSES[kind];
  await take(tx, personId, until);
  await tx.audit({ action, actorId: personId, subject: subjectOf(personId), detail: { hours } });
  return viewOf(await limitsOf(tx, personId));
}

/** What a person decides about their own spending. Each change leaves a line in the audit log. */
export function limitHandlers(data: Data): CallHandler[] {
  return [
    handleCall(getLimits)((_input, { scope, caller }) =>
      data.tx(scope, async (tx) => viewOf(await limitsOf(tx, idOf(caller))))),
    handleCall(setLimits)((change, { scope, caller }) =>
      data.tx(scope, async (tx) => {
        const personId = idOf(caller);
        const wanted = Object.fromEntries(
          Object.entries(change).filter(([, tokens]) => tokens !== undefined));
        await setBudgets(tx, personId, wanted);
        await tx.audit({
          action: 'ledger.setLimits', actorId: personId, subject: subjectOf(personId), detail: wanted,
        });
        return viewOf(await limitsOf(tx, personId));
      })),
    handleCall(takeCoolOff)(async ({ hours }, { scope, caller, refuse }) => {
      const taken = await data.tx(scope, (tx) => pause(tx, idOf(caller), 'coolingOffUntil', hours));
      return taken instanceof Date
        ? refuse(exclusionShortened, { extra: { until: taken.toISOString() } }) : taken;
    }),
    handleCall(excludeSelf)(async ({ days }, { scope, caller, refuse }) => {
      const taken = await data.tx(scope, (tx) => pause(tx, idOf(caller), 'selfExcludedUntil', days * 24));
      return taken instanceof Date
        ? refuse(exclusionShortened, { extra: { until: taken.toISOString() } }) : taken;
    }),
  ];
}
