import type { ColumnType } from 'kysely';

/** A column with a default, which an insert may leave out. */
export type Defaulted<T> = T extends ColumnType<infer Read, infer Inserted, infer Updated>
  ? ColumnType<Read, Inserted | undefined, Updated>
  : ColumnType<T, T | undefined, T>;

/** A jsonb column: parsed when read, and written as text. */
export type Json<T = unknown> = ColumnType<T, string, string>;
