import { sql } from 'kysely';
import type { Tx } from '../data.ts';

/** What stands in a column. */
export type OwnedRow = Readonly<Record<string, unknown>>;
export interface RowPage {
  readonly offset: number;
  readonly limit: number;
}

/** The rows of one table that belong to somebody, for whoever asks what is stored of them. */
export interface OwnedRows {
  readonly table: string;
  /** Columns with ids of people; whoever shows the rows puts names there. */
  readonly people: readonly string[];
  /** Always in the same order. */
  readonly read: (tx: Tx, ownerId: number, page: RowPage) => Promise<readonly OwnedRow[]>;
}

/** @param owner the column with the id of whom a row belongs to @param columns what is shown of it */
export function ownedRows({ table, owner, columns, order, people = [] }: {
  readonly table: string;
  readonly owner: string;
  readonly columns: readonly string[];
  readonly order: readonly string[];
  readonly people?: readonly string[];
}): OwnedRows {
  const list = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  return {
    table, people,
    read: async (tx, ownerId, { offset, limit }) => (await sql<OwnedRow>`
      select ${list(columns)} from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId}
      order by ${list(order)} offset ${offset} limit ${limit}`.execute(tx.sql())).rows,
  };
}
