import type { Subscription } from '../../contract/bind.ts';
import type { Channel } from '../../contract/event.ts';
import type { Clock } from '../clock.ts';
import type { Bus } from '../data.ts';
import { describeFault } from '../fault.ts';
import type { Owner } from './owner.ts';
import { HOLD_MS, MAX_ATTEMPTS, waitAfter, withinLimit, type Log } from './retry.ts';

/**
 * Socket events published per round: one statement, and a transaction short enough to hold the order lock.
 */
const EVENTS_PER_ROUND = 500;
/** Keys (rooms, accounts) delivered side by side: as many as keep a pool of sessions busy. */
const KEYS_PER_ROUND = 16;
/** Facts of one key taken at once, so that a hot room does not cost a claim per fact. */
const FACTS_PER_KEY = 50;
/**
 * One process publishes at a time: socket events keep the order of their commits. The number is ours alone.
 */
const PUBLISH_LOCK = 7_203_412;

/** Rows of one key and hearer: the front of the primary key. */
const OF_KEY = 'consumer = $1 and operator_id = $2 and key = $3';

interface FactRow {
  readonly id: number;
  readonly operator_id: number;
  readonly fact_id: string;
  readonly consumer: string;
  readonly name: string;
  readonly key: string;
  readonly payload: unknown;
  readonly at: Date;
  readonly attempts: number;
}

interface EventRow {
  readonly id: number;
  readonly operator_id: number;
  readonly name: string;
  readonly key: string;
  readonly payload: unknown;
  readonly seq: number | null;
}

interface OutboxParts {
  readonly owner: Owner;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly development: boolean;
}

/** Delivers what units of work left: socket events to the bus, facts to their consumers, at least once. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #hearings = new Map<string, Subscription>();
  /** Consumers this process delivers to; the others' facts wait for the process that does. */
  #delivered: readonly string[] = [];
  #running: Promise<number> | null = null;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Names the hearers of this program; the database learns which fact makes a row for whom. */
  async attach(hearings: readonly Subscription[], isOurs: (consumer: string) => boolean): Promise<void> {
    for (const hearing of hearings) {
      if (this.#hearings.has(hearing.consumer)) throw new Error(`two hearings are named ${hearing.consumer}`);
      this.#hearings.set(hearing.consumer, hearing);
    }
    this.#delivered = [...this.#hearings.keys()].filter(isOurs);
    const all = [...this.#hearings.values()];
    await this.#parts.owner.unit('outbox consumers', async (query) => {
      await query('select pg_advisory_xact_lock($1)', [PUBLISH_LOCK]);
      await query('delete from platform.consumers', []);
      await query(
        `insert into platform.consumers (fact, consumer, by_interest)
         select * from unnest($1::text[], $2::text[], $3::boolean[])`,
        [
          all.map(({ fact }) => fact.name), all.map(({ consumer }) => consumer),
          all.map(({ byInterest = false }) => byInterest),
        ],
      );
    });
  }

  /** Frees facts that a process took and did not live to deliver. Only where no other can be at work. */
  async releaseHeld(): Promise<void> {
    await this.#parts.owner.query(
      'release facts', 'update platform.outbox set ready_at = $1 where ready_at > $1 and not parked',
      [this.#parts.clock.now()],
    );
  }

  /**
   * Delivers until nothing is ready. Calls that come meanwhile join in. Resolves with the number delivered.
   */
  async drain(): Promise<number> {
    // A row can commit just after the running drain looked for the last time, so a joiner looks once more.
    if (this.#running) await this.#running;
    this.#running ??= this.#rounds().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #rounds(): Promise<number> {
    let total = 0;
    for (;;) {
      const delivered = (await this.#publishEvents()) + (await this.#deliverFacts());
      if (delivered === 0) return total;
      total += delivered;
    }
  }

  /**
   * Deletes, publishes, then commits: after a crash in between, or while the bus is away, the events are
   * published again, never lost. The lock is held until they are on their way, so that the next publisher's
   * come after them.
   */
  async #publishEvents(): Promise<number> {
    if (!this.#parts.bus.isUp()) return 0;
    // Most rounds find nothing: that is told by one statement instead of a unit of four.
    const [seen] = await this.#parts.owner.query<{ any: boolean }>(
      'look for events', "select exists (select from platform.outbox where consumer = '') as any", []);
    if (seen?.any !== true) return 0;
    return this.#parts.owner.unit('publish events', async (query) => {
      await query('select pg_advisory_xact_lock($1)', [PUBLISH_LOCK]);
      const rows = await query<EventRow>(
        `with gone as (
           delete from platform.outbox
           where ctid = any(array(
             select ctid from platform.outbox where consumer = '' order by id limit $1))
           returning id, operator_id, name, key, payload, seq)
         select * from gone order by id`,
        [EVENTS_PER_ROUND],
      );
      for (const row of rows) this.#publish(row);
      await this.#parts.bus.taken();
      return rows.length;
    });
  }

  #publish({ id, operator_id: operatorId, name, key, payload, seq }: EventRow): void {
    try {
      this.#parts.bus.publish({
        operatorId, channel: key as Channel, name, payload, seq: seq ?? undefined,
      });
    } catch (error) {
      const fields = { event: name, row: id, ...describeFault(error) };
      this.#parts.log.error(fields, 'the bus refused a socket event');
    }
  }

  async #deliverFacts(): Promise<number> {
    const claimed = await this.#claim();
    const groups = new Map<string, FactRow[]>();
    for (const row of claimed) {
      const group = JSON.stringify([row.consumer, row.operator_id, row.key]);
      groups.set(group, [...(groups.get(group) ?? []), row]);
    }
    const counts = await Promise.all([...groups.values()].map((rows) => this.#deliverInOrder(rows)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Takes the first rows of keys whose head is ready. A key whose head is held or waits stays behind it. */
  async #claim(): Promise<FactRow[]> {
    if (this.#delivered.length === 0) return [];
    const now = this.#parts.clock.now();
    const rows = await this.#parts.owner.query<FactRow>(
      'claim facts',
      `with heads as (
         select o.consumer, o.operator_id, o.key from platform.outbox o
         where o.consumer = any($1) and not o.parked and o.ready_at <= $2 and not exists (
           select from platform.outbox e
           where e.consumer = o.consumer and e.operator_id = o.operator_id and e.key = o.key and e.id < o.id
             and not e.parked)
         order by o.id limit $4 for update of o skip locked
       ), batch as (
         select h.*, b.id from heads h cross join lateral (
           select id from platform.outbox o
           where o.consumer = h.consumer and o.operator_id = h.operator_id and o.key = h.key and not o.parked
           order by id limit $5) b
       )
       update platform.outbox o set ready_at = $3 from batch
       where o.consumer = batch.consumer and o.operator_id = batch.operator_id and o.key = batch.key
         and o.id = batch.id
       returning o.id, o.operator_id, o.fact_id, o.consumer, o.name, o.key, o.payload, o.at, o.attempts`,
      [this.#delivered, now, new Date(now.getTime() + HOLD_MS), KEYS_PER_ROUND, FACTS_PER_KEY],
    );
    return rows.sort((a, b) => a.id - b.id);
  }

  /**
   * Stops at the first failure: what follows it in the same key waits for it. What was delivered is deleted
   * together: a commit of its own cost each fact as much as handling it. When a process dies before, some are
   * delivered again.
   */
  async #deliverInOrder(rows: readonly FactRow[]): Promise<number> {
    const [first] = rows;
    if (!first) return 0;
    const delivered: number[] = [];
    let fault: { readonly row: FactRow; readonly error: unknown } | null = null;
    for (const row of rows) {
      try {
        await this.#deliver(row);
      } catch (error) {
        fault = { row, error };
        break;
      }
      delivered.push(row.id);
    }
    if (delivered.length > 0) {
      await this.#parts.owner.query(
        'facts delivered', `delete from platform.outbox where ${OF_KEY} and id = any($4)`,
        [first.consumer, first.operator_id, first.key, delivered],
      );
    }
    if (fault) await this.#fail(fault.row, fault.error);
    return delivered.length;
  }

  async #deliver(row: FactRow): Promise<void> {
    const { clock, development } = this.#parts;
    const hearing = this.#hearings.get(row.consumer);
    if (!hearing) throw new Error(`nobody is named ${row.consumer}`);
    const payload = development ? hearing.fact.shape.parse(row.payload) : row.payload;
    const heard = { id: row.fact_id, operatorId: row.operator_id, at: row.at, payload };
    await withinLimit(clock, row.consumer, () => hearing.handle(heard));
  }

  async #fail(row: FactRow, error: unknown): Promise<void> {
    const { owner, clock, log } = this.#parts;
    const attempts = row.attempts + 1;
    const parked = attempts >= MAX_ATTEMPTS;
    const readyAt = new Date(clock.now().getTime() + waitAfter(attempts));
    await owner.query(
      'fact failed',
      `update platform.outbox set attempts = $5, ready_at = $6, parked = $7 where ${OF_KEY} and id = $4`,
      [row.consumer, row.operator_id, row.key, row.id, attempts, readyAt, parked],
    );
    const fields = { fact: row.name, consumer: row.consumer, row: row.id, attempts, ...describeFault(error) };
    if (parked) log.error(fields, 'a fact is parked: its consumer failed too often');
    else log.warn(fields, 'a fact was not taken; it will come again');
  }
}
