import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { readmitEncoder } from '#product/broadcast/client.ts';
import { useEffect, useRef, useState } from 'react';

/**
 * What happens to an encoder whose broadcast was ended: it is refused until it is stopped, or let back on
 * here.
 */
export function EndedEncoder({ isRefused }: { isRefused: boolean }) {
  const { t } = useTranslation('screens');
  const { run, busy, problem } = useAction(readmitEncoder);
  const [isBack, setBack] = useState(false);
  const outcome = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (isBack) outcome.current?.focus();
  }, [isBack]);
  const letBack = async () => {
    if ((await run({})) !== null) setBack(true);
  };
  if (!isRefused && !isBack) return null;
  return (
    <div className="flex flex-col items-start gap-3 text-sm">
      <div ref={outcome} role="status" tabIndex={-1} className="empty:hidden">
        {isBack ? <p>{t('summary.isBack')}</p> : null}
      </div>
      {isBack ? null : (
        <>
          <p>{t('summary.encoder')}</p>
          <p>{t('summary.encoderStopped')}</p>
          <FormError problem={problem} />
          <Button busy={busy} onClick={() => void letBack()}>{t('summary.letBack')}</Button>
        </>
      )}
    </div>
  );
}
