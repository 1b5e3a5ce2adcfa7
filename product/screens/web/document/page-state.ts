import { snapshotOf, type Snapshot } from '#platform/ui/calls/calls.ts';
import type { Theme } from '#platform/ui/surfaces/theme.ts';
import type { Language, Texts } from '#platform/ui/text/language.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { getSiteConfig } from '#product/site/client.ts';
import type { QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';

/** What the server passes to the browser besides the markup: the cache and the texts of the page. */
export interface PageState {
  readonly locale: string;
  readonly theme: Theme | null;
  readonly answers: readonly Snapshot[];
  /** The server's time when the document was made, in ms since 1970. */
  readonly time: number;
  readonly texts: Readonly<Record<string, Texts>>;
  /** Path under which the page makes its calls. */
  readonly apiBase: string;
}

/** Namespaces of the shell's own texts, which every page has. */
export const SHELL_TEXTS = ['ui', 'screens'] as const;

export const PAGE_STATE_ID = 'page-state';

/** How a document is rendered: on the server with its nonce and state, in the browser with neither. */
export interface DocumentFrame {
  readonly nonce: string | undefined;
  /** The person's choice of theme; null leaves it to the site. */
  readonly theme: Theme | null;
  /** The script that runs before everything else in the document; empty in the browser, where it has run. */
  readonly script: string;
  /** JSON of the {@link PageState}, safe inside a script element; empty in the browser. */
  readonly state: () => string;
}

const FrameContext = createContext<DocumentFrame>({
  nonce: undefined,
  theme: null,
  script: '',
  state: () => '',
});
export const FrameProvider = FrameContext.Provider;
export const useFrame = (): DocumentFrame => useContext(FrameContext);

/** Single-use secrets of an answer: a document never repeats them, and the page fetches its own. */
const SECRETS: Readonly<Record<string, string>> = {
  [getSiteConfig.name]: 'csrf',
  [getCurrentUser.name]: 'node_token',
};

function withoutSecret(answer: Snapshot): Snapshot {
  const secret = SECRETS[String(answer.key[0])];
  const { data } = answer;
  return secret && typeof data === 'object' && data ? { ...answer, data: { ...data, [secret]: '' } } : answer;
}

/**
 * Serializes what was read while rendering. `<` cannot end the script element around it.
 * @param written texts as {@link inScript} writes them
 */
export function stateOf(cache: QueryClient, { language, namespaces, theme, time, apiBase, written }: {
  readonly language: Language;
  readonly namespaces: Iterable<string>;
  readonly theme: Theme | null;
  readonly time: number;
  readonly apiBase: string;
  readonly written: (texts: Texts) => string;
}): string {
  const texts = [...namespaces].map((namespace) =>
    `${JSON.stringify(namespace)}:${written(language.textsOf(namespace) ?? {})}`
  );
  const answers = snapshotOf(cache).map(withoutSecret);
  const state: Omit<PageState, 'texts'> = { locale: language.language, theme, answers, time, apiBase };
  return `${inScript(state).slice(0, -1)},"texts":{${texts.join(',')}}}`;
}

/** JSON in which nothing ends the script element around it. */
export const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
