import { keyOf, type TextOf } from '#platform/text/message-keys.ts';
import type { Translate } from '#platform/ui/text/language.ts';
import { describe, expect, it } from 'vitest';

describe('the keys of texts', () => {
  const t: Translate<'ui'> = (key) => key;

  it('compile where a text has them, without the plural form, and nowhere else', () => {
    expect([
      t('close'),
      t('tips:refusals.own_tip'),
      t('tips:sent'),
      // @ts-expect-error -- misspelt
      t('clsoe'),
      // @ts-expect-error -- a group of texts is no text
      t('tips:refusals'),
      // @ts-expect-error -- a text of another namespace
      t('refusals.own_tip'),
      // @ts-expect-error -- `count` chooses the plural form
      t('tips:sent_one'),
    ]).toHaveLength(7);
  });

  it('compile on the server with the namespace of a slice', () => {
    const text: TextOf = (_locale, key) => key;
    expect([
      text('en', 'rooms:seo.title'),
      // @ts-expect-error -- misspelt
      text('en', 'rooms:seo.titel'),
      // @ts-expect-error -- without its namespace
      text('en', 'seo.title'),
      // @ts-expect-error -- any text
      text('en', 'rooms:seo.title'.trim()),
    ]).toHaveLength(4);
  });

  it('may end in data, in a group that exists', () => {
    expect(keyOf('billing', 'web.decline', 'NEXPIRED')).toBe('web.decline.NEXPIRED');
    // @ts-expect-error -- no such group
    expect(keyOf('billing', 'web.declien', 'NEXPIRED')).toBe('web.declien.NEXPIRED');
  });
});
