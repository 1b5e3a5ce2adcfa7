import { Redis } from 'ioredis';
import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Log } from '../delivery/retry.ts';
import { describeError } from '../errors.ts';

/** Waits between reconnects: short at first, then at most a second, so that they hardly prolong an outage. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
/** A start without Redis fails after this time instead of waiting for ever. */
const START_LIMIT_MS = 10_000;
/** An answer takes a millisecond. A connection that gives none for this long is closed and opened again. */
const ANSWER_LIMIT_MS = 2_000;

/** Redis was not reached at the start. The text, without secrets, is for the person starting the program. */
export class RedisUnreachable extends Error {
  constructor(url: string, reason: string) {
    const { hostname, port } = new URL(url);
    super(`Redis cannot be reached at ${hostname}:${port || 6379} (REDIS_URL): ${reason}`);
    this.name = 'RedisUnreachable';
  }
}

/** Options of a connection. */
export interface RedisOptions {
  /** `redis://` or `rediss://`, with the number of a database as its path. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A connection that reconnects by itself. While it is away it queues nothing, and it sends nothing twice:
 * what must not be lost waits in the database. Loss and return are logged once each.
 */
export function connect({ url, log }: RedisOptions, purpose: string): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectionName: `candela-${purpose}`,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
    commandTimeout: ANSWER_LIMIT_MS,
    connectTimeout: ANSWER_LIMIT_MS,
    retryStrategy: (tries) => Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS),
  });
  let isAway = false;
  const lost = (error?: Error): void => {
    if (isAway) return;
    isAway = true;
    log.error({ purpose, ...(error ? describeError(error) : {}) }, 'the connection to Redis was lost');
  };
  redis.on('error', lost);
  redis.on('close', () => lost());
  redis.on('ready', () => {
    if (isAway) log.warn({ purpose }, 'the connection to Redis is back');
    isAway = false;
  });
  return redis;
}

/** Waits until a connection is usable. Throws {@link RedisUnreachable}. */
export async function opened(redis: Redis, { url, clock }: RedisOptions): Promise<void> {
  let stop = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    stop = clock.after('redis.start', START_LIMIT_MS, () => reject(new Error('no answer')));
  });
  try {
    await Promise.race([redis.connect(), late]);
  } catch (error) {
    redis.disconnect();
    throw new RedisUnreachable(url, (error as Error).message);
  } finally {
    stop();
  }
}

/**
 * Prefix of names. Publishing ignores database numbers, so the prefix contains the number to separate sites
 * that share a Redis.
 */
export function prefixOf(url: string): string {
  const database = new URL(url).pathname.slice(1) || '0';
  return `candela:${database}`;
}

/** Parses a value from Redis, where anybody with access may have written it; null when it is malformed. */
export function readAs<T>(text: string, shape: z.ZodType<T>): T | null {
  try {
    const parsed = shape.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
