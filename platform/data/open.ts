import type { DeadlineHandler, Subscription } from '#platform/contract/bind.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { pino } from 'pino';
import { memoryAttendance, type Attendance } from './attendance.ts';
import { memoryBus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Bus, Data, OperatorScope, Tx } from './data.ts';
import { Sessions } from './database/sessions.ts';
import { Unit } from './database/unit.ts';
import { Deadlines } from './delivery/deadlines.ts';
import { FactDelivery } from './delivery/facts.ts';
import { Owner } from './delivery/owner.ts';
import { EventPublishing } from './delivery/publishing.ts';
import type { Log } from './delivery/retry.ts';
import { Rounds } from './delivery/rounds.ts';
import { Upkeep, UPKEEP_MS } from './delivery/upkeep.ts';
import type { Driver } from './drivers/driver.ts';
import type { PgliteCode } from './drivers/pglite-engine.ts';
import { openPglite, type PgliteOptions } from './drivers/pglite.ts';
import { openPostgres } from './drivers/postgres.ts';
import { describeError } from './errors.ts';
import { memoryLimits } from './limits/memory-limits.ts';
import type { RateLimitStore } from './limits/rate-limits.ts';
import { migrate, type Schema } from './schema/migrations.ts';

/** A commit pokes delivery at once; this sweep finds what a crashed or busy process left behind. */
const OUTBOX_SWEEP_MS = 1_000;
/** Deadlines are exact to a second; nothing is shown with more precision. */
const DUE_SWEEP_MS = 1_000;
/** Facts that lead to facts end after a few rounds. A settle that takes this many is in a loop. */
const MAX_SETTLE_ROUNDS = 200;

export interface OpenOptions {
  /** Where the data is: a directory for PGlite, the URL of a PostgreSQL server, or memory. */
  readonly at:
    | { readonly dataDir: string; readonly code?: PgliteCode }
    | { readonly databaseUrl: string }
    | { readonly memory: true; readonly image?: string; readonly code?: PgliteCode };
  readonly clock: Clock;
  /** Clock for timeouts of the session queue; `clock` unless given. */
  readonly leaseClock?: Clock;
  /** From `readSchema(root, slices)`. */
  readonly schema: Schema;
  /** Defaults to a bus within this process. */
  readonly bus?: Bus;
  /** Defaults to the attendance of this process. */
  readonly attendance?: Attendance;
  /** Defaults to counting in this process. */
  readonly limits?: RateLimitStore;
  /** Checks facts and events against their shapes when they are published and when they are delivered. */
  readonly development: boolean;
  readonly log?: Log;
  /** Where the PGlite worker's file lies when it is not beside the code. */
  readonly workerUrl?: URL;
  /** Runs PGlite without a thread of its own, for tests. */
  readonly engine?: PgliteOptions['engine'];
}

/** The options that do not depend on where the data is. */
type Delivering = Pick<
  OpenOptions,
  'clock' | 'leaseClock' | 'bus' | 'attendance' | 'limits' | 'development' | 'log'
>;

/** The database of one program, with its delivery. */
export interface OpenedData extends Data {
  readonly bus: Bus;
  /** Who is in which topic, over all processes. */
  readonly attendance: Attendance;
  /** Where rate limits are counted, over all processes. */
  readonly limits: RateLimitStore;
  /**
   * Registers the subscriptions and deadline handlers of all slices. Call it once, after wiring and before
   * the first unit.
   */
  readonly attach: (handlers: {
    readonly subscriptions: readonly Subscription[];
    readonly deadlineHandlers: readonly DeadlineHandler[];
    /** Selects by consumer or kind what this process delivers; everything unless given. */
    readonly isOurs?: (name: string) => boolean;
  }) => Promise<void>;
  /** Delivers from now on: after each commit here or elsewhere, and by the clock. */
  readonly start: () => void;
  /**
   * Delivers everything that is ready, and all that follows, until nothing is left. For tests and shutdown.
   */
  readonly settle: () => Promise<void>;
}

/** Opens, migrates and returns the data. Throws `DirectoryHeld` when another process uses the directory. */
export async function openData(options: OpenOptions): Promise<OpenedData> {
  const log = options.log ?? pino({ name: 'data' });
  const driver = await openDriver(options, log);
  try {
    const client = await driver.pool.connect();
    try {
      await migrate(client, options.schema, options.clock.now());
    } finally {
      client.release();
    }
  } catch (error) {
    await driver.close();
    throw error;
  }
  return new LiveData(driver, options, log);
}

/** The data of a database that is already open and migrated, for tests that put something in between. */
export const dataOn = (driver: Driver, options: Delivering): OpenedData =>
  new LiveData(driver, options, options.log ?? pino({ name: 'data' }));

async function openDriver({ at, workerUrl, engine }: OpenOptions, log: Log): Promise<Driver> {
  const onLost = (error: Error): void =>
    log.error(describeError(error), 'the connection to the database was lost');
  if ('databaseUrl' in at) return openPostgres(at.databaseUrl, onLost);
  // Without that thread this process can answer nothing: it exits, so that its supervisor restarts it.
  const onThreadLost = (error: Error): void => {
    onLost(error);
    queueMicrotask(() => {
      throw error;
    });
  };
  const given = { code: at.code, workerUrl, engine, onLost: onThreadLost };
  if ('dataDir' in at) return openPglite({ dataDir: at.dataDir, ...given });
  return openPglite({ dataDir: null, image: at.image, ...given });
}

class LiveData implements OpenedData {
  readonly clock: Clock;
  readonly driver: 'pglite' | 'postgres';
  readonly bus: Bus;
  readonly attendance: Attendance;
  readonly limits: RateLimitStore;
  readonly #driver: Driver;
  readonly #sessions: Sessions;
  readonly #events: EventPublishing;
  readonly #facts: FactDelivery;
  readonly #deadlines: Deadlines;
  readonly #upkeep: Upkeep;
  readonly #development: boolean;
  readonly #log: Log;
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>();
  readonly #timers: (() => void)[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #isClosing = false;
  /** When delivery last looked and found nothing more. */
  #rested: { readonly writings: number; readonly nowMs: number } | null = null;

  constructor(driver: Driver, options: Delivering, log: Log) {
    this.#driver = driver;
    this.driver = driver.name;
    this.clock = options.clock;
    this.bus = options.bus ?? memoryBus(log);
    this.attendance = options.attendance ?? memoryAttendance();
    this.limits = options.limits ?? memoryLimits(options.clock);
    this.#development = options.development;
    this.#log = log;
    this.#sessions = new Sessions(driver, options.leaseClock ?? options.clock);
    const owner = new Owner(this.#sessions);
    const { clock, bus } = this;
    this.#events = new EventPublishing({ owner, bus, isAlone: driver.name === 'pglite' && !bus.isShared });
    this.#facts = new FactDelivery({ owner, clock, log, development: options.development });
    this.#deadlines = new Deadlines(owner, clock, log);
    this.#upkeep = new Upkeep(this.#sessions, owner);
  }

  readonly tx = async <T>(scope: OperatorScope, fn: (tx: Tx) => Promise<T>): Promise<T> => {
    this.#assertOutside();
    const session = await this.#sessions.begin(`operator ${scope.operatorId}`, scope);
    const result = await this.#within(session, scope, fn);
    await session.commit();
    return result;
  };

  readonly read = async <T>(scope: OperatorScope, fn: (tx: Tx) => Promise<T>): Promise<T> => {
    this.#assertOutside();
    const session = await this.#sessions.beginReading(`operator ${scope.operatorId}`, scope);
    // Its events are written as usual, and the database refuses them.
    const result = await this.#within(session, scope, fn, () => session.assertAnswered());
    session.leave();
    return result;
  };

  /** Runs a unit of work up to the commit; rolls back when any of it throws. */
  readonly #within = async <T>(
    session: ConstructorParameters<typeof Unit>[0],
    { operatorId }: OperatorScope,
    fn: (tx: Tx) => Promise<T>,
    last: () => Promise<void> = async () => undefined,
  ): Promise<T> => {
    const inside = { open: true };
    try {
      const unit = new Unit(session, operatorId, this.clock.now(), this.#development);
      const result = await this.#inside.run(inside, () => fn(unit));
      await unit.writeOutbox();
      await last();
      return result;
    } catch (error) {
      await session.rollback();
      throw error;
    } finally {
      inside.open = false;
    }
  };

  readonly attach = async (handlers: {
    readonly subscriptions: readonly Subscription[];
    readonly deadlineHandlers: readonly DeadlineHandler[];
    readonly isOurs?: (name: string) => boolean;
  }): Promise<void> => {
    const { subscriptions, deadlineHandlers, isOurs = () => true } = handlers;
    this.#deadlines.attach(deadlineHandlers, isOurs);
    await this.#facts.attach(subscriptions, isOurs);
    // The delivering process may be another one: the poke makes it look at once, not at its next sweep.
    this.#sessions.onOutboxWritten = this.bus.poke;
    if (this.driver !== 'pglite') return;
    // No other process can hold anything here, so whatever is held belongs to a process that died.
    await this.#facts.releaseHeld();
    await this.#deadlines.releaseHeld();
  };

  readonly start = (): void => {
    const publish = this.#background('events', this.#events.drain);
    const deliver = this.#background('facts', this.#facts.drain);
    const poke = (): void => {
      publish();
      deliver();
    };
    this.#sessions.onOutboxWritten = () => {
      poke();
      this.bus.poke();
    };
    this.#timers.push(
      this.bus.poked(poke),
      this.clock.every('outbox sweep', OUTBOX_SWEEP_MS, poke),
      this.clock.every('due sweep', DUE_SWEEP_MS, this.#background('deadlines', this.#deadlines.sweep)),
    );
    if (this.driver === 'pglite') {
      const turns = new Rounds(() => this.#upkeep.turn());
      const turn = this.#background('upkeep', turns.run);
      this.#timers.push(this.clock.every('vacuum and analyse', UPKEEP_MS, turn));
    }
    poke();
  };

  readonly settle = async (): Promise<void> => {
    if (this.#isAtRest()) {
      // Lets sockets and timers run, as a query would.
      await new Promise((done) => {
        setImmediate(done);
      });
      return;
    }
    for (let round = 0; round < MAX_SETTLE_ROUNDS; round += 1) {
      const before = { writings: this.#sessions.writings, nowMs: this.clock.now().getTime() };
      const handled = await this.#deadlines.sweep();
      const published = await this.#events.drain();
      const delivered = await this.#facts.drain();
      if (handled + published + delivered > 0) continue;
      this.#rested = before;
      return;
    }
    throw new Error(`delivery did not come to rest in ${MAX_SETTLE_ROUNDS} rounds`);
  };

  readonly close = async (): Promise<void> => {
    for (const stop of this.#timers.splice(0)) stop();
    this.#sessions.onOutboxWritten = () => {};
    this.#isClosing = true;
    // Running handlers finish; the rest waits in the database for the next start.
    for (const delivery of [this.#deadlines, this.#facts, this.#events]) delivery.stop();
    await Promise.all(this.#underWay);
    await this.#driver.close();
    // An enabled AsyncLocalStorage costs every promise of the process something, used or not.
    this.#inside.disable();
  };

  /** Whether nothing can have become ready: nothing was written and no time has passed. */
  #isAtRest(): boolean {
    // The writes of other processes are unknown.
    return this.driver === 'pglite' && !this.bus.isShared && this.#sessions.isQuiet
      && this.#rested?.writings === this.#sessions.writings
      && this.#rested.nowMs === this.clock.now().getTime();
  }

  #assertOutside(): void {
    if (this.#inside.getStore()?.open) {
      throw new Error('a unit of work began inside another: pass the outer tx along, or begin after its end');
    }
  }

  /**
   * Delivery in the background. An error is logged, and the next sweep tries again. Calls during a run share
   * the promise of `work`.
   */
  #background(name: string, work: () => Promise<unknown>): () => void {
    let running: Promise<unknown> | null = null;
    return () => {
      if (this.#isClosing) return;
      const turn = work();
      if (turn === running) return;
      running = turn;
      const ended = turn.then(() => undefined, (error: unknown) => {
        this.#log.error({ delivery: name, ...describeError(error) }, 'delivery failed');
      }).finally(() => this.#underWay.delete(ended));
      this.#underWay.add(ended);
    };
  }
}
