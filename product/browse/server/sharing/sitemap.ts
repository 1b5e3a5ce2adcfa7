import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { inXml } from '#platform/text/shown/xml.ts';
import type { SiteView } from '#product/site/contract.ts';
import { LOCALES } from '#product/site/rules.ts';
import { getRobots, getSitemap, getSitemapPart, sitemapPartUnknown } from '../../contract/sharing.ts';
import { matcherOf } from '../../rules/listing/filters.ts';
import { filterFor, hiddenGenders, listingOf } from '../../rules/listing/listings.ts';
import { MAX_SITEMAP_PARTS, PUBLIC_LISTINGS, SITEMAP_PART } from '../../rules/sharing.ts';
import type { Browsing } from '../dependencies.ts';
import type { Directory, Sees } from '../directory/directory.ts';
import { addressOf, cachedFor, publicSees } from './public.ts';

/** Crawlers come a few times a day. */
const SITEMAP_SECONDS = 3_600;

/** Addresses that are useless to search engines, or that only one person can open. */
const CLOSED = [
  '/account/',
  '/admin/',
  '/api/',
  '/callbacks/',
  '/confirm-email',
  '/enter.php',
  '/followed',
  '/for-you',
  '/go-live',
  '/hls/',
  '/join',
  '/overlay/',
  '/restore-email',
  '/verify',
  '/view-history',
  '/whep',
  '/whip',
  '/ws/',
];

export function sitemapHandlers(browsing: Browsing): CallHandler[] {
  const { site, compliance, data, directoryOf } = browsing;
  const sees = publicSees(compliance);
  return [
    handleCall(getRobots)(async (_input, { scope, origin }) => {
      const view = await site.viewOf(scope, origin);
      const lines = [
        'User-agent: *',
        ...CLOSED.map((path) => `Disallow: ${path}`),
        '',
        `Sitemap: ${addressOf(view, '/sitemap.xml')}`,
        '',
      ];
      return { status: 200, headers: cachedFor(SITEMAP_SECONDS), body: lines.join('\n') };
    }),
    handleCall(getSitemap)(async (_input, { scope, origin }) => {
      const view = await site.viewOf(scope, origin);
      const count = publicIds(await directoryOf(scope.operatorId), sees).length;
      const parts = Math.min(Math.ceil(count / SITEMAP_PART), MAX_SITEMAP_PARTS);
      const names = ['listings.xml', ...Array.from({ length: parts }, (_, at) => `performers-${at + 1}.xml`)];
      const body = document(
        'sitemapindex',
        names.map((name) => `<sitemap><loc>${inXml(addressOf(view, `/sitemap/${name}`))}</loc></sitemap>`),
      );
      return { status: 200, headers: cachedFor(SITEMAP_SECONDS), body };
    }),
    handleCall(getSitemapPart)(async ({ part }, { scope, origin, refuse }) => {
      const view = await site.viewOf(scope, origin);
      const directory = await directoryOf(scope.operatorId);
      const paths = part === 'listings.xml'
        ? filledListings(directory, sees, data.clock.now().getTime())
        : performersOf(part, directory, sees);
      if (paths === null) return refuse(sitemapPartUnknown);
      const body = document('urlset', paths.map((path) => urlOf(view, path, part === 'listings.xml')));
      return { status: 200, headers: cachedFor(SITEMAP_SECONDS), body };
    }),
  ];
}

/** Ids of everybody who may be shown everywhere, in a stable order. */
function publicIds(directory: Directory, sees: Sees): number[] {
  const ids: number[] = [];
  for (const entry of directory.all()) if (sees(entry)) ids.push(entry.id);
  return ids.sort((a, b) => a - b);
}

function performersOf(part: string, directory: Directory, sees: Sees): readonly string[] | null {
  const number = Number(/^performers-([1-9]\d{0,3})\.xml$/u.exec(part)?.[1]);
  if (!Number.isInteger(number) || number > MAX_SITEMAP_PARTS) return null;
  const ids = publicIds(directory, sees).slice((number - 1) * SITEMAP_PART, number * SITEMAP_PART);
  if (ids.length === 0) return null;
  return ids.flatMap((id) => directory.get(id) ?? [])
    .map(({ username }) => `/${encodeURIComponent(username)}`);
}

/** Listings with performers now: empty pages should not be indexed. The home page is always included. */
function filledListings(directory: Directory, sees: Sees, now: number): readonly string[] {
  let open = PUBLIC_LISTINGS.flatMap((path) => {
    const listing = listingOf(path);
    return listing ? [{ path, matches: matcherOf(filterFor(listing, hiddenGenders(path)), now) }] : [];
  });
  const filled = new Set(['/']);
  for (const entry of directory.online()) {
    if (open.length === 0) break;
    if (!sees(entry)) continue;
    open = open.filter(({ path, matches }) => {
      if (!matches(entry)) return true;
      filled.add(path);
      return false;
    });
  }
  return PUBLIC_LISTINGS.filter((path) => filled.has(path));
}

/** One address; listings name the languages they exist in. */
function urlOf(view: SiteView, path: string, inLanguages: boolean): string {
  const loc = inXml(addressOf(view, path));
  const links = inLanguages
    ? LOCALES.map((locale) =>
      `<xhtml:link rel="alternate" hreflang="${locale}" href="${loc}?lang=${locale}"/>`
    )
    : [];
  return `<url><loc>${loc}</loc>${links.join('')}</url>`;
}

function document(root: 'sitemapindex' | 'urlset', lines: readonly string[]): string {
  const schema = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
  const links = root === 'urlset' ? ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' : '';
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${schema}${links}>`;
  return [head, ...lines, `</${root}>`, ''].join('\n');
}
