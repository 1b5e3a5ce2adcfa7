import type { Subscription } from '#platform/contract/bind.ts';
import type { Clock } from '../clock.ts';
import { describeError } from '../errors.ts';
import { Grouped } from './grouped.ts';
import { isShort, leaseFrom, withinLimit } from './lease.ts';
import type { Owner } from './owner.ts';
import { OUTBOX_LOCK } from './publishing.ts';
import { MAX_ATTEMPTS, waitAfter, type Log } from './retry.ts';
import { Rounds, RunningHandlers } from './rounds.ts';

/** Keys (rooms, accounts) taken by one statement. */
const KEYS_PER_CLAIM = 8;
/** Keys delivered concurrently: enough to use a whole pool of sessions. */
const KEYS_AT_ONCE = 24;
/** A consumer with this many keys in progress gets no more, so that a slow one leaves room for the others. */
const KEYS_PER_CONSUMER = 8;
/** Facts of one key taken at once, so that a hot room does not cost a claim per fact. */
const FACTS_PER_KEY = 50;

/** Rows of one key and consumer: the front of the primary key. */
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

/** Facts of one key and consumer that this process holds, in order. */
interface Batch {
  readonly key: readonly [consumer: string, operatorId: number, key: string];
  readonly rows: readonly FactRow[];
  /** When the lease on them ends. */
  until: Date;
}

/** A delivered fact, with the lease it was delivered under. */
interface Delivered {
  readonly row: FactRow;
  readonly until: Date;
}

interface FactParts {
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Log;
  readonly development: boolean;
}

/**
 * Delivers facts to their consumers: at least once, and in order per key, by one process at a time. A process
 * holds a key by a lease, renews the lease between two facts, and stops when another process has taken the
 * key over.
 */
export class FactDelivery {
  readonly #parts: FactParts;
  readonly #subscriptions = new Map<string, Subscription>();
  /**
   * Consumers this process delivers to. Facts of other consumers wait for the process that delivers to those.
   */
  #consumers: readonly string[] = [];
  readonly #rounds = new Rounds(() => this.#deliverReady());
  readonly #running: RunningHandlers;
  readonly #delivered = new Grouped<Delivered>((delivered) => this.#delete(delivered));
  /** Keys in progress, by consumer. */
  readonly #underWay = new Map<string, number>();
  /** The last claim left facts that are or will be ready: look again when a key is done. */
  #isMore = false;
  #isStopping = false;

  constructor(parts: FactParts) {
    this.#parts = parts;
    this.#running = new RunningHandlers(parts.clock);
  }

  /** Registers the consumers of this program. The database then knows which facts make rows for them. */
  async attach(subscriptions: readonly Subscription[], isOurs: (consumer: string) => boolean): Promise<void> {
    for (const subscription of subscriptions) {
      const { consumer } = subscription;
      if (this.#subscriptions.has(consumer)) throw new Error(`two subscriptions are named ${consumer}`);
      this.#subscriptions.set(consumer, subscription);
    }
    this.#consumers = [...this.#subscriptions.keys()].filter(isOurs);
    const all = [...this.#subscriptions.values()];
    await this.#parts.owner.unit('outbox consumers', async (query) => {
      await query('select pg_advisory_xact_lock($1)', [OUTBOX_LOCK]);
      await query('delete from platform.consumers', []);
      await query(
        `insert into platform.consumers (fact, consumer, by_interest)
         select * from unnest($1::text[], $2::text[], $3::boolean[])`,
        [
          all.map(({ fact }) => fact.name),
          all.map(({ consumer }) => consumer),
          all.map(({ byInterest = false }) => byInterest),
        ],
      );
    });
  }

  /** Ends the leases of a process that died. Only where no other process can be at work. */
  async releaseHeld(): Promise<void> {
    await this.#parts.owner.query(
      'release facts',
      'update platform.outbox set ready_at = $1, held_until = null where ready_at > $1 and not parked',
      [this.#parts.clock.now()],
    );
  }

  /** Delivers everything that is ready. Resolves with the number delivered. */
  readonly drain = (): Promise<number> => this.#rounds.run();

  /** Starts no further handler. The current drain ends with its handlers and releases the rest. */
  stop(): void {
    this.#isStopping = true;
    this.#rounds.stop();
  }

  async #deliverReady(): Promise<number> {
    let total = 0;
    try {
      for (;;) {
        const { batches, isFull } = await this.#claim();
        for (const batch of batches) this.#start(batch);
        if (!isFull) await this.#running.pause();
        total += this.#running.take();
        if (this.#running.isIdle && !isFull && !this.#isMore) return total;
      }
    } finally {
      await this.#running.ended();
    }
  }

  #start(batch: Batch): void {
    const [consumer] = batch.key;
    this.#underWay.set(consumer, (this.#underWay.get(consumer) ?? 0) + 1);
    this.#running.start(async () => {
      try {
        return await this.#deliverBatch(batch);
      } finally {
        this.#underWay.set(consumer, (this.#underWay.get(consumer) ?? 0) - 1);
        if (this.#isMore && this.#room() >= KEYS_PER_CLAIM) this.#running.lookAgain();
      }
    });
  }

  /** How many more keys may be in progress. */
  #room(): number {
    return KEYS_AT_ONCE - [...this.#underWay.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * Takes the first rows of keys whose head is ready. A key is skipped when its head waits, or when another
   * process holds any of those rows: a fact that commits late can come before one that is being delivered.
   */
  async #claim(): Promise<{ readonly batches: readonly Batch[]; readonly isFull: boolean }> {
    const limit = Math.min(KEYS_PER_CLAIM, this.#room());
    const consumers = this.#consumers.filter((consumer) =>
      (this.#underWay.get(consumer) ?? 0) < KEYS_PER_CONSUMER
    );
    this.#isMore = !this.#isStopping && (limit === 0 || consumers.length < this.#consumers.length);
    if (this.#isStopping || limit === 0 || consumers.length === 0) return { batches: [], isFull: false };
    const { owner, clock } = this.#parts;
    const until = leaseFrom(clock);
    const rows = await owner.query<FactRow>(
      'claim facts',
      `with heads as (
         select o.consumer, o.operator_id, o.key from platform.outbox o
         where o.consumer = any($1) and not o.parked and o.ready_at <= $2 and not exists (
           select from platform.outbox e
           where e.consumer = o.consumer and e.operator_id = o.operator_id and e.key = o.key and e.id < o.id
             and not e.parked)
         order by o.id limit $4 for update of o skip locked
       ), batch as (
         select h.consumer, h.operator_id, h.key, b.id from heads h cross join lateral (
           select f.id, bool_or(f.held_until > $2) over () as is_held from (
             select o.id, o.held_until from platform.outbox o
             where o.consumer = h.consumer and o.operator_id = h.operator_id and o.key = h.key
               and not o.parked
             order by o.id limit $5) f) b
         where b.is_held is not true
       )
       update platform.outbox o set ready_at = $3, held_until = $3 from batch
       where o.consumer = batch.consumer and o.operator_id = batch.operator_id and o.key = batch.key
         and o.id = batch.id and (o.held_until is null or o.held_until <= $2)
       returning o.id, o.operator_id, o.fact_id, o.consumer, o.name, o.key, o.payload, o.at, o.attempts`,
      [consumers, clock.now(), until, limit, FACTS_PER_KEY],
    );
    const batches = batchesOf(rows, until);
    return { batches, isFull: batches.length === KEYS_PER_CLAIM };
  }

  /**
   * Delivers until the first failure, because the rest of the key waits for the failed fact. Delivered facts
   * are deleted together: a commit of its own would cost each fact as much as handling it. When a process
   * dies before that, those facts are delivered again.
   */
  async #deliverBatch(batch: Batch): Promise<number> {
    const { rows } = batch;
    let deleted = 0;
    let delivered = 0;
    let failure: { readonly error: unknown } | null = null;
    while (delivered < rows.length && failure === null && !this.#isStopping) {
      if (isShort(batch.until, this.#parts.clock)) {
        const isOurs = await this.#renew(batch, rows.slice(deleted, delivered), rows.slice(delivered));
        if (!isOurs) return deleted;
        deleted = delivered;
      }
      try {
        await this.#deliver(rows[delivered] as FactRow);
        delivered += 1;
      } catch (error) {
        failure = { error };
      }
    }
    if (delivered > deleted) {
      const { until } = batch;
      await this.#delivered.add(rows.slice(deleted, delivered).map((row) => ({ row, until })));
    }
    const rest = rows.slice(delivered);
    if (failure) await this.#fail(batch, rest, failure.error);
    else if (rest.length > 0) await this.#release(batch, rest, null);
    if (rows.length === FACTS_PER_KEY) this.#isMore = true;
    return delivered;
  }

  async #deliver(row: FactRow): Promise<void> {
    const { clock, development } = this.#parts;
    const subscription = this.#subscriptions.get(row.consumer);
    if (!subscription) throw new Error(`no subscription is named ${row.consumer}`);
    const payload = development ? subscription.fact.shape.parse(row.payload) : row.payload;
    const fact = { id: row.fact_id, operatorId: row.operator_id, at: row.at, payload };
    await withinLimit(clock, row.consumer, () => subscription.handle(fact));
  }

  /**
   * Deletes delivered facts and extends the lease on the rest. False when another process has taken the key.
   */
  async #renew(batch: Batch, delivered: readonly FactRow[], rest: readonly FactRow[]): Promise<boolean> {
    const until = leaseFrom(this.#parts.clock);
    const renewed = await this.#parts.owner.query(
      'renew facts',
      `with delivered as (delete from platform.outbox where ${OF_KEY} and id = any($5) and held_until = $4)
       update platform.outbox set ready_at = $7, held_until = $7
       where ${OF_KEY} and id = any($6) and held_until = $4 returning id`,
      [...batch.key, batch.until, delivered.map(idOf), rest.map(idOf), until],
    );
    batch.until = until;
    if (renewed.length === rest.length) return true;
    const [consumer] = batch.key;
    this.#parts.log.warn({ consumer, rows: rest.length }, 'facts were taken over by another process');
    return false;
  }

  /** A row that another process has taken over stays. */
  async #delete(delivered: readonly Delivered[]): Promise<void> {
    await this.#parts.owner.query(
      'facts delivered',
      `delete from platform.outbox o
       using unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::timestamptz[])
         as d(consumer, operator_id, key, id, held_until)
       where o.consumer = d.consumer and o.operator_id = d.operator_id and o.key = d.key and o.id = d.id
         and o.held_until = d.held_until`,
      [
        delivered.map(({ row }) => row.consumer),
        delivered.map(({ row }) => row.operator_id),
        delivered.map(({ row }) => row.key),
        delivered.map(({ row }) => row.id),
        delivered.map(({ until }) => until),
      ],
    );
  }

  /** Frees rows for other processes. The first row waits if it has failed. */
  async #release(
    batch: Batch,
    rows: readonly FactRow[],
    failed: { readonly attempts: number; readonly readyAt: Date; readonly parked: boolean } | null,
  ): Promise<void> {
    const [head] = rows;
    await this.#parts.owner.query(
      'release facts',
      `update platform.outbox set held_until = null, parked = (id = $6 and $7),
         attempts = case when id = $6 then $8 else attempts end,
         ready_at = case when id = $6 then $9 else $10::timestamptz end
       where ${OF_KEY} and id = any($5) and held_until = $4`,
      [
        ...batch.key,
        batch.until,
        rows.map(idOf),
        failed ? head?.id : 0,
        failed?.parked ?? false,
        failed?.attempts ?? 0,
        failed?.readyAt ?? null,
        this.#parts.clock.now(),
      ],
    );
  }

  async #fail(batch: Batch, rows: readonly FactRow[], error: unknown): Promise<void> {
    const { clock, log } = this.#parts;
    const row = rows[0] as FactRow;
    const attempts = row.attempts + 1;
    const parked = attempts >= MAX_ATTEMPTS;
    const readyAt = new Date(clock.now().getTime() + waitAfter(attempts));
    await this.#release(batch, rows, { attempts, readyAt, parked });
    if (parked) this.#isMore = true;
    const fields = { fact: row.name, consumer: row.consumer, row: row.id, attempts, ...describeError(error) };
    if (parked) log.error(fields, 'a fact is parked: its consumer failed too often');
    else log.warn(fields, 'a fact was not delivered; it is retried');
  }
}

const idOf = ({ id }: FactRow): number => id;

/** Rows of one claim, key by key, each key in order. */
function batchesOf(rows: readonly FactRow[], until: Date): Batch[] {
  const batches = new Map<string, { key: Batch['key']; rows: FactRow[]; until: Date }>();
  for (const row of rows.toSorted((a, b) => a.id - b.id)) {
    const key: Batch['key'] = [row.consumer, row.operator_id, row.key];
    const name = JSON.stringify(key);
    const batch = batches.get(name) ?? { key, rows: [], until };
    batch.rows.push(row);
    batches.set(name, batch);
  }
  return [...batches.values()];
}
