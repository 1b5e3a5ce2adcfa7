import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { anEntry, entries as anEntries } from '#product/testkit/browse-entries.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DirectoryEntry } from './rules/listing/entry.ts';
import { isNew } from './rules/listing/filters.ts';
import {
  isNewcomer,
  mixed,
  NEWCOMER_EVERY,
  reasonsOf,
  scoreOf,
  sorted,
  SORTS,
  withNewcomers,
} from './rules/listing/ranking.ts';

const NOW = Date.parse('2026-03-01T20:00:00Z');
const old = NOW - 400 * DAY_MS;
const performer = (id: number, part: Partial<DirectoryEntry> = {}): DirectoryEntry =>
  anEntry({ id, registeredAt: old, startedAt: NOW - 5 * HOUR_MS, ...part });
const idsOf = (list: readonly DirectoryEntry[]): number[] => list.map(({ id }) => id);

describe('orders', () => {
  it('are total, lose nobody, and are the same for entries in any order', () => {
    fc.assert(fc.property(anEntries(NOW), fc.constantFrom(...SORTS), fc.nat(), (entries, sort, seed) => {
      const one = sorted(entries, sort, NOW, seed);
      expect(sorted(entries.toReversed(), sort, NOW, seed)).toEqual(one);
      expect(idsOf(one).toSorted((a, b) => a - b)).toEqual(idsOf(entries).toSorted((a, b) => a - b));
    }));
  });

  it('begin with most viewers, the newest, the cheapest, the best rated', () => {
    const list = [
      performer(1, { viewerCount: 3, registeredAt: NOW - DAY_MS, privatePrice: 60, rating: 4 }),
      performer(2, { viewerCount: 9, registeredAt: old, privatePrice: null, rating: null }),
      performer(3, { viewerCount: 3, registeredAt: NOW - 9 * DAY_MS, privatePrice: 12, rating: 4.5 }),
    ];
    expect(idsOf(sorted(list, 'viewers', NOW))).toEqual([2, 1, 3]);
    expect(idsOf(sorted(list, 'newest', NOW))).toEqual([1, 3, 2]);
    expect(idsOf(sorted(list, 'cheapest', NOW))).toEqual([3, 1, 2]);
    expect(idsOf(sorted(list, 'rating', NOW))).toEqual([3, 1, 2]);
  });

  it('at random are fixed by a seed, and differ between seeds', () => {
    const list = Array.from({ length: 50 }, (_, id) => performer(id + 1));
    const orders = [1, 2, 3].map((seed) => idsOf(sorted(list, 'random', NOW, seed)).join(' '));
    expect(new Set(orders).size).toBe(3);
    expect(idsOf(sorted(list, 'random', NOW, 2)).join(' ')).toBe(orders[1]);
    // Nobody is first for most seeds.
    const firsts = Array.from({ length: 500 }, (_, seed) => sorted(list, 'random', NOW, seed)[0]?.id);
    const most = Math.max(...list.map(({ id }) => firsts.filter((first) => first === id).length));
    expect(most).toBeLessThan(60);
    expect(mixed(1, 1)).toBe(mixed(1, 1));
  });
});

describe('the published ranking', () => {
  it('grows with each of its parts, and counts the first viewers more than later ones', () => {
    const base = scoreOf(performer(1), NOW);
    for (const part of [
      { viewerCount: 5 },
      { recentTips: 100 },
      { rating: 3 },
      { followers: 20 },
      { startedAt: NOW - MINUTE_MS },
    ]) expect(scoreOf(performer(1, part), NOW), JSON.stringify(part)).toBeGreaterThan(base);
    const watched = (viewerCount: number): number => scoreOf(performer(1, { viewerCount }), NOW);
    const gain = (from: number): number => watched(from + 10) - watched(from);
    expect(gain(0)).toBeGreaterThan(gain(100));
    const full = performer(1, {
      viewerCount: 1_000_000,
      recentTips: 1_000_000,
      rating: 5,
      followers: 9_000_000,
      startedAt: NOW,
    });
    expect(scoreOf(full, NOW)).toBe(100);
  });

  it('gives freshness for two hours', () => {
    const fresh = (ms: number): number => scoreOf(performer(1, { startedAt: NOW - ms }), NOW);
    expect(fresh(0)).toBe(15);
    expect(fresh(HOUR_MS)).toBe(7.5);
    expect(fresh(2 * HOUR_MS)).toBe(0);
  });

  it('says at most two reasons, the heaviest first, that somebody is new before others', () => {
    const liked = { viewerCount: 900, recentTips: 4_000, rating: 5 };
    expect(reasonsOf(performer(1, liked), NOW)).toEqual(['viewers', 'tips']);
    const recent = performer(1, { ...liked, registeredAt: NOW - DAY_MS });
    expect(reasonsOf(recent, NOW)).toEqual(['newcomer', 'viewers']);
    expect(reasonsOf(performer(1), NOW)).toEqual([]);
  });

  it('shows a newcomer among each nine in a row while there are some', () => {
    const stars = Array.from({ length: 60 }, (_, id) => performer(id + 1, { viewerCount: 500 }));
    const newcomers = Array.from(
      { length: 4 },
      (_, id) => performer(id + 101, { registeredAt: NOW - DAY_MS }),
    );
    const ranked = sorted([...stars, ...newcomers], 'recommended', NOW);
    const places = [...withNewcomers(ranked, (entry) => isNewcomer(entry, NOW))]
      .flatMap((entry, at) => (isNew(entry.registeredAt, NOW) ? [at] : []));
    expect(places).toEqual([8, 17, 26, 35]);
  });

  it('moves newcomers and nobody else out of the order', () => {
    fc.assert(fc.property(fc.array(fc.boolean(), { maxLength: 120 }), (newcomers) => {
      const ranked = newcomers.map((fresh, at) => ({ at, fresh }));
      const shown = [...withNewcomers(ranked, ({ fresh }) => fresh)];
      expect(shown.toSorted((a, b) => a.at - b.at)).toEqual(ranked);
      for (const kind of [true, false]) {
        const same = shown.filter(({ fresh }) => fresh === kind);
        expect(same).toEqual(same.toSorted((a, b) => a.at - b.at));
      }
      const left = (from: number): boolean => shown.slice(from).some(({ fresh }) => fresh);
      for (let from = 0; from + NEWCOMER_EVERY <= shown.length; from += 1) {
        const nine = shown.slice(from, from + NEWCOMER_EVERY);
        if (left(from)) expect(nine.some(({ fresh }) => fresh), `${from}`).toBe(true);
      }
    }));
  });
});
