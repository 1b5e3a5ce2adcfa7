import { hydrate } from '@tanstack/react-query';
import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { RouterContextProvider } from 'react-router';
import { HydratedRouter } from 'react-router/dom';
import { requestOf } from '../../../platform/contract/client.ts';
import { browserClient } from '../../../platform/http/browser.ts';
import { makeCache, queryKeyOf, queryOf } from '../../../platform/ui/calls/calls.ts';
import { pageTools } from '../../../platform/ui/calls/route.ts';
import { createLanguage, ensureTexts } from '../../../platform/ui/text/language.ts';
import { getCurrentUser } from '../../accounts/contract.ts';
import { isAuthenticated } from '../../accounts/rules.ts';
import type { Me } from '../../accounts/web/me.ts';
import { getEntry } from '../../compliance/contract.ts';
import { getSiteConfig } from '../../site/contract.ts';
import { PAGE_STATE_ID, type PageState } from './page-state.ts';
import { Providers } from './providers.tsx';
import { fetchTexts } from './texts.ts';

const state = JSON.parse(document.getElementById(PAGE_STATE_ID)?.textContent ?? '{}') as PageState;
const cache = makeCache();
hydrate(cache, state.queries);
const language = createLanguage(state.locale, state.texts);

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
  texts: (namespaces) => ensureTexts(language, fetchTexts, namespaces),
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
