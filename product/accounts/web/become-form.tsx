import { Button } from '#platform/ui/controls/button.tsx';
import { Select } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { becomePerformer } from '../client.ts';
import { GENDERS, type GenderCode } from '../rules.ts';
import { useReloadMe, type Me } from './me.ts';
import { TermsField } from './sign-in/fields/terms-field.tsx';

/** Turns a member's account into a performer's. */
export function BecomeForm({ me: { user } }: { readonly me: Me }) {
  const { t } = useTranslation('accounts');
  const reloadMe = useReloadMe();
  const form = useForm(becomePerformer, {
    shape: async () => (await import('../contract/performing.ts')).becomePerformer,
    read: (fields) => ({
      gender: textOf(fields, 'gender') as GenderCode,
      // The checkbox is required, and the call accepts only `true`.
      accept_terms: true as const,
    }),
    onDone: reloadMe,
  });
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <p className="break-words">{t('models.keeps', { username: user.username })}</p>
      <Select
        {...form.field('gender')}
        label={t('register.section')}
        required
        placeholder={t('register.choose')}
        defaultValue={user.gender ?? ''}
        options={GENDERS.map((code) => ({ value: code, text: t(`gender.${code}`) }))}
      />
      <TermsField {...form.field('accept_terms')} />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('models.become')}</Button>
    </form>
  );
}
