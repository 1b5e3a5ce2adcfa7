import { MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';
import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { useServerClock, type ServerClock } from './server-clock.ts';

/** The time between two requests whether something has ended: a late server is not asked each second. */
const ASK_EVERY_MS = 5_000;
/** A far moment is looked at this often: a device may sleep in between, or its timer run long. */
const LOOK_EVERY_MS = MINUTE_MS;

/** Whole seconds until a moment, rounded up; 0 when it is past. */
export const secondsUntil = (untilMs: number, nowMs: number): number =>
  Math.max(0, Math.ceil((untilMs - nowMs) / SECOND_MS));

/** Notifies each second while there is something to count, and when the clock was measured again. */
function countsBy(clock: ServerClock, isOver: () => boolean, notify: () => void): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const count = (): void => {
    notify();
    if (isOver()) return stop();
    timer ??= setInterval(() => {
      clock.check();
      count();
    }, SECOND_MS);
    return undefined;
  };
  const end = clock.subscribe(count);
  count();
  return () => {
    end();
    stop();
  };
}

/**
 * Whole seconds until a moment of the server's clock, counted down; the server decides when it is reached.
 */
export function useSecondsUntil(atMs: number): number {
  const clock = useServerClock();
  const left = useCallback(() => secondsUntil(atMs, clock.now()), [atMs, clock]);
  const subscribe = useCallback(
    (notify: () => void) => countsBy(clock, () => left() === 0, notify),
    [clock, left],
  );
  return useSyncExternalStore(subscribe, left, () => secondsUntil(atMs, clock.startMs));
}

/** Whether a moment of the server's clock is past: for what only shows or hides, without counting seconds. */
export function useIsPast(atMs: number): boolean {
  const clock = useServerClock();
  const isPast = useCallback(() => clock.now() >= atMs, [atMs, clock]);
  const subscribe = useCallback((notify: () => void) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      notify();
      clearTimeout(timer);
      if (isPast()) return;
      timer = setTimeout(() => {
        clock.check();
        look();
      }, Math.min(LOOK_EVERY_MS, Math.ceil(atMs - clock.now())));
    };
    const end = clock.subscribe(look);
    look();
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [atMs, clock, isPast]);
  return useSyncExternalStore(subscribe, isPast, () => clock.startMs >= atMs);
}

/** Whole seconds since a moment of the server's clock (ISO 8601), counted up; null before the page counts. */
export function useSecondsSince(since: string | null): number | null {
  const clock = useServerClock();
  const passed = useCallback(
    () => (since === null ? null : Math.max(0, Math.floor((clock.now() - Date.parse(since)) / SECOND_MS))),
    [clock, since],
  );
  const subscribe = useCallback(
    (notify: () => void) => countsBy(clock, () => since === null, notify),
    [clock, since],
  );
  return useSyncExternalStore(subscribe, passed, () => null);
}

/**
 * Whole seconds until a moment of the server's clock (ISO 8601), at which the server ends whatever is shown.
 * @param ask checks whether it has ended: at that moment, and again while it is still shown
 */
export function useSecondsUntilEnd(at: string, ask: () => void): number {
  const left = useSecondsUntil(Date.parse(at));
  const isOver = left === 0;
  useEffect(() => {
    if (!isOver) return undefined;
    ask();
    const timer = setInterval(ask, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [ask, isOver]);
  return left;
}
