import { VirtualClock } from '#platform/data/clock.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CACHED_BYTES, MAX_CACHED_PAGES, PageCache } from './page-cache.ts';

const page = (text: string, status = 200) => ({ status, headers: {}, gzip: Buffer.from(text) });
const textOf = async (answer: Promise<{ gzip: Buffer }>) => (await answer).gzip.toString();

/** A cache over a renderer that counts and can be made to fail. */
function countingCache() {
  const clock = new VirtualClock();
  const cache = new PageCache(clock);
  const state = { renders: 0, fails: false };
  const get = (key = 'a') =>
    textOf(cache.get(key, async () => {
      state.renders += 1;
      if (state.fails) throw new Error('rendering failed');
      return page(`${key}${state.renders}`);
    }));
  return { clock, cache, state, get };
}

describe('PageCache', () => {
  it('renders once while fresh, and once for everybody who waits', async () => {
    const { get, state } = countingCache();
    expect(await Promise.all([get(), get(), get()])).toEqual(['a1', 'a1', 'a1']);
    expect(await get()).toBe('a1');
    expect(state.renders).toBe(1);
  });

  it('serves a stale page while it renders a new one, and the new one after', async () => {
    const { get, clock } = countingCache();
    await get();
    clock.advance(2_000);
    expect(await get()).toBe('a1');
    await Promise.resolve();
    expect(await get()).toBe('a2');
  });

  it('serves nothing older than the limit', async () => {
    const { get, clock } = countingCache();
    await get();
    clock.advance(10_000);
    expect(await get()).toBe('a2');
  });

  it('keeps the old page when a refresh fails, and shows the failure when nothing is left', async () => {
    const { get, clock, state } = countingCache();
    await get();
    state.fails = true;
    clock.advance(2_000);
    expect(await get()).toBe('a1');
    clock.advance(10_000);
    await expect(get()).rejects.toThrow('rendering failed');
    state.fails = false;
    expect(await get()).toBe('a4');
  });

  it('remembers what does not exist as well, and nothing else that is no success', async () => {
    const cache = new PageCache(new VirtualClock());
    let renders = 0;
    const ask = (key: string, status: number) =>
      cache.get(key, async () => {
        renders += 1;
        return page('no', status);
      });
    for (const status of [404, 500, 302, 503]) {
      await ask(`of ${status}`, status);
      await ask(`of ${status}`, status);
    }
    expect([cache.size, renders]).toEqual([1, 7]);
  });

  it('forgets no page for addresses that somebody thought up', async () => {
    const { cache, get, state } = countingCache();
    await get('home');
    for (let nth = 0; nth < 300; nth += 1) await cache.get(`unknown ${nth}`, async () => page('no', 404));
    expect(cache.size).toBe(1 + 256);
    await get('home');
    expect(state.renders).toBe(1);
    for (let nth = 300; nth < 304; nth += 1) {
      await cache.get(`unknown ${nth}`, async () => page('x'.repeat(3 * 1024 * 1024), 404));
    }
    expect(cache.bytes).toBeLessThanOrEqual(4 * 1024 * 1024 + 100);
  });

  it('stays within its bounds whatever is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 64 })), {
          maxLength: 700,
        }),
        async (asked) => {
          const cache = new PageCache(new VirtualClock());
          for (const [key, size] of asked) {
            await cache.get(String(key), async () => page('x'.repeat(size)));
          }
          expect(cache.size).toBeLessThanOrEqual(MAX_CACHED_PAGES);
          expect(cache.size).toBe(Math.min(new Set(asked.map(([key]) => key)).size, MAX_CACHED_PAGES));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('drops the least recently used page beyond its memory', async () => {
    const cache = new PageCache(new VirtualClock());
    const third = Math.ceil(MAX_CACHED_BYTES / 3);
    const big = async () => page('x'.repeat(third));
    for (const key of ['a', 'b', 'a', 'c']) await cache.get(key, big);
    expect(cache.size).toBe(2);
    expect(cache.bytes).toBeLessThanOrEqual(MAX_CACHED_BYTES);
    let renders = 0;
    await cache.get('a', async () => page(`again ${(renders += 1)}`));
    expect(renders).toBe(0);
  });
});
