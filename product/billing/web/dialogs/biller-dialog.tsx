import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import { keepDestination } from '../destination.ts';
import { FRAME_RETURN } from '../enter-page.tsx';
import type { MoneyStep, StepProps } from '../steps.ts';
import { useOrder } from './waiting-dialog.tsx';

/** Most pages load within two seconds; after this time a page probably never will. */
const SLOW_MS = 8_000;

/**
 * The purchase biller modal: the biller's page in a frame. It closes when the order is settled, whatever the
 * frame reports.
 */
export function BillerDialog(
  { step, go, onClose }: StepProps & { readonly step: Extract<MoneyStep, { kind: 'biller' }> },
) {
  const { t } = useTranslation('billing');
  const { state, onLoad } = useFrame(step.link);
  useOrder(step.orderId, go);
  useReturn(() => go({ kind: 'waiting', orderId: step.orderId }));
  const out = (
    <a
      href={step.link}
      target="_blank"
      rel="noopener noreferrer"
      onClick={() => {
        keepDestination(location.pathname + location.search);
        go({ kind: 'waiting', orderId: step.orderId });
      }}
      className="inline-flex min-h-11 items-center gap-2 text-link hover:underline"
    >
      {t('web.biller.newTab')} <ExternalLink size={16} aria-hidden />
    </a>
  );
  return (
    <Dialog title={t('web.biller.title')} onClose={onClose} size="large">
      <div className="flex flex-col gap-3" aria-busy={state === 'loading'}>
        <div role="status" className="empty:hidden">
          {state === 'slow'
            ? (
              <p className="rounded-control border border-warning bg-raised px-3 py-2 text-sm">
                {t('web.biller.slow')}
              </p>
            )
            : null}
        </div>
        <div className="relative h-[min(36rem,65dvh)]">
          {state === 'loading' ? <Skeleton className="absolute inset-0" /> : null}
          <iframe
            // oxlint-disable-next-line react/iframe-missing-sandbox -- it is another origin, with cookies
            sandbox="allow-forms allow-scripts allow-same-origin allow-popups"
            src={step.link}
            title={t('web.biller.title')}
            onLoad={onLoad}
            className={`relative size-full rounded-control border border-line
              ${state === 'shown' ? 'bg-white' : ''}`}
          />
        </div>
        <p className="flex flex-wrap items-center justify-between gap-x-4 text-sm text-muted">
          {t('web.biller.note', { host: new URL(step.link).host })} {out}
        </p>
      </div>
    </Dialog>
  );
}

/**
 * The state of a page in a frame. Browsers fire `load` even for a page that forbids framing, so a link to a
 * new tab is always shown, and highlighted if our policy or the network blocks the page.
 */
function useFrame(link: string) {
  const [state, setState] = useState<'loading' | 'shown' | 'slow'>('loading');
  useEffect(() => {
    const slow = () => setState((now) => (now === 'shown' ? now : 'slow'));
    const timer = setTimeout(slow, SLOW_MS);
    const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'frame-src' && link.startsWith(blockedURI)) setState('slow');
    };
    document.addEventListener('securitypolicyviolation', onViolation);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('securitypolicyviolation', onViolation);
    };
  }, [link]);
  return { state, onLoad: () => setState((now) => (now === 'loading' ? 'shown' : now)) };
}

/** Calls back when our own page in the frame reports that the person has left the biller's page. */
function useReturn(onReturn: () => void): void {
  useEffect(() => {
    const onMessage = ({ origin, data }: MessageEvent<unknown>) => {
      if (origin === location.origin && data === FRAME_RETURN) onReturn();
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, [onReturn]);
}
