import { entries as anEntries } from '#product/testkit/browse-entries.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DirectoryEntry } from './rules/listing/entry.ts';
import { searchOf } from './rules/search/facets.ts';
import { Directory } from './server/directory/directory.ts';
import { Counting, tallyOnline } from './server/search/counting.ts';

const NOW = Date.parse('2026-03-01T20:00:00Z');
const CATEGORIES = ['gender', 'language', 'location', 'privateRate', 'controlHerRate', 'tag'] as const;
type Category = (typeof CATEGORIES)[number];

interface Asked {
  readonly genders: readonly string[];
  readonly languages: readonly string[];
  readonly regions: readonly string[];
  readonly rate: readonly [number, number] | null;
  readonly control: readonly [number, number] | null;
  readonly tags: readonly string[];
}
const price = fc.option(fc.constantFrom([1, 18], [6, 60], [61, 120], [12, 12]), { nil: null });
const asked = fc.record({
  genders: fc.subarray(['f', 'm', 'c']),
  languages: fc.subarray(['de', 'en']),
  regions: fc.subarray(['europe', 'usa']),
  rate: price,
  control: price,
  tags: fc.subarray(['dance', 'chess', 'red-hair']),
}) as fc.Arbitrary<Asked>;
const range = (given: Asked['rate']): string => (given ? given.join('-') : '');

/** Whether a performer passes the filter of one category, computed without the code under test. */
function passes(entry: DirectoryEntry, category: Category, all: Asked): boolean {
  const any = (wanted: readonly string[], own: readonly (string | null)[]): boolean =>
    wanted.length === 0 || wanted.some((text) => own.includes(text));
  const within = (given: Asked['rate'], of: number | null): boolean =>
    given === null || (of !== null && of >= given[0] && of <= given[1]);
  switch (category) {
    case 'gender':
      return any(all.genders, [entry.gender]);
    case 'language':
      return any(all.languages, entry.languages);
    case 'location':
      return any(all.regions, [entry.region]);
    case 'privateRate':
      return within(all.rate, entry.privatePrice);
    case 'controlHerRate':
      return within(all.control, entry.controlRate);
    case 'tag':
      return any(all.tags, entry.tags);
  }
}

const SLUGS: Readonly<Record<string, string>> = { f: 'girls', m: 'men', c: 'couples', t: 'trans' };
const rangesOf = (of: number | null): string[] =>
  ['1-18', '19-60', '61-120', '121-999'].filter((text) => {
    const [from = 0, to = 0] = text.split('-').map(Number);
    return of !== null && of >= from && of <= to;
  });
const valuesOf = (entry: DirectoryEntry, category: Category): readonly string[] =>
  ({
    gender: entry.gender === null ? [] : [SLUGS[entry.gender] ?? ''],
    language: entry.languages,
    location: entry.region === null ? [] : [entry.region],
    privateRate: rangesOf(entry.privatePrice),
    controlHerRate: rangesOf(entry.controlRate),
    tag: entry.tags,
  })[category];

const sees = ({ state }: DirectoryEntry): boolean =>
  state.active && state.cleared && !state.blockedRegions.includes('DE');

it('counts what each further filter would leave: from sets, and while performers pass by, as by hand', () => {
  fc.assert(
    fc.property(anEntries(NOW), asked, (entries, all) => {
      const directory = new Directory();
      for (const entry of entries) directory.put(entry);
      const search = searchOf({
        source: all.genders.join(','),
        lang: all.languages.join(','),
        region: all.regions.join(','),
        rate: range(all.rate),
        chRate: range(all.control),
        tag: all.tags.join(','),
      });
      const among = entries.filter((entry) =>
        entry.startedAt !== null && entry.status !== 'offline' && sees(entry) && entry.gender !== 't'
      );
      const passing = (but: Category | null): DirectoryEntry[] =>
        among.filter((entry) =>
          CATEGORIES.every((category) => category === but || passes(entry, category, all))
        );
      const counts = Object.fromEntries(CATEGORIES.map((category) => {
        const counted: Record<string, number> = {};
        for (const entry of passing(category)) {
          for (const value of valuesOf(entry, category)) counted[value] = (counted[value] ?? 0) + 1;
        }
        if (category === 'tag') delete counted['music'];
        return [category, counted];
      }));
      const isShown = (tag: string): boolean => tag !== 'music';
      const tally = tallyOnline(search, directory, { filter: { hidden: ['t'] }, sees, now: NOW }, isShown);
      expect(tally.total).toBe(passing(null).length);
      expect(tally.counts).toEqual(counts);
      for (const [category, count] of Object.entries(tally.withoutFilter)) {
        expect(count).toBe(passing(category as Category).length);
      }
      const counting = new Counting(search, NOW);
      for (const entry of among) counting.takes(entry);
      const { passing: _, ...fromSets } = tally;
      const passedBy = counting.tally(isShown);
      expect(passedBy).toEqual(fromSets);
      expect(JSON.stringify(passedBy.counts)).toBe(JSON.stringify(fromSets.counts));
    }),
    { numRuns: 300 },
  );
});

it('counts the forty most frequent tags, and those that were chosen', () => {
  const directory = new Directory();
  const tagsOf = (at: number): string[] =>
    Array.from({ length: 60 }, (_, tag) => tag)
      .filter((tag) => at % (tag + 1) === 0).map((tag) => `tag-${String(tag).padStart(2, '0')}`);
  fc.sample(anEntries(NOW), { numRuns: 1, seed: 1 })[0]?.slice(0, 1).forEach((entry) => {
    for (let at = 1; at <= 400; at += 1) {
      directory.put({
        ...entry,
        id: at,
        username: `p${at}`,
        startedAt: NOW,
        status: 'online',
        tags: tagsOf(at),
        state: { active: true, cleared: true, isHidden: false, blockedRegions: [] },
      });
    }
  });
  const search = searchOf({ tag: 'tag-59' });
  const { counts } = tallyOnline(
    search,
    directory,
    { filter: {}, sees, now: NOW },
    (tag) => tag !== 'tag-03',
  );
  const expected = Array.from(
    { length: 60 },
    (_, tag) => [`tag-${String(tag).padStart(2, '0')}`, Math.floor(400 / (tag + 1))] as const,
  )
    .filter(([tag]) => tag !== 'tag-03')
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, 40);
  expect(Object.entries(counts.tag)).toEqual([...expected, ['tag-59', 6]]);
});
