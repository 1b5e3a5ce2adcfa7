import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import { CrashBoundary } from '../../../../platform/ui/faults/crash-boundary.tsx';
import { HeadTitleProvider, SiteNameProvider } from '../../../../platform/ui/surfaces/page.tsx';
import { FirstThemeProvider, type Theme } from '../../../../platform/ui/surfaces/theme.ts';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { themeOf } from '../../../accounts/web/preferences.ts';
import { useHead } from './head.tsx';
import { useFrame } from './page-state.ts';
import { useSite } from './site.ts';

/** Few ever see it. */
const CrashPage = lazy(async () => ({ default: (await import('./errors/crash-page.tsx')).CrashPage }));
/** Watches the page once it is there. */
const PageWatch = lazy(async () => ({ default: (await import('./watch/page-watch.tsx')).PageWatch }));

/** A member's setting, or a guest's choice in this browser, else dark; a site may allow dark alone. */
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

/** What the whole body of a document can ask for; what stands in its place when it crashes. */
export function BodyProviders({ children }: { children: ReactNode }) {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => setIsThere(true), []);
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
          <CrashBoundary fallback={(error) => <Suspense><CrashPage error={error} /></Suspense>}>
            <Thrown error={error}>{children}</Thrown>
          </CrashBoundary>
          <CrashBoundary fallback={() => null}>
            {isThere ? <Suspense><PageWatch /></Suspense> : null}
          </CrashBoundary>
        </HeadTitleProvider>
      </SiteNameProvider>
    </FirstThemeProvider>
  );
}
