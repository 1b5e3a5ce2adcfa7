import { refillMs } from '#platform/time/token-bucket.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import type { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { describeError } from '../errors.ts';
import { memoryLimits } from '../limits/memory-limits.ts';
import {
  isBucket,
  LibraryLimits,
  type Limiter,
  type RateLimit,
  type RateLimits,
  type RateLimitStore,
  type Use,
} from '../limits/rate-limits.ts';
import { connect, opened, prefixOf, type RedisOptions } from './connection.ts';

/** How long to wait for limits that refuse while Redis is away (`whenAway`): an outage lasts seconds. */
const AWAY_WAIT_MS = 5_000;

/** The least time Redis stores a bucket: longer than any takes to fill, so that a forgotten one was full. */
const BUCKET_LIFETIME_SECONDS = 60;

/** Part of the names of buckets, by which the script knows them. */
const BUCKET = ':bucket:';

/**
 * The library runs one script per connection, so this script counts both kinds. It counts windows as the
 * library's own script does. A bucket stores what was left of it, and the part of its lifetime that has
 * passed is the time since. Redis measures that time, so processes need no common clock.
 * ARGV: uses, seconds to live, points, seconds of the limit. Returns the uses counted, and the milliseconds
 * until the next use.
 */
const SCRIPT = `
if not string.find(KEYS[1], '${BUCKET}', 1, true) then
  redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  local used = redis.call('incrby', KEYS[1], ARGV[1])
  local ttl = redis.call('pttl', KEYS[1])
  return {used, ttl}
end
local burst, fillMs, keptMs = tonumber(ARGV[3]), tonumber(ARGV[4]) * 1000, tonumber(ARGV[2]) * 1000
local left = burst
local known = redis.call('get', KEYS[1])
if known then
  local elapsedMs = keptMs - redis.call('pttl', KEYS[1])
  left = math.min(burst, tonumber(known) + elapsedMs * burst / fillMs)
end
-- A millionth is what fractions lose on the way through text.
local isAllowed = left >= 0.999999
if isAllowed then left = math.max(0, left - 1) end
redis.call('set', KEYS[1], string.format('%.9f', left), 'PX', keptMs)
if isAllowed then return {burst - math.floor(left), 0} end
return {burst + 1, math.ceil((1 - left) * fillMs / burst)}
`;

/** Limits shared by the processes that use one Redis. */
export interface RedisLimits extends RateLimitStore {
  readonly close: () => void;
}

/** Rejects with `RedisUnreachable` when Redis is away at the start; an outage later on is survived. */
export async function openRedisLimits(options: RedisOptions): Promise<RedisLimits> {
  const redis = connect(options, 'limits');
  await opened(redis, options);
  const local = memoryLimits(options.clock);
  const onError = givingUp(redis, options);
  return {
    family: (name, family) =>
      new SharedLimits(
        new LibraryLimits((limit) => limiterOf(redis, `${prefixOf(options.url)}:limits`, name, limit)),
        family.whenAway === 'local' ? local.family(name, family) : null,
        onError,
      ),
    close: () => {
      redis.removeAllListeners('close');
      redis.disconnect();
    },
  };
}

function limiterOf(redis: Redis, prefix: string, family: string, limit: RateLimit): Limiter {
  const shared = { storeClient: redis, customIncrTtlLuaScript: SCRIPT };
  if (!isBucket(limit)) {
    const limiter = new RateLimiterRedis({
      ...shared,
      keyPrefix: `${prefix}:window:${family}`,
      points: limit.points,
      duration: limit.seconds,
    });
    return {
      consume: (key) => limiter.consume(nameOf(key)).catch(resultOf),
      get: (key) => limiter.get(nameOf(key)),
      delete: (key) => limiter.delete(nameOf(key)),
    };
  }
  const duration = refillMs(limit) / SECOND_MS;
  const customDuration = Math.max(BUCKET_LIFETIME_SECONDS, Math.ceil(duration));
  const limiter = new RateLimiterRedis({
    ...shared,
    keyPrefix: `${prefix}${BUCKET}${family}`,
    points: limit.burst,
    duration,
  });
  return {
    consume: (key) => limiter.consume(nameOf(key), 1, { customDuration }).catch(resultOf),
    get: () => Promise.reject(new Error('only windows are looked at without a use')),
    delete: (key) => limiter.delete(nameOf(key)),
  };
}

/** The library rejects with its result when nothing is left, and with an error when the store is away. */
function resultOf(outcome: unknown): RateLimiterRes {
  if (outcome instanceof RateLimiterRes) return outcome;
  throw outcome;
}

/** Keys name people and addresses: Redis gets digests of them, all of one length. */
const nameOf = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 22);

/**
 * A call that fails on an open connection means that the connection hangs: it is opened again, and no call
 * waits for it.
 */
function givingUp(redis: Redis, { log }: RedisOptions): (error: unknown) => void {
  let isGivenUp = false;
  redis.on('ready', () => {
    isGivenUp = false;
  });
  return (error) => {
    if (isGivenUp || redis.status !== 'ready') return;
    isGivenUp = true;
    log.error(describeError(error), 'limits: Redis does not answer');
    redis.disconnect(true);
  };
}

/** Limits of the shared store, with the family's choice of what happens while it is away. */
class SharedLimits implements RateLimits {
  readonly #shared: RateLimits;
  readonly #local: RateLimits | null;
  readonly #onError: (error: unknown) => void;

  /** @param local counts while the store is away; when null, uses are refused then */
  constructor(shared: RateLimits, local: RateLimits | null, onError: (error: unknown) => void) {
    this.#shared = shared;
    this.#local = local;
    this.#onError = onError;
  }

  readonly take = (key: string, limit: RateLimit): Promise<number> =>
    this.#ask((limits) => limits.take(key, limit), AWAY_WAIT_MS);

  readonly takeAll = (uses: readonly Use[]): Promise<number> =>
    this.#ask((limits) => limits.takeAll(uses), AWAY_WAIT_MS);

  readonly forget = (key: string, limit: RateLimit): Promise<void> =>
    this.#ask((limits) => limits.forget(key, limit), undefined);

  async #ask<T>(question: (limits: RateLimits) => Promise<T>, whenRefused: T): Promise<T> {
    try {
      return await question(this.#shared);
    } catch (error) {
      this.#onError(error);
      return this.#local ? question(this.#local) : whenRefused;
    }
  }
}
