import {
  DefaultQueryExecutor, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler,
  SingleConnectionProvider, Transaction,
  type CompiledQuery, type DatabaseConnection, type Dialect, type Driver as KyselyDriver, type QueryResult,
} from 'kysely';
import type { Session } from './sessions.ts';

const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A session as Kysely sees it. */
class SessionConnection implements DatabaseConnection {
  readonly session: Session;
  failed = false;

  constructor(session: Session) {
    this.session = session;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { rows, rowCount, command } = await this.session.query(query.sql, [...query.parameters]);
      return WRITES.has(command)
        ? { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
        : { rows: rows as Row[] };
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error('units of work are short: page with a key instead of streaming');
  }
}

const outside = async (): Promise<never> => {
  throw new Error('a query needs a unit of work: data.tx(scope, fn)');
};
/** Kysely asks every dialect for a driver; inside a unit the session is there already. */
const noDriver: KyselyDriver = {
  init: async () => {}, destroy: async () => {},
  acquireConnection: outside, releaseConnection: async () => {},
  beginTransaction: async () => {}, commitTransaction: async () => {}, rollbackTransaction: async () => {},
};

const dialectOf = (driver: KyselyDriver): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => driver,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});

/** Typed SQL on the transaction a session holds open. */
export function transactionOn(session: Session): Transaction<unknown> {
  const dialect = dialectOf(noDriver);
  const provider = new SingleConnectionProvider(new SessionConnection(session));
  const executor = new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), provider);
  return new Transaction({ config: { dialect }, dialect, driver: noDriver, executor });
}

/**
 * Kysely for a library that brings its own queries. Each query, and each transaction of the library, is a
 * unit of work that `begin` opens: Kysely's own begin and commit are left out, and what failed is rolled
 * back.
 */
export function libraryKysely(begin: () => Promise<Session>): Kysely<unknown> {
  const driver: KyselyDriver = {
    ...noDriver,
    acquireConnection: async () => new SessionConnection(await begin()),
    rollbackTransaction: async (connection) => {
      (connection as SessionConnection).failed = true;
    },
    releaseConnection: async (connection) => {
      const { session, failed } = connection as SessionConnection;
      await (failed ? session.rollback() : session.commit());
    },
  };
  return new Kysely<unknown>({ dialect: dialectOf(driver) });
}
