import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GENDERS } from '../accounts/rules.ts';
import {
  byRank, genderHide, hiddenGenders, isNew, LISTING_PAGE, listingOf, pageOf, showsGender, TOP_PAGE,
  type Ranked,
} from './rules.ts';

const shown = (path: string, hide?: string): string => {
  const listing = listingOf(path);
  if (!listing) throw new Error(`no listing ${path}`);
  return GENDERS.filter((gender) => showsGender(listing, genderHide(path, hide), gender)).join('');
};

describe('listings', () => {
  it('are the live directory, the four genders and the top, and nothing else', () => {
    for (const path of ['', '/', 'girls', '/men/', 'couples', 'trans', 'top']) {
      expect(listingOf(path)).not.toBeNull();
    }
    for (const path of ['boys', 'girls/new', '__proto__', 'constructor', 'Girls', '*']) {
      expect(listingOf(path)).toBeNull();
    }
    expect(listingOf('girls')?.perPage).toBe(LISTING_PAGE);
    expect(LISTING_PAGE).toBe(98);
    expect(listingOf('top')?.perPage).toBe(TOP_PAGE);
    expect(TOP_PAGE).toBe(20);
  });

  it('hide the genders the specification names by path', () => {
    expect(hiddenGenders('/couples')).toEqual(['f', 'm', 't']);
    expect(hiddenGenders('/men')).toEqual(['c', 'f', 't']);
    expect(hiddenGenders('/trans')).toEqual(['c', 'f', 'm']);
    for (const path of ['/', '', '/girls', '/top']) expect(hiddenGenders(path)).toEqual(['m', 't']);
  });

  it('show one gender, or all but the hidden ones', () => {
    expect([shown('girls'), shown('couples'), shown('men'), shown('trans')]).toEqual(['f', 'c', 'm', 't']);
    expect([shown(''), shown('top')]).toEqual(['fc', 'fc']);
    expect(shown('', '')).toBe('fmtc');
    expect(shown('', 'f, C,x')).toBe('mt');
    expect(shown('men', 'm')).toBe('m');
    expect(showsGender(listingOf('')!, ['f', 'm', 't', 'c'], null)).toBe(true);
    expect(showsGender(listingOf('men')!, [], null)).toBe(false);
  });
});

describe('order and pages', () => {
  const ranked: fc.Arbitrary<Ranked[]> = fc.uniqueArray(
    fc.record({
      performerId: fc.nat(500), viewerCount: fc.nat(3),
      startedAt: fc.nat(5).map((second) => new Date(second * 1_000)),
    }),
    { selector: (one) => one.performerId, maxLength: 60 },
  );
  it('are the same for rows in any order, with most viewers first', () => {
    fc.assert(
      fc.property(ranked, fc.infiniteStream(fc.nat()), (rows, noise) => {
        const sorted = [...rows].sort(byRank);
        const keyed = rows.map((row) => ({ row, at: noise.next().value }));
        const shuffled = keyed.sort((a, b) => a.at - b.at).map(({ row }) => row);
        expect(shuffled.sort(byRank)).toEqual(sorted);
        for (const [index, row] of sorted.entries()) {
          const next = sorted[index + 1];
          if (next) expect(row.viewerCount).toBeGreaterThanOrEqual(next.viewerCount);
        }
      }),
    );
  });
  it('cut a list into pages without loss or repetition', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 98 }), (length, perPage) => {
        const all = Array.from({ length }, (_, index) => index);
        const count = Math.ceil(length / perPage);
        const pages = Array.from({ length: count }, (_, index) => pageOf(all, index + 1, perPage));
        expect(pages.flat()).toEqual(all);
        expect(pageOf(all, pages.length + 1, perPage)).toEqual([]);
      }),
    );
  });
  it('call a performer new for thirty days', () => {
    const now = new Date('2026-02-01T00:00:00Z');
    expect(isNew(new Date('2026-01-02T00:00:01Z'), now)).toBe(true);
    expect(isNew(new Date('2026-01-02T00:00:00Z'), now)).toBe(false);
  });
});
