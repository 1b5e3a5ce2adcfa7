import type { DeadlineHandler } from '#platform/contract/bind.ts';
import { systemClock } from '#platform/data/clock.ts';
import type pg from 'pg';

const CLAIM_AT_ONCE = 100;
const LEASE_MS = 45_000;
const SWEEP_MS = 1_000;

interface DueRow {
  readonly operator_id: number;
  readonly kind: string;
  readonly key: string;
  readonly at: Date;
  readonly payload: unknown;
  readonly ticket: number;
}

/** Deadlines handled in one lane, by due time. A baseline only. */
export class OneLane {
  readonly #pool: pg.Pool;
  readonly #handlers: ReadonlyMap<string, DeadlineHandler>;
  #isStopped = false;

  constructor(pool: pg.Pool, handlers: readonly DeadlineHandler[]) {
    this.#pool = pool;
    this.#handlers = new Map(handlers.map((handler) => [handler.kind, handler]));
  }

  /** The index by which it claimed. */
  async prepare(): Promise<void> {
    await this.#pool.query('create index due_ready on platform.due (ready_at) where not parked');
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      const claimed = await this.#claim();
      for (const row of claimed) if (!this.#isStopped) await this.#handle(row);
      if (claimed.length === 0) {
        await new Promise<void>((resolve) => {
          systemClock.after('sweep', SWEEP_MS, resolve);
        });
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #claim(): Promise<DueRow[]> {
    const now = systemClock.now();
    const { rows } = await this.#pool.query<DueRow>(
      `update platform.due d set ready_at = $3 from (
         select operator_id, kind, key from platform.due
         where kind = any($1) and not parked and ready_at <= $2
         order by ready_at limit $4 for update skip locked) c
       where d.operator_id = c.operator_id and d.kind = c.kind and d.key = c.key
       returning d.operator_id, d.kind, d.key, d.at, d.payload, d.ticket`,
      [[...this.#handlers.keys()], now, new Date(now.getTime() + LEASE_MS), CLAIM_AT_ONCE],
    );
    return rows.sort((a, b) => a.at.getTime() - b.at.getTime());
  }

  async #handle({ operator_id: operatorId, kind, key, at, payload, ticket }: DueRow): Promise<void> {
    await this.#handlers.get(kind)?.handle({ operatorId, key, at, payload });
    await this.#pool.query(
      'delete from platform.due where operator_id = $1 and kind = $2 and key = $3 and ticket = $4',
      [operatorId, kind, key, ticket],
    );
  }
}
