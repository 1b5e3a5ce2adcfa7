import { routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { PasswordField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { resetPassword } from '../../client.ts';
import { useMe, useSignedIn } from '../me.ts';
import { UsernameOf } from '../sign-in/fields/own-username.tsx';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

const LINK = 'inline-flex min-h-11 items-center text-link hover:underline';
const FIELD_OF = { password_too_short: 'next', password_too_common: 'next' } as const;

/** Opened from the link in the email. */
export default function ResetPasswordPage() {
  const { t } = useTranslation('accounts');
  const [query] = useSearchParams();
  const [isDone, setDone] = useState(false);
  const me = useMe();
  const signedIn = useSignedIn();
  const form = useForm(resetPassword, {
    shape: async () => (await import('../../contract.ts')).resetPassword,
    read: (fields) => ({ token: query.get('token') ?? '', next: textOf(fields, 'next') }),
    fieldOf: FIELD_OF,
    onDone: async () => {
      setDone(true);
      if (me) await signedIn();
    },
  });
  const isOver = form.problem?.errorType === 'reset_link_invalid';
  return (
    <Narrow title={t('reset.title')} lead={t(isDone ? 'reset.done' : 'reset.lead')}>
      {isDone
        ? <Link to={me ? '/' : '/login'} className={LINK}>{t(me ? 'confirm.home' : 'login.title')}</Link>
        : (
          <form {...form.props} method="post" className="flex flex-col gap-4">
            <UsernameOf username={query.get('name') ?? ''} />
            <PasswordField
              {...form.field('next')}
              label={t('reset.password')}
              hint={t('register.passwordHint')}
              required
              autoComplete="new-password"
            />
            <FormError problem={form.problem} />
            {isOver ? <Link to="/forgot-password" className={LINK}>{t('reset.again')}</Link> : null}
            <Button type="submit" tone="primary" wide busy={form.busy}>{t('reset.submit')}</Button>
          </form>
        )}
    </Narrow>
  );
}
