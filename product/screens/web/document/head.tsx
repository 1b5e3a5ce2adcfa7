import { useCache } from '#platform/ui/calls/calls.ts';
import type { HeadTags } from '#platform/ui/calls/head.ts';
import type { RouteHandle } from '#platform/ui/calls/route.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { SiteView } from '#product/site/contract.ts';
import { LOCALES, type Locale } from '#product/site/rules.ts';
import { useLocation, useMatches, useRouteError } from 'react-router';
import { linkLanguage, namesLanguage } from './link-language.ts';
import { useSite } from './site.ts';

/** Open Graph writes a language with a country. */
const OG_LOCALES: Readonly<Record<Locale, string>> = {
  en: 'en_US',
  de: 'de_DE',
  es: 'es_ES',
  fr: 'fr_FR',
  it: 'it_IT',
  nl: 'nl_NL',
};
/** Size of every share image. */
const IMAGE = { width: '1200', height: '630' } as const;
/** Query parameters with which an address still names the same page as in the sitemap. */
const OWN_QUERY: readonly string[] = ['lang', 'p'];

const addressOn = (site: SiteView | undefined, path: string): string =>
  `${site?.main_domain_url.replace(/\/$/u, '') ?? ''}${path}`;

/** What a route says about its page, or the error it throws for unexpected data. */
interface Head {
  readonly tags: HeadTags | null;
  readonly error: Error | null;
}
const NO_HEAD: Head = { tags: null, error: null };

/** What the page's own route says about it; nothing for most pages, and for one that failed. */
export function useHead(): Head {
  const match = useMatches().at(-1);
  const { pathname, search } = useLocation();
  const cache = useCache();
  const site = useSite();
  const { i18n: language } = useTranslation();
  const failed = Boolean(useRouteError());
  const handle = match?.handle as RouteHandle | undefined;
  if (failed || !match || !handle?.head || !site) return NO_HEAD;
  try {
    return {
      tags: handle.head({
        cache,
        params: match.params,
        pathname,
        query: new URLSearchParams(search),
        language,
        siteName: site.display_name,
        address: (path) => addressOn(site, path),
      }),
      error: null,
    };
  } catch (error) {
    // The head is outside of the error boundary: the body throws the error, where it is shown and reported.
    return { tags: null, error: error instanceof Error ? error : new Error('the head failed') };
  }
}

const withQuery = (path: string, query: Readonly<Record<string, string | null>>): string => {
  const given = Object.entries(query).flatMap((
    [name, value],
  ) => (value === null ? [] : [[name, value] as [string, string]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
};

/**
 * What search engines and other sites read of a page: its canonical address, its languages, and its subject.
 * Each language has the same path with `lang`; page 2 of a listing is canonical for itself.
 */
export function DocumentHead() {
  const { pathname, search } = useLocation();
  const { i18n } = useTranslation();
  const site = useSite();
  const { tags: head } = useHead();
  const failed = Boolean(useRouteError());
  const query = new URLSearchParams(search);
  const page = query.get('p');
  const path = head?.canonical ?? pathname;
  const language = linkLanguage({ pathname, searchParams: query });
  const hasOthers = [...query.keys()].some((name) => !OWN_QUERY.includes(name));
  const isIndexed = !failed && head?.isIndexed !== false && !(head && hasOthers);
  const place = (lang: string | null): string =>
    addressOn(site, withQuery(path, { p: page === '1' ? null : page, lang }));
  return (
    <>
      <link rel="canonical" href={place(language)} />
      {namesLanguage(pathname)
        ? LOCALES.map((locale) => (
          <link
            key={locale}
            rel="alternate"
            hrefLang={locale}
            href={place(locale)}
          />
        ))
        : null}
      <link rel="alternate" hrefLang="x-default" href={place(null)} />
      {isIndexed ? null : <meta name="robots" content="noindex, follow" />}
      {site ? <Cards head={head ?? {}} site={site} url={place(language)} locale={i18n.language} /> : null}
    </>
  );
}

interface CardsProps {
  readonly head: HeadTags;
  readonly site: SiteView;
  readonly url: string;
  readonly locale: string;
}

/** Description, Open Graph, Twitter card and structured data of a page that describes itself. */
function Cards({ head, site, url, locale }: CardsProps) {
  const { description, links = [], structured = [], type = 'website' } = head;
  const title = head.cardTitle ?? head.title ?? site.display_name;
  const { path, alt } = head.image ?? { path: '/share/site.png', alt: site.display_name };
  return (
    <>
      {description ? <meta name="description" content={description} /> : null}
      <meta property="og:type" content={type} />
      <meta property="og:site_name" content={site.display_name} />
      <meta property="og:title" content={title} />
      {description ? <meta property="og:description" content={description} /> : null}
      <meta property="og:url" content={url} />
      <meta property="og:locale" content={OG_LOCALES[locale as Locale] ?? OG_LOCALES.en} />
      <meta property="og:image" content={addressOn(site, path)} />
      <meta property="og:image:width" content={IMAGE.width} />
      <meta property="og:image:height" content={IMAGE.height} />
      <meta property="og:image:alt" content={alt} />
      <meta name="twitter:card" content="summary_large_image" />
      <meta name="twitter:title" content={title} />
      {description ? <meta name="twitter:description" content={description} /> : null}
      <meta name="twitter:image" content={addressOn(site, path)} />
      {links.map((link) => (
        <link key={link.href} rel="alternate" type={link.type} href={link.href} title={link.title} />
      ))}
      {structured.map((item, at) => (
        <script key={at} type="application/ld+json" suppressHydrationWarning>
          {inScript({ '@context': 'https://schema.org/', ...item })}
        </script>
      ))}
    </>
  );
}

/** Escapes `<`, so that it cannot end the script element around it. */
const inScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
