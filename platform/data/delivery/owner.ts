import type { QueryResultRow } from 'pg';
import type { Sessions } from '../database/sessions.ts';

export type Query = <Row extends QueryResultRow>(sql: string, values: readonly unknown[]) => Promise<Row[]>;

/**
 * SQL of the delivery itself. It runs as the owner of the schema, across operators, and never touches a
 * slice's tables.
 */
export class Owner {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  async unit<T>(name: string, work: (query: Query) => Promise<T>): Promise<T> {
    const session = await this.#sessions.begin(name, 'owner');
    let result: T;
    try {
      result = await work(async <Row>(sql: string, values: readonly unknown[]) =>
        (await session.query(sql, values)).rows as Row[]
      );
    } catch (error) {
      await session.rollback();
      throw error;
    }
    await session.commit();
    return result;
  }

  /** One statement in a transaction of its own and one round trip. */
  async query<Row extends QueryResultRow>(
    name: string,
    sql: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return (await this.#sessions.once(name, sql, values)).rows as Row[];
  }
}
