import type { VirtualClock } from '#platform/data/clock.ts';

/** Timers and date for page code, in place of the process's own (`tools/pages/page-clock.ts`). */
interface PageClock {
  readonly setTimeout: (task: () => void, delayMs?: number) => number;
  readonly clearTimeout: (id?: number) => void;
  readonly setInterval: (task: () => void, periodMs?: number) => number;
  readonly clearInterval: (id?: number) => void;
  readonly Date: DateConstructor;
  /** Milliseconds since the page was opened. */
  readonly performance: { readonly now: () => number };
  /** The clock of the page's sockets; the process's by default. */
  readonly ofSockets?: PageClock | null;
}

/**
 * Binds the clock of page code to a site's virtual clock: `site.passes(ms)` advances both. Timers of the
 * previous page are cleared, like those of any page that was left.
 * @param ahead how far the browser's clock is ahead of the site's now, in ms; it may be set later too
 * @param asleep how long the device has slept since the page was opened, in ms: its running time stood still
 * @param hasSockets whether sockets use that clock too: then an answer must arrive before it advances
 */
export function bindPageClock(
  clock: VirtualClock,
  { ahead, asleep, hasSockets }: {
    readonly ahead: () => number;
    readonly asleep: () => number;
    readonly hasSockets: boolean;
  },
): void {
  const timers = new Map<number, () => void>();
  const openedAt = clock.now().getTime();
  let last = 0;
  const start = (begin: (task: () => void) => () => void, task: () => void, repeats: boolean): number => {
    last += 1;
    const id = last;
    timers.set(
      id,
      begin(() => {
        if (!repeats) timers.delete(id);
        if (isCurrent()) task();
      }),
    );
    return id;
  };
  const stop = (id?: number): void => {
    timers.get(id ?? 0)?.();
    timers.delete(id ?? 0);
  };
  class SiteDate extends Date {
    constructor(...given: [] | [number | string | Date]) {
      if (given.length === 0) super(SiteDate.now());
      else super(...given);
    }

    static override now(): number {
      return clock.now().getTime() + ahead();
    }
  }
  const own: PageClock = {
    setTimeout: (task, delayMs = 0) => start((run) => clock.after('page', delayMs, run), task, false),
    clearTimeout: stop,
    setInterval: (task, periodMs = 0) => start((run) => clock.every('page', periodMs, run), task, true),
    clearInterval: stop,
    Date: SiteDate as DateConstructor,
    performance: { now: () => clock.now().getTime() - openedAt - asleep() },
  };
  const bound: PageClock = { ...own, ofSockets: hasSockets ? own : null };
  const holder = globalThis as typeof globalThis & { pageClock?: PageClock };
  const isCurrent = (): boolean => holder.pageClock === bound;
  holder.pageClock = bound;
}
