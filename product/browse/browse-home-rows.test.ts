import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { featuredOf, listingPath, rowsOf, type RowsQuery } from './rules/home-rows.ts';
import {
  belowThem,
  everyoneRule,
  HOME_SECTIONS,
  leadingGender,
  onceEach,
  sectionsBelow,
  sectionsRule,
  type HomeSectionId,
} from './rules/home.ts';
import type { DirectoryEntry } from './rules/listing/entry.ts';
import { listingOf } from './rules/listing/listings.ts';

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;

const entry = (id: number, said: Partial<DirectoryEntry> = {}): DirectoryEntry => ({
  id,
  username: `performer${id}`,
  displayName: `Performer ${id}`,
  gender: 'f',
  avatarUrl: null,
  registeredAt: NOW - 400 * DAY_MS,
  languages: [],
  region: null,
  country: null,
  ageRange: null,
  state: { active: true, cleared: true, isHidden: false, blockedRegions: [] },
  ethnicity: null,
  voyeur: null,
  isIndependent: false,
  hasFanclub: false,
  privatePrice: null,
  exclusivePrice: null,
  spyPrice: null,
  isExclusive: false,
  controlRate: null,
  offersCam2Cam: false,
  takesPrivateCameras: false,
  hasTicketShow: false,
  isOnHome: true,
  studio: null,
  roles: [],
  topic: '',
  tags: [],
  status: 'online',
  viewerCount: 0,
  isLocked: false,
  stream: `stream${id}`,
  startedAt: NOW,
  lastLiveAt: null,
  followers: 0,
  rating: null,
  privateRating: null,
  recentTips: 0,
  goal: null,
  ...said,
});
const many = (count: number, said: Partial<DirectoryEntry>, from = 1): DirectoryEntry[] =>
  Array.from({ length: count }, (_, at) => entry(from + at, said));

const queryOf = (sections: readonly HomeSectionId[], more: Partial<RowsQuery> = {}): RowsQuery => ({
  sections,
  gender: 'f',
  followed: new Set(),
  viewed: [],
  now: NOW,
  ...more,
});
const rows = (entries: readonly DirectoryEntry[], id: HomeSectionId, more: Partial<RowsQuery> = {}) =>
  rowsOf(entries, queryOf([id], more)).map(({ value, entries: shown, total, seeMore }) => ({
    value,
    ids: shown.map((entry) => entry.id),
    total,
    seeMore,
  }));

const idsOf = (list: readonly { readonly id: number }[]): number[] => list.map(({ id }) => id);
/** Rows of a screen: each has some of sixty performers, without repetition, in any order. */
const screens = fc.record({
  live: fc.integer({ min: 1, max: 60 }),
  picks: fc.array(fc.array(fc.nat(59)), { maxLength: 6 }),
}).map(({ live, picks }) => {
  const people = many(live, {});
  const rows = picks.map((row) => [...new Set(row)].flatMap((at) => people[at] ?? []));
  return { people, featured: people[0] ?? entry(1), rows };
});

describe('the first screen of the home page', () => {
  it('has nobody twice above everybody, and leaves some for the listing, where five others are live', () => {
    fc.assert(fc.property(screens, ({ people, featured, rows }) => {
      fc.pre(people.length >= 6);
      const shown = onceEach(featured, rows, everyoneRule(people.length, rows.length));
      const above = [featured.id, ...shown.flatMap(idsOf)];
      expect(new Set(above).size).toBe(above.length);
      const below = belowThem(people, new Set(above), everyoneRule(people.length, rows.length));
      expect(below.length).toBeGreaterThan(0);
      // Everybody appears exactly once.
      expect([...above, ...idsOf(below)].toSorted((a, b) => a - b)).toEqual(idsOf(people));
    }));
  });

  it('makes up for whom a row leaves out, from further down in the row', () => {
    const people = many(60, {});
    const [first = [], second = []] = onceEach(
      people[0] ?? null,
      [people, people],
      everyoneRule(people.length, 2),
    );
    expect(idsOf(first)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(idsOf(second)).toEqual([14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
  });

  it('keeps rows whole where fewer than five others are live', () => {
    const few = many(5, {});
    expect(onceEach(few[0] ?? null, [few, few], everyoneRule(5, 2))).toEqual([few, few]);
    expect(belowThem(few, new Set([1, 2]), everyoneRule(5, 2))).toEqual(few);
    expect(idsOf(belowThem(many(6, {}), new Set([1, 2]), everyoneRule(6, 2)))).toEqual([3, 4, 5, 6]);
  });

  it('has nobody twice by sections, and no row without anybody, where five others are live', () => {
    fc.assert(fc.property(screens, ({ people, featured, rows }) => {
      fc.pre(people.length >= 6);
      const named = rows.map((entries, value) => ({ value, entries }));
      const shown = sectionsBelow(named, new Set([featured.id]), sectionsRule(people.length));
      const above = new Set([featured.id]);
      let rowsSeen = 0;
      for (const { value, entries } of named) {
        const left = rowsSeen < 4 ? idsOf(entries).filter((id) => !above.has(id)) : idsOf(entries);
        expect([value, shown.find((item) => item.value === value)?.entries.map(({ id }) => id)])
          .toEqual([value, left.length === 0 ? undefined : left.slice(0, 12)]);
        if (left.length > 0) rowsSeen += 1;
        for (const id of left.slice(0, 12)) above.add(id);
      }
    }));
  });

  it('keeps rows of sections whole where fewer than five others are live', () => {
    const few = [{ entries: many(5, {}) }, { entries: many(5, {}) }];
    expect(sectionsBelow(few, new Set([1, 2]), sectionsRule(5))).toEqual(few);
    expect(sectionsBelow(few, new Set([1, 2]), sectionsRule(6)).map(({ entries }) => idsOf(entries)))
      .toEqual([[3, 4, 5]]);
  });
});

describe('rows of the home page', () => {
  it('shows a value with its performers, in the order of the ranking, the fullest value first', () => {
    const ranked = [
      entry(4, { languages: ['fr'] }),
      entry(2, { languages: ['de', 'fr'] }),
      entry(3, { languages: ['de'] }),
      entry(1, { languages: ['fr'] }),
      entry(5),
    ];
    expect(rows(ranked, 'language')).toEqual([
      { value: 'fr', ids: [4, 2, 1], total: 3, seeMore: null },
      { value: 'de', ids: [2, 3], total: 2, seeMore: null },
    ]);
  });

  it('shows three values of a section at most, and twelve performers in a row', () => {
    const ranked = ['a', 'b', 'c', 'd'].flatMap((tag, at) => many(14 - at, { tags: [tag] }, 100 * at));
    const found = rowsOf(ranked, queryOf(['tags']));
    expect(found.map(({ value, total }) => [value, total])).toEqual([['a', 14], ['b', 13], ['c', 12]]);
    expect(sectionsBelow(found, new Set(), sectionsRule(39)).map(({ entries }) => entries.length))
      .toEqual([12, 12, 12]);
  });

  it('links to the whole list from five performers on, and not with four', () => {
    expect(rows(many(4, { region: 'europe' }), 'continent')[0]?.seeMore).toBeNull();
    expect(rows(many(5, { region: 'europe' }), 'continent')[0]?.seeMore).toBe('/girls/region/europe');
  });

  it('links to the gender most of a row have, and to the leading one where as many are of another', () => {
    const of = (...genders: readonly ('f' | 'c' | 'm' | 't' | null)[]) =>
      rows(genders.map((gender, at) => entry(at + 1, { gender, region: 'europe' })), 'continent')[0]?.seeMore;
    expect(of('f', 'f', 'f', 'c', 'c')).toBe('/girls/region/europe');
    expect(of('c', 'f', 'c', 'f', 'c')).toBe('/couples/region/europe');
    expect(of('c', 'f', 'c', 'f', null)).toBe('/girls/region/europe');
    expect(of('m', 'm', 't', 't', 'c')).toBe('/men/region/europe');
    expect(of('t', 't', 'm', 'm', 'c')).toBe('/trans/region/europe');
  });

  it('has no section that nobody is in, and each section once, in the order that was chosen', () => {
    const ranked = [entry(1, { voyeur: 'other', country: 'RO' }), entry(2)];
    const chosen: HomeSectionId[] = ['voyeur_cams', 'near_goal', 'country', 'voyeur_cams'];
    expect(rowsOf(ranked, queryOf(chosen)).map(({ id }) => id)).toEqual(['voyeur_cams', 'country']);
    expect(rowsOf([], queryOf(HOME_SECTIONS))).toEqual([]);
    expect(rowsOf(ranked, queryOf(HOME_SECTIONS))[0]?.id).toBe('country');
    expect(rowsOf([], queryOf(HOME_SECTIONS))).toEqual([]);
  });

  it('shows whom one follows before whose rooms one was in, nobody twice, and only who is listed', () => {
    const ranked = many(6, {});
    const mine = { followed: new Set([5, 3, 99]), viewed: [6, 5, 98, 2] };
    expect(rows(ranked, 'favorites_and_history', mine))
      .toEqual([{ value: null, ids: [3, 5, 6, 2], total: 4, seeMore: null }]);
    expect(rows(ranked, 'favorites_and_history')).toEqual([]);
    const all = { followed: new Set([1, 2]), viewed: [3, 4, 5] };
    expect(rows(ranked, 'favorites_and_history', all)[0]?.seeMore).toBe('/view-history');
  });

  it('sorts goals by what they lack, and ratings by the best', () => {
    const ranked = [
      entry(1, { goal: { left: 90, total: 100 }, rating: 4, privateRating: 3, privatePrice: 6 }),
      entry(2, { goal: { left: 5, total: 900 }, rating: 5, privateRating: 5, privatePrice: 6 }),
      entry(3),
    ];
    expect(['near_goal', 'top_rated', 'top_rated_privates'].map((id) =>
      rows(ranked, id as HomeSectionId)
        .map(({ ids }) => ids)
    )).toEqual([[[2, 1]], [[2, 1]], [[2, 1]]]);
  });

  it('counts as new who signed up less than thirty days ago', () => {
    const ranked = [
      entry(1, { registeredAt: NOW - 30 * DAY_MS }),
      entry(2, { registeredAt: NOW - 30 * DAY_MS + 1 }),
    ];
    expect(rows(ranked, 'new_and_trending').map(({ ids }) => ids)).toEqual([[2]]);
  });
});

it('links lead to listings that exist, of the gender one looks at', () => {
  const values: Readonly<Partial<Record<HomeSectionId, string>>> = {
    language: 'ja',
    tags: 'music',
    age_range: '18-22',
    ethnicity: 'latin',
    continent: 'africa',
    country: 'RO',
    favorites_and_history: 'followed',
  };
  for (const id of HOME_SECTIONS) {
    const path = listingPath(id, values[id] ?? null, 't');
    if (path !== null) expect([id, listingOf(path.split('?')[0] ?? '')?.gender]).not.toContain(undefined);
  }
  expect(listingPath('language', 'ja', 't')).toBe('/trans/language/japanese');
  expect(listingPath('language', 'eo', 't')).toBeNull();
  expect([[], ['m', 't'], ['c', 'f', 't'], ['f'], ['c', 'f', 'm'], ['c', 'f', 'm', 't']]
    .map((hidden) => leadingGender(hidden as ('f' | 'm')[]))).toEqual(['f', 'f', 'm', 'c', 't', 'f']);
});

it('features the best of the ranking that everybody may watch', () => {
  const hidden = [entry(1, { status: 'private' }), entry(2, { isLocked: true }), entry(3, { stream: null })];
  expect(featuredOf([...hidden, entry(4), entry(5)])?.id).toBe(4);
  expect(featuredOf(hidden)?.id).toBe(1);
  expect(featuredOf([])).toBeNull();
});
