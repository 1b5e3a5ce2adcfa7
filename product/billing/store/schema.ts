import type { Tx } from '#platform/data/data.ts';
import type { BillingTables } from './tables.ts';

/** The tables of this slice, in a unit of work. */
export const tables = (tx: Tx): ReturnType<typeof tx.sql<BillingTables>> => tx.sql<BillingTables>();
