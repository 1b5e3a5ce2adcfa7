import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { dayOf, nextDay } from '#platform/time/days.ts';
import { ageVerificationRequired } from '#product/compliance/contract.ts';
import { getTipLimit, getTipRules, receiverUnknown, saveTipRules } from '../contract.ts';
import { getTipRoom, getTipTools } from '../contract/tools.ts';
import { findDailyLimit, findOverlay, findTipDays, saveDailyLimit, tippedOn } from '../store.ts';
import { findGoals } from '../store/goals.ts';
import { findMenu } from '../store/menu.ts';
import { performerFor, type TipsDependencies } from './dependencies.ts';
import { goalView, ownGoals } from './goals.ts';
import type { Splits } from './sending/splits.ts';

/** Reads for the room, the performer's tools and the tip rules; and the one call that changes those rules. */
export function viewHandlers(deps: TipsDependencies, splits: Splits): CallHandler[] {
  const { data } = deps;
  return [
    handleCall(getTipRoom)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const performer = await performerFor(deps, tx, context, username);
        if (performer === 'gate') return context.refuse(ageVerificationRequired);
        if (typeof performer === 'string') return context.refuse(receiverUnknown);
        const [running] = await findGoals(tx, performer.id);
        return {
          menu: await findMenu(tx, performer.id),
          goal: running ? goalView(running) : null,
          split: await splits.view(tx, performer.id),
        };
      })
    ),
    handleCall(getTipTools)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        const performerId = context.personId;
        const [last] = await findTipDays(tx, 'received', performerId, null);
        const isToday = last?.day === dayOf(tx.now);
        return {
          menu: await findMenu(tx, performerId),
          goals: ownGoals(await findGoals(tx, performerId)),
          today: { tokens: isToday ? last.tokens : 0, tips: isToday ? last.tips : 0 },
          overlay_made_at: (await findOverlay(tx, { performerId }))?.madeAt.toISOString() ?? null,
        };
      })
    ),
    handleCall(getTipLimit)(async (_input, context) =>
      data.tx(context.scope, async (tx) => ({
        daily_limit: await findDailyLimit(tx),
        tipped: await tippedOn(tx, context.personId, dayOf(tx.now)),
        resets_at: nextDay(tx.now).toISOString(),
      }))
    ),
    handleCall(getTipRules)(async (_input, { scope }) =>
      data.tx(scope, async (tx) => ({ daily_limit: await findDailyLimit(tx) }))
    ),
    handleCall(saveTipRules)(async ({ daily_limit }, context) =>
      data.tx(context.scope, async (tx) => {
        await saveDailyLimit(tx, daily_limit);
        await tx.audit({
          action: 'tips.saveTipRules',
          actorId: context.personId,
          subject: 'operator',
          detail: { daily_limit },
        });
        return { daily_limit };
      })
    ),
  ];
}
