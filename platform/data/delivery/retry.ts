import type { Clock } from '../clock.ts';

/** Failures after which a row is parked for a person: about 4 minutes of waiting, longer than any restart. */
export const MAX_ATTEMPTS = 8;
const FIRST_WAIT_MS = 1_000;
/** Beyond five minutes a longer wait only hides the trouble. */
const LONGEST_WAIT_MS = 300_000;
/** A handler awaits its own SQL and quick calls. One that takes longer counts as failed and runs again. */
const HANDLER_LIMIT_MS = 30_000;
/** How long a taken row stays with its process: longer than the handler may take. */
export const HOLD_MS = 45_000;

/** How long to wait after this many failures (1 is the first): 1 s, doubling, at most 5 min. */
export const waitAfter = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);

/** Where delivery reports: `fields` never hold payloads, for those are people's words. */
export interface Log {
  readonly warn: (fields: Readonly<Record<string, unknown>>, text: string) => void;
  readonly error: (fields: Readonly<Record<string, unknown>>, text: string) => void;
}

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
