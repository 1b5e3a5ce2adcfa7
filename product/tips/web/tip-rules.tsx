import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MAX_DAILY_LIMIT_TOKENS } from '#product/accounts/rules/settings.ts';
import { useEffect, useState } from 'react';
import { getTipRules, saveTipRules } from '../client.ts';
import { dailyLimitOf } from '../rules.ts';
import { showRules } from './live.ts';

/** For staff: how much one person may tip in a day on all of the operator's sites. */
export function TipRules() {
  const { t } = useTranslation('tips');
  const read = useRead(getTipRules, {});
  return (
    <Section anchor="tip-rules" title={t('rules.title')} lead={t('rules.lead')}>
      <Loaded read={read} height="h-24">{({ daily_limit: limit }) => <RulesForm limit={limit} />}</Loaded>
    </Section>
  );
}

function RulesForm({ limit }: { limit: number | null }) {
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const stored = limit === null ? '' : String(limit);
  const [typed, setTyped] = useState(stored);
  const wanted = dailyLimitOf(typed);
  const most = formatCount(MAX_DAILY_LIMIT_TOKENS, i18n.language);
  const form = useForm(saveTipRules, {
    shape: async () => (await import('../contract.ts')).saveTipRules,
    read: (fields) => ({ daily_limit: dailyLimitOf(textOf(fields, 'daily_limit')) ?? null }),
    check: (
      _rules,
      fields,
    ): Readonly<Record<string, string>> => (dailyLimitOf(textOf(fields, 'daily_limit')) === undefined
      ? { daily_limit: t('rules.wrong', { most }) }
      : {}),
    applied: showRules,
    onDone: () => toast(t('rules.saved'), 'success'),
  });
  const { fields } = form;
  useEffect(() => setTyped(stored), [stored]);
  // Reads what was typed before hydration.
  useEffect(() => setTyped(textOf(fields(), 'daily_limit')), [fields]);
  const field = form.field('daily_limit');
  return (
    <form {...form.props} className="flex max-w-sm flex-col gap-4">
      <TextField
        {...field}
        label={t('rules.daily')}
        hint={t('rules.hint')}
        inputMode="numeric"
        autoComplete="off"
        maxLength={10}
        placeholder={t('rules.none')}
        value={typed}
        onChange={(change) => {
          setTyped(change.target.value);
          field.onChange(change);
        }}
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy} disabled={wanted === limit}>{t('rules.save')}</Button>
      </div>
    </form>
  );
}
