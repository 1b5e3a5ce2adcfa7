import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { useForm } from '#platform/ui/forms/form.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { confirmEmail } from '../../client.ts';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

const LINK = 'inline-flex min-h-11 items-center text-link hover:underline';

/**
 * Opened from the link in the email. Confirming takes a click, so that programs that open links confirm
 * nothing.
 */
export default function ConfirmEmailPage() {
  const { t } = useTranslation('accounts');
  const [query] = useSearchParams();
  const [isConfirmed, setConfirmed] = useState(false);
  const form = useForm(confirmEmail, {
    shape: async () => (await import('../../contract.ts')).confirmEmail,
    read: () => ({ token: query.get('token') ?? '' }),
    onDone: () => setConfirmed(true),
  });
  const isLoggedOut = form.problem?.errorType === 'confirm_logged_out';
  const here = `/confirm-email?${query.toString()}`;
  return (
    <Narrow title={t('confirm.title')} lead={t(isConfirmed ? 'confirm.done' : 'confirm.lead')}>
      {isConfirmed
        ? <Link to="/" className={LINK}>{t('confirm.home')}</Link>
        : (
          <form {...form.props} method="post" className="flex flex-col gap-4">
            <FormError problem={form.problem} />
            {isLoggedOut
              ? (
                <ButtonLink to={`/login?next=${encodeURIComponent(here)}`} tone="primary" wide>
                  {t('login.submit')}
                </ButtonLink>
              )
              : <Button type="submit" tone="primary" wide busy={form.busy}>{t('confirm.submit')}</Button>}
          </form>
        )}
    </Narrow>
  );
}
