import type { Channel } from '#platform/contract/event.ts';
import type { Bus, BusMessage } from '../data.ts';
import type { Owner, Query } from './owner.ts';
import { Rounds } from './rounds.ts';

/**
 * Channels are divided into this many shards by the hash of their name. Each shard has one publisher at a
 * time, so that the events of a channel stay in order. The index `outbox_shards` uses the same number.
 */
const SHARDS = 16;
const SHARD = `hashtext(key) & ${SHARDS - 1}`;
/** Units of work a process publishes with at once: half of its sessions, the rest is for everything else. */
const PUBLISHERS = 4;
/** Events that one shard publishes per unit, so that a flood in one channel delays mostly its own shard. */
const EVENTS_PER_SHARD = 100;
/** Events published by one statement where there is one process. */
const EVENTS_ALONE = 1_000;
/** The number that marks our advisory locks, one lock per shard. Nothing else uses it. */
const SHARD_LOCKS = 7_203_415;
/**
 * A lock held exclusively by older versions while they publish, and while the list of consumers is replaced.
 */
export const OUTBOX_LOCK = 7_203_412;

interface EventRow {
  readonly id: number;
  readonly operator_id: number;
  readonly name: string;
  readonly key: string;
  readonly payload: unknown;
  readonly seq: number | null;
}

interface PublishingParts {
  readonly owner: Owner;
  readonly bus: Bus;
  /** Whether no other process uses the database or subscribes to the bus. */
  readonly isAlone: boolean;
}

/** The result of one round: how much it published, and whether it left something for the next. */
interface Published {
  readonly count: number;
  readonly isFull: boolean;
}

/** Publishes the socket events of committed units of work, in order per channel, at least once. */
export class EventPublishing {
  readonly #parts: PublishingParts;
  readonly #rounds = new Rounds(() => this.#publishReady());

  constructor(parts: PublishingParts) {
    this.#parts = parts;
  }

  /** Publishes everything that is ready. Resolves with the number of events. */
  readonly drain = (): Promise<number> => this.#rounds.run();

  /** Starts no further round. */
  stop(): void {
    this.#rounds.stop();
  }

  /** Runs rounds until one leaves nothing. Events committed after that cause a poke of their own. */
  async #publishReady(): Promise<number> {
    const { bus, isAlone } = this.#parts;
    let total = 0;
    for (let isFull = true; isFull && bus.isUp();) {
      const round = await (isAlone ? this.#publishAlone() : this.#publishShards());
      total += round.count;
      ({ isFull } = round);
    }
    return total;
  }

  /**
   * With a single process one statement suffices: its subscribers either get the events at once, or die with
   * the process.
   */
  async #publishAlone(): Promise<Published> {
    const { owner, bus } = this.#parts;
    const rows = await owner.query<EventRow>(
      'publish events',
      `with gone as (
         delete from platform.outbox where ctid = any(array(
           select ctid from platform.outbox where consumer = '' order by id limit $1))
         returning id, operator_id, name, key, payload, seq)
       select * from gone order by id`,
      [EVENTS_ALONE],
    );
    await bus.publishAll(rows.map(messageOf));
    return { count: rows.length, isFull: rows.length === EVENTS_ALONE };
  }

  async #publishShards(): Promise<Published> {
    // Most rounds find nothing: one statement shows it, a unit of work takes four.
    const shards = await this.#parts.owner.query<{ shard: number }>(
      'look for events',
      `select shard from generate_series(0, ${SHARDS - 1}) shard where exists (
         select from platform.outbox where consumer = '' and (${SHARD}) = shard)`,
      [],
    );
    const groups = deal(shards.map(({ shard }) => shard), PUBLISHERS);
    const published = await Promise.all(groups.map((group) => this.#publish(group)));
    return {
      count: published.reduce((sum, { count }) => sum + count, 0),
      isFull: published.some(({ isFull }) => isFull),
    };
  }

  /**
   * Deletes, publishes, then commits: after a crash in between, or while the bus is away, the events are
   * published again and never lost. The locks are held until the events have been sent, so that those of the
   * next publisher follow them. A shard that another process is publishing is left to that process.
   */
  async #publish(shards: readonly number[]): Promise<Published> {
    const { owner, bus } = this.#parts;
    return owner.unit('publish events', async (query) => {
      const ours = await lock(query, shards);
      if (ours.length === 0) return { count: 0, isFull: false };
      const rows = await query<EventRow & { readonly shard: number }>(
        `with gone as (
           delete from platform.outbox where ctid = any(array(
             select e.ctid from unnest($1::int[]) as s(shard) cross join lateral (
               select ctid from platform.outbox where consumer = '' and (${SHARD}) = s.shard
               order by id limit $2) e))
           returning id, operator_id, name, key, payload, seq, ${SHARD} as shard)
         select * from gone order by id`,
        [ours, EVENTS_PER_SHARD],
      );
      await bus.publishAll(rows.map(messageOf));
      const isFull = ours.some((shard) =>
        rows.filter((row) => row.shard === shard).length === EVENTS_PER_SHARD
      );
      return { count: rows.length, isFull };
    });
  }
}

const messageOf = ({ operator_id: operatorId, key, name, payload, seq }: EventRow): BusMessage => ({
  operatorId,
  channel: key as Channel,
  name,
  payload,
  seq: seq ?? undefined,
});

/** Locks the shards that are free, until the end of the unit of work. */
async function lock(query: Query, shards: readonly number[]): Promise<number[]> {
  const locked = await query<{ shard: number }>(
    `select shard from unnest($1::int[]) as shard
     where pg_try_advisory_xact_lock_shared($2) and pg_try_advisory_xact_lock($3, shard)`,
    [shards, OUTBOX_LOCK, SHARD_LOCKS],
  );
  return locked.map(({ shard }) => shard);
}

/** Distributes cards over at most `hands` hands, as evenly as possible. */
function deal(cards: readonly number[], hands: number): number[][] {
  const dealt = Array.from({ length: Math.min(hands, cards.length) }, (): number[] => []);
  for (const [nth, card] of cards.entries()) dealt[nth % dealt.length]?.push(card);
  return dealt;
}
