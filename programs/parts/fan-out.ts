import type { Attendance } from '../../platform/data/fan-out/attendance.ts';
import type { Clock } from '../../platform/data/clock.ts';
import type { Bus } from '../../platform/data/data.ts';
import type { Log } from '../../platform/data/delivery/retry.ts';
import { openRedisAttendance } from '../../platform/data/redis/redis-attendance.ts';
import { openRedisBus } from '../../platform/data/redis/redis-bus.ts';

/** Messages between the processes of one site, and how the connection closes. */
export interface FanOut {
  readonly bus: Bus;
  readonly attendance: Attendance;
  readonly close: () => Promise<void>;
}

/** Joins the processes that share a Redis. Rejects with `RedisUnreachable`. */
export async function openFanOut(url: string, clock: Clock, log: Log): Promise<FanOut> {
  const bus = await openRedisBus({ url, clock, log });
  try {
    const attendance = await openRedisAttendance({ url, clock, log });
    const close = async (): Promise<void> => {
      await attendance.close();
      bus.close();
    };
    return { bus, attendance, close };
  } catch (error) {
    bus.close();
    throw error;
  }
}
