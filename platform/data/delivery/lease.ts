import type { Clock } from '../clock.ts';

/** A handler awaits its own SQL and quick calls. One that takes longer counts as failed and runs again. */
const HANDLER_LIMIT_MS = 30_000;
/** The most by which the clocks of two machines of a site may differ. */
const CLOCK_SKEW_MS = 5_000;
/**
 * How long a process holds rows before others may take them over. Longer than one handler may run, so that a
 * lease renewed between two handlers never ends during one.
 */
const LEASE_MS = 45_000;

/**
 * The end of a lease that begins now. It is also a fencing token: nobody takes a row over before its lease
 * has ended, so every later holder writes a later end, and a statement that names an earlier one changes
 * nothing.
 */
export const leaseFrom = (clock: Clock): Date => new Date(clock.now().getTime() + LEASE_MS);

/**
 * Whether a lease must be renewed before the next handler starts, because it could end during that handler.
 */
export const isShort = (until: Date, clock: Clock): boolean =>
  until.getTime() - clock.now().getTime() < HANDLER_LIMIT_MS + CLOCK_SKEW_MS;

/** Runs a handler within its time limit. Throws its error, or that it took too long. */
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
