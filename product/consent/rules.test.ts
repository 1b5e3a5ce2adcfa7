import { NO_CONSENT } from '#platform/contract/context.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  choiceIn,
  CONSENT_DAYS,
  CONSENT_VERSION,
  consentIn,
  cookieOf,
  isAsked,
  objectsBy,
  withObjection,
} from './rules.ts';

const NOW = Date.UTC(2026, 10, 26);
const DAY = 86_400_000;
const anyConsent = fc.record({
  preferences: fc.boolean(),
  statistics: fc.boolean(),
  marketing: fc.boolean(),
});

describe('the cookie of a choice', () => {
  it('says what was chosen, and when', () => {
    fc.assert(fc.property(anyConsent, fc.boolean(), (consent, isOfAccount) => {
      expect(choiceIn(cookieOf({ consent, atMs: NOW, isOfAccount }), NOW))
        .toEqual({ consent, atMs: NOW, isOfAccount });
    }));
  });

  it.each([
    ['none', null],
    ['an empty one', ''],
    ['a word', 'yes'],
    ['everything by hand', 'psm'],
    ['an unknown letter', `${CONSENT_VERSION}.x.${NOW / 1000}`],
    ['purposes in another order', `${CONSENT_VERSION}.sp.${NOW / 1000}`],
    ['another version', `${CONSENT_VERSION + 1}.psm.${NOW / 1000}`],
    ['no moment', `${CONSENT_VERSION}.psm`],
    ['more behind it', `${CONSENT_VERSION}.psm.${NOW / 1000}.a.b`],
  ])('is no choice: %s', (_what, value) => {
    expect(choiceIn(value, NOW)).toBeNull();
  });

  it('holds for its days and not a second longer, nor from a day that has not come', () => {
    const at = (atMs: number) => cookieOf({ consent: NO_CONSENT, atMs, isOfAccount: false });
    expect(choiceIn(at(NOW), NOW + CONSENT_DAYS * DAY - 1)).not.toBeNull();
    expect(choiceIn(at(NOW), NOW + CONSENT_DAYS * DAY)).toBeNull();
    expect(choiceIn(at(NOW + 2 * DAY), NOW)).toBeNull();
  });
});

describe('what is allowed', () => {
  it('is nothing where people are asked and have not answered', () => {
    for (const objects of [true, false]) {
      expect(consentIn({ chosen: null, asked: true, objects })).toEqual(NO_CONSENT);
    }
  });

  it('is never marketing without a yes', () => {
    fc.assert(fc.property(fc.boolean(), fc.boolean(), (asked, objects) => {
      expect(consentIn({ chosen: null, asked, objects }).marketing).toBe(false);
    }));
  });

  it('is never statistics or marketing in a browser that objects', () => {
    fc.assert(fc.property(fc.option(anyConsent), fc.boolean(), (chosen, asked) => {
      const { statistics, marketing } = consentIn({ chosen, asked, objects: true });
      expect([statistics, marketing]).toEqual([false, false]);
    }));
    const all = { preferences: true, statistics: true, marketing: true };
    expect(withObjection(all, true).preferences).toBe(true);
  });

  it('is what was chosen, elsewhere too', () => {
    fc.assert(fc.property(anyConsent, fc.boolean(), (chosen, asked) => {
      expect(consentIn({ chosen, asked, objects: false })).toEqual(chosen);
    }));
  });
});

it('a browser objects by Global Privacy Control or Do Not Track, and by nothing else', () => {
  expect([{ 'sec-gpc': '1' }, { dnt: '1' }].map(objectsBy)).toEqual([true, true]);
  expect([{}, { dnt: '0' }, { dnt: 'unspecified' }, { 'sec-gpc': '0' }].map(objectsBy))
    .toEqual([false, false, false, false]);
});

it('people are asked in Europe and where nobody knows the place, elsewhere as the operator says', () => {
  for (const region of ['DE', 'FR', 'IE', 'NO', 'IS', 'LI', 'GB', 'CH', 'RE', 'DE-BY', 'unknown', '']) {
    expect([region, isAsked('europe', region)]).toEqual([region, true]);
  }
  for (const region of ['US', 'US-FL', 'BR', 'JP', 'RS']) {
    expect([isAsked('europe', region), isAsked('everywhere', region)]).toEqual([false, true]);
  }
});
