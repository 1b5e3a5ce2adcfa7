import { DAY_MS, HOUR_MS, SECOND_MS } from '#platform/time/units.ts';

/** Blobs younger than this stay: the row that names them may not be written yet. */
export const ORPHAN_MS = DAY_MS;
/** The sweep starts this long after a start of the site, and again this long after its end. */
export const SWEEP_AFTER_START_MS = HOUR_MS;
export const SWEEP_EVERY_MS = DAY_MS;
/** Blobs of one step; the pauses between steps leave room for other work. */
export const SWEEP_PAGE = 200;
export const SWEEP_PAUSE_MS = 5 * SECOND_MS;

/** Whether rows name enough of these blobs to prove that the blobs belong to this database. */
export const areMostlyNamed = (blobs: number, named: number): boolean => named * 2 > blobs;

interface Column {
  readonly table: string;
  readonly column: string;
}

/** Columns that name blobs and that no slice has declared: the blobs of their rows would look orphaned. */
export const unspokenFor = (columns: readonly Column[], spoken: readonly Column[]): string[] =>
  columns
    .filter(({ table, column }) => !spoken.some((item) => item.table === table && item.column === column))
    .map(({ table, column }) => `${table}.${column}`);
