import pg from 'pg';

/**
 * Statements a session keeps, of some tens of kilobytes each: the product has about five hundred. What comes
 * after them is planned each time.
 */
const MAX_KEPT = 1_000;

type Query = (statement: string | pg.QueryConfig, ...rest: unknown[]) => unknown;

/**
 * A client that lets the database keep each statement it has parsed and planned, under a name: on PGlite that
 * is two thirds of what a short one costs. Only for a database whose tables stay as they are while it is
 * open: where another process may migrate it, a kept plan could answer with the columns of before.
 */
export class KeepingClient extends pg.Client {
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
    if (this.#names.size >= MAX_KEPT) return null;
    const name = `kept_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
