import type { CallFunction } from '#platform/contract/client.ts';
import { useCall } from '#platform/ui/calls/calls.ts';
import { Language } from '#platform/ui/text/language.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { createElement, type ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import { Markups, MAX_MARKUPS } from './markup.server.tsx';

const english = new Language('en', { ui: { close: 'Close' } });
const german = new Language('de', { ui: { close: 'Schließen' } });
const line = (text: string): ReactElement => createElement('p', null, text);

function Word() {
  return createElement('b', null, useTranslation('ui').t('close'));
}
function Me() {
  return createElement('b', null, useMe()?.user.username);
}
function Caller({ onCall }: { readonly onCall: (call: CallFunction) => void }) {
  onCall(useCall());
  return null;
}

describe('markup that documents share', () => {
  it('is made once for a key and a language, and never given for another', () => {
    const markups = new Markups();
    const [inEnglish, inGerman] = [markups.in(english), markups.in(german)];
    expect(inEnglish('a', line('first'))).toBe('<p>first</p>');
    expect(inEnglish('a', line('second'))).toBe('<p>first</p>');
    expect(inEnglish('b', line('second'))).toBe('<p>second</p>');
    expect(inEnglish('word', createElement(Word))).toBe('<b>Close</b>');
    expect(inGerman('word', createElement(Word))).toBe('<b>Schließen</b>');
  });

  it('has nobody around it: what asks who looks fails, and calls are refused', async () => {
    const markupOf = new Markups().in(english);
    expect(() => markupOf('me', createElement(Me))).toThrow(/QueryClient/u);
    let answer: Promise<unknown> | null = null;
    markupOf(
      'caller',
      createElement(Caller, {
        onCall: (call) => {
          answer = call(getCurrentUser, {});
        },
      }),
    );
    await expect(answer).rejects.toThrow('markup for everybody called accounts.getCurrentUser');
  });

  it('holds a limited number, and lets go of what was used longest ago', () => {
    const markups = new Markups(3);
    const markupOf = markups.in(english);
    for (const key of ['a', 'b', 'c', 'a', 'd']) markupOf(key, line(`first ${key}`));
    expect(markups.size).toBe(3);
    expect(['a', 'd', 'b'].map((key) => markupOf(key, line(`second ${key}`))))
      .toEqual(['<p>first a</p>', '<p>first d</p>', '<p>second b</p>']);
    expect(markups.size).toBe(3);
    expect(MAX_MARKUPS).toBe(4_000);
  });
});
