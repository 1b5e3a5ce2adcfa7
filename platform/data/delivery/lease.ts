import type { Clock } from '../clock.ts';

/** A handler awaits its own SQL and quick calls. One that takes longer counts as failed and runs again. */
const HANDLER_LIMIT_MS = 30_000;
/** The clocks of two machines of one site differ by no more than this. */
const CLOCK_SKEW_MS = 5_000;
/**
 * How long a process holds what it takes before others may take it over. Longer than one handler may run, so
 * that a lease renewed between two handlers never ends under one.
 */
const LEASE_MS = 45_000;

/**
 * The end of a lease that begins now. It is also the fence: nobody takes a row over before the lease on it
 * has ended, so every later holder writes a later end, and a statement that names an earlier one changes
 * nothing.
 */
export const leaseFrom = (clock: Clock): Date => new Date(clock.now().getTime() + LEASE_MS);

/** Whether a lease must be renewed before another handler starts, because it could end while that runs. */
export const isShort = (until: Date, clock: Clock): boolean =>
  until.getTime() - clock.now().getTime() < HANDLER_LIMIT_MS + CLOCK_SKEW_MS;

/** Runs a handler within its time limit. Throws what it throws, or that it took too long. */
export async function withinLimit(clock: Clock, name: string, work: () => Promise<void>): Promise<void> {
  let stop = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(new Error('the handler took too long'));
    stop = clock.after(`limit of ${name}`, HANDLER_LIMIT_MS, giveUp);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    stop();
  }
}
