import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useState } from 'react';

const CopyDialog = lazy(() => import('./copy-dialog.tsx'));

/** A copy of what the site stores about this person. */
export function OwnDataSection() {
  const { t } = useTranslation('accounts');
  const [open, setOpen] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t('ownData.lead')}</p>
      <div>
        <Button onClick={() => setOpen(true)}>{t('ownData.download')}</Button>
      </div>
      {open
        ? (
          <Suspense>
            <CopyDialog onClose={() => setOpen(false)} />
          </Suspense>
        )
        : null}
    </div>
  );
}
