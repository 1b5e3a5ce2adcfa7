import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { requestPasswordReset } from '../../client.ts';
import { SwitchTo } from './switch.tsx';

/** Asks for a link to set a password; shows the same whether or not an account has the address. */
export function ForgotForm({ onLogin }: { readonly onLogin: string | (() => void) }) {
  const { t } = useTranslation('accounts');
  const [isSent, setSent] = useState(false);
  const form = useForm(requestPasswordReset, {
    shape: async () => (await import('../../contract.ts')).requestPasswordReset,
    read: (fields) => ({ email: textOf(fields, 'email').trim() }),
    onDone: () => setSent(true),
  });
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <p role="status" className="text-muted">{t(isSent ? 'forgot.sent' : 'forgot.lead')}</p>
      {isSent ? null : (
        <>
          <TextField
            {...form.field('email')}
            type="email"
            label={t('register.email')}
            required
            autoComplete="email"
          />
          <FormError problem={form.problem} />
          <Button type="submit" tone="primary" wide busy={form.busy}>{t('forgot.submit')}</Button>
        </>
      )}
      <p className="text-center text-sm">
        <SwitchTo text={t('forgot.back')} to={onLogin} />
      </p>
    </form>
  );
}
