import { GENDERS } from '#product/accounts/rules.ts';
import { describe, expect, it } from 'vitest';
import {
  filterFor,
  GENDER_SLUGS,
  genderHide,
  hiddenGenders,
  listingOf,
  MAX_PAGES,
  sectionOfGender,
  voyeurTabs,
  type Listing,
  type ListingKind,
} from './rules/listing/listings.ts';
import { filterOf, languagesOf, rateOf, tagsOf, termsOf } from './rules/listing/query.ts';

const known = (path: string): Listing => {
  const listing = listingOf(path);
  if (!listing) throw new Error(`no listing ${path}`);
  return listing;
};

/** Every address of the specification that lists performers, with its kind. */
const PATHS: readonly [string, ListingKind][] = [
  ['', 'home'],
  ['/', 'home'],
  ['girls', 'gender'],
  ['/couples/', 'gender'],
  ['men', 'gender'],
  ['trans', 'gender'],
  ['top', 'top'],
  ['models', 'models'],
  ['girls/new', 'new'],
  ['men/top-rated', 'topRated'],
  ['girls/fanclub/all', 'fanclub'],
  ['couples/fanclub/online', 'fanclubOnline'],
  ['couples/leaders', 'leaders'],
  ['trans/control-her', 'controlHer'],
  ['girls/language/german', 'language'],
  ['girls/region/eastern-europe', 'region'],
  ['girls/region/usa', 'region'],
  ['girls/tag/red-hair', 'tag'],
  ['girls/tag/red-hair/tattoo', 'tag'],
  ['girls/private-shows', 'privates'],
  ['girls/private-shows/spy-cam-shows', 'spy'],
  ['girls/private-shows/ticket-cam-shows', 'ticket'],
  ['girls/private-shows/exclusive-available-now', 'exclusive'],
  ['girls/private-shows/top-rated', 'privatesTopRated'],
  ['girls/private-shows/cam2cam', 'cam2cam'],
  ['girls/private-shows/cam2cam/top-rated', 'cam2camTopRated'],
  ['girls/private-shows/rate/30', 'rate'],
  ['girls/private-shows/rate/6/18', 'rate'],
  ['voyeur-cams', 'voyeur'],
  ['voyeur-cams/bedroom', 'voyeur'],
  ['voyeur-cams/kitchen', 'voyeur'],
  ['voyeur-cams/shower', 'voyeur'],
  ['browse-role/test-user', 'role'],
  ['browse-studio/north-light', 'studio'],
  ['followed', 'followed'],
  ['for-you', 'forYou'],
  ['view-history', 'history'],
  ['independent-romanian', 'independentRomanian'],
  ['casa-salsa', 'named'],
  ['jb-cams', 'named'],
  ['julmodels', 'named'],
  ['reallifecam', 'voyeur'],
  ['voyeur-house', 'voyeur'],
];

/** Addresses similar to those of a listing, but without one. */
const NOWHERE = [
  'boys',
  'GIRLS',
  'Girls',
  '*',
  '..',
  '__proto__',
  'constructor',
  'girls/old',
  'girls/new/x',
  'girls//new',
  'girls/language',
  'girls/language/klingon',
  'girls/language/__proto__',
  'girls/language/german/x',
  'girls/region/mars',
  'girls/region/usa/x',
  'girls/tag',
  'girls/tag/a/a',
  'girls/tag/a/b/c',
  'girls/tag/A',
  'girls/tag/-a',
  'girls/private-shows/x',
  'girls/private-shows/cam2cam/x',
  'girls/private-shows/rate',
  'girls/private-shows/rate/7',
  'girls/private-shows/rate/30/18',
  'girls/private-shows/rate/06/18',
  'girls/private-shows/rate/6/19',
  'voyeur-cams/other',
  'voyeur-cams/attic',
  'voyeur-cams/bedroom/x',
  'new',
  'models/x',
  'browse-role',
  'browse-role/a/b',
  'browse-studio/',
  'browse-studio/%2e',
  'top/x',
  'followed/x',
  'casa-salsa/x',
  'top-rated',
  'tag/red-hair',
];

describe('paths of listings', () => {
  it('are those of the specification, and no others', () => {
    for (const [path, kind] of PATHS) expect(known(path).kind, path).toBe(kind);
    for (const path of NOWHERE) expect(listingOf(path), path).toBeNull();
  });

  it('have these amounts of private prices, and of all others up to 1,000 none [B-033, B-034]', () => {
    const whole = Array.from({ length: 1_001 }, (_, at) => at);
    const known = (path: (amount: number) => string): readonly number[] =>
      whole.filter((amount) => listingOf(path(amount)) !== null);
    for (const section of ['girls', 'couples', 'men', 'trans']) {
      const rate = `${section}/private-shows/rate`;
      expect(known((amount) => `${rate}/${amount}`)).toEqual([6, 12, 18, 30, 60, 90, 120]);
      expect(known((end) => `${rate}/6/${end}`)).toEqual([18, 60, 120, 999]);
      expect(known((end) => `${rate}/12/${end}`)).toEqual([18, 60, 120, 999]);
    }
  });

  it('say what a listing shows, how it is ordered, and how long its pages are', () => {
    expect(known('girls/language/german')).toMatchObject({
      gender: 'f',
      filter: { genders: ['f'], languages: ['de'] },
      words: { language: 'de' },
      perPage: 98,
    });
    expect(known('men/private-shows/rate/30')).toMatchObject({
      filter: { genders: ['m'], privateRate: { from: 0, to: 30 } },
      sort: 'cheapest',
    });
    expect(known('men/private-shows/rate/6/18').filter.privateRate).toEqual({ from: 6, to: 18 });
    expect(known('girls/tag/red-hair/tattoo')).toMatchObject({
      filter: { tags: ['red-hair', 'tattoo'] },
      isInfinite: true,
      words: { tag: 'red hair + tattoo' },
    });
    expect(known('top')).toMatchObject({ perPage: 20, sort: 'viewers' });
    expect(known('voyeur-cams').filter).toEqual({ voyeur: 'any' });
    expect(known('independent-romanian').filter).toEqual({ countries: ['RO'], isIndependent: true });
    expect(known('followed')).toMatchObject({ isPersonal: true, withOffline: true });
    expect(MAX_PAGES).toBe(1_000);
  });

  it('of one gender show only it', () => {
    for (const gender of GENDERS) {
      for (const rest of ['', '/new', '/private-shows/cam2cam', '/tag/dance']) {
        expect(known(`${GENDER_SLUGS[gender]}${rest}`).filter.genders).toEqual([gender]);
      }
    }
  });
});

describe('genders', () => {
  it('lead to their section, anything else to the first page [A-062]', () => {
    expect(['c', 'm', 't', 'f', 'none', '', null, undefined, 'C', 'girls'].map(sectionOfGender))
      .toEqual(['/couples', '/men', '/trans', '/', '/', '/', '/', '/', '/', '/']);
  });

  it('are hidden as the specification names them by path', () => {
    expect(hiddenGenders('/couples')).toEqual(['f', 'm', 't']);
    expect(hiddenGenders('/men')).toEqual(['c', 'f', 't']);
    expect(hiddenGenders('/trans')).toEqual(['c', 'f', 'm']);
    for (const path of ['/', '', '/girls', '/top', '/voyeur-cams']) {
      expect(hiddenGenders(path)).toEqual(['m', 't']);
    }
    expect(genderHide('', 'f, C,x')).toEqual(['f', 'c']);
    expect(genderHide('', '')).toEqual([]);
  });

  it('are hidden by a filter unless the listing is of one gender, or of one person', () => {
    const hidden = ['m', 't'] as const;
    expect(filterFor(known('top'), hidden)).toEqual({ hidden });
    expect(filterFor(known('top'), [])).toEqual({});
    expect(filterFor(known('men'), hidden)).toEqual({ genders: ['m'] });
    expect(filterFor(known('followed'), hidden)).toEqual({});
  });
});

it('voyeur rooms have tabs, with the current one marked', () => {
  const paths = [
    '/voyeur-cams',
    '/voyeur-cams/bedroom',
    '/voyeur-cams/kitchen',
    '/voyeur-cams/shower',
    '/jb-cams',
    '/julmodels',
  ];
  for (const [path, current] of [
    ['voyeur-cams', '/voyeur-cams'],
    ['reallifecam', '/voyeur-cams'],
    ['jb-cams', '/jb-cams'],
    ['voyeur-cams/shower', '/voyeur-cams/shower'],
  ] as const) {
    const tabs = voyeurTabs(known(path));
    expect(tabs.map((tab) => tab.path)).toEqual(paths);
    expect(tabs.filter(({ isCurrent }) => isCurrent).map((tab) => tab.path)).toEqual([current]);
  }
  for (const path of ['', 'girls', 'casa-salsa']) expect(voyeurTabs(known(path))).toEqual([]);
});

it('a query becomes a filter, whatever is in it', () => {
  expect(filterOf({
    lang: 'german,fr',
    region: 'usa,asia',
    tag: 'Red Hair,tattoo',
    age: '23-29,50+',
    ethnicity: 'latin',
    rate: '12-60',
  })).toEqual({
    languages: ['de', 'fr'],
    regions: ['asia', 'usa'],
    tags: ['red-hair', 'tattoo'],
    ageRanges: ['23-29', '50+'],
    ethnicities: ['latin'],
    privateRate: { from: 12, to: 60 },
  });
  expect(filterOf({ lang: 'xx', region: 'mars', tag: ' , ,--', age: '12-17', ethnicity: '', rate: '9' }))
    .toEqual({});
  expect(filterOf({})).toEqual({});
});

it('parts of a query are read with care', () => {
  expect(termsOf(' A,b,,B , a')).toEqual(['a', 'b']);
  expect(termsOf('a,b,c,d,e,f,g,h,i,j')).toHaveLength(8);
  expect(languagesOf('__proto__,constructor,de,GERMAN')).toEqual(['de']);
  expect(tagsOf('C+C, été')).toEqual(['c-c', 'été']);
  for (const wrong of ['60-12', '-5-9', '1-2-3', '5-', 'a-b', '1e3-9', '']) {
    expect(rateOf(wrong), wrong).toBeNull();
  }
  expect(rateOf('0-999')).toEqual({ from: 0, to: 999 });
});
