import { startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { HydratedRouter } from 'react-router/dom';
import { makeCache, restore } from '../../../platform/ui/calls/calls.ts';
import { Language, type TextSource } from '../../../platform/ui/text/language.ts';
import { pageCalls, pageContext } from './document/page-context.ts';
import { PAGE_STATE_ID, type PageState } from './document/page-state.ts';
import { Providers } from './providers.tsx';
import { ServerClock } from '../../../platform/ui/time/server-clock.ts';

/** The table of text files is long and a first visit needs none of it: its document carries its texts. */
const fetchTexts: TextSource = async (namespace, locale) =>
  (await import('./document/texts/texts.ts')).fetchTexts(namespace, locale);

const state = JSON.parse(document.getElementById(PAGE_STATE_ID)?.textContent ?? '{}') as PageState;
const clock = new ServerClock(state.time);
const cache = makeCache();
restore(cache, state.answers, clock.storedAt);
const language = new Language(state.locale, state.texts);
const call = pageCalls(state.apiBase, language, clock);
const context = pageContext({ call, cache, clock, language, source: fetchTexts });

startTransition(() => {
  hydrateRoot(
    document,
    <Providers frame={{ nonce: undefined, theme: state.theme, script: '', state: () => '' }} cache={cache}
      clock={clock} call={call} apiBase={state.apiBase} language={language} source={fetchTexts}>
      <HydratedRouter getContext={() => context} />
    </Providers>,
  );
});
