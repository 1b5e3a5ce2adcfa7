import type { Channel } from '#platform/contract/event.ts';
import type { Bus } from '#platform/data/data.ts';
import type pg from 'pg';

const EVENTS_PER_ROUND = 500;
const LOCK = 7_203_412;

interface EventRow {
  readonly operator_id: number;
  readonly name: string;
  readonly key: string;
  readonly payload: unknown;
  readonly seq: number | null;
}

/** Socket events published under one lock instead of in shards. A baseline only. */
export class OneLock {
  readonly #pool: pg.Pool;
  readonly #bus: Bus;

  constructor(pool: pg.Pool, bus: Bus) {
    this.#pool = pool;
    this.#bus = bus;
  }

  /** Publishes until nothing is left. Resolves with the number of events. */
  readonly drain = async (): Promise<number> => {
    let total = 0;
    for (;;) {
      const { rows: [seen] } = await this.#pool.query<{ any: boolean }>(
        'select exists (select from platform.outbox where consumer = \'\') as any',
      );
      if (seen?.any !== true) return total;
      const count = await this.#publish();
      if (count === 0) return total;
      total += count;
    }
  };

  async #publish(): Promise<number> {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
      const { rows } = await client.query<EventRow>(
        `with gone as (
           delete from platform.outbox
           where ctid = any(array(
             select ctid from platform.outbox where consumer = '' order by id limit $1))
           returning id, operator_id, name, key, payload, seq)
         select * from gone order by id`,
        [EVENTS_PER_ROUND],
      );
      await this.#bus.publishAll(rows.map(({ operator_id: operatorId, key, name, payload, seq }) => ({
        operatorId,
        channel: key as Channel,
        name,
        payload,
        seq: seq ?? undefined,
      })));
      await client.query('commit');
      return rows.length;
    } finally {
      client.release();
    }
  }
}
