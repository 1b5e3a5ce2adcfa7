import { describe, expect, it } from 'vitest';
import { Language } from './language.ts';

const english = {
  rooms: {
    plain: 'Hello',
    deep: { text: 'Hi {{name}}' },
    new_one: '{{count}} new',
    new_other: '{{count}} more',
  },
  tips: { sent: 'Sent' },
};
const source = async (namespace: string, locale: string) => ({
  plain: `${namespace} in ${locale}`,
  new_other: '{{count}} in allen',
});

describe('Language', () => {
  const t = new Language('en', english).translator('rooms');

  it('finds nested keys and other namespaces, and shows a key nobody has', () => {
    expect([t('plain'), t('tips:sent'), t('deep.none'), t('none:x')]).toEqual(
      ['Hello', 'Sent', 'deep.none', 'none:x'],
    );
  });

  it('fills values and leaves a place without a value visible', () => {
    expect(t('deep.text', { name: '{{name}} <b>' })).toBe('Hi {{name}} <b>');
    expect(t('deep.text')).toBe('Hi {{name}}');
  });

  it('chooses the plural form of the language, else the form that serves all', () => {
    expect([t('new', { count: 1 }), t('new', { count: 0 })]).toEqual(['1 new', '0 more']);
  });

  it('fetches every known namespace before it speaks another language, and says so once', async () => {
    const language = new Language('en', english);
    const spoken: string[] = [];
    language.watch(() => spoken.push(language.translator('tips')('plain')));
    await language.change('de', source);
    expect(spoken).toEqual(['tips in de']);
    expect(language.translator('rooms')('new', { count: 1 })).toBe('1 in allen');
  });

  it('fetches a namespace once', async () => {
    const language = new Language('en', english);
    const asked: string[] = [];
    const counting = async (namespace: string) => ({ asked: String(asked.push(namespace)) });
    await language.ensure(['rooms', 'new'], counting);
    await language.ensure(['new'], counting);
    expect(asked).toEqual(['new']);
  });
});
