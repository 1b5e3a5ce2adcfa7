import type { ReactNode } from 'react';
import { HeadTitleProvider, SiteNameProvider } from '../../../../platform/ui/surfaces/page.tsx';
import { FirstThemeProvider, type Theme } from '../../../../platform/ui/surfaces/theme.ts';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { useHead } from './head.tsx';
import { useFrame } from './page-state.ts';
import { useSite } from './site.ts';

/** Choice of this browser, else of the member's settings, else dark; a site may allow dark alone. */
export function useFirstTheme(): Theme {
  const { theme } = useFrame();
  const site = useSite();
  const me = useMe();
  if (site?.custom.force_dark_mode) return 'dark';
  return theme ?? (me && !me.settings.dark_mode_enabled ? 'light' : 'dark');
}

/** What the whole body of a document can ask for. */
export function BodyProviders({ children }: { children: ReactNode }) {
  const { t } = useTranslation('screens');
  const site = useSite()?.display_name;
  return (
    <FirstThemeProvider value={useFirstTheme()}>
      <SiteNameProvider value={site ? t('siteTitle', { site }) : ''}>
        <HeadTitleProvider value={useHead()?.title ?? null}>{children}</HeadTitleProvider>
      </SiteNameProvider>
    </FirstThemeProvider>
  );
}
