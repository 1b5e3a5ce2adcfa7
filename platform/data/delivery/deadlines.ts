import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Clock } from '../clock.ts';
import { describeError } from '../errors.ts';
import { Grouped } from './grouped.ts';
import { Lanes, type HeldDeadline, type Lane } from './lanes.ts';
import { isShort, leaseFrom, withinLimit } from './lease.ts';
import type { Owner } from './owner.ts';
import { MAX_ATTEMPTS, waitAfter, type Log } from './retry.ts';
import { Rounds, RunningHandlers } from './rounds.ts';

/** Deadlines that one claim takes per lane: few enough to leave a part of a long queue to other processes. */
const CLAIM_PER_LANE = 64;
/** Deadlines of one claim, over all lanes. */
const CLAIM_AT_ONCE = 512;

const OF_KEY = 'operator_id = $1 and kind = $2 and key = $3';

interface DueRow {
  readonly operator_id: number;
  readonly kind: string;
  readonly key: string;
  readonly at: Date;
  readonly payload: unknown;
  readonly attempts: number;
  readonly ticket: number;
}

/**
 * Runs the domain's deadlines when the application's clock reaches them, at least once each. Each kind and
 * operator has a lane of its own. A process holds the deadlines it takes by a lease, which it renews while
 * the lane waits, and it never handles two deadlines of the same key at once.
 */
export class Deadlines {
  readonly #owner: Owner;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #kindHandlers = new Map<string, DeadlineHandler>();
  /** Kinds this process handles. The others wait for the process that does. */
  #kinds: readonly string[] = [];
  readonly #rounds = new Rounds(() => this.#handleReady());
  readonly #lanes = new Lanes();
  readonly #running: RunningHandlers;
  readonly #handled = new Grouped<HeldDeadline>((handled) => this.#delete(handled));
  #isStopping = false;

  constructor(owner: Owner, clock: Clock, log: Log) {
    this.#owner = owner;
    this.#clock = clock;
    this.#log = log;
    this.#running = new RunningHandlers(clock);
  }

  attach(handlers: readonly DeadlineHandler[], isOurs: (kind: string) => boolean): void {
    for (const handler of handlers) {
      if (this.#kindHandlers.has(handler.kind)) throw new Error(`two deadlines are of kind ${handler.kind}`);
      this.#kindHandlers.set(handler.kind, handler);
    }
    this.#kinds = [...this.#kindHandlers.keys()].filter(isOurs);
  }

  /** Ends the leases of a process that died. Only where no other process can be at work. */
  async releaseHeld(): Promise<void> {
    await this.#owner.query(
      'release deadlines',
      `update platform.due set held_until = null, ready_at = case when at <= $1 then at else ready_at end
       where held_until is not null or (at <= $1 and ready_at > $1 and not parked)`,
      [this.#clock.now()],
    );
  }

  /** Handles everything that is due. Resolves with the number handled. */
  readonly sweep = (): Promise<number> => this.#rounds.run();

  /** Starts no further handler. The current sweep ends with its handlers and releases the rest. */
  stop(): void {
    this.#isStopping = true;
    this.#rounds.stop();
    this.#running.lookAgain();
  }

  async #handleReady(): Promise<number> {
    let total = 0;
    try {
      for (;;) {
        const claimed = await this.#claim();
        this.#startReady();
        await this.#running.pause();
        if (this.#isStopping) await this.#releaseWaiting();
        total += this.#running.take();
        this.#lanes.forgetEmpty();
        if (this.#running.isIdle && claimed === 0) return total;
      }
    } finally {
      await this.#running.ended();
    }
  }

  /**
   * Takes ready deadlines of each lane in which few wait. A loose index scan finds the lanes, so that a queue
   * of thousands in one lane costs the others nothing. A deadline that is scheduled again while its handler
   * runs stays held until that handler is done.
   */
  async #claim(): Promise<number> {
    if (this.#kinds.length === 0 || this.#isStopping) return 0;
    const filled = this.#lanes.filled();
    const until = leaseFrom(this.#clock);
    const rows = await this.#owner.query<DueRow>(
      'claim deadlines',
      `with recursive lanes as (
         (select kind, operator_id from platform.due where not parked order by kind, operator_id limit 1)
         union all
         select following.kind, following.operator_id from lanes l cross join lateral (
           select d.kind, d.operator_id from platform.due d
           where not d.parked and (d.kind, d.operator_id) > (l.kind, l.operator_id)
           order by d.kind, d.operator_id limit 1) following
       ), ready as (
         select r.*, row_number() over (partition by r.kind, r.operator_id order by r.ready_at) as turn
         from lanes l cross join lateral (
           select d.operator_id, d.kind, d.key, d.ready_at from platform.due d
           where d.kind = l.kind and d.operator_id = l.operator_id and not d.parked and d.ready_at <= $2
             and (d.held_until is null or d.held_until <= $2)
           order by d.ready_at limit $4 for update skip locked) r
         where l.kind = any($1)
           and (l.kind, l.operator_id) not in (select * from unnest($6::text[], $7::bigint[]))
       ), taken as (
         select operator_id, kind, key from ready order by turn, ready_at limit $5
       )
       update platform.due d set ready_at = $3, held_until = $3 from taken t
       where d.operator_id = t.operator_id and d.kind = t.kind and d.key = t.key
       returning d.operator_id, d.kind, d.key, d.at, d.payload, d.attempts, d.ticket`,
      [
        this.#kinds,
        this.#clock.now(),
        until,
        CLAIM_PER_LANE,
        CLAIM_AT_ONCE,
        filled.map(({ kind }) => kind),
        filled.map(({ operatorId }) => operatorId),
      ],
    );
    const held = rows.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.ticket - b.ticket)
      .map(({ operator_id: operatorId, ...row }): HeldDeadline => ({ operatorId, ...row, until }));
    this.#lanes.add(held, filled, (taken) => taken === CLAIM_PER_LANE || rows.length === CLAIM_AT_ONCE);
    return rows.length;
  }

  /** Starts the handlers that may start now. Called again whenever a handler is done. */
  #startReady(): void {
    while (!this.#isStopping) {
      const lane = this.#lanes.next();
      if (lane === null) break;
      const [first] = lane.waiting;
      if (first && isShort(first.until, this.#clock)) {
        lane.isPaused = true;
        this.#running.start(async () => this.#renew(lane));
      } else this.#startNext(lane);
    }
    if (this.#lanes.isHungry) this.#running.lookAgain();
  }

  #startNext(lane: Lane): void {
    const deadline = lane.waiting.shift();
    if (!deadline) throw new Error('the next lane is empty');
    lane.running += 1;
    this.#running.start(async () => {
      let failure: { readonly error: unknown } | null = null;
      try {
        await this.#handle(deadline);
      } catch (error) {
        failure = { error };
      }
      // The next of the lane need not wait until this one is deleted.
      lane.running -= 1;
      this.#startReady();
      if (failure) await this.#fail(deadline, failure.error);
      else await this.#handled.add([deadline]);
      return failure ? 0 : 1;
    });
  }

  async #handle({ operatorId, kind, key, at, payload }: HeldDeadline): Promise<void> {
    const handler = this.#kindHandlers.get(kind);
    if (!handler) throw new Error(`no deadline is of kind ${kind}`);
    await withinLimit(this.#clock, kind, () => handler.handle({ operatorId, key, at, payload }));
  }

  /**
   * Extends the lease on the waiting deadlines of a lane. Those that another process has taken, or that were
   * scheduled again, are dropped.
   */
  async #renew(lane: Lane): Promise<number> {
    const waiting = lane.waiting.splice(0);
    const until = leaseFrom(this.#clock);
    try {
      const renewed = await this.#owner.query<{ ticket: number }>(
        'renew deadlines',
        `update platform.due d set ready_at = $5, held_until = $5
         from unnest($3::text[], $4::bigint[], $6::timestamptz[]) as w(key, ticket, held_until)
         where d.operator_id = $1 and d.kind = $2 and d.key = w.key and d.ticket = w.ticket
           and d.held_until = w.held_until returning d.ticket`,
        [lane.operatorId, lane.kind, waiting.map(keyOf), waiting.map(ticketOf), until, waiting.map(untilOf)],
      );
      const tickets = new Set(renewed.map(ticketOf));
      const ours = waiting.filter(({ ticket }) => tickets.has(ticket));
      for (const deadline of ours) deadline.until = until;
      lane.waiting.unshift(...ours);
    } finally {
      lane.isPaused = false;
      this.#startReady();
    }
    return 0;
  }

  /** A deadline that was scheduled again meanwhile has a new ticket: it stays, and is freed. */
  async #delete(handled: readonly HeldDeadline[]): Promise<void> {
    await this.#owner.query(
      'deadlines handled',
      `with handled as (
         select * from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[])
           as h(operator_id, kind, key, ticket, held_until)
       ), gone as (
         delete from platform.due d using handled h
         where d.operator_id = h.operator_id and d.kind = h.kind and d.key = h.key and d.ticket = h.ticket)
       update platform.due d set held_until = null from handled h
       where d.operator_id = h.operator_id and d.kind = h.kind and d.key = h.key and d.ticket <> h.ticket
         and d.held_until = h.held_until`,
      [
        handled.map(({ operatorId }) => operatorId),
        handled.map(({ kind }) => kind),
        handled.map(keyOf),
        handled.map(ticketOf),
        handled.map(untilOf),
      ],
    );
  }

  async #fail(deadline: HeldDeadline, error: unknown): Promise<void> {
    const { operatorId, kind, key, ticket } = deadline;
    const attempts = deadline.attempts + 1;
    const parked = attempts >= MAX_ATTEMPTS;
    const readyAt = new Date(this.#clock.now().getTime() + waitAfter(attempts));
    await this.#owner.query(
      'deadline failed',
      `update platform.due set held_until = null,
         attempts = case when ticket = $4 then $6 else attempts end,
         ready_at = case when ticket = $4 then $7 else ready_at end,
         parked = case when ticket = $4 then $8 else parked end
       where ${OF_KEY} and held_until = $5`,
      [operatorId, kind, key, ticket, deadline.until, attempts, readyAt, parked],
    );
    const fields = { kind, key, attempts, ...describeError(error) };
    if (parked) this.#log.error(fields, 'a deadline is parked: its handler failed too often');
    else this.#log.warn(fields, 'a deadline was not handled; it is retried');
  }

  /** Frees deadlines whose handlers have not begun, for other processes. */
  async #releaseWaiting(): Promise<void> {
    for (const lane of this.#lanes.waiting()) {
      const waiting = lane.waiting.splice(0);
      await this.#owner.query(
        'release deadlines',
        `update platform.due d set ready_at = $5, held_until = null
         from unnest($3::text[], $4::bigint[], $6::timestamptz[]) as w(key, ticket, held_until)
         where d.operator_id = $1 and d.kind = $2 and d.key = w.key and d.ticket = w.ticket
           and d.held_until = w.held_until`,
        [
          lane.operatorId,
          lane.kind,
          waiting.map(keyOf),
          waiting.map(ticketOf),
          this.#clock.now(),
          waiting.map(untilOf),
        ],
      );
    }
  }
}

const keyOf = ({ key }: { readonly key: string }): string => key;
const untilOf = ({ until }: HeldDeadline): Date => until;
const ticketOf = ({ ticket }: { readonly ticket: number }): number => ticket;
