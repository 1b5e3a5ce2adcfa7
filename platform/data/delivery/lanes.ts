/** Deadlines one process handles at once. Handlers share its database sessions with everything else. */
const AT_ONCE = 32;
/** Deadlines of one kind handled at once, over all operators: half, so that a slow kind leaves room. */
const AT_ONCE_PER_KIND = AT_ONCE / 2;
/** Deadlines of one kind and operator handled at once. */
const AT_ONCE_PER_LANE = 8;

/** A deadline that this process holds. */
export interface HeldDeadline {
  readonly operatorId: number;
  readonly kind: string;
  readonly key: string;
  readonly at: Date;
  readonly payload: unknown;
  readonly attempts: number;
  /** A new number after each schedule of the same key. */
  readonly ticket: number;
  /** When the lease on it ends. */
  until: Date;
}

/** The deadlines of one kind and operator that this process holds. They wait here in order of time. */
export interface Lane {
  readonly kind: string;
  readonly operatorId: number;
  readonly waiting: HeldDeadline[];
  /** Handlers that are running. */
  running: number;
  /** The last claim left some for later. */
  hasMore: boolean;
  /** Whether leases are being renewed: nothing starts meanwhile. */
  isPaused: boolean;
}

/**
 * Decides which deadline is handled next. Each kind and operator has a lane. The lane with the fewest running
 * handlers goes first, then the one with the earliest deadline.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Puts the deadlines of a claim, in order of time, into their lanes. `without` names the lanes that the
   * claim left out.
   */
  add(held: readonly HeldDeadline[], without: readonly Lane[], isFull: (taken: number) => boolean): void {
    for (const lane of this.#lanes.values()) if (!without.includes(lane)) lane.hasMore = false;
    const taken = new Map<Lane, number>();
    for (const deadline of held) {
      const lane = this.#laneOf(deadline);
      lane.waiting.push(deadline);
      taken.set(lane, (taken.get(lane) ?? 0) + 1);
    }
    for (const [lane, count] of taken) lane.hasMore = isFull(count);
  }

  #laneOf({ kind, operatorId }: HeldDeadline): Lane {
    const name = `${operatorId} ${kind}`;
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane: Lane = { kind, operatorId, waiting: [], running: 0, hasMore: false, isPaused: false };
    this.#lanes.set(name, lane);
    return lane;
  }

  /** The lane whose first deadline may start now; null when none may. */
  next(): Lane | null {
    const lanes = [...this.#lanes.values()];
    if (sumOf(lanes) >= AT_ONCE) return null;
    const byKind = new Map<string, number>();
    for (const { kind, running } of lanes) byKind.set(kind, (byKind.get(kind) ?? 0) + running);
    const ready = lanes.filter(({ kind, waiting, running, isPaused }) =>
      waiting.length > 0 && !isPaused
      && running < AT_ONCE_PER_LANE && (byKind.get(kind) ?? 0) < AT_ONCE_PER_KIND
    );
    const [first] = ready.toSorted((a, b) => a.running - b.running || firstAt(a) - firstAt(b));
    return first ?? null;
  }

  /** Lanes with waiting deadlines. */
  waiting(): readonly Lane[] {
    return [...this.#lanes.values()].filter(({ waiting }) => waiting.length > 0);
  }

  /** Lanes that need no more deadlines for now: a claim leaves them out. */
  filled(): readonly Lane[] {
    return [...this.#lanes.values()].filter((lane) => !isLow(lane));
  }

  /** Whether few deadlines wait in a lane for which a claim could take more. */
  get isHungry(): boolean {
    return [...this.#lanes.values()].some((lane) => lane.hasMore && isLow(lane));
  }

  /** Removes lanes without waiting or running deadlines. */
  forgetEmpty(): void {
    for (const [name, { waiting, running, isPaused }] of this.#lanes) {
      if (waiting.length + running === 0 && !isPaused) this.#lanes.delete(name);
    }
  }
}

const isLow = ({ waiting, isPaused }: Lane): boolean => waiting.length < AT_ONCE_PER_LANE && !isPaused;
const firstAt = ({ waiting }: Lane): number => waiting[0]?.at.getTime() ?? 0;
const sumOf = (lanes: readonly Lane[]): number => lanes.reduce((sum, { running }) => sum + running, 0);
