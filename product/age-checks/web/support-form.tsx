import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { askSupport } from '../client.ts';
import { MAX_SUPPORT_MESSAGE } from '../rules.ts';

/** A message to support from somebody whom no other way suits. */
export function SupportForm({ onDone, onBack }: {
  readonly onDone: () => Promise<void>;
  readonly onBack: () => void;
}) {
  const { t } = useTranslation('age-checks');
  const form = useForm(askSupport, {
    shape: async () => (await import('../contract.ts')).askSupport,
    read: (fields) => ({ message: textOf(fields, 'message').trim() }),
    onDone,
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-sm text-muted">{t('web.support.text')}</p>
      <TextArea
        {...form.field('message')}
        label={t('web.support.message')}
        hint={t('web.support.hint')}
        maxLength={MAX_SUPPORT_MESSAGE}
        required
      />
      <FormError problem={form.problem} />
      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        <Button onClick={onBack}>{t('web.support.back')}</Button>
        <Button type="submit" tone="primary" busy={form.busy}>{t('web.support.send')}</Button>
      </div>
    </form>
  );
}
