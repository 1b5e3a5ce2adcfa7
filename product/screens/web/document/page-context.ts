import { requestOf, SERVER_TIME, type CallFunction } from '#platform/contract/client.ts';
import { browserClient } from '#platform/http/browser.ts';
import { makeCache, queryKeyOf, queryOf, restore } from '#platform/ui/calls/calls.ts';
import { pageTools } from '#platform/ui/calls/route.ts';
import { Language, type TextSource } from '#platform/ui/text/language.ts';
import { ServerClock } from '#platform/ui/time/server-clock.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { isAuthenticated } from '#product/accounts/rules.ts';
import type { Me } from '#product/accounts/web/me.ts';
import { getEntry } from '#product/compliance/client.ts';
import { getSiteConfig } from '#product/site/client.ts';
import type { QueryClient } from '@tanstack/react-query';
import { RouterContextProvider } from 'react-router';
import type { PageState } from './page-state.ts';

/** Starts the guest session when there is none and returns the token every call carries. */
const fetchCsrf = async (base: string, clock: ServerClock): Promise<string> => {
  const measured = clock.begin();
  const response = await fetch(requestOf(getSiteConfig, {}, base).path, { credentials: 'same-origin' });
  measured(response.headers.get(SERVER_TIME));
  if (!response.ok) throw new Error(`site_config answered ${response.status}`);
  return ((await response.json()) as { csrf: string }).csrf;
};

/**
 * Whether this is a phone, by the same signs that its requests carry. A page and its documents must agree, or
 * a page that is opened again misses the data its document carried.
 */
const isPhone = (): boolean => {
  const { userAgent, userAgentData } = navigator as Navigator & {
    readonly userAgentData?: { readonly mobile: boolean };
  };
  return userAgentData?.mobile ?? /\bMobi/u.test(userAgent);
};

/** A cookie, with or without the prefix it has over TLS. */
const cookieOf = (name: string): string | null =>
  new RegExp(`(?:^|; )(?:__Host-)?${name}=([^;]*)`, 'u').exec(document.cookie)?.[1] ?? null;

/**
 * The typed calls of a page in a browser.
 * @param base the path below which the site answers calls
 * @param clock measures the server's time with every answer
 */
export function pageCalls(base: string, language: Language, clock: ServerClock): CallFunction {
  const { call, forgetCsrf } = browserClient(
    () => fetchCsrf(base, clock),
    base,
    () => language.language,
    clock.begin,
  );
  return async (constant, input, options) => {
    const answer = await call(constant, input, options);
    // It may have started or ended a session; the next call needs the token of the new one.
    if (constant.method === 'POST' && constant.path.startsWith('/auth/')) forgetCsrf();
    return answer;
  };
}

/** What the parts of a page share, as its document left it. */
export interface OpenedPage {
  readonly cache: QueryClient;
  readonly clock: ServerClock;
  readonly language: Language;
  readonly call: CallFunction;
}

/** Continues in a browser from what the document carries: its data is as old as the server says. */
export function openState(state: PageState): OpenedPage {
  const [cache, clock] = [makeCache(), new ServerClock(state.time)];
  restore(cache, state.answers, clock.storedAt);
  const language = new Language(state.locale, state.texts);
  return { cache, clock, language, call: pageCalls(state.apiBase, language, clock) };
}

/** The router context of a page in a browser, for its loaders. */
export function pageContext(
  { call, cache, clock, language, source }: OpenedPage & { readonly source: TextSource },
): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(pageTools, {
    call,
    cache,
    clock,
    texts: (namespaces) => language.ensure(namespaces, source),
    admitted: async () => (await cache.ensureQueryData(queryOf(call, getEntry, {}))).gate === 'open',
    signedIn: () => isAuthenticated(cache.getQueryData<Me | null>(queryKeyOf(getCurrentUser, {}))?.user),
    signInPath: (next) => `/login?next=${encodeURIComponent(next)}`,
    cookie: cookieOf,
    isSmall: isPhone,
    report: () => null,
  });
  return context;
}
