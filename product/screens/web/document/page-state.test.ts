import { makeCache } from '#platform/ui/calls/calls.ts';
import { Language } from '#platform/ui/text/language.ts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openState } from './page-context.ts';
import { inScript, stateOf, type PageState } from './page-state.ts';

it('a document says below which path its page makes calls', () => {
  const language = new Language('en', { ui: { close: '</script>' } });
  const text = stateOf(makeCache(), {
    language,
    namespaces: ['ui'],
    theme: null,
    time: 0,
    apiBase: '/backend/v9',
    written: inScript,
  });
  const state = JSON.parse(text) as PageState;
  expect(state).toMatchObject({
    apiBase: '/backend/v9',
    locale: 'en',
    texts: { ui: { close: '</script>' } },
  });
  expect(text).not.toContain('<');
});

afterEach(() => void vi.restoreAllMocks());

describe.each([['an hour ahead', 3_600_000], ['right', 0], ['an hour behind', -3_600_000]])(
  'a browser whose clock is %s',
  (_how, aheadMs) => {
    it('what a document brings is as old as it is on the server, and ages with the page', () => {
      const device = { running: 1_000 };
      const server = Date.parse('2026-01-15T12:00:00.000Z');
      vi.spyOn(performance, 'now').mockImplementation(() => device.running);
      vi.spyOn(Date, 'now').mockImplementation(() => server + aheadMs + device.running - 1_000);
      const { cache } = openState({
        locale: 'en',
        theme: null,
        texts: {},
        apiBase: '/api/v1',
        time: server,
        answers: [
          { key: ['old'], data: 1, at: server - 11_000 },
          { key: ['new'], data: 2, at: server - 1_000 },
        ],
      });
      const areStale = () =>
        ['old', 'new'].map((name) => cache.getQueryCache().find({ queryKey: [name] })?.isStaleByTime(10_000));
      expect(areStale()).toEqual([true, false]);
      device.running += 9_000;
      expect(areStale()).toEqual([true, true]);
    });
  },
);
