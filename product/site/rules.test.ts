import { DAY_MS } from '#platform/time/units.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseLocale,
  DEFAULT_LOCALE,
  isDefaultHost,
  isLoopbackHost,
  LOCALES,
  settingsErrors,
  yearWeek,
} from './rules.ts';
import {
  CANADIAN_PROVINCES,
  countriesIn,
  COUNTRY_CODES,
  isCountry,
  isSubdivision,
  optionOf,
  subdivisionsOf,
  US_STATES,
} from './rules/places.ts';

const host = fc.domain();

describe('languages', () => {
  it('are six, and English for anybody who chose none of them', () => {
    expect(LOCALES).toEqual(['en', 'de', 'es', 'fr', 'it', 'nl']);
    expect(chooseLocale(null, null)).toBe('en');
    expect(chooseLocale('tlh', 'pt-BR, sv;q=0.9')).toBe(DEFAULT_LOCALE);
  });

  it('follow Accept-Language by quality, after the person’s own choice', () => {
    expect(chooseLocale(null, 'pt, fr-CA;q=0.5, de;q=0.8, en;q=0.1')).toBe('de');
    expect(chooseLocale('it', 'de')).toBe('it');
    expect(chooseLocale(null, 'de;q=0, nl;q=0.1')).toBe('nl');
  });

  it('are chosen for any header without an error', () => {
    const texts = fc.option(fc.string({ maxLength: 600 }));
    fc.assert(fc.property(texts, texts, (chosen, header) => {
      expect(LOCALES).toContain(chooseLocale(chosen, header));
    }));
  });
});

describe('hosts', () => {
  it('of this machine are recognized, and no name that only looks like one', () => {
    for (const name of ['localhost', 'shop.localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
      expect(isLoopbackHost(name)).toBe(true);
    }
    for (const name of ['localhost.evil.example', '128.0.0.1', 'notlocalhost', '[::2]']) {
      expect(isLoopbackHost(name)).toBe(false);
    }
  });

  it('lead to the default site in production only when published', () => {
    fc.assert(fc.property(host, host, (asked, published) => {
      expect(isDefaultHost(asked, 'production', published)).toBe(asked === published);
      expect(isDefaultHost(asked, 'demo', null)).toBe(false);
    }));
    expect(isDefaultHost('localhost', 'production', 'cam.example')).toBe(false);
    expect(isDefaultHost('localhost', 'demo', null)).toBe(true);
  });
});

describe('weeks', () => {
  it('are ISO 8601 weeks across the turn of a year', () => {
    const week = (day: string): string => yearWeek(new Date(`${day}T23:59:59Z`));
    expect(week('2024-12-30')).toBe('2025-W01');
    expect(week('2027-01-01')).toBe('2026-W53');
    expect(week('2026-01-15')).toBe('2026-W03');
  });

  it('change on Mondays only', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 40_000 }), (days) => {
      const [day, next] = [new Date(days * DAY_MS), new Date((days + 1) * DAY_MS)];
      expect(yearWeek(day) !== yearWeek(next)).toBe(next.getUTCDay() === 1);
    }));
  });
});

describe('settings of an operator', () => {
  it('pass when they are right, and are named when they are wrong', () => {
    const good = {
      standby: { domains: ['cam.example', 'localhost'], studios: ['Studio Señora'] },
      bFrames: 'transcode',
      recordingQuotaBytes: 0,
      dreamcamServer: null,
      seller: { name: 'Señal S.L.', address: '' },
    };
    expect(settingsErrors(good)).toEqual([]);
    const wrong: readonly [string, unknown][] = [
      ['standby', { domains: ['https://cam.example/'], studios: [] }],
      ['standby', { domains: [] }],
      ['standby', null],
      ['standby', { domains: ['a'.repeat(254)], studios: [] }],
      ['standby', { domains: Array.from({ length: 201 }, () => 'a'), studios: [] }],
      ['bFrames', 'drop'],
      ['recordingQuotaBytes', -1],
      ['recordingQuotaBytes', 1.5],
      ['seller', { name: ' ', address: '' }],
      ['seller', { name: 'a' }],
      ['seller', 'Candela'],
      ['seller', { name: 'a'.repeat(201), address: '' }],
      ['dreamcamServer', 'somewhere'],
      ['constructor', true],
      ['unknown', 1],
    ];
    for (const [name, value] of wrong) expect(settingsErrors({ ...good, [name]: value })).toEqual([name]);
  });

  it('of any shape are checked without an error', () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.anything()), (settings) => {
      expect(Array.isArray(settingsErrors(settings))).toBe(true);
    }));
  });
});

describe('places', () => {
  const codes = (places: readonly { readonly code: string }[]) => places.map(({ code }) => code).join(' ');

  it('are the states of the USA with their codes, and its capital’s district', () => {
    expect(codes(US_STATES)).toBe(
      'US-AL US-AK US-AZ US-AR US-CA US-CO US-CT US-DE US-DC US-FL US-GA US-HI US-ID US-IL US-IN US-IA '
        + 'US-KS US-KY US-LA US-ME US-MD US-MA US-MI US-MN US-MS US-MO US-MT US-NE US-NV US-NH US-NJ US-NM '
        + 'US-NY US-NC US-ND US-OH US-OK US-OR US-PA US-RI US-SC US-SD US-TN US-TX US-UT US-VT US-VA '
        + 'US-WA US-WV US-WI US-WY',
    );
    expect(US_STATES.find(({ code }) => code === 'US-FL')?.name).toBe('Florida');
    expect(subdivisionsOf('US')).toBe(US_STATES);
    expect(['US-TX', 'TX', 'US-ZZ', 'US'].map(isSubdivision)).toEqual([true, false, false, false]);
  });

  it('are the provinces and territories of Canada with their codes', () => {
    expect(codes(CANADIAN_PROVINCES)).toBe(
      'CA-AB CA-BC CA-MB CA-NB CA-NL CA-NS CA-NT CA-NU CA-ON CA-PE CA-QC CA-SK CA-YT',
    );
    expect(CANADIAN_PROVINCES.find(({ code }) => code === 'CA-QC')?.name).toBe('Quebec');
    expect([subdivisionsOf('CA'), subdivisionsOf('FR')]).toEqual([CANADIAN_PROVINCES, []]);
    expect(['CA-ON', 'CA-XX'].map(isSubdivision)).toEqual([true, false]);
  });

  it('are the 249 countries of ISO 3166 with their codes, named in six languages', () => {
    expect(new Set(COUNTRY_CODES).size).toBe(249);
    for (const code of ['AF', 'AQ', 'BV', 'DE', 'GB', 'GS', 'HM', 'NL', 'RO', 'SE', 'TF', 'US', 'XX', 'EU']) {
      expect([code, isCountry(code)]).toEqual([code, code !== 'XX' && code !== 'EU']);
    }
    const germany = LOCALES.map((locale) => countriesIn(locale).find(({ code }) => code === 'DE')?.name);
    expect(germany).toEqual(['Germany', 'Deutschland', 'Alemania', 'Allemagne', 'Germania', 'Duitsland']);
    expect(countriesIn('en').every(({ code, name }) => name !== code && name !== '')).toBe(true);
    expect(optionOf({ code: 'DE', name: 'Germany' })).toEqual({ value: 'DE', text: 'Germany' });
  });
});
