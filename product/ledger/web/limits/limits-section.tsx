import { useRead } from '#platform/ui/calls/calls.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Lock } from 'lucide-react';
import { getLimits } from '../../client.ts';
import type { Limits } from '../views.ts';
import { BreakForm } from './break-form.tsx';
import { BudgetForm } from './budget-form.tsx';

/** A person's choices about their own spending: budgets, breaks, and self-exclusion. */
export function SpendingLimits() {
  const { t } = useTranslation('ledger');
  const read = useRead(getLimits, {});
  return (
    <Section anchor="limits" title={t('web.limits.title')} lead={t('web.limits.lead')}>
      <Loaded read={read} height="h-96">
        {(limits) => (
          <div className="flex flex-col gap-8">
            <Closed limits={limits} />
            <BudgetForm budgets={limits.budgets} />
            <BreakForm limits={limits} />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

/** Why nothing can be spent now, and until when. */
function Closed({ limits }: { limits: Limits }) {
  const { t } = useTranslation('ledger');
  const { blocked, self_excluded_until: excluded, cooling_off_until: cooling } = limits;
  if (!blocked && excluded === null && cooling === null) return null;
  const until = excluded ?? cooling;
  const why = blocked ? 'blocked' : excluded === null ? 'cooling' : 'excluded';
  return (
    <div role="status" className="flex items-start gap-3 rounded-control border border-warning bg-raised p-3">
      <Lock size={20} aria-hidden className="mt-0.5 shrink-0 text-warning-text" />
      <p className="text-sm">
        {t(`web.limits.closed.${why}`)}
        {blocked || until === null ? null : (
          <>
            {' '}
            {t('web.limits.closed.until')} <Moment at={until} />
          </>
        )}
      </p>
    </div>
  );
}
