import { DAY_MS, HOUR_MS, SECOND_MS } from '#platform/time/units.ts';

/** Blobs younger than this stay: the row that names them may be on its way. */
export const ORPHAN_MS = DAY_MS;
/** The sweep begins so long after a start, and again so long after its end. */
export const SWEEP_AFTER_START_MS = HOUR_MS;
export const SWEEP_EVERY_MS = DAY_MS;
/** Blobs of one step, and the pause before the next: it is in nobody's way. */
export const SWEEP_PAGE = 200;
export const SWEEP_PAUSE_MS = 5 * SECOND_MS;

/** Whether rows name so many of some blobs that these are of their database. */
export const areMostlyNamed = (blobs: number, named: number): boolean => named * 2 > blobs;

interface Column {
  readonly table: string;
  readonly column: string;
}

/** Columns that name blobs and that no slice speaks for: what their rows name would look like nobody's. */
export const unspokenFor = (columns: readonly Column[], spoken: readonly Column[]): string[] => columns
  .filter(({ table, column }) => !spoken.some((one) => one.table === table && one.column === column))
  .map(({ table, column }) => `${table}.${column}`);
