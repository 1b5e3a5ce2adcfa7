import { takeToken, type Bucket } from '#platform/time/token-bucket.ts';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, VirtualClock } from '../clock.ts';
import { openRedisLimits, type RedisLimits } from '../redis/redis-limits.ts';
import { startRedis, whyNoRedis, type TestRedis } from '../redis/testing.ts';
import { memoryLimits } from './memory-limits.ts';
import type { FamilyOptions, RateLimits, RateLimitStore } from './rate-limits.ts';

const LOCAL: FamilyOptions = { maxKeys: 10_000, whenAway: 'local' };
const REFUSE: FamilyOptions = { maxKeys: 10_000, whenAway: 'refuse' };
const FIVE = { points: 5, seconds: 60 };
/** Real milliseconds pass between the steps of a test over Redis. */
const SLACK_MS = 5_000;

const missing = whyNoRedis();
const quiet = { warn: () => undefined, error: () => undefined };

/** A store under test, and its time. */
interface World {
  readonly store: RateLimitStore;
  readonly advance: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

async function inMemory(): Promise<World> {
  const clock = new VirtualClock();
  return {
    store: memoryLimits(clock),
    advance: async (ms) => clock.advance(ms),
    close: async () => undefined,
  };
}

async function overRedis(): Promise<World> {
  const redis = await startRedis();
  const admin = new Redis(redis.url);
  const store = await openRedisLimits({ url: redis.url, clock: systemClock, log: quiet });
  return {
    store,
    // Lets time pass for Redis by shortening the life of every key.
    advance: async (ms) =>
      void await admin.eval(
        `
      for _, key in ipairs(redis.call('keys', '*')) do
        local left = redis.call('pttl', key) - tonumber(ARGV[1])
        if left > 0 then redis.call('pexpire', key, left) else redis.call('del', key) end
      end`,
        0,
        ms,
      ),
    close: async () => {
      store.close();
      admin.disconnect();
      await redis.stop();
    },
  };
}

const WORLDS: readonly (readonly [string, () => Promise<World>])[] = [
  ['in memory', inMemory],
  ...(missing === null ? [['over Redis', overRedis] as const] : []),
];

const takes = async (limits: RateLimits, times: number, key = 'kai', limit = FIVE): Promise<number[]> => {
  const waits: number[] = [];
  for (let nth = 0; nth < times; nth += 1) waits.push(await limits.take(key, limit));
  return waits;
};

describe.each(WORLDS)('limits %s', (_name, open) => {
  let world: World;
  let families = 0;
  const family = (options = LOCAL): RateLimits => world.store.family(`test.${families += 1}`, options);
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world.close());

  it('a window allows its points, then says how long it still lasts', async () => {
    const limits = family();
    const waits = await takes(limits, 7);
    expect(waits.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    for (const wait of waits.slice(5)) {
      expect(wait).toBeGreaterThan(60_000 - SLACK_MS);
      expect(wait).toBeLessThanOrEqual(60_000);
    }
  });

  it('a window begins with its first use, ends on time and is not prolonged', async () => {
    const limits = family();
    await takes(limits, 5);
    await world.advance(30_000);
    const [wait = 0] = await takes(limits, 1);
    expect(wait).toBeGreaterThan(30_000 - SLACK_MS);
    expect(wait).toBeLessThanOrEqual(30_000);
    await world.advance(30_000);
    expect(await takes(limits, 6)).toEqual([0, 0, 0, 0, 0, expect.any(Number)]);
    expect((await takes(limits, 1))[0]).toBeGreaterThan(60_000 - SLACK_MS);
  });

  it('keys and families are counted apart; what is forgotten begins again', async () => {
    const [one, other] = [family(), family()];
    await takes(one, 6);
    expect(await one.take('lea', FIVE)).toBe(0);
    expect(await other.take('kai', FIVE)).toBe(0);
    expect(await one.take('kai', FIVE)).toBeGreaterThan(0);
    await one.forget('kai', FIVE);
    expect(await takes(one, 5)).toEqual([0, 0, 0, 0, 0]);
  });

  it('uses at the same time do not slip past a limit', async () => {
    const limits = family();
    const waits = await Promise.all(Array.from({ length: 50 }, () => limits.take('kai', FIVE)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
    const bucket = { burst: 4, perMinute: 6 };
    const paced = await Promise.all(Array.from({ length: 50 }, () => limits.take('kai', bucket)));
    expect(paced.filter((wait) => wait === 0)).toHaveLength(4);
  });

  it('of several keys all are counted, or none', async () => {
    const limits = family(REFUSE);
    const own = { key: 'own', limit: FIVE };
    const room = { key: 'room', limit: { points: 8, seconds: 120 } };
    for (let nth = 0; nth < 5; nth += 1) expect(await limits.takeAll([own, room])).toBe(0);
    // A caller without any use left takes nothing from the limits that others share.
    for (let nth = 0; nth < 9; nth += 1) expect(await limits.takeAll([own, room])).toBeGreaterThan(0);
    const others = { key: 'others', limit: FIVE };
    for (let nth = 0; nth < 3; nth += 1) expect(await limits.takeAll([others, room])).toBe(0);
    const wait = await limits.takeAll([others, room, own]);
    expect(wait).toBeGreaterThan(120_000 - SLACK_MS);
    expect(await limits.take('others', FIVE)).toBe(0);
    await limits.forget('own', FIVE);
    expect(await limits.take('own', FIVE)).toBe(0);
  });

  it('a bucket allows its burst, then refills steadily and never beyond', async () => {
    const limits = family();
    const slow = { burst: 3, perMinute: 3 };
    const take = (): Promise<number> => limits.take('kai', slow);
    expect([await take(), await take(), await take()]).toEqual([0, 0, 0]);
    const wait = await take();
    expect(wait).toBeGreaterThan(20_000 - SLACK_MS);
    expect(wait).toBeLessThanOrEqual(20_000);
    await world.advance(20_000);
    expect(await take()).toBe(0);
    expect(await take()).toBeGreaterThan(0);
    await world.advance(10 * 60_000);
    expect([await take(), await take(), await take()]).toEqual([0, 0, 0]);
    expect(await take()).toBeGreaterThan(0);
  });

  it('a bucket keeps what is left of it when its rate changes', async () => {
    const limits = family();
    const [slow, fast] = [{ burst: 3, perMinute: 3 }, { burst: 8, perSecond: 0.2 }];
    for (let nth = 0; nth < 3; nth += 1) await limits.take('kai', slow);
    const wait = await limits.take('kai', fast);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(5_000);
    await world.advance(5_000);
    expect(await limits.take('kai', fast)).toBe(0);
    expect(await limits.take('kai', slow)).toBeGreaterThan(0);
  });

  it('counts as the plain model does, whatever comes when', async () => {
    const rate = { burst: 4, perMinute: 6 };
    const steps = fc.array(fc.constantFrom('use', 'use', 'use', 'pass'), { minLength: 20, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const limits = family();
        let nowMs = 0;
        let window = { used: 0, endsAtMs: 0 };
        let bucket: Bucket | null = null;
        for (const step of script) {
          if (step === 'pass') {
            // A token and a quarter, so that the time the test itself takes changes nothing.
            await world.advance(12_500);
            nowMs += 12_500;
            continue;
          }
          if (window.endsAtMs <= nowMs) window = { used: 0, endsAtMs: nowMs + 60_000 };
          window = { ...window, used: window.used + 1 };
          expect((await limits.take('kai', FIVE)) === 0).toBe(window.used <= FIVE.points);
          const next = takeToken(bucket, rate, nowMs);
          bucket = next.bucket;
          expect((await limits.take('kai', rate)) === 0).toBe(next.waitMs === 0);
        }
      }),
      { numRuns: 10 },
    );
  });
});

it('memory remembers no more keys than it may, and forgets the oldest first', async () => {
  const limits = memoryLimits(new VirtualClock()).family('small', { maxKeys: 100, whenAway: 'local' });
  for (let nth = 0; nth < 100; nth += 1) await takes(limits, 6, `key ${nth}`);
  expect(await limits.take('key 0', FIVE)).toBeGreaterThan(0);
  await limits.take('one more', FIVE);
  expect(await limits.take('key 1', FIVE)).toBeGreaterThan(0);
  expect(await limits.take('key 0', FIVE)).toBe(0);
  const bucket = { burst: 1, perMinute: 1 };
  for (let nth = 0; nth < 101; nth += 1) await limits.take(`key ${nth}`, bucket);
  expect(await limits.take('key 100', bucket)).toBeGreaterThan(0);
  expect(await limits.take('key 0', bucket)).toBe(0);
});

describe.skipIf(
  missing !== null,
)(`processes that share a Redis${missing === null ? '' : `: ${missing}`}`, () => {
  let redis: TestRedis;
  let store: RedisLimits;
  const open = (): Promise<RedisLimits> =>
    openRedisLimits({ url: redis.url, clock: systemClock, log: quiet });

  beforeAll(async () => {
    redis = await startRedis();
    store = await open();
  });
  afterAll(async () => {
    store.close();
    await redis.stop();
  });

  it('hold over processes, and Redis learns neither addresses nor names', async () => {
    const other = await open();
    try {
      const [here, there] = [store.family('shared', REFUSE), other.family('shared', REFUSE)];
      expect([...await takes(here, 3, 'person 7'), ...await takes(there, 2, 'person 7')])
        .toEqual([0, 0, 0, 0, 0]);
      expect(await here.take('person 7', FIVE)).toBeGreaterThan(0);
      expect(await there.take('person 7', FIVE)).toBeGreaterThan(0);
      await there.forget('person 7', FIVE);
      expect(await here.take('person 7', FIVE)).toBe(0);
      const admin = new Redis(redis.url);
      expect((await admin.keys('*')).join(' ')).not.toContain('person');
      admin.disconnect();
    } finally {
      other.close();
    }
  });

  it('while Redis is away count each for itself, and refuse what must not be guessed', async () => {
    const [reads, guesses] = [store.family('reads', LOCAL), store.family('guesses', REFUSE)];
    await redis.dies();
    expect(await takes(reads, 6)).toEqual([0, 0, 0, 0, 0, expect.any(Number)]);
    expect(await guesses.take('kai', FIVE)).toBe(5_000);
    expect(await guesses.takeAll([{ key: 'kai', limit: FIVE }])).toBe(5_000);
    await expect(guesses.forget('kai', FIVE)).resolves.toBeUndefined();
    await redis.returns();
    await expect.poll(() => guesses.take('kai', FIVE), { timeout: 30_000, interval: 50 }).toBe(0);
  });
});
