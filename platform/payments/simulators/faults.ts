/** What can go wrong at a processor, by where it does. */
const FAULT_POINTS = {
  /** The request is carried out and its answer is lost. */
  timeout_after_charge: 'charge',
  /** The request is refused before anything happens. */
  down: 'door',
  /** The page takes another amount, or another currency, than was asked for. */
  wrong_amount: 'sale',
  wrong_currency: 'sale',
  /** The money goes back three days after it came, by the shop's or the bank's doing. */
  late_reversal: 'after',
  chargeback: 'after',
  /** The callback comes twice; after the next one; three days late; never. */
  duplicate: 'callback',
  reorder: 'callback',
  delay: 'callback',
  lost: 'callback',
  /** Somebody sends one like it beside it; it is cut on its way, and comes whole when it is sent again. */
  forged: 'callback',
  truncated: 'callback',
} as const;

export type Fault = keyof typeof FAULT_POINTS;
type FaultPoint = (typeof FAULT_POINTS)[Fault];

export const FAULTS = Object.keys(FAULT_POINTS) as readonly Fault[];
/** A script is written by hand. */
const MAX_ARMED = 1000;

/** Faults to come, each used once, in the order they were written down per point. */
export class FaultScript {
  #armed: readonly Fault[] = [];

  /** Adds `times` of a fault; false when the script is full. */
  arm(fault: Fault, times: number): boolean {
    if (this.#armed.length + times > MAX_ARMED) return false;
    this.#armed = [...this.#armed, ...Array.from({ length: times }, () => fault)];
    return true;
  }

  /** The next fault at a point, taken off the script. */
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
