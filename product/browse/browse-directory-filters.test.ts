import { DAY_MS } from '#platform/time/units.ts';
import { GENDERS } from '#product/accounts/rules.ts';
import { AGE_RANGES, BROWSE_REGIONS, ETHNICITIES } from '#product/performers/rules.ts';
import { anEntry, entries as anEntries } from '#product/testkit/browse-entries.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DirectoryEntry } from './rules/listing/entry.ts';
import type { Filter } from './rules/listing/filters.ts';
import { sorted, SORTS } from './rules/listing/ranking.ts';
import { Directory } from './server/directory/directory.ts';

const NOW = Date.parse('2026-03-01T20:00:00Z');

/** What a listing should show, in plain conditions without the slice's own predicates. */
function isListed(entry: DirectoryEntry, filter: Filter): boolean {
  const one = <T>(wanted: readonly T[] | undefined, has: T | null): boolean =>
    wanted === undefined || (has !== null && wanted.includes(has));
  const price = (range: Filter['privateRate'], of: number | null): boolean =>
    range === undefined || (of !== null && of >= range.from && of <= range.to);
  const isAsked = entry.privatePrice !== null && entry.voyeur === null;
  const shows: Record<NonNullable<Filter['show']>, boolean> = {
    any: true,
    private: isAsked,
    ticket: entry.status === 'limited',
    spy: entry.spyPrice !== null && entry.status === 'private' && !entry.isExclusive,
    cam2cam: isAsked && entry.takesPrivateCameras,
    exclusive: isAsked && entry.exclusivePrice !== null && entry.status === 'online' && !entry.hasTicketShow,
    control: entry.controlRate !== null,
  };
  const isNewcomer = NOW - entry.registeredAt < 30 * DAY_MS;
  return one(filter.genders, entry.gender) && one(filter.regions, entry.region)
    && one(filter.countries, entry.country) && one(filter.ageRanges, entry.ageRange)
    && one(filter.ethnicities, entry.ethnicity)
    && !(filter.hidden ?? []).some((gender) => gender === entry.gender)
    && (filter.languages === undefined || entry.languages.some((code) => filter.languages?.includes(code)))
    && (filter.tags ?? []).every((tag) => entry.tags.includes(tag))
    && (filter.withoutTags ?? []).every((tag) => !entry.tags.includes(tag))
    && price(filter.privateRate, entry.privatePrice) && price(filter.controlRate, entry.controlRate)
    && (filter.show === undefined || shows[filter.show])
    && (filter.role === undefined || entry.roles.includes(filter.role))
    && (filter.studio === undefined || entry.studio === filter.studio)
    && (filter.voyeur === undefined || entry.voyeur === filter.voyeur
      || (filter.voyeur === 'any' && entry.voyeur !== null))
    && (!filter.isNew || isNewcomer) && (!filter.isRated || entry.rating !== null)
    && (!filter.isPrivateRated || entry.privateRating !== null)
    && (!filter.isIndependent || entry.isIndependent) && (!filter.hasGoal || entry.goal !== null)
    && (!filter.hasFanclub || entry.hasFanclub) && (!filter.isOnHome || entry.isOnHome)
    && (filter.ids === undefined || filter.ids.has(entry.id)) && !filter.withoutIds?.has(entry.id)
    && (filter.also === undefined || isListed(entry, filter.also));
}

const isOn = ({ startedAt, status }: DirectoryEntry): boolean => startedAt !== null && status !== 'offline';
type Sees = (entry: DirectoryEntry) => boolean;
const naive = (entries: readonly DirectoryEntry[], filter: Filter, sees: Sees) =>
  entries.filter((entry) => isListed(entry, filter) && sees(entry));

const range = fc.tuple(fc.constantFrom(6, 12, 30), fc.constantFrom(12, 60, 120))
  .map(([from, to]) => ({ from, to }));
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 250 }).map((list) => new Set(list));
const part: fc.Arbitrary<Filter> = fc.record({
  genders: fc.subarray([...GENDERS]),
  hidden: fc.subarray([...GENDERS]),
  languages: fc.subarray(['de', 'en', 'es']),
  regions: fc.subarray([...BROWSE_REGIONS]),
  countries: fc.subarray(['RO', 'CO']),
  tags: fc.subarray(['dance', 'music'], { maxLength: 2 }),
  withoutTags: fc.subarray(['chess', 'dance']),
  ageRanges: fc.subarray([...AGE_RANGES]),
  ethnicities: fc.subarray([...ETHNICITIES]),
  privateRate: range,
  controlRate: range,
  show: fc.constantFrom('any', 'private', 'spy', 'ticket', 'exclusive', 'cam2cam', 'control'),
  role: fc.constantFrom('voyeur', 'independent', 'nobody'),
  studio: fc.constantFrom('harbour', 'nowhere'),
  isNew: fc.boolean(),
  isRated: fc.boolean(),
  isPrivateRated: fc.boolean(),
  isIndependent: fc.boolean(),
  hasFanclub: fc.boolean(),
  isOnHome: fc.boolean(),
  hasGoal: fc.boolean(),
  voyeur: fc.constantFrom('any', 'bedroom', 'other'),
  ids,
  withoutIds: ids,
}, { requiredKeys: [] });
/** Most filters have few parts, so that they match somebody. */
const places = fc.array(fc.nat(23), { maxLength: 4 });
const filters: fc.Arbitrary<Filter> = fc.tuple(part, part, places, fc.boolean())
  .map(([all, more, chosen, isNested]) => {
    const only = (filter: Filter): Filter =>
      Object.fromEntries(
        Object.entries(filter).filter((_, at) => chosen.includes(at)),
      );
    return isNested ? { ...only(all), also: only(more) } : only(all);
  });
const sees = ({ state }: DirectoryEntry): boolean =>
  state.active && state.cleared && !state.blockedRegions.includes('DE');
/** What viewers in Florida may perceive: a second remembered function. */
const seesInFlorida = ({ state }: DirectoryEntry): boolean =>
  state.active && state.cleared && !state.blockedRegions.includes('US-FL');
const filled = (entries: readonly DirectoryEntry[]): Directory => {
  const directory = new Directory();
  for (const entry of entries) directory.put(entry);
  return directory;
};
const idsOf = (entries: readonly DirectoryEntry[]): number[] => entries.map(({ id }) => id);

describe('a listing of the directory', () => {
  it('has whom a naive reading of the filter has, counted alike, and nobody who is not perceived', () => {
    fc.assert(
      fc.property(anEntries(NOW), filters, fc.constantFrom(...SORTS), fc.nat(99), (
        entries,
        filter,
        sort,
        seed,
      ) => {
        const expected = sorted(naive(entries.filter(isOn), filter, sees), 'viewers', NOW);
        const directory = filled(entries);
        const query = { filter, sort, seed, sees, now: NOW };
        const { entries: all, total } = directory.list({ ...query, offset: 0, limit: 1_000 });
        expect(idsOf(all).toSorted((a, b) => a - b)).toEqual(idsOf(expected).toSorted((a, b) => a - b));
        expect(total).toBe(expected.length);
        const counted: number[] = [];
        directory.each(filter, sees, NOW, ({ id }) => counted.push(id));
        expect(counted.toSorted((a, b) => a - b)).toEqual(idsOf(expected).toSorted((a, b) => a - b));
        const pages: DirectoryEntry[] = [];
        for (let offset = 0; offset <= total; offset += 7) {
          const page = directory.list({ ...query, offset, limit: 7 });
          expect(page.total).toBe(total);
          pages.push(...page.entries);
        }
        expect(idsOf(pages)).toEqual(idsOf(all));
      }),
      { numRuns: 300 },
    );
  });

  it('has who is offline after everybody else, the latest first, where it shows them at all', () => {
    fc.assert(fc.property(anEntries(NOW), filters, (entries, filter) => {
      const query = { filter, sort: 'viewers' as const, sees, now: NOW, offset: 0, limit: 1_000 };
      const { entries: all, total } = filled(entries).list({ ...query, withOffline: true });
      const on = naive(entries.filter(isOn), filter, sees);
      const off = naive(entries.filter((entry) => !isOn(entry)), filter, sees);
      expect(total).toBe(on.length + off.length);
      expect(idsOf(all.slice(0, on.length))).toEqual(idsOf(sorted(on, 'viewers', NOW)));
      expect(idsOf(all.slice(on.length))).toEqual(idsOf(
        off.toSorted((a, b) => (b.lastLiveAt ?? 0) - (a.lastLiveAt ?? 0) || a.id - b.id),
      ));
    }));
  });

  it('is the same after any series of changes as of a directory that was never another', () => {
    const change = fc.record({ at: fc.nat(39), with: fc.nat(39), isGone: fc.boolean() });
    fc.assert(
      fc.property(anEntries(NOW), fc.array(change, { maxLength: 60 }), filters, (
        entries,
        changes,
        filter,
      ) => {
        const directory = filled(entries);
        const known = new Map(entries.map((entry) => [entry.id, entry]));
        const queries = SORTS.flatMap((sort) =>
          [{}, filter].flatMap((item) =>
            [sees, seesInFlorida].map((by) => ({
              filter: item,
              sort,
              seed: 3,
              sees: by,
              now: NOW,
              offset: 0,
              limit: 1_000,
            }))
          )
        );
        const answers = (item: Directory): unknown => queries.map((query) => item.list(query));
        for (const { at, with: other, isGone } of changes) {
          const [entry, source] = [entries[at], entries[other]];
          if (!entry || !source) continue;
          const next = { ...source, id: entry.id, username: entry.username };
          if (isGone) directory.delete(entry.id);
          else directory.put(next);
          if (isGone) known.delete(entry.id);
          else known.set(entry.id, next);
          answers(directory);
        }
        const fresh = filled([...known.values()]);
        expect(answers(directory)).toEqual(answers(fresh));
        expect([directory.size, directory.onlineCount]).toEqual([fresh.size, fresh.onlineCount]);
        const copy = filled(entries);
        answers(copy);
        copy.become(fresh);
        expect(answers(copy)).toEqual(answers(fresh));
      }),
      { numRuns: 50 },
    );
  });

  it('of many shows no entry of a moment ago: nobody who left, nothing old, and who has just come', () => {
    const many = Array.from(
      { length: 600 },
      (_, at) => anEntry({ id: at + 1, startedAt: NOW - 1, viewerCount: at }),
    );
    const directory = filled(many);
    const list = (now: number) =>
      directory.list({
        filter: {},
        sort: 'viewers',
        sees,
        now,
        offset: 0,
        limit: 1_000,
      });
    expect(list(NOW).entries[0]?.id).toBe(600);
    directory.change(600, { topic: 'new words', viewerCount: 0 });
    directory.change(599, { startedAt: null });
    directory.put(anEntry({ id: 900, startedAt: NOW, viewerCount: 10_000 }));
    const soon = list(NOW + 999);
    // The order is up to a second old; the entries are current.
    expect(soon.entries[0]).toMatchObject({ id: 600, topic: 'new words', viewerCount: 0 });
    expect(soon.total).toBe(600);
    expect(idsOf(soon.entries)).not.toContain(599);
    expect(soon.entries.at(-1)?.id).toBe(900);
    expect(list(NOW + 1_000).entries[0]?.id).toBe(900);
    directory.delete(900);
    expect(idsOf(list(NOW + 1_001).entries)).not.toContain(900);
  });

  it('has a tenth of newcomers on each page of those recommended, also where few match', () => {
    const make = (from: number, count: number, more: Partial<DirectoryEntry>) =>
      Array.from({ length: count }, (_, at) => anEntry({ id: from + at, startedAt: NOW - DAY_MS, ...more }));
    const old = { registeredAt: NOW - 400 * DAY_MS, viewerCount: 500 };
    const directory = filled([
      ...make(1, 300, old),
      ...make(1_001, 300, { ...old, gender: 'm' }),
      ...make(2_001, 40, { gender: 'm', registeredAt: NOW - DAY_MS, viewerCount: 0 }),
    ]);
    for (const [limit, tenth] of [[98, 10], [60, 6], [48, 5], [40, 4], [20, 2]] as const) {
      const seen = new Set<number>();
      for (let offset = 0; offset < 340; offset += limit) {
        const { entries, total } = directory.list({
          filter: { genders: ['m'] },
          sort: 'recommended',
          sees,
          now: NOW,
          offset,
          limit,
        });
        expect(total).toBe(340);
        const newcomers = entries.filter(({ id }) => id > 2_000).length;
        if (offset < 98) expect(newcomers, `${limit} from ${offset}`).toBeGreaterThanOrEqual(tenth);
        for (const { id } of entries) seen.add(id);
      }
      expect(seen.size).toBe(340);
    }
  });

  it('moves who has just come online down as time passes, without any change', () => {
    const directory = filled([
      anEntry({ id: 1, startedAt: NOW, viewerCount: 0 }),
      anEntry({ id: 2, startedAt: NOW - DAY_MS, viewerCount: 3 }),
    ]);
    const first = (now: number) =>
      directory.list({
        filter: {},
        sort: 'recommended',
        sees,
        now,
        offset: 0,
        limit: 1,
      }).entries[0]?.id;
    expect(first(NOW)).toBe(1);
    expect(first(NOW + 2 * 3_600_000)).toBe(2);
  });
});

describe('whom a viewer may not perceive', () => {
  it('is out of the next list and count at once, however many are remembered, and back as soon', () => {
    const directory = filled(Array.from({ length: 700 }, (_, at) => anEntry({ id: at + 1, startedAt: NOW })));
    const found = (by: typeof sees) => {
      const { entries, total } = directory.list({
        filter: { genders: ['f'] },
        sort: 'newest',
        sees: by,
        now: NOW,
        offset: 0,
        limit: 1_000,
      });
      return { has: entries.some(({ id }) => id === 650), listed: entries.length, total };
    };
    const [all, fewer] = [{ has: true, listed: 700, total: 700 }, { has: false, listed: 699, total: 699 }];
    expect([found(sees), found(seesInFlorida)]).toEqual([all, all]);
    directory.change(650, {
      state: {
        active: true,
        cleared: true,
        isHidden: false,
        blockedRegions: ['US-FL'],
      },
    });
    expect([found(sees), found(seesInFlorida)]).toEqual([all, fewer]);
    directory.change(650, { state: { active: false, cleared: true, isHidden: false, blockedRegions: [] } });
    expect([found(sees), found(seesInFlorida)]).toEqual([fewer, fewer]);
    directory.change(650, { state: { active: true, cleared: true, isHidden: false, blockedRegions: [] } });
    expect([found(sees), found(seesInFlorida)]).toEqual([all, all]);
    directory.change(650, { startedAt: null });
    // A performer who takes over a position inherits nothing from the one who left.
    directory.put(anEntry({ id: 900, startedAt: NOW, gender: 'm' }));
    expect([found(sees), found(seesInFlorida)]).toEqual([fewer, fewer]);
  });
});

describe('names', () => {
  it('lead to whoever has them now', () => {
    const directory = filled([anEntry({ id: 1, username: 'ada' }), anEntry({ id: 2, username: 'bea' })]);
    directory.put(anEntry({ id: 1, username: 'ann' }));
    expect(directory.named('ada')).toBeUndefined();
    expect(directory.named('ann')?.id).toBe(1);
    directory.delete(2);
    expect(directory.named('bea')).toBeUndefined();
  });

  it('that somebody else has taken are theirs, whoever is changed later', () => {
    const directory = filled([anEntry({ id: 1, username: 'ada' }), anEntry({ id: 2, username: 'bea' })]);
    directory.put(anEntry({ id: 2, username: 'ada' }));
    directory.put(anEntry({ id: 1, username: 'ann' }));
    expect(directory.named('ada')?.id).toBe(2);
    directory.delete(1);
    expect(directory.named('ada')?.id).toBe(2);
  });
});

it('calls its watchers back with every change', () => {
  const directory = filled([anEntry({ id: 1 })]);
  const changes: (string | number)[] = [];
  directory.watch((id, entry) => changes.push(entry ? `${id} ${entry.topic}` : id));
  directory.change(1, { topic: 'words' });
  directory.change(2, { topic: 'of nobody' });
  directory.delete(1);
  directory.delete(1);
  expect(changes).toEqual(['1 words', 1]);
});
