import { describe, expect, it } from 'vitest';
import { isStorable, storable, unstorablePaths } from './stored-text.ts';

describe('text that a database stores', () => {
  it('has no NUL and no half of a character', () => {
    for (const text of ['', 'Ada', 'a\tb\r\nc', '😂 \u{10FFFF}', '\u0001\u007F\uFFFF']) {
      expect(isStorable(text)).toBe(true);
    }
    for (const text of ['\u0000', 'a\u0000b', '\uD800', 'a\uDC00b', '\uDC00\uD800', '\uD83D']) {
      expect(isStorable(text)).toBe(false);
    }
  });

  it('is looked for in every field and name, and found by its path', () => {
    expect(unstorablePaths({ a: 'x', b: [{ c: '\u0000' }, 'y\uD800'], d: 1, e: null, 'f\u0000': 1 }))
      .toEqual([['b', 0, 'c'], ['b', 1], []]);
    expect(unstorablePaths('\u0000')).toEqual([[]]);
  });

  it('is what remains without them', () => {
    expect(storable({ 'a\u0000': ['x\uD800y', { b: '😂\u0000' }], c: 1, d: null }))
      .toEqual({ a: ['xy', { b: '😂' }], c: 1, d: null });
  });
});
