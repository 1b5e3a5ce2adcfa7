import { describe, expect, it } from 'vitest';
import { returnPath } from './me.ts';

describe('returnPath', () => {
  it('leads back to the page that asked for the log-in', () => {
    expect(returnPath('/luna?tab=bio#top')).toBe('/luna?tab=bio#top');
    expect(returnPath(null)).toBe('/');
  });

  it('never leads to another site', () => {
    for (const attack of [
      '//evil.test',
      '/\\evil.test',
      'https://evil.test',
      'javascript:alert(1)',
      '/ /evil',
      '',
      '\\',
    ]) {
      expect(returnPath(attack)).toBe('/');
    }
  });
});
