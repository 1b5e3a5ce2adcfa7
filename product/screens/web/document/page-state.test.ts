import { expect, it } from 'vitest';
import { makeCache } from '../../../../platform/ui/calls/calls.ts';
import { Language } from '../../../../platform/ui/text/language.ts';
import { inScript, stateOf, type PageState } from './page-state.ts';

it('a document says below which path its page makes calls', () => {
  const language = new Language('en', { ui: { close: '</script>' } });
  const text = stateOf(makeCache(), {
    language, namespaces: ['ui'], theme: null, time: 0, apiBase: '/backend/v9', written: inScript,
  });
  const state = JSON.parse(text) as PageState;
  expect(state).toMatchObject({
    apiBase: '/backend/v9', locale: 'en', texts: { ui: { close: '</script>' } },
  });
  expect(text).not.toContain('<');
});
