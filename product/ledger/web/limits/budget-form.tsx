import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useState } from 'react';
import { getLimits, setLimits } from '../../client.ts';
import { MAX_BUDGET_TOKENS, type BudgetPeriod } from '../../rules.ts';
import { useStale } from '../live-past.ts';
import { TokensAndValue } from '../values.tsx';
import type { Limits } from '../views.ts';
import { planOf, shownBudget, type Typed } from './budgets.ts';

type Budget = Limits['budgets'][number];

const fieldsOf = (budgets: readonly Budget[]): Typed => {
  const shown = (period: BudgetPeriod) => {
    const budget = budgets.find((item) => item.period === period);
    return budget ? shownBudget(budget) : '';
  };
  return { day: shown('day'), week: shown('week'), month: shown('month') };
};

const typedIn = (fields: FormData): Typed => ({
  day: textOf(fields, 'day'),
  week: textOf(fields, 'week'),
  month: textOf(fields, 'month'),
});

/** Budgets of day, week and month. Typed text stays until it is saved, whatever events arrive meanwhile. */
export function BudgetForm({ budgets }: { budgets: readonly Budget[] }) {
  const { t, i18n } = useTranslation('ledger');
  const toast = useToast();
  const stale = useStale(getLimits);
  const [typed, setTyped] = useState(() => fieldsOf(budgets));
  const saved = JSON.stringify(fieldsOf(budgets));
  const plan = planOf(budgets, typed);
  const most = formatCount(MAX_BUDGET_TOKENS, i18n.language);
  const form = useForm(setLimits, {
    shape: async () => (await import('../../contract/limits.ts')).setLimits,
    read: (fields) => planOf(budgets, typedIn(fields)).change,
    check: (_change, fields) =>
      Object.fromEntries(
        planOf(budgets, typedIn(fields)).wrong
          .map((period) => [period, t('web.limits.wrong', { most })]),
      ),
    onDone: async () => {
      await stale();
      toast(t(plan.raises ? 'web.limits.savedLater' : 'web.limits.saved'), 'success');
    },
  });
  const { fields } = form;
  useEffect(() => setTyped(JSON.parse(saved) as Typed), [saved]);
  // Text typed before React hydrated the form.
  useEffect(() => setTyped(typedIn(fields())), [fields]);
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <h3 className="font-bold">{t('web.limits.budgets')}</h3>
      <div className="grid gap-6 md:grid-cols-3">
        {budgets.map((budget) => {
          const field = form.field(budget.period);
          return (
            <div key={budget.period} className="flex flex-col gap-2">
              <TextField
                {...field}
                label={t(`web.limits.${budget.period}`)}
                inputMode="numeric"
                autoComplete="off"
                maxLength={8}
                placeholder={t('web.limits.none')}
                value={typed[budget.period]}
                onChange={(change) => {
                  setTyped({ ...typed, [budget.period]: change.target.value });
                  field.onChange(change);
                }}
              />
              <Progress budget={budget} />
            </div>
          );
        })}
      </div>
      <p className="text-sm text-muted">{t('web.limits.rule')}</p>
      <FormError problem={form.problem} />
      <div>
        <Button
          type="submit"
          busy={form.busy}
          disabled={Object.keys(plan.change).length === 0
            && plan.wrong.length === 0}
        >
          {t('web.limits.save')}
        </Button>
      </div>
    </form>
  );
}

/** How much of a budget is spent, when it resets, and a pending raise. */
function Progress({ budget: { period, tokens, spent, next, resets_at: resets } }: { budget: Budget }) {
  const { t, i18n } = useTranslation('ledger');
  const count = (amount: number): string => formatCount(amount, i18n.language);
  const spentOf = tokens === null
    ? ''
    : t('web.limits.spentOf', { count: tokens, spent: count(spent), budget: count(tokens) });
  const share = tokens === null ? 0 : Math.min(1, spent / tokens);
  return (
    <div className="flex flex-col gap-1 text-sm text-muted">
      {tokens === null
        ? (
          <p>
            {t('web.limits.spent')} <TokensAndValue tokens={spent} />
          </p>
        )
        : (
          <div
            role="meter"
            aria-label={t(`web.limits.${period}`)}
            aria-valuemin={0}
            aria-valuemax={tokens}
            aria-valuenow={Math.min(spent, tokens)}
            aria-valuetext={spentOf}
          >
            <svg
              viewBox="0 0 100 1"
              preserveAspectRatio="none"
              aria-hidden
              className="h-2 w-full rounded-full bg-line"
            >
              <rect width={share * 100} height="1" className={share >= 1 ? 'fill-danger' : 'fill-blue'} />
            </svg>
            <p className="tabular pt-1">{spentOf}</p>
          </div>
        )}
      {tokens === null ? null : (
        <p>
          {t('web.limits.resets')} <Moment at={resets} />
        </p>
      )}
      {next
        ? (
          <p className="text-warning-text">
            {next.tokens === null
              ? t('web.limits.goneFrom')
              : t('web.limits.higherFrom', { count: next.tokens, tokens: count(next.tokens) })}{' '}
            <Moment at={next.at} />
          </p>
        )
        : null}
    </div>
  );
}
