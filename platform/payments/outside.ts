import type { Clock } from '#platform/data/clock.ts';
import type { Outside } from './biller.ts';

/** `fetch` with a limit in milliseconds on each request; redirects are returned, not followed. */
export const outsideWithin = (limitMs: number, clock: Clock): Outside => ({
  fetch: (input, init) => fetch(input, { redirect: 'manual', ...init, signal: AbortSignal.timeout(limitMs) }),
  now: clock.now,
});
