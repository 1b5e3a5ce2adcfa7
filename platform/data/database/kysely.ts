import {
  DefaultQueryExecutor,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SingleConnectionProvider,
  Transaction,
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type Dialect,
  type Driver as KyselyDriver,
  type QueryResult,
} from 'kysely';
import type { Session } from './sessions.ts';

const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A session as Kysely sees it. */
class SessionConnection implements DatabaseConnection {
  readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, rowCount, command } = await this.session.query(query.sql, [...query.parameters]);
    return WRITES.has(command)
      ? { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
      : { rows: rows as Row[] };
  }

  streamQuery(): never {
    throw new Error('units of work are short: page with a key instead of streaming');
  }
}

const outside = async (): Promise<never> => {
  throw new Error('a query needs a unit of work: data.tx(scope, fn)');
};
/**
 * Kysely requires a driver of every dialect. This one has no connections to open: a unit of work already has
 * its session.
 */
const noDriver: KyselyDriver = {
  init: async () => {},
  destroy: async () => {},
  acquireConnection: outside,
  releaseConnection: async () => {},
  beginTransaction: async () => {},
  commitTransaction: async () => {},
  rollbackTransaction: async () => {},
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
  const connection = new SessionConnection(session);
  const provider: ConnectionProvider = session.overlaps
    ? { provideConnection: async (consume) => consume(connection) }
    : new SingleConnectionProvider(connection);
  const executor = new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), provider);
  return new Transaction({ config: { dialect }, dialect, driver: noDriver, executor });
}
