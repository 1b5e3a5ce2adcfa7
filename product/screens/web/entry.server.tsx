import type { OutputOf } from '#platform/contract/call.ts';
import type { CallFunction } from '#platform/contract/client.ts';
import { MARK_HEADER, POLICY_HEADER } from '#platform/contract/document-policy.ts';
import { makeCache, queryKeyOf, queryOf } from '#platform/ui/calls/calls.ts';
import { pageTools, type RouteHandle } from '#platform/ui/calls/route.ts';
import { KEEP_EARLY_PRESS } from '#platform/ui/controls/early-press.ts';
import { KEEP_INSTALL_OFFER } from '#platform/ui/early/install.ts';
import { QUICK_EXIT } from '#platform/ui/early/leaving.ts';
import { KEEP_FAILED_STYLES } from '#platform/ui/faults/styles.ts';
import type { Theme } from '#platform/ui/surfaces/theme.ts';
import { Language } from '#platform/ui/text/language.ts';
import { ServerClock } from '#platform/ui/time/server-clock.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { isLayout, LAYOUT_COOKIE } from '#product/browse/rules/home.ts';
import { sectionOfGender } from '#product/browse/rules/listing/listings.ts';
import { GENDER_COOKIE, gendersIn, HIDE_COOKIE, LISTING_QUERY } from '#product/browse/web/listing/choices.ts';
import { SEARCH_QUERY } from '#product/browse/web/search/query.ts';
import { getEntry } from '#product/compliance/client.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { DEFAULT_LOCALE, isLocale, LOCALES, THEME_COOKIE } from '#product/site/rules.ts';
import { BANNER_COOKIE } from '#product/site/rules/banner.ts';
import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { createContext, RouterContextProvider, ServerRouter, type EntryContext } from 'react-router';
import { Markups } from './document/markup.server.tsx';
import { SHELL_TEXTS, stateOf } from './document/page-state.ts';
import { allTexts, WrittenTexts } from './document/texts.server.ts';
import { Providers } from './providers.tsx';

export { createRequestHandler } from 'react-router';

/** One request as `platform/http/pages/ssr.ts` passes it. */
interface PageRequest {
  readonly url: URL;
  readonly locale: string;
  readonly personal: boolean;
  readonly call: CallFunction;
  /** The time of the site, in ms since 1970. */
  readonly time: number;
  readonly apiBase: string;
  readonly cookie: (name: string) => string | null;
  readonly isPhone: boolean;
  readonly nonce: string;
  readonly report: (error: unknown) => string;
}

/** What rendering one document needs besides the router's own context. */
interface Rendering {
  readonly call: CallFunction;
  readonly apiBase: string;
  readonly cache: QueryClient;
  readonly clock: ServerClock;
  readonly language: Language;
  readonly namespaces: Set<string>;
  readonly theme: Theme | null;
  readonly nonce: string;
  readonly report: (error: unknown) => string;
  /** Id of the banner that this reader closed. */
  readonly closedBanner: string | null;
}
const rendering = createContext<Rendering>();
/** Carries the document's text beside its response: as a body it would be converted to bytes and copied. */
const documentText = createContext<string | null>(null);
export const textOf = (context: RouterContextProvider): string | null => context.get(documentText);

/**
 * `lang` chooses the language of a link, `next` is where log-in leads; the others are the section, page and
 * filters of a listing, and those of a search.
 */
export const queryNames = [...new Set(['lang', 'next', ...LISTING_QUERY, ...SEARCH_QUERY])];

export { linkLanguage } from './document/link-language.ts';

/** One instance per language for every request: texts never change while the server runs. */
const languages = new Map(LOCALES.map((locale) => [locale, new Language(locale, allTexts[locale] ?? {})]));

/** Markup that many documents share, whoever reads them. */
const markups = new Markups();
const written = new WrittenTexts();

const themeOf = (page: Pick<PageRequest, 'cookie'>): Theme | null => {
  const theme = page.cookie(THEME_COOKIE);
  return theme === 'light' || theme === 'dark' ? theme : null;
};

const layoutOf = (page: Pick<PageRequest, 'cookie'>): string => {
  const layout = page.cookie(LAYOUT_COOKIE);
  return isLayout(layout) ? layout : '';
};

/**
 * Anonymous documents of one address differ by entry gate, theme, chosen and hidden genders, layout of the
 * home page, size, and by whether the banner was closed.
 */
export async function variantOf(
  page: Pick<PageRequest, 'call' | 'cookie' | 'isPhone'>,
): Promise<string> {
  const { gate } = await page.call(getEntry, {});
  // Few readers have the cookie: only for them is the current banner read.
  const closed = page.cookie(BANNER_COOKIE);
  const shown = closed === null ? null : (await page.call(getSiteConfig, {})).banner?.id ?? null;
  // The section of the cookie, not its value: any number of values mean no section.
  const section = sectionOfGender(page.cookie(GENDER_COOKIE));
  const hidden = gendersIn(page.cookie(HIDE_COOKIE));
  return [
    gate,
    themeOf(page) ?? '',
    section,
    hidden,
    layoutOf(page),
    page.isPhone ? 'small' : '',
    shown !== null && String(shown) === closed ? 'closed' : '',
  ].join(' ');
}

/** The router context of one request. */
export function contextOf(page: PageRequest): RouterContextProvider {
  const locale = isLocale(page.locale) ? page.locale : DEFAULT_LOCALE;
  const language = languages.get(locale) as Language;
  const { call, apiBase, nonce, report } = page;
  const cache = makeCache();
  const clock = new ServerClock(page.time);
  const namespaces = new Set<string>(SHELL_TEXTS);
  if (!page.personal) cache.setQueryData(queryKeyOf(getCurrentUser, {}), null);
  const context = new RouterContextProvider();
  context.set(rendering, {
    call,
    apiBase,
    cache,
    clock,
    language,
    namespaces,
    theme: themeOf(page),
    nonce,
    report,
    closedBanner: page.cookie(BANNER_COOKIE),
  });
  context.set(pageTools, {
    call,
    cache,
    clock,
    texts: async (names) => names.forEach((name) => namespaces.add(name)),
    admitted: async () => (await cache.ensureQueryData(queryOf(call, getEntry, {}))).gate === 'open',
    signedIn: () => page.personal,
    signInPath: (next) => `/login?next=${encodeURIComponent(next)}`,
    cookie: page.cookie,
    isSmall: () => page.isPhone,
    report,
  });
  return context;
}

/**
 * Moves the document's scripts behind its visible content: the browser would fetch two dozen of them before
 * the styles, fonts and first images, and a phone's connection has room for one or the other.
 * User text has no such attribute: its quotes are escaped.
 */
function scriptsLast(html: string): string {
  // The scripts are in the head, a small part of a long document.
  const body = html.indexOf('<body');
  const head = html.slice(0, body)
    .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"');
  return head + html.slice(body);
}

/** Renders a document in full: loaders have answered by now, so nothing is left to stream. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  router: EntryContext,
  context: RouterContextProvider,
): Promise<Response> {
  const {
    call,
    cache,
    clock,
    language,
    theme,
    nonce,
    report,
    closedBanner,
    ...rest
  } = context.get(rendering);
  cache.setQueryData<OutputOf<typeof getSiteConfig>>(
    queryKeyOf(getSiteConfig, {}),
    (
      known,
    ) => (known?.banner && String(known.banner.id) === closedBanner ? { ...known, banner: null } : known),
  );
  const frame = {
    nonce,
    theme,
    script: KEEP_FAILED_STYLES + KEEP_EARLY_PRESS + QUICK_EXIT + KEEP_INSTALL_OFFER,
    state: () => stateOf(cache, { language, theme, time: clock.startMs, written: written.of, ...rest }),
  };
  let failed = false;
  const onError = (error: unknown): void => {
    failed = true;
    if (!request.signal.aborted) report(error);
  };
  const html = await renderWhole(
    <Providers
      frame={frame}
      cache={cache}
      clock={clock}
      call={call}
      apiBase={rest.apiBase}
      language={language}
      markupOf={markups.in(language)}
    >
      <ServerRouter context={router} url={request.url} nonce={nonce} />
    </Providers>,
    { nonce, signal: request.signal, onError },
  );
  headers.set('content-type', 'text/html; charset=utf-8');
  const handle = handleOf(router);
  const policy = handle?.policy?.(cache);
  if (policy) headers.set(POLICY_HEADER, JSON.stringify(policy));
  const mark = handle?.mark?.(cache, router.staticHandlerContext.matches.at(-1)?.params ?? {});
  if (mark) headers.set(MARK_HEADER, mark);
  context.set(documentText, scriptsLast(html));
  return new Response(null, { status: failed ? 500 : status, headers });
}

/** A document's text, once everything in it is there. Rejects if nothing of it could be rendered. */
function renderWhole(node: ReactNode, { nonce, signal, onError }: {
  readonly nonce: string;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}): Promise<string> {
  return new Promise((resolve, reject) => {
    let html = '';
    const utf8 = new TextDecoder();
    /** The part of a stream that React uses, never full. Short chunks come as bytes, of whole characters. */
    const sink = {
      write: (part: Uint8Array | string): boolean => {
        html += typeof part === 'string' ? part : utf8.decode(part);
        return true;
      },
      end: () => resolve(html),
      destroy: reject,
      on: () => sink,
    };
    const { pipe, abort } = renderToPipeableStream(node, {
      nonce,
      // Everything is sent in place: no boundary is filled later by a script.
      progressiveChunkSize: Number.MAX_SAFE_INTEGER,
      onError,
      onShellError: reject,
      onAllReady: () => void pipe(sink),
    });
    signal.addEventListener('abort', () => abort(signal.reason), { once: true });
  });
}

/** What the page's own route says about it; nothing for a route that failed. */
function handleOf(
  { staticHandlerContext: { matches, errors }, routeModules }: EntryContext,
): RouteHandle | undefined {
  const id = matches.at(-1)?.route.id;
  return id === undefined || errors ? undefined : routeModules[id]?.handle as RouteHandle | undefined;
}

/** Errors that loaders did not turn into a page of their own. */
export function handleError(error: unknown, { request, context }: {
  request: Request;
  context: RouterContextProvider;
}): void {
  if (!request.signal.aborted) context.get(rendering).report(error);
}
