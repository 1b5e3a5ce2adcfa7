import { useEffect, useState, type FormEvent } from 'react';
import { useAction, useRead } from '../../../../platform/ui/calls/calls.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { TextField } from '../../../../platform/ui/controls/fields.tsx';
import { Loaded, Section } from '../../../../platform/ui/surfaces/section.tsx';
import { FormError } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { formatCount } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { getTipRules, saveTipRules } from '../../client.ts';
import { dailyLimitOf, MAX_DAILY_LIMIT_TOKENS } from '../../rules.ts';
import { useTipRulesSaved } from '../live.ts';

/** For staff: how much one person may tip in a day on all sites of the operator. */
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
  const rulesSaved = useTipRulesSaved();
  const action = useAction(saveTipRules);
  const stored = limit === null ? '' : String(limit);
  const [typed, setTyped] = useState(stored);
  const [checked, setChecked] = useState(false);
  useEffect(() => setTyped(stored), [stored]);
  const wanted = dailyLimitOf(typed);
  const most = formatCount(MAX_DAILY_LIMIT_TOKENS, i18n.language);
  const onSubmit = async (submit: FormEvent<HTMLFormElement>) => {
    submit.preventDefault();
    setChecked(true);
    if (wanted === undefined || action.busy) return;
    const saved = await action.run({ daily_limit: wanted });
    if (!saved) return;
    rulesSaved(saved);
    toast(t('rules.saved'), 'success');
  };
  return (
    <form noValidate onSubmit={(submit) => void onSubmit(submit)} className="flex max-w-sm flex-col gap-4">
      <TextField name="daily_limit" label={t('rules.daily')} hint={t('rules.hint')} inputMode="numeric"
        autoComplete="off" maxLength={10} placeholder={t('rules.none')} value={typed}
        error={checked && wanted === undefined ? t('rules.wrong', { most }) : undefined}
        onChange={({ target }) => setTyped(target.value)} />
      <FormError problem={action.problem} />
      <div>
        <Button type="submit" busy={action.busy} disabled={wanted === limit}>{t('rules.save')}</Button>
      </div>
    </form>
  );
}
