import { Flag } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import type { ReportKind } from '../rules.ts';

/** Loaded when somebody reports something. */
const ReportDialog = lazy(() => import('./report-dialog.tsx'));

/** What is reported. */
export interface ReportTarget {
  readonly kind: ReportKind;
  /** Of a person; for everything else of the performer whose it is, or in whose room it was said. */
  readonly username: string;
  readonly id?: number;
  /** The chat of a show, or `private` for a recording of a private show. */
  readonly within?: string;
  /** Of whoever is reported, as they are called. */
  readonly name: string;
}

/** The dialog of a report, wherever it is on the page. */
export function Reporting({ target, onClose }: { target: ReportTarget | null; onClose: () => void }) {
  if (target === null) return null;
  return <Suspense fallback={null}><ReportDialog target={target} onClose={onClose} /></Suspense>;
}

/** Reports what it stands at. */
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
