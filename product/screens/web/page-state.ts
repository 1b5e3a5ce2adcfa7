import { dehydrate, type DehydratedState, type QueryClient } from '@tanstack/react-query';
import type { i18n } from 'i18next';
import { createContext, useContext } from 'react';
import type { Theme } from '../../../platform/ui/surfaces/theme.ts';
import type { Texts } from '../../../platform/ui/text/language.ts';
import { getCurrentUser } from '../../accounts/contract.ts';
import { getSiteConfig } from '../../site/contract.ts';


/** What the server hands to the browser beside the markup: the cache and the texts the page was rendered with. */
export interface PageState {
  readonly locale: string;
  readonly theme: Theme | null;
  readonly queries: DehydratedState;
  readonly texts: Readonly<Record<string, Texts>>;
}

/** Namespaces of the shell's own texts, there on every page. */
export const SHELL_TEXTS = ['ui', 'screens'] as const;

export const PAGE_STATE_ID = 'page-state';

/** How a document is rendered: on the server with its nonce and state, in the browser with neither. */
export interface DocumentFrame {
  readonly nonce: string | undefined;
  /** The person's choice of look; null leaves it to the site. */
  readonly theme: Theme | null;
  /** JSON of the {@link PageState}, safe inside a script element; empty in the browser. */
  readonly state: () => string;
}

const FrameContext = createContext<DocumentFrame>({ nonce: undefined, theme: null, state: () => '' });
export const FrameProvider = FrameContext.Provider;
export const useFrame = (): DocumentFrame => useContext(FrameContext);

/** Secrets of single use that an answer carries: a document never repeats them, the page asks for its own. */
const SECRETS: Readonly<Record<string, string>> = {
  [getSiteConfig.name]: 'csrf',
  [getCurrentUser.name]: 'node_token',
};

function withoutSecret(query: DehydratedState['queries'][number]): DehydratedState['queries'][number] {
  const secret = SECRETS[String(query.queryKey[0])];
  const { data } = query.state;
  if (!secret || typeof data !== 'object' || data === null) return query;
  return { ...query, state: { ...query.state, data: { ...data, [secret]: '' } } };
}

/** Serialises what was read while rendering. `<` cannot end the script element it stands in. */
export function stateOf(cache: QueryClient, language: i18n, namespaces: Iterable<string>, theme: Theme | null): string {
  const { language: locale } = language;
  const texts = Object.fromEntries(
    [...namespaces].map((namespace) => [namespace, (language.getResourceBundle(locale, namespace) ?? {}) as Texts]),
  );
  const { queries, mutations } = dehydrate(cache);
  const state: PageState = { locale, theme, queries: { mutations, queries: queries.map(withoutSecret) }, texts };
  return JSON.stringify(state).replaceAll('<', '\\u003c');
}
