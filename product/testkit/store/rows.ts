import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';

/** The rows of a statement, for tests that look behind the calls. Never given what somebody typed. */
export const rowsOf = async <Row>(tx: Tx, statement: string): Promise<Row[]> =>
  (await sql.raw<Row>(statement).execute(tx.sql())).rows;
