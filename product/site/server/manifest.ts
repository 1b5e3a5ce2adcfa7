import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Scope } from '#platform/contract/context.ts';
import type { SiteView } from '../contract.ts';
import { getManifest } from '../contract/manifest.ts';
import { BY_LANGUAGE } from '../rules.ts';

/** From the dark theme (docs/look.md): shown before the page is. */
const PAGE_COLOUR = '#0E0B12';

const TYPES: Readonly<Record<string, string>> = {
  ico: 'image/x-icon',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

/** The site's own icon, or the default one. */
function iconOf({ custom: { favicon_url: own } }: SiteView) {
  const src = own ?? '/favicon.svg';
  const type = TYPES[/\.(\w+)(?:\?|$)/u.exec(src)?.[1] ?? ''];
  return { src, sizes: 'any', purpose: 'any', ...(type === undefined ? {} : { type }) };
}

/** The site as an installable app. */
export const manifestHandler = (viewOf: (scope: Scope) => Promise<SiteView>): CallHandler =>
  handleCall(getManifest)(async (_input, { scope, locale }) => {
    const view = await viewOf(scope);
    const body = JSON.stringify({
      id: '/',
      start_url: '/',
      scope: '/',
      display: 'standalone',
      lang: locale,
      name: view.display_name,
      short_name: view.display_name,
      background_color: PAGE_COLOUR,
      theme_color: PAGE_COLOUR,
      icons: [iconOf(view)],
    });
    return { status: 200, headers: { 'cache-control': 'public, max-age=3600', ...BY_LANGUAGE }, body };
  });
