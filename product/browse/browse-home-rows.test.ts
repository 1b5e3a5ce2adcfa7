import { describe, expect, it } from 'vitest';
import type { DirectoryEntry } from './rules/listing/entry.ts';
import { HOME_SECTIONS, leadingGender, seenLast, unseen, type HomeSectionId } from './rules/home.ts';
import { listingOf } from './rules/listing/listings.ts';
import { featuredOf, listingPath, rowsOf, type RowsQuery } from './rules/home/rows.ts';

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;

const entry = (id: number, said: Partial<DirectoryEntry> = {}): DirectoryEntry => ({
  id, username: `performer${id}`, displayName: `Performer ${id}`, gender: 'f', avatarUrl: null,
  registeredAt: NOW - 400 * DAY_MS, languages: [], region: null, country: null, ageRange: null,
  state: { active: true, cleared: true, isHidden: false, blockedRegions: [] }, ethnicity: null, voyeur: null,
  isIndependent: false, hasFanclub: false,
  privatePrice: null, exclusivePrice: null, spyPrice: null, isExclusive: false, controlRate: null,
  offersCam2Cam: false, takesPrivateCameras: false, hasTicketShow: false, isOnHome: true,
  studio: null, roles: [], topic: '', tags: [], status: 'online', viewerCount: 0,
  isLocked: false, stream: `stream${id}`, startedAt: NOW, lastLiveAt: null, followers: 0, rating: null,
  privateRating: null, recentTips: 0, goal: null, ...said,
});
const many = (count: number, said: Partial<DirectoryEntry>, from = 1): DirectoryEntry[] =>
  Array.from({ length: count }, (_, at) => entry(from + at, said));

const queryOf = (sections: readonly HomeSectionId[], more: Partial<RowsQuery> = {}): RowsQuery =>
  ({ sections, gender: 'f', followed: new Set(), viewed: [], now: NOW, ...more });
const rows = (entries: readonly DirectoryEntry[], id: HomeSectionId, more: Partial<RowsQuery> = {}) =>
  rowsOf(entries, queryOf([id], more)).map(({ value, entries: shown, total, seeMore }) =>
    ({ value, ids: shown.map((one) => one.id), total, seeMore }));

describe('the first screen of the home page', () => {
  it('has nobody twice while there is somebody else to show', () => {
    const ranked = many(60, {});
    const featured = new Set([ranked[0]?.id ?? 0]);
    const row = unseen(ranked.slice(0, 12), featured);
    const above = new Set([...featured, ...row.map(({ id }) => id)]);
    const below = seenLast(ranked, above);
    const screen = [...featured, ...row.map(({ id }) => id), ...below.slice(0, 40).map(({ id }) => id)];
    expect(new Set(screen).size).toBe(screen.length);
    // Nobody is lost, and the others keep their order.
    expect(below.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ranked.map(({ id }) => id));
    expect(below.slice(0, 48)).toEqual(ranked.slice(12));
  });

  it('keeps rows whole where too few others are left', () => {
    const few = many(5, {});
    expect(unseen(few, new Set([1]))).toEqual(few);
    expect(unseen(many(6, {}), new Set([1]))).toHaveLength(5);
    expect(seenLast(few, new Set())).toBe(few);
  });
});

describe('rows of the home page', () => {
  it('shows a value with its performers, in the order of the ranking, the fullest value first', () => {
    const ranked = [
      entry(4, { languages: ['fr'] }), entry(2, { languages: ['de', 'fr'] }), entry(3, { languages: ['de'] }),
      entry(1, { languages: ['fr'] }), entry(5),
    ];
    expect(rows(ranked, 'language')).toEqual([
      { value: 'fr', ids: [4, 2, 1], total: 3, seeMore: null },
      { value: 'de', ids: [2, 3], total: 2, seeMore: null },
    ]);
  });

  it('shows three values of a section at most, and twelve performers in a row', () => {
    const ranked = ['a', 'b', 'c', 'd'].flatMap((tag, at) => many(14 - at, { tags: [tag] }, 100 * at));
    expect(rows(ranked, 'tags').map(({ value, ids, total }) => [value, ids.length, total]))
      .toEqual([['a', 12, 14], ['b', 12, 13], ['c', 12, 12]]);
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
      entry(2, { goal: { left: 5, total: 900 }, rating: 5, privateRating: 5, privatePrice: 6 }), entry(3),
    ];
    expect(['near_goal', 'top_rated', 'top_rated_privates'].map((id) => rows(ranked, id as HomeSectionId)
      .map(({ ids }) => ids))).toEqual([[[2, 1]], [[2, 1]], [[2, 1]]]);
  });

  it('counts as new who signed up less than thirty days ago', () => {
    const ranked = [
      entry(1, { registeredAt: NOW - 30 * DAY_MS }), entry(2, { registeredAt: NOW - 30 * DAY_MS + 1 }),
    ];
    expect(rows(ranked, 'new_and_trending').map(({ ids }) => ids)).toEqual([[2]]);
  });
});

it('links lead to listings that exist, of the gender one looks at', () => {
  const values: Readonly<Partial<Record<HomeSectionId, string>>> = {
    language: 'ja', tags: 'music', age_range: '18-22', ethnicity: 'latin', continent: 'africa',
    country: 'RO', favorites_and_history: 'followed',
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
