import type { Channel } from '#platform/contract/event.ts';
import type { Bus, BusMessage } from '../data.ts';
import type { Owner, Query } from './owner.ts';
import { Rounds } from './rounds.ts';

/**
 * The channels are dealt into this many shards by the hash of their name. Each shard has one publisher at a
 * time, so that the events of a channel keep their order. The index `outbox_shards` counts the same.
 */
const SHARDS = 16;
const SHARD = `hashtext(key) & ${SHARDS - 1}`;
/** Units of work a process publishes with at once: half of its sessions, the rest is for everything else. */
const PUBLISHERS = 4;
/**
 * Events one shard publishes per unit: a flood in one channel delays its own shard, and hardly the others.
 */
const EVENTS_PER_SHARD = 100;
/** Events published by one statement where there is one process. */
const EVENTS_ALONE = 1_000;
/** The number of our advisory locks, one per shard. It is ours alone. */
const SHARD_LOCKS = 7_203_415;
/** Held exclusively by older versions while they publish, and by whoever replaces the list of consumers. */
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
  /** No other process uses the database, and none subscribes to the bus. */
  readonly isAlone: boolean;
}

/** What one round published, and whether it left something for the next. */
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

  /** Begins nothing further. */
  stop(): void {
    this.#rounds.stop();
  }

  /** Until a round leaves nothing. What is committed after its look causes a poke of its own. */
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
   * With one process a single statement does: its subscribers get the events at once, or end with it before
   * they could have got any.
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
         select from platform.outbox where consumer = '' and (${SHARD}) = shard)`, [],
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
   * published again, never lost. The locks are held until the events are on their way, so that the next
   * publisher's come after them. A shard that another process publishes is left to it.
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
        rows.filter((row) => row.shard === shard).length === EVENTS_PER_SHARD);
      return { count: rows.length, isFull };
    });
  }
}

const messageOf = ({ operator_id: operatorId, key, name, payload, seq }: EventRow): BusMessage =>
  ({ operatorId, channel: key as Channel, name, payload, seq: seq ?? undefined });

/** Locks the shards that are free, until the end of the unit of work. */
async function lock(query: Query, shards: readonly number[]): Promise<number[]> {
  const locked = await query<{ shard: number }>(
    `select shard from unnest($1::int[]) as shard
     where pg_try_advisory_xact_lock_shared($2) and pg_try_advisory_xact_lock($3, shard)`,
    [shards, OUTBOX_LOCK, SHARD_LOCKS],
  );
  return locked.map(({ shard }) => shard);
}

/** Deals cards to at most so many hands, as even as can be. */
function deal(cards: readonly number[], hands: number): number[][] {
  const dealt = Array.from({ length: Math.min(hands, cards.length) }, (): number[] => []);
  for (const [nth, card] of cards.entries()) dealt[nth % dealt.length]?.push(card);
  return dealt;
}
