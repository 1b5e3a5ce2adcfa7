import { createHash } from 'node:crypto';

/**
 * One forward-only step of the schema. `name` is its path below the root, e.g.
 * `product/tips/tables/0001-baseline.sql`.
 */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** Of a baseline: the migrations that it replaces (baselines.ts). */
  readonly replaces?: readonly Replaced[];
}

/** A migration that a baseline replaced, as databases that applied it recorded it. */
export interface Replaced {
  readonly name: string;
  readonly sha256: string;
}

/** SHA-256 of a migration's text; recorded to detect changes to applied migrations. */
export const migrationHash = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex');

/** The database and this version do not fit. The text is for the person who starts the program. */
export class SchemaMismatch extends Error {}
