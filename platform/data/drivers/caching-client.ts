import pg from 'pg';

/**
 * Statements a session caches, of some tens of kilobytes each. The product has about five hundred. Those
 * beyond the limit are planned each time.
 */
const MAX_CACHED = 1_000;

type Query = (statement: string | pg.QueryConfig, ...rest: unknown[]) => unknown;

/**
 * A client that lets the database cache each statement it has parsed and planned, under a name: on PGlite
 * that saves two thirds of what a short one costs. Only for a database whose tables do not change while it is
 * open: where another process may migrate it, a cached plan could answer with the columns of before.
 */
export class CachingClient extends pg.Client {
  readonly #names = new Map<string, string>();
  readonly #send = (super.query as Query).bind(this);

  override readonly query = ((statement: string | pg.QueryConfig, ...rest: unknown[]): unknown => {
    const [values, ...others] = rest;
    // Several statements in one text come without values, and cannot have a name.
    if (typeof statement !== 'string' || !Array.isArray(values)) return this.#send(statement, ...rest);
    const name = this.#nameOf(statement);
    if (name === null) return this.#send(statement, ...rest);
    return this.#send({ name, text: statement, values }, ...others);
  }) as pg.Client['query'];

  #nameOf(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_CACHED) return null;
    const name = `cached_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
