import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useState } from 'react';
import { DELETION_DAYS } from '../../rules/life/deletion.ts';

const DeleteDialog = lazy(() => import('./delete-dialog.tsx'));

/** Deletes the account. */
export function DeleteSection() {
  const { t } = useTranslation('accounts');
  const [open, setOpen] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t('deletion.lead', { days: DELETION_DAYS })}</p>
      <div>
        <Button tone="danger" onClick={() => setOpen(true)}>{t('deletion.open')}</Button>
      </div>
      {open
        ? (
          <Suspense>
            <DeleteDialog onClose={() => setOpen(false)} />
          </Suspense>
        )
        : null}
    </div>
  );
}
