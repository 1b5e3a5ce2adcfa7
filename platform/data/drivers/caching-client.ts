import pg from 'pg';

/**
 * Statements a session caches, of some tens of kilobytes each. The product has about five hundred. Those
 * beyond the limit are planned each time.
 */
const MAX_CACHED = 1_000;

/** Statements that a session of the database has cached. They outlive the client that asked for them. */
export class CachedStatements {
  readonly #names = new Map<string, string>();
  /** Texts of the statements the session has parsed, by name, as `pg` stores them for a connection. */
  #parsed: Record<string, string> = {};

  /** The name a statement is cached under; null when there are too many. */
  nameOf(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_CACHED) return null;
    const name = `cached_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /** Makes a new connection know the statements of the session. */
  knownTo(connection: { parsedStatements: Record<string, string> }): void {
    connection.parsedStatements = this.#parsed;
  }

  /** Called when the session has dropped its statements: answers to earlier requests no longer count. */
  clear(): void {
    this.#parsed = {};
  }
}

type Query = (statement: string | pg.QueryConfig, ...rest: unknown[]) => unknown;

/** The configuration that the pool passes to its clients. */
export interface CachingConfig extends pg.ClientConfig {
  readonly cached: CachedStatements;
}

/**
 * A client that lets the database cache each statement it has parsed and planned, under a name: on PGlite
 * that saves two thirds of the cost of a short statement. Only for a database whose tables do not change
 * while it is open: if another process migrated it, a cached plan could return the old columns.
 */
export class CachingClient extends pg.Client {
  readonly #cached: CachedStatements;
  readonly #send = (super.query as Query).bind(this);

  constructor(config: CachingConfig) {
    super(config);
    this.#cached = config.cached;
    const { connection } = this as unknown as { connection: { parsedStatements: Record<string, string> } };
    this.#cached.knownTo(connection);
  }

  override readonly query = ((statement: string | pg.QueryConfig, ...rest: unknown[]): unknown => {
    const [values, ...others] = rest;
    // A text with several statements has no values, and cannot have a name.
    if (typeof statement !== 'string' || !Array.isArray(values)) return this.#send(statement, ...rest);
    const name = this.#cached.nameOf(statement);
    if (name === null) return this.#send(statement, ...rest);
    return this.#send({ name, text: statement, values }, ...others);
  }) as pg.Client['query'];
}
