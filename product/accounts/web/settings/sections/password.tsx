import { Button } from '#platform/ui/controls/button.tsx';
import { PasswordField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { changePassword } from '../../../client.ts';
import { useSignedIn } from '../../me.ts';
import { OwnUsername } from '../../sign-in/fields/own-username.tsx';

const FIELD_OF = {
  bad_credentials: 'current',
  password_too_short: 'next',
  password_too_common: 'next',
} as const;

/** Changes the password: every session ends, and this browser continues in a new one. */
export function PasswordSection() {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const signedIn = useSignedIn();
  const form = useForm(changePassword, {
    shape: async () => (await import('../../../contract.ts')).changePassword,
    read: (fields) => ({ current: textOf(fields, 'current'), next: textOf(fields, 'next') }),
    fieldOf: FIELD_OF,
    onDone: async () => {
      form.props.ref.current?.reset();
      toast(t('settings.passwordChanged'), 'success');
      await signedIn();
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <OwnUsername />
      <PasswordField
        {...form.field('current')}
        label={t('settings.currentPassword')}
        required
        autoComplete="current-password"
      />
      <PasswordField
        {...form.field('next')}
        label={t('settings.newPassword')}
        hint={t('settings.newPasswordHint')}
        required
        autoComplete="new-password"
      />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('settings.changePassword')}</Button>
      </div>
    </form>
  );
}
