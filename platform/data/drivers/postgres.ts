import pg from 'pg';
import { types, type Driver } from './driver.ts';

/** Sessions per process: enough to overlap commits, small enough that ten processes stay below
 * PostgreSQL's default of 100 connections. */
const POSTGRES_SESSIONS = 8;
/** No statement of ours takes a second; one that takes this long is a bug and holds locks. */
const STATEMENT_LIMIT_MS = 15_000;
/** A unit of work awaits only SQL, so an idle open transaction is a lost process. */
const IDLE_UNIT_LIMIT_MS = 30_000;
const CONNECT_LIMIT_MS = 10_000;

/** Opens a pool on a PostgreSQL server (15 or later) by its `postgres://` URL. */
export function openPostgres(url: string, onError: (error: Error) => void): Driver {
  const pool = new pg.Pool({
    connectionString: url,
    max: POSTGRES_SESSIONS,
    // Units that only read send their statements without waiting for answers.
    pipeline: true,
    types,
    statement_timeout: STATEMENT_LIMIT_MS,
    idle_in_transaction_session_timeout: IDLE_UNIT_LIMIT_MS,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  pool.on('error', onError);
  // The pool handles errors of idle connections only. A connection that breaks inside a unit of work fails
  // its next query; without this listener its error would end the whole program.
  pool.on('connect', (client) => client.on('error', onError));
  return { name: 'postgres', pool, sessions: POSTGRES_SESSIONS, close: () => pool.end() };
}
