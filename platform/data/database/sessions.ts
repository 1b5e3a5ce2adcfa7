import type { PoolClient, QueryResult as PgResult } from 'pg';
import type { Clock } from '../clock.ts';
import type { Driver } from '../drivers/driver.ts';
import { SessionQueue } from '../drivers/session-queue.ts';

/**
 * Who a session works for: an operator, as the application role; or the owner of the schema, across
 * operators.
 */
export type Identity = { readonly operatorId: number } | 'owner';

/** A leased database session with an open transaction. Ends exactly once, by commit or rollback. */
export class Session {
  /** Whether several statements may be in flight at once because none depends on their order. */
  readonly overlaps: boolean = false;
  readonly #client: PoolClient;
  readonly #free: () => void;
  readonly #committed: (left: boolean) => void;
  #open = true;

  constructor(client: PoolClient, free: () => void, committed: (left: boolean) => void) {
    this.#client = client;
    this.#free = free;
    this.#committed = committed;
  }

  async query(sql: string, values: readonly unknown[]): Promise<PgResult> {
    if (!this.#open) throw new Error('a query came after its unit of work had ended: is an await missing?');
    return this.#client.query(sql, [...values]);
  }

  /** Commits, and frees the session. If an earlier statement failed, rolls back and throws. */
  async commit(): Promise<void> {
    this.#end();
    let results: PgResult[];
    try {
      // One round trip. In a failed transaction the first statement fails too, so a swallowed SQL error
      // commits nothing.
      const sql = 'show app."left"; commit';
      results = (await this.#client.query(sql)) as unknown as PgResult[];
    } catch (error) {
      await this.#undo();
      throw error;
    }
    this.#release(false);
    const row = results[0]?.rows[0] as { 'app.left': string } | undefined;
    this.#committed(row?.['app.left'] === 'yes');
  }

  async rollback(): Promise<void> {
    this.#end();
    await this.#undo();
  }

  /** Ends a transaction that wrote nothing, without waiting for the database. */
  leave(): void {
    this.#end();
    void this.#client.query('commit').then(() => this.#release(false), () => this.#release(true));
  }

  #end(): void {
    if (!this.#open) throw new Error('a unit of work ends once');
    this.#open = false;
  }

  async #undo(): Promise<void> {
    let broken = false;
    try {
      await this.#client.query('rollback');
    } catch {
      // The connection is gone, and the transaction with it: the caller's own error matters more.
      broken = true;
    }
    this.#release(broken);
  }

  #release(broken: boolean): void {
    this.#client.release(broken);
    this.#free();
  }
}

/**
 * A session whose transaction can't write. Equal statements are sent once, whichever part of the unit runs
 * them, and statements are sent without waiting for earlier answers.
 */
class ReadingSession extends Session {
  override readonly overlaps = true;
  readonly #begun: Promise<unknown>;
  readonly #asked = new Map<string, Promise<PgResult>>();

  /**
   * @param begun resolves when the transaction has begun; statements may be sent before, and are answered
   *   after it
   */
  constructor(begun: Promise<unknown>, client: PoolClient, free: () => void) {
    super(client, free, () => {});
    this.#begun = begun;
  }

  override query(sql: string, values: readonly unknown[]): Promise<PgResult> {
    const key = `${sql} ${JSON.stringify(values)}`;
    const known = this.#asked.get(key);
    if (known) return known;
    const answer = Promise.all([super.query(sql, values), this.#begun]).then(([found]) => found);
    this.#asked.set(key, answer);
    return answer;
  }

  /**
   * Throws when a statement failed, even if its error was swallowed: the data that was read is incomplete.
   */
  async assertAnswered(): Promise<void> {
    await Promise.all(this.#asked.values());
  }
}

/** Opens sessions on a driver, at most as many at once as it has. */
export class Sessions {
  readonly #driver: Driver;
  readonly #leases: SessionQueue;
  #acquired = 0;
  /** Those of them for reading and delivering. */
  #others = 0;
  /** Called after a commit that wrote to the outbox. */
  onOutboxWritten: () => void = () => {};

  constructor(driver: Driver, clock: Clock) {
    this.#driver = driver;
    this.#leases = new SessionQueue(driver.sessions, clock);
    driver.pool.on('acquire', () => {
      this.#acquired += 1;
    });
  }

  /** How often a connection was used for more than reading and delivering; unchanged while nobody writes. */
  get writings(): number {
    return this.#acquired - this.#others;
  }

  /** Whether no unit of work is under way. */
  get isQuiet(): boolean {
    return this.#leases.isQuiet;
  }

  /** Waits for a session and begins its transaction. `name` appears in the error when the queue is stuck. */
  async begin(name: string, identity: Identity): Promise<Session> {
    const free = await this.#leases.take(name);
    let client: PoolClient | null = null;
    try {
      client = await this.#driver.pool.connect();
      await client.query(beginning(identity));
    } catch (error) {
      client?.release(true);
      free();
      throw error;
    }
    return new Session(client, free, (left) => {
      if (left) this.onOutboxWritten();
    });
  }

  /** As {@link begin}, for a transaction of an operator that can't write. */
  async beginReading(name: string, identity: Exclude<Identity, 'owner'>): Promise<ReadingSession> {
    const sql = beginning(identity, 'begin read only');
    const free = await this.#leases.take(name);
    try {
      const client = await this.#driver.pool.connect();
      this.#others += 1;
      const begun = client.query(sql);
      // Every statement rejects with this error itself.
      begun.catch(() => {});
      return new ReadingSession(begun, client, free);
    } catch (error) {
      free();
      throw error;
    }
  }

  /**
   * One statement of the owner that writes nothing to the outbox. PostgreSQL makes it a transaction of its
   * own.
   */
  async once(name: string, sql: string, values: readonly unknown[]): Promise<PgResult> {
    const free = await this.#leases.take(name);
    let client: PoolClient | null = null;
    try {
      client = await this.#driver.pool.connect();
      this.#others += 1;
      return await client.query(sql, [...values]);
    } finally {
      client?.release();
      free();
    }
  }
}

/**
 * Row-level security applies to the role: PGlite connects as superuser, to whom no policy applies. Settings
 * are set by commands, because those are not planned as queries are.
 */
function beginning(identity: Identity, opening = 'begin'): string {
  const begin = `${opening}; set local app."left" = off`;
  if (identity === 'owner') return begin;
  const { operatorId } = identity;
  if (!Number.isSafeInteger(operatorId) || operatorId < 0) {
    throw new RangeError('an operator id is a whole number');
  }
  return `${begin}; set local role candela_app; set local app.operator = '${operatorId}'`;
}
