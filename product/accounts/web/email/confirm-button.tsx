import { Button } from '#platform/ui/controls/button.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useState } from 'react';

const EmailDialog = lazy(() => import('./email-dialog.tsx'));

/** Opens the dialog that says where the link was sent, sends it again, and takes another address. */
export function ConfirmButton() {
  const ready = useTexts('accounts');
  const { t } = useTranslation('accounts');
  const [asking, setAsking] = useState(false);
  if (!ready) return null;
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setAsking(true)}>{t('email.confirm')}</Button>
      {asking
        ? (
          <Suspense>
            <EmailDialog onClose={() => setAsking(false)} />
          </Suspense>
        )
        : null}
    </>
  );
}
