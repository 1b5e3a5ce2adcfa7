import type { OutputOf } from '#platform/contract/call.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getIdentityRules, saveIdentityRules } from '../../client.ts';
import { MAX_MIN_AGE, MAX_REVIEWERS, MIN_AGE } from '../../rules.ts';
import { showRules } from '../live.ts';

/** What the operator asks of performers. */
export function RulesForm() {
  const read = useRead(getIdentityRules, {});
  return <Loaded read={read} height="h-48">{(rules) => <Form rules={rules} />}</Loaded>;
}

function Form({ rules }: { readonly rules: OutputOf<typeof getIdentityRules> }) {
  const { t } = useTranslation('identity');
  const toast = useToast();
  const form = useForm(saveIdentityRules, {
    shape: async () => (await import('../../contract/review.ts')).saveIdentityRules,
    read: (fields) => ({
      requires_evidence: fields.has('requires_evidence'),
      reviewers: Number(textOf(fields, 'reviewers')),
      minimum_age: Number(textOf(fields, 'minimum_age')),
      reason: textOf(fields, 'reason').trim(),
    }),
    applied: showRules,
    onDone: () => toast(t('rules.saved'), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <Checkbox
        {...form.field('requires_evidence')}
        label={t('rules.requires')}
        defaultChecked={rules.requires_evidence}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          {...form.field('reviewers')}
          label={t('rules.reviewers')}
          defaultValue={String(rules.reviewers)}
          options={Array.from({ length: MAX_REVIEWERS }, (_, at) => ({
            value: String(at + 1),
            text: String(at + 1),
          }))}
        />
        <TextField
          {...form.field('minimum_age')}
          type="number"
          label={t('rules.minimumAge')}
          min={MIN_AGE}
          max={MAX_MIN_AGE}
          required
          defaultValue={rules.minimum_age}
        />
      </div>
      <TextField
        {...form.field('reason')}
        label={t('rules.reason')}
        required
        minLength={3}
        maxLength={500}
        autoComplete="off"
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('rules.save')}</Button>
      </div>
    </form>
  );
}
