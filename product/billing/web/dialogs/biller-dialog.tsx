import { ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Dialog } from '../../../../platform/ui/surfaces/dialog.tsx';
import { Skeleton } from '../../../../platform/ui/surfaces/states.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { keepDestination } from '../destination.ts';
import { FRAME_RETURN } from '../enter-page.tsx';
import type { MoneyStep, StepProps } from '../steps.ts';
import { useOrder } from './waiting-dialog.tsx';

/** A page that is not there by then is not coming: most are within two seconds. */
const SLOW_MS = 8_000;

/**
 * The purchase biller modal: a page of the biller over ours. What it says of the payment is not listened to:
 * the order is, and ends it.
 */
export function BillerDialog(
  { step, go, onClose }: StepProps & { readonly step: Extract<MoneyStep, { kind: 'biller' }> },
) {
  const { t } = useTranslation('billing');
  const { state, onLoad } = useFrame(step.link);
  useOrder(step.orderId, go);
  useReturn(() => go({ kind: 'waiting', orderId: step.orderId }));
  const out = (
    <a href={step.link} target="_blank" rel="noopener noreferrer"
      onClick={() => {
        keepDestination(location.pathname + location.search);
        go({ kind: 'waiting', orderId: step.orderId });
      }}
      className="inline-flex min-h-11 items-center gap-2 text-link hover:underline">
      {t('web.biller.newTab')} <ExternalLink size={16} aria-hidden />
    </a>
  );
  return (
    <Dialog title={t('web.biller.title')} onClose={onClose} size="large">
      <div className="flex flex-col gap-3" aria-busy={state === 'loading'}>
        <div role="status" className="empty:hidden">
          {state === 'slow' ? (
            <p className="rounded-control border border-warning bg-raised px-3 py-2 text-sm">
              {t('web.biller.slow')}
            </p>
          ) : null}
        </div>
        <div className="relative h-[min(36rem,65dvh)]">
          {state === 'loading' ? <Skeleton className="absolute inset-0" /> : null}
          {/* oxlint-disable-next-line react/iframe-missing-sandbox -- it is another origin, with cookies */}
          <iframe sandbox="allow-forms allow-scripts allow-same-origin allow-popups"
            src={step.link} title={t('web.biller.title')} onLoad={onLoad}
            className={`relative size-full rounded-control border border-line
              ${state === 'shown' ? 'bg-white' : ''}`} />
        </div>
        <p className="flex flex-wrap items-center justify-between gap-x-4 text-sm text-muted">
          {t('web.biller.note', { host: new URL(step.link).host })} {out}
        </p>
      </div>
    </Dialog>
  );
}

/**
 * How a page in a frame is doing. A browser fires `load` for a page that forbids the frame, too: the way out
 * is always there, and pointed at where our own policy or the line keep the page away.
 */
function useFrame(link: string) {
  const [state, setState] = useState<'loading' | 'shown' | 'slow'>('loading');
  useEffect(() => {
    const slow = () => setState((now) => (now === 'shown' ? now : 'slow'));
    const timer = setTimeout(slow, SLOW_MS);
    const hear = ({ effectiveDirective: directive, blockedURI: blocked }: SecurityPolicyViolationEvent) => {
      if (directive === 'frame-src' && link.startsWith(blocked)) setState('slow');
    };
    document.addEventListener('securitypolicyviolation', hear);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('securitypolicyviolation', hear);
    };
  }, [link]);
  return { state, onLoad: () => setState((now) => (now === 'loading' ? 'shown' : now)) };
}

/** Our own page in the frame says that the person is through with the biller's. */
function useReturn(onReturn: () => void): void {
  useEffect(() => {
    const hear = ({ origin, data }: MessageEvent<unknown>) => {
      if (origin === location.origin && data === FRAME_RETURN) onReturn();
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, [onReturn]);
}
