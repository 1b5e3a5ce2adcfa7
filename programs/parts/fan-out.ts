import type { Attendance } from '#platform/data/attendance.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { Bus } from '#platform/data/data.ts';
import type { Log } from '#platform/data/delivery/retry.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import { openRedisAttendance } from '#platform/data/redis/redis-attendance.ts';
import { openRedisBus } from '#platform/data/redis/redis-bus.ts';
import { openRedisLimits } from '#platform/data/redis/redis-limits.ts';

/** What the processes of one site share besides the database, and how to close its connections. */
export interface FanOut {
  readonly bus: Bus;
  readonly attendance: Attendance;
  readonly limits: RateLimitStore;
  readonly close: () => Promise<void>;
}

/** Joins the processes of a site over Redis. Rejects with `RedisUnreachable`. */
export async function openFanOut(url: string, clock: Clock, log: Log): Promise<FanOut> {
  const closing: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.toReversed()) await end();
  };
  try {
    const bus = await openRedisBus({ url, clock, log });
    closing.push(bus.close);
    const limits = await openRedisLimits({ url, clock, log });
    closing.push(limits.close);
    const attendance = await openRedisAttendance({ url, clock, log });
    closing.push(attendance.close);
    return { bus, attendance, limits, close };
  } catch (error) {
    await close();
    throw error;
  }
}
