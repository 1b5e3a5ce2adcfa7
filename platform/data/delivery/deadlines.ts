import type { DeadlineHandler } from '../../contract/bind.ts';
import type { Clock } from '../clock.ts';
import { describeFault } from '../fault.ts';
import type { Owner } from './owner.ts';
import { HOLD_MS, MAX_ATTEMPTS, waitAfter, withinLimit, type Log } from './retry.ts';

/** Deadlines handled per sweep round; more wait for the next round of the same sweep. */
const DUE_PER_ROUND = 100;

interface DueRow {
  readonly operator_id: number;
  readonly kind: string;
  readonly key: string;
  readonly at: Date;
  readonly payload: unknown;
  readonly attempts: number;
  readonly ticket: number;
}

/** Runs the domain's deadlines when the application's clock reaches them, at least once each. */
export class Deadlines {
  readonly #owner: Owner;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #handlings = new Map<string, DeadlineHandler>();
  /** Kinds this process handles; the others wait for the process that does. */
  #handled: readonly string[] = [];
  #running: Promise<number> | null = null;

  constructor(owner: Owner, clock: Clock, log: Log) {
    this.#owner = owner;
    this.#clock = clock;
    this.#log = log;
  }

  attach(handlings: readonly DeadlineHandler[], isOurs: (kind: string) => boolean): void {
    for (const handling of handlings) {
      if (this.#handlings.has(handling.kind)) throw new Error(`two deadlines are of kind ${handling.kind}`);
      this.#handlings.set(handling.kind, handling);
    }
    this.#handled = [...this.#handlings.keys()].filter(isOurs);
  }

  /** Frees deadlines that a process took and did not live to handle. Only where no other can be at work. */
  async releaseHeld(): Promise<void> {
    await this.#owner.query(
      'release deadlines',
      'update platform.due set ready_at = at where at <= $1 and ready_at > $1 and not parked',
      [this.#clock.now()],
    );
  }

  /** Handles everything due now, earliest first. Resolves with the number handled. */
  async sweep(): Promise<number> {
    if (this.#running) await this.#running;
    this.#running ??= this.#rounds().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #rounds(): Promise<number> {
    let total = 0;
    for (;;) {
      const claimed = await this.#claim();
      if (claimed.length === 0) return total;
      for (const row of claimed) total += (await this.#handle(row)) ? 1 : 0;
    }
  }

  async #claim(): Promise<DueRow[]> {
    if (this.#handled.length === 0) return [];
    const now = this.#clock.now();
    const rows = await this.#owner.query<DueRow>(
      'claim deadlines',
      `update platform.due d set ready_at = $3 from (
         select operator_id, kind, key from platform.due
         where kind = any($1) and not parked and ready_at <= $2
         order by ready_at limit $4 for update skip locked) c
       where d.operator_id = c.operator_id and d.kind = c.kind and d.key = c.key
       returning d.operator_id, d.kind, d.key, d.at, d.payload, d.attempts, d.ticket`,
      [this.#handled, now, new Date(now.getTime() + HOLD_MS), DUE_PER_ROUND],
    );
    return rows.sort((a, b) => a.at.getTime() - b.at.getTime() || a.ticket - b.ticket);
  }

  async #handle(due: DueRow): Promise<boolean> {
    const { operator_id: operatorId, kind, key, at, payload, attempts, ticket } = due;
    const handling = this.#handlings.get(kind);
    if (!handling) throw new Error(`no deadline is of kind ${kind}`);
    const row = 'operator_id = $1 and kind = $2 and key = $3 and ticket = $4';
    const id = [operatorId, kind, key, ticket];
    try {
      await withinLimit(this.#clock, kind, () => handling.handle({ operatorId, key, at, payload }));
    } catch (error) {
      const failures = attempts + 1;
      const parked = failures >= MAX_ATTEMPTS;
      const readyAt = new Date(this.#clock.now().getTime() + waitAfter(failures));
      await this.#owner.query(
        'deadline failed',
        `update platform.due set attempts = $5, ready_at = $6, parked = $7 where ${row}`,
        [...id, failures, readyAt, parked],
      );
      const fields = { kind, key, attempts: failures, ...describeFault(error) };
      if (parked) this.#log.error(fields, 'a deadline is parked: its handler failed too often');
      else this.#log.warn(fields, 'a deadline was not handled; it will come again');
      return false;
    }
    // The ticket is another one when the handler scheduled the same deadline anew: then it stays.
    await this.#owner.query('deadline handled', `delete from platform.due where ${row}`, id);
    return true;
  }
}
