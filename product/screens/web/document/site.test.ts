import { DEFAULT_COLOURS } from '#product/site/rules.ts';
import { describe, expect, it } from 'vitest';
import { coloursOf } from './site.ts';

describe('coloursOf', () => {
  it('says nothing for the colours of the design', () => {
    expect(coloursOf(DEFAULT_COLOURS)).toBe('');
  });

  it('overrides what differs', () => {
    expect(coloursOf({ ...DEFAULT_COLOURS, pink_dark: '#123456' })).toBe(':root{--brand-pink-dark:#123456}');
  });

  it('leaves out what is no plain colour, so that a setting cannot smuggle in CSS', () => {
    for (const attack of [
      'red;}body{display:none',
      'url(//evil)',
      '#12345',
      '#1234567',
      '</style><script>',
    ]) {
      expect(coloursOf({ ...DEFAULT_COLOURS, blue: attack })).toBe('');
    }
  });
});
