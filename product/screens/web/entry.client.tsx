import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { RouterContextProvider } from 'react-router';
import { HydratedRouter } from 'react-router/dom';
import { requestOf } from '../../../platform/contract/client/client.ts';
import { browserClient } from '../../../platform/http/browser.ts';
import { makeCache, queryKeyOf, queryOf, restore } from '../../../platform/ui/calls/calls.ts';
import { pageTools } from '../../../platform/ui/calls/route.ts';
import { Language, type TextSource } from '../../../platform/ui/text/language.ts';
import { getCurrentUser } from '../../accounts/client.ts';
import { isAuthenticated } from '../../accounts/rules.ts';
import type { Me } from '../../accounts/web/me.ts';
import { getEntry } from '../../compliance/client.ts';
import { getSiteConfig } from '../../site/client.ts';
import { PAGE_STATE_ID, type PageState } from './document/page-state.ts';
import { Providers } from './providers.tsx';

/** The table of text files is long and a first visit needs none of it: its document carries its texts. */
const fetchTexts: TextSource = async (namespace, locale) =>
  (await import('./document/texts.ts')).fetchTexts(namespace, locale);

const state = JSON.parse(document.getElementById(PAGE_STATE_ID)?.textContent ?? '{}') as PageState;
const cache = makeCache();
restore(cache, state.answers);
const language = new Language(state.locale, state.texts);

/** Starts the guest session when there is none and answers the token every call carries. */
const fetchCsrf = async (): Promise<string> => {
  const response = await fetch(requestOf(getSiteConfig, {}).path, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`site_config answered ${response.status}`);
  return ((await response.json()) as { csrf: string }).csrf;
};
const { call } = browserClient(fetchCsrf);

const context = new RouterContextProvider();
context.set(pageTools, {
  call,
  cache,
  texts: (namespaces) => language.ensure(namespaces, fetchTexts),
  admitted: async () => (await cache.ensureQueryData(queryOf(call, getEntry, {}))).gate === 'open',
  signedIn: () => isAuthenticated(cache.getQueryData<Me | null>(queryKeyOf(getCurrentUser, {}))?.user),
  signInPath: (next) => `/login?next=${encodeURIComponent(next)}`,
  report: () => null,
});

startTransition(() => {
  hydrateRoot(
    document,
    <Providers frame={{ nonce: undefined, theme: state.theme, state: () => '' }} cache={cache} call={call}
      language={language} source={fetchTexts}>
      <HydratedRouter getContext={() => context} />
    </Providers>,
  );
});
