import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TOASTS, withToast } from './surfaces/toasts.tsx';
import { relativeTime } from './text/amounts.tsx';
import { clockText, sizeText } from './text/measures.ts';

describe('toasts', () => {
  it('are never more than the limit, and the newest is always among them', () => {
    fc.assert(fc.property(fc.array(fc.nat()), (ids) => {
      const toasts = ids.map((id) => ({ id, text: '', tone: 'news' as const }));
      const shown = toasts.reduce<ReturnType<typeof withToast>>(withToast, []);
      expect(shown.length).toBe(Math.min(ids.length, MAX_TOASTS));
      expect(shown.at(-1)?.id).toBe(ids.at(-1));
    }));
  });

  const toast = (id: number, tone: 'news' | 'error', text = String(id)) => ({ id, tone, text });
  const idsOf = (...toasts: readonly ReturnType<typeof toast>[]) =>
    toasts.reduce<ReturnType<typeof withToast>>(withToast, []).map(({ id }) => id);

  it('that are errors stay when news push each other out, and are not repeated [A-221]', () => {
    expect(idsOf(toast(1, 'error'), toast(2, 'news'), toast(3, 'news'), toast(4, 'news'))).toEqual([1, 3, 4]);
    expect(idsOf(toast(1, 'error', 'Lost.'), toast(2, 'news'), toast(3, 'error', 'Lost.'))).toEqual([2, 3]);
    const errors = [1, 2, 3, 4].map((id) => toast(id, 'error'));
    expect(idsOf(...errors)).toEqual([2, 3, 4]);
  });
});

describe('relative time', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const before = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now, 'en');

  it('speaks in the largest unit that fits', () => {
    expect([5, 60, 3 * 3600, 86_400, 14 * 86_400, 400 * 86_400].map(before))
      .toEqual(['now', '1 minute ago', '3 hours ago', 'yesterday', '2 weeks ago', 'last year']);
    expect(before(-7200)).toBe('in 2 hours');
  });
});

describe('measures', () => {
  it('reads like a clock', () => {
    expect([0, 7, 61, 3_599, 3_600, 36_061].map(clockText))
      .toEqual(['0:00', '0:07', '1:01', '59:59', '1:00:00', '10:01:01']);
  });

  it('has the largest unit that fits, as the language writes it', () => {
    expect([0, 999, 1_500, 842_000, 3_200_000, 21_474_836_480].map((bytes) => sizeText(bytes, 'en')))
      .toEqual(['0 byte', '999 byte', '1.5 kB', '842 kB', '3.2 MB', '21 GB']);
    expect(sizeText(1_500_000, 'de')).toBe('1,5 MB');
  });
});
