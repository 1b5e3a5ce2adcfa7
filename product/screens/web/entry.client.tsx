import type { TextSource } from '#platform/ui/text/language.ts';
import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';
import { openState, pageContext } from './document/page-context.ts';
import { PAGE_STATE_ID, type PageState } from './document/page-state.ts';
import { Providers } from './providers.tsx';

/** The table of text files is long, and a first visit does not need it: its document carries its texts. */
const fetchTexts: TextSource = async (namespace, locale) =>
  (await import('./document/texts.ts')).fetchTexts(namespace, locale);

const state = JSON.parse(document.getElementById(PAGE_STATE_ID)?.textContent ?? '{}') as PageState;
const opened = openState(state);
const context = pageContext({ ...opened, source: fetchTexts });

startTransition(() => {
  hydrateRoot(
    document,
    <Providers
      frame={{ nonce: undefined, theme: state.theme, script: '', state: () => '' }}
      {...opened}
      apiBase={state.apiBase}
      source={fetchTexts}
    >
      <HydratedRouter getContext={() => context} />
    </Providers>,
  );
});
