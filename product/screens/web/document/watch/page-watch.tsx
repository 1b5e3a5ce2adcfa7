import { useCall } from '#platform/ui/calls/calls.ts';
import { useLiveState } from '#platform/ui/calls/live-state.ts';
import { onFault } from '#platform/ui/faults/faults.ts';
import { watchStyles } from '#platform/ui/faults/styles.ts';
import { restoreTyped, watchTyped } from '#platform/ui/faults/typed.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { Reporter, type ReportingPage } from '#product/client-logs/web/reporter.ts';
import { useConsent } from '#product/consent/web/consent.ts';
import { IN_PRIVATE } from '#product/shows/web/in-private.ts';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useSiteConfig } from '../site.ts';
import { useClockWatch } from './clock-watch.ts';
import { useCookieWatch } from './cookie-watch.ts';

/** In one file with code that every page loads: when the crash page is needed, the network may be gone. */
export { CrashPage } from '../errors/crash-page.tsx';

const VersionNotice = lazy(async () => ({ default: (await import('./version-notice.tsx')).VersionNotice }));

/** Watches a page from outside of what may crash: errors, typed text, cookies, its version. */
export function PageWatch() {
  const call = useCall();
  const clock = useServerClock();
  const { now } = clock;
  const me = useMe();
  const version = useSiteConfig()?.version ?? '';
  const isCounted = useConsent().allowed.statistics;
  const hasRemoteLogging = isCounted && (me?.user.user_roles.includes('remote_logging') ?? false);
  const isInPrivate = useLiveState(IN_PRIVATE, (isIn) => isIn);
  const [served, setServed] = useState<string | null>(null);
  const page = useRef<ReportingPage>({
    call,
    now,
    version,
    isMember: false,
    hasRemoteLogging: false,
    isInPrivate: false,
    isCounted: false,
  });
  page.current = { call, now, version, isMember: me !== null, hasRemoteLogging, isInPrivate, isCounted };
  useCookieWatch();
  const { i18n: { language } } = useTranslation();
  useEffect(() => {
    // Best effort: a browser may have no service workers, or not allow them.
    void navigator.serviceWorker?.register(`/app-worker.js?lang=${language}`).catch(() => undefined);
  }, [language]);
  useEffect(() => {
    const reporter = new Reporter(() => page.current);
    const ends = [
      onFault((fault) => (fault.kind === 'version' ? setServed(fault.version) : reporter.take(fault))),
      watchTyped(now),
      watchStyles(),
    ];
    restoreTyped(now());
    return () => {
      for (const end of ends) end();
    };
  }, [now]);
  useClockWatch(clock);
  useEffect(() => {
    if (!hasRemoteLogging) return undefined;
    let end = (): void => undefined;
    let isOver = false;
    void import('#product/client-logs/web/console.ts').then(({ sendConsoleLines }) => {
      if (!isOver) end = sendConsoleLines(call);
    }).catch(() => undefined);
    return () => {
      isOver = true;
      end();
    };
  }, [call, hasRemoteLogging]);
  return served === null
    ? null
    : (
      <Suspense>
        <VersionNotice onDismiss={() => setServed(null)} />
      </Suspense>
    );
}
