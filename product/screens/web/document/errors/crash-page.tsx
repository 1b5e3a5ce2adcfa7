import type { CallFunction } from '#platform/contract/client.ts';
import { useCall } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { PartFailed } from '#platform/ui/faults/part.ts';
import { saveTyped } from '#platform/ui/faults/typed.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { reportCrash, sendForced } from '#product/client-logs/web/reporter.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { useEffect, useRef, useState } from 'react';
import { useSiteConfig } from '../site.ts';
import { FaultPage } from './fault-page.tsx';

/** The version this tab reloaded for because a chunk was gone: it reloads once. */
const RETRIED_FOR = 'partsReloadedFor';

/** A chunk removed by another version is replaced in that version: true when the page reloads to get it. */
async function reloadsForVersion(call: CallFunction, own: string): Promise<boolean> {
  const served = await call(getSiteConfig, {}).then(({ version }) => version, () => own);
  if (served === own || sessionStorage.getItem(RETRIED_FOR) === served) return false;
  sessionStorage.setItem(RETRIED_FOR, served);
  window.location.reload();
  return true;
}

/** “Oops”, in place of a crashed page: the code for support, and links to go on. Reports the crash once. */
export function CrashPage({ error }: { error: unknown }) {
  const { t } = useTranslation('screens');
  const call = useCall();
  const { now } = useServerClock();
  const isMember = useMe() !== null;
  const version = useSiteConfig()?.version ?? '';
  /** Undefined until the report arrived, null if it failed. */
  const [code, setCode] = useState<string | null>();
  const [sent, setSent] = useState<boolean | null>(null);
  const main = useRef<HTMLElement>(null);
  const isReported = useRef(false);
  useEffect(() => {
    if (isReported.current) return;
    isReported.current = true;
    saveTyped();
    main.current?.querySelector('h1')?.focus();
    void (async () => {
      if (error instanceof PartFailed && await reloadsForVersion(call, version)) return;
      setCode(await reportCrash({ call, now, version }, error));
    })();
  }, [call, error, now, version]);
  const send = async (): Promise<void> =>
    setSent(await sendForced(call, [`crash ${code ?? ''}`, error instanceof Error ? error.message : '']));
  const text = (
    <>
      <p className="font-medium">{t('crash.title')}</p>
      <p className="text-muted">{t('crash.text')}</p>
    </>
  );
  return (
    <main ref={main}>
      <FaultPage
        message={t('oops')}
        text={text}
        code={
          <div role="status" className="text-base font-normal text-text">
            {code
              ? (
                <p>
                  {t('crash.code')}{' '}
                  <strong className="font-mono text-lg text-accent select-all">{code}</strong>
                </p>
              )
              : null}
            {code === null ? <p className="text-muted">{t('crash.unreported')}</p> : null}
            {sent === null ? null : <p>{t(sent ? 'crash.sent' : 'crash.unsent')}</p>}
          </div>
        }
      >
        <Button tone="primary" onClick={() => window.location.reload()}>{t('crash.reload')}</Button>
        <Button onClick={() => window.location.assign('/')}>{t('crash.home')}</Button>
        {isMember && code && sent !== true
          ? <Button tone="quiet" onClick={() => void send()}>{t('crash.send')}</Button>
          : null}
      </FaultPage>
    </main>
  );
}
