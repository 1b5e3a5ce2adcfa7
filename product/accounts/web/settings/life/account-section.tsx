import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useState } from 'react';
import { getEmail } from '../../../client.ts';
import type { SectionProps } from '../sections/settings-form.tsx';

const UsernameDialog = lazy(() => import('./username-dialog.tsx'));
const EmailDialog = lazy(() => import('../../email/email-dialog.tsx'));

type Open = 'username' | 'confirm' | 'change';

/** The names by which the site knows this person, and dialogs to change them. */
export function AccountSection({ me: { user } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const [open, setOpen] = useState<Open | null>(null);
  const email = useRead(getEmail, {});
  const pending = email.data?.pending_email ?? null;
  const close = () => setOpen(null);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col divide-y divide-line">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pb-3">
          <div className="min-w-0">
            <p className="text-sm text-muted">{t('register.username')}</p>
            <p className="font-medium break-words">@{user.username}</p>
          </div>
          <Button onClick={() => setOpen('username')}>{t('username.title')}</Button>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 pt-3">
          <div className="min-w-0">
            <p className="text-sm text-muted">{t('register.email')}</p>
            <p className="font-medium break-words">{user.email}</p>
            <p className="text-sm text-muted">
              {t(user.email_confirmed ? 'email.confirmed' : 'email.unconfirmed')}
            </p>
            {pending === null
              ? null
              : <p className="text-sm">{t('email.pending', { email: pending })}</p>}
            <ReadError read={email} />
          </div>
          <div className="flex flex-wrap gap-2">
            {user.email_confirmed && pending === null
              ? null
              : <Button onClick={() => setOpen('confirm')}>{t('email.confirm')}</Button>}
            <Button onClick={() => setOpen('change')}>{t('email.change')}</Button>
          </div>
        </div>
      </div>
      <Suspense>
        {open === 'username' ? <UsernameDialog onClose={close} /> : null}
        {open === 'confirm' || open === 'change' ? <EmailDialog onClose={close} begin={open} /> : null}
      </Suspense>
    </div>
  );
}
