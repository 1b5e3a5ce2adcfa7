import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { anEntry, entries as anEntries } from '#product/testkit/browse-entries.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  learnedAfter,
  MAX_LEARNED_SECONDS,
  MAX_STAY_SECONDS,
  secondsNow,
  staySeconds,
} from './rules/learning.ts';
import type { DirectoryEntry } from './rules/listing/entry.ts';
import { isNew } from './rules/listing/filters.ts';
import { chosenBy, FOR_YOU, forYou, type Taste } from './rules/listing/for-you.ts';
import { scoreOf } from './rules/listing/ranking.ts';

const NOW = Date.parse('2026-03-01T20:00:00Z');
const performer = (id: number, part: Partial<DirectoryEntry> = {}): DirectoryEntry =>
  anEntry({ id, registeredAt: NOW - 400 * DAY_MS, startedAt: NOW - 5 * HOUR_MS, gender: null, ...part });
const tasteOf = (part: Partial<Taste> = {}): Taste => ({
  followed: [],
  hidden: [],
  watched: new Map(),
  watchedTags: new Map(),
  language: 'en',
  ...part,
});
const order = (entries: readonly DirectoryEntry[], taste: Taste): number[] =>
  forYou(entries, taste, NOW).map(({ id }) => id);
const because = (entry: DirectoryEntry, taste: Taste) => chosenBy(taste, [entry])[0]?.because;

const ids = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

describe('for you', () => {
  it('loses nobody, adds nobody, and is the same for entries in any order', () => {
    const taste = fc.record({
      followed: anEntries(NOW, 6),
      hidden: anEntries(NOW, 6),
      watched: anEntries(NOW, 6).map((some) => new Map(some.map((entry) => [entry, entry.id * 60]))),
      watchedTags: fc.constantFrom(new Map<string, number>(), new Map([['dance', 900], ['chess', 5]])),
      language: fc.constantFrom('en', 'de'),
    });
    fc.assert(fc.property(anEntries(NOW), taste, (entries, item) => {
      const ranked = order(entries, item);
      expect(order(entries.toReversed(), item)).toEqual(ranked);
      expect(ranked.toSorted((a, b) => a - b))
        .toEqual(entries.map(({ id }) => id).toSorted((a, b) => a - b));
    }));
  });

  it('is the ranking itself for whom nothing is known of, and gives no reasons', () => {
    fc.assert(fc.property(anEntries(NOW), (entries) => {
      const old = entries.filter(({ registeredAt }) => !isNew(registeredAt, NOW));
      const scores = forYou(old, tasteOf(), NOW).map((entry) => scoreOf(entry, NOW));
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(chosenBy(tasteOf(), old).flatMap((item) => item.because)).toEqual([]);
    }));
  });

  it('puts whom one follows first, then who is like them, and names whom they are like', () => {
    const followed = performer(50, { displayName: 'Luna', tags: ['dance', 'music', 'talk'] });
    const other = performer(51, { displayName: 'Mia', tags: ['talk'] });
    const taste = tasteOf({ followed: [other, followed] });
    const like = performer(2, { tags: ['dance', 'music', 'talk'] });
    expect(order([performer(1), like, followed], taste)).toEqual([50, 2, 1]);
    expect(because(like, taste)).toEqual([{ kind: 'likeFollowed', value: 'Luna' }]);
    expect(because(followed, taste)).toEqual([{ kind: 'followed', value: null }]);
  });

  it('counts time watched, the first minutes more than later ones, and moves nobody down for it', () => {
    fc.assert(fc.property(fc.nat(40_000), fc.nat(40_000), (number, more) => {
      const [less, longer] = [performer(1), performer(2)];
      const taste = tasteOf({ watched: new Map([[less, number], [longer, number + more + 60]]) });
      // Above two hours both have full points, so ids decide the order.
      expect(order([less, longer], taste)).toEqual(number >= 7_200 ? [1, 2] : [2, 1]);
    }));
  });

  it('names a performer and a tag only once they were watched for ten minutes', () => {
    const seen = performer(1, { tags: ['dance', 'chess'] });
    const after = (seconds: number) =>
      because(
        seen,
        tasteOf({
          watched: new Map([[seen, seconds]]),
          watchedTags: new Map([['dance', seconds], ['chess', 3]]),
        }),
      );
    expect(after(599)).toEqual([]);
    expect(after(600)).toEqual([{ kind: 'watched', value: null }, { kind: 'watchedTag', value: 'dance' }]);
    // A watched performer is named on their own tile alone.
    const like = performer(2, { tags: ['dance'] });
    expect(because(
      like,
      tasteOf({
        watched: new Map([[seen, 9_000]]),
        watchedTags: new Map([['dance', 9_000]]),
      }),
    )).toEqual([{ kind: 'watchedTag', value: 'dance' }]);
  });

  it('moves down what three hidden performers and no more followed ones have, and never says so', () => {
    const hidden = ids(90, 3).map((id) => performer(id, { tags: ['chess'], languages: ['fr'] }));
    const [chess, french, plain] = [
      performer(1, { tags: ['chess'] }),
      performer(2, { languages: ['fr'] }),
      performer(3),
    ];
    const all = [chess, french, plain];
    expect(order(all, tasteOf({ hidden }))).toEqual([3, 1, 2]);
    expect(order(all, tasteOf({ hidden: hidden.slice(1) }))).toEqual([1, 2, 3]);
    // Most performers speak the language of the viewer's pages, so it does not explain why some are hidden.
    expect(order(all, tasteOf({ hidden, language: 'fr' }))).toEqual([2, 3, 1]);
    expect(chosenBy(tasteOf({ hidden }), all).flatMap((item) => item.because)).toEqual([]);
    // Watched tags do not count against anybody, and followed or watched performers are not moved down.
    expect(order([plain, chess], tasteOf({ hidden, watchedTags: new Map([['chess', 1]]) }))).toEqual([1, 3]);
    expect(order([plain, chess], tasteOf({ hidden, watched: new Map([[chess, 1]]) }))).toEqual([1, 3]);
    const follows = ids(70, 3).map((id) => performer(id, { tags: ['chess'] }));
    expect(order([plain, chess], tasteOf({ hidden, followed: follows }))).toEqual([1, 3]);
  });

  it('prefers the gender of whom one follows and watches, and does not name it', () => {
    const taste = tasteOf({ watched: new Map([[performer(60, { gender: 'm' }), 30]]) });
    const [man, woman] = [performer(2, { gender: 'm' }), performer(1, { gender: 'f' })];
    expect(order([man, woman], taste)).toEqual([2, 1]);
    expect(because(man, taste)).toEqual([]);
  });

  it('has a tenth of newcomers on each page of every size, however little is known of them', () => {
    const stars = ids(1, 400).map((id) => performer(id, { viewerCount: 900, tags: ['dance'] }));
    const newcomers = ids(1_001, 60).map((id) => performer(id, { registeredAt: NOW - DAY_MS }));
    const taste = tasteOf({ followed: stars.slice(0, 300), watchedTags: new Map([['dance', 9_000]]) });
    const ranked = forYou([...stars, ...newcomers], taste, NOW);
    for (const size of [98, 60, 48, 40]) {
      for (let from = 0; from + size <= 400; from += size) {
        const share = ranked.slice(from, from + size)
          .filter(({ registeredAt }) => NOW - registeredAt < 30 * DAY_MS).length / size;
        expect(share, `${size} from ${from}`).toBeGreaterThanOrEqual(0.1);
      }
    }
  });

  it('has the points that are published', () => {
    expect(FOR_YOU).toEqual({
      followed: 40,
      watched: 30,
      followedTags: 20,
      watchedTags: 20,
      sameGender: 10,
      avoidedTags: -20,
      avoidedLanguages: -10,
    });
  });
});

describe('what is learned of time in a room', () => {
  const at = (ms: number): Date => new Date(NOW + ms);

  it('halves every three weeks', () => {
    const learned = { seconds: 800, countedUntil: at(0) };
    expect([0, 21, 42, 63].map((days) => secondsNow(learned, at(days * DAY_MS))))
      .toEqual([800, 400, 200, 100]);
    // A clock that went backwards adds nothing.
    expect(secondsNow(learned, at(-DAY_MS))).toBe(800);
  });

  it('is an hour of one stay and ten hours in all at most, and nothing of ten seconds', () => {
    expect(staySeconds(at(0), at(9_999), [])).toBe(0);
    expect(staySeconds(at(0), at(10_000), [])).toBe(10);
    expect(staySeconds(at(0), at(9 * HOUR_MS), [])).toBe(3_600);
    const full = learnedAfter({ seconds: 35_999, countedUntil: at(0) }, 3_600, at(0));
    expect(full).toEqual({ seconds: 36_000, countedUntil: at(0) });
    expect([MAX_STAY_SECONDS, MAX_LEARNED_SECONDS]).toEqual([3_600, 36_000]);
  });

  it('leaves out what another tab counted, and what was before something was cleared', () => {
    expect(staySeconds(at(0), at(100_000), [null, at(40_000)])).toBe(60);
    expect(staySeconds(at(0), at(100_000), [at(70_000), at(40_000)])).toBe(30);
    expect(staySeconds(at(0), at(100_000), [at(200_000)])).toBe(0);
  });

  it('never is more than the time that passed, in any number of stays', () => {
    const stays = fc.array(fc.record({ start: fc.nat(50_000), length: fc.nat(50_000) }), { maxLength: 20 });
    fc.assert(fc.property(stays, (some) => {
      const ends = some.map(({ start, length }) => ({ start, end: start + length }))
        .toSorted((a, b) => a.end - b.end);
      let learned: ReturnType<typeof learnedAfter> | undefined;
      for (const { start, end } of ends) {
        const seconds = staySeconds(at(start), at(end), [learned?.countedUntil]);
        if (seconds > 0) learned = learnedAfter(learned, seconds, at(end));
      }
      expect(learned?.seconds ?? 0).toBeLessThanOrEqual(100);
    }));
  });
});
