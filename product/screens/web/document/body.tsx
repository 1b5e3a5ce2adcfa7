import { Button } from '#platform/ui/controls/button.tsx';
import { CrashBoundary } from '#platform/ui/faults/crash-boundary.tsx';
import { guardComposition } from '#platform/ui/forms/composing.ts';
import { HeadTitleProvider, SiteNameProvider } from '#platform/ui/surfaces/page.tsx';
import { FirstThemeProvider, type Theme } from '#platform/ui/surfaces/theme.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { themeOf } from '#product/accounts/web/preferences.ts';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import { FaultPage } from './errors/fault-page.tsx';
import { useHead } from './head.tsx';
import { useFrame } from './page-state.ts';
import { useSite } from './site.ts';

/** Watches the page once it has loaded. */
const PageWatch = lazy(async () => ({ default: (await import('./watch/page-watch.tsx')).PageWatch }));
/** It was loaded along with the page watch, since a crash may be caused by the network. */
const CrashPage = lazy(async () => ({ default: (await import('./watch/page-watch.tsx')).CrashPage }));

/** A crash in a few words: until the crash page has loaded, and where it does not load. */
function PlainCrash({ text }: { readonly text?: string }) {
  const { t } = useTranslation('screens');
  return (
    <main>
      <FaultPage
        code={null}
        message={t('oops')}
        text={
          <>
            <p className="font-medium">{t('crash.title')}</p>
            {text === undefined ? null : <p className="text-muted">{text}</p>}
          </>
        }
      >
        <Button tone="primary" onClick={() => window.location.reload()}>{t('crash.reload')}</Button>
      </FaultPage>
    </main>
  );
}

function Crash({ error }: { readonly error: unknown }) {
  const { t } = useTranslation('screens');
  return (
    <CrashBoundary fallback={() => <PlainCrash text={t('crash.unreported')} />}>
      <Suspense fallback={<PlainCrash />}>
        <CrashPage error={error} />
      </Suspense>
    </CrashBoundary>
  );
}

/** A member's setting, or a guest's choice in this browser, else dark; a site may be always dark. */
export function useFirstTheme(): Theme {
  const { theme } = useFrame();
  const site = useSite();
  const me = useMe();
  if (site?.custom.force_dark_mode) return 'dark';
  return me ? themeOf(me.settings) : theme ?? 'dark';
}

function Thrown({ error, children }: { readonly error: Error | null; readonly children: ReactNode }) {
  if (error !== null) throw error;
  return children;
}

/** Providers for the whole body of a document; it also shows what replaces the body after a crash. */
export function BodyProviders({ children }: { children: ReactNode }) {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => setIsThere(true), []);
  // Not with the page watch, whose code may come late or never: fields are there now.
  useEffect(() => guardComposition(), []);
  const { t } = useTranslation('screens');
  const site = useSite();
  const name = site?.display_name;
  const [theme, isFixed] = [useFirstTheme(), site?.custom.force_dark_mode ?? false];
  const first = useMemo(() => ({ theme, isFixed }), [theme, isFixed]);
  const { tags, error } = useHead();
  return (
    <FirstThemeProvider value={first}>
      <SiteNameProvider value={name ? t('siteTitle', { site: name }) : ''}>
        <HeadTitleProvider value={tags?.title ?? null}>
          <CrashBoundary fallback={(error) => <Crash error={error} />}>
            <Thrown error={error}>{children}</Thrown>
          </CrashBoundary>
          <CrashBoundary fallback={() => null}>
            {isThere
              ? (
                <Suspense>
                  <PageWatch />
                </Suspense>
              )
              : null}
          </CrashBoundary>
        </HeadTitleProvider>
      </SiteNameProvider>
    </FirstThemeProvider>
  );
}
