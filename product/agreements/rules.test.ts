import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate, isName, statusAt, unknownPlaceholder } from './rules.ts';

const VALUES = {
  company: 'Lantern Media B.V.',
  address: 'Quay 7',
  site: 'Candela',
  username: 'ada',
  date: 'January 1, 2027',
};

describe('the text of a template', () => {
  it('has values in place of its placeholders, and everything else as it was', () => {
    expect(fillTemplate('{username} and {company}, {address}: {site}, {date}. {Other} {}', VALUES))
      .toBe('ada and Lantern Media B.V., Quay 7: Candela, January 1, 2027. {Other} {}');
  });

  it('is filled once: a value in braces stays as it is', () => {
    expect(fillTemplate('{username} {company}', { ...VALUES, username: '{company}', company: '$&{site}' }))
      .toBe('{company} $&{site}');
  });

  it('names the first placeholder that stands for nothing', () => {
    expect(unknownPlaceholder('{company} {legal_name} {salary}')).toBe('legal_name');
    expect(unknownPlaceholder('{company} { site } {}')).toBeNull();
  });
});

describe('an open document', () => {
  it('expires at its time and not before; every other status stays', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.integer({ min: 1, max: 1e9 }), (at, ms) => {
        const open = { status: 'open', expiresAt: at } as const;
        expect(statusAt(open, at)).toBe('expired');
        expect(statusAt(open, new Date(at.getTime() - ms))).toBe('open');
        for (const status of ['signed', 'withdrawn', 'expired'] as const) {
          expect(statusAt({ status, expiresAt: at }, new Date(at.getTime() + ms))).toBe(status);
        }
      }),
      { examples: [[new Date('2027-01-01T00:00:00Z'), 1]] },
    );
  });
});

describe('a signature', () => {
  it('has two letters, of any script', () => {
    for (const name of ['Bo', 'Ada Lovelace', '王芳', 'ليلى']) {
      expect([name, isName(name)]).toEqual([name, true]);
    }
    for (const none of ['', 'X', '12 34', '–– …', '🙂🙂']) {
      expect([none, isName(none)]).toEqual([none, false]);
    }
  });
});
