import type { Pool } from 'pg';
import pg from 'pg';

/** A database that speaks the PostgreSQL protocol: a server, or PGlite at the end of a pipe. */
export interface Driver {
  readonly name: 'pglite' | 'postgres';
  readonly pool: Pool;
  /** Sessions: how many units of work can run at the same time. */
  readonly sessions: number;
  readonly close: () => Promise<void>;
}

const { builtins } = pg.types;
type TypeParser = (text: string) => unknown;
const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => TypeParser;
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

/**
 * A bigint as a number. Throws where a double could not hold it exactly: a wrong amount is worse than an
 * error.
 */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer`);
  return value;
}

const TEXT_ARRAY: number = 1009;
const textArray = parserOf(TEXT_ARRAY) as (text: string) => (string | null)[];
const safeIntegers = (text: string): (number | null)[] =>
  textArray(text).map((item) => (item === null ? null : safeInteger(item)));

/** How values are read, the same for both drivers: bigint as a safe integer, date as `YYYY-MM-DD`
 * (a day has no time zone), timestamptz as Date, numeric as string, json parsed. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary'): TypeParser => {
    if (format === 'binary') return parserOf(oid, 'binary');
    if (oid === builtins.INT8) return safeInteger;
    if (oid === INT8_ARRAY) return safeIntegers;
    if (oid === builtins.DATE) return String;
    if (oid === DATE_ARRAY) return textArray;
    return parserOf(oid, 'text');
  }) as typeof pg.types.getTypeParser,
};
