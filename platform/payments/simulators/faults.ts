/** Faults of a processor, by the point where they occur. */
const FAULT_POINTS = {
  /** The request is carried out and its answer is lost. */
  timeout_after_charge: 'charge',
  /** The request is refused before anything happens. */
  down: 'door',
  /** The page takes another amount, or another currency, than was asked for. */
  wrong_amount: 'sale',
  wrong_currency: 'sale',
  /** The money is returned three days later, by the shop or by the bank. */
  late_reversal: 'after',
  chargeback: 'after',
  /** The callback arrives twice; after the next one; three days late; never. */
  duplicate: 'callback',
  reorder: 'callback',
  delay: 'callback',
  lost: 'callback',
  /**
   * A forged copy is sent beside the callback; the callback is truncated, and whole when it is sent again.
   */
  forged: 'callback',
  truncated: 'callback',
} as const;

export type Fault = keyof typeof FAULT_POINTS;
type FaultPoint = (typeof FAULT_POINTS)[Fault];

export const FAULTS = Object.keys(FAULT_POINTS) as readonly Fault[];
/** The most faults of a script, which is written by hand. */
const MAX_ARMED = 1000;

/** Pending faults. Each is used once, and those of one point in the order in which they were added. */
export class FaultScript {
  #armed: readonly Fault[] = [];

  /** Adds `times` of a fault; false when the script is full. */
  arm(fault: Fault, times: number): boolean {
    if (this.#armed.length + times > MAX_ARMED) return false;
    this.#armed = [...this.#armed, ...Array.from({ length: times }, () => fault)];
    return true;
  }

  /** Removes the next fault for a point from the script and returns it. */
  take(point: FaultPoint): Fault | null {
    const at = this.#armed.findIndex((fault) => FAULT_POINTS[fault] === point);
    if (at < 0) return null;
    const fault = this.#armed[at] ?? null;
    this.#armed = this.#armed.toSpliced(at, 1);
    return fault;
  }

  get armed(): readonly Fault[] {
    return this.#armed;
  }

  clear(): void {
    this.#armed = [];
  }
}
