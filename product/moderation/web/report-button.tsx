import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Flag } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ReportTarget } from './target.ts';

/** Loaded when somebody opens it. */
const ReportDialog = lazy(() => import('./report-dialog.tsx'));

/** The report dialog, for any place on the page. */
export function Reporting({ target, onClose }: { target: ReportTarget | null; onClose: () => void }) {
  if (target === null) return null;
  return (
    <Suspense fallback={null}>
      <ReportDialog target={target} onClose={onClose} />
    </Suspense>
  );
}

/** Opens a report about the content beside it. */
export function ReportButton({ target }: { target: ReportTarget }) {
  const { t } = useTranslation('moderation');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button tone="quiet" icon={<Flag size={18} aria-hidden />} onClick={() => setOpen(true)}>
        {t(`report.do.${target.kind}`, { name: target.name })}
      </Button>
      <Reporting target={isOpen ? target : null} onClose={() => setOpen(false)} />
    </>
  );
}
