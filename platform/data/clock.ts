/** Time is a port: production runs on the system clock, tests on a virtual one. */
export interface Clock {
  readonly now: () => Date;
  /** Runs `task` once after `delayMs`; `name` says what the timer is for. Returns its cancellation. */
  readonly after: (name: string, delayMs: number, task: () => void) => () => void;
  /** Runs `task` every `periodMs` until cancelled. */
  readonly every: (name: string, periodMs: number, task: () => void) => () => void;
}

/** The system's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  after: (_name, delayMs, task) => {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every: (_name, periodMs, task) => {
    const timer = setInterval(task, periodMs);
    timer.unref();
    return () => clearInterval(timer);
  },
};

interface VirtualTimer {
  at: number;
  readonly order: number;
  readonly periodMs: number | null;
  readonly task: () => void;
}

/** A clock that moves only by `advance`. Timers fire in order of their time, then of their creation. */
export class VirtualClock implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #timers = new Set<VirtualTimer>();

  constructor(start: Date = new Date('2026-01-15T12:00:00Z')) {
    this.#nowMs = start.getTime();
  }

  readonly now = (): Date => new Date(this.#nowMs);

  readonly after = (_name: string, delayMs: number, task: () => void): () => void =>
    this.#add(delayMs, null, task);

  readonly every = (_name: string, periodMs: number, task: () => void): () => void =>
    this.#add(periodMs, periodMs, task);

  /** Moves time forward by `ms`, firing every timer that falls due on the way. */
  readonly advance = (ms: number): void => {
    const end = this.#nowMs + ms;
    for (;;) {
      const next = this.#nextUntil(end);
      if (!next) break;
      this.#nowMs = Math.max(this.#nowMs, next.at);
      if (next.periodMs === null) this.#timers.delete(next);
      else next.at += next.periodMs;
      next.task();
    }
    this.#nowMs = end;
  };

  #nextUntil(end: number): VirtualTimer | null {
    let next: VirtualTimer | null = null;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (next === null || (timer.at - next.at || timer.order - next.order) < 0) next = timer;
    }
    return next;
  }

  #add(delayMs: number, periodMs: number | null, task: () => void): () => void {
    this.#order += 1;
    const timer = { at: this.#nowMs + delayMs, order: this.#order, periodMs, task };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }
}
