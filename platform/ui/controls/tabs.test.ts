import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Tabs } from './tabs.tsx';

const tabs = ['held', 'people'].map((key) => ({ key, text: `Tab ${key}`, panel: `Panel ${key}` }));
const opened = (html: string): readonly (string | undefined)[] =>
  [...html.matchAll(/<button[^>]* aria-selected="true"[^>]*>([^<]*)</gu)].map(([, text]) => text);

// A tab opened by an effect would override a click that came before the effect.
it('the first tab is open from the first rendering, or the one that is asked for', () => {
  const first = renderToString(createElement(Tabs, { label: 'Parts', tabs }));
  expect([opened(first), first.includes('Panel held'), first.includes('Panel people')])
    .toEqual([['Tab held'], true, false]);
  const asked = renderToString(createElement(Tabs, { label: 'Parts', tabs, current: 'people' }));
  expect([opened(asked), asked.includes('Panel held'), asked.includes('Panel people')])
    .toEqual([['Tab people'], false, true]);
});
